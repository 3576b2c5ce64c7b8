// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/turned_motions.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>

#include "bench/creature_trial.h"
#include "bench/rig.h"
#include "limber/animate/animate_asset.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"

namespace limber::bench {
namespace {

constexpr double kSame = 0.01;  // of the height: how far points may be from each other
constexpr int kResolution = 40;

/// Of the 24: +Z up, +X up, upside down, and upright but looking elsewhere.
constexpr std::array<int, 4> kAttitudes{4, 6, 15, 20};
constexpr int kMirrored = 26;  // upright, left and right exchanged

struct Moved {
  std::vector<Vec3d> points;  ///< all frames, in the world of the file
  std::map<std::string, std::vector<Vec3d>, std::less<>>
      joints;  ///< per name all frames, in the body's frame, of the height
  double height = 1;
  std::size_t doubts = 0;
};

Result<Moved> move_body(const KnownBody& body, const animate::Models& models, const animate::Request& request) {
  LIMBER_TRY(const animate::AnimatedAsset moved, animate::animate_asset(body.asset, models, request));
  const rig::Subject& subject = moved.subject;
  const kinematics::Motion& motion = moved.animation.motion;
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  std::vector<Vec3> posed(subject.points.size() * static_cast<std::size_t>(motion.frame_count()));
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.frame_count = motion.frame_count(), input.bone_count = subject.rig.bone_count();
  kinematics::skin_forward(input, {posed, {}, {}});
  Moved result;
  const Affined asset_from_subject = rig::asset_from_subject(subject);
  for (const Vec3& p : posed) result.points.push_back(asset_from_subject * p.cast<double>());
  result.height = subject.asset_scale;
  const Vec3 up = subject.facing.up, forward = subject.facing.forward;
  const Mat3 own = transposed(Mat3::from_columns(cross(up, forward), up, forward));
  const std::vector<Affine> joints = kinematics::joint_matrices(subject.rig, motion);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const rig::Joint& joint = subject.rig.joints()[k % static_cast<std::size_t>(subject.rig.joint_count())];
    result.joints[joint.name].push_back((own * joints[k].translation).cast<double>());
  }
  result.doubts = moved.rigged ? moved.rigged->doubts.size() : 0;
  return result;
}

/// Of the height; one where frames or points are not the same number.
double apart(const Moved& as_it_is, const Moved& turned, const Mat3d& turn) {
  if (as_it_is.points.size() != turned.points.size()) return 1;
  double most = 0;
  for (std::size_t i = 0; i < turned.points.size(); ++i) {
    most = std::max(most, norm(turned.points[i] - turn * as_it_is.points[i]));
  }
  return most / as_it_is.height;
}

/// By joints of the same name, each body in its own frame: a mirror image walks as the body does, and starts with the
/// same foot. One where joints are not the same.
double apart_in_own_frames(const Moved& as_it_is, const Moved& mirrored) {
  if (as_it_is.joints.size() != mirrored.joints.size()) return 1;
  double most = 0;
  for (const auto& [name, places] : as_it_is.joints) {
    const auto other = mirrored.joints.find(name);
    if (other == mirrored.joints.end() || other->second.size() != places.size()) return 1;
    for (std::size_t f = 0; f < places.size(); ++f) most = std::max(most, norm(other->second[f] - places[f]));
  }
  return most;
}

}  // namespace

void add_turned_motion_rows(const animate::Models& models, const animate::Request& request, int bodies,
                            std::uint64_t seed, Report& report) {
  int tries = 0, same = 0;
  double mirrored = 0;
  for (int k = 0; k < bodies; ++k) {
    zoo::CreatureSettings settings;
    settings.plan = static_cast<zoo::Plan>(k % zoo::kPlanCount);
    settings.seed = seed + static_cast<std::uint64_t>(k), settings.resolution = kResolution;
    const Result<zoo::Creature> creature = zoo::make_creature(settings);
    if (!creature.ok()) continue;
    const KnownBody body = known_body(*creature);
    const zoo::Action action = cyclic_actions(settings.plan).front();
    animate::Request asked = request;
    asked.prompt = prompt_of({settings.plan, settings.seed, action, action});
    const Result<Moved> as_it_is = move_body(body, models, asked);
    double farthest = 0;
    int alike = 0;
    for (const int which : kAttitudes) {
      KnownBody turned = body;
      const Mat3d turn = attitude(which);
      turn_body(turned, turn);
      const Result<Moved> found = as_it_is.ok() ? move_body(turned, models, asked) : as_it_is;
      const double far = found.ok() ? apart(*as_it_is, *found, turn) : 1;
      farthest = std::max(farthest, far), alike += far < kSame ? 1 : 0;
      spdlog::info("{} in attitude {}: {:.2g} of the height apart", body.name, which, far);
    }
    KnownBody image = body;
    turn_body(image, attitude(kMirrored));
    const Result<Moved> seen = as_it_is.ok() ? move_body(image, models, asked) : as_it_is;
    const double far = seen.ok() ? apart_in_own_frames(*as_it_is, *seen) : 1;
    mirrored += far / bodies;
    spdlog::info("{} in a mirror: joints {:.2g} of the height apart", body.name, far);
    report.rows.push_back({"attitudes/" + body.name + " in a mirror", 100 * far, "% height", "", "joints by name"});
    tries += static_cast<int>(kAttitudes.size()), same += alike;
    report.rows.push_back({"attitudes/" + body.name, 100 * farthest, "% height", "<= 1",
                           fmt::format("'{}', {} of {} alike, {} doubts", asked.prompt, alike, kAttitudes.size(),
                                       as_it_is.ok() ? as_it_is->doubts : 0)});
  }
  report.rows.push_back({"attitudes/same motion", tries > 0 ? 100.0 * same / tries : 100.0, "%", "100",
                         fmt::format("{} of {}", same, tries)});
  report.rows.push_back({"attitudes/mirrored, joints by name in the body's own frame", 100 * mirrored, "% height", "",
                         "mean of the farthest of each body"});
}

}  // namespace limber::bench
