#!/usr/bin/env bash
# Builds limber/prior and what it needs of limber/nn on a machine with a GPU, proves that they compute what the CPU and the reference compute, and
# measures one score-distillation step of the published models with random weights.
#
# Needs what tools/gpu_build.sh needs, and the parity checkpoints in carry/parity/video_models.
#   tools/gpu_prior.sh [model ...]     default: cogvideox-5b cogvideox-2b wan-1.3b
set -euo pipefail
cd "$(dirname "$0")/.."
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(cogvideox-5b cogvideox-2b wan-1.3b)
build=build-gpu

echo "== build"
tools/gpu_build.sh prior_bench nn_torch_cuda_test prior_torch_cuda_test prior_test prior_torch_test

[ -d carry/parity ] && export LIMBER_PARITY_DIR="$PWD/carry/parity"
status=0
echo "== CPU against the reference, with this LibTorch"
for program in prior_test prior_torch_test; do
  $build/bin/$program --gtest_brief=1 || status=1
done
echo "== fused kernels against plain operators"
$build/bin/nn_torch_cuda_test --gtest_brief=1 || status=1
echo "== GPU against the reference"
$build/bin/prior_torch_cuda_test --gtest_brief=1 || status=1
echo "== convolutions"
$build/bin/prior_bench --convolutions || status=1
echo "== steps ($(nvidia-smi --query-gpu=name --format=csv,noheader | head -1))"
$build/bin/prior_bench "${models[@]}" || status=1
exit $status
