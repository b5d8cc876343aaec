#!/bin/sh
# Run in a guest as root by walk.sh: starts a database server, and tells what the kernel gives it.
case $1 in
postgresql)
	version=$(ls /etc/postgresql)
	options='-c shared_buffers=460MB -c huge_pages=on'
	# shellcheck disable=SC2086 # several words
	echo "pages needed: $(setpriv --reuid=postgres --regid=postgres --init-groups \
		"/usr/lib/postgresql/$version/bin/postgres" -D "/etc/postgresql/$version/main" $options \
		-C shared_memory_size_in_huge_pages)"
	log=/var/log/postgresql/postgresql-$version-main.log
	rm -f "$log"
	pg_ctlcluster "$version" main start --options "$options"
	echo "started: $?"
	grep '^HugePages' /proc/meminfo
	pg_ctlcluster "$version" main stop --mode immediate
	cat "$log"
	;;
redis)
	rm -f /var/log/redis/redis-server.log
	systemctl start redis-server
	echo "started: $?"
	redis-cli bgsave
	systemctl stop redis-server
	redis-server --check-system
	cat /var/log/redis/redis-server.log
	;;
esac
