// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/role.h"

/// A skeleton as one kinematic tree, and the skin that hangs on it. Edit a `RigDraft`, then freeze it with `build_rig`:
/// a `Rig` is always valid. Lengths are in units of the subject's height.
namespace limber::rig {

inline constexpr int kMaxInfluences = 8;

/// Range of the three angles, radians.
struct JointLimits {
  Vec3 lower{-3.1415927f, -3.1415927f, -3.1415927f};
  Vec3 upper{3.1415927f, 3.1415927f, 3.1415927f};
};

/// Three angles about three axes, after a fixed rest transform:
///   parent_from_joint = parent_from_frame * T(rest.translation) * R(rest.rotation) * A Rx(a) Ry(b) Rz(c) A^T *
///   S(rest.scale)
/// with A the matrix of `axes`. Joint 0 is the root: its parent is the world, and a pose moves it too.
struct Joint {
  std::string name;
  int parent = -1;           ///< -1 for the root alone; in a Rig always smaller than the joint's own index
  Affine parent_from_frame;  ///< fixed: plain nodes between a joint and its parent, units, up-axis
  Transform rest;            ///< frame_from_joint at rest
  Quat axes;                 ///< its columns are the three axes of rotation, in the joint's rest frame
  JointLimits limits;
  int node = -1;  ///< the asset's node that this joint drives, -1 for none
  Role role;      ///< what it is in the body
};

/// What moves points: joint and inverse bind matrix. posed = world_from_joint * joint_from_bind * point. One joint has
/// several bones where several skins bind it differently.
struct Bone {
  int joint = 0;
  Affine joint_from_bind;
};

/// Influences of every point, `stride` (4 or 8) slots each, heaviest first, unused slots zero. Rows sum to one.
struct SkinWeights {
  int stride = 4;
  std::vector<std::uint16_t> bones;  ///< points x stride
  std::vector<float> weights;        ///< points x stride
  std::size_t points() const { return weights.size() / static_cast<std::size_t>(stride); }
};

/// A skeleton under construction: joints in any order, parents by index.
struct RigDraft {
  std::vector<Joint> joints;
  std::vector<Bone> bones;  ///< kept in order; empty: one bone per joint of the rig, in its order, bound at rest
  std::vector<Limb> limbs;  ///< what the roles of joints count; empty: nobody has looked yet
};

/// A valid skeleton: one root at index 0, parents before children, unit quaternions, finite invertible matrices, unique
/// non-empty names, limits in order, roles that name limbs of its own. Cheap to copy and share between threads;
/// immutable.
class Rig {
 public:
  std::span<const Joint> joints() const { return data_->joints; }
  std::span<const Bone> bones() const { return data_->bones; }
  /// The tree of limbs: the trunk first, parents before what leaves them. Empty where nobody has looked yet.
  std::span<const Limb> limbs() const { return data_->limbs; }
  int joint_count() const { return static_cast<int>(data_->joints.size()); }
  int bone_count() const { return static_cast<int>(data_->bones.size()); }
  /// Index of the joint named so, or -1.
  int find(std::string_view name) const;
  /// Rest transform of every joint.
  std::span<const Affine> world_from_rest() const { return data_->world_from_rest; }

 private:
  friend Result<Rig> build_rig(RigDraft draft);
  friend Result<Rig> with_limbs(const Rig& rig, std::vector<Limb> limbs, std::span<const Role> roles);
  struct Data {
    std::vector<Joint> joints;
    std::vector<Bone> bones;
    std::vector<Limb> limbs;
    std::vector<Affine> world_from_rest;
  };
  explicit Rig(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// Sorts the joints so that parents come first (an order that is so already is kept), checks everything that `Rig`
/// promises, makes names unique. Fails on cycles, several roots, dangling indices, non-finite or singular matrices; a
/// bone's `joint_from_bind` may be singular, as those of unused joints in real files are.
Result<Rig> build_rig(RigDraft draft);

/// The same rig with other limbs: `roles` has one entry per joint. Fails as `build_rig` does on roles or limbs that do
/// not exist.
Result<Rig> with_limbs(const Rig& rig, std::vector<Limb> limbs, std::span<const Role> roles);

/// One bone's share of a point.
struct Influence {
  std::uint16_t bone = 0;
  float weight = 0;
};

/// Keeps the heaviest `stride` (4 or 8) influences of each point and rescales them to sum to one. A bone listed twice
/// counts once, with the sum; weights that are negative or not finite are dropped. A point without any weight goes to
/// `fallback_bone`.
SkinWeights make_skin_weights(std::span<const std::vector<Influence>> points, int stride,
                              std::uint16_t fallback_bone = 0);

}  // namespace limber::rig
