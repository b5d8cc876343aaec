#!/bin/sh
# Run in the guest by its systemd, once it is up: sets values by hand, and tells what is so then.
# All that it writes goes to the second disk, as a tar.
exec 2>&1
echo "probe: start $(cat /proc/uptime)"
mkdir -p /out
chmod 777 /out
cd /out || exit 1
keep() {
	tar cf /dev/vdb -C / out
	sync
	echo "probe: $1 $(cat /proc/uptime)"
}

# What an administrator sets by hand, and no file sets again.
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
echo y >/sys/kernel/mm/lru_gen/enabled
echo 4096 >/sys/block/vdb/queue/read_ahead_kb
echo N >/sys/module/printk/parameters/time
sysctl -w vm.nr_hugepages=3
for module in kvm nvme_core tcp_bbr sch_fq nf_conntrack vfio_pci; do modprobe "$module"; done
sysctl -w net.ipv4.tcp_congestion_control=bbr

sh /opt/probe/collect.sh /out/root.snapshot
keep "root $?"
sysctl -a >sysctl.txt 2>/dev/null
for file in modules swaps cgroups mounts; do cat /proc/$file >$file.txt; done
command -v tuned-adm >/dev/null && tuned-adm active >tuned.txt
command -v tlp-stat >/dev/null && tlp-stat -s -p -d >tlp.txt
command -v powerprofilesctl >/dev/null && powerprofilesctl >ppd.txt
command -v sos >/dev/null && sos report --batch --tmp-dir /out --name probe \
	-o kernel,processor,memory,block,boot,systemd,host,release >sos.txt
keep "sos $?"
setpriv --reuid=65534 --clear-groups env TMPDIR=/out sh /opt/probe/collect.sh /out/user.snapshot
keep "user $?"
poweroff -f
