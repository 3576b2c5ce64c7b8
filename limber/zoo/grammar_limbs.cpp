// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "limber/zoo/grammar.h"

/// Heads, arms and wings of the grammar: where they leave the trunk, how long they are, how they are held.
namespace limber::zoo {
namespace {

struct NeckShape {
  int joints = 0;
  double length = 0;
};
NeckShape draw_neck(GrammarBody& body) {
  Rng& rng = body.rng;
  const double scale = body.upright() || body.thorax ? 0.5 : 1;
  switch (body.spec.neck) {
    case NeckLength::kNone:
      return {};
    case NeckLength::kShort:
      return {1, scale * rng.uniform(0.13, 0.22)};
    case NeckLength::kMedium:
      return {2, scale * rng.uniform(0.28, 0.45)};
    case NeckLength::kLong:
      return {rng.chance(0.5) ? 4 : 3, scale * rng.uniform(0.65, 1.1)};
  }
  return {};
}

HeadShape head_shape(GrammarBody& body, const Station& end, double neck) {
  Rng& rng = body.rng;
  const BodySpec& spec = body.spec;
  HeadShape head;
  head.mouth = spec.mouth, head.size = body.head_size, head.station = 1;
  head.skull = {0, 0.35, 0.45}, head.width = rng.uniform(0.82, 1.0);
  head.snout = head.size * rng.uniform(0.7, 1.9), head.snout_girth = rng.uniform(0.42, 0.68);
  head.nose_drop = rng.uniform(0.25, 0.6), head.eye = rng.uniform(0.2, 0.28);
  if (body.upright()) {
    head.skull = {0, 0.85, 0.2}, head.snout = head.size * rng.uniform(0.1, 0.6), head.snout_girth = 0.32,
    head.eye = 0.18;
    if (spec.mouth == Mouth::kJaw)
      head.snout = head.size * rng.uniform(0.3, 1.0), head.snout_girth = rng.uniform(0.4, 0.55);
  }
  if (spec.mouth == Mouth::kBeak) head.snout = head.size * rng.uniform(0.9, 2.2);
  if (neck == 0 && !body.upright()) {
    // The body itself ends in the head.
    if (!body.thorax) head.size = std::clamp(head.size, 0.85 * end.radius, 1.1 * end.radius);
    head.skull = {0, 0.05, body.thorax ? 0.6 : 0.35},
    head.width = std::clamp(end.half_width / std::max(1e-9, end.radius), 0.6, 1.2);
    head.snout = head.size * rng.uniform(0.4, 1.1), head.nose_drop = rng.uniform(0.1, 0.3);
  }
  if (body.spec.suppleness == Suppleness::kSerpentine && spec.leg_pairs == 0) {
    head.size = body.girth * rng.uniform(1.05, 1.35), head.snout = head.size * rng.uniform(0.8, 1.5);
    head.skull = {0, 0.35, 0.7};
  }
  if (spec.mouth == Mouth::kPlain && !body.upright()) head.snout = head.size * rng.uniform(0.1, 0.5);
  return head;
}

void decorate(GrammarBody& body, const BuiltHead& head, const std::string& prefix, const std::array<double, 4>& draws) {
  const BodySpec& spec = body.spec;
  const double h = head.size;
  const double ear = h *
                     (spec.ears == Ears::kLong    ? 1.4
                      : spec.ears == Ears::kRound ? 0.55
                                                  : 0.8) *
                     (0.8 + 0.5 * draws[0]);
  add_ears(body.plan, head, prefix, spec.ears, ear, 0.35 + draws[1]);
  if (spec.horn_pairs > 0) add_horns(body.plan, head, prefix, spec.horn_pairs, h * (0.9 + 1.1 * draws[2]), draws[3]);
  if (spec.antlers)
    add_antlers(body.plan, head, prefix, h * (2.2 + 1.4 * draws[2]), 3 + static_cast<int>(2.99 * draws[3]));
  if (spec.antennae) add_antennae(body.plan, head, prefix, h * (1.5 + 1.2 * draws[0]));
  if (spec.nose_horn) add_nose_horn(body.plan, head, prefix, h * (0.7 + 0.9 * draws[2]));
  if (spec.crest) add_crest(body.plan, head, h * (0.7 + 0.7 * draws[3]));
}

/// A face on a body without a head.
void add_face(GrammarBody& body) {
  if (body.rng.chance(0.3)) return;
  const Station place = body.at(body.upright() ? body.rng.uniform(0.55, 0.8) : 1);
  const double r = place.radius, eye = body.girth * body.rng.uniform(0.1, 0.2);
  for (const int side : {1, -1}) {
    const Vec3d at = body.upright() ? place.centre + Vec3d{0.42 * place.half_width * side, 0, 0.88 * r}
                                    : place.centre + Vec3d{0.6 * place.half_width * side, 0.4 * r, 0.6 * r};
    body.plan.eye(place.joint, 0, at, eye);
  }
}

/// Turns `v` so that it is a unit vector across `axis`.
Vec3d across(Vec3d v, Vec3d axis) { return normalized(v - dot(v, axis) * axis); }

}  // namespace

void build_heads(GrammarBody& body) {
  const BodySpec& spec = body.spec;
  if (spec.heads == 0) return add_face(body);
  Rng& rng = body.rng;
  const Station end = body.at(1);
  NeckShape neck = draw_neck(body);
  if (spec.heads > 1 && neck.joints == 0) neck = {1, 0.2};
  const bool up = body.upright();
  const double slope = up ? 1.45 : rng.uniform(0.3, 0.75) + 0.45 * std::clamp(body.ride - 0.4, 0.0, 1.0);
  const HeadShape common = head_shape(body, end, neck.length);
  const double girth = std::min({0.75 * end.radius, 0.9 * common.size, up ? 0.5 * common.size + 0.02 : 1.0});
  const std::array<double, 4> draws = {rng.uniform(), rng.uniform(), rng.uniform(), rng.uniform()};
  const double curve = rng.uniform(-0.1, 0.5);
  static constexpr const char* kPrefixes[] = {"", "second.", "third."};
  for (int k = 0; k < spec.heads; ++k) {
    // One in the middle; two side by side; the third between them.
    const double yaw = spec.heads == 1   ? 0
                       : spec.heads == 2 ? (k == 0 ? 0.5 : -0.5)
                                         : (k == 0   ? 0
                                            : k == 1 ? 0.75
                                                     : -0.75);
    HeadShape head = common;
    head.prefix = kPrefixes[k];
    Vec3d at = end.centre + (neck.joints == 0 ? Vec3d{}
                             : up             ? Vec3d{0, 0.55 * end.radius, 0}
                                              : Vec3d{0, 0.3 * end.radius, 0.2 * end.radius});
    at.x += 0.7 * end.half_width * std::sin(yaw) / 0.7;
    int parent = end.joint;
    if (neck.joints > 0) {
      ChainShape chain;
      chain.name = head.prefix + "neck", chain.kind = rig::LimbKind::kNeck, chain.station = 1;
      chain.range = {0.8, 0.5, 1.1}, chain.squash = {0.9, 1, 1};
      if (yaw != 0) chain.limb = body.plan.limb(at, 0.3 * body.girth, 1.5 * body.girth, 0.03);
      for (int i = 0; i <= neck.joints; ++i) {
        const double t = static_cast<double>(i) / neck.joints;
        chain.points.push_back(at);
        chain.radii.push_back((i == 0 ? std::min(1.35 * girth, 0.8 * end.radius) : girth * (1 - 0.15 * t)));
        const double lift = slope + curve * (t - 0.5);
        at += (neck.length / neck.joints) * (i < neck.joints ? 1 : 0) *
              Vec3d{(up ? 0.8 : std::cos(lift)) * std::sin(yaw), std::sin(lift), std::cos(lift) * std::cos(yaw)};
      }
      parent = add_chain(body.plan, parent, chain);
    }
    head.at = at;
    // The jaw hangs by about a skull below its middle: low bodies raise their heads.
    if (!body.hovers) head.skull.y = std::max(head.skull.y, 1.05 - at.y / head.size);
    const BuiltHead built = add_head(body.plan, parent, head);
    decorate(body, built, head.prefix, draws);
    body.heads.push_back(built);
  }
}

namespace {

/// Hangs beside an upright trunk.
ArmShape hanging_arm(GrammarBody& body, int pair) {
  Rng& rng = body.rng;
  ArmShape arm;
  const Station place = body.at(body.level_end + (1 - body.level_end) * (0.82 - 0.28 * pair));
  const double length = (body.rise > 0 ? body.rise : 0.6) * rng.uniform(1.0, 1.3) *
                        (body.spec.leg_pairs == 0 && body.spec.tails == 0 ? 0.6 : 1);
  const double slope = rng.uniform(0.45, 0.85) + 0.25 * pair;
  const Vec3d along{std::sin(slope), -std::cos(slope), 0};
  arm.upper_arm = 0.05 + 0.1 * (body.girth - 0.14) + 0.01 * rng.uniform(), arm.forearm = 0.75 * arm.upper_arm;
  arm.shoulder = {place.half_width + 0.3 * arm.upper_arm, place.centre.y, place.centre.z + 0.1 * pair};
  arm.elbow = arm.shoulder + 0.46 * length * along + Vec3d{0, 0, -0.015};
  arm.wrist = arm.elbow + 0.42 * length * along + Vec3d{0, 0, 0.03};
  arm.axes = axis_angle(Vec3d{0, 0, 1}, slope);
  arm.hand_along = along, arm.palm = cross(along, Vec3d{0, 0, 1});
  arm.hand_size = rng.uniform(0.065, 0.09);
  return arm;
}

/// Reaches out in front of a level body.
ArmShape reaching_arm(GrammarBody& body, int pair) {
  Rng& rng = body.rng;
  ArmShape arm;
  const Station place = body.at(body.thorax ? 0.95 : body.spec.leg_pairs == 1 ? 0.85 : 1);
  const bool pincer = body.spec.hand == HandStyle::kPincer, crab = body.thorax;
  const double length = crab                       ? rng.uniform(0.6, 0.95)
                        : body.spec.leg_pairs == 1 ? rng.uniform(0.28, 0.55)
                                                   : rng.uniform(0.4, 0.6);
  arm.upper_arm = crab ? 0.07 : std::max(0.035, 0.22 * body.girth), arm.forearm = (pincer ? 0.9 : 0.7) * arm.upper_arm;
  arm.shoulder = place.centre +
                 Vec3d{0.78 * place.half_width, (crab ? 0.0 : -0.35) * place.radius + 0.12 * pair, crab ? 0.05 : 0.04};
  // What lies on its belly raises its arms.
  const bool lies = body.spec.leg_pairs == 0 && !body.hovers;
  const Vec3d out = lies   ? Vec3d{0.6, 0.5, 0.4}
                    : crab ? Vec3d{0.75, 0.15 + 0.4 * pair, 0.6}
                           : Vec3d{0.3, -0.75 + 0.5 * pair, 0.35};
  arm.elbow = arm.shoulder + 0.5 * length * normalized(out);
  arm.wrist =
      arm.elbow + 0.5 * length * normalized(crab ? Vec3d{-0.15, -0.1, 1} : Vec3d{0.05, lies ? 0.2 : -0.25, 0.9});
  arm.hand_along = normalized(Vec3d{-0.1, lies ? 0.1 : -0.15, 1}), arm.palm = {1, 0, 0};
  if (pincer) arm.palm = across(Vec3d{0.3, 1, 0}, arm.hand_along);
  arm.hand_size = pincer ? rng.uniform(0.12, 0.19) * (crab ? 1 : 0.6) : 1.3 * arm.upper_arm;
  return arm;
}

}  // namespace

void build_arms(GrammarBody& body) {
  for (int pair = 0; pair < body.spec.arm_pairs; ++pair) {
    ArmShape arm = body.upright() ? hanging_arm(body, pair) : reaching_arm(body, pair);
    arm.prefix = pair == 0 ? "" : numbered("arm", pair + 1) + ".";
    arm.hand = body.spec.hand, arm.fingers = body.spec.fingers;
    if (arm.hand == HandStyle::kFingers) arm.hand_size *= 1.35;
    arm.lower = {Vec3d{-2.9, -0.9, -2.4}, {-2.5, -0.8, -0.4}, {-1.2, -0.6, -0.9}};
    arm.upper = {Vec3d{1.2, 0.9, 2.4}, {body.upright() ? 0.05 : 1.5, 0.8, 0.4}, {1.2, 0.6, 0.9}};
    if (!body.hovers) {
      // Low bodies keep their hands off the ground.
      arm.elbow.y = std::max(arm.elbow.y, 1.6 * arm.upper_arm);
      arm.wrist.y = std::max(arm.wrist.y, 1.6 * arm.hand_size);
      if (arm.wrist.y + 2 * arm.hand_size * arm.hand_along.y < arm.hand_size) arm.hand_along.y = 0;
    }
    const Station place = body.at(body.upright() ? 0.9 : 1);
    arm.station = place.at;
    for (const int side : {1, -1}) body.arms.push_back(add_arm(body.plan, place.joint, arm, side));
  }
}

namespace {

struct WingPose {
  Vec3d out, back;
};

/// How far the first of two pairs is turned ahead (up, where the body is upright) and the second one back: wings of one
/// side that lie in one sheet are one wing to whoever looks at them.
constexpr std::array<double, 2> kParted{0.3, -0.5};
constexpr double kNarrowed = 0.65;  // of its depth: what of a wing two pairs have room for

WingPose wing_pose(const GrammarBody& body, double rise, int pair) {
  const bool up = body.upright();
  Vec3d out, back;
  switch (body.spec.wing_rest) {
    case WingRest::kSpread:
      out = up ? Vec3d{1, 0.2 + 0.3 * rise, -0.2} : Vec3d{1, 0.05 + 0.25 * rise, 0};
      back = up ? Vec3d{0, -1, -0.15} : Vec3d{0, 0, -1};
      break;
    case WingRest::kHalf:
      out = up ? Vec3d{0.6, 0.5 + 0.3 * rise, -0.6} : Vec3d{0.6, 0.5 + 0.4 * rise, -0.45};
      back = up ? Vec3d{0, -1, -0.3} : Vec3d{0, -0.4, -1};
      break;
    case WingRest::kFolded:
      out = up ? Vec3d{0.25, -1, -0.35} : Vec3d{0.1 + 0.06 * rise, -0.1 + 0.15 * rise, -1};
      back = up ? Vec3d{-0.2, 0, -1} : Vec3d{0.25, -1, 0};
      break;
  }
  if (body.spec.wing_pairs > 1 && body.spec.wing_rest != WingRest::kFolded)
    (up ? out.y : out.z) += kParted[static_cast<std::size_t>(pair)];
  // An insect's folded wings lie flat over its abdomen.
  if (body.thorax && body.spec.wing_rest == WingRest::kFolded) out = {0.3, 0.12, -1}, back = {-1, 0, 0.3};
  out = normalized(out);
  return {out, across(back, out)};
}

}  // namespace

void build_wings(GrammarBody& body) {
  Rng& rng = body.rng;
  const BodySpec& spec = body.spec;
  const double rise = rng.uniform(), size = rng.uniform(0.75, 1.2), depth = rng.uniform(0.32, 0.5);
  for (int pair = 0; pair < spec.wing_pairs; ++pair) {
    const double s = body.thorax ? 0.7 - 0.35 * pair : body.upright() ? 0.85 - 0.15 * pair : 0.82 - 0.3 * pair;
    const Station place = body.at(s);
    const WingPose pose = wing_pose(body, rise, pair);
    WingShape wing;
    wing.prefix = pair == 0 ? "wing" : "hindwing";
    wing.style = spec.wing_style, wing.out = pose.out, wing.back = pose.back;
    const bool folded = spec.wing_rest == WingRest::kFolded;
    wing.span =
        size * (pair == 0 ? 1 : 0.8) * (folded ? 0.85 : 1) * (spec.suppleness == Suppleness::kSerpentine ? 0.35 : 1);
    wing.chord = depth * wing.span * (spec.wing_style == WingStyle::kMembrane ? 1.1 : 1) *
                 (spec.wing_pairs > 1 && !folded ? kNarrowed : 1);
    wing.bone = 0.045 * wing.span, wing.blend = 0.12 * wing.span, wing.reach = 0.45 * wing.span;
    wing.station = place.at;
    if (body.upright()) {
      wing.shoulder = place.centre + Vec3d{0.4 * place.half_width, 0, 0} + 0.7 * place.radius * place.dorsal;
    } else if (folded && !body.thorax) {
      wing.shoulder = place.centre + Vec3d{0.95 * place.half_width, 0, 0} + 0.45 * place.radius * place.dorsal;
    } else {
      wing.shoulder = place.centre + Vec3d{0.6 * place.half_width, 0, 0} + 0.6 * place.radius * place.dorsal;
    }
    for (const int side : {1, -1}) add_wing(body.plan, place.joint, wing, side);
  }
}

}  // namespace limber::zoo
