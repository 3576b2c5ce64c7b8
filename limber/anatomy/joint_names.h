// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// What the names of joints say.
namespace limber::anatomy {

/// "b_LeftForeArm_010" -> b left fore arm; "LHipJoint" -> l hip joint; "toes.L" -> toes l.
std::vector<std::string> words_of(std::string_view name);

/// Whether one of `words` is one of `any`.
bool has_word(const std::vector<std::string>& words, std::initializer_list<std::string_view> any);

/// +1 for a joint of the left side, -1 for one of the right, 0 where the name tells none, or both.
int named_side(const std::vector<std::string>& words);

}  // namespace limber::anatomy
