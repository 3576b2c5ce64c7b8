// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"
#include "limber/zoo/creature.h"

/// What nouns.json says. Private to `zoo`.
namespace limber::zoo {

/// A body that has a name.
struct Noun {
  std::vector<std::string> names;  ///< the plainest first; of several words some: "polar bear"
  BodySpec body;
  Look look;
  double metres = 1;  ///< along its longest side
};

struct Nouns {
  std::vector<Noun> all;
  std::map<std::string, Vec3d, std::less<>> colors;  ///< linear RGB
};

/// nouns.json has the form; what is wrong is an error that says where. `name` is for messages.
Result<Nouns> parse_nouns(const std::string& text, const std::string& name);

/// Those that are built in.
const Nouns& built_in_nouns();

}  // namespace limber::zoo
