// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/ground_search.h"

/// Builds without CUDA, in which no scene draws there.
namespace limber::lift {

struct CudaGroundSearch::State {};

CudaGroundSearch::CudaGroundSearch(scene::CudaScene&, const scene::GroundSettings&, const GroundPixels&, int, int) {}
CudaGroundSearch::~CudaGroundSearch() = default;
std::vector<GroundMatch> CudaGroundSearch::compare(std::span<const scene::Camera>) { return {}; }

}  // namespace limber::lift
