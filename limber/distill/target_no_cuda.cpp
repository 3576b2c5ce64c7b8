// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/target_cuda.h"

/// Builds without CUDA, in which no scene draws there.
namespace limber::distill {

struct CudaTarget::State {};

CudaTarget::CudaTarget(scene::CudaScene&) {}
CudaTarget::~CudaTarget() = default;
void CudaTarget::set(const Frames&) {}
float* CudaTarget::room(std::size_t) { return nullptr; }
void CudaTarget::set_stiffness(std::span<const double>) {}
void CudaTarget::get(Frames&) {}
const float* CudaTarget::data() const { return nullptr; }
const float* CudaTarget::compare(scene::CudaScene&) { return nullptr; }
double CudaTarget::loss() { return 0; }

}  // namespace limber::distill
