// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/ground_meeting.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/metrics/feet.h"

namespace limber::metrics {
namespace {

constexpr float kNear = 0.08f;  ///< heights: a foot that stays higher bears no weight
constexpr float kSole = 0.03f;  ///< heights: what is so near the lowest point of a leg at rest tells where its foot is
constexpr float kLowest = 0.015f;  ///< heights above its lowest: then a foot surely goes with the ground
constexpr double kSlow = 0.12;     ///< heights a second, and ...
constexpr double kShare = 0.35;  ///< ... of how fast feet swing: a foot that differs less from the ground goes with it
constexpr float kEven = 0.002f;  ///< heights: hardly lower, or hardly apart
constexpr double kShortest = 0.08;  ///< seconds

/// A leg's lowest points and where its foot is, frame by frame.
struct LegTrack {
  int limb = -1;
  std::vector<std::size_t> sole;  ///< points
  std::vector<float> lowest;
  std::vector<Vec3d> place;  ///< the middle of the sole
  std::vector<Vec3d> speed;  ///< heights a second
};

/// Places of all points per frame, in turn.
template <class Visit>
void for_each_frame(const rig::Subject& subject, const kinematics::Motion& motion, const Visit& visit) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  const std::size_t count = at(subject.rig.bone_count());
  std::vector<Vec3> posed;
  for (int f = 0; f < motion.frame_count(); ++f) {
    pose_points(subject, std::span(bones).subspan(at(f) * count, count), posed);
    visit(posed);
  }
}

std::vector<LegTrack> find_legs(const ClipBody& body, const std::vector<int>& leg_of_point) {
  const rig::Subject& subject = body.subject;
  std::vector<LegTrack> legs;
  std::vector<Vec3> rest;
  pose_points(subject, kinematics::bone_matrices(subject.rig, kinematics::rest_pose(subject.rig)), rest);
  for (std::size_t l = 0; l < subject.rig.limbs().size(); ++l) {
    float low = std::numeric_limits<float>::infinity();
    for (std::size_t p = 0; p < rest.size(); ++p) {
      if (leg_of_point[p] == static_cast<int>(l)) low = std::min(low, rest[p].y);
    }
    LegTrack leg;
    leg.limb = static_cast<int>(l);
    for (std::size_t p = 0; p < rest.size(); ++p) {
      if (leg_of_point[p] == leg.limb && rest[p].y <= low + kSole) leg.sole.push_back(p);
    }
    if (!leg.sole.empty()) legs.push_back(std::move(leg));
  }
  return legs;
}

void measure_speed(double fps, LegTrack& leg) {
  const int frames = static_cast<int>(leg.place.size());
  for (int f = 0; f < frames; ++f) {
    const int a = std::max(f - 1, 0), b = std::min(f + 1, frames - 1);
    leg.speed.push_back(b > a ? fps / (b - a) * (leg.place[at(b)] - leg.place[at(a)]) : Vec3d{});
  }
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// How the ground goes under the body: as feet do while they are as low as they come.
Vec3d ground_speed(const std::vector<LegTrack>& legs) {
  std::vector<double> x, z;
  for (const LegTrack& leg : legs) {
    const float low = *std::min_element(leg.lowest.begin(), leg.lowest.end());
    for (std::size_t f = 0; f < leg.speed.size(); ++f) {
      if (leg.lowest[f] <= low + kLowest) x.push_back(leg.speed[f].x), z.push_back(leg.speed[f].z);
    }
  }
  return {median(x), 0, median(z)};
}

/// How fast feet move against the ground where they move.
double swing_speed(const std::vector<LegTrack>& legs, Vec3d ground) {
  double most = 0;
  for (const LegTrack& leg : legs) {
    for (const Vec3d& speed : leg.speed) most = std::max(most, norm(speed - ground));
  }
  return most;
}

/// Whether a run of frames has a bottom of its own: a foot that comes down or goes up through them is about to stand,
/// or has stood. `closes`: the last frame is the first again.
bool has_bottom(const LegTrack& leg, const Stance& run, bool closes) {
  const int last = static_cast<int>(leg.lowest.size()) - 1;
  const auto lower_at = [&](int f) {
    if (f < 0) f = closes ? f + last : 0;
    if (f > last) f = closes ? f - last : last;
    return leg.lowest[at(f)] < run.height - kEven;
  };
  return !lower_at(run.from - 1) && !lower_at(run.to);
}

void add_stances(const LegTrack& leg, Vec3d ground, double slow, int shortest, std::vector<Stance>& stances) {
  const int frames = static_cast<int>(leg.lowest.size());
  const bool closes = std::abs(leg.lowest.front() - leg.lowest.back()) < kEven;
  const auto bears = [&](int f) { return leg.lowest[at(f)] <= kNear && norm(leg.speed[at(f)] - ground) <= slow; };
  std::vector<Stance> own;
  for (int f = 0; f < frames; ++f) {
    if (!bears(f)) continue;
    Stance stance{leg.limb, f, f, leg.lowest[at(f)]};
    for (; stance.to < frames && bears(stance.to); ++stance.to) {
      stance.height = std::min(stance.height, leg.lowest[at(stance.to)]);
    }
    f = stance.to;
    own.push_back(stance);
  }
  // Round the corner both ends are one.
  if (closes && own.size() > 1 && own.front().from == 0 && own.back().to == frames) {
    own.front().height = own.back().height = std::min(own.front().height, own.back().height);
  }
  for (const Stance& stance : own) {
    if (stance.to - stance.from >= shortest && has_bottom(leg, stance, closes)) stances.push_back(stance);
  }
}

}  // namespace

GroundMeeting meet_ground(const ClipBody& body, const kinematics::Motion& motion) {
  GroundMeeting result;
  const std::vector<int> leader = leaders(body.subject), leg_of_joint = leg_of_joints(body.subject.rig);
  std::vector<int> leg_of_point;
  for (const int joint : leader) leg_of_point.push_back(leg_of_joint[at(joint)]);
  std::vector<LegTrack> legs = find_legs(body, leg_of_point);
  std::vector<int> index(body.subject.rig.limbs().size(), -1);
  for (std::size_t k = 0; k < legs.size(); ++k) index[at(legs[k].limb)] = static_cast<int>(k);

  for_each_frame(body.subject, motion, [&](const std::vector<Vec3>& posed) {
    std::size_t lowest = 0;
    for (LegTrack& leg : legs) leg.lowest.push_back(std::numeric_limits<float>::infinity());
    for (std::size_t p = 0; p < posed.size(); ++p) {
      if (posed[p].y < posed[lowest].y) lowest = p;
      const int leg = leg_of_point[p] < 0 ? -1 : index[at(leg_of_point[p])];
      if (leg >= 0) legs[at(leg)].lowest.back() = std::min(legs[at(leg)].lowest.back(), posed[p].y - body.floor);
    }
    result.lowest.push_back(posed.empty() ? 0.0f : posed[lowest].y - body.floor);
    result.lowest_joint.push_back(posed.empty() ? 0 : leader[lowest]);
    for (LegTrack& leg : legs) {
      Vec3d place;
      for (const std::size_t p : leg.sole) place += posed[p].cast<double>();
      leg.place.push_back(place / static_cast<double>(leg.sole.size()));
    }
  });
  for (LegTrack& leg : legs) measure_speed(motion.fps, leg);
  const Vec3d ground = ground_speed(legs);
  const double slow = kSlow + kShare * swing_speed(legs, ground);
  const int shortest = std::max(2, static_cast<int>(std::lround(kShortest * motion.fps)));
  for (const LegTrack& leg : legs) {
    if (motion.frame_count() >= shortest) add_stances(leg, ground, slow, shortest, result.stances);
    result.legs.push_back(leg.limb), result.leg_lowest.push_back(leg.lowest);
  }
  return result;
}

}  // namespace limber::metrics
