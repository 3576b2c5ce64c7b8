// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_network.h"

#include <cmath>

namespace limber::pose_space {
namespace {

constexpr double kNormEps = 1e-5;
constexpr double kHidden = -30000;  // added to what must not be looked at; finite, so that nothing becomes NaN

/// [bodies, points, 6] -> places, normals, and places as waves.
Tensor point_features(const Tensor& points) {
  std::vector<Tensor> features{points};
  const Tensor place = points.narrow(-1, 0, 3);
  for (int k = 0; k < kPlaceWaves; ++k) {
    const Tensor angle = place * (kFirstWave * std::pow(2.0, k));
    features.push_back(angle.sin()), features.push_back(angle.cos());
  }
  return at::cat(features, -1);
}

/// 0 where something is, kHidden where it is not.
Tensor hiding(const Tensor& present, at::ScalarType dtype) {
  return at::zeros(present.sizes(), present.options().dtype(dtype)).masked_fill(present.logical_not(), kHidden);
}

}  // namespace

PoseNetwork::PoseNetwork(const PoseModel& model, const nn::WeightScope& weights) : model_(model) {
  const std::int64_t d = model.width;
  const nn::Init zero = nn::Init::constant(0), small = nn::Init::normal(0.02);
  joint_1_ = nn::linear(weights / "joint_1", model.features, d), joint_2_ = nn::linear(weights / "joint_2", d, d);
  state_ = nn::linear(weights / "state", kStateSize, d);
  point_1_ = nn::linear(weights / "point_1", kPointFeatures, d), point_2_ = nn::linear(weights / "point_2", d, d);
  time_1_ = nn::linear(weights / "time_1", d, d), time_2_ = nn::linear(weights / "time_2", d, d);
  modulation_ = nn::linear(weights / "modulation", d, kModulations * d, small);
  nothing_ = weights.get("nothing", {d}, small);
  if (model.fills != 0) known_ = weights.get(kNewTensor, {d}, zero);
  relations_ = weights.get("relations", {kRelations, model.layers * model.heads}, nn::Init::normal(0.1));
  surface_norm_ = nn::layer_norm(weights / "surface_norm", d, kNormEps);
  for (int i = 0; i < model.layers; ++i) {
    const nn::WeightScope scope = weights / "blocks" / i;
    Block block;
    block.qkv = nn::linear(scope / "qkv", d, 3 * d), block.out = nn::linear(scope / "out", d, d, zero);
    block.query = nn::linear(scope / "query", d, d);
    block.key_value = nn::linear(scope / "key_value", d, 2 * d);
    block.look = nn::linear(scope / "look", d, d, zero);
    block.up = nn::linear(scope / "up", d, 4 * d), block.down = nn::linear(scope / "down", 4 * d, d, zero);
    block.modulation = scope.get("modulation", {kModulations * d}, small);
    blocks_.push_back(std::move(block));
  }
  plain_ = nn::plain_layer_norm(d, kNormEps);
  norm_ = nn::layer_norm(weights / "norm", d, kNormEps);
  said_ = nn::linear(weights / "said", d, kJointOutputs, small);
  whole_ = nn::linear(weights / "whole", d, 1, small);
}

BodyCode PoseNetwork::encode(const BodyBatch& bodies) const {
  const at::ScalarType dtype = nothing_.scalar_type();
  const std::int64_t count = bodies.features.size(0), joints = bodies.features.size(1), heads = model_.heads;
  BodyCode code;
  code.present = bodies.present;
  code.joints = joint_2_(nn::gelu_tanh(joint_1_(bodies.features.to(dtype))));

  // One product for all layers: its gradient is one too.
  const Tensor related = at::one_hot(bodies.relations, kRelations).to(dtype).matmul(relations_);
  const Tensor hidden = hiding(bodies.present, dtype).view({count, 1, 1, joints});
  const Tensor by_layer = related.view({count, joints, joints, model_.layers, heads}).permute({3, 0, 4, 1, 2});
  for (int i = 0; i < model_.layers; ++i) code.biases.push_back(by_layer[i] + hidden);

  const Tensor skin = point_2_(nn::gelu_tanh(point_1_(point_features(bodies.points).to(dtype)))) +
                      bodies.shares.to(dtype).bmm(code.joints);
  const Tensor nothing = nothing_.view({1, 1, -1}).expand({count, 1, -1});
  const Tensor surface = surface_norm_(at::cat({nothing, skin}, 1));
  for (const Block& block : blocks_) {
    const std::vector<Tensor> pair = block.key_value(surface).chunk(2, -1);
    code.keys.push_back(nn::split_heads(pair[0], heads)), code.values.push_back(nn::split_heads(pair[1], heads));
  }
  const Tensor seen = bodies.seen.view({count, 1}).expand({count, bodies.points.size(1)});
  code.hidden = hiding(at::cat({at::ones({count, 1}, seen.options()), seen}, 1), dtype).view({count, 1, 1, -1});
  return code;
}

Tensor PoseNetwork::modulations(const Tensor& times) const {
  const Tensor waves = nn::timestep_embedding(times * kTimeScale, model_.width).to(nothing_.scalar_type());
  return modulation_(at::silu(time_2_(at::silu(time_1_(waves)))));
}

PoseSaid PoseNetwork::operator()(const BodyCode& bodies, const Tensor& states, const Tensor& times,
                                 const Tensor& known) const {
  const at::ScalarType dtype = nothing_.scalar_type();
  const std::int64_t count = bodies.joints.size(0), poses = states.size(0), each = poses / count;
  const std::int64_t joints = states.size(1), d = model_.width, heads = model_.heads;
  const double scale = 1 / std::sqrt(static_cast<double>(d / heads));
  const Tensor time = modulations(times);
  Tensor x = bodies.joints.repeat_interleave(each, 0) + state_(states.to(dtype));
  if (known.defined() && known_.defined()) x = x + known.to(dtype).unsqueeze(-1) * known_;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const std::vector<Tensor> m = (time + block.modulation).unsqueeze(1).chunk(kModulations, -1);

    const std::vector<Tensor> qkv = block.qkv(nn::modulate(plain_(x), m[0], m[1])).chunk(3, -1);
    const Tensor mixed =
        nn::attention(nn::split_heads(qkv[0], heads), nn::split_heads(qkv[1], heads), nn::split_heads(qkv[2], heads),
                      scale, bodies.biases[i].repeat_interleave(each, 0));
    x = x + (1 + m[2]) * block.out(nn::merge_heads(mixed));

    // All poses of a body look at its surface together.
    const Tensor query = block.query(nn::modulate(plain_(x), m[3], m[4])).view({count, each * joints, d});
    const Tensor looked = nn::attention(nn::split_heads(query, heads), bodies.keys[i], bodies.values[i], scale,
                                        bodies.hidden.expand({count, heads, each * joints, bodies.hidden.size(-1)}));
    x = x + (1 + m[5]) * block.look(nn::merge_heads(looked).view({poses, joints, d}));

    x = x + (1 + m[8]) * block.down(nn::gelu_tanh(block.up(nn::modulate(plain_(x), m[6], m[7]))));
  }
  x = norm_(x);
  const Tensor said = said_(x).to(at::kFloat);
  const Tensor there = bodies.present.repeat_interleave(each, 0).to(dtype).unsqueeze(-1);
  const Tensor mean = (x * there).sum(1) / there.sum(1);
  return {said.narrow(-1, 0, kStateSize), said.select(-1, kStateSize), whole_(mean).to(at::kFloat).squeeze(-1)};
}

}  // namespace limber::pose_space
