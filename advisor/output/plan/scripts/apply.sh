
# Whether the machine is the one of the plan, as far as kind and release tell.
check_machine() {
  arch=$(told arch) release=$(told release)
  if [ "$root" = / ]; then
    is_arch=$(uname -m) is_release=$(uname -r)
  else
    is_arch=$(cat proc/sys/kernel/arch 2>/dev/null)
    is_release=$(cat proc/sys/kernel/osrelease 2>/dev/null)
  fi
  case $is_arch in
  x86_64 | i?86 | amd64) is_arch=x86 ;;
  aarch64) is_arch=arm64 ;;
  arm*) is_arch=arm ;;
  riscv*) is_arch=riscv ;;
  s390x) is_arch=s390 ;;
  ppc*) is_arch=powerpc ;;
  loongarch*) is_arch=loongarch ;;
  mips*) is_arch=mips ;;
  sparc*) is_arch=sparc ;;
  esac
  # User Mode Linux calls itself as the machine that it runs on; its release tells it apart.
  [ "$arch" != um ] || is_arch=um
  differs=
  [ "$arch" = - ] || [ "${is_arch:=$arch}" = "$arch" ] || differs="$arch, and this is $is_arch"
  [ "$release" = - ] || [ "${is_release:=$release}" = "$release" ] ||
    differs="${differs:+$differs; }Linux $release, and this is $is_release"
  [ "$release" != - ] || tell note "the plan names no kernel release: the release is not compared"
  [ -z "$differs" ] || [ -n "$anyway" ] ||
    stop 3 "the plan is for $differs: make a plan for this machine, or add --anyway"
}

# The configuration of the kernel that runs, where the kernel or a file tells it.
configuration() {
  gzip -dc proc/config.gz 2>/dev/null ||
    cat "boot/config-$is_release" 2>/dev/null ||
    cat "lib/modules/$is_release/config" 2>/dev/null
}

# Says which symbols of the configuration and which values that the plan does not set are not as they
# were when it was made.
check_grounds() {
  changed='' unknown=''
  names=$(awk -F "$tab" '$1 == "rests" && $3 !~ "/" { printf "|%s", $3 }' "$items")
  config=$(configuration | awk -F = -v "names=$names|" '
    NR == 1 { print "read" }
    index(names, "|" substr($1, 8) "|") { print substr($0, 8) }')
  while IFS=$tab read -r kind item key was <&3; do
    [ "$kind" = rests ] || continue
    case $key in
    */*)
      what=/$key
      look "$key" || continue ;;
    *)
      what=CONFIG_$key
      [ -n "$config" ] || {
        unknown=y
        continue
      }
      value=$(printf '%s\n' "$config" | sed -n "s/^$key=//p")
      value=${value:-n} ;;
    esac
    [ "=$value" = "$was" ] || {
      changed=y
      tell changed "$what: it was ${was#=} when the plan was made, and is $value [$item]"
    }
  done 3<"$items"
  [ -z "$unknown" ] ||
    tell note "no configuration of this kernel was found: its symbols are not compared"
}

# Says which values are neither as they were when the plan was made, nor as it has them.
check_values() {
  while IFS=$tab read -r kind item path to was <&3; do
    if [ "$kind" != was ] || ! look "$path"; then continue; fi
    case "=$value" in
    "$was" | "$to" | "$(read_back "$path")") ;;
    *)
      changed=y
      tell changed "/$path: it was ${was#=} when the plan was made, and is $value [$item]" ;;
    esac
  done 3<"$items"
  [ -z "$changed" ] || [ -n "$anyway" ] ||
    stop 3 "the machine has changed since the plan was made: make the plan again, or add --anyway"
}

# Makes the folder for what was there before, and room in it for the log of a full disk.
begin() {
  text=$(mkdir -p "$state" 2>&1) || {
    reason "$text"
    stop 1 "/$state cannot be made: $error; nothing was changed (run it as root)"
  }
  text=$(dd if=/dev/zero of="$state/room" bs=1024 count=64 2>&1) || {
    reason "$text"
    rm -f "$state/room"
    stop 1 "/$state cannot be written: $error; nothing was changed"
  }
  [ -s "$state/log" ] || append log "# kernel-advisor log 1: boot, action, item, key, before, asked, read, error"
  note begin - "$digest" - - - -
  if ! same "$plan/undo.sh" "$state/undo.sh" || ! same "$items" "$state/items.tsv"; then
    if ! place "$plan/undo.sh" "$state/undo.sh" new || ! place "$items" "$state/items.tsv" new
    then
      stop 1 "/$state cannot be written: $error; nothing was changed"
    fi
  fi
}

# Makes a folder and those above it; which ones, is kept for undo.sh.
folder() {
  [ -d "$1" ] && return
  case $1 in */*) folder "${1%/*}" "$2" || return ;; esac
  text=$(mkdir "$1" 2>&1) || {
    reason "$text"
    return 1
  }
  [ -z "$2" ] || append made "$1"
}

# Puts a file of the plan into its place. What was there before is kept, once.
install_file() {
  kept=$state/installed/$1
  if same "$plan/$1" "$1" && there "$kept"; then
    tell same "/$1"
    return
  fi
  if there "$kept" && there "$1" && ! same "$kept" "$1"; then
    fail "/$1 was changed since $name wrote it, and is left alone: remove it, or run undo.sh first"
    return
  fi
  say_lost "$1"
  if [ -z "$yes" ]; then
    if there "$1"; then tell replace "/$1"; else tell write "/$1"; fi
    return
  fi
  if keep_file "$1" && place "$plan/$1" "$kept" new && folder "${1%/*}" y &&
    place "$plan/$1" "$1" new
  then
    note file - "/$1" - - - -
    tell wrote "/$1"
    return
  fi
  note file - "/$1" - - - "$error"
  fail "/$1: $error"
  echo "$name: stopped; no value was set. sh /$state/undo.sh --yes takes back the files" >&2
  exit 1
}

# Says which lines go with a file that is replaced: those of an earlier plan, or of a person.
say_lost() {
  [ -f "$1" ] || return 0
  grep -v '^[[:space:]]*[#;]' "$1" | grep -vxF -f "$plan/$1" | while IFS= read -r line; do
    [ -z "$line" ] || tell but "/$1 loses a line: $line"
  done
}

# Keeps the file that was there before the first of ours.
keep_file() {
  folder "$state/installed/${1%/*}" "" || return
  there "$state/installed/$1" && return
  there "$1" || return 0
  folder "$state/before/${1%/*}" "" && place "$1" "$state/before/$1"
}

# Whether a file below /sys is of hardware, and of a disk that turns or not as the plan has it.
is_meant() {
  case $1 in
  sys/block/loop[0-9]* | sys/block/ram[0-9]* | sys/block/zram[0-9]* | sys/class/net/lo/*) return 1 ;;
  esac
  [ "$2" = - ] && return
  disk=${1#sys/block/}
  look "sys/block/${disk%%/*}/queue/rotational" && [ "$value" = "$2" ]
}

# Sets a value of a file now: item, path, value, the sysctl that turns to 0 with it.
set_value() {
  if ! look "$2"; then
    [ -z "$yes" ] || note set "$1" "/$2" - "=$3" - "not readable"
    fail "/$2 cannot be read [$1]"
    return
  fi
  before=$value
  if [ "$before" = "$3" ]; then
    tell "is so" "/$2 = $3"
    return
  fi
  if [ -z "$yes" ]; then
    tell set "/$2: $before -> $3 [$1]"
    return
  fi
  if ! grep -qF "$tab$2$tab" "$state/values" 2>/dev/null; then
    rival=-
    [ "$4" = - ] || ! look "$4" || rival="$4$tab$value"
    append values "$1$tab$2$tab=$before$tab=$3$tab$rival"
  fi
  if ! put "$2" "$3"; then
    note set "$1" "/$2" "=$before" "=$3" - "$error"
    if [ -n "$second" ]; then
      fail "/$2 = $3: $error [$1]"
    else
      again="$again$1$tab$2$tab$3$nl"
    fi
    return
  fi
  look "$2"
  note set "$1" "/$2" "=$before" "=$3" "=$value" -
  if [ "$value" = "$3" ]; then
    tell set "/$2: $before -> $3 [$1]"
  else
    tell set "/$2: $before -> $3, but the file shows $value [$1]"
  fi
}

# Tries once more what was refused: the kernel may take a value only beside another one.
set_again() {
  second=y
  while IFS=$tab read -r item path text <&4; do
    [ -z "$item" ] || set_value "$item" "$path" "$text" -
  done 4<<EOF
$again
EOF
}

# Sets the values of all files that a path names.
set_all() {
  any=
  IFS=
  for path in $3; do
    unset IFS
    if [ ! -e "$path" ] || ! is_meant "$path" "$2"; then continue; fi
    any=y
    set_value "$1" "$path" "$5" "$4"
  done
  unset IFS
  [ -z "$any" ] || return
  tell none "/$3: no such file now [$1]"
  [ -z "$yes" ] || note set "$1" "/$3" - "=$5" - "no such file"
}

# Says which words of the boot line are to be changed, and how.
say_boot_line() {
  add='' drop=''
  line=" $(cat proc/cmdline 2>/dev/null) "
  while IFS=$tab read -r kind _ word <&3; do
    case $kind in
    add) case $line in *" $word "*) ;; *) add="$add $word" ;; esac ;;
    drop) case $line in *" $word "*) drop="$drop $word" ;; esac ;;
    esac
  done 3<"$items"
  [ -n "$add$drop" ] || return
  [ -z "$add" ] || tell boot "add to the boot line:$add"
  [ -z "$drop" ] || tell boot "remove from the boot line:$drop"
  say_loader
  tell "" "how to come back from a line that does not boot: docs/plans.md of kernel-advisor"
}

# Says before what undo.sh cannot take back.
say_lasting() {
  while IFS=$tab read -r kind item first path _ value <&3; do
    case $kind/$first/$path=$value in
    line/etc/modprobe.d/*)
      tell note "undo.sh cannot change options of a module that is loaded: a reboot does [$item]" ;;
    set/*/unprivileged_bpf_disabled=1 | set/*/modules_disabled=1 | set/*/kexec_load_disabled=1 | \
      set/*/ptrace_scope=3)
      tell note "undo.sh cannot set /$path back, because the kernel refuses that: a reboot does [$item]" ;;
    set/*/nr_hugepages=* | set/*/nr_overcommit_hugepages=*)
      tell note "undo.sh cannot free huge pages that programs use: the programs free these pages [$item]" ;;
    esac
  done 3<"$items"
}

# Says which files of sysctl.d set something else than the plan, and are read after its file.
say_later_files() {
  ours=$(sed -n "s/^file$tab\(etc\/sysctl.d\/.*\)/\1/p" "$items")
  [ -n "$ours" ] || return
  for path in etc/sysctl.d/*.conf run/sysctl.d/*.conf usr/local/lib/sysctl.d/*.conf usr/lib/sysctl.d/*.conf
  do
    [ -f "$path" ] || continue
    # A file of the same name in a folder before takes its place.
    case "$seen" in *"/${path##*/}/"*) continue ;; esac
    seen=$seen/${path##*/}/
    awk -F "$tab" -v "ours=$ours" -v "path=$path" '
      FNR == NR && $1 == "but" { told[$2] = 1 }
      FNR == NR && $1 == "line" && $3 == ours {
        split($4, pair, " = ")
        value[pair[1]] = pair[2]
        item[pair[1]] = $2
      }
      FNR == NR { next }
      FNR == 1 {
        name = path
        sub(".*/", "", name)
        sub(".*/", "", ours)
        if (name <= ours) exit
      }
      /^[ \t]*[#;]/ || !/=/ { next }
      {
        key = given = $0
        sub("=.*", "", key)
        sub("[^=]*=[ \t]*", "", given)
        sub("[ \t]+$", "", given)
        gsub("[ \t-]", "", key)
        gsub("/", ".", key)
        if (key in item && given != value[key] && !(item[key] in told))
          printf "/%s:%d sets %s = %s after the plan\047s file [%s]%s\n", path, FNR, key, given,
            item[key], path ~ "^usr/" ? ": make the plan with --host, then the plan\047s file is read later" : ""
      }' "$items" "$path"
  done
}

[ -z "$asked" ] || stop 2 "takes no item (undo.sh does): plan --only makes a plan of some items"
check_machine
check_grounds
check_values
[ -n "$yes" ] || tell dry "nothing is changed; --yes does what is listed below"
[ -z "$yes" ] || begin
say_lasting
seen=''
say_later_files | while IFS= read -r text; do tell but "$text"; done
talked=''
while IFS=$tab read -r kind item text <&3; do
  case $kind in
  file) install_file "$item" ;;
  but) tell but "$item: $text" ;;
  hand) tell "by hand" "$text [$item]" ;;
  esac
done 3<"$items"
again=''
while IFS=$tab read -r kind item turns path rival text <&3; do
  [ "$kind" != set ] || set_all "$item" "$turns" "$path" "$rival" "$text"
done 3<"$items"
[ -z "$again" ] || set_again
say_boot_line
! grep -q "^rebuild$tab" "$items" ||
  tell rebuild "scripts/kconfig/merge_config.sh .config $plan/kernel.fragment"
[ -n "$talked" ] || tell nothing "the plan changes nothing here"
[ -n "$yes" ] || exit 0
rm -f "$state/room"
tell log "/$state/log; to take all back: sh /$state/undo.sh --yes"
[ -z "$failed" ]
