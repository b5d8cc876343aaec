#!/bin/bash -eu
# OSS-Fuzz: projects/kernel-advisor/build.sh. Makes a program of each target, beside its first
# inputs and its dictionary, in $OUT.
pip3 install '.[zstd,yaml]'
python3 -m fuzz seeds "$OUT"
cp -r fuzz "$SRC/"
for name in $(python3 -m fuzz list | cut -d ' ' -f 1); do
  program=$SRC/fuzz_$name.py
  printf 'from fuzz.one import main\nmain("%s")\n' "$name" >"$program"
  # The installed package has the rules as data. No analysis of imports finds what is imported by
  # name.
  compile_python_fuzzer "$program" --collect-submodules advisor --collect-data advisor \
    --collect-submodules fuzz
done
