// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limber/prior/sketch_trainer.h"
#include "limber/training/character.h"

/// What artists' characters do, for the built-in prior to learn beside the zoo.
namespace limber::training {

struct CharacterClipSettings {
  std::uint64_t seed = 0;
  double mirrored = 0.5;  ///< how often left and right are swapped
  double least_speed = 0.7, most_speed = 1.4;
  double least_stretch = 0.85, most_stretch = 1.2;  ///< of each axis
  double borrowed = 0.25;                           ///< how often a clip comes from a character with a similar rig
};

/// Draws clips for a model: a character, one of its clips, played at some speed from some point on, on a body whose
/// proportions are changed a little. Legged bodies come more often than their number; of one plan every
/// skeleton family (`skeleton_family.h`) comes as often as the others, and so do its members; gaits come more often
/// than other actions. Give it to `train_sketch_prior`.
prior::ClipSource character_clips(const prior::SketchModel& model,
                                  std::shared_ptr<const std::vector<Character>> characters,
                                  const CharacterClipSettings& settings = {});

/// Clips of the one source, and a `share` of them of the other; clips for validation are all of the first, so that
/// losses stay comparable.
prior::ClipSource mixed_clips(prior::ClipSource first, prior::ClipSource second, double share, std::uint64_t seed = 0);

}  // namespace limber::training
