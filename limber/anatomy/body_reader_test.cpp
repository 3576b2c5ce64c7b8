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
  }
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
  auto vectors = [](const std::vector<Vec3>& values) {
    return at::from_blob(const_cast<Vec3*>(values.data()), {1, static_cast<std::int64_t>(values.size()), 3},
                         at::kFloat);
  };
  auto indices = [](const std::vector<std::uint16_t>& values) {
    return at::tensor(std::vector<std::int64_t>(values.begin(), values.end()));
  };
  const ReadBatch read =
      network({vectors(tokens.points), vectors(tokens.normals), indices(tokens.tokens).unsqueeze(0),
               indices(tokens.neighbours).view({1, training.model.tokens, training.model.neighbours})});
  const BodyReader::Output said = reader.run(tokens);
  const at::Tensor parts = at::cat({read.regions, read.starts}, -1).detach().contiguous();
  const at::Tensor body = at::cat({read.kinds, read.up, read.forward}, -1).detach().contiguous();
  ASSERT_EQ(static_cast<std::size_t>(parts.numel()), said.parts.size());
  ASSERT_EQ(static_cast<std::size_t>(body.numel()), said.body.size());
  for (std::size_t i = 0; i < said.parts.size(); ++i) ASSERT_NEAR(parts.data_ptr<float>()[i], said.parts[i], 2e-5) << i;
  for (std::size_t i = 0; i < said.body.size(); ++i) ASSERT_NEAR(body.data_ptr<float>()[i], said.body[i], 2e-5) << i;
}

TEST(ReaderTrainer, LearnsPartsKindAndUp) {
  const testing::TemporaryFolder folder;
  ReaderTraining training = small_training();
  training.plan.max_steps = 400;
  const auto report = train_reader(kLumps, folder.path(), training);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_GT(report->validation.regions, 0.9);
  EXPECT_EQ(report->validation.kinds, 1);
  EXPECT_GT(report->validation.up, 0.6);
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
