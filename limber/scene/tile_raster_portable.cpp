// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/tile_raster.h"

namespace limber::scene {
namespace {

#include "limber/scene/tile_raster.inl"

}  // namespace

const TileKernels& portable_tile_kernels() { return kKernels; }

}  // namespace limber::scene
