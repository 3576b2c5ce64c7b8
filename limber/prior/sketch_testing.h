// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "limber/base/rng.h"
#include "limber/prior/sketch_trainer.h"
#include "limber/prior/sketch_transformer.h"

/// A tiny built-in prior, and clips that it can learn. For tests.
namespace limber::prior {

inline SketchModel tiny() {
  SketchModel model;
  model.frames = 4, model.size = 16, model.patch = 4, model.patch_frames = 2;
  model.width = 48, model.layers = 2, model.heads = 2;
  model.buckets = 256, model.word_width = 16, model.word_heads = 2;
  model.actions = {{"left", {"left"}}, {"right", {"right"}}};
  return model;
}

inline Frames random_frames(int frames, std::uint64_t seed) {
  Frames video(2, frames, 16, 16);
  Rng rng(seed);
  for (float& value : video.values) value = static_cast<float>(rng.uniform());
  return video;
}

inline SketchModel tiny(int version) {
  SketchModel model = tiny();
  model.version = version;
  return model;
}

/// Weights of a model whose outputs are not zero, as those of a fresh one are.
inline nn::Weights random_weights(const SketchModel& model) {
  nn::Weights weights = nn::Weights::random(3, {});
  SketchTransformer(model, weights.root());
  for (const auto& [name, tensor] : weights.tensors()) {
    at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
    generator.set_current_seed(name.size());
    if (tensor.abs().sum().item<float>() == 0) Tensor(tensor).normal_(0, 0.1, generator);
  }
  return weights;
}

/// A bright bar that moves left or right, in both views.
inline Result<SketchClip> bar_clip(std::uint64_t index) {
  const SketchModel model = tiny();
  Rng rng(index, 3);
  const bool left = rng.chance(0.5);
  const int start = 4 + static_cast<int>(rng.below(8));
  SketchClip clip;
  clip.video.assign(static_cast<std::size_t>(2 * 4 * 3 * 16 * 16), 40);
  clip.rest.assign(static_cast<std::size_t>(2 * 3 * 16 * 16), 40);
  for (int view = 0; view < 2; ++view) {
    for (int frame = 0; frame < 4; ++frame) {
      for (int i = 0; i < 3 * 16 * 4; ++i) {
        const int row = i / 4, x = std::clamp(start + i % 4 + (left ? -2 : 2) * frame, 0, 15);
        clip.video[static_cast<std::size_t>(((view * 4 + frame) * 48 + row) * 16 + x)] = 230;
        if (frame == 0) clip.rest[static_cast<std::size_t>((view * 48 + row) * 16 + x)] = 230;
      }
    }
  }
  clip.captions.assign(kClipCaptions, left ? "it goes left" : "a bar moves right");
  return clip;
}

}  // namespace limber::prior
