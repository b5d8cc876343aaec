#!/bin/sh
# Makes the files of a release in the folder OUT, and fails where a second build gives others:
#
#   packaging/release.sh TAG OUT
#
# TAG has to be the version of advisor/__init__.py behind a v. Needs Python 3.10 or newer and the network,
# from which pip takes what packaging/requirements.lock names, by hash.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=$2
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/advisor/__init__.py")
if [ "$1" != "v$version" ]; then
	echo "$0: the tag is $1, but the version of advisor/__init__.py is $version" >&2
	exit 1
fi
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
python=$scratch/venv/bin/python
"$python" -m pip install --quiet --require-hashes --only-binary=:all: -r "$root/packaging/requirements.lock"
for run in 1 2; do
	git -C "$root" archive --prefix="source$run/" HEAD | tar -x -C "$scratch"
	dist=$scratch/dist$run
	"$python" -m build --no-isolation --outdir "$dist" "$scratch/source$run" >/dev/null
	"$python" "$scratch/source$run/tools/pyz.py" "$dist"/*.whl "$dist/kernel-advisor.pyz"
done
for file in "$scratch/dist1"/*; do
	cmp "$file" "$scratch/dist2/${file##*/}"
done
# Of what an installed wheel comes with: the versions that the action installs.
"$python" -m cyclonedx_py requirements --output-reproducible \
	--output-file "$scratch/dist1/kernel-advisor.cdx.json" "$root/action/requirements.lock"
mkdir -p "$out"
cp "$scratch/dist1"/* "$out"
(cd "$out" && sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS)
cat "$out/SHA256SUMS"
