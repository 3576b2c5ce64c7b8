// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_denoiser.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "limber/base/files.h"
#include "limber/base/threads.h"
#include "limber/nn/shipped_models.h"
#include "limber/prior/sketch_testing.h"
#include "limber/prior/sketch_weights.h"
#include "limber/testing/shared_data.h"

/// The network that ships says what the network that is trained says.
namespace limber::prior {
namespace {

using Texts = std::array<std::span<const float>, 2>;

double apart(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

/// Numbers for all that a network can be shown.
struct ShownVideo {
  std::vector<float> noisy, rest, known, is_known, shares, with, without;

  explicit ShownVideo(const SketchModel& model) {
    const auto pixels = static_cast<std::size_t>(3 * model.size * model.size),
               v = static_cast<std::size_t>(model.views);
    const auto f = static_cast<std::size_t>(model.frames), width = static_cast<std::size_t>(model.width);
    noisy = normal_noise(v * f * pixels, 1, 0, 0), rest = normal_noise(v * pixels, 2, 0, 0);
    known = normal_noise(v * f * pixels, 3, 0, 0);
    with = normal_noise(width, 4, 0, 0), without = normal_noise(width, 5, 0, 0);
    for (std::size_t i = 0; i < f; ++i) is_known.push_back(i % 3 == 0 ? 1.0f : 0.0f);
    for (std::size_t i = 0; i < known.size(); ++i) known[i] *= is_known[i / pixels % f];
    for (int t = 0; t < model.tubes(); ++t)
      shares.push_back(0.9f - 0.8f * static_cast<float>(t) / static_cast<float>(model.tubes()));
  }
  SketchInput input(bool with_rest, bool with_known) const {
    SketchInput all{noisy, shares, {}, {}, {}, {}};
    if (with_rest) all.rest = rest;
    if (with_known) all.known = known, all.is_known = is_known;
    return all;
  }
  Texts texts() const { return {with, without}; }
};

/// Both read the same folder.
void expect_agreement(const std::filesystem::path& folder, std::initializer_list<std::array<bool, 2>> cases) {
  const SketchModel model = read_sketch_model(folder).value();
  const auto own = SketchDenoiser::open(model, folder);
  ASSERT_TRUE(own.ok()) << own.error().message();
  nn::Weights weights = open_sketch_weights(folder, {}).value();
  const TorchSketchNetwork oracle(model, std::move(weights));
  for (const char* prompt : {"a fox goes left", "", "!",
                             "one two three four five six seven eight nine ten eleven twelve "
                             "thirteen fourteen fifteen sixteen seventeen eighteen"}) {
    EXPECT_LT(apart((*own)->read(prompt).value(), oracle.read(prompt).value()), 1e-4) << prompt;
  }
  const ShownVideo shown(model);
  for (const auto& [with_rest, with_known] : cases) {
    const auto a = (*own)->denoise(shown.input(with_rest, with_known), shown.texts()).value();
    const auto b = oracle.denoise(shown.input(with_rest, with_known), shown.texts()).value();
    ASSERT_EQ(a.size(), 2u);
    EXPECT_LT(apart(a[0], b[0]), 1e-4) << with_rest << with_known;
    EXPECT_LT(apart(a[1], b[1]), 1e-4) << with_rest << with_known;
    EXPECT_GT(apart(a[0], a[1]), 1e-3) << "texts make no difference";
  }
}

TEST(SketchDenoiserParity, TinyRandomNetworksAgree) {
  for (const int version : {1, 2}) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(save_sketch_prior(tiny(version), random_weights(tiny(version)).tensors(), folder.path()).ok());
    if (version == 1) {
      expect_agreement(folder.path(), {{true, false}, {false, false}});
    } else {
      expect_agreement(folder.path(), {{true, false}, {false, false}, {true, true}, {false, true}});
    }
  }
}

TEST(SketchDenoiserParity, TheNetworkThatShipsAgrees) {
  const auto folder = nn::find_shipped_model("sketch_prior", is_sketch_model);
  ASSERT_TRUE(folder.ok()) << folder.error().message();
  expect_agreement(*folder, {{true, true}});
}

TEST(SketchDenoiser, SaysTheSameForAnyNumberOfThreadsAloneAndInABatch) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(save_sketch_prior(tiny(), random_weights(tiny()).tensors(), folder.path()).ok());
  const auto own = SketchDenoiser::open(tiny(), folder.path()).value();
  const ShownVideo shown(tiny());
  set_thread_count(1);
  const auto one = own->denoise(shown.input(true, true), shown.texts()).value();
  set_thread_count(3);
  const auto three = own->denoise(shown.input(true, true), shown.texts()).value();
  const std::array<std::span<const float>, 1> text{shown.without};
  const auto alone = own->denoise(shown.input(true, true), text).value();
  set_thread_count(0);
  EXPECT_EQ(one, three);
  EXPECT_EQ(one[1], alone[0]);
}

// --- few steps ------------------------------------------------------------------------------------------------------

constexpr int kTinyRank = 3;

/// An adapter of the tiny network, and what its layers are with it.
struct Adapter {
  nn::TensorList base, merged, parts;

  Adapter() {
    at::manual_seed(11);
    base = random_weights(tiny()).tensors();
    for (const auto& [name, tensor] : base) {
      const bool adapted =
          name.ends_with(".weight") && tensor.dim() == 2 && !name.starts_with("text.") && name != "known_bits.weight";
      const std::string layer = name.substr(0, name.size() - 7);
      const Tensor down = adapted ? 0.2 * at::randn({kTinyRank, tensor.size(1)}) : Tensor();
      const Tensor up = adapted ? 0.2 * at::randn({tensor.size(0), kTinyRank}) : Tensor();
      merged.emplace_back(name, adapted ? tensor + at::matmul(up, down) : tensor);
      if (adapted) parts.emplace_back(layer + ".down", down), parts.emplace_back(layer + ".up", up);
    }
  }

  /// `leads`: what the targets of jumps lead to.
  SketchModel save(const std::filesystem::path& folder, const nn::TensorList& weights, double leads) const {
    const std::int64_t d = tiny().width;
    nn::TensorList all = parts;
    all.emplace_back("target_time.linear_1.weight", 0.1 * at::randn({d, 256}));
    all.emplace_back("target_time.linear_1.bias", at::zeros({d}));
    all.emplace_back("target_time.linear_2.weight", leads * at::randn({d, d}));
    all.emplace_back("target_time.linear_2.bias", at::zeros({d}));
    SketchModel model = tiny();
    model.few_steps = {4, kTinyRank};
    EXPECT_TRUE(nn::save_tensors(folder / kSketchWeightsFile, weights, {}, at::kFloat).ok());
    EXPECT_TRUE(nn::save_tensors(folder / kFewStepsFile, all, {}, at::kFloat).ok());
    return model;
  }
};

std::vector<float> jumped(const SketchDenoiser& network, float target) {
  const ShownVideo shown(tiny());
  SketchInput input = shown.input(true, true);
  const std::vector<float> targets(shown.shares.size(), target);
  input.targets = targets;
  const std::array<std::span<const float>, 1> text{shown.with};
  return network.denoise(input, text).value()[0];
}

TEST(SketchDenoiserJumps, AreMadeWithTheAdapterInTheLayers) {
  const Adapter adapter;
  const testing::TemporaryFolder apart_folder, merged_folder;
  const auto jumping =
      SketchDenoiser::open(adapter.save(apart_folder.path(), adapter.base, 0), apart_folder.path()).value();
  ASSERT_TRUE(jumping->jumps());
  adapter.save(merged_folder.path(), adapter.merged, 0);
  const auto merged = SketchDenoiser::open(tiny(), merged_folder.path()).value();
  EXPECT_FALSE(merged->jumps()) << "a description without few steps";
  const ShownVideo shown(tiny());
  const std::array<std::span<const float>, 1> text{shown.with};
  const auto expected = merged->denoise(shown.input(true, true), text).value()[0];
  EXPECT_LT(apart(jumped(*jumping, 0.2f), expected), 1e-4);
  // Small steps are as they were.
  EXPECT_GT(apart(jumping->denoise(shown.input(true, true), text).value()[0], expected), 1e-2);
}

TEST(SketchDenoiserJumps, HeedTheirTargets) {
  const Adapter adapter;
  const testing::TemporaryFolder folder;
  const auto jumping = SketchDenoiser::open(adapter.save(folder.path(), adapter.base, 0.2), folder.path()).value();
  EXPECT_GT(apart(jumped(*jumping, 0.5f), jumped(*jumping, 0)), 1e-3);
}

TEST(SketchDenoiserFiles, OfAnAdapterMustFitAndMayBeMissing) {
  const Adapter adapter;
  const testing::TemporaryFolder folder;
  SketchModel model = adapter.save(folder.path(), adapter.base, 0.2);
  model.few_steps.rank = kTinyRank + 1;
  EXPECT_FALSE(SketchDenoiser::open(model, folder.path()).ok());
  const Bytes whole = read_file(folder.path() / kFewStepsFile, 1u << 24).value();
  ASSERT_TRUE(write_file(folder.path() / kFewStepsFile, std::span(whole).first(whole.size() / 2)).ok());
  EXPECT_FALSE(SketchDenoiser::open(model, folder.path()).ok());
  std::filesystem::remove(folder.path() / kFewStepsFile);
  const auto without = SketchDenoiser::open(model, folder.path());
  ASSERT_TRUE(without.ok()) << without.error().message();
  EXPECT_FALSE((*without)->jumps());
}

TEST(SketchDenoiserFiles, NameATensorThatIsMissing) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(save_sketch_prior(tiny(1), random_weights(tiny(1)).tensors(), folder.path()).ok());
  const auto refused = SketchDenoiser::open(tiny(2), folder.path());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("known_in.weight"), std::string::npos) << refused.error().message();
}

}  // namespace
}  // namespace limber::prior
