// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/lent_takes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "limber/base/math.h"

namespace limber::bench {
namespace {

constexpr double kAlike = 0.087;  // radians: joints that are turned otherwise at rest would be turned wrongly
constexpr double kNear = 0.05;    // heights, mean over joints: many rigs have joints that are only called alike
constexpr std::size_t kMostLent = 4;

/// Whether angles of the one mean the same on the other.
bool same_skeleton(const rig::Rig& a, const rig::Rig& b) {
  if (a.joint_count() != b.joint_count()) return false;
  double apart = 0;
  for (std::size_t j = 0; j < a.joints().size(); ++j) {
    const rig::Joint &one = a.joints()[j], &other = b.joints()[j];
    if (one.name != other.name || one.parent != other.parent) return false;
    apart += double(norm(a.world_from_rest()[j].translation - b.world_from_rest()[j].translation)) /
             static_cast<double>(a.joint_count());
    const Quatd turn = decompose(a.world_from_rest()[j].cast<double>()).rotation,
                other_turn = decompose(b.world_from_rest()[j].cast<double>()).rotation;
    if (angle_between(turn, other_turn) > kAlike) return false;
    if (angle_between(one.axes.cast<double>(), other.axes.cast<double>()) > kAlike) return false;
  }
  return apart < kNear;
}

}  // namespace

void LentTakes::add(const ArtistBody& body) {
  // One rig of a pack speaks for all.
  const auto same = [&](const Lender& lender) {
    return lender.family == body.family && same_skeleton(lender.rig, body.told.rig);
  };
  if (std::any_of(lenders_.begin(), lenders_.end(), same)) return;
  lenders_.push_back({body.path, body.family, body.told.rig, body.gaits});
}

void LentTakes::lend(ArtistBody& body) const {
  for (const Lender& lender : lenders_) {
    if (lender.family == body.family || !same_skeleton(lender.rig, body.told.rig)) continue;
    for (AskedGait& gait : body.gaits) {
      for (const AskedGait& other : lender.gaits) {
        if (other.action != gait.action) continue;
        for (Take take : other.takes) {
          take.clip = lender.path + ": " + take.clip;
          if (gait.takes.size() < kMostLent && !has_curves(gait.takes, take)) gait.takes.push_back(std::move(take));
        }
      }
    }
  }
}

}  // namespace limber::bench
