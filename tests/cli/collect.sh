#!/bin/sh
# Writes a snapshot of this host for kernel-advisor --host FILE: to the file that is named, else to
# standard output. Nothing is changed, loaded or sent; what looks like a secret is masked.
# Made by kernel-advisor collect --script from the list of what its rules name.
LC_ALL=C
export LC_ALL
umask 077
set -u

if [ $# -gt 1 ] || [ "${1-}" = --help ]; then
  echo "usage: sh ${0##*/} [FILE]" >&2
  exit 2
fi
out=${1-}
if [ -z "$out" ] && [ -t 1 ]; then
  echo "name a file: sh ${0##*/} FILE, or redirect the output" >&2
  exit 2
fi
top=${KERNEL_ADVISOR_ROOT-}
work=$(mktemp -d "${TMPDIR:-/tmp}/kernel-advisor.XXXXXX") || exit 1
worker=
dog=
clean() {
  [ -z "$dog" ] || kill "$dog" 2>/dev/null
  rm -rf "$work" ${out:+"$out.$$"}
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
trap : USR1
nl='
'
# printf is no builtin of mksh, and echo reads backslashes.
if [ -n "${KSH_VERSION-}" ]; then
  # shellcheck disable=SC3044,SC2039
  say() { print -r -- "$1"; }
else
  say() { printf '%s\n' "$1"; }
fi

bare() {
  sed -E 's,^([|][ 	]*[#;]).*$,\1,g'
}

mask() {
  sed -E -e 's,^([|][ 	]*(password|password_[a-z0-9]+|[Cc][Rr][Yy][Pp][Tt][Oo][Mm][Oo][Uu][Nn][Tt]))[ 	].*$,\1 ***,g' \
    -e 's,^([|][ 	]*[A-Za-z0-9_.-]*([Kk][Ee][Yy]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Ss][Kk]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll])[A-Za-z0-9_.-]*[ 	]+=).*$,\1 ***,g' \
    -e 's,(^|[^A-Za-z0-9_.-])(([A-Za-z0-9_.-]*[_.-])?[Pp][Aa][Ss][Ss]=)([^ 	"'\'']|"[^"]+"|'\''[^'\'']+'\'')+,\1\2***,g' \
    -e 's,([A-Za-z0-9_.-]*([Kk][Ee][Yy]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Ss][Kk]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll])[A-Za-z0-9_.-]*=)\\?"[^"]*",\1***,g' \
    -e 's,([A-Za-z0-9_.-]*([Kk][Ee][Yy]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Ss][Kk]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll])[A-Za-z0-9_.-]*=)([^ 	"'\'']|"[^"]+"|'\''[^'\'']+'\'')+,\1***,g' \
    -e 's,(=\*\*\*)[\"'\''][^\"'\'']+$,\1,g' \
    -e 's,([Ii][Ss][Cc][Ss][Ii]:)[^@ 	"'\'']*@,\1***@,g' \
    -e 's,(://)[^/@ 	"'\'']*@,\1***@,g'
}

mask_configured() {
  sed -E -e '/^[|]CONFIG_CMDLINE/s,^([|][ 	]*(password|password_[a-z0-9]+|[Cc][Rr][Yy][Pp][Tt][Oo][Mm][Oo][Uu][Nn][Tt]))[ 	].*$,\1 ***,g' \
    -e '/^[|]CONFIG_CMDLINE/s,^([|][ 	]*[A-Za-z0-9_.-]*([Kk][Ee][Yy]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Ss][Kk]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll])[A-Za-z0-9_.-]*[ 	]+=).*$,\1 ***,g' \
    -e '/^[|]CONFIG_CMDLINE/s,(^|[^A-Za-z0-9_.-])(([A-Za-z0-9_.-]*[_.-])?[Pp][Aa][Ss][Ss]=)([^ 	"'\'']|"[^"]+"|'\''[^'\'']+'\'')+,\1\2***,g' \
    -e '/^[|]CONFIG_CMDLINE/s,([A-Za-z0-9_.-]*([Kk][Ee][Yy]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Ss][Kk]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll])[A-Za-z0-9_.-]*=)\\?"[^"]*",\1***,g' \
    -e '/^[|]CONFIG_CMDLINE/s,([A-Za-z0-9_.-]*([Kk][Ee][Yy]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Ss][Kk]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll])[A-Za-z0-9_.-]*=)([^ 	"'\'']|"[^"]+"|'\''[^'\'']+'\'')+,\1***,g' \
    -e '/^[|]CONFIG_CMDLINE/s,(=\*\*\*)[\"'\''][^\"'\'']+$,\1,g' \
    -e '/^[|]CONFIG_CMDLINE/s,([Ii][Ss][Cc][Ss][Ii]:)[^@ 	"'\'']*@,\1***@,g' \
    -e '/^[|]CONFIG_CMDLINE/s,(://)[^/@ 	"'\'']*@,\1***@,g'
}

# Whether a file of the list is there to be taken; one of a kind that blocked is not tried again.
begin() {
  file=$1
  path=${file#"$top"}
  case $path in *"$nl"* | */.*) return 1 ;; esac
  [ "$kind" != presence ] || return 0
  if [ ! -e "$file" ] && [ ! -L "$file" ]; then
    [ "$kind" != value ] || lacks
    return 1
  fi
  if [ "$kind" != there ] && [ "$kind" != name ]; then
    case $path in
    /sys/block/loop[0-9]*/* | /sys/block/ram[0-9]*/* | /sys/block/zram[0-9]*/*) return 1 ;;
    /sys/class/net/lo/*)
      return 1 ;;
    esac
    [ ! -d "$file" ] || return 1
    if [ "$kind" = text ] && [ -L "$file" ]; then
      target=$(readlink "$file")
      case $target in /dev/null | sysctl.conf | */sysctl.conf)
        say "link $path$nl|$target"
        return 1 ;;
      esac
    fi
    say "$pattern" >"$work/at"
    if [ ! -f "$file" ] || [ ! -r "$file" ]; then
      say "refused $path"
      return 1
    fi
    case $blocked in *"$nl$pattern$nl"*)
      say "refused $path"
      return 1 ;;
    esac
  fi
}

# Notes that there is no such file, or that it is in a closed folder. Where nothing is mounted
# nobody knows.
lacks() {
  [ -z "$top" ] || return 0
  above=$file
  while [ -n "$above" ] && [ ! -e "$above" ]; do
    case $above in /sys/kernel/debug | /sys/kernel/tracing | /sys/kernel/security | /sys/kernel/config | /sys/fs/bpf | /sys/fs/cgroup | /sys/fs/pstore | /sys/firmware/efi/efivars)
      return 0 ;;
    esac
    above=${above%/*}
  done
  if [ ! -r "$above" ] || [ ! -x "$above" ]; then
    say "refused $path"
    return 0
  fi
  case $above in
  /proc) [ -e /proc/version ] || return 0 ;;
  /sys/devices/*) ;;
  *) [ -n "$(ls -A "$above/" 2>/dev/null)" ] || return 0 ;;
  esac
  say "absent $path"
}

take_value() {
  # A sysctl gives all at once and then nothing: a shell that reads by the byte gets its first.
  case $path in /proc/*)
    copy $((4096 + 1))
    size=$(wc -c <"$work/text")
    if [ "$size" -eq 0 ] || [ "$size" -gt 4096 ]; then
      say "refused $path"
    else
      say "file $path"
      quoted
    fi
    return ;;
  esac
  text=
  size=0
  line=
  {
    while IFS= read -r line || [ -n "$line" ]; do
      text="$text$nl|$line"
      size=$((size + ${#line} + 1))
      line=
      [ "$size" -le 4096 ] || break
    done <"$file"
  } 2>/dev/null
  if [ "$size" -eq 0 ] || [ "$size" -gt 4096 ]; then
    say "refused $path"
  else
    say "file $path$text"
  fi
}

# The beginning of a file, in one of our own.
copy() {
  head -c "$1" "$file" 2>/dev/null | tr '\000' ' ' >"$work/text"
}

quoted() {
  sed 's/^/|/' "$work/text"
  # The last line of a file may lack its end.
  [ ! -s "$work/text" ] || [ -z "$(tail -c 1 "$work/text")" ] || echo
}

take_text() {
  copy $((1048576 + 1))
  if [ "$(wc -c <"$work/text")" -gt 1048576 ]; then
    say "refused $path"
    return
  fi
  say "file $path"
  case $path in
  */grubenv) quoted | mask ;;
  *) quoted | bare | mask ;;
  esac
}

take_lines() {
  copy 1048576
  say "file $path"
  case $path in
  /proc/cpuinfo) grep -E "^($keep)" "$work/text" | awk 'NR == 1 || (/^flags/ && !seen) {
      print; if (/^flags/) seen = 1 }' >"$work/kept" ;;
  /proc/swaps) grep -E "^($keep)" "$work/text" | awk '{ print $1 " " $2 }' >"$work/kept" ;;
  *) grep -E "^($keep)" "$work/text" | awk '!seen[$0]++' >"$work/kept" ;;
  esac
  sed 's/^/|/' "$work/kept"
}

take_name() {
  [ ! -d "$file" ] || say "folder $path"
}

take_there() {
  if [ -L "$file" ]; then
    say "link $path$nl|$(readlink "$file")"
  else
    say "there $path"
  fi
}

# Whether a file is there.
take_presence() {
  if [ -d "$file" ]; then
    say "folder $path"
  elif [ -e "$file" ] || [ -L "$file" ]; then
    say "there $path"
  else
    lacks
  fi
}

take_binary() {
  head -c 4096 <"$file" >"$work/text" 2>/dev/null
  say "binary $path"
  od -An -v -tx1 "$work/text" | sed 's/^ */|/;s/ *$//'
}

# The files of one kind; a keep is for lines alone.
take() {
  kind=$1
  keep=$2
  shift 2
  for pattern; do
    case $pattern in
    /lib/*) [ ! -L "$top/lib" ] || continue ;;
    esac
    case $pattern in
    /sys/fs/cgroup/\*/*)
      find "$top/sys/fs/cgroup" -name "${pattern##*/}" 2>/dev/null | sort >"$work/found"
      while IFS= read -r one; do
        if begin "$one"; then "take_$kind"; fi
      done <"$work/found"
      [ -s "$work/found" ] || begin "$top$pattern"
      continue ;;
    esac
    # Only a pattern is to be spread, not a blank.
    IFS=
    # shellcheck disable=SC2086
    set -- $top$pattern
    unset IFS
    for one; do
      if begin "$one"; then "take_$kind"; fi
    done
  done
}

# What cannot be unpacked here cannot be masked either, and is left out.
packed_config() {
  say "refused $1"
  return 1
}

# The values of the sysctls that files set at boot.
configured() {
  for pattern in '/etc/sysctl.conf' '/etc/sysctl.d/*.conf' '/usr/local/lib/sysctl.d/*.conf' '/usr/lib/sysctl.d/*.conf' '/lib/sysctl.d/*.conf'; do
    case $pattern in
    /lib/*) [ ! -L "$top/lib" ] || continue ;;
    esac
    # shellcheck disable=SC2086
    for file in "$top"$pattern; do
      [ ! -f "$file" ] || { head -c 1048576 "$file" && echo; }
    done
  done | sed -n -E 's,^[ 	]*-?([A-Za-z0-9_.-]+)[ 	]*=.*$,\1,p' | tr . / | sort -u | grep -Ev '([Kk][Ee][Yy]|[Pp][Aa][Ss][Ss][Ww]|[Pp][Aa][Ss][Ss][Pp][Hh][Rr][Aa][Ss][Ee]|[Pp][Ww][Dd]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Ss][Kk]|[Cc][Rr][Ee][Dd][Ee][Nn][Tt][Ii][Aa][Ll])' >"$work/keys"
  kind=value
  while IFS= read -r key; do
    pattern=/proc/sys/$key
    if begin "$top$pattern"; then take_value; fi
  done <"$work/keys"
}

config() {
  case $1 in
  /lib/*) [ ! -L "$top/lib" ] || return 1 ;;
  esac
  file=$top$1
  [ -f "$file" ] && [ -r "$file" ] || return 1
  say config >"$work/at"
  case $blocked in *"${nl}config$nl"*) return 1 ;; esac
  case $(head -c 2 "$file" | od -An -tx1 | tr -d ' ') in
  1f8b)
    if command -v gzip >/dev/null 2>&1; then
      gzip -dc <"$file" 2>/dev/null | head -c 16777216 >"$work/text"
    else
      packed_config "$1"
      return
    fi ;;
  fd37 | 28b5 | 425a)
    packed_config "$1"
    return ;;
  *) head -c 16777216 <"$file" >"$work/text" ;;
  esac
  [ -s "$work/text" ] || return 1
  say "file $1"
  quoted | mask_configured
}

running() {
  release=
  [ ! -r "$top/proc/sys/kernel/osrelease" ] || release=$(cat "$top/proc/sys/kernel/osrelease")
  if [ -n "$release" ]; then
    for one in "/proc/config.gz" "/boot/config-$release"; do
      if config "$one"; then return; fi
    done
  fi
}

processes() {
  for file in "$top"/proc/[0-9]*/comm; do
    name=
    { IFS= read -r name <"$file"; } 2>/dev/null
    case $name in
    'nginx' | 'ora_'*''\''s')
      say "file ${file#"$top"}$nl|$name" ;;
    esac
  done
}

all() {
  take lines 'MemTotal:' \
    '/proc/meminfo'
  take text '' \
    '/etc/sysctl.d/*.conf'
  take value '' \
    '/sys/block/*/queue/scheduler'
  take name '' \
    '/sys/firmware/efi'
  take there '' \
    '/lib'
  take binary '' \
    '/sys/firmware/x'
}

work() {
  say "kernel-advisor snapshot 1"
  all
  configured
  if [ -z "$top" ] && [ ! -e /proc/sys/kernel/arch ]; then
    say "file /proc/sys/kernel/arch$nl|$(uname -m)"
  fi
  running
  processes
  say end
}

# Kills the worker where one file keeps it for three seconds: a driver may block who reads.
watch() {
  before=
  same=0
  while sleep 1; do
    # A pattern may have thousands of files: what counts is that nothing more is written.
    now="$(cat "$work/at" 2>/dev/null) $(wc -c <"$work/snapshot")"
    if [ "$now" = "$before" ]; then same=$((same + 1)); else same=0; fi
    before=$now
    if [ "$same" -ge 3 ]; then
      : >"$work/stuck"
      kill -9 "$1" 2>/dev/null
      kill -USR1 $$
      return
    fi
  done
}

blocked=$nl
tries=0
while :; do
  rm -f "$work/stuck"
  : >"$work/at"
  : >"$work/snapshot"
  work >"$work/snapshot" </dev/null 2>/dev/null &
  worker=$!
  watch "$worker" >/dev/null 2>&1 </dev/null &
  dog=$!
  wait "$worker" 2>/dev/null
  kill "$dog" 2>/dev/null
  dog=
  [ -e "$work/stuck" ] || break
  blocked="$blocked$(cat "$work/at")$nl"
  tries=$((tries + 1))
  if [ "$tries" -gt 5 ]; then
    echo "more than 5 files of this host block: the last is of $(cat "$work/at")" >&2
    exit 1
  fi
done
if [ "$(tail -n 1 "$work/snapshot")" != end ]; then
  echo "the snapshot could not be taken whole: is ${TMPDIR:-/tmp} full?" >&2
  exit 1
fi
if [ "$(grep -c '^[a-z]* /' "$work/snapshot")" -gt 200000 ]; then
  echo "the rules name more than 200000 files of this host: leave out some rules of your own" >&2
  exit 1
fi
if command -v gzip >/dev/null 2>&1; then
  packed() { gzip -9n <"$work/snapshot"; }
else
  packed() { cat "$work/snapshot"; }
fi
if [ -z "$out" ]; then
  packed
elif packed >"$out.$$" && mv "$out.$$" "$out"; then
  :
else
  echo "$out: cannot be written" >&2
  exit 1
fi
