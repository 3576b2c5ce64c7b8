// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_like.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace limber::zoo {
namespace {

using rig::LimbKind;
using rig::Side;

/// What of a rig the grammar has words for.
struct Shape {
  std::array<std::array<int, 3>, rig::kLimbKindCount> count{};  ///< per kind and side
  std::vector<Vec3d> trunk;                                     ///< joints of it, from the root on
  std::vector<Vec3d> hips, shoulders, wings, necks;  ///< where legs, arms, wings, and necks or heads leave it
  double neck = 0, tail = 0;                         ///< longest, in heights of the rig
  int legs_aside = 0;                                ///< legs whose joints reach farther to the side than down
  double height = 1e-9, length = 1e-9;

  int all(LimbKind kind) const {
    const auto& sides = count[static_cast<std::size_t>(kind)];
    return sides[0] + sides[1] + sides[2];
  }
  /// Of what comes left and right; a limb whose partner was not found counts as two.
  int pairs(LimbKind kind) const {
    const auto& sides = count[static_cast<std::size_t>(kind)];
    const int left = sides[static_cast<std::size_t>(Side::kLeft)],
              right = sides[static_cast<std::size_t>(Side::kRight)];
    return std::max(left, right);
  }
};

/// From the first joint of a limb to its last, along the joints between.
double length_of(std::span<const Vec3d> joints) {
  double length = 0;
  for (std::size_t i = 1; i < joints.size(); ++i) length += norm(joints[i] - joints[i - 1]);
  return length;
}

Shape read_shape(const rig::Rig& rig) {
  Shape shape;
  std::vector<std::vector<Vec3d>> joints(rig.limbs().size());
  Vec3d low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  for (int j = 0; j < rig.joint_count(); ++j) {
    const Vec3d place = rig.world_from_rest()[static_cast<std::size_t>(j)].translation.cast<double>();
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], place[k]), high[k] = std::max(high[k], place[k]);
    const int limb = rig.joints()[static_cast<std::size_t>(j)].role.limb;
    if (limb >= 0) joints[static_cast<std::size_t>(limb)].push_back(place);
  }
  shape.height = std::max(high.y - low.y, 1e-9), shape.length = std::max(high.z - low.z, 1e-9);
  const double size = std::max(shape.height, shape.length);
  for (std::size_t i = 0; i < rig.limbs().size(); ++i) {
    const rig::Limb& limb = rig.limbs()[i];
    ++shape.count[static_cast<std::size_t>(limb.kind)][static_cast<std::size_t>(limb.side)];
    if (limb.kind == LimbKind::kTrunk) shape.trunk = joints[i];
    if (joints[i].empty()) continue;
    if (limb.kind == LimbKind::kLeg) shape.hips.push_back(joints[i].front());
    if (limb.kind == LimbKind::kArm) shape.shoulders.push_back(joints[i].front());
    if (limb.kind == LimbKind::kNeck || limb.kind == LimbKind::kHead) shape.necks.push_back(joints[i].front());
    if (limb.kind == LimbKind::kNeck) shape.neck = std::max(shape.neck, length_of(joints[i]) / size);
    if (limb.kind == LimbKind::kTail) shape.tail = std::max(shape.tail, length_of(joints[i]) / size);
    if (limb.kind == LimbKind::kLeg && joints[i].size() > 1) {
      const Vec3d reach = joints[i].back() - joints[i].front();
      shape.legs_aside += std::abs(reach.x) > std::abs(reach.y) ? 1 : 0;
    }
  }
  return shape;
}

Vec3d middle_of(std::span<const Vec3d> places) {
  Vec3d sum;
  for (const Vec3d& place : places) sum += place;
  return (1.0 / static_cast<double>(places.size())) * sum;
}

/// Carried as it lies from where legs leave it to where arms do, or the neck; the backs of birds are level. Its own
/// joints tell less: many rigs hang controls on the trunk.
Carriage carriage_of(const Shape& shape, Carriage otherwise) {
  const std::vector<Vec3d>& ends = !shape.shoulders.empty() ? shape.shoulders : shape.necks;
  if (shape.shoulders.empty() && shape.all(LimbKind::kWing) > 0) return otherwise;
  Vec3d along;
  if (!shape.hips.empty() && !ends.empty()) {
    along = middle_of(ends) - middle_of(shape.hips);
  } else if (shape.trunk.size() > 1) {
    along = shape.trunk.back() - shape.trunk.front();
  }
  if (norm(along) < 1e-3 * shape.height) return otherwise;
  return along.y > std::hypot(along.x, along.z) ? Carriage::kUpright : Carriage::kLevel;
}

Length length_named(double share) {
  return share < 0.15 ? Length::kShort : share < 0.4 ? Length::kMedium : Length::kLong;
}

void give_legs(const Shape& shape, BodySpec& spec) {
  const bool upright = spec.carriage == Carriage::kUpright;
  spec.leg_pairs = std::clamp((shape.all(LimbKind::kLeg) + 1) / 2, 0, 20);
  if (spec.leg_pairs == 0) return;
  const bool aside = 2 * shape.legs_aside > shape.all(LimbKind::kLeg);
  if (spec.leg_pairs > 2) {
    spec.leg_style = LegStyle::kInsect, spec.neck = NeckLength::kNone;
    spec.segments = spec.leg_pairs > 5 ? std::min(30, spec.leg_pairs + 1) : 3;
  } else if (spec.leg_pairs == 1 && upright) {
    spec.leg_style = LegStyle::kPlantigrade;
  } else {
    spec.leg_style = aside && spec.leg_pairs == 2 ? LegStyle::kSprawling : LegStyle::kDigitigrade;
  }
  if (spec.leg_pairs == 1 && !upright) spec.feet = FootStyle::kClaw;
  if (spec.leg_style == LegStyle::kSprawling) spec.feet = FootStyle::kToes;
}

/// What has no legs swims where it has fins or flukes, slithers where it is long, and else stands on its base.
void live_without_legs(const Shape& shape, BodySpec& spec) {
  const bool fins = shape.all(LimbKind::kFin) > 0;
  spec.flipper_pairs = std::min(2, shape.pairs(LimbKind::kFin));
  if (fins) {
    spec.carriage = Carriage::kLevel, spec.form = TrunkForm::kNarrow, spec.segments = 6, spec.neck = NeckLength::kNone;
    spec.dorsal = true, spec.tail_fin = TailFin::kUpright, spec.tails = 0;
  } else if (spec.wing_pairs == 0 && spec.tentacles == 0 && shape.length > 1.5 * shape.height) {
    spec = {};
    spec.segments = 20, spec.suppleness = Suppleness::kSerpentine, spec.neck = NeckLength::kNone;
  }
}

}  // namespace

BodySpec body_like(const rig::Rig& rig) {
  BodySpec spec;
  const Shape shape = read_shape(rig);
  if (rig.limbs().empty()) return spec;
  spec.arm_pairs = std::min(2, shape.pairs(LimbKind::kArm));
  spec.wing_pairs = std::min(2, shape.pairs(LimbKind::kWing));
  spec.tentacles = std::min(10, shape.all(LimbKind::kTentacle));
  spec.heads = std::clamp(shape.all(LimbKind::kHead), 1, 3);
  spec.tails = std::min(3, shape.all(LimbKind::kTail));
  if (spec.tails > 0) spec.tail_length = length_named(shape.tail);
  const int pairs = (shape.all(LimbKind::kLeg) + 1) / 2;
  spec.carriage = carriage_of(shape, pairs == 1 && spec.wing_pairs == 0 ? Carriage::kUpright : Carriage::kLevel);
  spec.neck = shape.neck <= 0     ? NeckLength::kShort
              : shape.neck < 0.1  ? NeckLength::kShort
              : shape.neck < 0.25 ? NeckLength::kMedium
                                  : NeckLength::kLong;
  if (spec.carriage == Carriage::kUpright) spec.mouth = Mouth::kPlain;
  give_legs(shape, spec);
  if (spec.leg_pairs == 0) live_without_legs(shape, spec);
  // What says nothing is forgotten, so that equal bodies are equal.
  return parse_body(to_text(spec)).value();
}

}  // namespace limber::zoo
