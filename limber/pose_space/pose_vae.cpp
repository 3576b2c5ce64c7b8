// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_vae.h"

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/rng.h"

namespace limber::pose_space {

Result<PoseVae> PoseVae::open(const std::filesystem::path& folder) {
  LIMBER_TRY(PoseDenoiser encoder, PoseDenoiser::open(folder / kEncoderFolder));
  LIMBER_TRY(PoseDenoiser decoder, PoseDenoiser::open(folder / kDecoderFolder));
  if (encoder.model().fills == 0)
    return Error{"cannot be told what is known of a pose", (folder / kEncoderFolder).string()};
  return PoseVae(std::move(encoder), std::move(decoder));
}

PoseVae::Body PoseVae::look_at(const PoseConditions& conditions) const {
  return {encoder_.encode(conditions), decoder_.encode(conditions)};
}

PoseState PoseVae::rebuild(const Body& body, std::span<const double> pose, const std::vector<bool>& known,
                           double variety, std::uint64_t seed) const {
  PoseState seen(pose.begin(), pose.end());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!known[i / kStateSize]) seen[i] = 0;
  }
  const PoseState told = encoder_.run(body.encoder, seen, 0, known).velocity;
  Rng rng(seed, 43);
  PoseState latent(seen.size(), 0);
  for (std::size_t first = 0; first < latent.size(); first += kStateSize) {
    for (std::size_t k = 0; k < kLatentSize; ++k) {
      const double log_variance = std::clamp(told[first + kLatentSize + k], -kMostLogVariance, kMostLogVariance);
      latent[first + k] = told[first + k] + variety * std::exp(log_variance / 2) * rng.normal();
    }
  }
  return decoder_.run(body.decoder, latent, 0).velocity;
}

PoseState PoseVae::complete(const Body& body, std::span<const double> pose, const std::vector<bool>& hidden,
                            std::uint64_t seed) const {
  LIMBER_EXPECT(kStateSize * hidden.size() == pose.size(), std::to_string(hidden.size()));
  std::vector<bool> known = hidden;
  known.flip();
  PoseState made = rebuild(body, pose, known, 1, seed);
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (known[i / kStateSize]) made[i] = pose[i];
  }
  return made;
}

PoseState PoseVae::denoise(const Body& body, std::span<const double> pose) const {
  return rebuild(body, pose, std::vector<bool>(pose.size() / kStateSize, true), 0, 0);
}

PoseState PoseVae::draw(const Body& body, std::uint64_t seed) const {
  const auto joints = static_cast<std::size_t>(PoseDenoiser::joints(body.decoder));
  Rng rng(seed, 43);
  PoseState latent(joints * kStateSize, 0);
  for (std::size_t i = 0; i < latent.size(); ++i) {
    if (i % kStateSize < kLatentSize) latent[i] = rng.normal();
  }
  return decoder_.run(body.decoder, latent, 0).velocity;
}

}  // namespace limber::pose_space
