#!/bin/sh
# Makes the example configurations again, with the kernel's own tools:
#
#   examples/generate.sh                      unpacks /usr/src/linux-source-{6.1,6.12}.tar.xz first
#   examples/generate.sh TREE-6.1 TREE-6.12   from trees that are unpacked already (and stay untouched)
#
# Needs make, gcc, flex, bison, bc and xz. The configurations record the compiler that was found; the
# stored ones were made with Debian 12's. Rust and pahole are kept out, so that they make no difference.
set -eu

examples=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C
unset ARCH CROSS_COMPILE KCONFIG_CONFIG KCONFIG_ALLCONFIG KBUILD_OUTPUT

case $# in
0)
	sh "$examples/../tests/kernel/prepare.sh" "$scratch/trees"
	old=$scratch/trees/linux-source-6.1
	new=$scratch/trees/linux-source-6.12
	;;
2)
	old=$(cd "$1" && pwd)
	new=$(cd "$2" && pwd)
	;;
*)
	echo "usage: $0 [TREE-6.1 TREE-6.12]" >&2
	exit 2
	;;
esac

# configure TREE ARCH NAME [FRAGMENT...]: the architecture's defconfig with the fragments merged onto it
configure() {
	tree=$1 arch=$2 name=$3
	shift 3
	out=$scratch/$name
	mkdir "$out"
	kmake defconfig
	if [ $# -gt 0 ]; then
		cp "$out/.config" "$out/base"
		# merge_config.sh puts its scratch files where it runs
		(cd "$out" && "$tree/scripts/kconfig/merge_config.sh" -m -O "$out" base "$@" >/dev/null)
		kmake olddefconfig
	fi
	xz -9 -T1 -c "$out/.config" >"$examples/$name.config.xz"
	echo "$name"
}

kmake() {
	make -s -C "$tree" O="$out" ARCH="$arch" RUSTC=no-rustc BINDGEN=no-bindgen PAHOLE=no-pahole "$@"
}

configure "$old" x86_64 x86_64-6.1
configure "$old" arm64 arm64-6.1
configure "$new" x86_64 x86_64-6.12
configure "$new" arm64 arm64-6.12
configure "$new" x86_64 x86_64-6.12-hardened "$new/kernel/configs/hardening.config" "$new/arch/x86/configs/hardening.config"
configure "$new" x86_64 x86_64-6.12-debug "$new/kernel/configs/debug.config" "$new/kernel/configs/x86_debug.config"
configure "$new" x86_64 x86_64-6.12-bad-ideas "$examples/bad-ideas.config"
