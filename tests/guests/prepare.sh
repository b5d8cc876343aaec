#!/bin/sh
# Makes systems of Debian's packages that run as a process (User Mode Linux), with their own systemd:
#
#   tests/guests/prepare.sh DEST [SUITE...]
#   KERNEL_ADVISOR_GUESTS=DEST pytest -m guest
#
# DEST/uml is the kernel and DEST/SUITE.disk a disk for it, for bookworm and trixie where no suite is
# named; DEST/SUITE.tar keeps the packages, DEST/uml.tar those of the kernel, and DEST/SUITE.grub.tar
# those of a system with GRUB's tools, which is not started. What is there stays, and DEST cannot be
# moved. Needs root, mmdebstrap, e2fsprogs and patchelf, and no KVM. Nothing is installed here.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 DEST [SUITE...]" >&2
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
[ $# -gt 0 ] || set -- bookworm trixie
packages=systemd,systemd-sysv,udev,dbus,kmod,procps,python3,tuned
scratch=$(mktemp -d "$dest/.scratch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Writes a file of the system.
write() {
	mkdir -p "$root/${1%/*}"
	cat >"$root/$1"
}

# Unpacks the system, with what runs the tests' script at each start, from the shared folder.
unpack() {
	mkdir "$root"
	tar -x -f "$dest/$suite.tar" -C "$root"
	# The daemon runs where a test starts it.
	rm -f "$root"/etc/systemd/system/*.wants/tuned.service
	write etc/systemd/system/share.service <<-'END'
		[Unit]
		After=multi-user.target
		[Service]
		Type=oneshot
		ExecStart=/bin/sh /opt/share.sh
		TimeoutStartSec=infinity
	END
	write opt/share.sh <<-'END'
		mkdir -p /run/share
		folder=$(sed -n 's/.* share=\([^ ]*\).*/\1/p' /proc/cmdline)
		mount -t hostfs -o "$folder" none /run/share
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

# Makes the disk. The boot loader's entry is what the tests start the kernel with.
disk() {
	echo '/dev/ubda / ext4 rw 0 1' | write etc/fstab
	tar -x -f "$dest/uml.tar" -C "$root" ./usr/lib/uml ./usr/share/doc/user-mode-linux/config.gz
	for release in "$root"/usr/lib/uml/modules/*; do :; done
	release=${release##*/}
	mkdir -p "$root/usr/lib/modules"
	mv "$root/usr/lib/uml/modules/$release" "$root/usr/lib/modules/$release"
	zcat "$root/usr/share/doc/user-mode-linux/config.gz" >"$root/boot/config-$release"
	echo 'default uml.conf' | write boot/loader/loader.conf
	write boot/loader/entries/uml.conf <<-END
		version $release
		linux /linux
		options root=/dev/ubda rw quiet
	END
	truncate -s 3G "$scratch/disk"
	mke2fs -q -t ext4 -d "$root" "$scratch/disk"
	mv "$scratch/disk" "$dest/$suite.disk"
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

packed uml forky user-mode-linux extract
[ -e "$dest/uml" ] || kernel
for suite; do
	packed "$suite" "$suite" "$packages"
	packed "$suite.grub" "$suite" grub2-common
	root=$scratch/root
	if [ ! -e "$dest/$suite.disk" ]; then
		unpack
		disk
	fi
	rm -rf "$root"
done
