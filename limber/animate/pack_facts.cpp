// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/pack_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/metrics/footfalls.h"

namespace limber::animate {
namespace {

constexpr int kMostPoses = 60;

/// Times at which feet come down after they were up. In a loop its last frame is before its first.
std::vector<FootDown> find_falls(const metrics::Footfalls& found, std::span<const metrics::Foot> feet,
                                 const kinematics::Motion& motion) {
  std::vector<FootDown> falls;
  for (std::size_t foot = 0; foot < feet.size(); ++foot) {
    const std::vector<bool>& down = found.down[foot];
    for (int f = 0; f < motion.frame_count(); ++f) {
      if (f == 0 && !motion.loops) continue;
      const bool before = down[at(f == 0 ? motion.frame_count() - 1 : f - 1)];
      if (down[at(f)] && !before) falls.push_back({f / motion.fps, feet[foot].joint});
    }
  }
  std::stable_sort(falls.begin(), falls.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return falls;
}

/// The root against how it is at rest.
Standpoint standpoint(const Affine& root, const Affine& rest) {
  const Vec3 moved = root.translation - rest.translation;
  const Vec3 ahead = root.linear * (inverse(rest.linear) * Vec3{0, 0, 1});
  return {double(moved.x), double(moved.z), std::atan2(double(ahead.x), double(ahead.z))};
}

double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double squares = 0;
  for (std::size_t j = 0; j < a.size(); ++j) squares += squared_norm((a[j] - b[j]).cast<double>());
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(a.size(), 1)));
}

}  // namespace

PackFacts::PackFacts(const kinematics::Upright& upright) : upright_(upright) {
  upright_.subject = anatomy::with_roles(upright_.subject);
}

ClipFacts PackFacts::of(kinematics::Motion motion) const {
  kinematics::turn_upright(upright_, motion);
  const rig::Rig& rig = upright_.subject.rig;
  const int frames = motion.frame_count();
  const std::size_t count = at(rig.joint_count());
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion),
                            rest = kinematics::joint_matrices(rig, kinematics::rest_motion(rig, 1, 1));
  ClipFacts facts;
  const std::vector<metrics::Foot> feet = metrics::find_feet(upright_.subject);
  if (const auto found = metrics::find_footfalls(rig, feet, motion)) facts.footfalls = find_falls(*found, feet, motion);
  facts.start = standpoint(joints[0], rest[0]);
  facts.end = standpoint(joints[at(frames - 1) * count], rest[0]);
  // The first and the last one are always among them.
  const int poses = std::min(frames, kMostPoses);
  for (int k = 0; k < poses; ++k) {
    const int frame = poses == 1 ? 0 : static_cast<int>(std::lround(double(k) * (frames - 1) / (poses - 1)));
    const Affine* there = joints.data() + at(frame) * count;
    const Vec3 root{there[0].translation.x, 0, there[0].translation.z};
    std::vector<Vec3>& pose = facts.poses.poses.emplace_back();
    for (std::size_t j = 0; j < count; ++j) pose.push_back(there[j].translation - root);
    facts.poses.seconds.push_back(frame / motion.fps);
  }
  return facts;
}

Transition transition(const ClipPoses& from, bool from_loops, const ClipPoses& to, bool to_loops) {
  const std::size_t last = from.poses.size() - 1;
  Transition found;
  // The end of a loop is its beginning.
  found.end_to_start = distance(from.poses[from_loops ? 0 : last], to.poses.front());
  found.nearest = std::numeric_limits<double>::infinity();
  for (std::size_t a = from_loops ? 0 : last; a <= last; ++a) {
    for (std::size_t b = 0; b < (to_loops ? to.poses.size() : 1); ++b) {
      const double apart = distance(from.poses[a], to.poses[b]);
      if (!(apart < found.nearest)) continue;
      found.nearest = apart, found.leave = from.seconds[a], found.enter = to.seconds[b];
    }
  }
  return found;
}

}  // namespace limber::animate
