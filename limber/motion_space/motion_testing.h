// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/rng.h"
#include "limber/motion_space/motion_denoiser.h"
#include "limber/nn/safetensors.h"

/// A tiny network on joints with random weights, without LibTorch: for tests.
namespace limber::motion_space {

inline MotionModel tiny_motion_model() {
  MotionModel model;
  model.width = 16, model.layers = 2, model.heads = 2;
  model.actions = {"walk", "idle", "sit", "run", "wave"};
  return model;
}

/// Writes motions.json and motions.safetensors. `loudness`: how much the last layers say; 0: the body at rest.
inline Status write_tiny_motions(const std::filesystem::path& folder, std::uint64_t seed = 1, double loudness = 0.3) {
  const MotionModel model = tiny_motion_model();
  const std::int64_t d = model.width, sway = kFramesPerToken * kBodyNumbers;
  std::map<std::string, std::vector<std::int64_t>> shapes;
  const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    shapes[name + ".weight"] = {out, in}, shapes[name + ".bias"] = {out};
  };
  linear("joint_1", model.features, d), linear("joint_2", d, d), linear("poses", kTokenNumbers, d);
  linear("mean", pose_space::kStateSize, d), linear("sway", sway, d), linear("steady", kBodyNumbers, d);
  linear("known_poses", kKnownNumbers, d), linear("known_sway", sway + kFramesPerToken, d), linear("asked", d, d);
  linear("time_1", d, d), linear("time_2", d, d), linear("modulation", d, kModulations * d);
  linear("say_poses", d, kTokenNumbers), linear("say_mean", d, pose_space::kStateSize);
  linear("say_sway", d, sway), linear("say_steady", d, kBodyNumbers);
  shapes["body"] = {d}, shapes["moments"] = {kTokens, d}, shapes["choices"] = {kAllChoices, d};
  shapes["actions"] = {static_cast<std::int64_t>(model.actions.size()) + 1, d};
  shapes["relations"] = {kRelations, model.layers * model.heads};
  shapes["norm.weight"] = shapes["norm.bias"] = {d};
  for (int i = 0; i < model.layers; ++i) {
    const std::string block = "blocks." + std::to_string(i);
    linear(block + ".qkv", d, 3 * d), linear(block + ".out", d, d), linear(block + ".time_qkv", d, 3 * d);
    linear(block + ".time_out", d, d), linear(block + ".up", d, 4 * d), linear(block + ".down", 4 * d, d);
    shapes[block + ".modulation"] = {kModulations * d}, shapes[block + ".times"] = {model.heads * kTokens, kTokens};
  }
  Rng rng(seed, 7);
  std::vector<std::vector<float>> numbers;
  std::vector<nn::NamedTensor> tensors;
  for (const auto& [name, shape] : shapes) {
    std::size_t count = 1;
    for (const std::int64_t side : shape) count *= static_cast<std::size_t>(side);
    const double fan = shape.size() > 1 ? 1 / std::sqrt(static_cast<double>(shape.back())) : 0.1;
    const double scale = name.rfind("say_", 0) == 0 ? loudness * fan : fan;
    std::vector<float>& values = numbers.emplace_back(count);
    for (float& v : values) v = static_cast<float>(scale * rng.normal()) + (name == "norm.weight" ? 1.0f : 0.0f);
  }
  std::size_t i = 0;
  for (const auto& [name, shape] : shapes) {
    const std::vector<float>& values = numbers[i++];
    nn::NamedTensor tensor;
    tensor.name = name;
    tensor.view.shape = shape;
    tensor.view.bytes = std::as_bytes(std::span<const float>(values));
    tensors.push_back(tensor);
  }
  LIMBER_CHECK_OK(nn::write_safetensors(folder / kMotionWeightsFile, tensors));
  return write_file(folder / kMotionModelFile, motion_model_to_json(model));
}

}  // namespace limber::motion_space
