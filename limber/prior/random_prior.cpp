// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/random_prior.h"

#include "limber/prior/latent_prior.h"

namespace limber::prior {
namespace {

CogVideoXModel cogvideox(bool large) {
  CogVideoXModel model;
  if (large) return model;
  model.transformer.layers = model.transformer.heads = 30;
  model.transformer.rotary = false;
  model.vae.scaling_factor = 1.15258426;
  model.schedule.snr_shift = 3;
  return model;
}

WanModel wan() {
  WanModel model;
  const auto channels = static_cast<std::size_t>(model.vae.latent_channels);
  model.vae.mean.assign(channels, 0);
  model.vae.deviation.assign(channels, 1);
  model.schedule.shift = 3;
  return model;
}

CogVideoXModel tiny() {
  CogVideoXModel model;
  model.transformer.layers = 2, model.transformer.heads = 2, model.transformer.head_dim = 32;
  model.transformer.time_width = 32, model.transformer.text_width = 32, model.transformer.text_length = 16;
  model.transformer.sample_width = 8, model.transformer.sample_height = 8, model.transformer.sample_frames = 9;
  model.vae.channels = {8, 16, 16, 16};
  model.vae.resnets = 1;
  model.vae.groups = 4;
  return model;
}

}  // namespace

const std::vector<std::string>& published_models() {
  static const std::vector<std::string> names{"cogvideox-2b", "cogvideox-5b", "wan-1.3b", "tiny"};
  return names;
}

Result<Checkpoint> published_checkpoint(const std::string& model) {
  Checkpoint checkpoint;
  checkpoint.name = model;
  if (model == "cogvideox-2b" || model == "cogvideox-5b") {
    checkpoint.model = cogvideox(model == "cogvideox-5b");
  } else if (model == "wan-1.3b") {
    checkpoint.model = wan();
  } else if (model == "tiny") {
    checkpoint.model = tiny();
  } else {
    return Error{"no published model '" + model + "'", ""};
  }
  return checkpoint;
}

Result<std::unique_ptr<VideoPrior>> random_prior(const std::string& model, const LoadSettings& settings,
                                                 std::uint64_t seed) {
  LIMBER_TRY(const Checkpoint checkpoint, published_checkpoint(model));
  LIMBER_TRY(const std::vector<nn::Placement> placements, placements_of(settings));
  LIMBER_CHECK_OK(check_memory(checkpoint, placements, settings));
  return nn::guarded(model, [&]() -> Result<std::unique_ptr<VideoPrior>> {
    std::vector<std::unique_ptr<Denoiser>> denoisers;
    for (const nn::Placement& placement : placements) {
      nn::Weights transformer = nn::Weights::random(seed, placement);
      denoisers.push_back(make_denoiser(checkpoint, transformer.root()));
      if (wants_float8(settings)) denoisers.back()->narrow_blocks();
    }
    nn::Weights vae = nn::Weights::random(seed + 1, autoencoder_placement(checkpoint, placements.front()));
    return std::unique_ptr<VideoPrior>(std::make_unique<LatentPrior>(
        checkpoint, std::move(denoisers), make_autoencoder(checkpoint, vae.root()), settings));
  });
}

Condition random_condition(const Checkpoint& checkpoint, int text_length, std::uint64_t seed) {
  Condition condition;
  condition.length = text_length;
  condition.width = std::visit([](const auto& model) { return model.transformer.text_width; }, checkpoint.model);
  const auto count = static_cast<std::size_t>(condition.length) * static_cast<std::size_t>(condition.width);
  condition.text = normal_noise(count, seed, 0, 0);
  condition.negative = normal_noise(count, seed, 0, 1);
  return condition;
}

}  // namespace limber::prior
