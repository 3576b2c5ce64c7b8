// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The tile kernels for AVX2 with FMA. Compiled with those flags: call only where the machine has them.
#if defined(__x86_64__)
#include "limber/scene/tile_raster.h"

namespace limber::scene {
namespace {

#include "limber/scene/tile_raster.inl"

}  // namespace

const TileKernels& avx2_tile_kernels() { return kKernels; }

}  // namespace limber::scene
#endif
