// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/observe_cuda.h"

/// Builds without CUDA, in which no scene draws there.
namespace limber::lift {

struct CudaObserver::State {};

CudaObserver::CudaObserver(scene::CudaScene&, const ObservedCloud&, const PoseModel&, std::span<const scene::Camera>) {}
CudaObserver::~CudaObserver() = default;
void CudaObserver::add_pose(const PoseModel&) {}
std::vector<DenseSymmetric> CudaObserver::information(double) { return {}; }

}  // namespace limber::lift
