// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The built-in prior's network on a GPU against the CPU. Compiled twice: by nvcc, where it skips without a GPU, and by
// the C++ compiler with kernels emulated, which runs everywhere.
#include <gtest/gtest.h>

#include "limber/base/cuda_queue.cuh"
#include "limber/nn/shipped_models.h"
#include "limber/prior/sketch_denoiser.h"
#include "limber/prior/sketch_denoiser_cuda.h"
#include "limber/prior/sketch_files_testing.h"
#include "limber/prior/sketch_prior.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

using Videos = std::vector<Numbers>;

class SketchNetworkCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    CudaQueue queue;
    if (const Status status = queue.open(); !status.ok()) GTEST_SKIP() << status.error().message();
  }
};

// --- what it is shown -----------------------------------------------------------------------------------------------

struct Shown {
  Numbers noisy, rest, known, is_known, shares, targets, with, without;

  explicit Shown(const SketchModel& model, std::uint64_t seed = 1) {
    const auto pixels = std::size_t(3 * model.size * model.size), v = std::size_t(model.views);
    const auto f = std::size_t(model.frames), width = std::size_t(model.width);
    noisy = normal_noise(v * f * pixels, seed, 1, 0), rest = normal_noise(v * pixels, seed, 2, 0);
    known = normal_noise(v * f * pixels, seed, 3, 0);
    with = normal_noise(width, seed, 4, 0), without = normal_noise(width, seed, 5, 0);
    for (std::size_t i = 0; i < f; ++i) is_known.push_back(i % 3 == 0 ? 1.0f : 0.0f);
    for (std::size_t i = 0; i < known.size(); ++i) known[i] *= is_known[i / pixels % f];
    for (int t = 0; t < model.tubes(); ++t) shares.push_back(0.9f - 0.7f * float(t) / float(model.tubes()));
    for (const float share : shares) targets.push_back(share / 2);
  }
  SketchInput input(bool with_rest, bool with_known, bool jumping) const {
    SketchInput all{noisy, shares, {}, {}, {}, {}};
    if (with_rest) all.rest = rest;
    if (with_known) all.known = known, all.is_known = is_known;
    if (jumping) all.targets = targets;
    return all;
  }
  SketchQuery query(const SketchInput& input, std::size_t texts) const {
    SketchQuery query{input, {with, without}};
    query.texts.resize(texts);
    return query;
  }
};

/// Both read one folder.
struct Pair {
  SketchModel model;
  std::unique_ptr<SketchDenoiser> cpu;
  std::unique_ptr<CudaSketchNetwork> gpu;

  Pair(const SketchModel& its_model, const std::filesystem::path& folder) : model(its_model) {
    cpu = SketchDenoiser::open(model, folder).value(), gpu = CudaSketchNetwork::open(model, folder).value();
  }
  void expect_agreement(std::span<const SketchQuery> queries) const {
    const std::vector<Videos> found = gpu->denoise_all(queries).value(), expected = cpu->denoise_all(queries).value();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t q = 0; q < found.size(); ++q) {
      ASSERT_EQ(found[q].size(), expected[q].size());
      for (std::size_t t = 0; t < found[q].size(); ++t)
        EXPECT_LT(relative_error(found[q][t], expected[q][t]), 2e-5) << "video " << q << ", text " << t;
    }
    EXPECT_EQ(found, gpu->denoise_all(queries).value()) << "other bits";
  }
};

TEST_F(SketchNetworkCuda, SeesWhatTheCpuSees) {
  for (const int version : {1, 2}) {
    const testing::TemporaryFolder folder;
    write_weights(tiny(version), folder.path());
    const Pair pair(tiny(version), folder.path());
    ASSERT_TRUE(pair.gpu->jumps());
    EXPECT_EQ(pair.gpu->read("a fox trots").value(), pair.cpu->read("a fox trots").value());
    const Shown shown(tiny(version));
    for (int which = 0; which < 8; ++which) {
      if (version == 1 && (which & 2) != 0) continue;
      SCOPED_TRACE(::testing::Message() << "version " << version << ", case " << which);
      const SketchQuery query = shown.query(shown.input(which & 1, which & 2, which & 4), which % 3 == 0 ? 1 : 2);
      pair.expect_agreement(std::span(&query, 1));
    }
  }
}

TEST_F(SketchNetworkCuda, SeesManyVideosOfAllKindsAtOnce) {
  const testing::TemporaryFolder folder;
  write_weights(tiny(), folder.path());
  const Pair pair(tiny(), folder.path());
  std::vector<Shown> shown;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) shown.emplace_back(tiny(), seed);
  std::vector<SketchQuery> queries;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    queries.push_back(shown[i].query(shown[i].input(i != 3, i == 4, i == 4), i == 1 ? 1 : 2));
  }
  pair.expect_agreement(queries);
  EXPECT_TRUE(pair.gpu->denoise_all({}).value().empty());
  queries.resize(3), queries[0].texts.clear(), queries[2].texts.clear();
  pair.expect_agreement(queries);
  EXPECT_TRUE(pair.gpu->denoise_all(std::span(queries).first(1)).value()[0].empty());
}

TEST_F(SketchNetworkCuda, DrawsSeveralTogetherAsOneByOne) {
  const testing::TemporaryFolder folder;
  write_weights(tiny(), folder.path());
  Pair pair(tiny(), folder.path());
  SketchPrior cpu(tiny(), std::move(pair.cpu), "cpu"), gpu(tiny(), std::move(pair.gpu), "gpu");
  EXPECT_FALSE(cpu.draws_together());
  EXPECT_TRUE(gpu.draws_together());
  const Condition condition = cpu.condition({"a fox trots", ""}, nullptr).value();
  for (const bool few : {false, true}) {
    for (const bool known : {false, true}) {
      std::vector<SampleSettings> settings(3);
      for (std::size_t i = 0; i < settings.size(); ++i) {
        settings[i].seed = 40 + i, settings[i].few_steps = few;
        if (!few) settings[i].steps = 3;
        if (!known) continue;
        KnownFrames& given = settings[i].known.emplace();
        given.frames = Frames(2, 4, 16, 16), given.known = {1, 1, 0, 0};
        for (float& value : given.frames.values) value = 0.2f + 0.2f * static_cast<float>(i);
      }
      const std::vector<Frames> together = gpu.sample_all(condition, settings).value();
      ASSERT_EQ(together.size(), settings.size());
      for (std::size_t i = 0; i < settings.size(); ++i) {
        EXPECT_LT(relative_error(together[i].values, cpu.sample(condition, settings[i]).value().values), 1e-4) << i;
      }
      const std::vector<Frames> again = gpu.sample_all(condition, settings).value();
      for (std::size_t i = 0; i < settings.size(); ++i) EXPECT_EQ(again[i].values, together[i].values) << "other bits";
    }
  }
  EXPECT_TRUE(gpu.sample_all(condition, {}).value().empty());
}

TEST_F(SketchNetworkCuda, DrawsWhatTheCpuDraws) {
  const testing::TemporaryFolder folder;
  write_weights(tiny(), folder.path());
  Pair pair(tiny(), folder.path());
  SketchPrior cpu(tiny(), std::move(pair.cpu), "cpu"), gpu(tiny(), std::move(pair.gpu), "gpu");
  for (const bool few : {false, true}) {
    SampleSettings settings;
    settings.few_steps = few;
    if (!few) settings.steps = 3;
    const Frames a = cpu.sample(cpu.condition({"a fox trots", ""}, nullptr).value(), settings).value();
    const Frames b = gpu.sample(gpu.condition({"a fox trots", ""}, nullptr).value(), settings).value();
    EXPECT_LT(relative_error(b.values, a.values), 1e-4) << few;
  }
}

TEST_F(SketchNetworkCuda, RefusesWhatDoesNotFit) {
  const testing::TemporaryFolder folder;
  write_weights(tiny(), folder.path());
  SketchModel other = tiny();
  other.layers = 3;
  const auto missing = CudaSketchNetwork::open(other, folder.path());
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message().find("blocks.2.qkv.weight"), std::string::npos) << missing.error().message();
  other = tiny();
  other.width = 160;
  EXPECT_EQ(CudaSketchNetwork::open(other, folder.path()).error().kind, ErrorKind::kUnsupported) << "heads of 80";
}

TEST_F(SketchNetworkCuda, SaysWhenMemoryIsMissing) {
  const testing::TemporaryFolder folder;
  write_weights(tiny(), folder.path());
  EXPECT_EQ(CudaSketchNetwork::open(tiny(), folder.path(), 1000).error().kind, ErrorKind::kOutOfMemory);
  const auto all = CudaSketchNetwork::open(tiny(), folder.path()).value();
  const auto some = CudaSketchNetwork::open(tiny(), folder.path(), all->bytes() + 1000).value();
  const Shown shown(tiny());
  const SketchQuery query = shown.query(shown.input(true, true, false), 2);
  for (int i = 0; i < 2; ++i) {
    const auto refused = some->denoise(query.input, query.texts);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::kOutOfMemory);
    EXPECT_NE(refused.error().what.find("MB wanted"), std::string::npos) << refused.error().what;
  }
}

TEST_F(SketchNetworkCuda, IsWhatLoadPriorTakes) {
  const auto folder = nn::find_shipped_model("sketch_prior", is_sketch_model);
  ASSERT_TRUE(folder.ok()) << folder.error().message();
  LoadSettings settings;
  settings.device = "cuda";
  const auto prior = load_prior(*folder, settings);
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  const auto* part = dynamic_cast<const SketchPrior*>(prior->get());
  ASSERT_NE(part, nullptr);
  EXPECT_NE(dynamic_cast<const CudaSketchNetwork*>(&part->network()), nullptr);
}

#if defined(__CUDACC__)  // the emulation would take minutes
TEST_F(SketchNetworkCuda, SeesWhatTheCpuSeesWithTheWeightsThatShip) {
  const auto folder = nn::find_shipped_model("sketch_prior", is_sketch_model);
  ASSERT_TRUE(folder.ok()) << folder.error().message();
  const SketchModel model = read_sketch_model(*folder).value();
  const Pair pair(model, *folder);
  std::vector<Shown> shown;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) shown.emplace_back(model, seed);
  const SketchQuery all = shown[0].query(shown[0].input(true, true, false), 2),
                    jump = shown[0].query(shown[0].input(true, false, true), 1);
  pair.expect_agreement(std::span(&all, 1));
  pair.expect_agreement(std::span(&jump, 1));
  std::vector<SketchQuery> queries;
  for (const Shown& one : shown) queries.push_back(one.query(one.input(true, false, false), 2));
  pair.expect_agreement(queries);
}
#endif

}  // namespace
}  // namespace limber::prior
