// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/zoo/action.h"

namespace limber::animate {

/// Words that say how something is done: "slowly", "tired", "backwards", "quickly". Private to `animate`.
void follow_manners(const std::vector<std::string>& words, zoo::ActionSettings& acting);

}  // namespace limber::animate
