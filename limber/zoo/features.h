// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "limber/base/result.h"
#include "limber/zoo/body_spec.h"

/// What a body may have or not, in a person's words. Private to `zoo`.
namespace limber::zoo {

/// How much of it, and of which kind.
struct Wish {
  bool without = false;
  std::optional<int> count;                  ///< as it was said: legs one by one
  std::set<std::string, std::less<>> kinds;  ///< words before it: "long", "feathered"
};

/// "wings" of "wing", "winged"; empty: no feature is called so.
std::string feature_of(std::string_view word);

/// Whether it says how a feature is: "long", "bushy".
bool is_kind(std::string_view word);

/// Gives a body a feature, or takes it away. An error says why it cannot be so: "legs come in pairs".
Status give_feature(const std::string& feature, const Wish& wish, BodySpec& body);

}  // namespace limber::zoo
