// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/limbs.h"

/// Heads, and what grows on them. All face +Z.
namespace limber::zoo {
namespace {

constexpr Vec3d kHornColor{0.75, 0.62, 0.4}, kBeakColor{0.75, 0.42, 0.06};

void add_jaw(BodyPlan& plan, const BuiltHead& head, const HeadShape& shape) {
  const double h = head.size, tip = shape.snout_girth * h;
  const Vec3d hinge = head.skull + h * Vec3d{0, -0.62, 0.1};
  const int jaw =
      plan.joint(shape.prefix + "jaw", head.joint, hinge, JointAxes::kTrunk, {-0.15, -0.1, -0.1}, {0.15, 0.1, 0.7});
  plan.belongs(jaw, rig::LimbKind::kJaw, 1);
  plan.flesh(jaw, head.limb, hinge, 0.4 * h, head.nose + Vec3d{0, -0.55 * tip, -0.25 * h}, 0.62 * tip, {0.85, 0.8, 1});
}

void add_beak(BodyPlan& plan, BuiltHead& head, const HeadShape& shape) {
  const double h = head.size, girth = 0.45 * h;
  const Vec3d root = head.skull + h * Vec3d{0, -0.12, 0.7};
  const Vec3d tip = root + Vec3d{0, -0.2 * shape.snout - 0.2 * shape.nose_drop * h, shape.snout};
  const Vec3d middle = lerp(root, tip, 0.55) + Vec3d{0, 0.12 * h, 0};
  plan.flesh(head.joint, head.limb, root, girth, middle, 0.75 * girth);
  plan.flesh(head.joint, head.limb, middle, 0.75 * girth, tip, 0.35 * girth);
  const Vec3d hinge = head.skull + h * Vec3d{0, -0.45, 0.35};
  const int jaw =
      plan.joint(shape.prefix + "jaw", head.joint, hinge, JointAxes::kTrunk, {-0.1, -0.1, -0.05}, {0.1, 0.1, 0.6});
  plan.belongs(jaw, rig::LimbKind::kJaw, 1);
  plan.flesh(jaw, head.limb, hinge, 0.8 * girth, lerp(root, tip, 0.6) + Vec3d{0, -0.65 * girth, 0}, 0.45 * girth);
  plan.spots.push_back({lerp(root, tip, 0.75) + Vec3d{0, -0.2 * girth, 0.05}, 0.72 * shape.snout, kBeakColor});
  head.nose = tip;
}

/// An elephant's: four joints that hang from the muzzle and curl a little.
void add_trunk_nose(BodyPlan& plan, const BuiltHead& head, const HeadShape& shape) {
  const double h = head.size;
  ChainShape trunk;
  trunk.name = shape.prefix + "trunk", trunk.kind = rig::LimbKind::kTentacle, trunk.station = 1;
  trunk.range = {0.7, 0.4, 0.9};
  Vec3d at = head.nose;
  const double length = std::min(2.6 * h, 0.8 * at.y);
  double slope = -0.9;
  trunk.limb = plan.limb(at, 0.3 * h, 1.2 * h, 0.1 * h);
  for (int k = 0; k <= 4; ++k) {
    trunk.points.push_back(at);
    trunk.radii.push_back(h * (0.42 - 0.05 * k));
    at += 0.25 * length * Vec3d{0, std::sin(slope), std::cos(slope)};
    slope += k < 1 ? -0.5 : 0.25;
  }
  add_chain(plan, head.joint, trunk);
}

}  // namespace

BuiltHead add_head(BodyPlan& plan, int parent, const HeadShape& shape) {
  BuiltHead head;
  const double h = shape.size;
  head.size = h;
  head.joint = plan.joint(shape.prefix + "head", parent, shape.at, JointAxes::kTrunk, {0.8, 0.6, 1.2});
  plan.belongs(head.joint, rig::LimbKind::kHead, shape.station);
  head.limb = plan.limb(shape.at, 0.5 * h, 3 * h, 0.3 * h);
  head.skull = shape.at + h * shape.skull;
  plan.flesh(head.joint, head.limb, shape.at, 0.8 * h, head.skull, h, {shape.width, 1, 1});
  head.nose = head.skull + Vec3d{0, -shape.nose_drop * h, 0.5 * h + shape.snout};
  const double tip = shape.snout_girth * h;
  if (shape.mouth == Mouth::kBeak) {
    add_beak(plan, head, shape);
  } else {
    const Vec3d muzzle = head.skull + h * Vec3d{0, -0.25, 0.35};
    plan.flesh(head.joint, head.limb, muzzle, std::min(0.72, 1.3 * shape.snout_girth) * h, head.nose, 0.82 * tip,
               {shape.width, 1, 1});
    if (shape.mouth != Mouth::kPlain) add_jaw(plan, head, shape);
    if (shape.mouth == Mouth::kTrunk) add_trunk_nose(plan, head, shape);
    if (shape.mouth == Mouth::kJaw) {
      plan.spots.push_back({head.nose + Vec3d{0, 0.25 * tip, 0.75 * tip}, 0.55 * tip, {0.03, 0.02, 0.02}});
    }
  }
  for (const int side : {1, -1}) {
    plan.eye(head.joint, head.limb, head.skull + h * Vec3d{0.72 * shape.width * side, 0.25, 0.6}, shape.eye * h);
  }
  return head;
}

void add_ears(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, Ears style, double length,
              double spread) {
  if (style == Ears::kNone) return;
  const double h = head.size, round = style == Ears::kRound ? 1 : 0;
  for (const int side : {1, -1}) {
    const Vec3d base = head.skull + h * Vec3d{(0.5 + 0.25 * round) * side, 0.62 - 0.1 * round, -0.25};
    const Vec3d tip = base + length * Vec3d{std::sin(spread) * side, std::cos(spread), -0.12};
    const int limb = plan.limb(base, 0.3 * h, 1.2 * h, 0.1 * h);
    const int joint = plan.joint(sided(prefix + "ear", side), head.joint, base, JointAxes::kLimb, {0.8, 0.5, 0.8});
    plan.belongs(joint, rig::LimbKind::kEar, 1);
    const double wide = h * (style == Ears::kRound ? 0.55 : style == Ears::kLong ? 0.3 : 0.38);
    plan.flesh(joint, limb, base, 0.8 * wide, lerp(base, tip, 0.5), wide, {1, 1, 0.5});
    plan.flesh(joint, limb, lerp(base, tip, 0.5), wide, tip, (style == Ears::kPointed ? 0.3 : 0.8) * wide, {1, 1, 0.5});
  }
}

void add_horns(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, int pairs, double length,
               double curl) {
  const double h = head.size;
  for (int pair = 0; pair < pairs; ++pair) {
    for (const int side : {1, -1}) {
      const Vec3d root = head.skull + h * Vec3d{(0.3 + 0.28 * pair) * side, 0.75 - 0.12 * pair, 0.25 - 0.55 * pair};
      const Vec3d middle = root + length * Vec3d{(0.3 + 0.2 * pair) * side, 0.5, 0.05};
      const Vec3d tip = middle + length * Vec3d{(0.15 - 0.3 * curl) * side, 0.45 - 0.3 * curl, 0.5 * curl - 0.2};
      const int limb = plan.limb(root, 0.1 * h, 0.7 * h, 0.05 * h);
      const std::string name = pairs > 1 ? numbered(prefix + "horn", pair + 1) : prefix + "horn";
      const int joint = plan.joint(sided(name, side), head.joint, root, JointAxes::kLimb, {0.05, 0.05, 0.05});
      plan.belongs(joint, rig::LimbKind::kHorn, 1);
      plan.flesh(joint, limb, root, 0.24 * h, middle, 0.19 * h);
      plan.flesh(joint, limb, middle, 0.19 * h, tip, 0.09 * h);
      plan.spots.push_back({tip, 0.7 * length, kHornColor});
    }
  }
}

void add_antlers(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, double length, int tines) {
  const double h = head.size;
  for (const int side : {1, -1}) {
    const double s = side;
    const Vec3d root = head.skull + h * Vec3d{0.35 * s, 0.78, 0};
    const Vec3d fork = root + length * Vec3d{0.38 * s, 0.36, -0.18}, top = fork + length * Vec3d{0.2 * s, 0.55, 0.08};
    const int limb = plan.limb(root, 0.1 * h, 0.7 * h, 0.03 * h);
    const int joint =
        plan.joint(sided(prefix + "antler", side), head.joint, root, JointAxes::kLimb, {0.05, 0.05, 0.05});
    plan.belongs(joint, rig::LimbKind::kHorn, 1);
    plan.flesh(joint, limb, root, 0.2 * h, fork, 0.16 * h);
    plan.flesh(joint, limb, fork, 0.16 * h, top, 0.1 * h);
    for (int k = 0; k < tines; ++k) {
      // The first tine leaves below the fork, over the brow.
      const double along = (k + 0.35) / tines;
      const Vec3d at = along < 0.5 ? lerp(root, fork, 2 * along) : lerp(fork, top, 2 * along - 1);
      const Vec3d way = normalized(Vec3d{(k % 2 == 0 ? 0.15 : 0.75) * s, 0.55, k % 2 == 0 ? 0.9 : -0.25});
      plan.flesh(joint, limb, at, 0.13 * h, at + (0.42 - 0.04 * k) * length * way, 0.08 * h);
    }
    plan.spots.push_back({fork, 0.62 * length, kHornColor});
  }
}

void add_antennae(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, double length) {
  const double h = head.size;
  for (const int side : {1, -1}) {
    const Vec3d base = head.skull + h * Vec3d{0.3 * side, 0.7, 0.45};
    const Vec3d bend = base + length * Vec3d{0.35 * side, 0.5, 0.25};
    const int limb = plan.limb(base, 0.1 * h, 0.6 * h, 0.01);
    ChainShape feeler;
    feeler.name = prefix + "feeler", feeler.suffix = side > 0 ? ".L" : ".R";
    feeler.kind = rig::LimbKind::kAntenna, feeler.station = 1, feeler.axes = JointAxes::kLimb;
    feeler.range = {0.8, 0.5, 0.8}, feeler.limb = limb;
    feeler.points = {base, bend, bend + length * Vec3d{0.35 * side, 0.1, 0.55}};
    feeler.radii = {0.17 * h, 0.14 * h, 0.12 * h};
    add_chain(plan, head.joint, feeler);
  }
}

void add_nose_horn(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, double length) {
  const double h = head.size;
  const Vec3d root = lerp(head.skull, head.nose, 0.75) + Vec3d{0, 0.3 * h, 0};
  const Vec3d tip = root + length * Vec3d{0, 0.8, 0.5};
  const int limb = plan.limb(root, 0.15 * h, 0.8 * h, 0.05 * h);
  const int joint = plan.joint(prefix + "nosehorn", head.joint, root, JointAxes::kLimb, {0.05, 0.05, 0.05});
  plan.belongs(joint, rig::LimbKind::kHorn, 1);
  plan.flesh(joint, limb, root, 0.28 * h, tip, 0.08 * h);
  plan.spots.push_back({tip, 0.8 * length, kHornColor});
}

void add_crest(BodyPlan& plan, const BuiltHead& head, double length) {
  const double h = head.size;
  const Vec3d base = head.skull + h * Vec3d{0, 0.7, -0.1};
  const int limb = plan.limb(base, 0.2 * h, 1.2 * h, 0.05);
  plan.flesh(head.joint, limb, base, 0.45 * h, base + length * Vec3d{0, 0.8, -0.8}, 0.25 * h, {0.5, 1, 1});
  plan.flesh(head.joint, limb, base + h * Vec3d{0, 0, 0.25}, 0.35 * h, base + length * Vec3d{0, 0.85, -0.15}, 0.2 * h,
             {0.5, 1, 1});
}

}  // namespace limber::zoo
