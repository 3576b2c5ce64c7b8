// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/grammar.h"

namespace limber::zoo {
namespace {

double by_length(Rng& rng, Length length, double shortest, double middle, double longest) {
  const double centre = length == Length::kShort ? shortest : length == Length::kMedium ? middle : longest;
  return centre * rng.uniform(0.85, 1.18);
}

bool has_fins(const BodySpec& spec) {
  return spec.flipper_pairs > 0 || spec.disc || spec.tail_fin != TailFin::kNone || spec.dorsal;
}

/// Hips of legs that stand under the body, or beside it.
double draw_ride(GrammarBody& body) {
  const BodySpec& spec = body.spec;
  Rng& rng = body.rng;
  if (spec.leg_pairs == 0) return 0;
  switch (spec.leg_style) {
    case LegStyle::kInsect:
      if (spec.leg_pairs > 5) return body.girth * rng.uniform(1.5, 2.4);
      return by_length(rng, spec.leg_length, 0.38, 0.52, 0.7);
    case LegStyle::kSprawling:
      return body.girth * rng.uniform(0.55, 0.75) + by_length(rng, spec.leg_length, 0.03, 0.07, 0.14);
    case LegStyle::kChain:
      return by_length(rng, spec.leg_length, 0.4, 0.65, 0.95);
    default:
      break;
  }
  if (spec.leg_pairs == 1 && body.upright()) return by_length(rng, spec.leg_length, 0.42, 0.82, 1.0);
  if (spec.leg_pairs == 1) return by_length(rng, spec.leg_length, 0.5, 0.75, 1.05);
  return by_length(rng, spec.leg_length, 0.46, 0.68, 1.0);
}

/// Along a trunk without arms of its own, from the hips to the shoulders.
double profile(const GrammarBody& body, double s, const std::array<double, 4>& marks) {
  (void)body;
  const double x = std::clamp(3 * s, 0.0, 2.9999);
  const auto k = static_cast<std::size_t>(x);
  const double t = x - static_cast<double>(k), ease = t * t * (3 - 2 * t);
  return marks[k] + (marks[k + 1] - marks[k]) * ease;
}

std::array<double, 4> draw_marks(GrammarBody& body) {
  Rng& rng = body.rng;
  const BodySpec& spec = body.spec;
  const bool standing = spec.leg_pairs > 0 && !body.upright();
  if (standing && spec.leg_pairs == 1)
    return {rng.uniform(0.7, 0.95), 1, rng.uniform(0.9, 1.05), rng.uniform(0.55, 0.8)};
  if (standing) return {rng.uniform(0.8, 0.98), rng.uniform(0.75, 1.05), 1, rng.uniform(0.75, 0.9)};
  if (spec.leg_pairs == 1)
    return {rng.uniform(0.8, 1.1), rng.uniform(0.75, 1.3), rng.uniform(0.95, 1.15), rng.uniform(0.7, 0.9)};
  if (spec.leg_pairs > 1) return {0.95, 1, rng.uniform(0.65, 0.8), rng.uniform(0.6, 0.75)};
  if (has_fins(spec)) return {rng.uniform(0.3, 0.5), rng.uniform(0.75, 0.9), 1, rng.uniform(0.75, 0.92)};
  if (spec.arm_pairs > 0 && spec.tails > 0) return {rng.uniform(0.85, 1.0), rng.uniform(0.75, 0.9), 1, 0.8};
  if (spec.tentacles > 0) return {rng.uniform(0.6, 0.9), 1, rng.uniform(0.9, 1.3), rng.uniform(0.7, 1.0)};
  // Sacks, pears, columns, bulbs.
  return {rng.uniform(0.5, 1.3), rng.uniform(0.4, 1.1), rng.uniform(0.5, 1.1), rng.uniform(0.45, 1.0)};
}

/// Places of the trunk's joints and end.
void lay_axis(GrammarBody& body) {
  const BodySpec& spec = body.spec;
  const int n = spec.segments;
  const double total = body.length + body.rise, tilt = body.upright() ? 0 : body.rng.uniform(-0.08, 0.14);
  const double arch = body.upright() ? 0 : body.rng.uniform(-0.02, 0.05);
  const std::array<double, 4> marks = draw_marks(body);
  body.level_end = body.length / total;
  const double bottom = body.ride + (spec.leg_pairs > 0 && !body.upright() ? 0.22 * body.girth : 0);
  for (int k = 0; k <= n; ++k) {
    const double s = static_cast<double>(k) / n, along = s * total;
    const double level = std::min(along, body.length), up = std::max(0.0, along - body.length);
    const double lean = body.upright() ? 0.03 * std::sin(kPi * s) : 0;
    body.points.push_back({0, bottom + up + tilt * level + arch * std::sin(kPi * s), level - 0.5 * body.length - lean});
    body.radii.push_back(body.girth * profile(body, s, marks));
  }
  if (spec.leg_pairs == 0 && !body.hovers && spec.tails == 0 && spec.tentacles == 0) {
    // Sits on the ground with its lower end, or lies on its belly.
    const bool up = body.upright();
    const double lowest = up ? body.points[0].y - 0.75 * body.radii[0] : 1e9;
    for (std::size_t k = 0; k < body.points.size(); ++k) {
      body.points[k].y = up ? body.points[k].y - lowest : 0.9 * body.radii[k] * body.squash.y;
    }
  }
}

void set_squash(GrammarBody& body) {
  const bool up = body.upright();
  const double wide = body.spec.form == TrunkForm::kFlat     ? body.rng.uniform(1.35, 1.8)
                      : body.spec.form == TrunkForm::kNarrow ? body.rng.uniform(0.45, 0.7)
                      : up                                   ? body.rng.uniform(1.05, 1.3)
                                                             : body.rng.uniform(0.78, 1.0);
  const double deep = body.spec.form == TrunkForm::kFlat ? 0.75 : up ? 0.85 : 1;
  const bool round = body.spec.leg_pairs == 0 && body.spec.form == TrunkForm::kRound && body.spec.arm_pairs == 0;
  if (round) return;
  // The level part of a body that then rises is as deep as it is wide.
  body.squash = up && body.spec.leg_pairs < 2 ? Vec3d{wide, 1, deep} : Vec3d{wide, deep, 1};
}

/// A snake's way: the root in the middle, the spine before and the tail behind it.
void build_serpent(GrammarBody& body) {
  BodyPlan& plan = body.plan;
  const int n = body.spec.segments, front = std::max(2, n / 2), back = std::max(1, n - front);
  const double link = body.length / (front + back), slender = body.rng.uniform(0.25, 0.5);
  const double y_free = 0.5;
  const auto radius = [&](double z) {
    const double t = std::clamp((0.5 * body.length - z) / body.length, 0.0, 1.0);
    return body.girth * (0.72 + 0.28 * std::sin(kPi * std::min(1.0, 1.6 * t))) * (1 - (1 - slender) * t * t * t);
  };
  const double middle = 0.5 * body.length - front * link;
  const auto on_axis = [&](double z) { return Vec3d{0, body.hovers ? y_free : 0.92 * radius(z), z}; };
  const Vec3d bend{0.75, 0.4, 0.8};
  const int root = plan.joint("hips", -1, on_axis(middle), JointAxes::kTrunk, {6.3, 1.2, 1.3});
  plan.flesh(root, 0, on_axis(middle), radius(middle), on_axis(middle + link), radius(middle + link));
  body.joints = {root};
  for (int k = 0; k <= front; ++k) {
    const double z = middle + k * link;
    body.points.push_back(on_axis(z)), body.radii.push_back(radius(z));
    if (k == 0 || k == front) continue;
    const int joint = plan.joint(numbered("spine", k), body.joints.back(), on_axis(z), JointAxes::kTrunk, bend);
    plan.flesh(joint, 0, on_axis(z), radius(z), on_axis(z + link), radius(z + link));
    body.joints.push_back(joint);
  }
  ChainShape tail;
  tail.name = "tail", tail.range = bend;
  for (int k = 0; k <= back; ++k) {
    tail.points.push_back(on_axis(middle - k * link)), tail.radii.push_back(radius(middle - k * link));
  }
  tail.points[0] = on_axis(middle - 0.3 * link);
  body.tail_joint = add_chain(plan, root, tail);
  body.tail_base = tail.points.back(), body.tail_girth = tail.radii.back();
}

/// A swimmer's: the root behind the head, the rest of the body is its tail.
void build_swimmer(GrammarBody& body) {
  BodyPlan& plan = body.plan;
  const int n = std::max(3, body.spec.segments), front = std::max(1, n / 3);
  lay_axis(body);
  // The axis runs from the tail; the root sits where the body is deepest.
  std::vector<Vec3d> points = body.points;
  std::vector<double> radii = body.radii;
  const auto start = static_cast<std::size_t>(n - front);
  const int root = plan.joint("hips", -1, points[start], JointAxes::kTrunk, {6.3, 1.3, 1.4});
  body.joints = {root};
  body.points = {points[start]}, body.radii = {radii[start]};
  for (std::size_t k = start; k < points.size() - 1; ++k) {
    if (k > start) {
      body.joints.push_back(plan.joint(numbered("spine", static_cast<int>(k - start)), body.joints.back(), points[k],
                                       JointAxes::kTrunk, {0.4, 0.3, 0.4}));
    }
    plan.flesh(body.joints.back(), 0, points[k], radii[k], points[k + 1], radii[k + 1], body.squash);
    body.points.push_back(points[k + 1]), body.radii.push_back(radii[k + 1]);
  }
  ChainShape tail;
  tail.name = "tail", tail.range = {0.6, 0.3, 0.5}, tail.squash = body.squash;
  for (std::size_t k = start + 1; k-- > 0;) tail.points.push_back(points[k]), tail.radii.push_back(radii[k]);
  tail.points[0] = lerp(tail.points[0], tail.points[1], 0.25);
  body.tail_joint = add_chain(plan, root, tail);
  body.tail_base = tail.points.back(), body.tail_girth = tail.radii.back();
}

/// An insect's: the legs leave one piece, the abdomen hangs behind it.
void build_thorax(GrammarBody& body) {
  BodyPlan& plan = body.plan;
  Rng& rng = body.rng;
  const double line = body.ride + 0.25 * body.girth, g = body.girth;
  const bool crab = body.spec.form == TrunkForm::kFlat;
  const double half = crab ? 0.24 : 0.3;
  const Vec3d wide = crab ? Vec3d{rng.uniform(1.5, 1.9), 0.75, 1} : Vec3d{1.1, 0.85, 1};
  body.squash = wide;
  const int root = plan.joint("hips", -1, {0, line, 0}, JointAxes::kTrunk, {6.3, 1.2, 1.3});
  body.joints = {root};
  body.points = {{0, line, -half}, {0, line, half}};
  body.radii = {0.9 * g, g};
  plan.flesh(root, 0, body.points[0], 0.9 * g, body.points[1], g, wide);
  const int pieces = body.spec.segments - 1;
  const double length = crab ? 0.12 : rng.uniform(0.45, 1.0), girth = g * (crab ? 0.5 : rng.uniform(0.95, 1.5));
  const double rise = crab ? -0.3 : rng.uniform(0, 0.3), waist_girth = rng.uniform(0.5, 0.8) * g;
  const Vec3d waist{0, line, -half - (crab ? 0.1 : 0.16)};
  const int limb = plan.limb(waist, 0.08, 0.4, 0.05);
  int parent = root;
  Vec3d from = waist;
  for (int k = 0; k < pieces; ++k) {
    const double t = static_cast<double>(k + 1) / pieces;
    const auto radius = [&](double u) {
      return std::max(waist_girth * (1 - u), girth * std::sin(kPi * std::min(1.0, 0.2 + 0.68 * u)));
    };
    const Vec3d to = waist + t * length * Vec3d{0, rise, -1};
    parent = plan.joint(pieces > 0 ? numbered("abdomen", k + 1) : "abdomen.1", parent, from, JointAxes::kTrunk,
                        {0.5, 0.4, 0.6});
    plan.flesh(parent, limb, k == 0 ? from + Vec3d{0, 0, 0.08} : from, radius(t - 1.0 / pieces), to, radius(t),
               {1, 0.9, 1});
    from = to;
  }
  body.tail_joint = parent;
  body.tail_base = from, body.tail_girth = 0.4 * girth;
}

void build_spine(GrammarBody& body) {
  BodyPlan& plan = body.plan;
  lay_axis(body);
  const bool stiff = body.spec.suppleness == Suppleness::kStiff || body.spec.shell;
  const double bend = stiff ? 0.15 : body.spec.suppleness == Suppleness::kSerpentine ? 0.75 : 0.5;
  const int n = body.spec.segments;
  for (int k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const std::string name = k == 0 ? "hips" : k + 1 == n ? "chest" : numbered("spine", k);
    const int joint = k == 0 ? plan.joint(name, -1, body.points[0], JointAxes::kTrunk, {6.3, 1.3, 1.5})
                             : plan.joint(name, body.joints.back(), body.points[i], JointAxes::kTrunk,
                                          {bend, 0.8 * bend, 1.4 * bend});
    body.joints.push_back(joint);
    plan.flesh(joint, 0, body.points[i], body.radii[i], body.points[i + 1], body.radii[i + 1], body.squash);
  }
  const Station hips = body.at(0);
  body.tail_joint = hips.joint, body.tail_girth = hips.radius;
  body.tail_base = hips.centre + (body.upright() && body.spec.leg_pairs < 2
                                      ? 0.6 * hips.radius * hips.dorsal
                                      : hips.radius * (0.35 * hips.dorsal - 0.65 * hips.along));
}

void build_shell(GrammarBody& body) {
  // A dome over the back, on the middle joint of the trunk.
  const Station middle = body.thorax ? body.at(0.3) : body.at(0.5);
  const int joint = body.joints[body.joints.size() / 2];
  const double across = 1.25 * middle.half_width,
               back = body.upright() ? 0.5 * body.rise : 0.5 * norm(body.points.back() - body.points.front());
  const int limb = body.plan.limb(middle.centre, 0.3 * body.girth, 2 * body.girth, 0.05);
  const Vec3d lift = 0.35 * middle.radius * middle.dorsal;
  const double radius = std::max(0.62 * back, across);
  const Vec3d squash = body.upright() ? Vec3d{1, 0.95 * back / radius + 0.2, 0.55}
                                      : Vec3d{std::min(1.1, 1.6 * across / radius), 0.68, 0.95 * back / radius + 0.2};
  body.plan.ball(joint, limb, middle.centre + lift, radius, squash);
}

}  // namespace

Station GrammarBody::at(double along) const {
  const double x = std::clamp(along, 0.0, 1.0) * static_cast<double>(points.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(x), points.size() - 2);
  const double t = x - static_cast<double>(k);
  Station station;
  station.joint = joints[std::min(k, joints.size() - 1)];
  station.centre = lerp(points[k], points[k + 1], t);
  station.along = normalized(points[k + 1] - points[k], Vec3d{0, 0, 1});
  station.dorsal = normalized(cross(station.along, Vec3d{1, 0, 0}), Vec3d{0, 1, 0});
  const double radius = radii[k] + t * (radii[k + 1] - radii[k]);
  station.radius = radius * (std::abs(station.along.y) > 0.7 ? squash.z : squash.y);
  station.half_width = radius * squash.x;
  station.at = static_cast<float>(along);
  return station;
}

void draw_proportions(GrammarBody& body) {
  const BodySpec& spec = body.spec;
  Rng& rng = body.rng;
  const bool insect = spec.leg_pairs > 0 && spec.leg_style == LegStyle::kInsect;
  body.thorax = insect && spec.leg_pairs <= 5 && !body.upright();
  body.hovers = spec.leg_pairs == 0 && (has_fins(spec) || (spec.tentacles > 0 && !body.upright()));
  body.length = body.upright() ? (spec.leg_pairs >= 2 ? 0.85 : 0) : 1;
  body.rise = body.upright() ? (spec.leg_pairs >= 2 ? rng.uniform(0.5, 0.65) : rng.uniform(0.55, 0.72)) : 0;
  body.girth = rng.uniform(0.15, 0.23);
  if (body.upright() && spec.leg_pairs < 2) body.girth = rng.uniform(0.14, 0.2);
  if (spec.leg_pairs == 1 && !body.upright()) body.length = 0.62, body.girth = rng.uniform(0.18, 0.27);
  if (spec.leg_style == LegStyle::kSprawling && spec.leg_pairs > 0) body.girth = rng.uniform(0.15, 0.22);
  if (body.thorax) body.girth = rng.uniform(0.2, 0.28);
  if (spec.suppleness == Suppleness::kSerpentine && !body.upright())
    body.girth = rng.uniform(0.026, 0.045), body.length = 0.9;
  if (spec.leg_pairs > 5) body.girth = std::min(0.12, rng.uniform(0.055, 0.08) * (spec.leg_pairs > 8 ? 0.75 : 1.2));
  if (spec.leg_pairs > 2 && spec.leg_pairs <= 5 && !insect) body.length = 0.5 + 0.3 * spec.leg_pairs;
  if (body.hovers) body.girth = rng.uniform(0.11, 0.19);
  if (spec.disc) body.girth = rng.uniform(0.09, 0.13), body.length = 0.7;
  if (body.upright() && spec.leg_pairs == 0 && spec.arm_pairs == 0 && spec.tentacles == 0) {
    body.rise = rng.uniform(0.4, 1.1), body.girth = rng.uniform(0.12, 0.35);
  }
  if (spec.tentacles > 0 && spec.leg_pairs == 0)
    body.rise = rng.uniform(0.25, 0.5), body.girth = rng.uniform(0.2, 0.32);
  body.ride = draw_ride(body);
  if (body.hovers) body.ride = 0.6;
  if (spec.leg_pairs == 0 && !body.hovers && body.upright()) {
    body.ride = spec.tails > 0 ? body.girth * rng.uniform(1.3, 2.0) : spec.tentacles > 0 ? rng.uniform(0.2, 0.4) : 0;
  }
  body.head_size = body.thorax      ? rng.uniform(0.17, 0.25)
                   : body.upright() ? rng.uniform(0.13, 0.21)
                                    : rng.uniform(0.11, 0.165);
  body.head_size *= std::sqrt(std::clamp(body.girth / 0.19, 0.12, 1.3));
  if (spec.heads > 1) body.head_size *= 0.8;
}

void build_trunk(GrammarBody& body) {
  // Wide seams between short segments would swell the trunk.
  body.plan.limb({}, 0, 1, 0.2 * body.girth * std::min(1.0, 4.0 / body.spec.segments));
  set_squash(body);
  const BodySpec& spec = body.spec;
  if (body.thorax) {
    build_thorax(body);
  } else if (spec.leg_pairs == 0 && !body.upright() && spec.suppleness == Suppleness::kSerpentine) {
    build_serpent(body);
  } else if (spec.leg_pairs == 0 && !body.upright() && spec.tail_fin != TailFin::kNone) {
    build_swimmer(body);
  } else {
    build_spine(body);
  }
  if (spec.shell) build_shell(body);
}

}  // namespace limber::zoo
