// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "limber/base/result.h"

/// The network that draws the kinematic parts of a body, as a file beside its weights describes it.
namespace limber::parts {

/// Two transformers, one for colours and one for parts, over the same pictures: `views` from all sides of a body, each
/// at `frames` moments.
struct PartsModel {
  int views = 4, frames = 4;
  int size = 64;  ///< of a picture, pixels a side
  int patch = 8;  ///< of a token, pixels a side
  int width = 192;
  int layers = 8;  ///< of each branch
  int heads = 6;
  bool colors = true;  ///< false: taught without any, so that it must not be shown them either

  int pictures() const { return views * frames; }
  int side() const { return size / patch; }  ///< tokens along a picture
  int picture_tokens() const { return side() * side(); }
  int tokens() const { return pictures() * picture_tokens(); }
  int pixels() const { return size * size; }  ///< of one picture
  /// Numbers of all pictures, three per pixel.
  std::size_t numbers() const { return 3 * static_cast<std::size_t>(pictures()) * static_cast<std::size_t>(pixels()); }
  int patch_numbers() const { return 3 * patch * patch; }
  /// What is told of a patch: colours, places and normals, and kKnownBits about its picture.
  int known_numbers() const;
  /// After so many layers features of one part are alike in all pictures.
  int contrast_layers() const { return layers > 1 ? 3 * layers / 4 : 1; }

  double flops() const;  ///< of one step
};

/// Modulations of a layer by the share of noise: shift, scale and gate of attention and of the rest.
inline constexpr int kModulations = 6;
/// Of a picture: whether its colours are known, whether its surface is, and then the elevation of the camera.
inline constexpr int kKnownBits = 3;
/// The share of noise, 0 to 1, as the network counts it.
inline constexpr double kNoiseScale = 1000;
/// The elevation of the camera, radians, as the network counts it.
inline constexpr double kElevationScale = 2;

inline int PartsModel::known_numbers() const { return 3 * patch_numbers() + kKnownBits; }

inline constexpr const char* kPartsModelFile = "parts.json";
inline constexpr const char* kPartsWeightsFile = "parts.safetensors";

std::string parts_model_to_json(const PartsModel& model);
/// `name` is the file's in errors.
Result<PartsModel> parts_model_from_json(const std::string& text, const std::string& name);

bool is_parts_model(const std::filesystem::path& folder);
Result<PartsModel> read_parts_model(const std::filesystem::path& folder);
/// The folder of the model that ships (nn/shipped_models.h); `kMissing` where it is not found.
Result<std::filesystem::path> find_parts_model();

}  // namespace limber::parts
