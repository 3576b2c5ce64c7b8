// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/motion_space/motion_state.h"
#include "limber/pose_space/pose_conditions.h"

/// What the network of motions is told of a body: what that of poses is told, without its surface, and where the flesh
/// is that a joint carries, as a joint without a child shows no direction by itself.
namespace limber::motion_space {

/// How two joints are related: by steps along the tree, kFarthest and more alike, the second one being elsewhere, above
/// the first or below it; the same joint of the other side; the body and its joints.
inline constexpr int kStepRelations = pose_space::kFarthest + 1;
inline constexpr int kElsewhere = 0, kAbove = kStepRelations, kBelow = 2 * kStepRelations, kAcross = 3 * kStepRelations,
                     kOfBody = kAcross + 1, kToBody = kAcross + 2, kItself = kAcross + 3, kRelations = kAcross + 4;

/// Of a joint, behind those of pose_space: its flesh's middle, direction and distance; height over the lowest joint;
/// whether it is a foot.
inline constexpr int kFleshFeatures = 7, kHeightFeature = kFleshFeatures, kFootFeature = kFleshFeatures + 1,
                     kMoreFeatures = kFleshFeatures + 2;
inline constexpr int kFeatures = pose_space::kJointFeatures + kMoreFeatures;
inline constexpr double kSoftFlesh = 0.02;  ///< radii: flesh nearer than this has no clear direction

struct MotionConditions {
  int joints = 0;
  std::vector<float> features;          ///< joints x pose_space::kJointFeatures
  std::vector<std::uint8_t> relations;  ///< (1 + joints) x (1 + joints), the body first
  std::vector<std::int8_t> parents;     ///< per joint; -1 for the root
  std::vector<Vec3> flesh;              ///< per joint: from it to the middle of what it carries; zero: nothing
  std::vector<bool> feet;               ///< per joint: the last of a leg

  /// All that the network is told of a joint, kFeatures numbers each.
  std::vector<float> all_features() const;
};

/// Of a surface without area, or without a surface, flesh is nowhere.
MotionConditions make_motion_conditions(const pose_space::PoseSkeleton& skeleton,
                                        const pose_space::SkinnedSurface& surface);

/// Of a subject that stands upright and faces as `rig::Facing` says, with its skeleton.
struct MotionBody {
  pose_space::PoseSkeleton skeleton;
  MotionConditions conditions;
};
MotionBody make_motion_body(const rig::Subject& subject, const rig::Facing& facing = {});

}  // namespace limber::motion_space
