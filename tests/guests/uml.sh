#!/bin/sh
# Starts a guest of User Mode Linux, and again while it asks for that: uml.sh KERNEL DISK FOLDER
#
# Its disk stays as it is: what it writes goes to a file beside the shared folder, where it finds
# its files again when it is started again. It asks by the file `again` in that folder; the words of
# its boot line are in `options`, which is what a boot loader would read.
set -eu
kernel=$1 disk=$2 share=$3
rm -f "$share.cow"
[ -s "$share/options" ] || echo 'root=/dev/ubda rw quiet' >"$share/options"
while :; do
	rm -f "$share/again"
	# shellcheck disable=SC2046 # several words
	"$kernel" mem=700M "ubd0=$share.cow,$disk" con=null con0=null,fd:1 ssl=null "share=$share" \
		$(cat "$share/options") </dev/null
	[ -e "$share/again" ] || break
done
rm -f "$share.cow"
