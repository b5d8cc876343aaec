#!/bin/sh
# Run in the guest by its systemd: runs each line of trials.txt, and writes to the second serial port
# whether that went well: "yes docker:swarm", or "no docker:swarm: the last line it printed". With
# HERE=FILE in namespaces of the kernel that runs, and into that file: only what changes nothing else.
exec 2>&1
if [ $$ = 1 ] && [ -z "$HERE" ]; then
	# Without systemd, which takes minutes to start where the processor is emulated.
	mount -t proc proc /proc
	mount -t sysfs sys /sys
	mount -t cgroup2 none /sys/fs/cgroup
	mount -t bpf bpf /sys/fs/bpf
	mount -t tracefs none /sys/kernel/tracing
	mount -t debugfs none /sys/kernel/debug
	mount -t securityfs none /sys/kernel/security
	mount -t configfs none /sys/kernel/config
	mount -t tmpfs none /run
	mkdir -p /dev/pts /dev/shm
	ln -s /proc/self/fd /dev/fd
	ln -s fd/1 /dev/stdout
	mount -t devpts none /dev/pts
	[ -n "$told" ] || exec >/dev/ttyS0
	ip link set lo up
	modprobe -a loop tun zram dm_mod 2>/dev/null
	export DM_DISABLE_UDEV=1
fi
here=/opt/trials
told=${HERE:-${told:-/dev/ttyS1}}
export PATH=/opt/trials/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Either kind of iptables is enough for most: as an administrator takes the one that works.
for tool in iptables ip6tables; do
	$tool-nft -N TRIAL >/dev/null 2>&1 && $tool-nft -X TRIAL || update-alternatives --set $tool /usr/sbin/$tool-legacy >/dev/null
done

# What the trials begin with, as programs of their own.
mkdir -p $here/bin /srv/box/bin /srv/box/dev /srv/box/proc /srv/box/sys /srv/box/tmp /srv/box/etc
program() {
	printf '#!/bin/sh\nset -e\n%s\n' "$2" >$here/bin/"$1"
	chmod 755 $here/bin/"$1"
}
[ -z "$HERE" ] || program modprobe true
program iptables 'exec /usr/sbin/iptables -w "$@"'
program user 'exec setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp "$@"'
program overlay 'mkdir -p $1/l $1/u $1/w $1/m; mount -t tmpfs tmpfs $1; mkdir -p $1/l $1/u $1/w $1/m
mount -t overlay -o lowerdir=$1/l,upperdir=$1/u,workdir=$1/w overlay $1/m'
program image 'umount /mnt 2>/dev/null || true; rm -f /run/$1.img; truncate -s 200M /run/$1.img; mkfs.$1 -q /run/$1.img'
program landlock 'exec python3 -c "
import ctypes, sys
sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < int(sys.argv[1]))" "$1"'
program lxc 'printf "lxc.rootfs.path = dir:/srv/box\nlxc.init.cmd = /bin/true\nlxc.net.0.type = %s\n" \
	"$(echo $1 | sed s/none/empty/)" >/run/lxc.conf
test $# = 1 || printf "lxc.net.0.link = %s\n" "$2" >>/run/lxc.conf
exec lxc-start -F -n trial -f /run/lxc.conf -l ERROR -o /dev/stdout'
program nvme_target 'cd /sys/kernel/config/nvmet; mkdir -p subsystems/trial/namespaces/1 ports/1
echo 1 >subsystems/trial/attr_allow_any_host; truncate -s 20M /run/nvme; losetup /dev/loop41 /run/nvme
echo /dev/loop41 >subsystems/trial/namespaces/1/device_path; echo 1 >subsystems/trial/namespaces/1/enable
cd ports/1; echo 127.0.0.1 >addr_traddr; echo tcp >addr_trtype; echo 4420 >addr_trsvcid; echo ipv4 >addr_adrfam
ln -s ../../subsystems/trial subsystems/trial'
cp /bin/busybox /srv/box/bin/
for tool in sh true cat ip ls grep sleep; do ln -sf busybox /srv/box/bin/$tool; done
echo "/boot/vmlinuz-$(uname -r)" >$here/vmlinuz
mount -t tmpfs tmpfs /tmp
chmod 1777 /tmp
# dockerd looks for limits of swap in its own group, and the root has none.
[ -n "$HERE" ] || (mkdir /sys/fs/cgroup/docker.d && sh -c 'echo $PPID' >/sys/fs/cgroup/docker.d/cgroup.procs
	echo "+memory +cpu +io +pids" >/sys/fs/cgroup/cgroup.subtree_control
	containerd & dockerd & sleep 40; tar -C /srv/box -c . | docker import - box) >/run/docker.log 2>&1 &

grep '^[a-z]' $here/trials.txt | while read -r name command; do
	case $HERE:$name in
	/*:docker*|/*:podman*|/*:systemd*|/*:containerd:containers|/*:kdump*|/*:zram*|/*:kvm:merging|/*:kvm:huge*) continue ;;
	/*:luks*|/*:veritysetup*|/*:targetcli*|/*:open-iscsi*|/*:nvme*|/*:apparmor:profiles|/*:perf:*probes) continue ;;
	/*:qemu-guest:*|/*:lxc:limits|/*:kubernetes:huge*|/*:perf:groups|/*:criu:dump) continue ;;
	esac
	# These are of machines that have such a bus; CRIU does not know a kernel that is a program.
	case $name in qemu-guest:*) [ -e /sys/bus/virtio/devices/virtio0 ] || continue ;; esac
	case $name in criu:*|*:checkpoints) [ -b /dev/ubda ] && continue ;; esac
	case $name in systemd*) [ -d /run/systemd/system ] || continue ;; esac
	echo "trial: $name $(cut -d' ' -f1 /proc/uptime)"
	if timeout 300 sh -ec "$command" </dev/null >/run/log 2>&1; then
		echo "yes $name" >>"$told"
	else
		cat /run/log
		echo "no $name: $(grep -v '^$' /run/log | tail -n 1 | tr -d '\r' | cut -c 1-150)" >>"$told"
	fi
	umount /mnt 2>/dev/null
	losetup -D 2>/dev/null
	case $name in nftables:* | wireguard:* | kubernetes:kube-proxy-nftables) nft flush ruleset ;; esac
done
echo end >>"$told"
[ -z "$HERE" ] || exit 0
sync
reboot -ff 2>/dev/null || systemctl poweroff -ff || echo o >/proc/sysrq-trigger
