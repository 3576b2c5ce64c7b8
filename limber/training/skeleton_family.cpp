// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/skeleton_family.h"

#include <map>

namespace limber::training {

std::string skeleton_family(const rig::Rig& rig) {
  std::string family;
  for (const rig::Joint& joint : rig.joints()) family += joint.name + '\n' + std::to_string(joint.parent) + '\n';
  return family;
}

std::vector<std::vector<std::size_t>> group_by_family(const std::vector<std::string>& families) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const auto found = known.try_emplace(families[i], groups.size());
    if (found.second) groups.emplace_back();
    groups[found.first->second].push_back(i);
  }
  return groups;
}

}  // namespace limber::training
