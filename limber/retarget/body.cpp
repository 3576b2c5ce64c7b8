// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/body.h"

#include <algorithm>
#include <cmath>

#include "limber/anatomy/find_roles.h"
#include "limber/base/at.h"

namespace limber::retarget {
namespace {

using rig::LimbKind;

/// Of a leg's height: a joint that is lower is of the foot. Hocks are higher, ankles of those who walk on soles are
/// not.
constexpr double kAnkle = 0.25;
/// The same: a leg that ends higher above where others do does not stand, whatever it is called.
constexpr double kHangs = 0.35;
/// The same: flesh this low stands on the ground.
constexpr double kStands = 0.12;

/// What of the skin each joint leads, at rest: the point farthest from it, and the lowest.
struct Flesh {
  std::vector<Vec3d> farthest, lowest;
  std::vector<bool> any;
};

Flesh find_flesh(const rig::Subject& subject, const std::vector<Vec3d>& places) {
  const rig::Rig& rig = subject.rig;
  Flesh flesh{places, places, std::vector<bool>(places.size(), false)};
  for (std::size_t p = 0; p < subject.points.size(); ++p) {
    const auto bone = at(subject.weights.bones[p * at(subject.weights.stride)]);
    const auto joint = at(rig.bones()[bone].joint);
    const Affine posed = rig.world_from_rest()[joint] * rig.bones()[bone].joint_from_bind;
    const Vec3d place = (posed * subject.points[p]).cast<double>();
    if (!is_finite(place)) continue;
    Vec3d &far = flesh.farthest[joint], &low = flesh.lowest[joint];
    if (norm(place - places[joint]) > norm(far - places[joint])) far = place;
    if (!flesh.any[joint] || place.y < low.y) low = place;
    flesh.any[joint] = true;
  }
  return flesh;
}

bool carries_body(LimbKind kind) {
  switch (kind) {
    case LimbKind::kLeg:
    case LimbKind::kArm:
    case LimbKind::kWing:
    case LimbKind::kNeck:
    case LimbKind::kHead:
    case LimbKind::kTail:
    case LimbKind::kFin:
    case LimbKind::kTentacle:
      return true;
    default:
      return false;
  }
}

int common_ancestor(const rig::Rig& rig, int a, int b) {
  while (a != b) (a > b ? a : b) = rig.joints()[at(a > b ? a : b)].parent;
  return a;
}

/// The lowest joint that everything which makes up the body hangs on: below it are controls and the ground.
int find_trunk(const rig::Rig& rig) {
  int trunk = -1;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int limb = rig.joints()[at(j)].role.limb, parent = rig.joints()[at(j)].parent;
    if (limb <= 0 || !carries_body(rig.limbs()[at(limb)].kind) || parent < 0) continue;
    if (rig.joints()[at(parent)].role.limb != 0) continue;
    // A loose foot hangs on the root and goes on with a leg.
    if (rig.joints()[at(j)].role.section > 0) continue;
    trunk = trunk < 0 ? parent : common_ancestor(rig, trunk, parent);
  }
  return std::max(trunk, 0);
}

/// The longest way from where a limb starts to one of its ends.
std::vector<int> longest_chain(const rig::Rig& rig, const std::vector<Vec3d>& places, int limb, int first) {
  std::vector<double> ways(at(rig.joint_count()), -1);
  int end = -1;
  for (int j = std::max(first, 0); j < rig.joint_count(); ++j) {
    if (rig.joints()[at(j)].role.limb != limb) continue;
    const int parent = rig.joints()[at(j)].parent;
    if (j == first || (first < 0 && end < 0)) {
      ways[at(j)] = 0;
    } else if (parent >= 0 && ways[at(parent)] >= 0) {
      ways[at(j)] = ways[at(parent)] + norm(places[at(j)] - places[at(parent)]);
    } else {
      continue;  // beside the limb: a helper, or hung elsewhere
    }
    if (end < 0 || ways[at(j)] > ways[at(end)]) end = j;
  }
  std::vector<int> chain;
  for (int j = end; j >= 0 && ways[at(j)] >= 0; j = rig.joints()[at(j)].parent) chain.push_back(j);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Sections of the length nothing are left out: they point nowhere.
void measure(const Body& body, const Flesh& flesh, Chain& chain) {
  const auto last = at(chain.joints.back());
  const Vec3d tip = chain.limb.kind == LimbKind::kLeg ? flesh.lowest[last] : flesh.farthest[last];
  chain.has_end = flesh.any[last] && norm(tip - body.places[last]) > 0.01 * body.size;
  chain.end = chain.has_end ? tip : body.places[last];
  double way = 0;
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    if (i > 0) way += norm(body.place(chain.joints[i]) - body.place(chain.joints[i - 1]));
    chain.shares.push_back(way);
  }
  chain.length = way + norm(chain.end - body.places[last]);
  for (double& share : chain.shares) share = chain.length > 0 ? share / chain.length : 0;
}

void find_foot(const Body& body, const Flesh& flesh, double floor, Chain& leg) {
  const double height = body.place(leg.joints[0]).y - floor;
  leg.ankle = static_cast<int>(leg.joints.size());
  for (std::size_t i = leg.joints.size(); i-- > 1;) {
    if (body.place(leg.joints[i]).y - floor > kAnkle * height) break;
    leg.ankle = static_cast<int>(i);
  }
  leg.sole_joint = leg.joints.back();
  const auto last = at(leg.sole_joint);
  // The end of a leg that is a point; else its last joint, which is near the ground and does not roll.
  leg.sole =
      leg.ankle < static_cast<int>(leg.joints.size()) || !flesh.any[last] ? body.places[last] : flesh.lowest[last];
}

/// Legs in one piece end where they begin, for who sees joints alone, and are taken for arms: their flesh stands on
/// the ground.
bool reaches_ground(const Body& body, const Flesh& flesh, const Chain& arm) {
  const auto last = at(arm.joints.back());
  return flesh.any[last] && flesh.lowest[last].y < kStands * body.place(arm.joints[0]).y;
}

/// Front legs of who stands on two are arms.
void tell_arms(const Body& body, std::vector<Chain>& chains) {
  double floor = 1e30;
  for (const Chain& chain : chains) {
    if (chain.limb.kind == LimbKind::kLeg) floor = std::min(floor, chain.sole.y);
  }
  for (Chain& chain : chains) {
    const bool hangs = chain.sole.y - floor > kHangs * (body.place(chain.joints[0]).y - floor);
    if (chain.limb.kind == LimbKind::kLeg && hangs) chain.limb.kind = LimbKind::kArm;
  }
}

void find_stands(const Body& body, std::vector<Chain>& chains) {
  for (Chain& leg : chains) {
    leg.stand = leg.sole;
    if (leg.limb.kind != LimbKind::kLeg || leg.limb.side == rig::Side::kMiddle) continue;
    const Chain* partner = nullptr;
    for (const Chain& other : chains) {
      if (other.limb.kind != leg.limb.kind || other.limb.side != rig::mirrored(leg.limb.side)) continue;
      const auto off = [&](const Chain& chain) { return std::abs(chain.limb.station - leg.limb.station); };
      if (partner == nullptr || off(other) < off(*partner)) partner = &other;
    }
    if (partner == nullptr) continue;
    const double middle = 0.5 * (body.place(leg.joints[0]).x + body.place(partner->joints[0]).x);
    leg.stand = {0.5 * (leg.sole.x + 2 * middle - partner->sole.x), std::min(leg.sole.y, partner->sole.y),
                 0.5 * (leg.sole.z + partner->sole.z)};
  }
}

/// "leg.2.L" for the second of several from the front, "leg.L" for the only one.
void name_chains(std::vector<Chain>& chains) {
  for (Chain& chain : chains) {
    int before = 0, alike = 0;
    for (const Chain& other : chains) {
      if (other.limb.kind != chain.limb.kind || other.limb.side != chain.limb.side) continue;
      ++alike;
      const bool ahead = other.limb.station > chain.limb.station;
      before += ahead || (other.limb.station == chain.limb.station && &other < &chain) ? 1 : 0;
    }
    chain.name = rig::name(chain.limb.kind);
    if (alike > 1) chain.name.append(".").append(std::to_string(before + 1));
    if (chain.limb.side != rig::Side::kMiddle) chain.name += chain.limb.side == rig::Side::kLeft ? ".L" : ".R";
  }
}

}  // namespace

bool Body::has(LimbKind kind) const {
  return std::any_of(chains.begin(), chains.end(), [&](const Chain& chain) { return chain.limb.kind == kind; });
}

int Body::find(const std::string& chain) const {
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (chains[i].name == chain) return static_cast<int>(i);
  }
  return -1;
}

bool points(LimbKind kind) { return kind == LimbKind::kArm || kind == LimbKind::kWing; }

Body make_body(const rig::Subject& upright) {
  Body body{anatomy::with_roles(upright.rig), {}, {}, -1, 0, 1};
  Vec3d low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
  for (const Affine& joint : body.rig.world_from_rest()) {
    body.places.push_back(joint.translation.cast<double>());
    low = min(low, body.places.back()), high = max(high, body.places.back());
  }
  const Vec3d extent = high - low;
  body.size = std::max({extent.x, extent.y, extent.z, 1e-6});
  body.trunk = find_trunk(body.rig);
  const Flesh flesh = find_flesh(upright, body.places);
  const bool legged = std::any_of(body.rig.limbs().begin(), body.rig.limbs().end(),
                                  [](const rig::Limb& limb) { return limb.kind == LimbKind::kLeg; });
  double lengths = 0;
  int legs = 0;
  for (int l = 0; l < static_cast<int>(body.rig.limbs().size()); ++l) {
    Chain chain;
    chain.limb = body.rig.limbs()[at(l)];
    chain.joints = longest_chain(body.rig, body.places, l, l == 0 ? body.trunk : -1);
    if (chain.joints.empty()) continue;
    if (chain.limb.kind == LimbKind::kArm && !legged && reaches_ground(body, flesh, chain)) {
      chain.limb.kind = LimbKind::kLeg;
    }
    measure(body, flesh, chain);
    if (chain.limb.kind == LimbKind::kLeg) {
      const double floor = upright.points.empty() ? low.y : 0;
      find_foot(body, flesh, floor, chain);
    }
    body.chains.push_back(std::move(chain));
  }
  tell_arms(body, body.chains);
  find_stands(body, body.chains);
  for (const Chain& chain : body.chains) {
    if (chain.limb.kind != LimbKind::kLeg) continue;
    lengths += norm(chain.sole - body.place(chain.joints[0])), ++legs;
  }
  body.leg_length = legs > 0 ? lengths / legs : 0;
  name_chains(body.chains);
  return body;
}

}  // namespace limber::retarget
