#!/bin/sh
# Gets the kernels that the tests start, from the package sources that apt knows, and makes the file
# system that they start with:
#
#   tests/boot/prepare.sh DEST [lab]
#   KERNEL_ADVISOR_BOOT=DEST pytest -m boot
#
# DEST/NAME/vmlinuz and DEST/NAME/config are the kernels cloud-6.1, cloud-6.12 and rt-6.12, with
# `lab` also amd64-6.12 and cloud-arm64-6.12, which no test here starts; DEST/initramfs is one for
# all. What is there already, from the same package, stays.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${2:-lab}" != lab ]; then
	echo "usage: $0 DEST [lab]" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dest=$(cd "$1" && pwd)

missing=
for need in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio \
	apt-get:apt dpkg-deb:dpkg; do
	command -v "${need%:*}" >/dev/null || missing="$missing ${need#*:}"
done
if [ -n "$missing" ]; then
	echo "$0: missing, install the packages:$missing" >&2
	exit 1
fi
scratch=$(mktemp -d "$dest/.scratch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# apt downloads as a user of its own, if the folder lets it.
chmod 755 "$scratch"

# What apt is told beside: where it looks for packages of another architecture.
options=

# kernel NAME METAPACKAGE: the package that this one depends on has the version in its name.
# shellcheck disable=SC2086 # several words
kernel() {
	package=$(apt-cache $options depends --important "$2" 2>/dev/null | sed -n 's/^ *Depends: //p' | head -n 1)
	stamp=$(apt-cache $options show --no-all-versions "${package:-$2}" 2>/dev/null |
		sed -n 's/^\(Package\|Version\|SHA256\): //p' | cksum)
	case $package in
	linux-image-"${1##*-}".*) ;;
	*)
		echo "$0: no Linux ${1##*-} by $2 (${package:-no such package}): Debian 12 and its security" \
			"archive have it; apt-get update, if they are among apt's sources" >&2
		exit 1
		;;
	esac
	if [ "$(cat "$dest/$1/.unpacked" 2>/dev/null)" = "$stamp" ]; then
		return
	fi
	mkdir "$scratch/$1"
	(cd "$scratch" && apt-get -qq $options -o APT::Sandbox::User=root download "$package")
	dpkg-deb --fsys-tarfile "$scratch/$package"_*.deb |
		tar -x -C "$scratch/$1" --wildcards --strip-components=2 './boot/vmlinuz-*' './boot/config-*'
	mv "$scratch/$1"/vmlinuz-* "$scratch/$1/vmlinuz"
	mv "$scratch/$1"/config-* "$scratch/$1/config"
	rm "$scratch/$package"_*.deb
	echo "$stamp" >"$scratch/$1/.unpacked"
	rm -rf "${dest:?}/$1"
	mv "$scratch/$1" "$dest/$1"
}

kernel cloud-6.1 linux-image-cloud-amd64
kernel cloud-6.12 linux-image-6.12-cloud-amd64
kernel rt-6.12 linux-image-6.12-rt-amd64
if [ "${2:-}" = lab ]; then
	kernel amd64-6.12 linux-image-6.12-amd64
	# The lists of another architecture are fetched apart: the machine's own stay as they are.
	mkdir -p "$scratch/apt/lists/partial" "$scratch/apt/cache/archives/partial"
	options="-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::status=/dev/null"
	options="$options -o Dir::State::lists=$scratch/apt/lists -o Dir::Cache=$scratch/apt/cache"
	# shellcheck disable=SC2086 # several words
	apt-get -qq $options -o APT::Sandbox::User=root update
	kernel cloud-arm64-6.12 linux-image-6.12-cloud-arm64
fi

busybox=$(command -v busybox)
if ! "$busybox" --list | grep -qx stty; then
	echo "$0: $busybox lacks stty (package busybox-static has it)" >&2
	exit 1
fi
root=$scratch/root
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys"
cp "$busybox" "$root/bin/busybox"
for tool in sh mount stty tr sed grep ls dmesg reboot; do
	ln -s busybox "$root/bin/$tool"
done
cp "$here/init" "$root/init"
chmod 755 "$root/init"
# The same programs are the same file, whenever and wherever it is made.
find "$root" ! -type l -exec chmod u=rwX,go=rX {} +
find "$root" -exec touch -h -d @0 {} +
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet --reproducible -o -H newc -R 0:0) >"$scratch/initramfs"
mv "$scratch/initramfs" "$dest/initramfs"
