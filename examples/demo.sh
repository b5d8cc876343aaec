#!/bin/sh
# What `make demo` shows: a committed configuration under a profile, a fragment, a Markdown report,
# and the running kernel's own configuration where it can be read.
set -eu
cd "$(dirname "$0")/.."
bin=${BIN:-.venv/bin}/kernel-advisor
out=demo
mkdir -p "$out"
config=examples/x86_64-6.12.config.xz

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

say kernel-advisor audit "$config" --profile desktop-latency
"$bin" audit "$config" --profile desktop-latency --fail-on never --write markdown="$out/report.md"

say kernel-advisor fragment "$config" --profile desktop-latency -o "$out/desktop.config"
"$bin" fragment "$config" --profile desktop-latency -o "$out/desktop.config"
grep -v '^$' "$out/desktop.config" | head -n 24

worse=examples/x86_64-6.12-bad-ideas.config.xz
say kernel-advisor diff "$config" "$worse" --profile power-saving
"$bin" diff "$config" "$worse" --profile power-saving --fail-on never --write markdown="$out/diff.md"

say kernel-advisor explain fastboot
"$bin" explain fastboot

running=
for file in /proc/config.gz "/boot/config-$(uname -r)"; do
  if [ -r "$file" ]; then running=$file; break; fi
done
if [ -n "$running" ]; then
  say kernel-advisor audit "$running" --profile server-throughput --cmdline @/proc/cmdline --this-machine
  "$bin" audit "$running" --profile server-throughput --cmdline @/proc/cmdline --this-machine \
    --fail-on never
else
  printf '\nThe running kernel shows its configuration neither in /proc/config.gz nor in /boot.\n'
fi

printf '\nWritten to %s: report.md and diff.md (for a pull request), desktop.config (for merge_config.sh)\n' "$out"
