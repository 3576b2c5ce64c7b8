// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/reader_network.h"

#include <cmath>

namespace limber::anatomy {
namespace {

constexpr double kNormEps = 1e-5;

/// [batch, points, 3] at [batch, ...].
Tensor gather(const Tensor& points, const Tensor& index) {
  const Tensor flat = index.reshape({index.size(0), -1, 1}).expand({-1, -1, 3});
  std::vector<std::int64_t> shape = index.sizes().vec();
  shape.push_back(3);
  return points.gather(1, flat).view(shape);
}

}  // namespace

ReaderNetwork::ReaderNetwork(const ReaderModel& model, const nn::WeightScope& weights) : model_(model) {
  const int d = model.width, g = model.group_width;
  const nn::Init zero = nn::Init::constant(0), small = nn::Init::normal(0.02);
  place_1_ = nn::linear(weights / "place_1", 6 + 6 * kPlaceWaves, d);
  place_2_ = nn::linear(weights / "place_2", d, d);
  group_1_ = nn::linear(weights / "group_1", 6, g);
  group_2_ = nn::linear(weights / "group_2", g, 2 * g);
  group_out_ = nn::linear(weights / "group_out", 2 * g, d);
  whole_ = weights.get("whole", {d}, small);
  for (int i = 0; i < model.layers; ++i) {
    const nn::WeightScope scope = weights / "blocks" / i;
    Block block;
    block.norm_1 = nn::layer_norm(scope / "norm_1", d, kNormEps);
    block.qkv = nn::linear(scope / "qkv", d, std::int64_t{3} * d);
    block.out = nn::linear(scope / "out", d, d, zero);
    block.norm_2 = nn::layer_norm(scope / "norm_2", d, kNormEps);
    block.up = nn::linear(scope / "up", d, std::int64_t{4} * d);
    block.down = nn::linear(scope / "down", std::int64_t{4} * d, d, zero);
    blocks_.push_back(std::move(block));
  }
  norm_ = nn::layer_norm(weights / "norm", d, kNormEps);
  part_ = nn::linear(weights / "part", d, model.part_outputs(), small);
  limb_ = nn::linear(weights / "limb", d, model.limb_outputs(), small);
  body_ = nn::linear(weights / "body", d, model.body_outputs(), small);
  count_ = nn::linear(weights / "count", d, model.count_outputs(), small);
}

ReadBatch ReaderNetwork::operator()(const TokenBatch& bodies) const {
  const at::ScalarType dtype = whole_.scalar_type();
  const std::int64_t batch = bodies.points.size(0), d = model_.width, heads = model_.heads;
  const Tensor place = gather(bodies.points, bodies.tokens), normal = gather(bodies.normals, bodies.tokens);
  std::vector<Tensor> features{place, normal};
  for (int k = 0; k < kPlaceWaves; ++k) {
    const Tensor angle = place * (kFirstWave * std::pow(2.0, k));
    features.push_back(angle.sin()), features.push_back(angle.cos());
  }
  const Tensor around = gather(bodies.points, bodies.neighbours) - place.unsqueeze(2);
  const Tensor felt =
      group_2_(nn::gelu_tanh(
                   group_1_(at::cat({around * kGroupScale, gather(bodies.normals, bodies.neighbours)}, -1).to(dtype))))
          .amax(2);
  Tensor x = place_2_(nn::gelu_tanh(place_1_(at::cat(features, -1).to(dtype)))) + group_out_(felt);
  x = at::cat({whole_.view({1, 1, d}).expand({batch, 1, d}), x}, 1);
  const double scale = 1 / std::sqrt(static_cast<double>(d / heads));
  for (const Block& block : blocks_) {
    const std::vector<Tensor> qkv = block.qkv(block.norm_1(x)).chunk(3, -1);
    x = x + block.out(nn::merge_heads(nn::attention(nn::split_heads(qkv[0], heads), nn::split_heads(qkv[1], heads),
                                                    nn::split_heads(qkv[2], heads), scale)));
    x = x + block.down(nn::gelu_tanh(block.up(block.norm_2(x))));
  }
  x = norm_(x);
  const Tensor tokens = x.narrow(1, 1, model_.tokens), whole = x.select(1, 0);
  const Tensor parts = part_(tokens).to(at::kFloat), limbs = limb_(tokens).to(at::kFloat);
  const Tensor body = body_(whole).to(at::kFloat);
  const std::int64_t votes = model_.limbs + 4;
  ReadBatch read;
  read.regions = parts.narrow(-1, 0, model_.regions), read.starts = parts.narrow(-1, model_.regions, 3);
  read.limbs = limbs.narrow(-1, 0, model_.limbs), read.sides = limbs.narrow(-1, model_.limbs, 3);
  read.along = limbs.select(-1, votes - 1);
  read.roots = limbs.narrow(-1, votes, 3), read.tips = limbs.narrow(-1, votes + 3, 3);
  read.kinds = body.narrow(-1, 0, model_.kinds);
  read.up = body.narrow(-1, model_.kinds, 3), read.forward = body.narrow(-1, model_.kinds + 3, 3);
  read.counts = count_(whole).to(at::kFloat).view({batch, model_.limbs, kCountClasses});
  return read;
}

}  // namespace limber::anatomy
