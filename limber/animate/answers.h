// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "limber/base/warning.h"

namespace limber::animate {

/// What can be wrong with a motion that is there.
enum class Question {
  kMoves,     ///< as much as is usual for what it was told to do: neither frozen nor wild
  kTravels,   ///< as far as is usual for it: neither on the spot nor away
  kAsTold,    ///< the prior finds the prompt in it, rather than another action
  kFollowed,  ///< the joints could follow the sample
  kWhole,     ///< the skin is not torn
  kStands,    ///< feet that bear weight stay where they are, they do not hover, and nothing is below the ground
  kLimits     ///< joints stay within their limits
};
std::string_view name(Question question);  ///< "moves", "travels", "as told", "followed", "whole", "stands", "limits"

/// An answer: a number, what it may be, and where it failed what is wrong and what may help.
struct Answer {
  Question question = Question::kMoves;
  std::optional<bool> passed;  ///< none: nothing here can tell
  double value = 0;
  double least = 0, most = 0;      ///< that were allowed; infinity: any
  std::optional<Warning> warning;  ///< none unless it failed
  std::string_view unit;           ///< of the three numbers: "heights", "leg lengths per second"; empty: they have none
};

/// What nothing here can tell has not failed.
bool all_passed(std::span<const Answer> answers);

}  // namespace limber::animate
