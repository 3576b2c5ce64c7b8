// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/prior/video_prior.h"

/// \file
/// The published models with made-up weights, for tests and for measuring: what they cost does not depend on the
/// numbers.

namespace limber::prior {

/// "cogvideox-2b", "cogvideox-5b", "wan-1.3b", and "tiny", which is for trying things out.
const std::vector<std::string>& published_models();

/// The configuration of a published model. It has no folder.
Result<Checkpoint> published_checkpoint(const std::string& model);

/// A published model with random weights. It has no text encoder: use `random_condition`.
Result<std::unique_ptr<VideoPrior>> random_prior(const std::string& model, const LoadSettings& settings,
                                                 std::uint64_t seed = 7);
Condition random_condition(const Checkpoint& checkpoint, int text_length, std::uint64_t seed = 7);

}  // namespace limber::prior
