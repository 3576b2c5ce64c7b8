// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/few_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/base/files.h"
#include "limber/prior/few_steps_trainer.h"
#include "limber/prior/sketch_testing.h"
#include "limber/prior/sketch_weights.h"
#include "limber/prior/trajectories.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

constexpr int kRank = 6;

SketchModel tiny_with_few_steps() {
  SketchModel model = tiny();
  model.few_steps = {4, kRank};
  return model;
}

nn::Weights fresh_adapter() {
  nn::Weights adapter = nn::Weights::random(8, {});
  describe_adapter(tiny(), kRank, adapter.root());
  return adapter;
}

/// One that changes something everywhere.
nn::Weights trained_adapter() {
  nn::Weights adapter = fresh_adapter();
  for (const auto& [name, tensor] : adapter.tensors()) {
    at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
    generator.set_current_seed(name.size());
    Tensor(tensor).normal_(0, 0.1, generator);
  }
  return adapter;
}

/// What a network sees in noisy videos of which frames are known; `target`: to where it jumps.
Tensor jump_of(const nn::TensorList& weights, Stride stride, double target) {
  const at::NoGradGuard no_gradients;
  nn::Weights held = nn::Weights::from_tensors(weights);
  const SketchTransformer network(tiny(), held.root(), stride);
  at::manual_seed(4);
  const Tensor video = at::randn({2, 2, 4, 3, 16, 16});
  const SketchCondition condition{at::randn({2, tiny().width}), at::randn({2, 2, 3, 16, 16}), at::ones({2}),
                                  at::randn_like(video), at::tensor({1, 1, 0, 1, 0, 0, 1, 0}).view({2, 4})};
  const Tensor sigma = at::full({2, 2}, 0.75);
  return network.denoised(video, sigma, condition, stride == Stride::kJump ? at::full({2, 2}, target) : Tensor());
}

TEST(FewSteps, AFreshAdapterChangesNoBit) {
  const nn::Weights base = random_weights(tiny()), adapter = fresh_adapter();
  const Tensor before = jump_of(base.tensors(), Stride::kSmall, 0);
  const Tensor after = jump_of(merged_weights(base.tensors(), adapter.tensors()), Stride::kJump, 0.25);
  EXPECT_TRUE(at::equal(before, after));
  EXPECT_GT(before.abs().max().item<double>(), 0.1);
}

TEST(FewSteps, AGrownAdapterComputesTheSame) {
  const nn::Weights base = random_weights(tiny()), adapter = trained_adapter();
  nn::Weights grown = nn::Weights::random(9, {});
  describe_adapter(tiny(), kRank + 3, grown.root());
  grow_adapter(adapter.tensors(), grown.tensors());
  const Tensor small = jump_of(merged_weights(base.tensors(), adapter.tensors()), Stride::kJump, 0.25);
  const Tensor large = jump_of(merged_weights(base.tensors(), grown.tensors()), Stride::kJump, 0.25);
  EXPECT_TRUE(at::allclose(small, large, 1e-5, 1e-5));
  const Tensor without = jump_of(base.tensors(), Stride::kSmall, 0);
  EXPECT_FALSE(at::allclose(small, without, 1e-2, 1e-2));
}

TEST(FewSteps, MergedLayersComputeBaseAndAdapter) {
  const nn::Weights base = random_weights(tiny()), adapter = trained_adapter();
  const nn::TensorList list = merged_weights(base.tensors(), adapter.tensors());
  const std::map<std::string, Tensor> merged(list.begin(), list.end());
  const std::map<std::string, Tensor> old(base.tensors().begin(), base.tensors().end());
  const std::map<std::string, Tensor> parts(adapter.tensors().begin(), adapter.tensors().end());
  std::size_t changed = 0;
  for (const auto& [name, tensor] : old) changed += at::equal(tensor, merged.at(name)) ? 0 : 1;
  const std::vector<AdaptedLayer> layers = adapted_layers(tiny());
  EXPECT_EQ(changed, layers.size());
  EXPECT_EQ(layers.size(), 2u * 4 + 7);  // of two blocks; three ways in, one out, three of time and modulation
  for (const AdaptedLayer& layer : layers) {
    const Tensor x = at::randn({5, layer.in});
    const Tensor apart = at::linear(x, old.at(layer.name + ".weight")) +
                         at::linear(at::linear(x, parts.at(layer.name + ".down")), parts.at(layer.name + ".up"));
    const Tensor joined = at::linear(x, merged.at(layer.name + ".weight"));
    EXPECT_LT((apart - joined).abs().max().item<double>(), 1e-5) << layer.name;
  }
}

TEST(FewSteps, AJumpHeedsItsTarget) {
  const nn::Weights base = random_weights(tiny()), adapter = trained_adapter();
  const nn::TensorList merged = merged_weights(base.tensors(), adapter.tensors());
  const Tensor near = jump_of(merged, Stride::kJump, 0.5), far = jump_of(merged, Stride::kJump, 0);
  EXPECT_GT((near - far).abs().max().item<double>(), 1e-4);
}

/// A folder with a prior and an adapter.
struct AdaptedFolder {
  AdaptedFolder() {
    EXPECT_TRUE(save_sketch_prior(tiny(), random_weights(tiny()).tensors(), folder.path()).ok());
    EXPECT_TRUE(save_adapter(tiny_with_few_steps(), trained_adapter().tensors(), folder.path()).ok());
  }
  testing::TemporaryFolder folder;
};

Condition left_of(VideoPrior& prior) {
  const Frames rest = random_frames(1, 5);
  return prior.condition({"left", ""}, &rest).value();
}

TEST(FewSteps, AreDrawnWhereAskedForAndLeaveAllElseAsItIs) {
  const AdaptedFolder adapted;
  const auto with = load_prior(adapted.folder.path()).value();
  EXPECT_EQ(with->info().few_steps, 4);
  ASSERT_TRUE(write_file(adapted.folder.path() / kSketchModelFile, sketch_model_to_json(tiny())).ok());
  const auto without = load_prior(adapted.folder.path()).value();
  EXPECT_EQ(without->info().few_steps, 0);

  SampleSettings usual, few;
  few.few_steps = true;
  int passes = 0;
  few.progress = [&](std::string_view, double) { return ++passes > 0; };
  const Frames base = with->sample(left_of(*with), usual).value();
  EXPECT_EQ(base.values, without->sample(left_of(*without), usual)->values);
  EXPECT_NE(base.values, with->sample(left_of(*with), few)->values);
  EXPECT_EQ(passes, 4);
  // Other jumps than those that it was taught are refused.
  few.steps = 5;
  EXPECT_FALSE(with->sample(left_of(*with), few).ok());
  few.steps.reset();
  // A prior that cannot draws as it always does.
  EXPECT_EQ(base.values, without->sample(left_of(*without), few)->values);
}

TEST(FewSteps, PassThroughKnownFramesExactly) {
  const AdaptedFolder adapted;
  const auto prior = load_prior(adapted.folder.path()).value();
  SampleSettings settings;
  settings.few_steps = true;
  const Frames free = prior->sample(left_of(*prior), settings).value();
  settings.known = KnownFrames{random_frames(4, 21), {1, 1, 0, 1}};
  const Frames drawn = prior->sample(left_of(*prior), settings).value();
  const std::size_t frame = 3 * 16 * 16;
  bool heeded = false;
  for (std::size_t i = 0; i < drawn.values.size(); ++i) {
    ASSERT_TRUE(std::isfinite(drawn.values[i]));
    if (i / frame % 4 == 2) {
      heeded = heeded || drawn.values[i] != free.values[i];
    } else {
      ASSERT_EQ(drawn.values[i], settings.known->frames.values[i]) << i;
    }
  }
  EXPECT_TRUE(heeded);
}

TEST(FewSteps, DoWithoutAFileThatIsNotThere) {
  const AdaptedFolder adapted;
  std::filesystem::remove(adapted.folder.path() / kFewStepsFile);
  const auto prior = load_prior(adapted.folder.path());
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  EXPECT_EQ((*prior)->info().few_steps, 0);
}

TEST(FewSteps, RefuseFilesThatDoNotFit) {
  const AdaptedFolder adapted;
  const std::filesystem::path file = adapted.folder.path() / kFewStepsFile;
  const Bytes whole = read_file(file, 1u << 20).value();
  const auto refused = [&](const auto& open, const std::string& why) {
    const auto prior = open(adapted.folder.path(), LoadSettings{});
    ASSERT_FALSE(prior.ok()) << why;
    EXPECT_NE(prior.error().message().find(why), std::string::npos) << prior.error().message();
  };
  ASSERT_TRUE(write_file(file, std::span(whole).first(whole.size() / 2)).ok());
  EXPECT_FALSE(load_prior(adapted.folder.path()).ok());
  // Another rank than the description says.
  ASSERT_TRUE(write_file(file, whole).ok());
  SketchModel model = tiny_with_few_steps();
  model.few_steps.rank = kRank + 1;
  ASSERT_TRUE(write_file(adapted.folder.path() / kSketchModelFile, sketch_model_to_json(model)).ok());
  refused(load_prior, "instead of");
  refused(open_torch_sketch_prior, "shape");

  nn::TensorList tensors = trained_adapter().tensors();
  tensors.emplace_back("text.word.up", at::zeros({2, 2}));
  ASSERT_TRUE(save_adapter(tiny_with_few_steps(), tensors, adapted.folder.path()).ok());
  refused(open_torch_sketch_prior, "unexpected tensor");
  tensors.pop_back();
  for (auto& [name, tensor] : tensors) {
    if (name == "target_time.linear_2.bias") tensor = at::full_like(tensor, std::numeric_limits<float>::quiet_NaN());
  }
  ASSERT_TRUE(save_adapter(tiny_with_few_steps(), tensors, adapted.folder.path()).ok());
  refused(load_prior, "not finite");
  refused(open_torch_sketch_prior, "not finite");
}

// --- trajectories ----------------------------------------------------------------------------------------------------

/// One video of which the first tube is known whole, and half of the second.
DrawingTask half_known_task(const SketchModel& model) {
  at::manual_seed(2);
  DrawingTask task;
  task.noise = at::randn({1, 2, 4, 3, 16, 16});
  task.condition = {at::randn({1, model.width}), at::randn({1, 2, 3, 16, 16}), at::ones({1}), at::rand_like(task.noise),
                    at::tensor({1.0f, 1.0f, 0.0f, 1.0f}).view({1, 4})};
  return task;
}

TEST(Trajectories, HoldKnownFramesAtTheirShareOfNoise) {
  SketchModel model = tiny();
  model.few_steps.shift = 3;
  nn::Weights weights = random_weights(model);
  const SketchTransformer network(model, weights.root());
  const DrawingTask task = half_known_task(model);
  const Tensor known = task.condition.known[0], without = at::zeros({1, model.width});
  for (int i = 0; i <= 4; ++i) {
    const double share = noise_share(1 - 0.25 * i, 3);
    const Tensor x = draw_guided(network, task, without, task.noise, {0, i, 4, 2.5}, model).end[0];
    const auto error = [&](std::int64_t frame, const Tensor& expected) {
      return (x.select(1, frame) - expected.select(1, frame)).abs().max().item<double>();
    };
    EXPECT_LT(error(0, known), 1e-6);
    EXPECT_LT(error(3, (1 - share) * known + share * task.noise[0]), 1e-5) << i;
    EXPECT_EQ(error(2, task.noise[0]) < 1e-5, i == 0) << i;
  }
}

TEST(Trajectories, GoOnFromWhereTheyWereLeft) {
  SketchModel model = tiny_with_few_steps();
  model.few_steps.shift = 3;
  nn::Weights weights = random_weights(model);
  const SketchTransformer network(model, weights.root());
  const DrawingTask task = half_known_task(model);
  const Tensor without = at::zeros({1, model.width});
  FewStepsSettings settings;
  settings.teacher_steps = 8;
  Tensor x = task.noise;
  for (int number = 0; number < 4; ++number) {
    const Jumps jumps = teach_jump(network, task, without, {number, x, task.condition}, model, settings);
    EXPECT_NEAR(jumps.from.item<double>(), noise_share(1 - 0.25 * number, 3), 1e-6);
    EXPECT_NEAR(jumps.to.item<double>(), noise_share(0.75 - 0.25 * number, 3), 1e-6);
    EXPECT_TRUE(at::equal(jumps.start, x));
    x = jumps.end;
  }
  const Guided whole = draw_guided(network, task, without, task.noise, {0, 8, 8, settings.guidance}, model);
  EXPECT_LT((whole.end - x).abs().max().item<double>(), 1e-5);
  EXPECT_LT((whole.seen - x).abs().max().item<double>(), 1e-5) << "at the end there is no noise left";
}

TEST(Trajectories, AreGuidedFromJumpToJumpAsAsked) {
  FewStepsSettings settings;
  settings.guidance = 7;
  EXPECT_EQ(steps_of_jump(3, settings).guidance, 7) << "the same, unless told otherwise";
  settings.last_guidance = 4;
  for (int jump = 0; jump < 4; ++jump) {
    const GuidedSteps steps = steps_of_jump(jump, settings);
    EXPECT_EQ(steps.first, 5 * jump);
    EXPECT_EQ(steps.last, 5 * jump + 5);
    EXPECT_EQ(steps.all, 20);
    EXPECT_DOUBLE_EQ(steps.guidance, 7 - jump);
  }
}

TEST(Trajectories, JumpAsSamplesDo) {
  SketchModel model = tiny_with_few_steps();
  model.few_steps.shift = 3;
  const nn::Weights base = random_weights(model), adapter = trained_adapter();
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(save_sketch_prior(model, base.tensors(), folder.path()).ok());
  ASSERT_TRUE(save_adapter(model, adapter.tensors(), folder.path()).ok());
  const auto prior = open_torch_sketch_prior(folder.path(), {}).value();
  const Frames rest = random_frames(1, 5);
  const Condition condition = prior->condition({"left", ""}, &rest).value();
  SampleSettings settings;
  settings.few_steps = true;
  settings.noise = normal_noise(2 * 4 * 3 * 16 * 16, 1, 0, 0);
  const Frames sample = prior->sample(condition, settings).value();

  const nn::Placement here{at::kCPU, at::kFloat};
  nn::Weights read = open_sketch_weights(folder.path(), here).value();
  SketchTransformer(model, read.root());
  const nn::Weights small = std::move(open_adapter(model, folder.path(), at::kCPU).value().value());
  nn::Weights merged = nn::Weights::from_tensors(merged_weights(read.tensors(), small.tensors()));
  const SketchTransformer network(model, merged.root(), Stride::kJump);
  DrawingTask task;
  task.noise = at::tensor(*settings.noise).view({1, 2, 4, 3, 16, 16});
  task.condition = {at::tensor(condition.text).unsqueeze(0),
                    at::tensor(rest.values).view({1, 2, 3, 16, 16}) * 2 - 1,
                    at::ones({1}),
                    {},
                    {}};
  const Tensor drawn = (draw_by_jumps(network, task, model, 4) * 0.5 + 0.5).clamp(0, 1).reshape({-1});
  EXPECT_LT((drawn - at::tensor(sample.values)).abs().max().item<double>(), 1e-4);
}

TEST(Trajectories, AreKeptWithWhatTheyBelongTo) {
  JumpPool pool(8);
  // Every number says which jump it is of.
  const auto numbered = [](std::int64_t first) {
    const Tensor which = (at::arange(6) + first).to(at::kFloat);
    const Tensor video = which.view({6, 1, 1, 1, 1, 1}).expand({6, 1, 1, 3, 1, 1});
    return Jumps{{which.unsqueeze(1), at::zeros({6, 1, 3, 1, 1}), at::ones({6}), {}, at::zeros({6, 1})},
                 video,
                 video + 100,
                 video + 200,
                 1 - which / 100,
                 0.5 - which / 100};
  };
  pool.add(numbered(0));
  pool.add(numbered(6));
  EXPECT_EQ(pool.drawn(), 12);
  at::manual_seed(5);
  const Jumps jumps = pool.draw(400);
  const auto flat = [](const Tensor& x) { return x.select(3, 0).reshape({-1}); };
  const Tensor which = jumps.condition.text.reshape({-1});
  EXPECT_EQ(which.min().item<double>(), 4) << "the oldest gave way";
  EXPECT_EQ(which.max().item<double>(), 11);
  EXPECT_TRUE(at::equal(flat(jumps.start), which));
  EXPECT_TRUE(at::equal(flat(jumps.end), which + 100));
  EXPECT_TRUE(at::equal(flat(jumps.clean), which + 200));
  EXPECT_TRUE(at::equal(flat(jumps.condition.known), which + 200));
  EXPECT_TRUE(at::allclose(jumps.from, 1 - which / 100));
  EXPECT_TRUE(at::allclose(jumps.to, 0.5 - which / 100));
}

TEST(Trajectories, LossIsZeroWhereTheNetworkLeadsToTheEnd) {
  const SketchModel model = tiny_with_few_steps();
  nn::Weights weights =
      nn::Weights::from_tensors(merged_weights(random_weights(model).tensors(), trained_adapter().tensors()));
  const SketchTransformer network(model, weights.root(), Stride::kJump);
  const at::NoGradGuard no_gradients;
  at::manual_seed(3);
  Jumps jumps;
  jumps.start = at::randn({3, 2, 4, 3, 16, 16}), jumps.clean = at::randn_like(jumps.start);
  jumps.from = at::tensor({1.0f, 0.75f, 0.5f}), jumps.to = at::tensor({0.75f, 0.0f, 0.25f});
  jumps.condition = {at::randn({3, model.width}), at::randn({3, 2, 3, 16, 16}), at::ones({3}), jumps.clean,
                     at::tensor({0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f}).view({3, 4})};
  const FewStepsSettings settings;
  const Tensor from = tube_shares(jumps.from, jumps.condition, model),
               to = tube_shares(jumps.to, jumps.condition, model);
  EXPECT_EQ(from[1][0].item<float>(), 0) << "tubes that are known have no noise";
  const Tensor aim = network.denoised(jumps.start, from, jumps.condition, to);
  const auto per_video = [](const Tensor& values) { return values.view({3, 1, 1, 1, 1, 1}); };
  jumps.end = aim + per_video(jumps.to / jumps.from) * (jumps.start - aim);
  EXPECT_LT(jump_loss(network, jumps, model, settings).item<double>(), 1e-5);
  // What is known does not count, everything else does.
  jumps.end.select(0, 1).narrow(1, 0, 2).add_(1);
  EXPECT_LT(jump_loss(network, jumps, model, settings).item<double>(), 1e-5);
  jumps.end.select(0, 1).narrow(1, 2, 1).add_(1);
  EXPECT_GT(jump_loss(network, jumps, model, settings).item<double>(), 1e-2);
}

// --- training --------------------------------------------------------------------------------------------------------

FewStepsSettings quick_training(const std::filesystem::path& from) {
  FewStepsSettings settings;
  settings.steps = 2, settings.rank = kRank, settings.teacher_steps = 8, settings.uses = 4, settings.kept = 64;
  nn::TrainingPlan& plan = settings.plan;
  plan.from = from;
  plan.batch = 16, plan.pool = plan.max_examples = plan.first_examples = 128, plan.validation_examples = 8;
  plan.max_steps = 120, plan.seconds = 600, plan.warmup_steps = 10, plan.learning_rate = 1e-2;
  plan.average_decay = 0.9, plan.report_steps = 20, plan.validation_steps = 60;
  return settings;
}

/// A prior that has learned a little of bars that move.
void teach_bars(const std::filesystem::path& folder) {
  TrainSettings settings;
  settings.model = tiny();
  nn::TrainingPlan& plan = settings.plan;
  plan.batch = 16, plan.pool = plan.max_examples = plan.first_examples = 128, plan.validation_examples = 2;
  plan.max_steps = 80, plan.seconds = 600, plan.warmup_steps = 10, plan.learning_rate = 3e-3;
  plan.average_decay = 0.9;
  ASSERT_TRUE(train_sketch_prior(bar_clip, folder, settings).ok());
}

TEST(FewStepsTrainer, ComesNearTheTeacherAndResumes) {
  const testing::TemporaryFolder folder;
  teach_bars(folder.path() / "prior");
  FewStepsSettings settings = quick_training(folder.path() / "prior");
  const Result<FewStepsReport> report = train_few_steps(bar_clip, folder.path() / "few", settings);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->steps, 120);
  EXPECT_EQ(report->jumps, 120 / 4 * 16);
  EXPECT_LT(report->error, 0.7 * report->before.error);
  EXPECT_LT(report->continued_error, 0.8 * report->before.continued_error);

  // A folder that can be used, with the same prior as before.
  const auto prior = load_prior(folder.path() / "few");
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  EXPECT_EQ((*prior)->info().few_steps, 2);
  EXPECT_EQ(read_file(folder.path() / "few" / kSketchWeightsFile, 1u << 24).value(),
            read_file(folder.path() / "prior" / kSketchWeightsFile, 1u << 24).value());

  // A run that goes on begins where this one ended; another takes the adapter that it finds.
  settings.plan.resume = true, settings.plan.max_steps = 1, settings.plan.learning_rate = 0;
  const FewStepsReport resumed = train_few_steps(bar_clip, folder.path() / "few", settings).value();
  EXPECT_NEAR(resumed.error, report->error, 0.1 * report->error) << "the average still moves";
  settings.plan.from = folder.path() / "few", settings.plan.resume = false;
  const FewStepsReport found = train_few_steps(bar_clip, folder.path() / "other", settings).value();
  EXPECT_NEAR(found.before.error, report->error, 0.1 * report->error) << "in bytes";
}

TEST(FewStepsTrainer, SaysWhatCannotBe) {
  FewStepsSettings settings;
  EXPECT_FALSE(train_few_steps(bar_clip, "nowhere", settings).ok()) << "no prior";
  settings.plan.from = "not-there";
  EXPECT_FALSE(train_few_steps(bar_clip, "nowhere", settings).ok()) << "a prior that is not there";
  settings.shift = 0.5;
  EXPECT_FALSE(train_few_steps(bar_clip, "nowhere", settings).ok()) << "more noise than there is";
  settings.shift = 3, settings.plan.batch = 2;
  EXPECT_FALSE(train_few_steps(bar_clip, "nowhere", settings).ok()) << "jumps that nobody would learn";
  settings.plan.batch = 192;
  settings.teacher_steps = 18;
  const auto odd = train_few_steps(bar_clip, "nowhere", settings);
  ASSERT_FALSE(odd.ok());
  EXPECT_NE(odd.error().message().find("multiple"), std::string::npos);
}

}  // namespace
}  // namespace limber::prior
