// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/upright.h"

#include <cmath>
#include <vector>

#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/rig/changed_rig.h"
#include "limber/rig/static_subject.h"

namespace limber::animate {
namespace {

constexpr float kLeast = 0.02f;  // radians: smaller turns are not worth it

/// About +Y, so that `forward` becomes +Z.
Mat3 turn_about_up(Vec3 forward) {
  const float angle = std::atan2(forward.x, forward.z);
  Mat3 turn = Mat3::identity();
  if (std::abs(angle) < kLeast) return turn;
  const float c = std::cos(angle), d = std::sin(angle);
  turn.m = {{{c, 0, -d}, {0, 1, 0}, {d, 0, c}}};
  return turn;
}

/// The rest pose, turned.
std::vector<Vec3d> rest_points(const rig::Subject& subject, const Mat3d& turn) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, kinematics::rest_motion(subject.rig, 1, 1));
  std::vector<Vec3> posed(subject.points.size());
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points;
  input.bone_count = static_cast<int>(bones.size()), input.frame_count = 1, input.bones = bones;
  kinematics::skin_forward(input, {posed, {}, {}});
  std::vector<Vec3d> result;
  result.reserve(posed.size());
  for (const Vec3& p : posed) result.push_back(turn * p.cast<double>());
  return result;
}

/// Lying bodies: once they stand they are of another height, and elsewhere.
Result<Upright> set_up(const rig::Subject& subject, const rig::Facing& facing) {
  const Vec3d up = facing.up.cast<double>(), forward = facing.forward.cast<double>();
  const Vec3d left = cross(up, forward);
  Mat3d turn;
  for (int k = 0; k < 3; ++k) turn(0, k) = left[k], turn(1, k) = up[k], turn(2, k) = forward[k];
  rig::Similarity fitted;
  if (!subject.points.empty()) fitted = rig::fit_similarity(rest_points(subject, turn));
  const double scale = fitted.scale;
  const Affined upright_from_world{(1 / scale) * turn, (-1 / scale) * fitted.offset.cast<double>()};
  Upright upright{subject, (scale * transposed(turn)).cast<float>()};
  LIMBER_TRY(upright.subject.rig, rig::changed_rig(subject.rig, upright_from_world.cast<float>()));
  upright.subject.asset_scale = subject.asset_scale * fitted.scale;
  return upright;
}

}  // namespace

Result<Upright> stand_upright(const rig::Subject& subject, const rig::Facing& facing) {
  Upright upright{subject, Mat3::identity()};
  if (facing.up.y > std::cos(kLeast)) {
    const Mat3 turn = turn_about_up(facing.forward);
    upright.world_from_upright = transposed(turn);
    if (turn != Mat3::identity()) {
      LIMBER_TRY(upright.subject.rig, rig::changed_rig(subject.rig, turn));
    }
  } else {
    LIMBER_TRY(upright, set_up(subject, facing));
  }
  upright.subject.facing.up = {0, 1, 0}, upright.subject.facing.forward = {0, 0, 1};
  return upright;
}

void turn_upright(const Upright& upright, kinematics::Motion& motion) {
  const Mat3 upright_from_world = inverse(upright.world_from_upright);
  for (Vec3& translation : motion.root_translations) translation = upright_from_world * translation;
}

void turn_back(const Upright& upright, kinematics::Motion& motion) {
  for (Vec3& translation : motion.root_translations) translation = upright.world_from_upright * translation;
}

}  // namespace limber::animate
