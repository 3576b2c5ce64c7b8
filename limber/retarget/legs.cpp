// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/legs.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"

namespace limber::retarget {
namespace {

/// A foot stands while it is nearer to where it stands at rest than this and slower than that: leg lengths, leg lengths
/// a second. What is shorter than `kShortest` seconds only touches.
constexpr double kStandingHeight = 0.08, kStandingSpeed = 0.5, kShortest = 0.09;
/// Of the leg's length: how straight a leg may be that has to reach farther than in the source.
constexpr double kReach = 0.998;
/// Seconds within which the body comes down and up again; leg lengths: how far at most.
constexpr double kLoweringSeconds = 0.25, kLowest = 0.3;
/// Radians: a joint that is bent less does not tell which way it bends, and one does not fold farther than that.
constexpr double kTelling = 0.12, kFolded = 2.8;
/// An arm that leads a leg and hangs down this straight stands on the ground; beyond the other it does not. Radians.
constexpr double kHangs = 0.6, kRaised = 1.1;

double smooth(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

void find_stance(const std::vector<Vec3d>& soles, double rest, double leg, double fps, std::vector<bool>& planted) {
  const int frames = static_cast<int>(soles.size());
  for (int f = 0; f < frames; ++f) {
    const Vec3d now = soles[at(f)], before = soles[at(std::max(f - 1, 0))],
                after = soles[at(std::min(f + 1, frames - 1))];
    const double speed = fps * std::max(norm(now - before), norm(after - now));
    planted[at(f)] = now.y - rest < kStandingHeight * leg && speed < kStandingSpeed * leg;
  }
  const int shortest = std::max(2, static_cast<int>(std::lround(kShortest * fps)));
  for (int f = 0; f < frames;) {
    int end = f;
    while (end < frames && planted[at(end)]) ++end;
    if (end - f < std::min(shortest, frames)) std::fill(planted.begin() + f, planted.begin() + end, false);
    f = end + 1;
  }
}

/// While it stands a foot is where it is on average; in the air the change passes from one foothold to the next.
void lock(const std::vector<bool>& planted, std::vector<Vec3d>& goals) {
  const int frames = static_cast<int>(goals.size());
  std::vector<Vec3d> shifts(goals.size());
  for (int f = 0; f < frames;) {
    int end = f;
    while (end < frames && planted[at(end)]) ++end;
    Vec3d mean;
    for (int k = f; k < end; ++k) mean += goals[at(k)] / static_cast<double>(end - f);
    for (int k = f; k < end; ++k) shifts[at(k)] = {mean.x - goals[at(k)].x, 0, mean.z - goals[at(k)].z};
    f = end + 1;
  }
  int last = -1;
  for (int f = 0; f <= frames; ++f) {
    if (f < frames && !planted[at(f)]) continue;
    if (last < 0 && f == frames) return;
    const Vec3d from = shifts[at(last >= 0 ? last : f)], to = f < frames ? shifts[at(f)] : from;
    for (int k = last + 1; k < f; ++k)
      shifts[at(k)] = lerp(from, to, smooth(static_cast<double>(k - last) / (f - last)));
    if (f < frames) goals[at(f)] += shifts[at(f)];
    for (int k = last + 1; k < f; ++k) goals[at(k)] += shifts[at(k)];
    last = f;
  }
}

/// The same where the last frame is followed by the first, a lap farther on.
void lock_loop(const std::vector<Vec3d>& course, const std::vector<bool>& planted, std::vector<Vec3d>& goals) {
  const std::size_t frames = goals.size();
  if (frames < 2) return;
  Vec3d lap = static_cast<double>(frames) / static_cast<double>(frames - 1) * (course.back() - course.front());
  lap.y = 0;
  std::vector<bool> thrice;
  std::vector<Vec3d> rounds;
  for (int round = -1; round <= 1; ++round) {
    thrice.insert(thrice.end(), planted.begin(), planted.end());
    for (const Vec3d& goal : goals) rounds.push_back(goal + static_cast<double>(round) * lap);
  }
  lock(thrice, rounds);
  std::copy_n(rounds.begin() + static_cast<std::ptrdiff_t>(frames), frames, goals.begin());
}

void lock_foot(const Course& course, Foot& foot) {
  if (course.loops) {
    lock_loop(course.target, foot.planted, foot.goals);
  } else {
    lock(foot.planted, foot.goals);
  }
}

/// How much a leg that no leg leads stands on the ground, 0 to 1.
double standing(const Body& source, const Played& played, const LimbFollow* follow, int frame) {
  const Quatd body = played.turn(frame, source.trunk);
  const double tilt = std::acos(std::clamp(rotate(body, Vec3d{0, 1, 0}).y, -1.0, 1.0));
  const double upright = 1 - smooth((tilt - kHangs) / (kRaised - kHangs));
  if (follow == nullptr) return upright;
  const double raised = std::acos(std::clamp(-follow->lead_direction(frame).y, -1.0, 1.0));
  return upright * (1 - smooth((raised - kHangs) / (kRaised - kHangs)));
}

/// The chain that bends, and where its joints are in a frame: one more than bend.
struct Bent {
  std::vector<int> joints;
  std::vector<Vec3d> ways;  ///< from each joint to the next, the last one to the end
  std::vector<Vec3d> rest;  ///< where the joints and the end are at rest
};

Bent bent_leg(const Body& body, const Chain& leg, const Played& played, int frame) {
  Bent bent;
  const auto n = static_cast<int>(leg.joints.size());
  for (int i = 0; i < std::min(leg.ankle, n); ++i) {
    const int joint = leg.joints[at(i)];
    const Vec3d next = i + 1 < n ? played.place(frame, leg.joints[at(i + 1)]) : sole_place(body, leg, played, frame);
    bent.joints.push_back(joint), bent.ways.push_back(next - played.place(frame, joint));
    bent.rest.push_back(body.place(joint));
  }
  bent.rest.push_back(leg.ankle < n ? body.place(leg.joints[at(leg.ankle)]) : leg.sole);
  return bent;
}

/// Where the bending chain should end so that the sole is at its goal: the foot keeps its direction.
Vec3d end_goal(const Body& body, const Chain& leg, const Played& played, int frame, Vec3d sole) {
  if (leg.ankle >= static_cast<int>(leg.joints.size())) return sole;
  return sole - (sole_place(body, leg, played, frame) - played.place(frame, leg.joints[at(leg.ankle)]));
}

double straight_length(const Bent& bent) {
  double length = 0;
  for (const Vec3d& way : bent.ways) length += norm(way);
  return length;
}

/// How a bend turns: its axis and angle. One that is nearly straight bends as at rest, or as knees do.
struct Bend {
  Vec3d axis;
  double angle = 0;
};

Bend bend_at(const Played& played, int frame, const Bent& bent, std::size_t k) {
  const Vec3d before = bent.ways[k - 1], way = bent.ways[k];
  const Vec3d axis = cross(normalized(before), normalized(way));
  const double angle = std::atan2(norm(axis), dot(normalized(before), normalized(way)));
  if (angle >= kTelling) return {normalized(axis), angle};
  const Vec3d first = bent.rest[k] - bent.rest[k - 1], second = bent.rest[k + 1] - bent.rest[k];
  const Vec3d at_rest = cross(normalized(first), normalized(second));
  Vec3d habit = norm(at_rest) > kTelling ? normalized(at_rest) : Vec3d{1, 0, 0};
  habit = rotate(played.turn(frame, bent.joints[k - 1]), habit);
  const double share = angle / kTelling;
  return {normalized(axis + (1 - share) * kTelling * habit), angle};
}

/// World rotations of the chain's sections where all bends are `much` times what they are.
std::vector<Quatd> bent_by(const std::vector<Bend>& bends, double much) {
  std::vector<Quatd> turns{Quatd{}};
  for (const Bend& bend : bends) {
    const Quatd above = turns.back();
    // A straight joint bends, too, once the others have to.
    const double more = bend.angle < kTelling && much > 1 ? (much - 1) * kTelling : (much - 1) * bend.angle;
    const double angle = std::clamp(bend.angle + more, -kFolded, kFolded) - bend.angle;
    turns.push_back(axis_angle(rotate(above, bend.axis), angle) * above);
  }
  return turns;
}

Vec3d chord(const Bent& bent, const std::vector<Quatd>& turns) {
  Vec3d sum;
  for (std::size_t k = 0; k < bent.ways.size(); ++k) sum += rotate(turns[k], bent.ways[k]);
  return sum;
}

}  // namespace

Vec3d sole_place(const Body& body, const Chain& leg, const Played& played, int frame) {
  return played.place(frame, leg.sole_joint) +
         rotate(played.turn(frame, leg.sole_joint), leg.sole - body.place(leg.sole_joint));
}

Foot place_foot(const Body& source, const Played& played, const Chain& chain, const LimbFollow* follow,
                const Course& course) {
  const auto frames = course.target.size();
  Foot foot{&chain, follow, std::vector<Vec3d>(frames), std::vector<bool>(frames, false), {}};
  const Vec3d own = chain.stand - course.target_rest;
  if (follow == nullptr || follow->lead_chain().limb.kind != rig::LimbKind::kLeg) {
    for (std::size_t f = 0; f < frames; ++f) {
      const double stands = standing(source, played, follow, static_cast<int>(f));
      Vec3d there = course.stays ? chain.stand : course.target[f] + rotate(course.turns[f], own);
      there.y = lerp(Vec3d{0, there.y, 0}, Vec3d{0, chain.stand.y, 0}, stands).y;
      foot.goals[f] = there;
      foot.weights.push_back(stands);
    }
    return foot;
  }
  const Chain& lead = follow->lead_chain();
  std::vector<Vec3d> soles;
  for (int f = 0; f < played.frames(); ++f) soles.push_back(sole_place(source, lead, played, f));
  Vec3d rest = lead.stand - course.source_rest;
  if (follow->mirrors()) rest = mirrored(rest);
  find_stance(soles, lead.stand.y, source.leg_length, course.fps, foot.planted);
  for (std::size_t f = 0; f < frames; ++f) {
    Vec3d way = soles[f] - course.source[f];
    if (follow->mirrors()) {
      way = rotate(course.turns[f], mirrored(rotate(conjugate(course.turns[f]), way)));
    }
    foot.goals[f] = course.target[f] + course.ratio * way + rotate(course.turns[f], own - course.ratio * rest);
    foot.goals[f].y = std::max(foot.goals[f].y, chain.stand.y);
  }
  lock_foot(course, foot);
  return foot;
}

Foot keep_foot(const Body& source, const Played& played, const Body& target, const Played& result, const Chain& chain,
               const LimbFollow& follow, const Course& course) {
  const auto frames = at(result.frames());
  Foot foot{&chain, &follow, {}, std::vector<bool>(frames, false), {}};
  std::vector<Vec3d> soles;
  for (int f = 0; f < result.frames(); ++f) {
    soles.push_back(sole_place(source, follow.lead_chain(), played, f));
    foot.goals.push_back(sole_place(target, chain, result, f));
  }
  find_stance(soles, follow.lead_chain().stand.y, source.leg_length, course.fps, foot.planted);
  lock_foot(course, foot);
  return foot;
}

std::vector<double> needed_drops(const Body& target, const Played& result, const std::vector<Foot>& feet,
                                 const Course& course) {
  const int frames = result.frames();
  std::vector<double> needed(at(frames), 0.0), drops(at(frames), 0.0);
  for (const Foot& foot : feet) {
    for (int f = 0; f < frames; ++f) {
      if (!foot.planted[at(f)]) continue;
      const Bent bent = bent_leg(target, *foot.chain, result, f);
      const double straight = straight_length(bent), reach = kReach * straight;
      const Vec3d hip = result.place(f, bent.joints[0]);
      const Vec3d goal = end_goal(target, *foot.chain, result, f, foot.goals[at(f)]);
      if (norm(goal - hip) <= (1 + 1e-6) * straight) continue;
      const double aside = std::hypot(goal.x - hip.x, goal.z - hip.z);
      const double drop = hip.y - goal.y - std::sqrt(std::max(0.0, reach * reach - aside * aside));
      needed[at(f)] = std::max(needed[at(f)], std::min(drop, kLowest * target.leg_length));
    }
  }
  // The mean over a window of the largest within a window is nowhere less than what is needed.
  const int window = std::max(1, static_cast<int>(kLoweringSeconds * course.fps));
  const auto near = [&](int f, int k) {
    return at(course.loops ? ((f + k) % frames + frames) % frames : std::clamp(f + k, 0, frames - 1));
  };
  std::vector<double> largest(needed.size(), 0.0);
  for (int f = 0; f < frames; ++f) {
    for (int k = -window; k <= window; ++k) largest[at(f)] = std::max(largest[at(f)], needed[near(f, k)]);
  }
  for (int f = 0; f < frames; ++f) {
    for (int k = -window; k <= window; ++k) drops[at(f)] += largest[near(f, k)] / (2 * window + 1);
  }
  return drops;
}

void bend_leg(const Body& target, const Foot& foot, int frame, Played& result) {
  const Chain& leg = *foot.chain;
  const Bent bent = bent_leg(target, leg, result, frame);
  if (bent.joints.empty()) return;
  Vec3d sole = foot.goals[at(frame)];
  if (!foot.weights.empty()) sole = lerp(sole_place(target, leg, result, frame), sole, foot.weights[at(frame)]);
  const Vec3d hip = result.place(frame, bent.joints[0]), goal = end_goal(target, leg, result, frame, sole) - hip;
  const double straight = straight_length(bent), distance = std::clamp(norm(goal), 1e-6 * straight, straight);
  std::vector<Bend> bends;
  for (std::size_t k = 1; k < bent.joints.size(); ++k) bends.push_back(bend_at(result, frame, bent, k));
  // More bent is shorter: look for how much.
  double less = 0, more = 20;
  if (norm(chord(bent, bent_by(bends, 1))) < distance)
    more = 1;
  else
    less = 1;
  for (int i = 0; i < 50 && !bends.empty(); ++i) {
    const double middle = 0.5 * (less + more);
    (norm(chord(bent, bent_by(bends, middle))) > distance ? less : more) = middle;
  }
  const std::vector<Quatd> turns = bent_by(bends, 0.5 * (less + more));
  const Vec3d reached = chord(bent, turns);
  if (norm(reached) < 1e-9 || norm(goal) < 1e-9) return;
  const Quatd turn = rotation_between(normalized(reached), normalized(goal));
  for (std::size_t k = 0; k < bent.joints.size(); ++k) {
    Quatd& own = result.turn(frame, bent.joints[k]);
    own = normalized(turn * turns[k] * own);
  }
}

}  // namespace limber::retarget
