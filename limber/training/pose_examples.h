// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limber/pose_space/pose_trainer.h"
#include "limber/training/character.h"
#include "limber/training/left_out.h"

/// What the pose space is taught with: poses of the zoo's creatures and of artists' characters.
namespace limber::training {

struct PoseExampleSettings {
  std::uint64_t seed = 0;
  int creatures = 4000;   ///< of the zoo; those for validation are others
  double any_body = 0.7;  ///< share of bodies of the grammar among them, the rest being of the eight plans
  double artists = 0.5;   ///< share of artists' characters, where there are any
  LeaveOut leave_out;     ///< these make up a share of `artists` of the examples for validation
};

/// A creature in the middle of what it can do, or a character in the middle of its clips; of the characters every
/// skeleton family (`skeleton_family.h`) comes as often as the others. Creatures are made when they are first needed
/// and kept. `characters` may be null or empty. Give it to `pose_space::train_poses`.
pose_space::PoseSource pose_examples(const std::shared_ptr<const std::vector<Character>>& characters,
                                     const PoseExampleSettings& settings = {});

}  // namespace limber::training
