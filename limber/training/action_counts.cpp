// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/action_counts.h"

#include <algorithm>
#include <set>

#include "limber/training/skeleton_family.h"
#include "limber/zoo/action.h"

namespace limber::training {

std::map<std::string, int> count_clips(const std::vector<Character>& characters) {
  std::map<std::string, std::set<std::string>> clips;
  for (const Character& character : characters) {
    const std::string family = skeleton_family(character.rig);
    for (const CharacterClip& clip : character.clips) {
      // Recordings keep the names of their files, which no two share.
      const bool recorded = clip.name.find(".bvh") != std::string::npos;
      for (const std::string& action : clip.meaning.actions) {
        clips[action].insert(recorded ? clip.name : clip.name + '\n' + family);
      }
    }
  }
  std::map<std::string, int> counts;
  for (const auto& [action, names] : clips) counts[action] = static_cast<int>(names.size());
  return counts;
}

void drop_rare_actions(std::vector<Character>& characters, int fewest) {
  const std::map<std::string, int> counts = count_clips(characters);
  const auto is_rare = [&](const std::string& action) {
    return counts.at(action) < fewest && !zoo::action_from_name(action);
  };
  for (Character& character : characters) {
    for (CharacterClip& clip : character.clips) {
      std::vector<std::string>& actions = clip.meaning.actions;
      actions.erase(std::remove_if(actions.begin(), actions.end(), is_rare), actions.end());
    }
  }
}

}  // namespace limber::training
