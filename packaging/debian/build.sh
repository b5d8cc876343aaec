#!/bin/sh
# Builds the Debian package from an sdist, in the folder OUT:
#
#   packaging/debian/build.sh SDIST OUT
#
# Needs what debian/control names as Build-Depends (mk-build-deps, or apt-get build-dep OUT/...).
set -eu
sdist=$(realpath "$1")
mkdir -p "$2"
cd "$2"
version=$(basename "$sdist" .tar.gz | sed 's/.*-//')
cp "$sdist" "kernel-advisor_$version.orig.tar.gz"
rm -rf "kernel-advisor-$version"
mkdir "kernel-advisor-$version"
tar -xf "$sdist" -C "kernel-advisor-$version" --strip-components=1
cd "kernel-advisor-$version"
mkdir debian
cp -r packaging/debian/* debian/
rm debian/build.sh
exec dpkg-buildpackage -us -uc
