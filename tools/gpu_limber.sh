#!/usr/bin/env bash
# Builds limber, or limber-lab for `train` and `bench`, on a machine with a GPU and runs it there: to train a model, or to measure
# what takes hours without one. Needs what tools/gpu_build.sh needs.
#   tools/gpu_limber.sh train prior -o out/sketch_prior --seconds 480 --pool 100000 --characters carry/characters.bin
#   tools/gpu_limber.sh prove            the same motion with --device cpu and with --device cuda, sampled, lifted and distilled; fails
#                                        where the GPU did not draw, or 95 % of the joints' angles are not within 2 degrees
#   tools/gpu_limber.sh timeline         a draft and a standard animation with --device cuda, twice each: seconds of every stage and the share
#                                        of them in which the GPU ran kernels, as rows of the table in docs/scene.md, and of sampling, lift,
#                                        distillation and assessment together; each once without measuring, for the seconds from start to file
#   tools/gpu_limber.sh bench animate --groups methods,ablations --device cuda --outcomes out/outcomes.jsonl
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-gpu

case "${1:-}" in
  prove | timeline) tools/gpu_build.sh limber_program ;;  # the built-in prior needs no LibTorch
  train | bench)
    tools/gpu_build.sh lab
    exec $build/bin/limber-lab "$@"
    ;;
  *)
    tools/gpu_build.sh limber_program limber_torch_program
    exec $build/bin/limber "$@"
    ;;
esac

out=$build/prove
mkdir -p $out
$build/bin/limber zoo --plan quadruped --seed 3 -o $out/body.glb

if [ "$1" = timeline ]; then
  for quality in draft standard; do
    animate=($build/bin/limber animate $out/body.glb --prompt "a dog trots" --quality $quality --seed 1 --fresh --no-preview --device cuda)
    for run in 1 2; do "${animate[@]}" -o $out/$quality.glb --timeline $out/$quality-$run.json >/dev/null; done
    begin=$(date +%s.%N)
    "${animate[@]}" -o $out/$quality-again.glb >/dev/null
    echo "$quality: $(python3 -c 'import sys; print(f"{float(sys.argv[2]) - float(sys.argv[1]):.2f}")' $begin $(date +%s.%N)) s from start to file, drawn on" \
      "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["drawn_on"])' $out/$quality.report.json)," \
      "$(cmp -s $out/$quality.glb $out/$quality-again.glb && echo 'the same bytes' || echo 'OTHER BYTES')"
    for run in 1 2; do tools/timeline_table.py $out/$quality-$run.json --title "$quality, run $run"; done
  done
  exit
fi
for device in cpu cuda; do
  SECONDS=0
  $build/bin/limber animate $out/body.glb --prompt "a dog trots" --candidates 1 --iterations 10 --ground none --seed 1 --fresh --no-preview \
    --device $device -o $out/$device.bvh
  echo "$device: $SECONDS s, drawn on $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["drawn_on"])' $out/$device.report.json)"
done
grep -q '"drawn_on": "cuda"' $out/cuda.report.json || { echo "the GPU did not draw"; exit 1; }
tools/motion_distance.py $out/cpu.bvh $out/cuda.bvh --most 2
