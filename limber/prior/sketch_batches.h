// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/nn/training_loop.h"
#include "limber/prior/sketch_trainer.h"
#include "limber/prior/sketch_transformer.h"

/// Clips as trainings of the built-in prior take them. Private to `prior`.
namespace limber::prior {

/// Clips as tensors.
struct Clips {
  Tensor video, rest;  ///< uint8
  Tensor groups;       ///< int16 [clips, words, letter groups]
};

/// Clips `first` .. `first` + `count` - 1: video, rest and the letter groups of all captions, [clips, captions, words,
/// letter groups].
Result<nn::TensorRun> draw_clips(const ClipSource& source, const SketchModel& model, std::uint64_t first,
                                 std::int64_t count);

/// With one of the captions of each clip, at random.
Clips with_captions(const nn::TensorRun& run);

/// Bytes as the network takes them.
Tensor unit(const Tensor& bytes);

/// Channels of a grey pixel differ by less, of 255.
inline constexpr int kGreyRange = 12;

/// How much pixels count, [clips, views, frames, 1, size, size]: `body_weight` where `video`, bytes or in [-1, 1], has
/// a colour, else 1.
Tensor pixel_weights(const Tensor& video, double body_weight);

/// One number per frame, [clips, frames], for all its pixels.
Tensor per_frame(const Tensor& values);

/// 1 for tubes that have a frame that is not known, else 0: [clips, tubes] of `known` [clips, frames].
Tensor open_tubes(const Tensor& known, const SketchModel& model);

/// Frames that are known, [clips, frames], 1 or 0.
Tensor draw_known(std::int64_t count, const SketchModel& model, const KnownShares& shares,
                  const at::TensorOptions& options);

/// The first third of a clip, in whole tubes: [frames].
Tensor first_third(const SketchModel& model);

}  // namespace limber::prior
