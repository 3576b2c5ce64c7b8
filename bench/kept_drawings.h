// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "limber/parts/parts_sample.h"

namespace limber::bench {

/// What a network of parts drew, in files by what was known, so that a bench that was stopped goes on where it was, and
/// other ways to decode the same pictures cost nothing.
class KeptDrawings {
 public:
  /// An empty folder: nothing is kept. `model`: the folder of the network.
  static Result<KeptDrawings> open(std::filesystem::path folder, const std::filesystem::path& model);

  /// Draws, or remembers. Adds the seconds that drawing takes, or once took, to `*seconds` where that is given. Copies
  /// what it needs.
  parts::DrawParts drawer(double* seconds = nullptr) const;

 private:
  std::filesystem::path folder_;
  std::uint64_t weights_ = 0;  ///< checksum
};

}  // namespace limber::bench
