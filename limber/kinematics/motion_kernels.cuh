// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/kinematics/prepared_joint.h"

// Joints and bones: a block per frame, joints of one depth of the tree together. Sums have an owner that adds in the
// CPU's order: a joint its bones, then its children from the last to the first.
namespace limber::kinematics {

/// A rig as kernels see it.
struct RigTables {
  std::uint32_t joints = 0, bones = 0, depths = 0;
  const PreparedJoint<double>* prepared = nullptr;
  const std::int32_t* parents = nullptr;
  const std::uint32_t *depth_begins = nullptr, *by_depth = nullptr;    ///< joints of each depth
  const std::uint32_t *child_begins = nullptr, *children = nullptr;    ///< of each joint, from the last
  const std::uint32_t *bone_begins = nullptr, *joint_bones = nullptr;  ///< of each joint
  const std::uint32_t* bone_joints = nullptr;
  const Affined* joint_from_bind = nullptr;
};

/// Points that must stay above the ground, by joint.
struct GroundPoints {
  const std::uint32_t* begins = nullptr;  ///< null: none
  const Vec3d* points = nullptr;
  double slope = 0;  ///< weight over the number of points and frames
};

/// A motion's unknowns: root translations of all frames, then angles, frames x joints; three numbers each.
struct Unknowns {
  std::uint32_t frames = 0, joints = 0;
  LIMBER_HOST_DEVICE std::uint32_t numbers() const { return 3 * frames * (joints + 1); }
  LIMBER_HOST_DEVICE std::size_t root(std::uint32_t frame) const { return std::size_t{3} * frame; }
  LIMBER_HOST_DEVICE std::size_t angles(std::uint32_t frame, std::uint32_t joint) const {
    return std::size_t{3} * (frames + std::size_t{frame} * joints + joint);
  }
};

/// What `pose_kernel` leaves, frames x joints, and bones x joints.
struct PosedJoints {
  Mat3d* rotations;
  Affined *locals, *worlds;
  Affine* bones;
};

__device__ inline Vec3d load_vector(const float* from) { return {double(from[0]), double(from[1]), double(from[2])}; }

/// As `euler_matrix`.
__device__ inline Mat3d turn_matrix(Vec3d angles) {
  const double ca = std::cos(angles.x), sa = std::sin(angles.x);
  const double cb = std::cos(angles.y), sb = std::sin(angles.y);
  const double cc = std::cos(angles.z), sc = std::sin(angles.z);
  return Mat3d::from_columns({cb * cc, ca * sc + sa * sb * cc, sa * sc - ca * sb * cc},
                             {-cb * sc, ca * cc - sa * sb * sc, sa * cc + ca * sb * sc}, {sb, -sa * cb, ca * cb});
}

inline constexpr unsigned kPoseThreads = 128;

/// One block per frame.
static __global__ void __launch_bounds__(kPoseThreads)
    pose_kernel(RigTables rig, Unknowns shape, const float* unknowns, PosedJoints to) {
  const std::uint32_t frame = blockIdx.x;
  const std::size_t first = std::size_t{frame} * rig.joints;
  for (std::uint32_t j = threadIdx.x; j < rig.joints; j += kPoseThreads) {
    const Mat3d rotation = turn_matrix(load_vector(unknowns + shape.angles(frame, j)));
    const PreparedJoint<double>& joint = rig.prepared[j];
    Affined local{joint.before * rotation * joint.after, joint.offset};
    if (rig.parents[j] < 0) local.translation += load_vector(unknowns + shape.root(frame));
    to.rotations[first + j] = rotation;
    to.locals[first + j] = local;
  }
  __syncthreads();
  for (std::uint32_t depth = 0; depth < rig.depths; ++depth) {
    for (std::uint32_t k = rig.depth_begins[depth] + threadIdx.x; k < rig.depth_begins[depth + 1]; k += kPoseThreads) {
      const std::uint32_t j = rig.by_depth[k];
      const std::int32_t parent = rig.parents[j];
      const Affined local = to.locals[first + j];
      to.worlds[first + j] = parent < 0 ? local : to.worlds[first + static_cast<std::uint32_t>(parent)] * local;
    }
    __syncthreads();
  }
  for (std::uint32_t b = threadIdx.x; b < rig.bones; b += kPoseThreads) {
    to.bones[std::size_t{frame} * rig.bones + b] =
        (to.worlds[first + rig.bone_joints[b]] * rig.joint_from_bind[b]).cast<float>();
  }
}

/// Adds the gradient of world = a * b, with respect to a.
__device__ inline void add_left_gradient(const Affined& grad_product, const Affined& b, Affined& grad_a) {
  grad_a.linear += grad_product.linear * transposed(b.linear) + outer(grad_product.translation, b.translation);
  grad_a.translation += grad_product.translation;
}

/// What is said about a joint's matrix by its bones; returns how deep its points are in the ground, if they are asked.
__device__ inline double own_gradient(const RigTables& rig, const GroundPoints& ground, const Affine* grad_bones,
                                      std::uint32_t joint, const Affined& world, Affined& grad) {
  double depth = 0;
  if (grad_bones != nullptr) {
    for (std::uint32_t k = rig.bone_begins[joint]; k < rig.bone_begins[joint + 1]; ++k) {
      const std::uint32_t bone = rig.joint_bones[k];
      add_left_gradient(grad_bones[bone].cast<double>(), rig.joint_from_bind[bone], grad);
    }
    return depth;
  }
  for (std::uint32_t k = ground.begins[joint]; k < ground.begins[joint + 1]; ++k) {
    const Vec3d point = ground.points[k];
    const double y = (world * point).y;
    if (!(y < 0)) continue;
    depth -= y;
    const Vec3d slope{0, -ground.slope, 0};
    grad.linear += outer(slope, point);
    grad.translation += slope;
  }
  return depth;
}

/// Gradients of `pose_kernel`'s bones, and of the ground: numbers as in the unknowns.
struct PoseGradients {
  Affined* worlds;  ///< scratch: two sets of frames x joints
  double* depths;   ///< frames x joints: how deep their points are
  float *pictures, *ground;
};

/// From the gradient on a joint's matrix to that on its angles.
__device__ inline Vec3d angle_gradient(const RigTables& rig, const PosedJoints& posed, std::size_t first,
                                       std::uint32_t joint, double angle_x, Affined grad, Vec3d& grad_origin) {
  if (rig.parents[joint] >= 0) {
    const Mat3d to_parent = transposed(posed.worlds[first + static_cast<std::uint32_t>(rig.parents[joint])].linear);
    grad = {to_parent * grad.linear, to_parent * grad.translation};
  }
  grad_origin = grad.translation;
  const PreparedJoint<double>& fixed = rig.prepared[joint];
  const Mat3d turned = transposed(fixed.before) * grad.linear * transposed(fixed.after);
  const Mat3d rotation = posed.rotations[first + joint];
  // A turn about the axis u changes each column by u x column, so one torque serves all three axes.
  Vec3d torque;
  for (int k = 0; k < 3; ++k) torque += cross(rotation.column(k), turned.column(k));
  return {torque.x, std::cos(angle_x) * torque.y + std::sin(angle_x) * torque.z, dot(torque, rotation.column(2))};
}

/// One block per frame (x): y = 0 for what the bones say, y = 1 for the ground.
static __global__ void __launch_bounds__(kPoseThreads)
    pose_backward_kernel(RigTables rig, Unknowns shape, const float* unknowns, PosedJoints posed, GroundPoints ground,
                         const Affine* grad_bones, PoseGradients to) {
  const std::uint32_t frame = blockIdx.x;
  const std::size_t first = std::size_t{frame} * rig.joints;
  Affined* grads = to.worlds + (std::size_t{blockIdx.y} * shape.frames + frame) * rig.joints;
  const Affine* own = blockIdx.y == 0 ? grad_bones + std::size_t{frame} * rig.bones : nullptr;
  for (std::uint32_t depth = rig.depths; depth-- > 0;) {
    for (std::uint32_t k = rig.depth_begins[depth] + threadIdx.x; k < rig.depth_begins[depth + 1]; k += kPoseThreads) {
      const std::uint32_t j = rig.by_depth[k];
      Affined grad{Mat3d{}, {}};
      const double deep = own_gradient(rig, ground, own, j, posed.worlds[first + j], grad);
      if (blockIdx.y == 1) to.depths[first + j] = deep;
      for (std::uint32_t c = rig.child_begins[j]; c < rig.child_begins[j + 1]; ++c) {
        add_left_gradient(grads[rig.children[c]], posed.locals[first + rig.children[c]], grad);
      }
      grads[j] = grad;
    }
    __syncthreads();
  }
  float* numbers = blockIdx.y == 0 ? to.pictures : to.ground;
  for (std::uint32_t j = threadIdx.x; j < rig.joints; j += kPoseThreads) {
    Vec3d origin;
    const std::size_t at = shape.angles(frame, j);
    const Vec3d angles = angle_gradient(rig, posed, first, j, double(unknowns[at]), grads[j], origin);
    for (int k = 0; k < 3; ++k) {
      numbers[at + k] = static_cast<float>(angles[k]);
      if (rig.parents[j] < 0) numbers[shape.root(frame) + k] = static_cast<float>(origin[k]);
    }
  }
}

}  // namespace limber::kinematics
