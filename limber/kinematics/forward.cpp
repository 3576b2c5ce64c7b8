// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/forward.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/prepared_joint.h"

namespace limber::kinematics {
namespace {

/// All joints of a frame. Without overrides they do not depend on it.
template <class T>
void prepare_all(const rig::Rig& rig, const FrameT<T>& frame, std::vector<PreparedJoint<T>>& prepared) {
  const std::span<const rig::Joint> joints = rig.joints();
  prepared.resize(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    prepared[j] =
        prepare(joints[j], frame.translations.empty() ? joints[j].rest.translation.cast<T>() : frame.translations[j],
                frame.scales.empty() ? joints[j].rest.scale.cast<T>() : frame.scales[j]);
  }
}

template <class T>
AffineT<T> parent_from_joint(const PreparedJoint<T>& joint, const Mat3T<T>& rotation) {
  return {joint.before * rotation * joint.after, joint.offset};
}

template <class T>
void check_frame(const rig::Rig& rig, const FrameT<T>& frame) {
  const auto count = static_cast<std::size_t>(rig.joint_count());
  LIMBER_EXPECT(frame.angles.size() == count && (frame.translations.empty() || frame.translations.size() == count) &&
                    (frame.scales.empty() || frame.scales.size() == count),
                std::to_string(frame.angles.size()) + " angles, " + std::to_string(frame.translations.size()) +
                    " translations, " + std::to_string(frame.scales.size()) + " scales, " + std::to_string(count) +
                    " joints");
}

template <class T>
void sweep_forward(const rig::Rig& rig, const FrameT<T>& frame, std::span<const PreparedJoint<T>> prepared,
                   std::span<AffineT<T>> world_from_joint) {
  const std::span<const rig::Joint> joints = rig.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    AffineT<T> local = parent_from_joint(prepared[j], euler_matrix(frame.angles[j]));
    if (joints[j].parent < 0) {
      local.translation += frame.root_translation;
      world_from_joint[j] = local;
    } else {
      world_from_joint[j] = world_from_joint[static_cast<std::size_t>(joints[j].parent)] * local;
    }
  }
}

/// Adds the gradient of world = a * b, with respect to a, to `grad_a`.
template <class T>
void add_left_gradient(const AffineT<T>& grad_product, const AffineT<T>& b, AffineT<T>& grad_a) {
  grad_a.linear += grad_product.linear * transposed(b.linear) + outer(grad_product.translation, b.translation);
  grad_a.translation += grad_product.translation;
}

/// From the gradient on Rx(a) Ry(b) Rz(c) to the gradient on (a, b, c).
template <class T>
Vec3T<T> euler_backward(Vec3T<T> angles, const Mat3T<T>& rotation, const Mat3T<T>& grad) {
  // A turn about the axis u changes each column by u x column, so one torque serves all three axes: x, Rx y, Rx Ry z.
  Vec3T<T> torque;
  for (int k = 0; k < 3; ++k) torque += cross(rotation.column(k), grad.column(k));
  return {torque.x, std::cos(angles.x) * torque.y + std::sin(angles.x) * torque.z, dot(torque, rotation.column(2))};
}

/// Where one frame's gradients go; the last two may be empty.
template <class T>
struct FrameGradient {
  Vec3T<T>& root_translation;
  std::span<Vec3T<T>> angles, translations, scales;
};

/// `grad_world` holds the gradients on joint matrices and is used up.
template <class T>
void sweep_backward(const rig::Rig& rig, const FrameT<T>& frame, std::span<const PreparedJoint<T>> prepared,
                    std::span<const AffineT<T>> world_from_joint, std::span<AffineT<T>> grad_world,
                    const FrameGradient<T>& result) {
  const std::span<const rig::Joint> joints = rig.joints();
  for (std::size_t j = joints.size(); j-- > 0;) {
    const PreparedJoint<T>& joint = prepared[j];
    const Mat3T<T> rotation = euler_matrix(frame.angles[j]);
    AffineT<T> grad_local = grad_world[j];
    if (joints[j].parent < 0) {
      result.root_translation += grad_local.translation;
    } else {
      const auto parent = static_cast<std::size_t>(joints[j].parent);
      add_left_gradient(grad_world[j], parent_from_joint(joint, rotation), grad_world[parent]);
      const Mat3T<T> to_parent = transposed(world_from_joint[parent].linear);
      grad_local = {to_parent * grad_world[j].linear, to_parent * grad_world[j].translation};
    }
    const Mat3T<T> grad_rotation = transposed(joint.before) * grad_local.linear * transposed(joint.after);
    result.angles[j] += euler_backward(frame.angles[j], rotation, grad_rotation);
    if (!result.translations.empty()) {
      result.translations[j] += transposed(joint.from_frame) * grad_local.translation;
    }
    if (!result.scales.empty()) {
      const Mat3T<T> unscaled = joint.before * rotation * transposed(joint.axes);
      for (int k = 0; k < 3; ++k) result.scales[j][k] += dot(unscaled.column(k), grad_local.linear.column(k));
    }
  }
}

template <class T>
void add_bone_gradients(const rig::Rig& rig, std::span<const AffineT<T>> grad_bones, std::span<AffineT<T>> grad_world) {
  const std::span<const rig::Bone> bones = rig.bones();
  for (std::size_t b = 0; b < grad_bones.size(); ++b) {
    add_left_gradient(grad_bones[b], bones[b].joint_from_bind.cast<T>(),
                      grad_world[static_cast<std::size_t>(bones[b].joint)]);
  }
}

template <class T>
constexpr AffineT<T> zero_affine() {
  return {Mat3T<T>{}, {}};
}

}  // namespace

template <class T>
void joints_forward(const rig::Rig& rig, const FrameT<T>& frame, std::span<AffineT<T>> world_from_joint) {
  check_frame(rig, frame);
  LIMBER_EXPECT(world_from_joint.size() == rig.joints().size(),
                std::to_string(world_from_joint.size()) + " outputs, " + std::to_string(rig.joint_count()) + " joints");
  std::vector<PreparedJoint<T>> prepared;
  prepare_all(rig, frame, prepared);
  sweep_forward<T>(rig, frame, prepared, world_from_joint);
}
template void joints_forward(const rig::Rig&, const FrameT<float>&, std::span<Affine>);
template void joints_forward(const rig::Rig&, const FrameT<double>&, std::span<Affined>);

template <class T>
void bones_forward(const rig::Rig& rig, std::span<const AffineT<T>> world_from_joint,
                   std::span<AffineT<T>> posed_from_bind) {
  const std::span<const rig::Bone> bones = rig.bones();
  LIMBER_EXPECT(world_from_joint.size() == rig.joints().size() && posed_from_bind.size() == bones.size(),
                std::to_string(world_from_joint.size()) + " of " + std::to_string(rig.joint_count()) + " joints, " +
                    std::to_string(posed_from_bind.size()) + " of " + std::to_string(bones.size()) + " bones");
  for (std::size_t b = 0; b < bones.size(); ++b) {
    posed_from_bind[b] =
        world_from_joint[static_cast<std::size_t>(bones[b].joint)] * bones[b].joint_from_bind.cast<T>();
  }
}
template void bones_forward(const rig::Rig&, std::span<const Affine>, std::span<Affine>);
template void bones_forward(const rig::Rig&, std::span<const Affined>, std::span<Affined>);

template <class T>
void joints_backward(const rig::Rig& rig, const FrameT<T>& frame, std::span<const AffineT<T>> world_from_joint,
                     std::span<const AffineT<T>> grad_posed_from_bind,
                     std::span<const AffineT<T>> grad_world_from_joint, Vec3T<T>& grad_root_translation,
                     std::span<Vec3T<T>> grad_angles, std::span<Vec3T<T>> grad_translations,
                     std::span<Vec3T<T>> grad_scales) {
  check_frame(rig, frame);
  const auto joints = static_cast<std::size_t>(rig.joint_count()), bones = static_cast<std::size_t>(rig.bone_count());
  const auto none_or = [](std::size_t size, std::size_t expected) { return size == 0 || size == expected; };
  LIMBER_EXPECT(world_from_joint.size() == joints && grad_angles.size() == joints,
                std::to_string(world_from_joint.size()) + " matrices, " + std::to_string(grad_angles.size()) +
                    " angles, " + std::to_string(joints) + " joints");
  LIMBER_EXPECT(none_or(grad_posed_from_bind.size(), bones) && none_or(grad_world_from_joint.size(), joints),
                std::to_string(grad_posed_from_bind.size()) + " of " + std::to_string(bones) + " bones, " +
                    std::to_string(grad_world_from_joint.size()) + " of " + std::to_string(joints) + " joints");
  LIMBER_EXPECT(none_or(grad_translations.size(), joints) && none_or(grad_scales.size(), joints),
                std::to_string(grad_translations.size()) + " translations, " + std::to_string(grad_scales.size()) +
                    " scales, " + std::to_string(joints) + " joints");
  std::vector<PreparedJoint<T>> prepared;
  prepare_all(rig, frame, prepared);
  std::vector<AffineT<T>> grad_world(grad_world_from_joint.begin(), grad_world_from_joint.end());
  grad_world.resize(joints, zero_affine<T>());
  add_bone_gradients<T>(rig, grad_posed_from_bind, grad_world);
  sweep_backward<T>(rig, frame, prepared, world_from_joint, grad_world,
                    {grad_root_translation, grad_angles, grad_translations, grad_scales});
}
template void joints_backward(const rig::Rig&, const FrameT<float>&, std::span<const Affine>, std::span<const Affine>,
                              std::span<const Affine>, Vec3&, std::span<Vec3>, std::span<Vec3>, std::span<Vec3>);
template void joints_backward(const rig::Rig&, const FrameT<double>&, std::span<const Affined>,
                              std::span<const Affined>, std::span<const Affined>, Vec3d&, std::span<Vec3d>,
                              std::span<Vec3d>, std::span<Vec3d>);

// --- whole motions -----------------------------------------------------------

namespace {

void check_motion(const rig::Rig& rig, const Motion& motion) {
  const std::size_t frames = motion.root_translations.size(), joints = rig.joints().size();
  LIMBER_EXPECT(motion.joint_count == rig.joint_count() && motion.angles.size() == frames * joints,
                std::to_string(motion.angles.size()) + " angles of " + std::to_string(motion.joint_count) +
                    " joints in " + std::to_string(frames) + " frames; the rig has " + std::to_string(joints));
  for (const JointOverride& o : motion.overrides) {
    LIMBER_EXPECT(o.joint >= 0 && o.joint < rig.joint_count(), "override of joint " + std::to_string(o.joint));
    LIMBER_EXPECT(
        (o.translations.empty() || o.translations.size() == frames) && (o.scales.empty() || o.scales.size() == frames),
        "override of joint " + std::to_string(o.joint) + " has " + std::to_string(o.translations.size()) +
            " translations and " + std::to_string(o.scales.size()) + " scales for " + std::to_string(frames) +
            " frames");
  }
}

bool has_overrides(const Motion& motion) { return !motion.overrides.empty(); }

/// Buffers of one thread, kept from call to call: motions are evaluated in every step of an optimisation.
struct Scratch {
  std::vector<PreparedJoint<double>> shared, own;
  FrameBufferT<double> buffer;
  std::vector<Affined> world, grad_bones, grad_world;
  std::vector<Vec3d> grad_angles;
};
Scratch& scratch() {
  thread_local Scratch buffers;
  return buffers;
}

/// Calls body(frame index, frame, prepared joints, world_from_joint) for all frames, in double, on all threads.
template <class Body>
void for_each_frame(const rig::Rig& rig, const Motion& motion, const Body& body) {
  check_motion(rig, motion);
  std::vector<PreparedJoint<double>>& shared = scratch().shared;
  if (!has_overrides(motion)) prepare_all(rig, FrameT<double>{}, shared);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    Scratch& own = scratch();
    own.world.resize(rig.joints().size());
    for (std::size_t f = begin; f < end; ++f) {
      const FrameT<double> frame = motion_frame(rig, motion, static_cast<int>(f), own.buffer);
      if (has_overrides(motion)) prepare_all(rig, frame, own.own);
      const std::span<const PreparedJoint<double>> prepared = has_overrides(motion) ? own.own : shared;
      sweep_forward<double>(rig, frame, prepared, own.world);
      body(f, frame, prepared, std::span<const Affined>(own.world));
    }
  };
  parallel_for(motion.root_translations.size(), 1, std::ref(piece));
}

void round_bones(const rig::Rig& rig, std::span<const Affined> world, std::span<Affine> posed_from_bind) {
  const std::span<const rig::Bone> bones = rig.bones();
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const Affined& world_from_joint = world[static_cast<std::size_t>(bones[b].joint)];
    posed_from_bind[b] = (world_from_joint * bones[b].joint_from_bind.cast<double>()).cast<float>();
  }
}

Motion one_frame(const rig::Rig& rig, const Pose& pose) {
  Motion motion;
  motion.joint_count = rig.joint_count();
  motion.root_translations = {pose.root_translation};
  motion.angles = pose.angles;
  return motion;
}

}  // namespace

template <class T>
FrameT<T> motion_frame(const rig::Rig& rig, const Motion& motion, int frame, FrameBufferT<T>& buffer) {
  LIMBER_EXPECT(frame >= 0 && frame < motion.frame_count(), "frame " + std::to_string(frame));
  const auto f = static_cast<std::size_t>(frame);
  const auto cast = [](Vec3 v) { return v.cast<T>(); };
  const std::span<const Vec3> angles = motion.frame_angles(frame);
  buffer.angles.resize(angles.size());
  std::transform(angles.begin(), angles.end(), buffer.angles.begin(), cast);
  FrameT<T> result{motion.root_translations[f].cast<T>(), buffer.angles, {}, {}};
  if (!has_overrides(motion)) return result;

  buffer.translations.clear();
  buffer.scales.clear();
  for (const rig::Joint& joint : rig.joints()) {
    buffer.translations.push_back(cast(joint.rest.translation));
    buffer.scales.push_back(cast(joint.rest.scale));
  }
  for (const JointOverride& o : motion.overrides) {
    const auto joint = static_cast<std::size_t>(o.joint);
    if (!o.translations.empty()) buffer.translations[joint] = cast(o.translations[f]);
    if (!o.scales.empty()) buffer.scales[joint] = cast(o.scales[f]);
  }
  result.translations = buffer.translations;
  result.scales = buffer.scales;
  return result;
}
template FrameT<float> motion_frame(const rig::Rig&, const Motion&, int, FrameBufferT<float>&);
template FrameT<double> motion_frame(const rig::Rig&, const Motion&, int, FrameBufferT<double>&);

void bone_matrices(const rig::Rig& rig, const Motion& motion, std::span<Affine> result) {
  const std::size_t bones = rig.bones().size();
  LIMBER_EXPECT(result.size() == motion.root_translations.size() * bones,
                std::to_string(result.size()) + " matrices, " + std::to_string(motion.root_translations.size()) +
                    " frames x " + std::to_string(bones) + " bones");
  for_each_frame(rig, motion, [&](std::size_t f, const auto&, const auto&, std::span<const Affined> world) {
    round_bones(rig, world, result.subspan(f * bones, bones));
  });
}

std::vector<Affine> bone_matrices(const rig::Rig& rig, const Motion& motion) {
  std::vector<Affine> result(motion.root_translations.size() * rig.bones().size());
  bone_matrices(rig, motion, result);
  return result;
}

std::vector<Affine> joint_matrices(const rig::Rig& rig, const Motion& motion) {
  const std::size_t joints = rig.joints().size();
  std::vector<Affine> result(motion.root_translations.size() * joints);
  for_each_frame(rig, motion, [&](std::size_t f, const auto&, const auto&, std::span<const Affined> world) {
    std::transform(world.begin(), world.end(), result.begin() + static_cast<std::ptrdiff_t>(f * joints),
                   [](const Affined& a) { return a.cast<float>(); });
  });
  return result;
}

std::vector<Affine> bone_matrices(const rig::Rig& rig, const Pose& pose) {
  return bone_matrices(rig, one_frame(rig, pose));
}

std::vector<Affine> joint_matrices(const rig::Rig& rig, const Pose& pose) {
  return joint_matrices(rig, one_frame(rig, pose));
}

void motion_backward(const rig::Rig& rig, const Motion& motion, std::span<const Affine> grad_bones,
                     MotionGradient& gradient) {
  const std::size_t frames = motion.root_translations.size(), joints = rig.joints().size(), bones = rig.bones().size();
  LIMBER_EXPECT(grad_bones.size() == frames * bones, std::to_string(grad_bones.size()) + " gradients, " +
                                                         std::to_string(frames) + " frames x " + std::to_string(bones) +
                                                         " bones");
  if (gradient.root_translations.empty()) gradient.root_translations.resize(frames);
  if (gradient.angles.empty()) gradient.angles.resize(frames * joints);
  LIMBER_EXPECT(gradient.root_translations.size() == frames && gradient.angles.size() == frames * joints,
                std::to_string(gradient.root_translations.size()) + " translations, " +
                    std::to_string(gradient.angles.size()) + " angles, " + std::to_string(frames) + " frames x " +
                    std::to_string(joints) + " joints");
  for_each_frame(
      rig, motion,
      [&](std::size_t f, const FrameT<double>& frame, std::span<const PreparedJoint<double>> prepared,
          std::span<const Affined> world) {
        Scratch& own = scratch();
        own.grad_bones.clear();
        for (const Affine& g : grad_bones.subspan(f * bones, bones)) own.grad_bones.push_back(g.cast<double>());
        own.grad_world.assign(joints, zero_affine<double>());
        own.grad_angles.assign(joints, {});
        add_bone_gradients<double>(rig, own.grad_bones, own.grad_world);
        Vec3d grad_root;
        sweep_backward<double>(rig, frame, prepared, world, own.grad_world, {grad_root, own.grad_angles, {}, {}});
        gradient.root_translations[f] += grad_root.cast<float>();
        for (std::size_t j = 0; j < joints; ++j) gradient.angles[f * joints + j] += own.grad_angles[j].cast<float>();
      });
}

}  // namespace limber::kinematics
