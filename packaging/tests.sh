#!/bin/sh
# Runs the fast tests of an sdist against the wheel beside it, and starts the .pyz without pip:
#
#   packaging/tests.sh PYTHON DIST [TEST...]
#
# DIST is the folder that packaging/release.sh filled; TEST are paths of tests, else those of make fast.
# The network is needed for pip.
set -eu
python=$1
dist=$(realpath "$2")
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
unset PYTHONPATH
tar -xf "$dist"/*.tar.gz -C "$scratch" --strip-components=1
cd "$scratch"
"$python" -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check "$(echo "$dist"/*.whl)[test]"
# The tests find the wheel's modules in place of the sdist's.
rm -rf advisor
ln -s "$(cd / && "$scratch/venv/bin/python" -c 'import advisor; print(advisor.__path__[0])')" advisor
venv/bin/python -VV
"$python" "$dist/kernel-advisor.pyz" audit examples/x86_64-6.12.config.xz -p realtime --fail-on never >audit.txt
venv/bin/kernel-advisor audit examples/x86_64-6.12.config.xz -p realtime --fail-on never | cmp - audit.txt
# shellcheck disable=SC2046  # several paths
[ $# -gt 0 ] || set -- $(sed -n '/^FAST *:=/,/[^\\]$/p' Makefile | sed 's/.*:=//; s/\\$//')
venv/bin/python -m pytest -q -n auto --dist worksteal -m 'not slow' "$@"
