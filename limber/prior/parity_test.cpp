// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/prior/cogvideox_vae.h"
#include "limber/prior/parity_case.h"

/// Every tiny checkpoint in the parity folder, against the outputs of the public implementation.
namespace limber::prior {
namespace {

constexpr double kTolerance = 1e-5;

/// [1, C, T, H, W] -> [T, C, H, W]
Tensor frames_first(const Tensor& volume) { return volume.squeeze(0).transpose(0, 1); }

TEST(CogVideoXParity, Autoencoder) {
  for (const auto& folder : parity_folders()) {
    const ParityCase parity(folder);
    const auto* model = std::get_if<CogVideoXModel>(&parity.checkpoint.model);
    if (model == nullptr) continue;
    SCOPED_TRACE(folder.filename());
    nn::Weights weights = parity.weights("vae");
    const CogVideoXVae vae(model->vae, weights.root());
    ASSERT_TRUE(weights.finish().ok()) << weights.finish().error().message();

    const Tensor video = frames_first(parity.tensor("video"));
    const Posterior posterior = encode(vae, video);
    const Tensor mean = frames_first(parity.tensor("latent_mean"));
    printf("mean %.3g\n", relative_error(posterior.mean, mean));
    printf("logvar %.3g\n", relative_error(posterior.log_variance, frames_first(parity.tensor("latent_logvar"))));
    printf("decoded %.3g\n", relative_error(decode(vae, mean), frames_first(parity.tensor("decoded"))));
    const Tensor probe = frames_first(parity.tensor("probe"));
    for (const EncoderTape tape : {EncoderTape::kKeep, EncoderTape::kRecompute}) {
      EncodedVideo encoded(vae, video, tape);
      printf("grad %.3g\n", relative_error(encoded.backward(probe), frames_first(parity.tensor("video_grad"))));
    }
  }
}

}  // namespace
}  // namespace limber::prior
