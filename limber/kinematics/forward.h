// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"

namespace limber::kinematics {

/// One frame of a Motion or a Pose, seen as T. Spans are not owned.
template <class T>
struct FrameT {
  Vec3T<T> root_translation;
  std::span<const Vec3T<T>> angles;        ///< per joint
  std::span<const Vec3T<T>> translations;  ///< per joint; empty: the rest translations
  std::span<const Vec3T<T>> scales;        ///< per joint; empty: the rest scales
};

/// world_from_joint of every joint. Instantiated for float and double.
template <class T>
void joints_forward(const rig::Rig& rig, const FrameT<T>& frame, std::span<AffineT<T>> world_from_joint);

/// posed_from_bind of every bone: world_from_joint * joint_from_bind.
template <class T>
void bones_forward(const rig::Rig& rig, std::span<const AffineT<T>> world_from_joint,
                   std::span<AffineT<T>> posed_from_bind);

/// Vector-Jacobian product of the two above: from gradients on bone matrices (twelve numbers each) and on joint
/// matrices (may be empty) to gradients on root translation and angles. Adds to its outputs.
template <class T>
void joints_backward(const rig::Rig& rig, const FrameT<T>& frame, std::span<const AffineT<T>> world_from_joint,
                     std::span<const AffineT<T>> grad_posed_from_bind,
                     std::span<const AffineT<T>> grad_world_from_joint, Vec3T<T>& grad_root_translation,
                     std::span<Vec3T<T>> grad_angles);

/// Bone matrices of every frame of a motion: frames x bones.
std::vector<Affine> bone_matrices(const rig::Rig& rig, const Motion& motion);

/// Joint matrices of every frame of a motion: frames x joints.
std::vector<Affine> joint_matrices(const rig::Rig& rig, const Motion& motion);

}  // namespace limber::kinematics
