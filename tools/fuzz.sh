#!/usr/bin/env bash
# Runs one libFuzzer target for some seconds on its seeds. Usage: tools/fuzz.sh build-asan/bin/gltf_fuzz 60
# New inputs stay in the build folder; a crash is left as crash-* there, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1 seconds=${2:-60}
name=$(basename "$target" _fuzz)
work=$(dirname "$target")/../fuzz/$name
mkdir -p "$work"
corpora=("$work")
[ -d "tests/fuzz/seeds/$name" ] && corpora+=("tests/fuzz/seeds/$name")
"$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -print_final_stats=0 -verbosity=0 \
  -artifact_prefix="$work/crash-" "${corpora[@]}"
echo "fuzzed $name for $seconds s: no crash"
