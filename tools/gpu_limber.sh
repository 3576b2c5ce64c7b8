#!/usr/bin/env bash
# Builds the limber program on a machine with a GPU and runs it there: to train a model, or to measure what takes hours
# without one. Needs what tools/gpu_build.sh needs.
#   tools/gpu_limber.sh train prior -o out/part_prior --seconds 480 --pool 100000 --characters carry/characters.bin
#   tools/gpu_limber.sh prove            the same motion with --device cpu and with --device cuda, sampled, lifted and distilled; fails
#                                        where the GPU did not draw, or 95 % of the joints' angles are not within 2 degrees
#   tools/gpu_limber.sh bench animate --groups methods,ablations --device cuda --outcomes out/outcomes.jsonl
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-gpu

tools/gpu_build.sh limber_program limber_torch_program
[ "${1:-}" = prove ] || exec $build/bin/limber "$@"

out=$build/prove
mkdir -p $out
$build/bin/limber zoo --plan quadruped --seed 3 -o $out/body.glb
for device in cpu cuda; do
  SECONDS=0
  $build/bin/limber animate $out/body.glb --prompt "a dog trots" --candidates 1 --iterations 10 --ground none --seed 1 --fresh --no-preview \
    --device $device -o $out/$device.bvh
  echo "$device: $SECONDS s, drawn on $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["drawn_on"])' $out/$device.report.json)"
done
grep -q '"drawn_on": "cuda"' $out/cuda.report.json || { echo "the GPU did not draw"; exit 1; }
tools/motion_distance.py $out/cpu.bvh $out/cuda.bvh --most 2
