// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/body_reader.h"

#include <gtest/gtest.h>

#include "limber/anatomy/reader_network.h"
#include "limber/anatomy/reader_trainer.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/testing/shared_data.h"

namespace limber::anatomy {
namespace {

ReaderModel small_model() {
  ReaderModel model;
  model.points = 120, model.tokens = 24, model.neighbours = 6, model.group_width = 5, model.width = 12;
  model.layers = 2, model.heads = 3;
  return model;
}

/// Two lumps whose parts are told apart by place alone.
ReaderExample lumps(std::uint64_t index) {
  Rng rng(index, 5);
  ReaderExample example;
  for (int i = 0; i < small_model().points; ++i) {
    const bool upper = i % 2 == 0;
    const Vec3d out = normalized(Vec3d{rng.normal(), rng.normal(), rng.normal()});
    const Vec3d centre{0, upper ? 2.0 : 0.0, 0};
    example.points.push_back((centre + (upper ? 0.4 : 1.0) * out).cast<float>());
    example.normals.push_back(out.cast<float>());
    example.regions.push_back(upper ? 2 : 0);
    example.starts.push_back(centre.cast<float>());
    example.limb.push_back(upper ? 1 : 0);
    example.along.push_back(upper ? static_cast<float>(0.5 * (1 + out.y)) : 0.0f);
  }
  example.limbs = {{rig::LimbKind::kTrunk, rig::Side::kMiddle, {}, {0, 1, 0}},
                   {rig::LimbKind::kHead, rig::Side::kMiddle, {0, 1.6f, 0}, {0, 2.4f, 0}}};
  example.kind = 3;
  return example;
}

std::vector<int> no_sides() {
  std::vector<int> same;
  for (int r = 0; r < kRegionCount; ++r) same.push_back(r);
  return same;
}

ReaderTraining small_training() {
  ReaderTraining training;
  training.model = small_model();
  training.mirrored = no_sides();
  nn::TrainingPlan& plan = training.plan;
  plan.device = "cpu";
  plan.batch = 16, plan.pool = plan.max_examples = plan.first_examples = 512, plan.validation_examples = 16;
  plan.warmup_steps = 5, plan.learning_rate = 5e-3, plan.average_decay = 0.9;
  plan.report_steps = 20, plan.validation_steps = 1000;
  return training;
}

const auto kLumps = [](std::uint64_t index) -> Result<ReaderExample> { return lumps(index); };

TokenBatch as_batch(const ReaderModel& model, const BodyTokens& tokens) {
  const auto vectors = [](const std::vector<Vec3>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return at::from_blob(const_cast<Vec3*>(values.data()), {1, count, 3}, at::kFloat).clone();
  };
  const auto indices = [](const std::vector<std::uint16_t>& values) {
    return at::tensor(std::vector<std::int64_t>(values.begin(), values.end()));
  };
  return {vectors(tokens.points), vectors(tokens.normals), indices(tokens.tokens).unsqueeze(0),
          indices(tokens.neighbours).view({1, model.tokens, model.neighbours})};
}

TEST(BodyReaderParity, ComputesWhatTheTrainedNetworkDoes) {
  const testing::TemporaryFolder folder;
  ReaderTraining training = small_training();
  training.plan.max_steps = 3;
  ASSERT_TRUE(train_reader(kLumps, folder.path(), training).ok());
  const BodyReader reader = BodyReader::open(folder.path()).value();

  nn::Weights weights = nn::Weights::open(folder.path() / kReaderWeightsFile, {}).value();
  const ReaderNetwork network(training.model, weights.root());
  ASSERT_TRUE(weights.finish().ok());
  const ReaderExample example = lumps(77);
  const BodyTokens tokens = make_tokens(training.model, example.points, example.normals);
  const ReadBatch read = network(as_batch(training.model, tokens));
  const BodyReader::Output said = reader.run(tokens);
  const auto expect_same = [](const at::Tensor& torch, const std::vector<float>& own) {
    const at::Tensor values = torch.detach().contiguous();
    ASSERT_EQ(static_cast<std::size_t>(values.numel()), own.size());
    for (std::size_t i = 0; i < own.size(); ++i) ASSERT_NEAR(values.data_ptr<float>()[i], own[i], 2e-5) << i;
  };
  expect_same(at::cat({read.regions, read.starts}, -1), said.parts);
  expect_same(at::cat({read.limbs, read.sides, read.along.unsqueeze(-1), read.roots, read.tips}, -1), said.limbs);
  expect_same(at::cat({read.kinds, read.up, read.forward}, -1), said.body);
  expect_same(read.counts, said.counts);
}

/// Layers are stored in bytes: what they say differs little from what the averaged weights say.
TEST(BodyReaderParity, LosesLittleInEightBits) {
  const testing::TemporaryFolder folder;
  ReaderTraining training = small_training();
  training.plan.max_steps = 60;
  ASSERT_TRUE(train_reader(kLumps, folder.path(), training).ok());
  EXPECT_LT(std::filesystem::file_size(folder.path() / kReaderWeightsFile),
            std::filesystem::file_size(folder.path() / "averaged.safetensors"));
  const auto read = [&](const char* file) {
    nn::Weights weights = nn::Weights::open(folder.path() / file, {}).value();
    const ReaderNetwork network(training.model, weights.root());
    EXPECT_TRUE(weights.finish().ok());
    const ReaderExample example = lumps(77);
    return network(as_batch(training.model, make_tokens(training.model, example.points, example.normals)));
  };
  const ReadBatch bytes = read(kReaderWeightsFile), halves = read("averaged.safetensors");
  EXPECT_FALSE(at::equal(bytes.regions, halves.regions));
  EXPECT_LT((bytes.regions - halves.regions).abs().max().item<double>(), 0.1);
  EXPECT_LT((bytes.tips - halves.tips).abs().max().item<double>(), 0.03);
}

TEST(ReaderTrainer, LearnsPartsLimbsKindAndUp) {
  const testing::TemporaryFolder folder;
  ReaderTraining training = small_training();
  training.plan.max_steps = 400;
  const auto report = train_reader(kLumps, folder.path(), training);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_GT(report->validation.regions, 0.9);
  EXPECT_EQ(report->validation.kinds, 1);
  EXPECT_GT(report->validation.up, 0.6);
  EXPECT_GT(report->validation.limbs, 0.9);
  EXPECT_LT(report->validation.roots, 0.5);
  EXPECT_LT(report->validation.tips, 0.6);
  EXPECT_EQ(report->validation.counts, 1);
  // What was fitted is what a reader is opened with.
  EXPECT_EQ(BodyReader::open(folder.path()).value().model().temperatures, report->temperatures);
}

TEST(BodyReader, SaysTheSameForAnyNumberOfThreads) {
  const testing::TemporaryFolder folder;
  ReaderTraining training = small_training();
  training.plan.max_steps = 2;
  ASSERT_TRUE(train_reader(kLumps, folder.path(), training).ok());
  const BodyReader reader = BodyReader::open(folder.path()).value();
  const ReaderExample example = lumps(5);
  const BodyTokens tokens = make_tokens(training.model, example.points, example.normals);
  set_thread_count(1);
  const BodyReader::Output one = reader.run(tokens);
  set_thread_count(3);
  const BodyReader::Output three = reader.run(tokens);
  set_thread_count(0);
  EXPECT_EQ(one.parts, three.parts);
  EXPECT_EQ(one.body, three.body);
}

}  // namespace
}  // namespace limber::anatomy
