#!/bin/sh
# Unpacks what configuring a kernel needs, and the C files that may read its boot line, from Debian's
# source packages:
#
#   tests/kernel/prepare.sh DEST
#   KERNEL_ADVISOR_TREES=DEST pytest tests/kernel
#
# DEST/linux-source-6.1 and DEST/linux-source-6.12 are the trees. What is there already, from the
# same archive, stays. The archives come with the packages linux-source-6.1 and linux-source-6.12.
set -eu

if [ $# -ne 1 ]; then
	echo "usage: $0 DEST" >&2
	exit 2
fi
dest=$1
from=${KERNEL_ADVISOR_ARCHIVES:-/usr/src}
mkdir -p "$dest"

unpack() {
	name=linux-source-$1
	archive=$from/$name.tar.xz
	if [ ! -r "$archive" ]; then
		echo "$0: $archive is missing (package $name)" >&2
		exit 1
	fi
	stamp=$(stat -L -c '%n %s %Y' "$archive" | cat - "$0" | cksum)
	if [ "$(cat "$dest/$name/.unpacked" 2>/dev/null)" = "$stamp" ]; then
		return
	fi
	scratch=$(mktemp -d "$dest/.$name.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	# Kconfig files wherever they are; the makefiles on the way to scripts/kconfig; all of scripts,
	# whose helpers Kconfig runs to look at the toolchain; the configurations kept in the tree.
	# C files of x86 and arm64 (lint --tree), but of the large drivers only what declares a parameter that a rule
	# names: of amdgpu its amdgpu_drv.c.
	xz -dc -T0 "$archive" | tar -x -C "$scratch" --strip-components=1 --anchored --wildcards \
		--wildcards-match-slash --exclude="$name/arch/[!ax]*.[ch]" --exclude="$name/arch/a[!r]*.[ch]" \
		--exclude="$name/arch/ar[!m]*.[ch]" --exclude="$name/arch/arm/*.[ch]" --exclude="$name/tools/*.[ch]" \
		--exclude="$name/samples/*.[ch]" --exclude="$name/Documentation/*.[ch]" --exclude="$name/include/dt-bindings/*" \
		--exclude="$name/drivers/gpu/drm/amd/[!a]*.[ch]" --exclude="$name/drivers/gpu/drm/amd/a[!m]*.[ch]" \
		--exclude="$name/drivers/gpu/drm/amd/amd[!g]*.[ch]" --exclude="$name/drivers/gpu/drm/amd/amdgpu/[!a]*.[ch]" \
		--exclude="$name/drivers/gpu/drm/amd/amdgpu/a[!m]*.[ch]" \
		--exclude="$name/drivers/gpu/drm/amd/amdgpu/amdgpu_[!d]*.[ch]" --exclude="$name/drivers/gpu/drm/nouveau/*.[ch]" \
		--exclude="$name/drivers/net/*/*.[ch]" --exclude="$name/drivers/media/*.[ch]" \
		--exclude="$name/drivers/staging/*.[ch]" --exclude="$name/drivers/infiniband/*.[ch]" \
		--no-wildcards-match-slash \
		"$name/Makefile" "$name/Kbuild" "$name/Kconfig" "$name/scripts" "$name/kernel/configs" \
		"$name/arch/*/Makefile*" "$name/arch/*/Kbuild*" "$name/arch/*/*/Platform" "$name/arch/*/configs" "$name/arch/*/tools/*.sh" \
		--wildcards-match-slash "$name/*/Kconfig*" "$name/*.[ch]" "$name/*/Makefile*" "$name/*/Kbuild"
	echo "$stamp" >"$scratch/.unpacked"
	rm -rf "${dest:?}/$name"
	chmod 755 "$scratch"
	mv "$scratch" "$dest/$name"
	trap - EXIT
}

unpack 6.1
unpack 6.12
