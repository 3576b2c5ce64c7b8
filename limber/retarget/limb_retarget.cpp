// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/limb_retarget.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/retarget/limb_map.h"
#include "limber/retarget/turns.h"

namespace limber::retarget {
namespace {

/// A foot stands while it is nearer to where it stands at rest than this and slower than that: heights, heights per
/// second. Shorter than `kShortest` it only touches.
constexpr double kStandingHeight = 0.04, kStandingSpeed = 0.25;
constexpr int kShortest = 3;
/// Of the leg's length: how straight a leg may be that has to reach farther than in the source.
constexpr double kReach = 0.998;
/// Seconds within which the hips are lowered and come back.
constexpr double kLoweringSeconds = 0.25;

// --- which joint follows which ---------------------------------------------------------------------------------------

/// A joint of the target turns as one of the source's, or between two, after it was brought to the same rest.
struct Follow {
  int first = -1, second = -1;  ///< -1: it follows its parent
  double share = 0;             ///< of the second
  Quatd to_source_rest;
};

/// Brings a section of the target to where it points in the source's rest pose.
Quatd aligned(const LimbMap& from, const LimbMap& to, LimbPart part, LimbPart next) {
  const Vec3d goal = normalized(from.place(next) - from.place(part)), is = normalized(to.place(next) - to.place(part));
  return rotation_between(is, goal);
}

Quatd alignment(const LimbMap& from, const LimbMap& to, LimbPart part) {
  const int side = part >= LimbPart::kGirdle ? (static_cast<int>(part) - static_cast<int>(LimbPart::kGirdle)) % 2 : 0;
  const auto both = [&](LimbPart next) {
    return !from.of(sided(next, side)).empty() && !to.of(sided(next, side)).empty();
  };
  switch (part) {
    case LimbPart::kUpperArm:
    case LimbPart::kUpperArmRight:
      return aligned(from, to, part, sided(LimbPart::kForearm, side));
    case LimbPart::kForearm:
    case LimbPart::kForearmRight:
      // Without a hand nobody knows where the forearm ends: it goes on from the upper arm.
      if (both(LimbPart::kHand)) return aligned(from, to, part, sided(LimbPart::kHand, side));
      return alignment(from, to, sided(LimbPart::kUpperArm, side));
    case LimbPart::kHand:
    case LimbPart::kHandRight:
      return alignment(from, to, sided(LimbPart::kForearm, side));
    case LimbPart::kThigh:
    case LimbPart::kThighRight:
      return aligned(from, to, part, sided(LimbPart::kShin, side));
    case LimbPart::kShin:
    case LimbPart::kShinRight:
      return aligned(from, to, part, sided(LimbPart::kFoot, side));
    default:
      return {};  // what stands upright at rest stands upright in both
  }
}

std::vector<Follow> find_follows(const LimbMap& from, const LimbMap& to) {
  std::vector<Follow> follows(to.places.size());
  for (std::size_t p = 0; p < kLimbPartCount; ++p) {
    const auto part = static_cast<LimbPart>(p);
    const std::vector<int>&sources = from.of(part), &targets = to.of(part);
    if (sources.empty()) continue;
    const Quatd rest = alignment(from, to, part);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      double where = targets.size() > 1
                         ? static_cast<double>(i * (sources.size() - 1)) / static_cast<double>(targets.size() - 1)
                         : 0.0;
      // A neck in one piece turns as far as one in two.
      if (targets.size() == 1 && part == LimbPart::kNeck) where = static_cast<double>(sources.size() - 1);
      const auto first = static_cast<std::size_t>(where);
      const std::size_t second = std::min(first + 1, sources.size() - 1);
      follows[at(targets[i])] = {sources[first], sources[second], where - static_cast<double>(first), rest};
    }
  }
  return follows;
}

// --- the target ------------------------------------------------------------------------------------------------------

/// A leg's joint that is held still on the ground, and the frames in which it stands.
struct Foot {
  int source = 0, target = 0;  ///< toes where both have them, else ankles
  std::vector<bool> planted;   ///< per frame
  std::vector<Vec3d> shifts;   ///< per frame: from where it would be to where it should be
};

class LimbRetarget {
 public:
  LimbRetarget(const kinematics::Motion& motion, const rig::Rig& from, const rig::Rig& to, LimbMap from_map,
               LimbMap to_map)
      : rig_(to),
        from_(std::move(from_map)),
        to_(std::move(to_map)),
        source_(play(from, motion)),
        follows_(find_follows(from_, to_)),
        frames_(motion.frame_count()),
        ratio_((to_.leg_length(0) + to_.leg_length(1)) / (from_.leg_length(0) + from_.leg_length(1))),
        result_(kinematics::rest_motion(to, motion.frame_count(), motion.fps)) {
    target_.joints = to.joints().size();
    target_.turns.resize(at(frames_) * target_.joints), target_.places.resize(target_.turns.size());
    result_.loops = motion.loops;
  }

  kinematics::Motion run() {
    for (int f = 0; f < frames_; ++f) {
      for (int j = 0; j < rig_.joint_count(); ++j) turn(f, j) = followed_turn(f, j);
      pose(f);
      place_hips(f);
    }
    for (int side = 0; side < 2; ++side) feet_.push_back(find_foot(side));
    for (Foot& foot : feet_) find_shifts(foot);
    lower_hips();
    for (int f = 0; f < frames_; ++f) {
      bool bent = false;
      for (int side = 0; side < 2; ++side) bent = bend_leg(f, side) || bent;
      if (bent) pose(f);
    }
    return std::move(result_);
  }

 private:
  Quatd& turn(int frame, int joint) { return target_.turn(frame, joint); }
  Vec3d& place(int frame, int joint) { return target_.place(frame, joint); }

  Quatd followed_turn(int frame, int joint) {
    const Follow& follow = follows_[at(joint)];
    const int parent = rig_.joints()[at(joint)].parent;
    if (follow.first < 0) return parent < 0 ? Quatd{} : turn(frame, parent);
    const Quatd a = source_.turn(frame, follow.first), b = source_.turn(frame, follow.second);
    return (follow.share > 0 ? slerp(a, b, follow.share) : a) * follow.to_source_rest;
  }

  void pose(int frame) { retarget::pose(rig_, frame, target_, result_); }

  static Vec3d middle(Vec3d a, Vec3d b) { return 0.5 * (a + b); }

  /// The middle between the hips moves as in the source, in proportion to the legs, seen from where the ankles are.
  void place_hips(int frame) {
    const auto rest_middle = [](const LimbMap& map, LimbPart part) {
      return middle(map.place(part), map.place(sided(part, 1)));
    };
    const int left = from_.first(LimbPart::kThigh), right = from_.first(LimbPart::kThighRight);
    const Vec3d source = middle(source_.place(frame, left), source_.place(frame, right));
    Vec3d goal = ratio_ * (source - rest_middle(from_, LimbPart::kThigh)) + rest_middle(to_, LimbPart::kThigh);
    // Legs of these lengths, not heights: boots and hooves lift the ankle.
    const double over_from = rest_middle(from_, LimbPart::kThigh).y - rest_middle(from_, LimbPart::kFoot).y;
    const double over_to = rest_middle(to_, LimbPart::kThigh).y - rest_middle(to_, LimbPart::kFoot).y;
    goal.y += ratio_ * over_from - over_to;
    const Vec3d is = middle(place(frame, to_.first(LimbPart::kThigh)), place(frame, to_.first(LimbPart::kThighRight)));
    move_all(frame, goal - is);
  }

  void move_all(int frame, Vec3d by) {
    Vec3& root = result_.root_translations[at(frame)];
    root = (root.cast<double>() + by).cast<float>();
    for (int j = 0; j < rig_.joint_count(); ++j) place(frame, j) += by;
  }

  Foot find_foot(int side) const {
    const std::vector<int>&sources = from_.of(sided(LimbPart::kFoot, side)),
          &targets = to_.of(sided(LimbPart::kFoot, side));
    const std::size_t which = sources.size() > 1 && targets.size() > 1 ? 1 : 0;
    Foot foot{sources[which], targets[which], std::vector<bool>(at(frames_), false), std::vector<Vec3d>(at(frames_))};
    for (int f = 0; f < frames_; ++f) {
      const Vec3d now = source_.place(f, foot.source);
      const Vec3d before = source_.place(std::max(f - 1, 0), foot.source);
      const Vec3d after = source_.place(std::min(f + 1, frames_ - 1), foot.source);
      const double speed = result_.fps * std::max(norm(now - before), norm(after - now));
      const double height = now.y - from_.places[at(foot.source)].y;
      foot.planted[at(f)] = height < kStandingHeight && speed < kStandingSpeed;
    }
    for (int f = 0; f < frames_;) {
      int end = f;
      while (end < frames_ && foot.planted[at(end)]) ++end;
      if (end - f < kShortest) std::fill(foot.planted.begin() + f, foot.planted.begin() + end, false);
      f = end + 1;
    }
    return foot;
  }

  /// A standing foot stays where it is on average, but for what it moves in the source.
  void find_shifts(Foot& foot) {
    for (int f = 0; f < frames_;) {
      int end = f;
      while (end < frames_ && foot.planted[at(end)]) ++end;
      Vec3d source_mean, mean;
      for (int k = f; k < end; ++k) {
        source_mean += source_.place(k, foot.source) / static_cast<double>(end - f);
        mean += place(k, foot.target) / static_cast<double>(end - f);
      }
      for (int k = f; k < end; ++k) {
        const Vec3d here = source_.place(k, foot.source);
        Vec3d goal = mean + ratio_ * (here - source_mean);
        goal.y = to_.places[at(foot.target)].y + ratio_ * (here.y - from_.places[at(foot.source)].y);
        foot.shifts[at(k)] = goal - place(k, foot.target);
      }
      f = end + 1;
    }
    ease_shifts(foot);
  }

  /// In the air the shift passes from one foothold to the next.
  void ease_shifts(Foot& foot) const {
    int last = -1;
    for (int f = 0; f <= frames_; ++f) {
      if (f < frames_ && !foot.planted[at(f)]) continue;
      if (last < 0 && f == frames_) return;
      const Vec3d from = foot.shifts[at(last >= 0 ? last : f)], to = f < frames_ ? foot.shifts[at(f)] : from;
      for (int k = last + 1; k < f; ++k) {
        const double t = static_cast<double>(k - last) / (f - last), ease = t * t * (3 - 2 * t);
        foot.shifts[at(k)] = lerp(from, to, ease);
      }
      last = f;
    }
  }

  struct Leg {
    Vec3d hip, knee, ankle;
    double thigh = 0, shin = 0;
  };
  Leg leg(int frame, int side) {
    Leg leg{place(frame, to_.first(sided(LimbPart::kThigh, side))),
            place(frame, to_.first(sided(LimbPart::kShin, side))),
            place(frame, to_.first(sided(LimbPart::kFoot, side)))};
    leg.thigh = norm(leg.knee - leg.hip), leg.shin = norm(leg.ankle - leg.knee);
    return leg;
  }

  /// Where standing feet are out of reach, the hips come down, gently; feet stay.
  void lower_hips() {
    std::vector<double> needed(at(frames_), 0.0);
    for (int f = 0; f < frames_; ++f) {
      for (int side = 0; side < 2; ++side) {
        if (!feet_[at(side)].planted[at(f)]) continue;
        const Leg now = leg(f, side);
        const Vec3d goal = now.ankle + feet_[at(side)].shifts[at(f)];
        const double straight = now.thigh + now.shin, reach = kReach * straight;
        if (norm(goal - now.hip) <= (1 + 1e-6) * straight) continue;
        const double aside = std::hypot(goal.x - now.hip.x, goal.z - now.hip.z);
        const double drop = now.hip.y - goal.y - std::sqrt(std::max(0.0, reach * reach - aside * aside));
        needed[at(f)] = std::max(needed[at(f)], drop);
      }
    }
    if (std::all_of(needed.begin(), needed.end(), [](double need) { return need <= 0; })) return;
    // The mean over a window of the largest within a window is nowhere less than what is needed.
    const int window = std::max(1, static_cast<int>(kLoweringSeconds * result_.fps));
    std::vector<double> largest(needed.size());
    const auto within = [&](int f) { return std::pair(std::max(0, f - window), std::min(frames_ - 1, f + window)); };
    for (int f = 0; f < frames_; ++f) {
      const auto range = within(f);
      largest[at(f)] = *std::max_element(needed.begin() + range.first, needed.begin() + range.second + 1);
    }
    for (int f = 0; f < frames_; ++f) {
      const auto range = within(f);
      double lower = 0;
      for (int k = range.first; k <= range.second; ++k) lower += largest[at(k)] / (range.second - range.first + 1);
      move_all(f, {0, -lower, 0});
      for (Foot& foot : feet_) foot.shifts[at(f)].y += lower;
    }
  }

  /// Bends knee and hip so that the ankle goes where it should; the foot keeps its direction. Whether it did.
  bool bend_leg(int frame, int side) {
    const Vec3d shift = feet_[at(side)].shifts[at(frame)];
    if (norm(shift) < 1e-6) return false;
    const Leg now = leg(frame, side);
    const Vec3d goal = now.ankle + shift;
    const double a = now.thigh, b = now.shin;
    const double distance = std::clamp(norm(goal - now.hip), std::abs(a - b) + 1e-4 * (a + b), a + b);
    const Vec3d thigh = now.knee - now.hip, shin = now.ankle - now.knee;
    // A straight leg does not tell which way the knee bends: the shin goes back.
    Vec3d axis = cross(thigh, shin);
    if (norm(axis) < 1e-3 * a * b) axis = rotate(turn(frame, to_.first(LimbPart::kTrunk)), Vec3d{1, 0, 0});
    axis = normalized(axis);
    const double bent = std::acos(std::clamp(dot(thigh, shin) / (a * b), -1.0, 1.0));
    const double cosine = std::clamp((distance * distance - a * a - b * b) / (2 * a * b), -1.0, 1.0);
    const Quatd knee = axis_angle(axis, std::acos(cosine) - bent);
    const Vec3d reached = now.knee + rotate(knee, shin) - now.hip;
    const Quatd hip = rotation_between(normalized(reached), normalized(goal - now.hip));
    for (const int j : to_.of(sided(LimbPart::kThigh, side))) turn(frame, j) = hip * turn(frame, j);
    for (const int j : to_.of(sided(LimbPart::kShin, side))) turn(frame, j) = hip * knee * turn(frame, j);
    follow_parents(frame);
    return true;
  }

  void follow_parents(int frame) {
    for (int j = 1; j < rig_.joint_count(); ++j) {
      if (follows_[at(j)].first < 0) turn(frame, j) = turn(frame, rig_.joints()[at(j)].parent);
    }
  }

  const rig::Rig& rig_;
  LimbMap from_, to_;
  Played source_;
  std::vector<Follow> follows_;
  int frames_;
  double ratio_;
  kinematics::Motion result_;
  Played target_;
  std::vector<Foot> feet_;
};

}  // namespace

bool moves_like_people(const rig::Rig& rig) { return find_limb_map(rig).has_value(); }

std::optional<kinematics::Motion> retarget_by_limbs(const kinematics::Motion& motion, const rig::Rig& from,
                                                    const rig::Rig& to) {
  LIMBER_EXPECT(motion.joint_count == from.joint_count(), std::to_string(motion.joint_count));
  std::optional<LimbMap> source = find_limb_map(from), target = find_limb_map(to);
  if (!source || !target || motion.frame_count() == 0) return std::nullopt;
  return LimbRetarget(motion, from, to, *std::move(source), *std::move(target)).run();
}

}  // namespace limber::retarget
