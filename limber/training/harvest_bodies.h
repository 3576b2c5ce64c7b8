// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/rig/subject.h"
#include "limber/training/character.h"

/// Whom the video prior is asked for when poses are harvested from it, and what for.
namespace limber::training {

struct HarvestPlan {
  std::uint64_t seed = 0;
  int samples_each = 4;     ///< samples of a body, >= 1
  double characters = 0.5;  ///< share of bodies that are artists' characters, where there are any
  double any_body = 0.7;    ///< share of bodies of the grammar among creatures of the zoo
};

/// A body, and what it is asked to do.
struct HarvestBody {
  Character character;   ///< without clips
  rig::Subject subject;  ///< the same; upright, facing +Z
  struct Wish {
    std::string action, prompt;
    std::uint64_t seed = 0;
  };
  std::vector<Wish> wishes;  ///< samples_each
};

/// Body `number`, always the same: a creature that no training of poses has otherwise, or a character, every skeleton
/// family as often as the others. `characters` may be null or empty.
Result<HarvestBody> harvest_body(const std::shared_ptr<const std::vector<Character>>& characters,
                                 const HarvestPlan& plan, std::uint64_t number);

}  // namespace limber::training
