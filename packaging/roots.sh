#!/bin/sh
# Runs packaging/tests.sh in roots of Debian 12, 13 and sid, each with its own Python:
#
#   packaging/roots.sh DIST FOLDER [SUITE...]
#
# DIST is the folder that packaging/release.sh filled. Roots are kept in FOLDER, and made where there
# are none. Needs root, mmdebstrap, unshare and the network.
set -eu
dist=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- bookworm trixie sid
here=$(cd "$(dirname "$0")" && pwd)
for suite; do
	root=$folder/$suite
	# The Release file of sid is good for a week, and a mirror may be older.
	[ -e "$root/usr/bin/python3" ] || mmdebstrap --quiet --variant=apt \
		--aptopt='Acquire::Check-Valid-Until "false"' --include=python3,python3-venv,git,ca-certificates "$suite" "$root"
	# The root trusts and asks whom this machine does.
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
	rm -rf "$root/dist"
	cp -r "$dist" "$root/dist"
	cp "$here/tests.sh" "$root/tests.sh"
	echo "== $suite"
	unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" \
		/usr/bin/env LC_ALL=C.UTF-8 HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin sh /tests.sh python3 /dist
done
