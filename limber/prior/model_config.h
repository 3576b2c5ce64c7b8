// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// Sizes of the public video models, as their `config.json` files give them. The defaults are the published ones.
namespace limber::prior {

/// CogVideoXTransformer3DModel, text to video. Defaults: 5B.
struct CogVideoXConfig {
  int layers = 42, heads = 48, head_dim = 64;
  int channels = 16;  ///< of the latent, in and out
  int patch = 2;
  int time_width = 512, text_width = 4096, text_length = 226;
  int sample_width = 90, sample_height = 60, sample_frames = 49;  ///< native size: latent, latent, pixels
  bool rotary = true;                                             ///< 5B; else additive sincos positions (2B)
  double spatial_scale = 1.875, temporal_scale = 1;               ///< of the sincos positions
  double norm_eps = 1e-5;

  int width() const { return heads * head_dim; }
};

/// AutoencoderKLCogVideoX.
struct CogVideoXVaeConfig {
  std::vector<int> channels{128, 256, 256, 512};  ///< per level
  int resnets = 3;                                ///< per level; one more in the decoder
  int latent_channels = 16;
  int groups = 32;
  double norm_eps = 1e-6;
  int time_levels = 2;          ///< levels that halve time as well as space: log2 of the temporal ratio
  double scaling_factor = 0.7;  ///< the transformer sees scaling_factor * latent
};

/// WanTransformer3DModel (2.1, text to video). Defaults: 1.3B.
struct WanConfig {
  int layers = 30, heads = 12, head_dim = 128;
  int channels = 16;
  int patch = 2;  ///< in space; 1 in time
  int ffn_width = 8960, time_width = 256, text_width = 4096, text_length = 512;
  double eps = 1e-6;

  int width() const { return heads * head_dim; }
};

/// AutoencoderKLWan (2.1).
struct WanVaeConfig {
  int base_channels = 96;
  std::vector<int> multipliers{1, 2, 4, 4};
  int resnets = 2;
  int latent_channels = 16;
  std::vector<bool> time_levels{false, true, true};  ///< which of the halvings halve time too
  std::vector<double> mean, deviation;  ///< per latent channel: the transformer sees (z - mean) / deviation
};

}  // namespace limber::prior
