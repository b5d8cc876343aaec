#!/bin/sh
# Makes systems of Debian's packages, with their own systemd:
#
#   tests/guests/prepare.sh DEST [SYSTEM...]
#   KERNEL_ADVISOR_GUESTS=DEST pytest -m guest
#
# A system is a suite (bookworm, trixie), which runs as a process (User Mode Linux), or
# SUITE-products, with database servers and the suite's own kernel for qemu; all where none is named.
# DEST/SYSTEM.disk is its disk. DEST/uml is the kernel of the suites, DEST/SYSTEM.vmlinuz (with
# .initrd) that of a system with products. DEST/SYSTEM.tar keeps the packages, DEST/uml.tar those of
# the kernel, and DEST/SUITE.grub.tar those of a system with GRUB's tools, which is not started. What
# is there stays, and DEST cannot be moved. Needs root, mmdebstrap, e2fsprogs and patchelf, and no
# KVM. Nothing is installed here.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 DEST [SYSTEM...]" >&2
	exit 2
fi
missing=
for need in mmdebstrap:mmdebstrap mke2fs:e2fsprogs patchelf:patchelf; do
	command -v "${need%:*}" >/dev/null || missing="$missing ${need#*:}"
done
if [ -n "$missing" ]; then
	echo "$0: missing, install the packages:$missing" >&2
	exit 1
fi
mkdir -p "$1"
dest=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm trixie bookworm-products trixie-products
common=systemd,systemd-sysv,udev,dbus,kmod,procps,python3
products=$common,linux-image-cloud-amd64,initramfs-tools,zstd,busybox,postgresql,redis-server
scratch=$(mktemp -d "$dest/.scratch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Writes a file of the system.
write() {
	mkdir -p "$root/${1%/*}"
	cat >"$root/$1"
}

# Unpacks the system, with what runs the tests' script at each start, from the shared folder, which
# the arguments mount there.
unpack() {
	mkdir "$root"
	tar -x -f "$dest/$system.tar" -C "$root"
	# The daemons run where a test starts them.
	for daemon in tuned postgresql redis-server; do
		rm -f "$root"/etc/systemd/system/*.wants/$daemon.service
	done
	write etc/systemd/system/share.service <<-'END'
		[Unit]
		After=multi-user.target
		[Service]
		Type=oneshot
		ExecStart=/bin/sh /opt/share.sh
		TimeoutStartSec=infinity
	END
	printf '%s\n' "$*" | write opt/mount.sh
	write opt/share.sh <<-'END'
		mkdir -p /run/share
		. /opt/mount.sh
		exec sh /run/share/run.sh >>/run/share/console.run 2>&1
	END
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	ln -s ../share.service "$root/etc/systemd/system/multi-user.target.wants/share.service"
}

# Makes the kernel that all suites are started with. Those of Debian 12 and 13 start on no processor
# with AMX: before 6.13 the registers of such a one have no room in it (arch/x86/um/os-Linux/registers.c).
# It comes with the C library that it was linked with.
kernel() {
	lib=usr/lib/x86_64-linux-gnu
	tar -x -f "$dest/uml.tar" -C "$scratch" ./usr/bin/linux.uml "./$lib/libc.so.6" \
		"./$lib/ld-linux-x86-64.so.2"
	rm -rf "$dest/lib"
	mv "$scratch/$lib" "$dest/lib"
	patchelf --set-interpreter "$dest/lib/ld-linux-x86-64.so.2" --set-rpath "$dest/lib" \
		"$scratch/usr/bin/linux.uml"
	mv "$scratch/usr/bin/linux.uml" "$dest/uml"
}

# disk RELEASE LINE: keeps the system as a disk. The boot loader's entry is what the tests start the
# kernel with.
disk() {
	echo 'default test.conf' | write boot/loader/loader.conf
	write boot/loader/entries/test.conf <<-END
		version $1
		linux /linux
		options $2
	END
	truncate -s 3G "$scratch/disk"
	mke2fs -q -t ext4 -d "$root" "$scratch/disk"
	mv "$scratch/disk" "$dest/$system.disk"
}

# The disk for User Mode Linux.
uml() {
	# shellcheck disable=SC2016 # for the guest
	unpack 'mount -t hostfs -o "$(sed -n "s/.* share=\([^ ]*\).*/\1/p" /proc/cmdline)" none /run/share'
	echo '/dev/ubda / ext4 rw 0 1' | write etc/fstab
	tar -x -f "$dest/uml.tar" -C "$root" ./usr/lib/uml ./usr/share/doc/user-mode-linux/config.gz
	for release in "$root"/usr/lib/uml/modules/*; do :; done
	release=${release##*/}
	mkdir -p "$root/usr/lib/modules"
	mv "$root/usr/lib/uml/modules/$release" "$root/usr/lib/modules/$release"
	zcat "$root/usr/share/doc/user-mode-linux/config.gz" >"$root/boot/config-$release"
	disk "$release" 'root=/dev/ubda rw quiet'
}

# The disk, and the suite's kernel for qemu.
qemu() {
	unpack mount /dev/vdb /run/share
	echo '/dev/vda / ext4 rw 0 1' | write etc/fstab
	for kernel in "$root"/boot/vmlinuz-*; do :; done
	release=${kernel##*/vmlinuz-}
	cp "$root/boot/initrd.img-$release" "$dest/$system.initrd"
	cp "$kernel" "$dest/$system.vmlinuz"
	disk "$release" 'root=/dev/vda rw quiet console=ttyS0 no_timer_check panic=-1'
}

# packed NAME SUITE PACKAGES [VARIANT]: these, unpacked and configured. A mirror may be a snapshot.
packed() {
	if [ ! -e "$dest/$1.tar" ]; then
		mmdebstrap --quiet --variant="${4-minbase}" --include="$3" \
			--aptopt='Acquire::Languages "none"' --aptopt='Acquire::Check-Valid-Until "false"' \
			--dpkgopt=force-unsafe-io \
			--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
			"$2" "$scratch/packed.tar"
		mv "$scratch/packed.tar" "$dest/$1.tar"
	fi
}

for system; do
	suite=${system%-products}
	root=$scratch/root
	if [ "$system" != "$suite" ]; then
		packed "$system" "$suite" "$products"
		[ -e "$dest/$system.disk" ] || qemu
	else
		packed uml forky user-mode-linux extract
		[ -e "$dest/uml" ] || kernel
		packed "$suite" "$suite" "$common,tuned"
		packed "$suite.grub" "$suite" grub2-common
		[ -e "$dest/$system.disk" ] || uml
	fi
	rm -rf "$root"
done
