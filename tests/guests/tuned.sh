#!/bin/sh
# Run in a guest as root: has its TuneD take a profile that a plan was written as, and verify it.
# The shared folder has tuned.conf; what TuneD says goes to the same folder.
cd /run/share || exit 1
for folder in /etc/tuned /etc/tuned/profiles; do
	[ ! -d "$folder" ] || { mkdir -p "$folder/kernel-advisor" && cp tuned.conf "$folder/kernel-advisor/"; }
done
tuned-adm --version >version
systemctl start tuned
tuned-adm profile kernel-advisor >profile.txt 2>&1
echo $? >profile.code
tuned-adm active >active.txt
tuned-adm verify --ignore-missing >verify.txt 2>&1
echo $? >verify.code
sysctl -n vm.swappiness vm.max_map_count vm.dirty_background_bytes >values 2>&1
cp /var/log/tuned/tuned.log log
sync
poweroff
