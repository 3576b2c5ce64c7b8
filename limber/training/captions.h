// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/rng.h"
#include "limber/prior/part_model.h"
#include "limber/zoo/action.h"

/// How people may say what a creature does: the prompts that the built-in prior is taught with.
namespace limber::training {

/// Which way a body goes, as seen by itself.
enum class Heading : std::uint8_t { kForward, kBackward, kLeft, kRight };

/// What there is to say about a clip.
struct ClipFacts {
  std::string action = "walk";  ///< one of `taught_actions`: the zoo's, or one that only characters have
  std::optional<zoo::Plan> plan = zoo::Plan::kQuadruped;  ///< for nouns; none: any creature
  std::string noun;                                       ///< what this body is called, where that is known: "stag"
  double speed = 1, amplitude = 1;
  bool in_place = false;
  Heading heading = Heading::kForward;
  double turning = 0;  ///< along a path: > 0 to the left
  bool tired = false, limping = false;
};

/// One way to say it: a random sentence, now and then with a noun nobody knows, so that only the action counts. Short
/// enough for the prior to read all of it; names its action and no other (`prior::guess_action`).
std::string caption(const ClipFacts& facts, Rng& rng);

/// Every action with the words that stand for it in captions: those of the zoo in the order of its enumeration, then
/// those that only characters have. No word stands for two.
std::vector<prior::ActionWords> taught_actions();
bool is_taught(std::string_view action);

}  // namespace limber::training
