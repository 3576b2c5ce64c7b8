// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/zoo/limbs.h"

/// Limbs that do not stand on the ground: arms with hands, wings, fins.
namespace limber::zoo {
namespace {

Vec3d mirrored(Vec3d p, int side) { return {side * p.x, p.y, p.z}; }
/// The same turn seen in a mirror across x = 0.
Quatd mirrored(Quatd q, int side) { return side > 0 ? q : Quatd{q.x, -q.y, -q.z, q.w}; }

/// Two claws that close on each other.
void add_pincer(BodyPlan& plan, int wrist, int limb, const ArmShape& shape, Vec3d knuckles, Vec3d along, Vec3d apart,
                int side) {
  const double size = shape.hand_size;
  for (int k = 0; k < 2; ++k) {
    const Vec3d way = (k == 0 ? 1.0 : -1.0) * apart;
    const Vec3d base = knuckles + 0.55 * size * way, bend = base + size * (0.9 * along + 0.35 * way);
    const int claw = plan.joint(sided(shape.prefix + "claw." + std::to_string(k + 1), side), wrist, base,
                                JointAxes::kLimb, {0.9, 0.4, 0.9});
    plan.belongs(claw, rig::LimbKind::kFinger, 1);
    plan.flesh(claw, limb, base, (k == 0 ? 0.5 : 0.4) * size, bend, 0.36 * size);
    plan.flesh(claw, limb, bend, 0.36 * size, bend + size * (0.8 * along - 0.3 * way), 0.16 * size);
  }
}

/// A fan of fingers of two joints, the first of them a thumb.
void add_fingers(BodyPlan& plan, int wrist, int limb, const ArmShape& shape, Vec3d knuckles, Vec3d along, Vec3d across,
                 int side) {
  for (int k = 0; k < shape.fingers; ++k) {
    const bool thumb = k == 0;
    const double spread = thumb ? 1.0 : 0.5 - 1.0 * (k - 1) / std::max(1, shape.fingers - 2);
    const Vec3d way = normalized(std::cos(0.75 * spread) * along + std::sin(0.75 * spread) * across);
    const double length = (thumb ? 0.75 : 1.15) * shape.hand_size;
    const Vec3d base = knuckles + shape.hand_size * ((thumb ? -0.3 : 0.15) * along + 0.62 * spread * across);
    const std::string name = shape.prefix + "finger." + std::to_string(k + 1);
    ChainShape finger;
    finger.name = name, finger.suffix = side > 0 ? ".L" : ".R";
    finger.kind = rig::LimbKind::kFinger, finger.station = 1, finger.axes = JointAxes::kLimb;
    finger.range = {1.3, 0.3, 0.9}, finger.limb = limb;
    finger.points = {base, base + 0.55 * length * way, base + 1.1 * length * way};
    finger.radii = {0.24 * shape.hand_size, 0.21 * shape.hand_size, 0.16 * shape.hand_size};
    add_chain(plan, wrist, finger);
  }
}

}  // namespace

BuiltArm add_arm(BodyPlan& plan, int parent, const ArmShape& shape, int side) {
  const Vec3d shoulder = mirrored(shape.shoulder, side), elbow = mirrored(shape.elbow, side),
              wrist = mirrored(shape.wrist, side), along = normalized(mirrored(shape.hand_along, side)),
              palm = normalized(mirrored(shape.palm, side));
  const Quatd axes = mirrored(shape.axes, side);
  BuiltArm arm;
  const auto joint = [&](const char* name, int above, Vec3d at, std::size_t k) {
    return plan.joint(sided(shape.prefix + name, side), above, at, axes, shape.lower[k], shape.upper[k]);
  };
  arm.shoulder = joint("shoulder", parent, shoulder, 0);
  plan.belongs(arm.shoulder, rig::LimbKind::kArm, shape.station);
  arm.elbow = joint("elbow", arm.shoulder, elbow, 1);
  arm.wrist = joint("wrist", arm.elbow, wrist, 2);
  const int limb = plan.limb(shoulder, shape.blend, shape.reach, 0.02);
  const double middle = 0.6 * shape.upper_arm + 0.4 * shape.forearm, size = shape.hand_size;
  plan.flesh(arm.shoulder, limb, shoulder, 1.15 * shape.upper_arm, elbow, middle);
  plan.flesh(arm.elbow, limb, elbow, middle, wrist, shape.forearm);
  arm.grip = wrist + 0.9 * size * along;
  if (shape.hand == HandStyle::kMitten) {
    plan.plate(arm.wrist, limb, wrist, shape.forearm, wrist + 1.2 * size * along, size, palm, 0.8);
    return arm;
  }
  const Vec3d knuckles = wrist + (shape.hand == HandStyle::kPincer ? 1.0 : 0.75) * size * along;
  const double palm_size = (shape.hand == HandStyle::kPincer ? 0.95 : 0.72) * size;
  plan.plate(arm.wrist, limb, wrist, shape.forearm, knuckles, palm_size, palm, 0.65);
  // Made for the left side and mirrored: a cross product would come out the other way round.
  const Vec3d across = normalized(mirrored(cross(shape.palm, shape.hand_along), side));
  (shape.hand == HandStyle::kPincer ? add_pincer : add_fingers)(plan, arm.wrist, limb, shape, knuckles, along, across,
                                                                side);
  return arm;
}

namespace {

/// Names of a wing's joints, and their making.
struct WingMaker {
  BodyPlan& plan;
  const WingShape& shape;
  int side, limb;
  Vec3d normal;

  int joint(int number, int parent, Vec3d at) {
    const int made = plan.joint(sided(shape.prefix + "." + std::to_string(number), side), parent, at, JointAxes::kWing,
                                {-1.5, -0.9, -1.8}, {1.5, 0.9, 1.8});
    plan.belongs(made, rig::LimbKind::kWing, shape.station);
    return made;
  }
};

/// Plates that reach back from the leading edge.
void add_feathers(WingMaker wing, int parent, Vec3d shoulder, Vec3d out, Vec3d back) {
  const WingShape& s = wing.shape;
  const std::array<double, 4> reach = {0, 0.3 * s.span, 0.62 * s.span, s.span};
  const std::array<double, 4> chord = {0.95 * s.chord, 0.9 * s.chord, 0.75 * s.chord, 0.42 * s.chord};
  const std::array<double, 4> sweep = {0, -0.03, -0.02, 0.08};
  Vec3d from = shoulder;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3d to = shoulder + reach[k + 1] * out + (sweep[k + 1] * s.span) * back;
    parent = wing.joint(static_cast<int>(k) + 1, parent, from);
    wing.plan.plate(parent, wing.limb, from + 0.32 * chord[k] * back, 0.5 * chord[k], to + 0.32 * chord[k + 1] * back,
                    0.5 * chord[k + 1], wing.normal, 0.2);
    wing.plan.flesh(parent, wing.limb, from, s.bone, to, 0.7 * s.bone);
    from = to;
  }
}

/// An arm, and three fingers that stretch a skin between them and the body.
void add_membrane(WingMaker wing, int parent, Vec3d shoulder, Vec3d out, Vec3d back) {
  const WingShape& s = wing.shape;
  const Vec3d elbow = shoulder + s.span * (0.22 * out + 0.06 * back),
              wrist = shoulder + s.span * (0.45 * out - 0.06 * back);
  const int upper = wing.joint(1, parent, shoulder), lower = wing.joint(2, upper, elbow);
  const double c = 0.42 * s.chord;
  wing.plan.flesh(upper, wing.limb, shoulder, s.bone, elbow, 0.85 * s.bone);
  wing.plan.flesh(lower, wing.limb, elbow, 0.85 * s.bone, wrist, 0.8 * s.bone);
  wing.plan.plate(upper, wing.limb, shoulder + 0.9 * c * back, c, elbow + 0.9 * c * back, c, wing.normal, 0.12);
  wing.plan.plate(lower, wing.limb, elbow + 0.9 * c * back, c, wrist + 0.8 * c * back, 0.9 * c, wing.normal, 0.12);
  const int hand = wing.joint(3, lower, wrist);
  wing.plan.flesh(hand, wing.limb, wrist, 0.8 * s.bone, wrist + 0.06 * s.span * out, 0.7 * s.bone);
  for (int k = 0; k < 3; ++k) {
    const double angle = 0.12 + 0.55 * k, length = s.span * (0.58 - 0.07 * k);
    const Vec3d way = std::cos(angle) * out + std::sin(angle) * back;
    const Vec3d skin = normalized(std::cos(angle + 0.9) * out + std::sin(angle + 0.9) * back);
    const Vec3d base = wrist + 0.03 * s.span * way, bend = base + 0.5 * length * way, tip = base + length * way;
    int finger = hand;
    for (int i = 0; i < 2; ++i) {
      const Vec3d a = i == 0 ? base : bend, b = i == 0 ? bend : tip;
      finger =
          wing.plan.joint(sided(s.prefix + ".finger." + std::to_string(k + 1) + "." + std::to_string(i + 1), wing.side),
                          finger, a, JointAxes::kWing, {-0.6, -0.4, -0.9}, {0.6, 0.4, 0.9});
      wing.plan.belongs(finger, rig::LimbKind::kFinger, 1);
      wing.plan.flesh(finger, wing.limb, a, (0.62 - 0.15 * i) * s.bone, b, (0.5 - 0.15 * i) * s.bone);
      const double wide = 0.17 * length;
      wing.plan.plate(finger, wing.limb, a + (i == 0 ? 0.7 : 0.8) * wide * skin, wide,
                      b + (i == 0 ? 0.8 : 0.3) * wide * skin, i == 0 ? wide : 0.45 * wide, wing.normal, 0.14);
    }
  }
}

/// One long leaf of two joints.
void add_insect_wing(WingMaker wing, int parent, Vec3d shoulder, Vec3d out, Vec3d back) {
  const WingShape& s = wing.shape;
  const Vec3d middle = shoulder + 0.45 * s.span * out + 0.1 * s.chord * back,
              tip = shoulder + 0.85 * s.span * out + 0.25 * s.chord * back;
  const int inner = wing.joint(1, parent, shoulder), outer = wing.joint(2, inner, middle);
  wing.plan.plate(inner, wing.limb, shoulder, 0.2 * s.chord, middle, 0.42 * s.chord, wing.normal, 0.16);
  wing.plan.plate(outer, wing.limb, middle, 0.42 * s.chord, tip, 0.38 * s.chord, wing.normal, 0.16);
  wing.plan.flesh(inner, wing.limb, shoulder, 0.7 * s.bone, middle, 0.45 * s.bone);
}

}  // namespace

void add_wing(BodyPlan& plan, int parent, const WingShape& shape, int side) {
  const Vec3d shoulder = mirrored(shape.shoulder, side), out = mirrored(shape.out, side),
              back = mirrored(shape.back, side);
  const WingMaker maker{plan, shape, side, plan.limb(shoulder, shape.blend, shape.reach, 0.02), cross(out, back)};
  switch (shape.style) {
    case WingStyle::kFeathered:
      return add_feathers(maker, parent, shoulder, out, back);
    case WingStyle::kMembrane:
      return add_membrane(maker, parent, shoulder, out, back);
    case WingStyle::kInsect:
      return add_insect_wing(maker, parent, shoulder, out, back);
  }
}

void add_fin(BodyPlan& plan, int parent, const FinShape& shape, int side) {
  const Vec3d base = mirrored(shape.base, side), tip = mirrored(shape.tip, side), normal = mirrored(shape.normal, side),
              middle = lerp(base, tip, 0.5);
  const int limb = shape.limb >= 0 ? shape.limb : plan.limb(base, 0.5 * shape.root_width, 3 * shape.root_width, 0.02);
  const auto name = [&](int k) {
    const std::string stem = numbered(shape.name, k);
    return base.x == 0 ? stem : sided(stem, side);
  };
  const int inner = plan.joint(name(1), parent, base, JointAxes::kWing, {-1.2, -0.7, -1.0}, {1.2, 0.7, 1.0});
  plan.belongs(inner, rig::LimbKind::kFin, shape.station);
  const int outer = plan.joint(name(2), inner, middle, JointAxes::kWing, {-0.9, -0.5, -0.8}, {0.9, 0.5, 0.8});
  const double width = 0.5 * (shape.root_width + shape.tip_width);
  plan.plate(inner, limb, base, shape.root_width, middle, width, normal, shape.thickness);
  plan.plate(outer, limb, middle, width, tip, shape.tip_width, normal, shape.thickness);
}

}  // namespace limber::zoo
