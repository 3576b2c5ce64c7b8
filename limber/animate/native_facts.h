// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/animate/prompt_segments.h"
#include "limber/motion_space/motion_model.h"

/// What the network on joints is told of a prompt. Private to `animate`.
namespace limber::animate {

/// Words of the actions that the network knows.
std::vector<prior::ActionWords> native_actions(const motion_space::MotionModel& model);

/// Parts that name no action it knows get the nearest one ("galop", "walker"), with a warning each.
std::vector<Warning> find_nearest_actions(const motion_space::MotionModel& model, std::span<PromptSegment> segments);

/// The action, whether it is done over and over, how fast, and where to. Candidates are by turns as artists do it and
/// as made-up creatures do, whose gaits are exact: on bodies that nobody taught one is as good as the other, and
/// whoever chooses has more to choose from.
motion_space::MotionFacts native_facts(const motion_space::MotionModel& model, const PromptSegment& segment,
                                       int candidate = 0);

/// Whether nothing but a straight way along the front is asked for: a gait, and no word of a turn.
bool goes_straight(const PromptSegment& segment);

}  // namespace limber::animate
