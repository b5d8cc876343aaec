#!/bin/sh
@ABOUT@
# Written by kernel-advisor plan --into; items.tsv beside it lists what it acts on.
LC_ALL=C
export LC_ALL
umask 022
set -u
nl='
'
tab=$(printf '\t')

usage() {
  echo "usage: sh $0 @USAGE@"
  echo "Lists the changes that it would make. --yes makes them; --root DIR acts on the files below DIR."
}

stop() {
  echo "$name: $2" >&2
  exit "$1"
}

name=${0##*/}
yes='' root=/ anyway='' asked=''
while [ $# -gt 0 ]; do
  case $1 in
  --yes) yes=y ;;
  --anyway) anyway=y ;;
  --root)
    [ $# -gt 1 ] || stop 2 "--root needs a folder"
    root=$2
    shift ;;
  --root=*) root=${1#*=} ;;
  -h | --help)
    usage
    exit 0 ;;
  -*)
    usage >&2
    exit 2 ;;
  *) asked="$asked$1$nl" ;;
  esac
  shift
done

case $0 in
*/*) plan=${0%/*} ;;
*) plan=. ;;
esac
plan=$(CDPATH='' cd -- "$plan" && pwd) || stop 2 "run it by its path: sh DIR/$name"
items=$plan/items.tsv
[ -r "$items" ] || stop 2 "$items is missing: run the script in the folder of its plan"
CDPATH='' cd -- "$root" || stop 2 "--root: $root is no folder"

# The one value of a kind of record.
told() {
  sed -n "s/^$1$tab//p" "$items"
}

[ "$(told items)" = 1 ] || stop 2 "$items is of another version of kernel-advisor"
digest=$(told plan)
case $digest in
'' | *[!0-9a-f]*) stop 2 "$items names no plan" ;;
esac
# All paths are below the root, where the script stands from here on.
state=var/lib/kernel-advisor/$digest
boot=$(cat proc/sys/kernel/random/boot_id 2>/dev/null) || boot=
failed='' work='' error='' talked='' second=''
trap '[ -z "$work" ] || rm -f "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

tell() {
  talked=y
  printf '%-7s %s\n' "$1" "$2"
}

fail() {
  failed=y
  tell failed "$1"
}

# Appends to a file of the state. The room is for a disk that is full.
append() {
  printf '%s\n' "$2" 2>/dev/null >>"$state/$1" && return
  rm -f "$state/room"
  printf '%s\n' "$2" 2>/dev/null >>"$state/$1" || echo "$name: /$state/$1 cannot be written" >&2
}

# Writes a line of the log: action, item, key, value before, asked, read back, error.
note() {
  append log "${boot:--}$tab$1$tab$2$tab$3$tab$4$tab$5$tab$6$tab$7"
}

# The end of a message of a program is the reason: "dd: error writing 'x': Invalid argument".
reason() {
  error=${1%%"$nl"*}
  error=${error##*: }
  [ -n "$error" ] || error="not known"
}

# Reads what a file shows, in one line, into `value`; of words to choose from the chosen one.
look() {
  value=
  raw=$(cat "$1" 2>/dev/null) || return 1
  case $1 in sys/kernel/debug/*) raw=$(printf '%s' "$raw" | tr '()' '[]') ;; esac
  set -f
  # shellcheck disable=SC2086  # the words are wanted
  set -- $raw
  set +f
  value=$*
  case " $value " in
  *" ["*"] "*" ["*"] "*) ;;
  *" ["*"] "*)
    value=${value#*\[}
    value=${value%%\]*} ;;
  esac
}

# Writes a value, in one piece as the kernel wants it; `error` is its reason where it refuses.
put() {
  error=
  message=$(printf '%s\n' "$2" | dd of="$1" bs=4096 2>&1) || reason "$message"
  [ "$error" != "Operation not permitted" ] || is_open ||
    error="$error: the kernel is locked down, which Secure Boot may do"
  [ -z "$error" ]
}

# Whether the kernel is not locked down, as far as it tells.
is_open() {
  case $(cat sys/kernel/security/lockdown 2>/dev/null) in
  *"[integrity]"* | *"[confidentiality]"*) return 1 ;;
  esac
}

# Copies a file to its place in one step. A backup keeps its owner and mode, and a link stays one; a
# "new" file of the plan is root's, whoever wrote the plan.
place() {
  work=$2.kernel-advisor.$$
  error=
  if [ "${3-}" = new ]; then
    message=$({ cp "$1" "$work" && chmod 644 "$work" && mv -f "$work" "$2"; } 2>&1) ||
      reason "$message"
  else
    message=$({ cp -pP "$1" "$work" && mv -f "$work" "$2"; } 2>&1) || reason "$message"
  fi
  [ -z "$error" ] || rm -f "$work"
  work=
  [ -z "$error" ]
}

# Whether there is a file, be it a link to nothing.
there() {
  [ -e "$1" ] || [ -L "$1" ]
}

same() {
  cmp -s "$1" "$2"
}

# What apply.sh read back of a file after it wrote it.
read_back() {
  awk -F "$tab" -v "key=/$1" '$2 == "set" && $4 == key { shown = $7 } END { print shown }' \
    "$state/log" 2>/dev/null
}

# Says where the boot loader has its line, to `add` words and `drop` some; the first that fits is
# what writes the others. rpm-ostree(1), grubby(8), kernel-install(8), u-boot-update(8) of Debian's
# u-boot-menu; the firmware of the Raspberry Pi and Armbian's boot script read the files themselves.
say_loader() {
  pi=boot/firmware/cmdline.txt
  there "$pi" || pi=boot/cmdline.txt
  if there run/ostree-booted; then
    tell "" "rpm-ostree kargs$(options --append-if-missing "$add")$(options --delete-if-present "$drop")"
  elif there usr/sbin/grubby || there usr/bin/grubby; then
    tell "" "grubby --update-kernel=ALL${add:+ --args=\"${add# }\"}${drop:+ --remove-args=\"${drop# }\"}"
  elif there "$pi"; then
    tell "" "Raspberry Pi: change the first line of /$pi"
  elif there boot/armbianEnv.txt; then
    tell "" "Armbian: change extraargs= in /boot/armbianEnv.txt"
  elif there etc/default/u-boot; then
    tell "" "U-Boot: change U_BOOT_PARAMETERS in /etc/default/u-boot, run u-boot-update"
  elif there boot/extlinux/extlinux.conf; then
    tell "" "extlinux: change the lines with append in /boot/extlinux/extlinux.conf"
  elif there etc/kernel/cmdline; then
    tell "" "systemd-boot: change /etc/kernel/cmdline, then for each kernel"
    tell "" "kernel-install add VERSION /boot/vmlinuz-VERSION"
  elif there boot/loader/entries || there efi/loader/entries || there boot/efi/loader/entries; then
    tell "" "systemd-boot: change the lines with options in loader/entries/*.conf"
  else
    tell "" "GRUB: change GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, run $(grub_command)"
  fi
}

# Prints the command that writes GRUB's menu here.
grub_command() {
  if there usr/sbin/update-grub; then
    echo update-grub
  elif there boot/grub2; then
    echo grub2-mkconfig -o /boot/grub2/grub.cfg
  else
    echo grub-mkconfig -o /boot/grub/grub.cfg
  fi
}

# Prints an option with each of some words.
options() {
  for word in $2; do
    printf ' %s="%s"' "$1" "$word"
  done
}
