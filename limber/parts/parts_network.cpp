// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_network.h"

#include "limber/nn/fused_ops.h"

namespace limber::parts {
namespace {

constexpr double kNormEps = 1e-5;

}  // namespace

PartsNetwork::PartsNetwork(const PartsModel& model, const nn::WeightScope& weights, PartsStage stage)
    : model_(model), stage_(stage) {
  const std::int64_t d = model.width;
  const nn::Init zero = nn::Init::constant(0), small = nn::Init::normal(0.02);
  time_1_ = nn::linear(weights / "time_1", d, d), time_2_ = nn::linear(weights / "time_2", d, d);
  place_ = weights.get("place", {model.picture_tokens(), d}, small);
  view_ = weights.get("view", {model.views, d}, small);
  moment_ = weights.get("moment", {model.frames, d}, small);
  plain_ = nn::plain_layer_norm(d, kNormEps);
  colors_ = make_branch(weights, "rgb");
  if (stage == PartsStage::kRgb) return;
  parts_ = make_branch(weights, "parts");
  for (int i = 0; i < model.layers; ++i) {
    const nn::WeightScope scope = weights / "blocks" / i / "fuse";
    fusions_.push_back({nn::linear(scope / "mix", 2 * d, d), nn::linear(scope / "rgb", d, d, zero),
                        nn::linear(scope / "parts", d, d, zero)});
  }
}

PartsNetwork::Branch PartsNetwork::make_branch(const nn::WeightScope& weights, const std::string& name) const {
  const std::int64_t d = model_.width, patch = model_.patch_numbers();
  const nn::Init zero = nn::Init::constant(0), small = nn::Init::normal(0.02);
  Branch branch;
  branch.in = nn::linear(weights / "in" / name, patch, d);
  branch.known = nn::linear(weights / "known" / name, model_.known_numbers(), d);
  branch.out = nn::linear(weights / "out" / name, d, patch, small);
  branch.modulation = nn::linear(weights / "modulation" / name, d, kModulations * d, small);
  for (int i = 0; i < model_.layers; ++i) {
    const nn::WeightScope scope = weights / "blocks" / i / name;
    Block block;
    block.qkv = nn::linear(scope / "qkv", d, 3 * d), block.out = nn::linear(scope / "out", d, d, zero);
    block.up = nn::linear(scope / "up", d, 4 * d), block.down = nn::linear(scope / "down", 4 * d, d, zero);
    block.query_norm = nn::layer_norm(scope / "query_norm", d / model_.heads, kNormEps);
    block.key_norm = nn::layer_norm(scope / "key_norm", d / model_.heads, kNormEps);
    block.modulation = scope.get("modulation", {kModulations * d}, small);
    branch.blocks.push_back(std::move(block));
  }
  return branch;
}

// Order and type change in one sweep over the pixels, where both do: they are many.

Tensor PartsNetwork::patches(const Tensor& pictures) const {
  const std::int64_t n = pictures.size(0), side = model_.side(), p = model_.patch;
  return pictures.view({n, model_.pictures(), side, p, side, p, 3})
      .permute({0, 1, 2, 4, 3, 5, 6})
      .to(place_.scalar_type(), /*non_blocking=*/false, /*copy=*/false, at::MemoryFormat::Contiguous)
      .reshape({n, model_.tokens(), model_.patch_numbers()});
}

Tensor PartsNetwork::pictures(const Tensor& patches) const {
  const std::int64_t n = patches.size(0), side = model_.side(), p = model_.patch;
  return patches.view({n, model_.pictures(), side, side, p, p, 3})
      .permute({0, 1, 2, 4, 3, 5, 6})
      .to(at::kFloat, /*non_blocking=*/false, /*copy=*/false, at::MemoryFormat::Contiguous)
      .reshape({n, model_.pictures(), model_.size, model_.size, 3});
}

Tensor PartsNetwork::run_block(const Block& block, const Tensor& x, const Tensor& modulations) const {
  const std::int64_t run = x.size(1);  // one modulation for all tokens
  const Tensor own = block.modulation.view({kModulations, 1, model_.width});
  const std::vector<Tensor> m = (modulations + own).unsqueeze(2).unbind(0);
  const Tensor mixed = block.qkv(nn::norm_modulate(x, m[0], m[1], run, kNormEps));
  const Tensor seen = nn::self_attention(mixed, block.query_norm, block.key_norm, model_.heads);
  const Tensor y = nn::gated_add(x, block.out(seen), m[2], run);
  const Tensor up = nn::gelu_tanh(block.up(nn::norm_modulate(y, m[3], m[4], run, kNormEps)));
  return nn::gated_add(y, block.down(up), m[5], run);
}

Tensor PartsNetwork::tokens_of(const Branch& branch, const Tensor& noisy, const Tensor& known, const Tensor& bits,
                               const Tensor& where) const {
  // Bits are the same for all patches of a picture. Without them rows are whole words, which GPUs multiply much faster.
  const Tensor &weight = branch.known.weight, &bias = branch.known.bias;
  const Tensor of_patches = at::linear(known, weight.narrow(1, 0, known.size(-1)).contiguous());
  const Tensor of_pictures = at::linear(bits, weight.narrow(1, known.size(-1), kKnownBits).contiguous(), bias);
  const Tensor here = where.view({1, model_.pictures(), model_.picture_tokens(), model_.width});
  return branch.in(patches(noisy)) + of_patches + (of_pictures.unsqueeze(2) + here).flatten(1, 2);
}

PartsSaid PartsNetwork::operator()(const KnownBatch& known, const Tensor& colors, const Tensor& parts,
                                   const Tensor& times) const {
  const at::ScalarType dtype = place_.scalar_type();
  const std::int64_t n = times.size(0), d = model_.width, each = model_.picture_tokens();
  const Tensor bits = known.bits.to(dtype);
  const Tensor told = at::cat({patches(known.colors), patches(known.places), patches(known.normals)}, -1);
  const Tensor where =
      (view_.view({model_.views, 1, 1, d}) + moment_.view({1, model_.frames, 1, d}) + place_.view({1, 1, each, d}))
          .view({model_.tokens(), d});
  const Tensor clock = nn::timestep_embedding(times * kNoiseScale, d).to(dtype);
  const Tensor time = at::silu(time_2_(at::silu(time_1_(clock))));
  // Each in one piece, so that no layer has to copy it.
  const auto modulations = [&](const Branch& branch) {
    return branch.modulation(time).view({n, kModulations, d}).transpose(0, 1).contiguous();
  };

  const Tensor of_colors = modulations(colors_);
  Tensor a = tokens_of(colors_, colors, told, bits, where);
  if (stage_ == PartsStage::kRgb) {
    for (const Block& block : colors_.blocks) a = run_block(block, a, of_colors);
    return {pictures(colors_.out(plain_(a))), {}, {}};
  }
  const Tensor of_parts = modulations(parts_);
  Tensor b = tokens_of(parts_, parts, told, bits, where);
  PartsSaid said;
  for (int i = 0; i < model_.layers; ++i) {
    const auto layer = static_cast<std::size_t>(i);
    a = run_block(colors_.blocks[layer], a, of_colors), b = run_block(parts_.blocks[layer], b, of_parts);
    if (fusion_) {
      const Fusion& fusion = fusions_[layer];
      const Tensor mixed = at::relu(fusion.mix(at::cat({a, b}, -1)));
      a = a + fusion.colors(mixed), b = b + fusion.parts(mixed);
    }
    if (i + 1 == model_.contrast_layers()) said.features = b;
  }
  said.colors = pictures(colors_.out(plain_(a))), said.parts = pictures(parts_.out(plain_(b)));
  return said;
}

std::string name_in_color_branch(std::string name) {
  static const std::string kParts = ".parts.";
  const std::size_t found = name.find(kParts);
  return found == std::string::npos ? name : name.replace(found, kParts.size(), ".rgb.");
}

}  // namespace limber::parts
