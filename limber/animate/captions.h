// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/base/rng.h"
#include "limber/prior/part_model.h"
#include "limber/zoo/action.h"

/// How people may say what a creature does: the prompts that the built-in prior is taught with.
namespace limber::animate {

/// What there is to say about a clip.
struct ClipFacts {
  zoo::Action action = zoo::Action::kWalk;
  zoo::Plan plan = zoo::Plan::kQuadruped;
  double speed = 1, amplitude = 1;
  bool in_place = false;
};

/// One way to say it: a random sentence, now and then with a noun nobody knows, so that only the action counts.
std::string caption(const ClipFacts& facts, Rng& rng);

/// Every action with the words that stand for it in captions.
std::vector<prior::ActionWords> taught_actions();

}  // namespace limber::animate
