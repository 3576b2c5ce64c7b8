// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/training_loop.h"
#include "limber/parts/moving_parts.h"
#include "limber/parts/parts_network.h"
#include "limber/parts/parts_trainer.h"

/// From examples to what a step of the training learns from. Private to the trainer.
namespace limber::parts {

/// Examples as tensors: K pictures of S x S pixels, bytes.
struct PartsExamples {
  Tensor colors, places, normals;  ///< [n, K, S, S, 3]
  Tensor labels;                   ///< [n, K, S, S]: 0 for nothing, else the part plus one
  Tensor palette;                  ///< [n, 1 + kMostParts, 3]: of nothing, then of the parts
  Tensor counts;                   ///< [n]: parts
  Tensor elevations;               ///< float [n, frames]
  Tensor orbits;                   ///< bool [n]: frames are further views of a body that keeps still

  static PartsExamples empty(const PartsModel& model, std::int64_t count);
  static PartsExamples from(const nn::TensorRun& r) { return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]}; }
  nn::TensorRun run() const { return {colors, places, normals, labels, palette, counts, elevations, orbits}; }
  /// Puts an example into row `at`; fails where its sizes do not fit.
  Status put(std::int64_t at, const PartsExample& example);
};

/// What is known of an example.
enum Use : std::int64_t {
  kMesh,     ///< all pictures, and places and normals
  kPlain,    ///< all pictures
  kVideo,    ///< those of the first view
  kPicture,  ///< the first
  kNothing
};
inline constexpr int kUseCount = 5;

/// Uses at random, long [n], by how often each comes. What orbits is a mesh: only there the places of cameras are
/// known.
Tensor draw_uses(const Tensor& orbits, PartsStage stage);

/// Pictures to be drawn, and what is known of them.
struct PartsLesson {
  Tensor colors, parts;  ///< float [n, K, S, S, 3], -1 to 1
  Tensor labels;         ///< bytes [n, K, S, S]
  Tensor body;           ///< bool [n, K, S, S, 1]
  KnownBatch known;
  Tensor given;  ///< bool [n, K, 1, 1, 1]: pictures whose colours are known
};

/// Where `backgrounds`, half of the videos and pictures show more than the body and some show none, by the device's
/// default generator.
PartsLesson make_parts_lesson(const PartsModel& model, const PartsExamples& examples, const Tensor& uses,
                              bool backgrounds);

/// No colour is known any more: what remains are places and normals.
void hide_colors(PartsLesson& lesson);

/// Cross entropy of telling parts of one picture from each other by their features in another (InfoNCE, van den Oord et
/// al. 2018). `first` and `second` are pictures; what is nearly noise counts less.
Tensor contrast_of(const PartsModel& model, const Tensor& features, const Tensor& labels, const Tensor& times,
                   std::int64_t first, std::int64_t second);

/// From noise to pictures in equal steps: parts, -1 to 1. In place of noise `noise` is used twice, for colours and
/// parts: [2, n, K, S, S, 3].
Tensor draw_parts(const PartsNetwork& network, const PartsLesson& lesson, const Tensor& noise, int steps);

/// Per picture, [n, K]: pixels of the body, and those among them whose colour is nearest to that of their part.
struct PixelCounts {
  Tensor body, right;
};
PixelCounts count_right(const PartsExamples& examples, const Tensor& parts);

}  // namespace limber::parts
