// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_denoiser.h"

#include <gtest/gtest.h>

#include "limber/parts/parts_lesson.h"
#include "limber/parts/parts_testing.h"
#include "limber/parts/parts_trainer.h"
#include "limber/testing/shared_data.h"

namespace limber::parts {
namespace {

std::vector<float> numbers_of(const Tensor& tensor) {
  const Tensor flat = tensor.to(at::kFloat).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

TEST(PartsDenoiserParity, ComputesWhatTheTrainedNetworkDoes) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(PartsFiles().write(folder.path()).ok());
  const PartsModel model = small_model();
  const PartsDenoiser denoiser = PartsDenoiser::open(folder.path()).value();
  nn::Weights weights = nn::Weights::open(folder.path() / kPartsWeightsFile, {}).value();
  const PartsNetwork network(model, weights.root());
  ASSERT_TRUE(weights.finish().ok()) << weights.finish().error().message();

  PartsExamples examples = PartsExamples::empty(model, kUseCount);
  for (int i = 0; i < kUseCount; ++i)
    ASSERT_TRUE(examples.put(i, cross_example(model, static_cast<std::uint64_t>(i))).ok());
  const Tensor uses = at::arange(kUseCount, at::kLong);
  const PartsLesson lesson = make_parts_lesson(model, examples, uses, false);
  at::manual_seed(2);
  const Tensor colors = at::randn(lesson.colors.sizes()), parts = at::randn(lesson.parts.sizes());
  const Tensor times = at::linspace(0.1, 1, kUseCount, at::kFloat);
  const PartsSaid said = network(lesson.known, at::where(lesson.given, lesson.known.colors, colors), parts, times);
  for (int i = 0; i < kUseCount; ++i) {
    KnownPictures known = known_pictures(model, cross_example(model, static_cast<std::uint64_t>(i)).pictures);
    for (int k = 0; k < model.pictures(); ++k) {
      const auto picture = static_cast<std::size_t>(k);
      known.has_surface[picture] = i == kMesh;
      known.has_colors[picture] =
          i == kMesh || i == kPlain || (i == kVideo && k < model.frames) || (i == kPicture && k == 0);
    }
    const DrawnPictures own =
        denoiser.run(denoiser.encode(known), {numbers_of(colors[i]), numbers_of(parts[i])}, times[i].item<double>());
    const std::vector<float> their_colors = numbers_of(said.colors[i]), their_parts = numbers_of(said.parts[i]);
    for (std::size_t k = 0; k < model.numbers(); ++k) {
      ASSERT_NEAR(own.colors[k], their_colors[k], 2e-4) << i << ' ' << k;
      ASSERT_NEAR(own.parts[k], their_parts[k], 2e-4) << i << ' ' << k;
    }
  }
}

PartsTraining quick_training() {
  PartsTraining training;
  training.model = small_model();
  training.model.width = 24;
  nn::TrainingPlan& plan = training.plan;
  plan.device = "cpu";
  plan.batch = 8, plan.pool = plan.max_examples = plan.first_examples = 48, plan.validation_examples = 16;
  plan.warmup_steps = 5, plan.learning_rate = 4e-3, plan.average_decay = 0.95, plan.max_steps = 200;
  return training;
}

Result<PartsExample> source(std::uint64_t index) { return cross_example(small_model(), index); }

TEST(PartsTrainer, LearnsWhichBarIsWhichAndShipsInEightBits) {
  const testing::TemporaryFolder folder;
  const auto report = train_parts(source, folder.path(), quick_training());
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_GT(report->validation.mesh, 0.8);
  EXPECT_TRUE(PartsDenoiser::open(folder.path()).ok());
  EXPECT_LT(std::filesystem::file_size(folder.path() / kPartsWeightsFile),
            std::filesystem::file_size(folder.path() / "averaged.safetensors"));
}

TEST(PartsTrainer, StartsThePartBranchAsACopyOfTheOther) {
  const testing::TemporaryFolder folder;
  PartsTraining training = quick_training();
  training.plan.max_steps = 2, training.stage = PartsStage::kRgb;
  ASSERT_TRUE(train_parts(source, folder.path() / "rgb", training).ok());
  EXPECT_FALSE(PartsDenoiser::open(folder.path() / "rgb").ok());  // which knows no parts yet
  training.stage = PartsStage::kBoth, training.plan.from = folder.path() / "rgb";
  training.plan.learning_rate = 1e-9;
  const auto report = train_parts(source, folder.path() / "both", training);
  ASSERT_TRUE(report.ok()) << report.error().message();
  const nn::TensorArchive both = nn::TensorArchive::open(folder.path() / "both" / "averaged.safetensors").value();
  for (const char* name : {"in.", "blocks.1.", "modulation."}) {
    const std::string tail = std::string(name) == "blocks.1." ? ".qkv.weight" : ".weight";
    const Tensor parts = nn::read_tensor(both, name + std::string("parts") + tail).value();
    const Tensor colors = nn::read_tensor(both, name + std::string("rgb") + tail).value();
    EXPECT_LT((parts.to(at::kFloat) - colors.to(at::kFloat)).abs().max().item<double>(), 1e-3) << name;
  }
}

TEST(PartsTrainer, RefusesExamplesWhoseSizesDoNotFit) {
  PartsExamples tensors = PartsExamples::empty(small_model(), 1);
  EXPECT_FALSE(tensors.put(0, {}).ok());
  PartsExample example = cross_example(small_model(), 0);
  EXPECT_TRUE(tensors.put(0, example).ok());
  example.colors.pop_back();  // a part without a colour
  EXPECT_FALSE(tensors.put(0, example).ok());
  PartsTraining training = quick_training();
  training.rgb_seconds = training.plan.seconds;
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(train_parts(source, folder.path(), training).ok());
}

}  // namespace
}  // namespace limber::parts
