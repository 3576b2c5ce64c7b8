// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/motion_cuda.h"

/// Builds without CUDA.
namespace limber::kinematics {

struct CudaMotion::State {};

bool CudaMotion::can(const Motion&, const MotionCosts&) { return false; }
CudaMotion::CudaMotion(std::shared_ptr<CudaQueue>, const rig::Rig&, MotionCosts) {}
CudaMotion::~CudaMotion() = default;
void CudaMotion::put(const Motion&, const MotionAdam::State&) {}
CudaMotion::Found CudaMotion::get(Motion&) { return {}; }
MotionNotes CudaMotion::notes() { return {}; }
const Affine* CudaMotion::pose() { return nullptr; }
void CudaMotion::step(const Affine*, const MotionStep&) {}
std::vector<float> CudaMotion::gradient() { return {}; }
void CudaMotion::keep(int) {}
void CudaMotion::go_back(int) {}

}  // namespace limber::kinematics
