// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "limber/prior/cogvideox_transformer.h"
#include "limber/prior/cogvideox_vae.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/parity_case.h"
#include "limber/prior/torch_priors.h"
#include "limber/prior/wan_transformer.h"
#include "limber/prior/wan_vae.h"

/// Every tiny checkpoint in the parity folder, against the outputs of the public implementation.
namespace limber::prior {
namespace {

/// A wrong GELU shows as 1e-4 only; what is measured here is below 2e-6.
constexpr double kTolerance = 1e-5;

/// [1, C, T, H, W] -> [T, C, H, W]
Tensor frames_first(const Tensor& volume) { return volume.squeeze(0).transpose(0, 1); }

/// The cases of one family. `Model` is an alternative of Checkpoint::model.
template <class Model>
std::vector<ParityCase> cases() {
  std::vector<ParityCase> result;
  for (const auto& folder : parity_folders()) {
    ParityCase parity(folder);
    if (std::holds_alternative<Model>(parity.checkpoint.model)) result.push_back(std::move(parity));
  }
  return result;
}

/// "t500."
std::string at_time(int t) {
  std::string prefix = std::to_string(t);
  prefix.insert(prefix.begin(), 't');
  return prefix += '.';
}

std::vector<float> floats(const Tensor& tensor) {
  const Tensor flat = tensor.to(at::kFloat).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

Tensor tensor_of(const Frames& frames) {
  return at::tensor(frames.values).view({frames.frames, 3, frames.height, frames.width});
}

/// The reference's video, [T, 3, H, W] in [-1, 1], as pixels.
Frames pixels(const Tensor& video) {
  Frames frames;
  frames.frames = static_cast<int>(video.size(0));
  frames.height = static_cast<int>(video.size(2)), frames.width = static_cast<int>(video.size(3));
  frames.values = floats((video + 1) / 2);
  return frames;
}

/// The reference's own text embeddings as a condition.
Condition given_condition(const ParityCase& parity) {
  const Tensor text = parity.tensor("prompt_embeds"), negative = parity.tensor("negative_embeds");
  Condition condition;
  condition.length = static_cast<int>(text.size(1)), condition.width = static_cast<int>(text.size(2));
  condition.text = floats(text), condition.negative = floats(negative);
  return condition;
}

LatentPrior load_on_cpu(const ParityCase& parity, const std::string& devices = "cpu") {
  LoadSettings settings;
  settings.device = devices;
  settings.text_length = static_cast<int>(parity.tensor("prompt_embeds").size(1));
  use_torch_priors();
  auto prior = load_prior(parity.checkpoint.path, settings);
  EXPECT_TRUE(prior.ok()) << prior.error().message();
  return std::move(dynamic_cast<LatentPrior&>(**prior));
}

/// relative_error, with the worst of a test kept in its XML report, in parts per thousand million.
double parity_error(const Tensor& value, const Tensor& expected) {
  static std::map<std::string, double> worst;
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  double& of_test = worst[std::string(test.test_suite_name()) + test.name()];
  const double error = relative_error(value, expected);
  of_test = std::max(of_test, error);
  ::testing::Test::RecordProperty("worst_error_e9", static_cast<int>(std::min(of_test, 1.0) * 1e9));
  return error;
}

#define EXPECT_PARITY(value, expected) EXPECT_LT(parity_error(value, expected), kTolerance)

/// A network of one component, all of whose tensors are used.
template <class Network, class Config>
Network load(const ParityCase& parity, const std::string& component, const Config& config) {
  nn::Weights weights = parity.weights(component);
  Network network(config, weights.root());
  EXPECT_TRUE(weights.finish().ok()) << weights.finish().error().message();
  return network;
}

void expect_autoencoder_parity(const ParityCase& parity, const Autoencoder& vae) {
  const Tensor video = frames_first(parity.tensor("video"));
  const Posterior posterior = encode(vae, video);
  const Tensor mean = frames_first(parity.tensor("latent_mean"));
  EXPECT_PARITY(posterior.mean, mean);
  if (parity.has("latent_logvar")) {
    EXPECT_PARITY(posterior.log_variance, frames_first(parity.tensor("latent_logvar")));
  }
  EXPECT_PARITY(decode(vae, mean), frames_first(parity.tensor("decoded")));
  const Tensor probe = frames_first(parity.tensor("probe"));
  for (const EncoderTape tape : {EncoderTape::kKeep, EncoderTape::kRecompute}) {
    EncodedVideo encoded(vae, video, tape);
    EXPECT_PARITY(encoded.mean(), mean);
    EXPECT_PARITY(encoded.backward(probe), frames_first(parity.tensor("video_grad")));
  }
}

TEST(CogVideoXParity, AutoencoderAndItsGradient) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<CogVideoXModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    const auto& model = std::get<CogVideoXModel>(parity.checkpoint.model);
    const auto vae = load<CogVideoXVae>(parity, "vae", model.vae);
    expect_autoencoder_parity(parity, vae);
    const Tensor mean = frames_first(parity.tensor("latent_mean"));
    EXPECT_PARITY(vae.scaled(mean).unsqueeze(0), parity.tensor("z"));
    EXPECT_PARITY(vae.unscaled(vae.scaled(mean)), mean);
  }
}

TEST(CogVideoXParity, DenoiserAtAllTimesteps) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<CogVideoXModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    const auto& model = std::get<CogVideoXModel>(parity.checkpoint.model);
    const auto transformer = load<CogVideoXTransformer>(parity, "transformer", model.transformer);
    const DdimSchedule schedule(model.schedule);
    EXPECT_LT(relative_error(at::tensor(schedule.alpha_bars()).to(at::kFloat), parity.tensor("alphas_cumprod")), 1e-6);

    const Tensor z = parity.tensor("z"), noise = parity.tensor("noise");
    const Tensor text = at::cat({parity.tensor("prompt_embeds"), parity.tensor("negative_embeds")});
    for (const int t : {20, 500, 980}) {
      const std::string prefix = at_time(t);
      if (!parity.has(prefix + "z_t")) continue;
      const double a = schedule.alpha_bar(t);
      EXPECT_PARITY(std::sqrt(a) * z + std::sqrt(1 - a) * noise, parity.tensor(prefix + "z_t"));
      const Tensor z_t = parity.tensor(prefix + "z_t");
      const Tensor v = transformer.predict(at::cat({z_t, z_t}), t, text);
      EXPECT_PARITY(v.narrow(0, 0, 1), parity.tensor(prefix + "v_cond")) << t;
      EXPECT_PARITY(v.narrow(0, 1, 1), parity.tensor(prefix + "v_uncond")) << t;
    }
    if (parity.has("rope_cos")) {
      const TokenGrid grid = token_grid(z, model.transformer.patch);
      const RotaryTable table = cogvideox_rotary(model.transformer.head_dim, grid, model.transformer.sample_height / 2,
                                                 model.transformer.sample_width / 2);
      const auto doubled = [&](const std::vector<float>& values) {
        return at::tensor(values).view({grid.count(), -1}).repeat_interleave(2, 1);
      };
      EXPECT_LT(relative_error(doubled(table.cosines), parity.tensor("rope_cos")), 1e-6);
      EXPECT_LT(relative_error(doubled(table.sines), parity.tensor("rope_sin")), 1e-6);
    }
  }
}

TEST(CogVideoXParity, ScoreDistillationGradient) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<CogVideoXModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    LatentPrior prior = load_on_cpu(parity);
    ScoreSettings settings;
    settings.timestep = 500;
    settings.noise = floats(parity.tensor("noise"));
    settings.return_latent_gradient = true;
    Frames gradient;
    const auto report =
        prior.score(pixels(frames_first(parity.tensor("video"))), given_condition(parity), settings, gradient);
    ASSERT_TRUE(report.ok()) << report.error().message();
    const Tensor expected = parity.tensor("sds_latent_grad");
    EXPECT_PARITY(at::tensor(report->latent_gradient).view(expected.sizes()), expected);
    EXPECT_PARITY(tensor_of(gradient) / 2, frames_first(parity.tensor("sds_video_grad")));
    EXPECT_NEAR(report->gradient_norm, tensor_of(gradient).norm().item<double>(), 1e-4 * report->gradient_norm);
    EXPECT_EQ(report->not_finite, 0);
  }
}

TEST(SeveralDevices, ScoreAndSampleAsOne) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const auto& folder : parity_folders()) {
    SCOPED_TRACE(folder.filename());
    const ParityCase parity(folder);
    LatentPrior one = load_on_cpu(parity), two = load_on_cpu(parity, "cpu,cpu");
    const Condition condition = given_condition(parity);
    const Frames frames = pixels(frames_first(parity.tensor("video")));
    // One draw is cut into its pair, of three each device takes whole ones.
    for (const int draws : {1, 3}) {
      ScoreSettings settings;
      settings.draws = draws, settings.seed = 5;
      Frames gradient, other;
      ASSERT_TRUE(one.score(frames, condition, settings, gradient).ok());
      ASSERT_TRUE(two.score(frames, condition, settings, other).ok());
      EXPECT_LT(relative_error(tensor_of(other), tensor_of(gradient)), kTolerance) << draws;
    }
    SampleSettings sampling;
    sampling.steps = 2, sampling.size = video_size(frames);
    EXPECT_LT(relative_error(two.sample_latents(condition, sampling).value(),
                             one.sample_latents(condition, sampling).value()),
              kTolerance);
  }
  LoadSettings settings;
  settings.device = "cpu,cuda";
  EXPECT_FALSE(placements_of(settings).ok());
  settings.device = "cpu,";
  EXPECT_FALSE(placements_of(settings).ok());
  settings.device = "cpu,cpu";
  EXPECT_EQ(placements_of(settings)->size(), 2u);
  EXPECT_FALSE(placement_of(settings, "it").ok());
  settings.dtype = "float8";
  EXPECT_TRUE(placements_of(settings).ok());
  settings.offload = true;
  EXPECT_FALSE(placements_of(settings).ok()) << "what is offloaded is not narrowed";
}

/// From the prompt itself: tokens, text encoder, and on.
void expect_condition_parity(const ParityCase& parity) {
  SCOPED_TRACE(parity.checkpoint.path.filename());
  const nn::Metadata& metadata = parity.expected.metadata();
  LatentPrior prior = load_on_cpu(parity);
  const auto condition = prior.condition({metadata.at("prompt"), metadata.at("negative")}, nullptr);
  ASSERT_TRUE(condition.ok()) << condition.error().message();
  const Condition expected = given_condition(parity);
  EXPECT_PARITY(at::tensor(condition->text), at::tensor(expected.text));
  EXPECT_PARITY(at::tensor(condition->negative), at::tensor(expected.negative));
}

TEST(CogVideoXParity, Conditions) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<CogVideoXModel>()) expect_condition_parity(parity);
}

TEST(WanParity, Conditions) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<WanModel>()) expect_condition_parity(parity);
}

TEST(CogVideoXParity, ScoresFromThePromptToThePixels) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<CogVideoXModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    LatentPrior prior = load_on_cpu(parity);
    const auto condition = prior.condition({parity.expected.metadata().at("prompt"), ""}, nullptr);
    ASSERT_TRUE(condition.ok()) << condition.error().message();
    ScoreSettings settings;
    settings.timestep = 500;
    settings.noise = floats(parity.tensor("noise"));
    Frames gradient;
    const auto report = prior.score(pixels(frames_first(parity.tensor("video"))), *condition, settings, gradient);
    ASSERT_TRUE(report.ok()) << report.error().message();
    EXPECT_PARITY(tensor_of(gradient) / 2, frames_first(parity.tensor("sds_video_grad")));
  }
}

TEST(CogVideoXParity, SamplesByDdim) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<CogVideoXModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    LatentPrior prior = load_on_cpu(parity);
    SampleSettings settings;
    settings.steps = static_cast<int>(parity.tensor("ddim.timesteps").numel());
    settings.noise = floats(parity.tensor("noise"));
    settings.guidance = 6;
    const auto latents = prior.sample_latents(given_condition(parity), settings);
    ASSERT_TRUE(latents.ok()) << latents.error().message();
    EXPECT_PARITY(latents->unsqueeze(0), parity.tensor("ddim.latents"));
    const auto frames = prior.sample(given_condition(parity), settings);
    settings.known = KnownFrames{};
    const auto refused = prior.sample(given_condition(parity), settings);
    ASSERT_FALSE(refused.ok()) << "it cannot pass through given frames";
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
    ASSERT_TRUE(frames.ok()) << frames.error().message();
    EXPECT_PARITY(tensor_of(*frames), (frames_first(parity.tensor("ddim.video")) / 2 + 0.5).clamp(0, 1));
  }
}

TEST(WanParity, ScoreDistillationInTheFlowForm) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<WanModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    LatentPrior prior = load_on_cpu(parity);
    const Tensor z = frames_first(parity.tensor("z")), noise = frames_first(parity.tensor("noise"));
    ScoreSettings settings;
    settings.noise = floats(noise);
    settings.return_latent_gradient = true;
    settings.guidance = 1;  // the prediction under the prompt alone
    for (const int t : {100, 500, 900}) {
      settings.timestep = t;
      Frames gradient;
      const auto report =
          prior.score(pixels(frames_first(parity.tensor("video"))), given_condition(parity), settings, gradient);
      ASSERT_TRUE(report.ok()) << report.error().message();
      const Tensor expected = t / 1000.0 * (frames_first(parity.tensor(at_time(t) + "v_cond")) - (noise - z));
      EXPECT_PARITY(at::tensor(report->latent_gradient).view(expected.sizes()), expected) << t;
    }
  }
}

TEST(WanParity, SamplesByEulerSteps) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<WanModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    LatentPrior prior = load_on_cpu(parity);
    const Tensor sigmas = parity.tensor("euler.sigmas");
    SampleSettings settings;
    settings.steps = static_cast<int>(sigmas.numel()) - 1;
    const FlowSchedule schedule(std::get<WanModel>(parity.checkpoint.model).schedule);
    EXPECT_LT(relative_error(at::tensor(schedule.sigmas(*settings.steps)).to(at::kFloat), sigmas), 1e-6);

    settings.noise = floats(parity.tensor("noise").transpose(1, 2));
    settings.guidance = 5;
    const VideoSize native = video_size(pixels(frames_first(parity.tensor("video"))));
    settings.size = native;
    const auto latents = prior.sample_latents(given_condition(parity), settings);
    ASSERT_TRUE(latents.ok()) << latents.error().message();
    EXPECT_PARITY(*latents, frames_first(parity.tensor("euler.latents")));
    const auto frames = prior.sample(given_condition(parity), settings);
    ASSERT_TRUE(frames.ok()) << frames.error().message();
    EXPECT_PARITY(tensor_of(*frames), frames_first(parity.tensor("euler.video")) / 2 + 0.5);
  }
}

TEST(WanParity, AutoencoderAndItsGradient) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<WanModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    const auto& model = std::get<WanModel>(parity.checkpoint.model);
    const auto vae = load<WanVae>(parity, "vae", model.vae);
    expect_autoencoder_parity(parity, vae);
    EXPECT_PARITY(vae.scaled(frames_first(parity.tensor("latent_mean"))), frames_first(parity.tensor("z")));
  }
}

TEST(WanParity, DenoiserAtAllTimesteps) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const ParityCase& parity : cases<WanModel>()) {
    SCOPED_TRACE(parity.checkpoint.path.filename());
    const auto& model = std::get<WanModel>(parity.checkpoint.model);
    const auto transformer = load<WanTransformer>(parity, "transformer", model.transformer);
    for (const int t : {100, 500, 900}) {
      const std::string prefix = at_time(t);
      const Tensor z_t = parity.tensor(prefix + "z_t").transpose(1, 2);
      const Tensor v = transformer.predict(z_t, t, parity.tensor("prompt_embeds"));
      EXPECT_PARITY(v.transpose(1, 2), parity.tensor(prefix + "v_cond")) << t;
    }
  }
}

}  // namespace
}  // namespace limber::prior
