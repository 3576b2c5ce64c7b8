// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "limber/nn/inference.h"
#include "limber/prior/prompt_reader.h"
#include "limber/prior/sketch_patches.h"

/// \file
/// The layers of the built-in prior's network, by name and shape, wherever they compute without LibTorch.
namespace limber::prior {

inline constexpr int kTimeWidth = 256;
inline constexpr float kSketchNormEps = 1e-6f;
inline constexpr float kTimeScale = 1000;
inline constexpr int kModulations = 6;  ///< shift, scale and gate of the attention and of the layers behind it

/// Layers of the prior itself, or with an adapter for few steps: W + up down.
struct LayerSource {
  nn::infer::WeightFile& file;
  nn::infer::WeightFile* adapter;  ///< may be null
  int rank;

  nn::infer::Matrix weight(const std::string& name, int in, int out) const {
    nn::infer::Matrix weight = file.matrix(name + ".weight", out, in);
    if (adapter == nullptr) return weight;
    const auto up = adapter->matrix(name + ".up", out, rank), down = adapter->matrix(name + ".down", rank, in);
    if (ok()) weight += nn::infer::product(up, down);
    return weight;
  }
  bool ok() const { return file.status().ok() && (adapter == nullptr || adapter->status().ok()); }
};

/// What `make(weight, bias)` makes of a matrix [out, in] and a vector.
template <class Layer, class Make>
class LayerMaker {
 public:
  LayerMaker(const LayerSource& source, const Make& make) : source_(source), make_(make) {}

  Layer linear(const std::string& name, int in, int out) const {
    nn::infer::Matrix weight = source_.weight(name, in, out);
    return made(std::move(weight), source_.file.vector(name + ".bias", out));
  }
  Layer linear_without_bias(const std::string& name, int in, int out) const {
    return made(source_.weight(name, in, out), nn::infer::Floats(static_cast<std::size_t>(out)));
  }
  /// Of the adapter's own.
  Layer adapters(const std::string& name, int in, int out) const {
    nn::infer::Matrix weight = source_.adapter->matrix(name + ".weight", out, in);
    return made(std::move(weight), source_.adapter->vector(name + ".bias", out));
  }
  nn::infer::WeightFile& file() const { return source_.file; }

 private:
  Layer made(nn::infer::Matrix weight, nn::infer::Floats bias) const {
    return source_.ok() ? make_(std::move(weight), std::move(bias)) : Layer();
  }
  const LayerSource& source_;
  const Make& make_;
};

template <class Layer>
struct SketchBlock {
  Layer qkv, out, up, down;
  nn::infer::LayerNorm norm_q, norm_k;
  nn::infer::Matrix table;  ///< [kModulations, width]

  template <class Maker>
  SketchBlock(const Maker& maker, const std::string& name, int d, int heads)
      : qkv(maker.linear(name + ".qkv", d, 3 * d)),
        out(maker.linear(name + ".out", d, d)),
        up(maker.linear(name + ".up", d, 4 * d)),
        down(maker.linear(name + ".down", 4 * d, d)),
        norm_q(maker.file().layer_norm(name + ".norm_q", d / heads, kSketchNormEps)),
        norm_k(maker.file().layer_norm(name + ".norm_k", d / heads, kSketchNormEps)),
        table(maker.file().matrix(name + ".table", kModulations, d)) {}
};

template <class Layer>
struct SketchLayers {
  Layer video_in, rest_in, known_in, time_1, time_2, target_1, target_2, modulation, out;
  nn::infer::Floats no_rest;
  nn::infer::Matrix known_bits;     ///< [width, patch_frames]: of the second version
  nn::infer::Matrix places, views;  ///< [tokens of a view, width], [views, width]
  std::vector<SketchBlock<Layer>> blocks;

  template <class Make>
  SketchLayers(const SketchModel& model, const LayerSource& source, const Make& make) {
    const int d = model.width, numbers = video_patches(model).numbers();
    const LayerMaker<Layer, Make> maker(source, make);
    video_in = maker.linear("video_in", numbers, d);
    rest_in = maker.linear("rest_in", rest_patches(model).numbers(), d);
    no_rest = source.file.vector("no_rest", d);
    if (model.version >= 2) {
      known_in = maker.linear_without_bias("known_in", numbers, d);
      known_bits = source.file.matrix("known_bits.weight", d, model.patch_frames);
    }
    places = source.file.matrix("places", model.tokens_per_view(), d);
    views = source.file.matrix("views", model.views, d);
    time_1 = maker.linear("time.linear_1", kTimeWidth, d), time_2 = maker.linear("time.linear_2", d, d);
    if (source.adapter != nullptr) {
      target_1 = maker.adapters("target_time.linear_1", kTimeWidth, d);
      target_2 = maker.adapters("target_time.linear_2", d, d);
    }
    modulation = maker.linear("modulation", d, kModulations * d);
    for (int i = 0; i < model.layers; ++i) blocks.emplace_back(maker, "blocks." + std::to_string(i), d, model.heads);
    out = maker.linear("video_out", d, numbers);
  }
};

/// Waves of some times, a row each.
inline nn::infer::Matrix waves_of(std::span<const float> shares) {
  nn::infer::Floats all;
  for (const float share : shares) {
    const nn::infer::Matrix waves = nn::infer::time_waves(static_cast<double>(share * kTimeScale), kTimeWidth);
    all.insert(all.end(), waves.values().begin(), waves.values().end());
  }
  return {static_cast<int>(shares.size()), kTimeWidth, std::move(all)};
}

/// A model folder, read.
template <class Network>
struct SketchFolder {
  std::unique_ptr<const PromptReader> reader;
  std::unique_ptr<Network> network, jumping;  ///< for small steps; for jumps, or null
};

/// The weights of a model folder, whole or in shards, and those of its few steps where it has them. Files are not
/// trusted. `make(source)` makes a network, as a pointer.
template <class Network, class Make>
Result<SketchFolder<Network>> read_sketch_folder(const SketchModel& model, const std::filesystem::path& folder,
                                                 const Make& make) {
  LIMBER_TRY(nn::infer::WeightFile file, nn::infer::WeightFile::open(sketch_weights_file(folder / kSketchWeightsFile)));
  SketchFolder<Network> read;
  read.reader = std::make_unique<const PromptReader>(model, file);
  read.network = make(LayerSource{file, nullptr, 0});
  LIMBER_CHECK_OK(file.status());
  std::error_code error;
  if (model.few_steps.steps > 0 && std::filesystem::exists(folder / kFewStepsFile, error)) {
    LIMBER_TRY(nn::infer::WeightFile adapter, nn::infer::WeightFile::open(folder / kFewStepsFile));
    read.jumping = make(LayerSource{file, &adapter, model.few_steps.rank});
    LIMBER_CHECK_OK(adapter.status());
  }
  return Result<SketchFolder<Network>>(std::move(read));
}

}  // namespace limber::prior
