// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/view_loss_cuda.h"

/// Builds without CUDA, in which no scene draws there.
namespace limber::lift {

struct CudaViewLoss::State {};

CudaViewLoss::CudaViewLoss(scene::CudaScene&, const Frames&, float, double) {}
CudaViewLoss::~CudaViewLoss() = default;
bool CudaViewLoss::is_of(scene::CudaScene&) const { return false; }
const float* CudaViewLoss::compare(scene::CudaScene&, float) { return nullptr; }
PixelLoss CudaViewLoss::loss() { return {}; }

}  // namespace limber::lift
