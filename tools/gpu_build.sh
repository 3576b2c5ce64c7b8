#!/usr/bin/env bash
# Builds targets on a machine with a GPU, with CUDA and LibTorch, into build-gpu, where all tools/gpu_*.sh find them.
# Needs: CMake, a C++20 compiler, nvcc, PyTorch with CUDA (for its LibTorch), Eigen, GoogleTest; the headers of nlohmann-json, fmt,
# CLI11 and spdlog installed or in carry/include.
#   tools/gpu_build.sh target ...
# LIMBER_GPU_ARCH: of the GPU, default 90 (Hopper).
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-gpu
log=$build/build.log
mkdir -p $build

command -v nvcc >/dev/null || export PATH="/usr/local/cuda/bin:$PATH"
arch=${LIMBER_GPU_ARCH:-90}
export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-${arch:0:-1}.${arch: -1}}
torch=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
SECONDS=0
cmake -S . -B $build "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$torch" -DCMAKE_CUDA_ARCHITECTURES="$arch" \
  -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared -DLIMBER_TORCH=ON -DLIMBER_CUDA=ON -DLIMBER_CLI=ON -DLIMBER_TESTS=ON -DLIMBER_PYTHON=OFF \
  -DLIMBER_STUDIO=OFF -DLIMBER_WERROR=OFF -DLIMBER_HEADERS_DIR="$PWD/carry/include" >$log 2>&1 || { tail -40 $log; exit 1; }
cmake --build $build -j "$(nproc)" --target "$@" >>$log 2>&1 || { grep -E -A 12 "error|Error" $log | head -80; exit 1; }
echo "built $* in $SECONDS s"
