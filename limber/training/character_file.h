// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/training/character.h"
#include "limber/training/people.h"

/// What `limber-lab train bake` gathers, in one file, for machines that have neither the assets nor what reads them.
/// Little-endian: a magic word, credits, the skeletons' trees, characters and people one after the other; lists are
/// preceded by their length. Curves are 16-bit integers between their least and largest value, and so are the points of
/// meshes; weights have 8 bits. No version is promised: bake again.
namespace limber::training {

struct TrainingSet {
  std::vector<Character> characters;
  std::vector<Person> people;
  std::vector<std::string> credits;  ///< lines that the card of every model taught with it must have
};

Bytes write_training_set(const TrainingSet& set);

/// Checks everything that drawing relies on: lengths, indices, finite numbers, valid rigs. Errors tell the byte.
Result<TrainingSet> read_training_set(std::span<const std::byte> bytes, const std::string& name);
Result<TrainingSet> read_training_set(const std::filesystem::path& path);

/// How many recordings of people every character takes that moves like them.
inline constexpr int kLentRecordings = 48;

/// The characters of a file, with recordings of its people among their clips (`lend_recordings`).
Result<std::vector<Character>> read_characters(const std::filesystem::path& path,
                                               int lent_recordings = kLentRecordings);

}  // namespace limber::training
