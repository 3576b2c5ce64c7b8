// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/upright.h"

#include <cmath>
#include <vector>

#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/rig/changed_rig.h"
#include "limber/rig/stance.h"
#include "limber/rig/static_subject.h"

namespace limber::kinematics {
namespace {

constexpr float kLeast = 0.02f;  // radians: smaller turns are not worth it
constexpr float kFits = 1e-4f;   // of the height: what is so near to standing on the ground and one high is

/// About +Y, so that `forward` becomes +Z.
Mat3 turn_about_up(Vec3 forward) {
  const float angle = std::atan2(forward.x, forward.z);
  Mat3 turn = Mat3::identity();
  if (std::abs(angle) < kLeast) return turn;
  const float c = std::cos(angle), d = std::sin(angle);
  turn.m = {{{c, 0, -d}, {0, 1, 0}, {d, 0, c}}};
  return turn;
}

/// Rows are side, up and ahead.
Mat3 turn_to(Vec3 up, Vec3 forward) { return transposed(Mat3::from_columns(cross(up, forward), up, forward)); }

std::vector<Vec3d> rest_points(const rig::Subject& subject) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, kinematics::rest_motion(subject.rig, 1, 1));
  std::vector<Vec3> posed(subject.points.size());
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points;
  input.bone_count = static_cast<int>(bones.size()), input.frame_count = 1, input.bones = bones;
  kinematics::skin_forward(input, {posed, {}, {}});
  std::vector<Vec3d> result;
  result.reserve(posed.size());
  for (const Vec3& p : posed) result.push_back(p.cast<double>());
  return result;
}

Status turn(const Mat3& by, Upright& upright) {
  if (by == Mat3::identity()) return Done{};
  LIMBER_TRY(upright.subject, rig::moved_subject(upright.subject, {by, 1, {}}));
  upright.world_from_upright = upright.world_from_upright * transposed(by);
  return Done{};
}

/// Sets it down one high: a body that lay is of another height once it stands, and elsewhere. One that was measured
/// standing, whatever the axes of its file, stays as it is.
Status set_down(Upright& upright) {
  if (upright.subject.points.empty()) return Done{};
  const rig::Similarity fitted = rig::fit_similarity(rest_points(upright.subject));
  if (std::abs(fitted.scale - 1) < kFits && norm(fitted.offset) < kFits) return Done{};
  const float scale = 1 / fitted.scale;
  LIMBER_TRY(upright.subject, rig::moved_subject(upright.subject, {Mat3::identity(), scale, -scale * fitted.offset}));
  upright.subject.asset_scale *= fitted.scale;
  upright.world_unit = fitted.scale;
  return Done{};
}

}  // namespace

Result<Upright> stand_upright(const rig::Subject& subject, const rig::Facing& facing) {
  const Mat3 axes = rig::nearest_axes(facing.up.cast<double>(), facing.forward.cast<double>()).cast<float>();
  Upright upright{subject, Mat3::identity()};
  LIMBER_CHECK_OK(turn(axes, upright));
  const Vec3 up = axes * facing.up, forward = axes * facing.forward;
  const bool stands = up.y > std::cos(kLeast);
  const Mat3 rest = stands ? turn_about_up(forward) : turn_to(up, forward);
  LIMBER_CHECK_OK(turn(rest, upright));
  if (!stands || axes(1, 1) != 1) LIMBER_CHECK_OK(set_down(upright));
  upright.subject.facing.up = {0, 1, 0}, upright.subject.facing.forward = {0, 0, 1};
  return upright;
}

void turn_upright(const Upright& upright, kinematics::Motion& motion) {
  const Mat3 upright_from_world = transposed(upright.world_from_upright);
  const float unit = 1 / upright.world_unit;
  for (Vec3& translation : motion.root_translations) translation = unit * (upright_from_world * translation);
  for (kinematics::JointOverride& joint : motion.overrides) {
    for (Vec3& translation : joint.translations) translation = unit * translation;
  }
}

void turn_back(const Upright& upright, kinematics::Motion& motion) {
  const float unit = upright.world_unit;
  for (Vec3& translation : motion.root_translations) translation = unit * (upright.world_from_upright * translation);
  for (kinematics::JointOverride& joint : motion.overrides) {
    for (Vec3& translation : joint.translations) translation = unit * translation;
  }
}

}  // namespace limber::kinematics
