// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/training/character.h"

/// Characters that a network is not taught, to measure it with.
namespace limber::training {

struct LeaveOut {
  std::vector<std::string> names;  ///< characters with one of these in their names
  /// Those of every `of`th skeleton family, from this one on.
  struct Fold {
    int which = 0, of = 0;  ///< of 0: none
  };
  Fold fold;
};

/// Per character: whether it is left out.
std::vector<bool> find_left_out(const std::vector<Character>& characters, const LeaveOut& leave_out);

/// Whether a name has one of these in it.
bool mentions_any(const std::string& name, const std::vector<std::string>& words);

}  // namespace limber::training
