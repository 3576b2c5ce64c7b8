#!/usr/bin/env bash
# Builds limber/prior alone on a machine with a GPU, proves that it computes what the CPU and the reference compute, and
# measures one score-distillation step of the published models with random weights.
#
# Needs: CMake, a C++20 compiler, nvcc, PyTorch with CUDA (for its LibTorch), Eigen, GoogleTest; the headers of
# nlohmann-json, fmt, CLI11 and spdlog installed or in carry/include; the parity checkpoints in carry/parity/video_models.
#   tools/gpu_prior.sh [model ...]     default: cogvideox-5b cogvideox-2b wan-1.3b
set -euo pipefail
cd "$(dirname "$0")/.."
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(cogvideox-5b cogvideox-2b wan-1.3b)
build=build-gpu

command -v nvcc >/dev/null || export PATH="/usr/local/cuda/bin:$PATH"
torch=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-9.0}
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)

echo "== configure and build"
cmake -S . -B $build "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$torch" -DCMAKE_CUDA_ARCHITECTURES=90 \
  -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared -DLIMBER_TORCH=ON -DLIMBER_CUDA=ON -DLIMBER_CLI=OFF -DLIMBER_WERROR=OFF \
  -DLIMBER_HEADERS_DIR="$PWD/carry/include" >$build.log 2>&1 || { tail -40 $build.log; exit 1; }
cmake --build $build -j "$(nproc)" --target prior_bench prior_torch_cuda_test prior_test prior_torch_test >>$build.log 2>&1 ||
  { grep -E -A 12 "error|Error" $build.log | head -80; exit 1; }

[ -d carry/parity ] && export LIMBER_PARITY_DIR="$PWD/carry/parity"
status=0
echo "== CPU against the reference, with this LibTorch"
for program in prior_test prior_torch_test; do
  $build/bin/$program --gtest_brief=1 || status=1
done
echo "== GPU against the reference"
$build/bin/prior_torch_cuda_test --gtest_brief=1 || status=1
echo "== convolutions"
$build/bin/prior_bench --convolutions || status=1
echo "== steps ($(nvidia-smi --query-gpu=name --format=csv,noheader | head -1))"
$build/bin/prior_bench "${models[@]}" || status=1
exit $status
