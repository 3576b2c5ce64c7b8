#!/usr/bin/env bash
# Runs one libFuzzer target for some seconds on its seeds. Usage: tools/fuzz.sh build-asan/bin/gltf_fuzz 60
# New inputs stay in the build folder; a crash is left as crash-* there, and fails. With 0 seconds it looks at what was kept, once.
# Or all of them, for hours, counted: tools/fuzz.sh --all --hours 8 --keep (see --all --help).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --all ]; then
  shift
  exec python3 tools/fuzz_all.py "$@"
fi
target=$1 seconds=${2:-60}
name=$(basename "$target" _fuzz)
work=$(dirname "$target")/../fuzz/$name
corpora=()
if [ "$seconds" = 0 ]; then
  [ -e "$target" ] || exit 77  # not built
  limit=(-runs=0)
else
  mkdir -p "$work"
  corpora+=("$work")
  limit=(-max_total_time="$seconds")
fi
kept=tests/fuzz/kept/$name.tar.xz
if [ -e "$kept" ]; then
  # The archive in the build folder is as old as what was unpacked.
  if ! cmp -s "$kept" "$work.kept/archive"; then
    rm -rf "$work.kept"
    mkdir -p "$work.kept/inputs"
    python3 -m tarfile -e "$kept" "$work.kept/inputs"
    cp "$kept" "$work.kept/archive"
  fi
  corpora+=("$work.kept/inputs")
fi
[ -d "tests/fuzz/seeds/$name" ] && corpora+=("tests/fuzz/seeds/$name")
mkdir -p "$work"
"$target" "${limit[@]}" -rss_limit_mb=4096 -timeout=20 -print_final_stats=0 -verbosity=0 \
  -artifact_prefix="$work/crash-" "${corpora[@]}"
echo "fuzzed $name for $seconds s: no crash"
