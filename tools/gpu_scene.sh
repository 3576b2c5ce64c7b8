#!/usr/bin/env bash
# Builds splats, scenes, the lift's comparison, distillation and the built-in prior's network alone on a machine with a GPU, proves that they compute there what the CPU
# computes, looks for races and stray accesses, and prints what they take, step by step.
#
# Needs what tools/gpu_build.sh needs, and the parity scenes in carry/parity/splats, where they are to be compared with a public rasterizer.
#   tools/gpu_scene.sh [repetitions]     default: 21. Takes about three minutes with 16 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-gpu

echo "== build"
tools/gpu_build.sh splat_cuda_test scene_cuda_test lift_cuda_test distill_cuda_test nn_cuda_test prior_cuda_test scene_bench

[ -d carry/parity ] && export LIMBER_PARITY_DIR="$PWD/carry/parity"
status=0
echo "== GPU against CPU"
for program in splat_cuda_test scene_cuda_test lift_cuda_test distill_cuda_test nn_cuda_test prior_cuda_test; do
  timeout 60 $build/bin/$program --gtest_brief=1 || status=1
done
echo "== races and stray accesses"
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck; do
    timeout 45 compute-sanitizer --tool $tool --error-exitcode 3 --print-limit 5 \
      $build/bin/lift_cuda_test --gtest_brief=1 --gtest_filter='*GivesTheLoss*' | tail -12 || { echo "$tool: failed"; status=1; }
    timeout 45 compute-sanitizer --tool $tool --error-exitcode 3 --print-limit 5 \
      $build/bin/nn_cuda_test --gtest_brief=1 | tail -12 || { echo "$tool: failed"; status=1; }
    timeout 45 compute-sanitizer --tool $tool --error-exitcode 3 --print-limit 5 \
      $build/bin/prior_cuda_test --gtest_brief=1 --gtest_filter='*SeesManyVideos*' | tail -12 || { echo "$tool: failed"; status=1; }
  done
else
  echo "no compute-sanitizer here"
fi
echo "== times ($(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1))"
timeout 90 $build/bin/scene_bench "${1:-21}" || status=1
exit $status
