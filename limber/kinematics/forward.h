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

/// Vector-Jacobian product of the two above, exact for any affine joint: from gradients on bone matrices (twelve
/// numbers each) and on joint matrices to gradients on what the frame holds, in one sweep from the leaves to the root.
/// Either input may be empty. Adds to its outputs; the last two may be empty.
template <class T>
void joints_backward(const rig::Rig& rig, const FrameT<T>& frame, std::span<const AffineT<T>> world_from_joint,
                     std::span<const AffineT<T>> grad_posed_from_bind,
                     std::span<const AffineT<T>> grad_world_from_joint, Vec3T<T>& grad_root_translation,
                     std::span<Vec3T<T>> grad_angles, std::span<Vec3T<T>> grad_translations = {},
                     std::span<Vec3T<T>> grad_scales = {});

/// Storage behind a frame that `motion_frame` returns. Reuse it from frame to frame.
template <class T>
struct FrameBufferT {
  std::vector<Vec3T<T>> angles, translations, scales;
};

/// Frame `frame` of a motion, its overrides applied. The result refers to `buffer`.
template <class T>
FrameT<T> motion_frame(const rig::Rig& rig, const Motion& motion, int frame, FrameBufferT<T>& buffer);

/// Bone matrices of every frame of a motion: frames x bones. Computed in double and rounded once, so that long chains
/// do not drift; frames are spread over threads.
std::vector<Affine> bone_matrices(const rig::Rig& rig, const Motion& motion);

/// The same into `result`, frames x bones, without allocating once every thread has been here.
void bone_matrices(const rig::Rig& rig, const Motion& motion, std::span<Affine> result);

/// Joint matrices of every frame of a motion: frames x joints. As `bone_matrices`.
std::vector<Affine> joint_matrices(const rig::Rig& rig, const Motion& motion);

/// Bone matrices of one pose.
std::vector<Affine> bone_matrices(const rig::Rig& rig, const Pose& pose);

/// Joint matrices of one pose.
std::vector<Affine> joint_matrices(const rig::Rig& rig, const Pose& pose);

/// A gradient on a motion's unknowns, laid out as they are.
struct MotionGradient {
  std::vector<Vec3> root_translations;  ///< per frame
  std::vector<Vec3> angles;             ///< frames x joints
};

/// From gradients on every bone matrix (frames x bones) to gradients on the motion; adds to `gradient`, which may be
/// empty and is then sized. In double inside; the same bits for any number of threads.
void motion_backward(const rig::Rig& rig, const Motion& motion, std::span<const Affine> grad_bones,
                     MotionGradient& gradient);

}  // namespace limber::kinematics
