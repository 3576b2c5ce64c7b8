// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/left_out.h"

#include <algorithm>

#include "limber/training/skeleton_family.h"

namespace limber::training {

std::vector<bool> find_left_out(const std::vector<Character>& characters, const LeaveOut& leave_out) {
  std::vector<bool> left_out(characters.size(), false);
  for (std::size_t i = 0; i < characters.size(); ++i) left_out[i] = mentions_any(characters[i].name, leave_out.names);
  if (leave_out.fold.of == 0) return left_out;
  std::vector<std::string> families;
  for (const Character& character : characters) families.push_back(skeleton_family(character.rig));
  const std::vector<std::vector<std::size_t>> groups = group_by_family(families);
  const auto step = static_cast<std::size_t>(leave_out.fold.of);
  for (auto g = static_cast<std::size_t>(leave_out.fold.which); g < groups.size(); g += step) {
    for (const std::size_t i : groups[g]) left_out[i] = true;
  }
  return left_out;
}

bool mentions_any(const std::string& name, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return name.find(word) != std::string::npos; });
}

}  // namespace limber::training
