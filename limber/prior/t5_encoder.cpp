// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/t5_encoder.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "limber/base/files.h"
#include "limber/base/quote.h"
#include "limber/nn/json.h"

namespace limber::prior {
namespace {

using nn::Tensor;

constexpr std::int64_t kMaxSize = 1 << 20;  // of any one extent: keeps products within 64 bits
constexpr std::int64_t kMaxLayers = 1 << 10;

struct Layer {
  nn::RmsNorm attention_norm, ff_norm;
  nn::Linear q, k, v, o, gate, up, down;
  Tensor position_bias;  ///< [buckets, heads], undefined where the layer has none
};

Layer describe_layer(const nn::WeightScope& w, const T5Config& c, bool with_bias) {
  const nn::WeightScope attention = w / "layer.0" / "SelfAttention", ff = w / "layer.1" / "DenseReluDense";
  const std::int64_t inner = c.heads * c.head_dim;
  Layer layer;
  layer.attention_norm = nn::rms_norm(w / "layer.0" / "layer_norm", c.width, c.eps);
  layer.q = nn::linear_without_bias(attention / "q", c.width, inner);
  layer.k = nn::linear_without_bias(attention / "k", c.width, inner);
  layer.v = nn::linear_without_bias(attention / "v", c.width, inner);
  layer.o = nn::linear_without_bias(attention / "o", inner, c.width);
  if (with_bias) layer.position_bias = attention.get("relative_attention_bias.weight", {c.buckets, c.heads});
  layer.ff_norm = nn::rms_norm(w / "layer.1" / "layer_norm", c.width, c.eps);
  layer.gate = nn::linear_without_bias(ff / "wi_0", c.width, c.ff_width);
  layer.up = nn::linear_without_bias(ff / "wi_1", c.width, c.ff_width);
  layer.down = nn::linear_without_bias(ff / "wo", c.ff_width, c.width);
  return layer;
}

Layer describe_layer(nn::Weights& weights, const T5Config& config, std::int64_t index) {
  return describe_layer(weights.root() / "encoder.block" / index, config, config.bias_per_layer || index == 0);
}

/// The embedding table under the name that the file gives it; a tied copy may lie beside it.
Tensor describe_embedding(nn::Weights& weights, const T5Config& config) {
  const std::string tied = "encoder.embed_tokens.weight";
  const bool only_tied = weights.has(tied) && !weights.has("shared.weight");
  if (!only_tied) weights.ignore(tied);
  return weights.get(only_tied ? tied : "shared.weight", {config.vocabulary, config.width}, nn::Init::normal(1));
}

nn::RmsNorm describe_final_norm(nn::Weights& weights, const T5Config& config) {
  return nn::rms_norm(weights.root() / "encoder.final_layer_norm", config.width, config.eps);
}

/// One layer; `bias` is [1 or batch, heads, n, n]. T5 does not scale its scores.
Tensor apply_layer(const Layer& layer, const Tensor& x, const Tensor& bias, std::int64_t heads) {
  const Tensor normal = layer.attention_norm(x);
  const Tensor attended =
      nn::attention(nn::split_heads(layer.q(normal), heads), nn::split_heads(layer.k(normal), heads),
                    nn::split_heads(layer.v(normal), heads), 1.0, bias);
  const Tensor hidden = x + layer.o(nn::merge_heads(attended));
  const Tensor wide = layer.ff_norm(hidden);
  return hidden + layer.down(nn::gelu_tanh(layer.gate(wide)) * layer.up(wide));
}

}  // namespace

Result<T5Config> read_t5_config(const std::filesystem::path& config_json) {
  const std::string where = config_json.string();
  LIMBER_TRY(const Bytes bytes, read_file(config_json, std::uint64_t{1} << 20));
  LIMBER_TRY(const nlohmann::json json, nn::parse_json(as_text(bytes), where));
  try {
    T5Config config;
    const auto type = json.value("model_type", std::string());
    if (type != "t5" && type != "umt5") return Error{fmt::format("'{}' is neither T5 nor UMT5", type), where};
    config.bias_per_layer = type == "umt5";
    // v1.0 has a plain ReLU; other gates exist too.
    const auto gate = json.value("feed_forward_proj", std::string("relu"));
    if (gate != "gated-gelu") return Error{fmt::format("feed_forward_proj '{}' is not gated-gelu", gate), where};
    for (const auto& [key, value] : {std::pair{"vocab_size", &config.vocabulary},
                                     {"d_model", &config.width},
                                     {"num_layers", &config.layers},
                                     {"num_heads", &config.heads},
                                     {"d_kv", &config.head_dim},
                                     {"d_ff", &config.ff_width}}) {
      *value = json.at(key).get<std::int64_t>();
    }
    config.buckets = json.value("relative_attention_num_buckets", std::int64_t{32});
    config.max_distance = json.value("relative_attention_max_distance", std::int64_t{128});
    config.eps = json.value("layer_norm_epsilon", 1e-6);
    for (const std::int64_t size : {config.vocabulary, config.width, config.layers, config.heads, config.head_dim,
                                    config.ff_width, config.buckets, config.max_distance}) {
      if (size < 1 || size > kMaxSize) return Error{fmt::format("a size of {} makes no sense", size), where};
    }
    if (config.layers > kMaxLayers) return Error{fmt::format("{} layers make no sense", config.layers), where};
    if (config.buckets % 4 != 0 || config.max_distance <= config.buckets / 4) {
      return Error{"bad relative position buckets", where};
    }
    return config;
  } catch (const nlohmann::json::exception& e) {
    return Error{shortened(e.what()), where};
  }
}

Tensor t5_position_buckets(std::int64_t n, const T5Config& config) {
  // Half of the buckets for each direction; of those, half are exact and half logarithmic. Float, as the reference.
  const std::int64_t half = config.buckets / 2, exact = half / 2;
  const Tensor position = at::arange(n);
  const Tensor relative = position.unsqueeze(0) - position.unsqueeze(1), distance = relative.abs();
  const double scale = std::log(static_cast<double>(config.max_distance) / static_cast<double>(exact));
  const Tensor logarithm = at::log(distance.to(at::kFloat) / static_cast<double>(exact)) / scale;
  const Tensor far =
      (exact + (logarithm * static_cast<double>(half - exact)).clamp_min(0).to(at::kLong)).clamp_max(half - 1);
  return (relative > 0).to(at::kLong) * half + at::where(distance < exact, distance, far);
}

void describe_t5(nn::Weights& weights, const T5Config& config) {
  describe_embedding(weights, config);
  for (std::int64_t i = 0; i < config.layers; ++i) describe_layer(weights, config, i);
  describe_final_norm(weights, config);
}

Result<T5Encoder> T5Encoder::open(const std::filesystem::path& folder, nn::Placement placement) {
  LIMBER_EXPECT(placement.dtype != at::kHalf, "T5 overflows in fp16");
  T5Encoder encoder;
  LIMBER_TRY(encoder.config_, read_t5_config(folder / "config.json"));
  LIMBER_TRY(encoder.archive_, nn::TensorArchive::open(folder));
  encoder.placement_ = placement;
  // On the meta device names and shapes are checked, and nothing is read.
  nn::Weights check = nn::Weights::from_archive(encoder.archive_, {at::kMeta, placement.dtype});
  describe_t5(check, encoder.config_);
  LIMBER_CHECK_OK(check.finish());
  encoder.parameter_count_ = check.parameter_count();
  return encoder;
}

Result<Tensor> T5Encoder::encode(const Tensor& ids, const Tensor& mask) const {
  LIMBER_EXPECT(ids.dim() == 2 && ids.numel() > 0, "ids are [batch, n]");
  if (ids.max().item<std::int64_t>() >= config_.vocabulary || ids.min().item<std::int64_t>() < 0) {
    return Error{fmt::format("a token lies beyond the vocabulary of {}", config_.vocabulary), archive_.path().string()};
  }
  return nn::guarded(archive_.path().string(), [&]() -> Result<Tensor> {
    const at::NoGradGuard no_grad;
    const auto open = [this] { return nn::Weights::from_archive(archive_, placement_); };
    Tensor x;
    {
      // Rows are picked on the CPU: the table is by far the largest tensor.
      nn::Weights weights = nn::Weights::from_archive(archive_, {at::kCPU, placement_.dtype});
      x = at::embedding(describe_embedding(weights, config_), ids.to(at::kCPU)).to(placement_.device);
    }
    const Tensor buckets = t5_position_buckets(ids.size(1), config_).to(placement_.device);
    Tensor hidden;
    if (mask.defined()) {
      hidden = at::zeros(mask.sizes(), placement_.options())
                   .masked_fill(mask.to(placement_.device) == 0, -std::numeric_limits<double>::infinity())
                   .view({mask.size(0), 1, 1, mask.size(1)});
    }
    Tensor bias;
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      nn::Weights weights = open();
      const Layer layer = describe_layer(weights, config_, i);
      if (layer.position_bias.defined()) {
        bias = at::embedding(layer.position_bias, buckets).permute({2, 0, 1}).unsqueeze(0).contiguous();
        if (hidden.defined()) bias = bias + hidden;
      }
      x = apply_layer(layer, x, bias, config_.heads);
    }
    nn::Weights weights = open();
    return describe_final_norm(weights, config_)(x);
  });
}

}  // namespace limber::prior
