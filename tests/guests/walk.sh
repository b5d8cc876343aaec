#!/bin/sh
# Run in a guest at each of its starts, as root: walks the plans of some profiles through, from
# apply.sh to undo.sh, with the starts in between, and leaves in a folder for each what came of it.
#
# The shared folder has the one-file command, `profiles`, a line for each, and plans/PROFILE; where that
# is not there the guest makes the plan for itself, with the options in `words`. It may have a file of
# sysctl.d for the folder of packages, 99-package.conf, and product.sh, which starts the profile's
# product. What is left is for the tests to judge. Each profile takes two starts: with the plan, and
# after it was taken back.
share=/run/share
plan=/root/plan
for entry in /boot/loader/entries/*; do :; done
cd "$share" || exit 1

# Runs a step: what it prints goes to NAME, with its code in NAME.code.
step() {
	name=$1
	shift
	"$@" >"$out/$name" 2>"$out/$name.err"
	echo $? >"$out/$name.code"
}

# Unpacked, Python compiles it at its first start alone.
[ -d command ] || python3 -m zipfile -e kernel-advisor.pyz command
advisor() {
	python3 "$share/command" "$@"
}

# Each file that a plan, a boot loader or a package may write: its mode, owner and content.
files() {
	set -- /etc /boot /usr/lib/sysctl.d /usr/lib/tmpfiles.d /usr/lib/udev /usr/lib/modprobe.d /root \
		-xdev ! -path "$plan*" ! -path '/root/.cache*' ! -name '.updated'
	find "$@" -printf '%p %m %u %g %y %l\n' | sort
	find "$@" -type f -print0 | sort -z | xargs -0 sha256sum
}

# What each file shows that the plan writes now.
values() {
	sed -n 's/^set\t[^\t]*\t[^\t]*\t\([^\t]*\)\t.*/\1/p' "$plan/items.tsv" | sort -u |
		while IFS= read -r pattern; do
			for path in /$pattern; do
				[ ! -e "$path" ] || echo "$path: $(cat "$path" 2>/dev/null)"
			done
		done
}

plan_itself() {
	# shellcheck disable=SC2046 # several words
	advisor plan -p "$profile" --strength could --effort boot --into "$1" $(cat "$share/words" 2>/dev/null)
}

# The lines of a plan's files that count.
lines() {
	find "$1/etc" -type f -exec cat {} + | grep -v '^#' | sort -u
}

verify() {
	step "$1" advisor verify "$plan" --anyway --format json
}

product() {
	[ ! -e "$share/product.sh" ] || step "$1" sh "$share/product.sh" "$profile"
}

# Gives the boot loader's entry the plan's line.
set_line() {
	cp "$entry" /root/entry.before
	sed "s|^options.*|options $(cat "$plan/cmdline")|" "$entry" >"$entry.new"
	mv "$entry.new" "$entry"
}

take_line_back() {
	mv /root/entry.before "$entry"
}

restart() {
	sync
	sed -n 's/^options //p' "$entry" >"$share/options"
	touch "$share/again"
	poweroff
	exit
}

begin() {
	rm -rf "$plan" "$plan-again" /root/.cache
	mkdir -p "$out"
	[ ! -e "$share/99-package.conf" ] || cp "$share/99-package.conf" /usr/lib/sysctl.d/
	step files.before files
	if [ -e "$share/plans/$profile" ]; then
		cp -r "$share/plans/$profile" "$plan"
	else
		step plan plan_itself "$plan"
		cp -r "$plan" "$out/made"
	fi
	step values.before values
	step line.before cat /proc/cmdline
	verify verify.before
	product product.before
	# The plan is for another kernel's configuration than that of User Mode Linux.
	step refused sh "$plan/apply.sh"
	step dry sh "$plan/apply.sh" --anyway
	step files.dry files
	step values.dry values
	step apply sh "$plan/apply.sh" --yes --anyway
	step values.applied values
	step again sh "$plan/apply.sh" --yes --anyway
	verify verify.applied
	[ ! -e "$plan/cmdline" ] || step line.set set_line
	verify verify.entry
}

booted() {
	step values.booted values
	step line.booted cat /proc/cmdline
	verify verify.booted
	# Made again, the plan keeps what is in force.
	if [ -e "$out/made" ]; then
		step plan.again plan_itself "$plan-again"
		lines "$plan" >"$out/kept"
		lines "$plan-again" >"$out/kept.again"
		step lost diff "$out/kept" "$out/kept.again"
	fi
	product product.booted
	step undo.dry sh "$plan/undo.sh"
	step undo sh "$plan/undo.sh" --yes
	step values.undone values
	[ ! -e "$plan/cmdline" ] || step line.undone take_line_back
	verify verify.undone
	step undo.again sh "$plan/undo.sh" --yes
	step files.after files
}

undone() {
	step values.after values
	step line.after cat /proc/cmdline
	step journal journalctl --boot --no-pager -o cat -u systemd-sysctl -u systemd-tmpfiles-setup \
		-u systemd-udevd -u systemd-modules-load
	touch "$out/done"
	sed -i 1d profiles
}

while read -r profile <profiles; do
	out=$share/$profile
	stage=$(cat stage 2>/dev/null) || stage=begin
	echo "walk: $profile $stage $(cut -d ' ' -f 1 /proc/uptime)"
	$stage
	case $stage in
	begin) echo booted >stage ;;
	booted) echo undone >stage ;;
	undone) rm stage ;;
	esac
	[ "$stage" = undone ] || restart
done
sync
poweroff
