#!/bin/sh
# Starts a guest of qemu, and again while it asks for that: qemu.sh SYSTEM FOLDER
#
# As uml.sh does; the folder is shared as a disk, and written anew when the guest has ended. Needs
# qemu-system-x86 and e2fsprogs, no KVM.
set -eu
system=$1 share=$2
trap 'rm -f "$share.copy" "$share.data"' EXIT
cp --sparse=always "$system.disk" "$share.copy"
truncate -s 200M "$share.data"
# What a guest wrote stays there when it is switched off before a journal is.
mke2fs -q -t ext4 -O ^has_journal -d "$share" "$share.data"
files() {
	debugfs "$@" "$share.data" 2>/dev/null
}
line=$(debugfs -R 'cat /boot/loader/entries/test.conf' "$system.disk" 2>/dev/null | sed -n 's/^options //p')
while :; do
	# One processor, and no check of its timer: on a busy machine emulated ones wait long for another.
	qemu-system-x86_64 -machine q35 -accel tcg -cpu max -smp 1 -m 1500 -nodefaults \
		-display none -no-reboot -serial stdio \
		-drive "file=$share.copy,if=virtio,format=raw" -drive "file=$share.data,if=virtio,format=raw" \
		-kernel "$system.vmlinuz" -initrd "$system.initrd" -append "$line" </dev/null
	files -R 'ls -p /' | grep -q '/again/' || break
	files -w -R 'rm /again'
	line=$(files -R 'cat /options')
done
rm -rf "$share"
mkdir "$share"
files -R "rdump / $share"
