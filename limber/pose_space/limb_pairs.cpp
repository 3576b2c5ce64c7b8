// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/limb_pairs.h"

namespace limber::pose_space {

std::vector<int> limb_pairs(const rig::Rig& rig) {
  const std::span<const rig::Limb> limbs = rig.limbs();
  std::vector<int> pairs(limbs.size(), 0);
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    for (std::size_t k = 0; k < limbs.size(); ++k) {
      if (limbs[k].kind != limbs[i].kind || limbs[k].side != limbs[i].side) continue;
      const bool before = limbs[k].station > limbs[i].station || (limbs[k].station == limbs[i].station && k < i);
      pairs[i] += before ? 1 : 0;
    }
  }
  return pairs;
}

}  // namespace limber::pose_space
