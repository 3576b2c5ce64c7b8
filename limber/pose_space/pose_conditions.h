// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "limber/pose_space/pose_skeleton.h"
#include "limber/rig/subject.h"

/// What a network is told of a body before it is asked for poses: the same for all of them.
namespace limber::pose_space {

/// Numbers of a joint, in this order: place, offset from the parent; depth, joints below it, children; whether there is
/// the same joint on the other side; kind of limb (or none), side, pair, where its limb leaves, section, share of the
/// limb before it; girth, and whether that is known.
inline constexpr int kPlaceFeature = 0, kOffsetFeature = 3, kTreeFeature = 6, kPartnerFeature = 9, kKindFeature = 10,
                     kSideFeature = kKindFeature + rig::kLimbKindCount + 1, kPairFeature = kSideFeature + 3,
                     kPairClasses = 4, kStationFeature = kPairFeature + kPairClasses,
                     kSectionFeature = kStationFeature + 1, kSectionClasses = 6,
                     kAlongFeature = kSectionFeature + kSectionClasses, kGirthFeature = kAlongFeature + 1,
                     kJointFeatures = kGirthFeature + 2;

/// How two joints are related: steps along the tree, those of kFarthest and more alike; kAcross for the same joint of
/// the other side.
inline constexpr int kFarthest = 9, kAcross = 10, kRelations = 11;

/// Points of a surface that a network sees.
inline constexpr int kSurfacePoints = 128;

/// A point of the skin, in the skeleton's space, and the two pose joints that move it most.
struct SurfacePoint {
  Vec3 place, normal;
  std::array<std::uint8_t, 2> joints{};
  float share = 1;  ///< of the first, against the second's
};

struct PoseConditions {
  int joints = 0;
  std::vector<float> features;          ///< joints x kJointFeatures
  std::vector<std::uint8_t> relations;  ///< joints x joints
  std::vector<std::int8_t> parents;     ///< per joint; -1 for the root
  std::vector<SurfacePoint> surface;    ///< kSurfacePoints, or none where there is no mesh
};

/// A skinned surface. Spans are not owned.
struct SkinnedSurface {
  std::span<const Vec3> points;  ///< bind space
  std::span<const std::array<std::uint32_t, 3>> triangles;
  const rig::SkinWeights& weights;
};

/// Without a mesh: the skeleton alone.
PoseConditions make_conditions(const PoseSkeleton& skeleton);
/// With one. A surface without area counts as none.
PoseConditions make_conditions(const PoseSkeleton& skeleton, const SkinnedSurface& surface);

/// Radius of the flesh around each pose joint: mean distance of its skin from its bones, in radii of the skeleton; 0
/// where it has none.
std::vector<double> girths_of(const PoseSkeleton& skeleton, std::span<const SurfacePoint> points);

/// Tells of the girths of joints.
void put_girths(const PoseSkeleton& skeleton, std::span<const SurfacePoint> points, PoseConditions& conditions);

/// Points spread over a surface at rest by area, the first kSurfacePoints of them as far from each other as can be. The
/// same for the same body. Empty where it has no area.
std::vector<SurfacePoint> sample_surface(const PoseSkeleton& skeleton, const SkinnedSurface& surface);

}  // namespace limber::pose_space
