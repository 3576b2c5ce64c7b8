// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_transformer.h"

#include "limber/nn/fused_ops.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

constexpr int kTimeWidth = 256;
constexpr double kNormEps = 1e-6;

}  // namespace

SketchTransformer::SketchTransformer(const SketchModel& model, const nn::WeightScope& weights, Stride stride)
    : model_(model), plain_norm_(nn::plain_layer_norm(model.width, kNormEps)) {
  const int d = model.width, e = model.word_width, pixels = 3 * model.patch * model.patch;
  const nn::Init zero = nn::Init::constant(0), small = nn::Init::normal(0.02);
  const nn::WeightScope text = weights / "text";
  letter_groups_ = text.get("letter_groups", {model.buckets, e}, nn::Init::normal(0.5));
  word_up_ = nn::linear(text / "word", e, e);
  word_score_ = nn::linear(text / "score", e, model.word_heads);
  text_1_ = nn::linear(text / "linear_1", std::int64_t{e} * model.word_heads, d);
  text_2_ = nn::linear(text / "linear_2", d, d);
  no_text_ = text.get("none", {d}, zero);

  video_in_ = nn::linear(weights / "video_in", std::int64_t{pixels} * model.patch_frames, d);
  rest_in_ = nn::linear(weights / "rest_in", pixels, d);
  no_rest_ = weights.get("no_rest", {d}, zero);
  if (model.version >= 2) {
    known_in_.weight = (weights / "known_in").get("weight", {d, std::int64_t{pixels} * model.patch_frames}, zero);
    known_bits_.weight = (weights / "known_bits").get("weight", {d, model.patch_frames}, zero);
  }
  places_ = weights.get("places", {model.tokens_per_view(), d}, small);
  views_ = weights.get("views", {model.views, d}, small);
  time_1_ = nn::linear(weights / "time" / "linear_1", kTimeWidth, d);
  time_2_ = nn::linear(weights / "time" / "linear_2", d, d);
  if (stride == Stride::kJump) {
    target_1_ = nn::linear(weights / "target_time" / "linear_1", kTimeWidth, d);
    target_2_ = nn::linear(weights / "target_time" / "linear_2", d, d, zero);
  }
  modulation_ = nn::linear(weights / "modulation", d, std::int64_t{6} * d, small);
  for (int i = 0; i < model.layers; ++i) {
    const nn::WeightScope scope = weights / "blocks" / i;
    Block block;
    block.qkv = nn::linear(scope / "qkv", d, std::int64_t{3} * d);
    block.out = nn::linear(scope / "out", d, d, zero);
    block.up = nn::linear(scope / "up", d, std::int64_t{4} * d);
    block.down = nn::linear(scope / "down", std::int64_t{4} * d, d, zero);
    block.norm_q = nn::layer_norm(scope / "norm_q", d / model.heads, kNormEps);
    block.norm_k = nn::layer_norm(scope / "norm_k", d / model.heads, kNormEps);
    block.table = scope.get("table", {6, d}, zero);
    blocks_.push_back(std::move(block));
  }
  out_ = nn::linear(weights / "video_out", d, std::int64_t{pixels} * model.patch_frames, zero);
}

nn::Placement SketchTransformer::placement() const { return {places_.device(), places_.scalar_type()}; }

std::vector<std::string> SketchTransformer::new_tensors(int version) {
  return version == 2 ? std::vector<std::string>{"known_in.weight", "known_bits.weight"} : std::vector<std::string>{};
}

Tensor SketchTransformer::text(const Tensor& groups, const Tensor& keep) const {
  const Tensor index = groups.to(at::kLong), present = (index > 0).to(letter_groups_.scalar_type());
  // A word is the mean of its letter groups; words are weighed several times over, and order plays no part.
  const Tensor sums = (at::embedding(letter_groups_, index) * present.unsqueeze(-1)).sum(2);
  const Tensor counts = present.sum(2, /*keepdim=*/true);
  const Tensor words = at::silu(word_up_(sums / counts.clamp_min(1)));
  const Tensor absent = (counts == 0).expand({-1, -1, model_.word_heads});
  const Tensor scores = word_score_(words).to(at::kFloat).masked_fill(absent, -1e4);
  const Tensor shares = at::softmax(scores, 1).to(words.scalar_type());
  const Tensor pooled = at::matmul(shares.transpose(1, 2), words).flatten(1);
  const Tensor known = text_2_(at::silu(text_1_(pooled)));
  const Tensor said = (counts.sum({1, 2}) > 0).to(known.scalar_type()) * keep.to(known.scalar_type());
  return at::lerp(no_text_.expand_as(known), known, said.unsqueeze(1).expand_as(known));
}

Tensor SketchTransformer::block_forward(const Block& block, Tensor x, const Tensor& modulation) const {
  const std::vector<Tensor> m = (modulation + block.table).unbind(2);
  const std::int64_t run = std::int64_t{model_.size / model_.patch} * (model_.size / model_.patch);
  const Tensor mixed = block.qkv(nn::norm_modulate(x, m[0], m[1], run, kNormEps));
  const Tensor seen = nn::self_attention(mixed, block.norm_q, block.norm_k, model_.heads);
  x = nn::gated_add(x, block.out(seen), m[2], run);
  const Tensor up = nn::gelu_tanh(block.up(nn::norm_modulate(x, m[3], m[4], run, kNormEps)));
  return nn::gated_add(x, block.down(up), m[5], run);
}

Tensor SketchTransformer::tokens_of(const Tensor& video) const {
  const std::int64_t batch = video.size(0), v = model_.views, p = model_.patch, pf = model_.patch_frames;
  const std::int64_t side = model_.size / p, times = model_.tubes();
  return video.to(placement().dtype)
      .reshape({batch, v, times, pf, 3, side, p, side, p})
      .permute({0, 1, 2, 5, 7, 3, 4, 6, 8})
      .reshape({batch, v, times, side * side, -1});
}

Tensor SketchTransformer::denoised(const Tensor& noisy, const Tensor& sigma, const SketchCondition& condition,
                                   const Tensor& target) const {
  LIMBER_EXPECT(target.defined() == target_1_.weight.defined(), "a jump has a target, a small step has none");
  const std::int64_t batch = noisy.size(0), v = model_.views, p = model_.patch, pf = model_.patch_frames;
  const std::int64_t side = model_.size / p, times = model_.tubes(), d = model_.width;
  const at::ScalarType type = placement().dtype;
  const Tensor rest = condition.rest.to(type)
                          .reshape({batch, v, 3, side, p, side, p})
                          .permute({0, 1, 3, 5, 2, 4, 6})
                          .reshape({batch, v, 1, side * side, -1});
  const Tensor has = condition.has_rest.to(type).view({batch, 1, 1, 1, 1});
  Tensor x = video_in_(tokens_of(noisy)) + rest_in_(rest) * has + no_rest_ * (1 - has);
  if (condition.known.defined()) {
    LIMBER_EXPECT(known_in_.weight.defined(), "known frames need the second version");
    const Tensor bits = condition.is_known.to(type);
    x = x + known_in_(tokens_of(condition.known.to(type) * bits.reshape({batch, 1, -1, 1, 1, 1}))) +
        known_bits_(bits.reshape({batch, 1, times, 1, pf}));
  }
  x = x + places_.view({1, 1, times, side * side, d}) + views_.view({1, v, 1, 1, d});
  x = x.reshape({batch, -1, d});

  // One modulation for all tubes, or one for each.
  const auto embedded = [&](const Tensor& shares) {
    return nn::timestep_embedding(shares.reshape({batch, -1}) * 1000, kTimeWidth).to(type);
  };
  Tensor time = time_2_(at::silu(time_1_(embedded(sigma))));
  if (target.defined()) time = time + target_2_(at::silu(target_1_(embedded(target))));
  const Tensor modulation = modulation_(at::silu(time + condition.text.to(type).unsqueeze(1))).view({batch, -1, 6, d});
  for (const Block& block : blocks_) x = block_forward(block, x, modulation);

  return out_(plain_norm_(x))
      .reshape({batch, v, times, side, side, pf, 3, p, p})
      .permute({0, 1, 2, 5, 6, 3, 7, 4, 8})
      .reshape({batch, v, model_.frames, 3, model_.size, model_.size});
}

}  // namespace limber::prior
