// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "limber/nn/weights.h"
#include "limber/prior/sketch_transformer.h"

/// Few steps: an adapter that makes a network of jumps out of the built-in prior's own, which stays as it is. Beside
/// each matrix W of its layers there are `down` [rank, in] and `up` [out, rank], and jumps are made with W + up down;
/// `target_time` embeds the share of noise that is jumped to. Private to `prior`.
namespace limber::prior {

/// A layer that is adapted.
struct AdaptedLayer {
  std::string name;  ///< "blocks.3.qkv"; its matrix is `name`.weight
  std::int64_t in = 0, out = 0;
};

/// All linear layers but those of the prompt, which is read once for both networks, and that of the known bits, which
/// is narrower than the adapter.
std::vector<AdaptedLayer> adapted_layers(const SketchModel& model);

/// Asks for all that an adapter is made of. A fresh one changes nothing: `up` is zero, and so is what `target_time`
/// leads to.
void describe_adapter(const SketchModel& model, int rank, const nn::WeightScope& scope);

/// The weights of the network of jumps, in the type of `base`, differentiable in those of the adapter.
nn::TensorList merged_weights(const nn::TensorList& base, const nn::TensorList& adapter);

/// Writes an adapter into a fresh one of the same or a larger rank, which computes the same then.
void grow_adapter(const nn::TensorList& small, const nn::TensorList& large);

/// The adapter in a model folder, in float on `device`; nothing where the folder's description names none or the file
/// is not there. A file that is there must fit.
Result<std::optional<nn::Weights>> open_adapter(const SketchModel& model, const std::filesystem::path& folder,
                                                at::Device device);

/// Writes an adapter into a folder, in bytes with a scale per row, and the description that names it.
Status save_adapter(const SketchModel& model, const nn::TensorList& adapter, const std::filesystem::path& folder);

}  // namespace limber::prior
