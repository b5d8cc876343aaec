
# Whether an item is to be taken back: one of those asked for, by its name with or without profile.
is_asked() {
  case "$nl$asked" in
  "$nl" | *"$nl$1$nl"* | *"$nl${1#*/}$nl"*) return 0 ;;
  esac
  return 1
}

# Raises an error for a name that no item of the plan has.
refuse_names() {
  left=$asked
  while [ -n "$left" ]; do
    one=${left%%"$nl"*}
    left=${left#*"$nl"}
    cut -f 2 "$items" | sed -e p -e 's,^[^/]*/,,' | grep -qxF -e "$one" ||
      stop 2 "no item of the plan is called $one: see items.tsv, second column"
  done
}

# Gives a file its earlier text, or removes it where there was none.
restore_file() {
  kept=$state/installed/$1 before=$state/before/$1
  there "$kept" || return
  if there "$before" && same "$before" "$1"; then
    tell "as was" "/$1"
  elif ! there "$1" && ! there "$before"; then
    tell "as was" "/$1: it is not there"
  elif ! same "$kept" "$1"; then
    tell left "/$1 was changed since apply.sh wrote it, and is left alone"
    return
  elif [ -z "$yes" ]; then
    if there "$before"; then tell restore "/$1"; else tell remove "/$1"; fi
  elif there "$before"; then
    done_with "$1" restored place "$before" "$1" || return
  else
    done_with "$1" removed rm -f "$1" || return
  fi
  [ -z "$yes" ] || rm -f "$kept" "$before"
}

# Runs a command for a file, and says and notes what became of it.
done_with() {
  file=$1 word=$2
  shift 2
  error=
  if [ "$1" = place ]; then place "$2" "$3" "${4-}"; else text=$("$@" 2>&1) || reason "$text"; fi
  note "$word" - "/$file" - - - "${error:--}"
  if [ -n "$error" ]; then
    fail "/$file: $error"
    return 1
  fi
  tell "$word" "/$file"
}

# Turns the lines of the items into comments, in a file that has still our text.
strip_file() {
  kept=$state/installed/$1
  there "$kept" || return
  if ! same "$kept" "$1"; then
    tell left "/$1 was changed since apply.sh wrote it, and is left alone"
    return
  fi
  new='' cut=''
  while IFS= read -r line <&4 || [ -n "$line" ]; do
    if is_line "$1" "$line"; then
      line="# taken back: $line" cut=y
    fi
    new="$new$line$nl"
  done 4<"$kept"
  [ -n "$cut" ] || return
  if [ -z "$yes" ]; then
    tell change "/$1"
    return
  fi
  printf '%s' "$new" 2>/dev/null >"$state/text" || {
    fail "/$state cannot be written"
    return
  }
  done_with "$1" changed place "$state/text" "$1" new && place "$state/text" "$kept" new
  rm -f "$state/text"
}

# Whether a line of a file is one of an item that is to be taken back.
is_line() {
  while IFS=$tab read -r kind item its_file its_text <&5; do
    if [ "$kind" != line ] || [ "$its_file" != "$1" ] || [ "$its_text" != "$2" ]; then continue; fi
    if is_asked "$item"; then
      return 0
    fi
  done 5<"$items"
  return 1
}

# Writes the value of before, unless it was changed since; whether the record may go.
restore_value() {
  if ! look "$2"; then
    tell none "/$2: it is not there any more [$1]"
    return
  fi
  if [ "$value" = "$3" ]; then
    tell "as was" "/$2 = $3"
    return
  fi
  if [ "$value" != "$4" ] && [ "=$value" != "$(read_back "$2")" ]; then
    [ -n "$second" ] ||
      tell left "/$2: $value was set after apply.sh, and is left alone (before apply.sh: $3) [$1]"
    return 1
  fi
  if [ -z "$yes" ]; then
    tell restore "/$2: $value -> $3 [$1]"
    return 1
  fi
  was=$value key=$2 to=$3
  # Where another sysctl was in force instead, writing that one makes this one 0.
  case $5 in
  - | '') ;;
  *) case $6 in 0 | '') ;; *) key=$5 to=$6 ;; esac ;;
  esac
  put "$key" "$to"
  look "$2"
  note restore "$1" "/$2" "=$was" "=$3" "=$value" "${error:--}"
  if [ -z "$error" ]; then
    tell restore "/$2: $was -> $3 [$1]"
    return
  fi
  # The kernel may take a value only beside another one, so that all are tried twice.
  again=y
  [ -z "$second" ] || fail "/$key = $to: $error [$1]"
  return 1
}

# Takes back all values of the items, the last one first.
restore_values() {
  [ -s "$state/values" ] || return
  list=$(sed '1!G;h;$!d' "$state/values")
  left=
  while IFS=$tab read -r item path before to rival was <&3; do
    if ! is_asked "$item" || ! restore_value "$item" "$path" "${before#=}" "${to#=}" "$rival" "$was"
    then
      left="$item$tab$path$tab$before$tab$to$tab$rival${was:+$tab$was}$nl$left"
    fi
  done 3<<EOF
$list
EOF
  [ -n "$yes" ] || return
  printf '%s' "$left" 2>/dev/null >"$state/values.new" && mv -f "$state/values.new" "$state/values"
}

# Removes the folders that apply.sh made, where they are empty.
remove_folders() {
  [ -s "$state/made" ] && [ -n "$yes" ] || return
  sed '1!G;h;$!d' "$state/made" | while IFS= read -r path; do
    rmdir "$path" 2>/dev/null || :
  done
  rm -f "$state/made"
}

say_boot_line() {
  add='' drop=''
  line=" $(cat proc/cmdline 2>/dev/null) "
  while IFS=$tab read -r kind item word <&3; do
    is_asked "$item" || continue
    case $kind in
    add) case $line in *" $word "*) drop="$drop $word" ;; esac ;;
    drop) case $line in *" $word "*) ;; *) add="$add $word" ;; esac ;;
    esac
  done 3<"$items"
  [ -z "$drop" ] || tell boot "by hand, remove from the boot line:$drop"
  [ -z "$add" ] || tell boot "by hand, put back into the boot line, at the old place:$add"
  [ -z "$add$drop" ] || say_loader
}

[ -n "$anyway" ] && stop 2 "needs no --anyway: undo.sh works on any kernel"
refuse_names
if [ ! -d "$state" ]; then
  tell nothing "apply.sh has not run here: there is no /$state"
  say_boot_line
  exit 0
fi
[ -n "$yes" ] || tell dry "nothing is changed; --yes does what is listed below"
talked=''
[ -z "$yes" ] || note begin - "$digest" - - - -
while IFS=$tab read -r kind file _ <&3; do
  [ "$kind" = file ] || continue
  if [ -z "$asked" ]; then restore_file "$file"; else strip_file "$file"; fi
done 3<"$items"
again=''
restore_values
if [ -n "$again" ]; then
  second=y
  restore_values
fi
[ -n "$asked" ] || remove_folders
say_boot_line
[ -n "$talked" ] || tell nothing "nothing of the plan is in effect here"
[ -z "$failed" ]
