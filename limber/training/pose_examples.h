// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/pose_space/pose_trainer.h"
#include "limber/training/character.h"
#include "limber/training/left_out.h"

/// What the pose space is taught with: poses of the zoo's creatures, of artists' characters, of people, and of videos.
namespace limber::training {

/// Bodies with clips, all of which may be null or empty. Lists are as files have them: see `pose_teachers`.
struct PoseTeachers {
  using List = std::shared_ptr<const std::vector<Character>>;
  List characters;  ///< with artists' clips, people's recordings, or both
  List harvested;   ///< with motions lifted from samples of the video prior (`limber-lab train harvest`)
  List examined;    ///< who is left out is validated on, with the clips that it has here; null: with those it has above
};

/// Where poses may come from.
struct PoseSources {
  bool zoo = true, artists = true, people = true, video = true;

  /// "zoo,people"; nothing where a word is none of the four, or there is none.
  static std::optional<PoseSources> parse(const std::string& text);
};

/// The characters of a baked file with the clips of those sources; artists' own clips are what is examined. Harvests
/// are one after the other. No path: nobody.
Result<PoseTeachers> pose_teachers(const std::filesystem::path& characters,
                                   const std::vector<std::filesystem::path>& harvests, const PoseSources& sources);

struct PoseExampleSettings {
  std::uint64_t seed = 0;
  int creatures = 4000;     ///< of the zoo; those for validation are others
  double any_body = 0.7;    ///< share of bodies of the grammar among them, the rest being of the eight plans
  double artists = 0.5;     ///< share of characters among bodies that are not harvested, where there are any
  double harvested = 0.25;  ///< share of harvested bodies, where there are any
  LeaveOut leave_out;       ///< where anybody is left out, these are all that is validated on
};

/// A creature in the middle of what it can do, or a character in the middle of its clips; of the characters every
/// skeleton family (`skeleton_family.h`) comes as often as the others. Creatures are made when they are first needed
/// and kept. Bodies of a harvest whose skeleton is left out are left out, too. Give it to `pose_space::train_poses`.
pose_space::PoseSource pose_examples(const PoseTeachers& teachers, const PoseExampleSettings& settings = {});

}  // namespace limber::training
