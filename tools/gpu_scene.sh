#!/usr/bin/env bash
# Builds joints and energies, splats, scenes, the lift's fits, distillation and the built-in prior's network alone on a machine with a GPU, proves that they compute there
# what the CPU computes, looks for races and stray accesses, and prints what they take, step by step.
#
# Needs what tools/gpu_build.sh needs, and the parity scenes in carry/parity/splats, where they are to be compared with a public rasterizer.
#   tools/gpu_scene.sh [repetitions]     default: 21. Takes about four minutes with 16 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-gpu

echo "== build"
tools/gpu_build.sh kinematics_cuda_test splat_cuda_test scene_cuda_test lift_cuda_test distill_cuda_test nn_cuda_test prior_cuda_test scene_bench

[ -d carry/parity ] && export LIMBER_PARITY_DIR="$PWD/carry/parity"
status=0
echo "== GPU against CPU"
for program in kinematics_cuda_test splat_cuda_test scene_cuda_test lift_cuda_test distill_cuda_test nn_cuda_test prior_cuda_test; do
  timeout 60 $build/bin/$program --gtest_brief=1 || status=1
done
echo "== races and stray accesses"
if command -v compute-sanitizer >/dev/null; then
  check() {  # tool program filter
    timeout 60 compute-sanitizer --tool $1 --error-exitcode 3 --print-limit 5 $build/bin/$2 --gtest_brief=1 --gtest_filter="$3" | tail -12 ||
      { echo "$1 $2: failed"; status=1; }
  }
  for tool in memcheck racecheck synccheck; do
    check $tool kinematics_cuda_test '*'
    check $tool lift_cuda_test '*ComparesHalved*:*DoesStepsAgain*:*GrowsTheShadows*:*FitsOnSeveral*'
    check $tool distill_cuda_test '*GoesWhere*'
    check $tool lift_cuda_test '*GivesTheLoss*'
    check $tool nn_cuda_test '*'
    check $tool prior_cuda_test '*SeesManyVideos*'
  done
else
  echo "no compute-sanitizer here"
fi
echo "== times ($(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1))"
timeout 90 $build/bin/scene_bench "${1:-21}" || status=1
exit $status
