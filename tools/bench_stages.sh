#!/usr/bin/env bash
# Runs the table of stages in shares of its rigs side by side, for a machine with many cores: each run is too short to use them all.
# What was measured is kept as it comes, and a second call goes on where the first one was stopped; `limber-lab bench animate --groups
# stages --outcomes FILE` makes the table of it anywhere.
#   tools/bench_stages.sh PROGRAM SPLIT FILE SHARES [option of bench animate ...]
set -euo pipefail
program=$1 split=$2 file=$3 shares=$4
cores=$(nproc)
threads=$(((cores + shares - 1) / shares))
for ((k = 0; k < shares; ++k)); do
  python3 - "$split" $k "$shares" "$split.$k.json" <<'P'
import json, sys
split, k, shares = json.load(open(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
for name in ("test", "test_more"):
    split[name] = split[name][k::shares]
split["train"] = []
json.dump(split, open(sys.argv[4], "w"))
P
  "$program" bench animate --threads $threads --groups stages --split "$split.$k.json" --outcomes "$file.$k" "${@:5}" >"$file.$k.log" 2>&1 &
done
wait || true
cat "$file".[0-9] "$file".[0-9][0-9] >"$file" 2>/dev/null || true
rm -f "$split".[0-9]*.json
wc -l "$file"
