// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "limber/nn/safetensors.h"
#include "limber/prior/sketch_model.h"
#include "limber/prior/video_prior.h"

/// A tiny built-in prior of random weights, as files, for tests on GPUs.
namespace limber::prior {

using Numbers = std::vector<float>;

inline double relative_error(const Numbers& found, const Numbers& expected) {
  if (found.size() != expected.size()) return HUGE_VAL;
  double difference = 0, length = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double a = found[i], b = expected[i];
    difference += (a - b) * (a - b), length += b * b;
  }
  return std::sqrt(difference / length);
}

inline constexpr int kTinyRank = 3;

inline SketchModel tiny(int version = 2) {
  SketchModel model;
  model.version = version;
  model.frames = 4, model.size = 16, model.patch = 4, model.patch_frames = 2;
  model.width = 48, model.layers = 2, model.heads = 2;
  model.buckets = 64, model.word_width = 16, model.word_heads = 2;
  model.few_steps = {4, kTinyRank};
  return model;
}

/// Tensors for a file; the scale of each keeps numbers as they are.
class RandomTensors {
 public:
  void add(const std::string& name, const nn::Shape& shape, double scale) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    Numbers numbers = normal_noise(count, 7, names_.size(), 0);
    for (float& number : numbers) number *= static_cast<float>(scale);
    values_.push_back(std::move(numbers)), names_.push_back(name), shapes_.push_back(shape);
  }
  void linear(const std::string& name, int in, int out) {
    add(name + ".weight", {out, in}, 1 / std::sqrt(double(in))), add(name + ".bias", {out}, 0.1);
  }
  void adapter(const std::string& name, int in, int out) {
    add(name + ".up", {out, kTinyRank}, 0.3), add(name + ".down", {kTinyRank, in}, 0.3);
  }
  void write(const std::filesystem::path& file) const {
    std::vector<nn::NamedTensor> tensors;
    for (std::size_t i = 0; i < names_.size(); ++i)
      tensors.push_back({names_[i], {nn::Dtype::kF32, shapes_[i], std::as_bytes(std::span(values_[i]))}});
    ASSERT_TRUE(nn::write_safetensors(file, tensors).ok());
  }

 private:
  std::vector<Numbers> values_;
  std::vector<std::string> names_;
  std::vector<nn::Shape> shapes_;
};

inline void write_weights(const SketchModel& m, const std::filesystem::path& folder) {
  const int d = m.width, numbers = 3 * m.patch_frames * m.patch * m.patch, words = m.word_width;
  RandomTensors base, few;
  base.add("text.letter_groups", {m.buckets, words}, 1);
  base.linear("text.word", words, words), base.linear("text.score", words, m.word_heads);
  base.linear("text.linear_1", words * m.word_heads, d), base.linear("text.linear_2", d, d);
  base.add("text.none", {d}, 1), base.add("no_rest", {d}, 0.5);
  base.add("known_in.weight", {d, numbers}, 0.1), base.add("known_bits.weight", {d, m.patch_frames}, 0.5);
  base.add("places", {m.tokens_per_view(), d}, 0.5), base.add("views", {m.views, d}, 0.5);
  few.adapter("known_in", numbers, d);
  const auto both = [&](const std::string& name, int in, int out) {
    base.linear(name, in, out), few.adapter(name, in, out);
  };
  both("video_in", numbers, d), both("rest_in", numbers / m.patch_frames, d), both("video_out", d, numbers);
  both("time.linear_1", 256, d), both("time.linear_2", d, d), both("modulation", d, 6 * d);
  for (int i = 0; i < m.layers; ++i) {
    const std::string block = "blocks." + std::to_string(i);
    both(block + ".qkv", d, 3 * d), both(block + ".out", d, d);
    both(block + ".up", d, 4 * d), both(block + ".down", 4 * d, d);
    for (const char* norm : {".norm_q", ".norm_k"})
      base.add(block + norm + ".weight", {d / m.heads}, 1), base.add(block + norm + ".bias", {d / m.heads}, 0.1);
    base.add(block + ".table", {6, d}, 0.2);
  }
  few.linear("target_time.linear_1", 256, d), few.linear("target_time.linear_2", d, d);
  base.write(folder / kSketchWeightsFile), few.write(folder / kFewStepsFile);
}

}  // namespace limber::prior
