// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"
#include "limber/rig/rig.h"
#include "limber/skin/report.h"
#include "limber/skin/skin_body.h"

/// Skin weights for any surface and skeleton.
namespace limber::skin {

enum class SkinMethod { kAuto, kHeat, kVoxel, kParts };

/// "auto", "heat", "voxel", "parts".
Result<SkinMethod> skin_method(std::string_view name);
std::string_view name_of(SkinMethod method);

struct SkinSettings {
  SkinMethod method = SkinMethod::kAuto;
  int influences = 4;     ///< per point, 4 or 8
  double stiffness = 3;   ///< of heat, see HeatSettings
  double falloff = 7;     ///< of voxel, see VoxelSettings
  double softness = 0.7;  ///< of parts, see PartSettings
  double prune = 0.01;    ///< weights below this are dropped
  body::SolidSettings solid;
};

/// What was done with one connected piece of the surface.
struct PieceReport {
  std::size_t points = 0;  ///< welded
  SkinMethod method = SkinMethod::kHeat;
  bool loose = false;  ///< no bone is inside of it: it follows the body where it touches it
  std::string reason;  ///< for a person
  MotionScores scores;
};

struct SkinReport {
  std::vector<PieceReport> pieces;   ///< per component of the welded surface
  std::vector<int> guessed_tails;    ///< joints whose bone's end had to be guessed
  std::vector<int> fed_joints;       ///< joints that were nowhere the nearest and were given a share, or a token
  std::vector<int> starving_joints;  ///< joints that still hold less than 0.1 % of the surface
  std::size_t unreached = 0;         ///< points that no solver reached: they follow their nearest bone
  std::size_t trimmed = 0;           ///< points that lost influences to `SkinSettings::influences`
};

struct SkinResult {
  rig::SkinWeights weights;  ///< one row per input point; `bones` count the joints
  SkinReport report;
};

/// Weights of `points`, which stay as they are: all is solved on a welded copy and carried back. At least one joint
/// must deform, and each that does gets some weight while there are points enough. Surfaces of more than 160,000 points
/// are solved on a coarser copy, which the report then tells of, and their points take the weights of its nearest
/// point.
///
/// kAuto takes heat, and looks further for the pieces that heat serves badly by the range of motion: where weight
/// bleeds across gaps or no bone is seen, voxels and parts are tried too, and the best of them is kept. Where the
/// surface is in as many closed pieces as there are bones, it is a machine's, and pieces follow one bone each.
SkinResult solve_skin(std::span<const Vec3> points, std::span<const body::Triangle> triangles,
                      std::span<const SkinJoint> joints, const SkinSettings& settings = {});

/// The weights of a skinned surface at any other points (Gaussians, another mesh): those of the nearest point of the
/// surface, mixed from the corners of its triangle; of the nearest vertex where there are no triangles.
rig::SkinWeights transfer_skin(std::span<const Vec3> points, std::span<const body::Triangle> triangles,
                               const rig::SkinWeights& weights, std::span<const Vec3> queries);

}  // namespace limber::skin
