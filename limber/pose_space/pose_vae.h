// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "limber/base/result.h"
#include "limber/pose_space/pose_denoiser.h"

/// \file
/// A variational autoencoder of poses, of the same blocks and size as the diffusion model: what `limber-lab bench poses
/// --vae` measures that against. An encoder looks at the joints that are known and tells a few numbers of every joint,
/// each with how sure it is; a decoder makes a pose of such numbers.

namespace limber::pose_space {

/// Numbers of a joint between encoder and decoder.
inline constexpr int kLatentSize = 4;
/// Logarithms of variances are not farther from 0.
inline constexpr double kMostLogVariance = 6;
inline constexpr const char *kEncoderFolder = "encoder", *kDecoderFolder = "decoder";

/// Const, so safe to use from several threads.
class PoseVae {
 public:
  /// A folder that `train_pose_vae` wrote.
  static Result<PoseVae> open(const std::filesystem::path& folder);

  /// A body as both halves see it.
  struct Body {
    PoseDenoiser::Body encoder, decoder;
  };
  Body look_at(const PoseConditions& conditions) const;

  /// What a pose may be whose joints are known but for `hidden` ones; those are drawn by the seed.
  PoseState complete(const Body& body, std::span<const double> pose, const std::vector<bool>& hidden,
                     std::uint64_t seed) const;
  /// The pose that this one, with its faults, is taken for.
  PoseState denoise(const Body& body, std::span<const double> pose) const;
  PoseState draw(const Body& body, std::uint64_t seed) const;

 private:
  PoseVae(PoseDenoiser encoder, PoseDenoiser decoder) : encoder_(std::move(encoder)), decoder_(std::move(decoder)) {}
  /// `variety` times as far from the mean as is usual.
  PoseState rebuild(const Body& body, std::span<const double> pose, const std::vector<bool>& known, double variety,
                    std::uint64_t seed) const;

  PoseDenoiser encoder_, decoder_;
};

}  // namespace limber::pose_space
