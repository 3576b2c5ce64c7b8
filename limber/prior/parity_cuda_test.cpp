// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "limber/prior/latent_prior.h"
#include "limber/prior/parity_case.h"
#include "limber/prior/random_prior.h"
#include "limber/prior/torch_priors.h"

/// The GPU against the reference outputs, in float and in bf16, and the fused kernels against the plain operators.
namespace limber::prior {
namespace {

/// [1, C, T, H, W] -> [T, C, H, W]
Tensor frames_first(const Tensor& volume) { return volume.squeeze(0).transpose(0, 1); }

std::vector<float> floats(const Tensor& tensor) {
  const Tensor flat = tensor.to(at::kFloat).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

nn::Placement gpu(const std::string& dtype) {
  LoadSettings settings;
  settings.device = "cuda";
  settings.dtype = dtype;
  return placement_of(settings, "a test").value();
}

/// Prints a row of the table and checks it.
void expect_close(const char* what, const Tensor& value, const Tensor& expected, double tolerance) {
  const double error = relative_error(value, expected);
  std::printf("    %-24s %.2e\n", what, error);
  EXPECT_LT(error, tolerance) << what;
}

void compare(const ParityCase& parity, const std::string& dtype, double tolerance) {
  std::printf("  %s, %s\n", parity.checkpoint.path.filename().c_str(), dtype.c_str());
  const nn::Placement place = gpu(dtype);
  const nn::Placement vae_place = autoencoder_placement(parity.checkpoint, place);
  nn::Weights of_vae = parity.weights("vae", vae_place), of_transformer = parity.weights("transformer", place);
  const auto vae = make_autoencoder(parity.checkpoint, of_vae.root());
  const auto transformer = make_denoiser(parity.checkpoint, of_transformer.root());

  const Tensor video =
      frames_first(parity.tensor("video")).to(vae_place.options()).contiguous(at::MemoryFormat::ChannelsLast);
  const Tensor mean = frames_first(parity.tensor("latent_mean"));
  EncodedVideo kept(*vae, video, EncoderTape::kKeep), recomputed(*vae, video, EncoderTape::kRecompute);
  expect_close("latent mean", kept.mean(), mean, tolerance);
  const Tensor latent = mean.to(vae_place.options()).contiguous(at::MemoryFormat::ChannelsLast);
  expect_close("decoded", decode(*vae, latent), frames_first(parity.tensor("decoded")), tolerance);
  const Tensor probe = frames_first(parity.tensor("probe")).to(vae_place.options());
  const Tensor gradient = frames_first(parity.tensor("video_grad"));
  expect_close("video gradient, kept", kept.backward(probe), gradient, tolerance);
  expect_close("video gradient, again", recomputed.backward(probe), gradient, tolerance);

  const bool wan = std::holds_alternative<WanModel>(parity.checkpoint.model);
  for (const int t : {20, 100, 500, 900, 980}) {
    char name[32];
    std::snprintf(name, sizeof name, "t%d.v_cond", t);
    if (!parity.has(name)) continue;
    const std::string noisy = std::string(name, std::strchr(name, '.')) + ".z_t";
    Tensor z_t = parity.tensor(noisy), expected = parity.tensor(name);
    if (wan) z_t = z_t.transpose(1, 2), expected = expected.transpose(1, 2);
    const Tensor v = transformer->predict(z_t.to(place.device), t, parity.tensor("prompt_embeds").to(place.device));
    expect_close(name, v, expected, tolerance);
  }
}

class PriorCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!nn::cuda_available()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(PriorCuda, AgreesWithTheReferenceInFloat) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const auto& folder : parity_folders()) compare(ParityCase(folder), "float32", 1e-4);
}

TEST_F(PriorCuda, IsWithinTwoPercentInBf16) {
  if (parity_folders().empty()) GTEST_SKIP() << "no parity data";
  for (const auto& folder : parity_folders()) compare(ParityCase(folder), "bfloat16", 2e-2);
}

TEST_F(PriorCuda, ScoresAsTheReferenceInFloat) {
  for (const auto& folder : parity_folders()) {
    const ParityCase parity(folder);
    if (!parity.has("sds_video_grad")) continue;
    LoadSettings load;
    load.device = "cuda";
    load.dtype = "float32";
    use_torch_priors();
    auto prior = load_prior(folder, load);
    ASSERT_TRUE(prior.ok()) << prior.error().message();
    Condition condition;
    condition.text = floats(parity.tensor("prompt_embeds")),
    condition.negative = floats(parity.tensor("negative_embeds"));
    condition.length = static_cast<int>(parity.tensor("prompt_embeds").size(1));
    condition.width = static_cast<int>(parity.tensor("prompt_embeds").size(2));
    const Tensor video = frames_first(parity.tensor("video"));
    Frames frames, gradient;
    frames.frames = static_cast<int>(video.size(0));
    frames.height = static_cast<int>(video.size(2)), frames.width = static_cast<int>(video.size(3));
    frames.values = floats((video + 1) / 2);
    ScoreSettings settings;
    settings.timestep = 500;
    settings.noise = floats(parity.tensor("noise"));
    const auto report = (*prior)->score(frames, condition, settings, gradient);
    ASSERT_TRUE(report.ok()) << report.error().message();
    expect_close(folder.filename().c_str(), at::tensor(gradient.values).view(video.sizes()) / 2,
                 frames_first(parity.tensor("sds_video_grad")), 1e-4);
  }
}

TEST_F(PriorCuda, FusedNormEqualsThePlainOne) {
  gpu("float32");
  for (const int64_t channels : {8, 128, 512}) {
    const Tensor x = at::randn({3, channels, 18, 26}, at::kCUDA).contiguous(at::MemoryFormat::ChannelsLast) * 2 + 0.5;
    const Tensor rounded = x.to(at::kBFloat16);
    const Tensor probe = at::randn_like(x);
    GroupNorm norm{at::randn({channels}, at::kCUDA).to(at::kBFloat16),
                   at::randn({channels}, at::kCUDA).to(at::kBFloat16), 4, 1e-6};
    const Tensor fast = rounded.detach().requires_grad_(true);
    const Tensor fast_y = norm_silu(fast, norm);
    const Tensor fast_gradient = torch::autograd::grad({fast_y}, {fast}, {probe.to(at::kBFloat16)})[0];
    norm.weight = norm.weight.to(at::kFloat), norm.bias = norm.bias.to(at::kFloat);
    const Tensor plain = rounded.to(at::kFloat).requires_grad_(true);
    const Tensor plain_y = norm_silu(plain, norm);
    const Tensor plain_gradient = torch::autograd::grad({plain_y}, {plain}, {probe})[0];
    expect_close("norm", fast_y, plain_y, 5e-3);
    expect_close("its gradient", fast_gradient, plain_gradient, 5e-3);
  }
}

TEST_F(PriorCuda, FusedRotationEqualsThePlainOne) {
  const TokenGrid grid{2, 3, 4};
  const Rotation turns = rotation(cogvideox_rotary(64, grid, 3, 4), grid, at::kCUDA);
  const Tensor x = at::randn({2, 5 + grid.count(), 3, 64}, at::kCUDA).to(at::kBFloat16);
  nn::LayerNorm norm;
  norm.weight = at::randn({64}, at::kCUDA).to(at::kBFloat16), norm.bias = at::randn({64}, at::kCUDA).to(at::kBFloat16);
  norm.width = 64, norm.eps = 1e-6;
  const Tensor fast = norm_rotated(x.clone(), norm, turns, 5);
  norm.weight = norm.weight.to(at::kFloat), norm.bias = norm.bias.to(at::kFloat);
  expect_close("norm and rotation", fast, norm_rotated(x.to(at::kFloat), norm, turns, 5), 5e-3);
}

TEST_F(PriorCuda, RoundsRowsToFloat8AsTheCpu) {
  if (!multiplies_float8(at::Device(at::kCUDA, 0))) GTEST_SKIP() << "no 8-bit floats";
  const Tensor x = (at::randn({37, 1536}) * at::exp(at::randn({37, 1}) * 3)).to(at::kBFloat16);
  const Float8Rows slow = in_float8(x), fast = in_float8(x.to(at::kCUDA));
  expect_close("scales", fast.scales.to(at::kCPU), slow.scales, 1e-6);
  expect_close("values", fast.values.to(at::kFloat).to(at::kCPU), slow.values, 1e-6);
}

TEST_F(PriorCuda, MultipliesFloat8AsTheCpu) {
  if (!multiplies_float8(at::Device(at::kCUDA, 0))) GTEST_SKIP() << "no 8-bit floats";
  Projection slow, fast;
  slow.layer = {at::randn({96, 1536}).to(at::kBFloat16), at::randn({96}).to(at::kBFloat16)};
  fast.layer = {slow.layer.weight.to(at::kCUDA), slow.layer.bias.to(at::kCUDA)};
  slow.narrow(), fast.narrow();
  const Tensor x = at::randn({2, 33, 1536}).to(at::kBFloat16);
  expect_close("product", fast(x.to(at::kCUDA)).to(at::kCPU), slow(x), 1e-2);
}

TEST_F(PriorCuda, IsWithinFivePercentIn8BitFloats) {
  if (!multiplies_float8(at::Device(at::kCUDA, 0))) GTEST_SKIP() << "no 8-bit floats";
  for (const auto& folder : parity_folders()) {
    const ParityCase parity(folder);
    const nn::Placement place = gpu("bfloat16");
    nn::Weights wide = parity.weights("transformer", place), narrow = parity.weights("transformer", place);
    const auto exact = make_denoiser(parity.checkpoint, wide.root());
    const auto rounded = make_denoiser(parity.checkpoint, narrow.root());
    rounded->narrow_blocks();
    Tensor z = parity.tensor("t500.z_t").to(place.device);
    if (std::holds_alternative<WanModel>(parity.checkpoint.model)) z = z.transpose(1, 2);
    const Tensor text = parity.tensor("prompt_embeds").to(place.device);
    expect_close(folder.filename().c_str(), rounded->predict(z, 500, text), exact->predict(z, 500, text), 5e-2);
  }
}

void compare_copies(const std::string& devices) {
  for (const int draws : {1, 2}) {
    LoadSettings one, two;
    one.device = "cuda:0", two.device = devices, one.dtype = two.dtype = "float32";
    const auto alone = random_prior("tiny", one).value(), both = random_prior("tiny", two).value();
    const Condition condition = random_condition(published_checkpoint("tiny").value(), alone->info().text_length);
    Frames frames(1, 9, 64, 64), gradient, other;
    for (std::size_t i = 0; i < frames.values.size(); ++i) frames.values[i] = static_cast<float>(i % 977) / 976;
    ScoreSettings settings;
    settings.draws = draws;
    ASSERT_TRUE(alone->score(frames, condition, settings, gradient).ok());
    ASSERT_TRUE(both->score(frames, condition, settings, other).ok());
    expect_close("two copies", at::tensor(other.values), at::tensor(gradient.values), 1e-5);
  }
}

TEST_F(PriorCuda, TwoCopiesScoreAsOne) { compare_copies("cuda:0,cuda:0"); }

TEST_F(PriorCuda, TwoGpusScoreAsOne) {
  if (at::detail::getCUDAHooks().getNumGPUs() < 2) GTEST_SKIP() << "one GPU";
  compare_copies("cuda:0,cuda:1");
}

}  // namespace
}  // namespace limber::prior
