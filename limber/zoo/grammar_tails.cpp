// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/grammar.h"

/// Tails, fins and tentacles of the grammar.
namespace limber::zoo {
namespace {

struct TailDraw {
  int joints;
  double length, girth, slope, bend;
};

TailDraw draw_tail(GrammarBody& body) {
  Rng& rng = body.rng;
  const BodySpec& spec = body.spec;
  TailDraw tail{};
  const std::size_t k = static_cast<std::size_t>(spec.tail_length);
  tail.joints = std::array<int, 3>{2, 3, 5}[k] + (k == 2 && rng.chance(0.4) ? 1 : 0);
  tail.length = std::array<double, 3>{0.2, 0.5, 1.0}[k] * rng.uniform(0.8, 1.25);
  tail.girth = spec.tail_style == TailStyle::kThick ? 0.65 * body.tail_girth : rng.uniform(0.035, 0.055);
  if (spec.tail_style == TailStyle::kBushy) tail.girth = rng.uniform(0.05, 0.07);
  tail.slope = rng.uniform(-0.5, 0.8), tail.bend = 0.75;
  if (spec.tail_style == TailStyle::kThick && spec.leg_pairs > 0) tail.slope = rng.uniform(-0.15, 0.25);
  if (body.upright() && spec.leg_pairs < 2) tail.slope = rng.uniform(0.2, 0.7);
  if (spec.leg_pairs == 0 && body.upright()) {
    // What carries the body instead of legs.
    tail.joints = std::max(6, tail.joints), tail.length = std::max(1.1, 1.4 * tail.length);
    tail.girth = 0.95 * body.tail_girth, tail.slope = body.hovers ? 1.1 : 0.9;
  }
  if (body.thorax) tail.girth = std::max(0.055, 0.6 * body.tail_girth), tail.slope = -0.5;
  return tail;
}

double taper(const BodySpec& spec, double t) {
  if (spec.tail_style == TailStyle::kBushy) return 1 + 1.1 * std::sin(kPi * std::min(1.0, 0.15 + 0.8 * t));
  return spec.tail_style == TailStyle::kThick ? 1 - 0.8 * t : 1 - 0.5 * t;
}

/// The way of a tail from where it leaves the body.
std::vector<Vec3d> tail_points(const GrammarBody& body, const TailDraw& tail, double yaw) {
  const BodySpec& spec = body.spec;
  std::vector<Vec3d> points = {body.tail_base};
  double slope = tail.slope;
  const bool naga = spec.leg_pairs == 0 && body.upright();
  for (int k = 0; k < tail.joints; ++k) {
    if (body.thorax) {
      slope -= 0.55;  // a scorpion's: up and over
    } else if (spec.tail_dragged || naga) {
      slope = k == 0 ? tail.slope : slope * (naga ? 0.65 : 0.85);
    } else {
      slope *= tail.bend;
    }
    const Vec3d way{std::cos(slope) * std::sin(yaw), -std::sin(slope), -std::cos(slope) * std::cos(yaw)};
    Vec3d next = points.back() + (tail.length / tail.joints) * way;
    const double t = static_cast<double>(k + 1) / tail.joints, radius = tail.girth * taper(spec, t);
    if (!body.hovers) {
      const double least = spec.tail_dragged || naga ? 0.92 * radius : std::max(0.25 * body.ride, 1.2 * radius);
      if (spec.tail_dragged)
        next.y = std::max(least, body.tail_base.y + (least - body.tail_base.y) * std::min(1.0, 1.5 * t));
      next.y = std::max(next.y, least);
    }
    points.push_back(next);
  }
  return points;
}

/// The fan of a bird: two joints, flat.
void build_fan(GrammarBody& body) {
  Rng& rng = body.rng;
  BodyPlan& plan = body.plan;
  const double length =
      std::array<double, 3>{0.25, 0.4, 0.65}[static_cast<std::size_t>(body.spec.tail_length)] * rng.uniform(0.85, 1.15);
  const double width = rng.uniform(0.09, 0.17), drop = rng.uniform(-0.2, 0.5);
  const Vec3d base = body.tail_base, back = normalized(Vec3d{0, -drop, -1}), middle = base + 0.5 * length * back;
  const Vec3d normal = normalized(Vec3d{0, 1, -drop});
  const int limb = plan.limb(base, 0.12, 0.4, 0.03);
  const int inner = plan.joint("tail.1", body.tail_joint, base, JointAxes::kTrunk, {0.6, 0.5, 0.8});
  plan.belongs(inner, rig::LimbKind::kTail);
  plan.plate(inner, limb, base, 0.5 * body.girth, middle, width, normal, 0.4);
  const int outer = plan.joint("tail.2", inner, middle, JointAxes::kTrunk, {0.6, 0.5, 0.8});
  plan.plate(outer, limb, middle, width, base + length * back, 1.25 * width, normal, 0.22);
  body.tail_joint = outer, body.tail_base = base + length * back;
}

void build_tail_fin(GrammarBody& body) {
  if (body.spec.tail_fin == TailFin::kNone) return;
  Rng& rng = body.rng;
  BodyPlan& plan = body.plan;
  const bool flukes = body.spec.tail_fin == TailFin::kFlukes;
  const double size = rng.uniform(0.13, 0.22), fork = rng.uniform(0.3, 0.8);
  const Vec3d base = body.tail_base;
  // Behind the body; below where it hangs.
  const Vec3d back = body.upright() ? normalized(Vec3d{0, -0.5, -1}) : Vec3d{0, 0, -1};
  const Vec3d out = flukes ? Vec3d{1, 0, 0} : normalized(cross(back, Vec3d{1, 0, 0})),
              normal = flukes ? cross(Vec3d{1, 0, 0}, back) : Vec3d{1, 0, 0};
  const int joint = plan.joint("tailfin", body.tail_joint, base, JointAxes::kTrunk, {0.8, 0.3, 0.6});
  plan.belongs(joint, rig::LimbKind::kTail);
  const int limb = plan.limb(base, 0.03, 0.2, 0.02);
  for (const double s : {1.0, -1.0}) {
    const Vec3d tip = base + s * size * out + (0.35 + 0.65 * fork) * size * back,
                middle = lerp(base, tip, 0.5) + 0.1 * size * back;
    plan.plate(joint, limb, base, 0.045, middle, 0.07, normal, 0.25);
    plan.plate(joint, limb, middle, 0.07, tip, 0.04, normal, 0.25);
  }
}

}  // namespace

void build_tails(GrammarBody& body) {
  const BodySpec& spec = body.spec;
  const bool fan =
      spec.tails == 1 && spec.tail_style == TailStyle::kBushy && spec.wing_pairs > 0 && spec.leg_pairs == 1;
  if (fan) {
    build_fan(body);
  } else if (spec.tails > 0) {
    const TailDraw draw = draw_tail(body);
    const int parent = body.tail_joint;
    Vec3d end;
    static constexpr const char* kNames[] = {"tail", "second.tail", "third.tail"};
    for (int k = 0; k < spec.tails; ++k) {
      const double yaw = spec.tails == 1   ? 0
                         : spec.tails == 2 ? (k == 0 ? 0.4 : -0.4)
                                           : (k == 0   ? 0
                                              : k == 1 ? 0.6
                                                       : -0.6);
      ChainShape tail;
      tail.name = kNames[k], tail.kind = rig::LimbKind::kTail, tail.range = {0.8, 0.5, 0.9};
      tail.points = tail_points(body, draw, yaw);
      // Side by side where they leave.
      for (Vec3d& point : tail.points) point.x += 0.5 * body.tail_girth * std::sin(yaw);
      for (int i = 0; i <= draw.joints; ++i)
        tail.radii.push_back(draw.girth * taper(spec, static_cast<double>(i) / draw.joints));
      const double blend = spec.tail_style == TailStyle::kThick ? 0.5 * body.tail_girth : 0.08;
      tail.limb = body.plan.limb(tail.points[0], blend, 0.25 + body.tail_girth, 0.02);
      const int last = add_chain(body.plan, parent, tail);
      if (k == 0) body.tail_joint = last, end = tail.points.back();
    }
    body.tail_base = end;
  }
  build_tail_fin(body);
}

void build_fins(GrammarBody& body) {
  const BodySpec& spec = body.spec;
  Rng& rng = body.rng;
  const double length = rng.uniform(0.18, 0.34), width = rng.uniform(0.05, 0.085);
  const bool up = body.upright();
  for (int pair = 0; pair < spec.flipper_pairs; ++pair) {
    const Station place = body.at(pair == 0 ? 0.72 : 0.12);
    FinShape fin;
    fin.name = spec.flipper_pairs > 1 ? numbered("flipper", pair + 1) : "flipper";
    fin.station = place.at;
    const double size = length * (pair == 0 ? 1 : 0.7) * (spec.flipper_pairs > 1 ? 1.3 : 1);
    fin.base = place.centre + Vec3d{0.82 * place.half_width, 0, 0} - 0.3 * place.radius * place.dorsal;
    fin.tip = fin.base + size * normalized(up ? Vec3d{0.55, -1, 0} : Vec3d{0.85, -0.2, -0.5 - 0.2 * pair});
    const Vec3d along = normalized(fin.tip - fin.base), flat = up ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0.15};
    fin.normal = normalized(flat - dot(flat, along) * along);
    fin.root_width = 0.85 * width, fin.tip_width = 0.8 * width;
    for (const int side : {1, -1}) add_fin(body.plan, place.joint, fin, side);
  }
  if (spec.dorsal) {
    const Station place = body.at(body.joints.size() == 1 ? 0.2 : 0.4);
    FinShape fin;
    fin.name = "dorsal", fin.normal = {1, 0, 0}, fin.station = place.at, fin.thickness = 0.3;
    fin.base = place.centre + 0.8 * place.radius * place.dorsal;
    fin.tip = fin.base + rng.uniform(0.12, 0.24) * normalized(place.dorsal - 0.7 * place.along);
    fin.root_width = 0.08, fin.tip_width = 0.035;
    add_fin(body.plan, place.joint, fin, 1);
  }
  if (!spec.disc) return;
  const double span = rng.uniform(0.42, 0.7), sweep = rng.uniform(-0.1, 0.15);
  for (const int side : {1, -1}) {
    const Station middle = body.at(0.5);
    const int limb = body.plan.limb(middle.centre, 0.1, 0.5, 0.06);
    for (int k = 0; k < 3; ++k) {
      const Station place = body.at(0.15 + 0.35 * k);
      const double reach = span * std::array<double, 3>{0.5, 1.0, 0.55}[static_cast<std::size_t>(k)];
      FinShape fin;
      fin.name = numbered("disc", k + 1), fin.station = place.at, fin.limb = limb, fin.thickness = 0.2;
      fin.base = place.centre + Vec3d{0.6 * place.half_width, 0, 0};
      fin.tip = {fin.base.x + reach, fin.base.y,
                 middle.centre.z + 0.5 * (place.centre.z - middle.centre.z) - sweep * span};
      fin.root_width = 0.17, fin.tip_width = k == 1 ? 0.05 : 0.09;
      add_fin(body.plan, place.joint, fin, side);
    }
  }
}

namespace {

/// From the lower end of an upright body, out and down to the ground, then along it.
std::vector<Vec3d> crawling_tentacle(const GrammarBody& body, Vec3d base, Vec3d out, double length, double girth) {
  std::vector<Vec3d> points = {base};
  constexpr int kJoints = 5;
  for (int k = 0; k < kJoints; ++k) {
    const double t = (k + 1.0) / kJoints;
    const double drop = std::min(1.0, 1.9 * t), floor = girth * (1 - 0.6 * t);
    Vec3d next = points.back() + (length / kJoints) * (0.35 + 0.65 * std::min(1.0, 1.3 * t)) * out;
    next.y = base.y + (0.9 * floor - base.y) * drop * drop * (3 - 2 * drop);
    // The tip curls up a little.
    if (k + 1 == kJoints && !body.hovers) next.y += 0.05;
    points.push_back(next);
  }
  return points;
}

void build_tentacle(GrammarBody& body, int number, int parent, const std::string& suffix, std::vector<Vec3d> points,
                    double girth, int limb) {
  ChainShape chain;
  chain.name = numbered("tentacle", number), chain.suffix = suffix, chain.kind = rig::LimbKind::kTentacle;
  chain.range = {0.9, 0.6, 1.0}, chain.points = std::move(points), chain.limb = limb;
  for (std::size_t k = 0; k < chain.points.size(); ++k) {
    chain.radii.push_back(girth * (1 - 0.6 * static_cast<double>(k) / static_cast<double>(chain.points.size() - 1)));
  }
  add_chain(body.plan, parent, chain);
}

}  // namespace

void build_tentacles(GrammarBody& body) {
  const int count = body.spec.tentacles;
  if (count == 0) return;
  Rng& rng = body.rng;
  const bool beard = body.spec.leg_pairs > 0 || (!body.heads.empty() && body.spec.tails > 0);
  const bool squid = !beard && !body.upright();
  const double length = beard ? 1.6 * body.head_size : rng.uniform(0.55, 1.0);
  const Station place = body.at(squid ? 1 : beard ? 1 : 0);
  double girth = std::min(rng.uniform(0.055, 0.09), 1.6 * place.half_width / count);
  if (beard) girth = 0.2 * body.head_size;
  for (int k = 0; k < count; ++k) {
    // Left and right alike: half a step from the middle; an odd one is in the middle behind.
    const double angle = 2 * kPi * (k + 0.5) / count, x = std::abs(std::sin(angle)) < 1e-9 ? 0 : std::sin(angle);
    const int pair = std::min(k, count - 1 - k) + 1;
    const std::string suffix = x == 0 ? "" : x > 0 ? ".L" : ".R";
    Vec3d base, out;
    std::vector<Vec3d> points;
    int parent = place.joint;
    if (beard && !body.heads.empty()) {
      const BuiltHead& head = body.heads[0];
      const double across = count > 1 ? std::sin(angle) : 0, below = 0.3 + 0.2 * std::cos(angle);
      parent = head.joint;
      base = lerp(head.skull, head.nose, 0.7) + head.size * Vec3d{0.4 * across, -below, 0};
      out = normalized(Vec3d{0.5 * across, -1, 0.45 + 0.3 * std::cos(angle)});
      points = {base, base + 0.5 * length * out, base + length * (out + Vec3d{0.15 * across, 0, 0.1})};
    } else if (squid) {
      out = normalized(Vec3d{0.3 * x, 0.3 * std::cos(angle), 1});
      base = place.centre + Vec3d{0.6 * place.half_width * x, 0.6 * place.radius * std::cos(angle), 0};
      points = {base};
      for (int i = 1; i <= 4; ++i) points.push_back(base + 0.25 * i * length * out);
    } else {
      out = {x, 0, std::cos(angle)};
      base = place.centre +
             Vec3d{0.62 * place.half_width * x, -0.25 * place.radius, 0.62 * place.half_width * std::cos(angle)};
      points = crawling_tentacle(body, base, out, length, girth);
    }
    build_tentacle(body, pair, parent, suffix, points, girth,
                   body.plan.limb(base, 0.8 * girth, 4 * girth, 0.3 * girth));
  }
}

}  // namespace limber::zoo
