// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"
#include "limber/zoo/body_spec.h"
#include "limber/zoo/creature.h"

/// A body out of a person's words: "a small red dragon with a long tail". Nouns, their bodies, coats and sizes, and
/// colours are data (nouns.json, which is built in).
namespace limber::zoo {

/// What words come to.
struct Described {
  std::string noun;  ///< that was understood: "dragon"
  BodySpec body;
  Look look;
  double metres = 1;                 ///< along its longest side
  std::vector<std::string> unknown;  ///< words that mean nothing here: "fluffy"
};

/// One noun, with colours, sizes ("small", "huge", "long", "thin", "fat"), and what it has or has not: "with six legs
/// and wings", "without a tail", "three-headed". An error names the nearest nouns where none is known, and says what a
/// body cannot have.
Result<Described> describe_body(std::string_view words);

/// All nouns, each once, in the order of the file: those of one body follow each other.
std::vector<std::string> known_nouns();
/// Names of colours.
std::vector<std::string> known_colors();

/// The creature, as large as it was described. Same words and seed: same bits.
Result<Creature> make_described(const Described& described, std::uint64_t seed, int resolution = 60);

}  // namespace limber::zoo
