// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/skin_leak.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::metrics {
namespace {

constexpr double kTurn = kPi / 6;

bool turns(rig::LimbKind kind) {
  switch (kind) {
    case rig::LimbKind::kLeg:
    case rig::LimbKind::kArm:
    case rig::LimbKind::kWing:
    case rig::LimbKind::kFin:
    case rig::LimbKind::kTail:
    case rig::LimbKind::kNeck:
    case rig::LimbKind::kTentacle:
      return true;
    default:
      return false;
  }
}

/// Per joint: whether it hangs on `top`, or is it.
std::vector<bool> below(const rig::Rig& rig, int top) {
  std::vector<bool> result(rig.joints().size(), false);
  result[at(top)] = true;
  for (std::size_t j = 0; j < result.size(); ++j) {
    const int parent = rig.joints()[j].parent;
    if (parent >= 0 && result[at(parent)]) result[j] = true;
  }
  return result;
}

/// The first joint of a limb that has some.
int first_joint(const rig::Rig& rig, int limb) {
  for (int j = 0; j < rig.joint_count(); ++j) {
    if (rig.joints()[at(j)].role.limb == limb) return j;
  }
  return -1;
}

/// Limbs that have to stay where they are while those joints turn: neither the trunk, nor what the limb leaves.
std::vector<bool> still_limbs(const rig::Rig& rig, int limb, const std::vector<bool>& turned) {
  std::vector<bool> still(rig.limbs().size(), true);
  for (int up = limb; up >= 0; up = rig.limbs()[at(up)].parent) still[at(up)] = false;
  for (std::size_t j = 0; j < turned.size(); ++j) {
    const int own = rig.joints()[j].role.limb;
    if (turned[j] && own >= 0) still[at(own)] = false;
  }
  for (std::size_t l = 0; l < still.size(); ++l) {
    const rig::LimbKind kind = rig.limbs()[l].kind;
    if (kind == rig::LimbKind::kTrunk || kind == rig::LimbKind::kProp) still[l] = false;
  }
  return still;
}

}  // namespace

SkinLeak skin_leak(const ClipBody& body) {
  SkinLeak worst;
  const rig::Subject& subject = body.subject;
  const rig::Rig& rig = subject.rig;
  if (!body.has_skin) return worst;
  std::vector<Vec3> rest;
  pose_points(subject, kinematics::bone_matrices(rig, kinematics::rest_pose(rig)), rest);
  const std::vector<int> leader = leaders(subject);
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (int l = 0; l < static_cast<int>(rig.limbs().size()); ++l) {
    const int joint = turns(rig.limbs()[at(l)].kind) ? first_joint(rig, l) : -1;
    if (joint < 0) continue;
    const std::vector<bool> turned = below(rig, joint), still = still_limbs(rig, l, turned);
    std::vector<std::vector<float>> moved(still.size());
    for (std::size_t p = 0; p < rest.size(); ++p) {
      const int limb = rig.joints()[at(leader[p])].role.limb;
      if (limb < 0 || !still[at(limb)] || rig.joints()[at(leader[p])].role.section == 0) continue;
      double share = 0;
      for (std::size_t k = p * stride; k < (p + 1) * stride; ++k) {
        if (turned[at(rig.bones()[subject.weights.bones[k]].joint)]) share += double(subject.weights.weights[k]);
      }
      const double arm = double(norm(rest[p] - rig.world_from_rest()[at(joint)].translation));
      moved[at(limb)].push_back(static_cast<float>(share * 2 * std::sin(kTurn / 2) * arm));
    }
    for (std::size_t m = 0; m < moved.size(); ++m) {
      if (moved[m].empty()) continue;
      const auto one = moved[m].begin() + static_cast<std::ptrdiff_t>(moved[m].size() / 100);
      std::nth_element(moved[m].begin(), one, moved[m].end(), std::greater<>());
      if (double(*one) > worst.movement) worst = {double(*one), l, static_cast<int>(m)};
    }
  }
  return worst;
}

}  // namespace limber::metrics
