// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_network.h"

#include <cmath>

#include "limber/nn/fused_ops.h"

namespace limber::motion_space {
namespace {

constexpr double kNormEps = 1e-5;
constexpr double kHidden = -30000;  // added to what must not be looked at; finite, so that nothing becomes NaN
constexpr int kSwayNumbers = kFramesPerToken * kBodyNumbers, kMeanNumbers = pose_space::kStateSize;

/// The body's tokens and the joints', the first moment (means) and the others, side by side: [bodies, kTokens, N, ...].
Tensor joined(const Tensor& steady, const Tensor& sway, const Tensor& mean, const Tensor& poses) {
  return at::cat({at::cat({steady, mean}, 2), at::cat({sway, poses}, 2)}, 1);
}

Tensor padded(const Tensor& x) { return at::constant_pad_nd(x, {0, kTokenNumbers - x.size(-1)}); }

/// The four kinds of tokens of [bodies, kTokens, N, numbers], the first so many numbers of each.
struct Kinds {
  Tensor steady, sway, mean, poses;
  Kinds(const Tensor& x, int steady_numbers, int sway_numbers, int mean_numbers, int pose_numbers) {
    const auto part = [&](int moment, std::int64_t moments, int slot, std::int64_t slots, int numbers) {
      return x.narrow(1, moment, moments).narrow(2, slot, slots).narrow(3, 0, numbers);
    };
    const std::int64_t joints = x.size(2) - 1;
    steady = part(0, 1, 0, 1, steady_numbers), sway = part(1, kTokens - 1, 0, 1, sway_numbers);
    mean = part(0, 1, 1, joints, mean_numbers), poses = part(1, kTokens - 1, 1, joints, pose_numbers);
  }
};

/// Attention among few tokens, [groups * each, tokens, 3 d] -> [groups * each, tokens, d], where `each` rows in turn
/// have one bias, [groups, heads, tokens, tokens]. Scores of so few are small enough to be written down: kernels for
/// long sequences took 41 of 140 ms of a step on an H200, and adding up what they say of the bias another 14.
Tensor attend_few(const Tensor& qkv, const Tensor& bias, std::int64_t heads) {
  const std::int64_t rows = qkv.size(0), tokens = qkv.size(1), d = qkv.size(2) / 3, head = d / heads;
  const std::int64_t groups = bias.size(0), each = rows / groups;
  const double scale = 1 / std::sqrt(static_cast<double>(head));
  const Tensor apart = qkv.view({rows, tokens, 3, heads, head}).permute({2, 0, 3, 1, 4}).contiguous();
  const std::vector<Tensor> of = apart.view({3, rows * heads, tokens, head}).unbind(0);
  const Tensor scores = of[0].bmm(of[1].transpose(1, 2)).view({groups, each, heads, tokens, tokens});
  const Tensor shares = at::add(bias.unsqueeze(1), scores, scale).softmax(-1);
  const Tensor mixed = shares.view({rows * heads, tokens, tokens}).bmm(of[2]);
  return mixed.view({rows, heads, tokens, head}).transpose(1, 2).reshape({rows, tokens, d});
}

}  // namespace

MotionNetwork::MotionNetwork(const MotionModel& model, const nn::WeightScope& weights) : model_(model) {
  const std::int64_t d = model.width;
  const nn::Init zero = nn::Init::constant(0), small = nn::Init::normal(0.02);
  joint_1_ = nn::linear(weights / "joint_1", model.features, d), joint_2_ = nn::linear(weights / "joint_2", d, d);
  poses_ = nn::linear(weights / "poses", kTokenNumbers, d), mean_ = nn::linear(weights / "mean", kMeanNumbers, d);
  sway_ = nn::linear(weights / "sway", kSwayNumbers, d), steady_ = nn::linear(weights / "steady", kBodyNumbers, d);
  known_poses_ = nn::linear(weights / "known_poses", kKnownNumbers, d);
  known_sway_ = nn::linear(weights / "known_sway", kSwayNumbers + kFramesPerToken, d);
  asked_ = nn::linear(weights / "asked", d, d, small);
  time_1_ = nn::linear(weights / "time_1", d, d), time_2_ = nn::linear(weights / "time_2", d, d);
  modulation_ = nn::linear(weights / "modulation", d, kModulations * d, small);
  body_ = weights.get("body", {d}, small), moments_ = weights.get("moments", {kTokens, d}, small);
  actions_ = weights.get("actions", {static_cast<std::int64_t>(model.actions.size()) + 1, d}, nn::Init::normal(0.5));
  choices_ = weights.get("choices", {kAllChoices, d}, nn::Init::normal(0.2));
  relations_ = weights.get("relations", {kRelations, model.layers * model.heads}, nn::Init::normal(0.1));
  for (int i = 0; i < model.layers; ++i) {
    const nn::WeightScope scope = weights / "blocks" / i;
    Block block;
    block.qkv = nn::linear(scope / "qkv", d, 3 * d), block.out = nn::linear(scope / "out", d, d, zero);
    block.time_qkv = nn::linear(scope / "time_qkv", d, 3 * d);
    block.time_out = nn::linear(scope / "time_out", d, d, zero);
    block.up = nn::linear(scope / "up", d, 4 * d), block.down = nn::linear(scope / "down", 4 * d, d, zero);
    block.modulation = scope.get("modulation", {kModulations * d}, small);
    block.times = scope.get("times", {model.heads * kTokens, kTokens}, nn::Init::normal(0.1));
    blocks_.push_back(std::move(block));
  }
  norm_ = nn::layer_norm(weights / "norm", d, kNormEps);
  if (model.judges != 0) {
    judge_ = nn::linear(weights / "judge", d, static_cast<std::int64_t>(model.actions.size()), small);
    return;
  }
  say_poses_ = nn::linear(weights / "say_poses", d, kTokenNumbers, small);
  say_mean_ = nn::linear(weights / "say_mean", d, kMeanNumbers, small);
  say_sway_ = nn::linear(weights / "say_sway", d, kSwayNumbers, small);
  say_steady_ = nn::linear(weights / "say_steady", d, kBodyNumbers, small);
}

Tensor MotionNetwork::embedded(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy,
                               const Tensor& asked) const {
  const at::ScalarType dtype = body_.scalar_type();
  const std::int64_t count = noisy.size(0), slots = noisy.size(2), d = model_.width;
  const Kinds seen(noisy.to(dtype), kBodyNumbers, kSwayNumbers, kMeanNumbers, kTokenNumbers);
  const Tensor known = wishes.known.to(dtype).narrow(1, 1, kTokens - 1);
  // Of the body, which frames are known stands behind its own numbers.
  const Tensor of_body = known.narrow(2, 0, 1);
  const Tensor known_body =
      at::cat({of_body.narrow(3, 0, kSwayNumbers), of_body.narrow(3, kTokenNumbers, kFramesPerToken)}, -1);
  const Tensor x = joined(steady_(seen.steady), sway_(seen.sway) + known_sway_(known_body), mean_(seen.mean),
                          poses_(seen.poses) + known_poses_(known.narrow(2, 1, slots - 1)));
  const Tensor joints = joint_2_(nn::gelu_tanh(joint_1_(bodies.features.to(dtype))));
  const Tensor told = at::cat({body_.view({1, 1, d}).expand({count, 1, d}), joints}, 1);
  return x + told.unsqueeze(1) + moments_.view({1, kTokens, 1, d}) + asked_(asked).view({count, 1, 1, d});
}

Tensor MotionNetwork::across_joints(const Block& block, const Tensor& x, const Tensor& bias) const {
  const std::int64_t count = x.size(0), slots = bias.size(-1), d = model_.width;
  const Tensor qkv = block.qkv(x).view({count * kTokens, slots, 3 * d});
  return block.out(attend_few(qkv, bias, model_.heads)).view({count, kTokens * slots, d});
}

Tensor MotionNetwork::across_times(const Block& block, const Tensor& x, std::int64_t slots) const {
  const std::int64_t count = x.size(0), d = model_.width;
  const Tensor by_joint = block.time_qkv(x).view({count, kTokens, slots, 3 * d}).transpose(1, 2);
  const Tensor bias = block.times.view({1, model_.heads, kTokens, kTokens});
  const Tensor mixed = attend_few(by_joint.reshape({count * slots, kTokens, 3 * d}), bias, model_.heads);
  const Tensor back = mixed.view({count, slots, kTokens, d}).transpose(1, 2);
  return block.time_out(back.reshape({count, kTokens * slots, d}));
}

Tensor MotionNetwork::seen(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy,
                           const Tensor& times) const {
  const at::ScalarType dtype = body_.scalar_type();
  const std::int64_t count = noisy.size(0), slots = noisy.size(2), d = model_.width, run = kTokens * slots;
  const Tensor asked = actions_.index_select(0, wishes.actions) +
                       choices_.index_select(0, wishes.facts.flatten()).view({count, kFactCount, d}).sum(1);
  const Tensor waves = nn::timestep_embedding(times * kTimeScale, d).to(dtype);
  const Tensor shared = modulation_(at::silu(time_2_(at::silu(time_1_(waves))) + asked));

  // One product for all layers: its gradient is one too.
  const Tensor related = at::one_hot(bodies.relations, kRelations).to(dtype).matmul(relations_);
  const Tensor hidden = at::zeros(bodies.present.sizes(), related.options())
                            .masked_fill(bodies.present.logical_not(), kHidden)
                            .view({count, 1, 1, slots});
  const Tensor by_layer = related.view({count, slots, slots, model_.layers, model_.heads}).permute({3, 0, 4, 1, 2});

  Tensor x = embedded(bodies, wishes, noisy, asked).view({count, run, d});
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const std::vector<Tensor> m = (shared + block.modulation).unsqueeze(1).chunk(kModulations, -1);
    const auto modulated = [&](int first) { return nn::norm_modulate(x, m[first], m[first + 1], run, kNormEps); };
    const Tensor bias = by_layer[static_cast<std::int64_t>(i)] + hidden;
    x = nn::gated_add(x, across_joints(block, modulated(0), bias), m[2], run);
    x = nn::gated_add(x, across_times(block, modulated(3), slots), m[5], run);
    x = nn::gated_add(x, block.down(nn::gelu_tanh(block.up(modulated(6)))), m[8], run);
  }
  return norm_(x).view({count, kTokens, slots, d});
}

Tensor MotionNetwork::judge(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy,
                            const Tensor& times) const {
  const Tensor y = seen(bodies, wishes, noisy, times).to(at::kFloat);
  const Tensor there = bodies.present.to(at::kFloat).view({y.size(0), 1, -1, 1});
  const Tensor mean = (y * there).sum(at::IntArrayRef{1, 2}) / (kTokens * there.sum(at::IntArrayRef{1, 2}));
  return judge_(mean.to(body_.scalar_type())).to(at::kFloat);
}

Tensor MotionNetwork::operator()(const BodyBatch& bodies, const Wishes& wishes, const Tensor& noisy,
                                 const Tensor& times) const {
  const Tensor y = seen(bodies, wishes, noisy, times);
  const Kinds kinds(y, model_.width, model_.width, model_.width, model_.width);
  return joined(padded(say_steady_(kinds.steady)), padded(say_sway_(kinds.sway)), padded(say_mean_(kinds.mean)),
                say_poses_(kinds.poses))
      .to(at::kFloat);
}

}  // namespace limber::motion_space
