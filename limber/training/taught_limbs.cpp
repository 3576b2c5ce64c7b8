// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/taught_limbs.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"

namespace limber::training {
namespace {

using rig::LimbKind;

Vec3 place_of(const PosableRig& body, int joint) { return body.rig.world_from_rest()[at(joint)].translation; }

/// Collar bones: of the trunk, whatever names say.
bool is_girdle(const PosableRig& body, int joint, LimbKind kind) {
  const bool limb = kind == LimbKind::kLeg || kind == LimbKind::kArm;
  return limb && body.parts.regions[at(joint)] == anatomy::Region::kTrunk;
}

}  // namespace

TaughtLimbs::TaughtLimbs(const PosableRig& body) {
  const rig::Rig& rig = body.rig;
  for (const rig::Limb& limb : rig.limbs()) limbs_.push_back({limb.kind, limb.side, {}, -1, {}});
  if (limbs_.empty()) limbs_.emplace_back();
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int limb = std::max(0, rig.joints()[at(j)].role.limb);
    limb_of_.push_back(is_girdle(body, j, limbs_[at(limb)].kind) ? 0 : limb);
  }
  for (int i = 1; i < static_cast<int>(limbs_.size()); ++i) follow(body, i);
  lay_trunk(body);
}

/// From the joint that something else carries, always to the joint with most of the limb below it.
void TaughtLimbs::follow(const PosableRig& body, int limb) {
  const int count = body.rig.joint_count();
  std::vector<int> below(at(count), 0);
  for (auto j = body.order.rbegin(); j != body.order.rend(); ++j) {
    const int carrier = body.carriers[at(*j)];
    if (limb_of_[at(*j)] == limb && carrier >= 0) below[at(carrier)] += below[at(*j)] + 1;
  }
  int next = -1;
  for (const int j : body.order) {
    const int carrier = body.carriers[at(j)];
    const bool starts = limb_of_[at(j)] == limb && (carrier < 0 || limb_of_[at(carrier)] != limb);
    if (starts && (next < 0 || below[at(j)] > below[at(next)])) next = j;
  }
  while (next >= 0) {
    limbs_[at(limb)].chain.push_back(next);
    int child = -1;
    for (int j = 0; j < count; ++j) {
      const bool goes_on = body.carriers[at(j)] == next && limb_of_[at(j)] == limb;
      if (goes_on && (child < 0 || below[at(j)] > below[at(child)])) child = j;
    }
    next = child;
  }
}

void TaughtLimbs::lay_trunk(const PosableRig& body) {
  // What the trunk carries in front, and whether it stands on legs.
  int front = -1;
  bool legs = false;
  for (const LimbKind kind : {LimbKind::kArm, LimbKind::kHead, LimbKind::kNeck}) {
    for (const TaughtLimb& limb : limbs_) {
      legs = legs || (limb.kind == LimbKind::kLeg && !limb.chain.empty());
      const int carrier = limb.kind == kind && !limb.chain.empty() ? body.carriers[at(limb.chain[0])] : -1;
      if (carrier >= 0 && limb_of_[at(carrier)] == 0) front = kind == LimbKind::kArm ? carrier : limb.chain[0];
    }
  }
  const auto farthest = [&](int from) {
    int best = from;
    for (int j = 0; j < body.rig.joint_count(); ++j) {
      if (limb_of_[at(j)] != 0) continue;
      if (norm(place_of(body, j) - place_of(body, from)) > norm(place_of(body, best) - place_of(body, from))) best = j;
    }
    return best;
  };
  int hind = body.hips;
  if (front < 0) front = farthest(hind);
  if (!legs) hind = farthest(front);
  // From end to end through the tree.
  std::vector<int> up, down;
  for (int j = front; j >= 0; j = body.carriers[at(j)]) up.push_back(j);
  for (int j = hind; j >= 0 && std::find(up.begin(), up.end(), j) == up.end(); j = body.carriers[at(j)])
    down.push_back(j);
  const int meet = down.empty() ? hind : body.carriers[at(down.back())];
  up.erase(std::find(up.begin(), up.end(), meet) + 1, up.end());
  std::reverse(up.begin(), up.end());
  std::vector<int>& chain = limbs_[0].chain;
  chain = std::move(down);
  chain.insert(chain.end(), up.begin(), up.end());
}

void TaughtLimbs::find_tips(const PosableRig& body, const std::function<void(const Point&)>& for_each_point) {
  // The last joints of limbs that have skin.
  std::vector<bool> has_skin(limb_of_.size(), false);
  for_each_point([&](int joint, int, Vec3) { has_skin[at(joint)] = true; });
  std::vector<int> ends(limb_of_.size(), -1);
  for (std::size_t i = 1; i < limbs_.size(); ++i) {
    const std::vector<int>& chain = limbs_[i].chain;
    const auto last = std::find_if(chain.rbegin(), chain.rend(), [&](int j) { return has_skin[at(j)]; });
    if (last != chain.rend()) ends[at(*last)] = static_cast<int>(i);
  }
  std::vector<float> farthest(limbs_.size(), -1);
  for_each_point([&](int joint, int bone, Vec3 place) {
    const int i = ends[at(joint)];
    if (i < 0) return;
    const Vec3 at_rest = body.rig.world_from_rest()[at(joint)] * (body.rig.bones()[at(bone)].joint_from_bind * place);
    const float distance = norm(at_rest - place_of(body, joint));
    if (distance <= farthest[at(i)]) return;
    farthest[at(i)] = distance, limbs_[at(i)].tip_bone = bone, limbs_[at(i)].tip = place;
  });
}

std::vector<std::vector<Vec3>> TaughtLimbs::lines(const PosedRig& posed) const {
  std::vector<std::vector<Vec3>> lines;
  for (const TaughtLimb& limb : limbs_) {
    std::vector<Vec3> line;
    for (const int j : limb.chain) line.push_back(posed.joints[at(j)]);
    if (limb.tip_bone >= 0) line.push_back(posed.bones[at(limb.tip_bone)] * limb.tip);
    if (line.empty()) line.push_back(posed.joints[0]);
    lines.push_back(std::move(line));
  }
  return lines;
}

float along_line(std::span<const Vec3> line, Vec3 place) {
  float length = 0, best = 0, nearest = 1e30f;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec3 step = line[i + 1] - line[i];
    const float squared = squared_norm(step);
    const float share = squared > 0 ? std::clamp(dot(place - line[i], step) / squared, 0.0f, 1.0f) : 0.0f;
    const float distance = squared_norm(place - line[i] - share * step), own = std::sqrt(squared);
    if (distance < nearest) nearest = distance, best = length + share * own;
    length += own;
  }
  return length > 0 ? best / length : 0;
}

}  // namespace limber::training
