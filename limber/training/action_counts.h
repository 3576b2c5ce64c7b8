// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "limber/training/character.h"

/// How well actions are taught: by how many different clips.
namespace limber::training {

/// Fewer different clips than this teach one motion, not an action.
inline constexpr int kFewestClips = 3;

/// Different clips of each action that characters have: on one skeleton those of the same name count once, and so do
/// recordings of people wherever they were lent to.
std::map<std::string, int> count_clips(const std::vector<Character>& characters);

/// Takes the meaning from clips of actions that neither the zoo nor `fewest` different clips show: they are not taught.
void drop_rare_actions(std::vector<Character>& characters, int fewest = kFewestClips);

}  // namespace limber::training
