#!/bin/sh
# Boots kernels with a system of Debian's packages, and runs there what programs need (trials.txt):
#
#   tests/guests/programs.sh DEST [KERNEL...]
#   python tests/guests/trials.py DEST        # beside what `can` says of the same kernels
#
# DEST/root is made by mmdebstrap, if it is not there, with the kernels of Debian 13. Others are
# unpacked into it by hand: dpkg-deb -x, depmod, update-initramfs -c -k; of user-mode-linux the modules
# to /lib/modules/RELEASE, linux.uml there as `linux`, its configuration to /boot/config-RELEASE. DEST/results/RELEASE is what
# the guest tells. A KERNEL is a release below /lib/modules; none is all. Needs root, mmdebstrap,
# e2fsprogs and qemu-system-x86; with ACCEL=kvm it is some ten times as fast. Nothing is installed where it runs.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 DEST [KERNEL...]" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
for need in mmdebstrap mke2fs qemu-system-x86_64; do
	command -v "$need" >/dev/null || { echo "$0: $need is missing" >&2; exit 1; }
done
mkdir -p "$1/results"
dest=$(cd "$1" && pwd)
root=$dest/root
shift

packages=systemd,systemd-sysv,udev,dbus,kmod,procps,initramfs-tools,zstd,busybox-static
packages=$packages,linux-image-amd64,linux-image-cloud-amd64,runc,crun,criu,podman,docker.io
packages=$packages,docker-cli,containerd,lxc,nftables,iptables,ipset,ipvsadm,wireguard-tools
packages=$packages,iproute2,iputils-ping,btrfs-progs,cryptsetup-bin,dmsetup,open-iscsi
packages=$packages,nvme-cli,bubblewrap,apparmor,openvpn,kexec-tools,systemd-oomd,earlyoom,xdp-tools
packages=$packages,bpftrace,linux-perf,python3,e2fsprogs,acl,attr
if [ ! -d "$root/etc" ]; then
	mmdebstrap --variant=minbase --aptopt='Acquire::Languages "none"' \
		--aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' --include="$packages" trixie "$root"
fi
mkdir -p "$root/opt/trials" "$root/etc/systemd/system/multi-user.target.wants"
chmod 755 "$here/trials.sh"
cp "$here"/trials.sh "$here"/trials.txt "$here"/*.nft "$root/opt/trials"
printf '%b' '[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nStandardOutput=tty\n'\
'ExecStart=/bin/sh /opt/trials/trials.sh\nTTYPath=/dev/ttyS0\nTimeoutStartSec=infinity\n' \
	>"$root/etc/systemd/system/trials.service"
ln -sf ../trials.service "$root/etc/systemd/system/multi-user.target.wants/trials.service"
echo '/dev/vda / ext4 rw 0 1' >"$root/etc/fstab"

rm -f "$dest/disk"
truncate -s 6G "$dest/disk"
mke2fs -q -t ext4 -d "$root" "$dest/disk"
[ $# -gt 0 ] || set -- $(ls "$root/lib/modules")
accel=${ACCEL:-tcg}
# With SYSTEMD=1 by the system's own systemd, and what needs that too.
[ -n "${SYSTEMD:-}" ] || init=init=/opt/trials/trials.sh
line="root=/dev/vda rw console=ttyS0 panic=-1 no_timer_check quiet crashkernel=256M ${init:-}"
for kernel in "$@"; do
	image=$root/boot/vmlinuz-$kernel
	[ -e "$image" ] || image=$root/lib/modules/$kernel/vmlinuz
	echo "$kernel"
	# Each boot begins with the same disk. Debian's user-mode-linux is a program, and needs no qemu.
	if [ -x "$root/lib/modules/$kernel/linux" ]; then
		rm -f "$dest/cow"
		# With the C library that it was built with.
		unshare -m sh -c 'cd "$1" && mount --bind "$2" mnt && mount -t proc proc proc &&
			mount --rbind /dev dev && mount -t tmpfs tmpfs tmp && exec chroot . "/lib/modules/$3/linux" \
			mem=2000M ubd0=/mnt/cow,/mnt/disk root=/dev/ubda rw con=null con0=fd:0,fd:1 quiet \
			init=/opt/trials/trials.sh told=/dev/stdout' sh "$root" "$dest" "$kernel" \
			>"$dest/results/$kernel.console" 2>&1 </dev/null || true
		tr -d '\r' <"$dest/results/$kernel.console" | grep -aE '^(yes|no) [a-z0-9-]+:' \
			>"$dest/results/$kernel.told"
		rm -f "$dest/cow"
	else
		qemu-system-x86_64 -machine q35 -accel "$accel" -cpu max -smp 1 -m 3000 -nodefaults \
			-display none -no-reboot -serial "file:$dest/results/$kernel.console" \
			-serial "file:$dest/results/$kernel.told" \
			-drive "file=$dest/disk,if=virtio,format=raw,snapshot=on" \
			-nic user,restrict=on,model=virtio-net-pci -device virtio-balloon -device virtio-rng-pci \
			-device virtio-serial -device virtio-gpu-pci \
			-kernel "$image" -initrd "$root/boot/initrd.img-$kernel" -append "$line"
	fi
	{ echo "line ${line#root=* }"; cat "$dest/results/$kernel.told"; } >"$dest/results/$kernel"
	rm "$dest/results/$kernel.told"
done
rm "$dest/disk"
