// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Lower-case words of a name as people give it to joints and clips: "b_LeftForeArm_010" -> b left fore arm; "BirdWalk"
/// -> bird walk. What is no letter separates.
std::vector<std::string> name_words(std::string_view name);

}  // namespace limber
