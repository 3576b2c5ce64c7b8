// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_denoiser.h"

#include <gtest/gtest.h>

#include "limber/pose_space/pose_lesson.h"
#include "limber/pose_space/pose_testing.h"
#include "limber/pose_space/pose_trainer.h"
#include "limber/pose_space/pose_vae.h"
#include "limber/testing/shared_data.h"

namespace limber::pose_space {
namespace {

/// A body in four poses, the swing of its joints alike in all of them and different in size.
struct Subject {
  explicit Subject(zoo::Plan plan = zoo::Plan::kQuadruped)
      : creature(test_creature(plan)),
        skeleton(make_pose_skeleton(creature.subject.rig)),
        conditions(std::make_shared<const PoseConditions>(make_conditions(skeleton, surface_of(creature.subject)))) {}

  PoseExample example(std::uint64_t index) const {
    PoseExample made{conditions, {}};
    Rng rng(index, 4);
    for (int i = 0; i < kPosesEach; ++i) {
      const auto swing = static_cast<float>(rng.uniform(-0.5, 0.5));
      const std::vector<Vec3> angles(skeleton.carriers.size(), Vec3{swing, 0, 0});
      for (const Mat3d& turn : turns_of(skeleton, angles)) {
        for (int c = 0; c < 2; ++c) {
          for (int k = 0; k < 3; ++k) made.turns.push_back(static_cast<float>(turn(k, c)));
        }
      }
    }
    return made;
  }

  zoo::Creature creature;
  PoseSkeleton skeleton;
  std::shared_ptr<const PoseConditions> conditions;
};

PoseLesson lesson_of(const std::vector<PoseExample>& examples, Variety variety = Variety::kNone) {
  PoseExamples tensors = PoseExamples::empty(static_cast<std::int64_t>(examples.size()));
  for (std::size_t i = 0; i < examples.size(); ++i)
    EXPECT_TRUE(tensors.put(static_cast<std::int64_t>(i), examples[i]).ok());
  at::manual_seed(7);
  return make_pose_lesson(tensors, variety);
}

/// The one network is fed padded batches, the other a body as it is.
TEST(PoseDenoiserParity, ComputesWhatTheTrainedNetworkDoes) {
  const testing::TemporaryFolder folder;
  PoseModel model = small_model();
  model.fills = 1;
  ASSERT_TRUE(PoseFiles(model).write(folder.path()).ok());
  const PoseDenoiser denoiser = PoseDenoiser::open(folder.path()).value();
  nn::Weights weights = nn::Weights::open(folder.path() / kPoseWeightsFile, {}).value();
  const PoseNetwork network(model, weights.root());
  ASSERT_TRUE(weights.finish().ok());

  const Subject quadruped, snake(zoo::Plan::kSnake);
  PoseExample bare = snake.example(2);
  auto without = std::make_shared<PoseConditions>(*snake.conditions);
  without->surface.clear();
  bare.body = without;
  const std::vector<PoseExample> examples{quadruped.example(1), snake.example(2), bare};
  const PoseLesson lesson = lesson_of(examples);
  const Tensor states = lesson.states_of(lesson.turns).flatten(0, 1);
  const Tensor times = at::linspace(0, 1, states.size(0), at::kFloat);
  // Every third joint is known.
  const Tensor known = (at::arange(kMostJoints) % 3 == 0).expand({states.size(0), kMostJoints});
  const PoseSaid said = network(network.encode(lesson.bodies), states, times, known);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    PoseConditions conditions = *examples[i].body;
    // As the batch has them, in 16 bits.
    const Tensor features = lesson.bodies.features[static_cast<std::int64_t>(i)].contiguous();
    std::copy_n(features.data_ptr<float>(), conditions.features.size(), conditions.features.begin());
    for (SurfacePoint& point : conditions.surface) {
      point.share = static_cast<float>(at::Half(point.share));
      for (int k = 0; k < 3; ++k)
        point.place[k] = static_cast<float>(at::Half(point.place[k])),
        point.normal[k] = static_cast<float>(at::Half(point.normal[k]));
    }
    const PoseDenoiser::Body body = denoiser.encode(conditions);
    for (int pose = 0; pose < kPosesEach; ++pose) {
      const std::int64_t row = static_cast<std::int64_t>(i) * kPosesEach + pose;
      const Tensor given = states[row].contiguous(), velocity = said.velocities[row].contiguous();
      const PoseState state(given.data_ptr<float>(), given.data_ptr<float>() + conditions.joints * kStateSize);
      std::vector<bool> told;
      for (int j = 0; j < conditions.joints; ++j) told.push_back(j % 3 == 0);
      const PoseDenoiser::Said own = denoiser.run(body, state, times[row].item<double>(), told);
      EXPECT_NE(own.velocity, denoiser.run(body, state, times[row].item<double>()).velocity);
      for (std::size_t k = 0; k < own.velocity.size(); ++k)
        ASSERT_NEAR(own.velocity[k], velocity.data_ptr<float>()[k], 2e-4) << i << ' ' << pose << ' ' << k;
      for (int j = 0; j < conditions.joints; ++j)
        ASSERT_NEAR(own.plausible[static_cast<std::size_t>(j)], said.plausible[row][j].item<double>(), 2e-4);
      ASSERT_NEAR(own.whole, said.whole[row].item<double>(), 2e-4);
    }
  }
}

TEST(PoseLesson, HasStatesAsTheyAreEncoded) {
  const Subject subject;
  const PoseExample example = subject.example(5);
  const PoseLesson lesson = lesson_of({example});
  const std::vector<Mat3d> turns = [&] {
    std::vector<Mat3d> all;
    for (std::size_t j = 0; j < subject.skeleton.joints.size(); ++j) {
      const float* t = example.turns.data() + 6 * j;
      const Vec3d x{t[0], t[1], t[2]}, y{t[3], t[4], t[5]};
      all.push_back(Mat3d::from_columns(x, y, cross(x, y)));
    }
    return all;
  }();
  const PoseState state = state_of(subject.skeleton, turns);
  const Tensor states = lesson.states_of(lesson.turns)[0][0].contiguous();
  for (std::size_t i = 0; i < state.size(); ++i) ASSERT_NEAR(state[i], states.data_ptr<float>()[i], 0.02) << i;
  EXPECT_EQ(states.narrow(0, subject.skeleton.size(), kMostJoints - subject.skeleton.size()).abs().max().item<double>(),
            0);
}

TEST(PoseLesson, SpoilsWhatHangsOnTheCulpritsAndNothingElse) {
  const Subject subject;
  std::vector<PoseExample> examples;
  for (std::uint64_t i = 0; i < 32; ++i) examples.push_back(subject.example(i));
  const PoseLesson lesson = lesson_of(examples);
  int spoiled = 0;
  for (std::int64_t i = 0; i < 32; ++i) {
    const PoseLesson clean = lesson_of({examples[static_cast<std::size_t>(i)]});
    const Tensor as_drawn = rotations_in(clean.states_of(clean.turns))[0];
    // The first pose is left alone; culprits and only they carry joints that turned.
    const Tensor culprits = lesson.culprits[i].to(at::kFloat);
    const Tensor carried = lesson.below[i].mv(culprits) > 0.5;
    const bool bad = lesson.spoiled[i].item<bool>();
    spoiled += bad ? 1 : 0;
    EXPECT_EQ(culprits.sum().item<double>() > 0, bad);
    EXPECT_FALSE(lesson.culprits[i][0].item<bool>());
    EXPECT_LT((lesson.turns[i][0] - as_drawn[0]).abs().max().item<double>(), 1e-4);
    if (!bad) continue;
    PoseExamples drawn = PoseExamples::empty(1);
    ASSERT_TRUE(drawn.put(0, examples[static_cast<std::size_t>(i)]).ok());
    const Tensor columns = drawn.turns[0][kPosesEach - 1].to(at::kFloat);
    const Tensor now = lesson.turns[i][kPosesEach - 1].narrow(-1, 0, 2).transpose(-1, -2).flatten(-2);
    const Tensor moved = (now - columns).abs().amax(-1) > 0.01;
    const std::int64_t joints = subject.skeleton.size();
    EXPECT_TRUE(
        at::logical_and(moved.narrow(0, 0, joints), carried.narrow(0, 0, joints).logical_not()).sum().item<int>() == 0);
    EXPECT_GT(moved.narrow(0, 0, joints).sum().item<int>(), 0);
  }
  EXPECT_GT(spoiled, 6);
  EXPECT_LT(spoiled, 26);
}

/// Mirrored, stretched and turned bodies are bodies: one radius in size, their bones where their turns put them.
TEST(PoseLesson, VariesBodiesSoundly) {
  const Subject subject;
  const PoseLesson lesson = lesson_of({subject.example(1), subject.example(2), subject.example(3)}, Variety::kAll);
  EXPECT_NEAR(lesson.places.norm(2, -1).amax(1).min().item<double>(), 1, 1e-5);
  const Tensor still = at::eye(3, at::kFloat).expand({3, 1, kMostJoints, 3, 3});
  EXPECT_LT((lesson.states_of(still)).abs().max().item<double>(), 2e-2);
  const Tensor product = lesson.turns.matmul(lesson.turns.transpose(-1, -2)) - at::eye(3, at::kFloat);
  EXPECT_LT(product.abs().max().item<double>(), 1e-4);
  EXPECT_LT((at::linalg_det(lesson.turns) - 1).abs().max().item<double>(), 1e-4);
  EXPECT_NEAR(lesson.bodies.features.narrow(-1, kSideFeature, 3).sum().item<double>(), 3 * subject.skeleton.size(),
              1e-4);
}

/// What is hidden takes along what hangs on it.
TEST(PoseLesson, HidesWholeBranches) {
  const Subject subject;
  const PoseLesson lesson = lesson_of({subject.example(1), subject.example(2)});
  const Tensor hidden = draw_hidden(lesson, 12);
  EXPECT_EQ(hidden.sizes(), (std::vector<std::int64_t>{2, 12, kMostJoints}));
  const Tensor above = hidden.gather(2, lesson.parents.unsqueeze(1).expand({2, 12, kMostJoints}));
  const Tensor present = lesson.bodies.present.unsqueeze(1);
  EXPECT_EQ(above.logical_and(hidden.logical_not()).logical_and(present).sum().item<int>(), 0);
  EXPECT_GE(hidden.logical_and(present).sum(-1).min().item<int>(), 1);
  EXPECT_LT(hidden.logical_and(present).sum(-1).min().item<int>(), subject.skeleton.size());
}

TEST(PoseTrainer, RefusesExamplesWhoseSizesDoNotFit) {
  const Subject subject;
  PoseExamples tensors = PoseExamples::empty(1);
  EXPECT_FALSE(tensors.put(0, {}).ok());
  PoseExample short_one = subject.example(0);
  short_one.turns.pop_back();
  EXPECT_FALSE(tensors.put(0, short_one).ok());
}

PoseTraining short_training(int steps) {
  PoseTraining training;
  training.model = small_model();
  training.model.width = 24;
  nn::TrainingPlan& plan = training.plan;
  plan.device = "cpu";
  plan.batch = 8, plan.pool = plan.max_examples = plan.first_examples = 64, plan.validation_examples = 32;
  plan.warmup_steps = 5, plan.learning_rate = 1e-2, plan.average_decay = 0.9, plan.max_steps = steps;
  return training;
}

TEST(PoseTrainer, LearnsHowABodySwingsAndWhatItNeverDoes) {
  const Subject subject;
  const PoseTraining training = short_training(100);
  const testing::TemporaryFolder folder;
  const auto source = [&](std::uint64_t index) -> Result<PoseExample> { return subject.example(index); };
  const auto report = train_poses(source, folder.path(), training);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_LT(report->validation.denoised, 0.6 * report->validation.still);
  EXPECT_GT(report->validation.whole, 0.8);
  EXPECT_GT(report->validation.joints, 0.7);
  EXPECT_LT(report->validation.filled, 0.8 * report->validation.still);
  const auto denoiser = PoseDenoiser::open(folder.path());
  ASSERT_TRUE(denoiser.ok()) << denoiser.error().message();
  EXPECT_EQ(denoiser->model().fills, 1);
  EXPECT_LT(std::filesystem::file_size(folder.path() / kPoseWeightsFile),
            std::filesystem::file_size(folder.path() / "averaged.safetensors"));
}

TEST(PoseVae, IsTrainedReadBackAndLeavesWhatIsKnown) {
  const Subject subject;
  const testing::TemporaryFolder folder;
  const auto source = [&](std::uint64_t index) -> Result<PoseExample> { return subject.example(index); };
  const auto report = train_pose_vae(source, folder.path(), short_training(60));
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_LT(report->validation.denoised, 0.7 * report->validation.still);
  const auto vae = PoseVae::open(folder.path());
  ASSERT_TRUE(vae.ok()) << vae.error().message();
  const PoseVae::Body body = vae->look_at(*subject.conditions);
  const std::vector<Vec3> angles(subject.skeleton.carriers.size(), Vec3{0.3f, 0, 0});
  const PoseState pose = state_of(subject.skeleton, turns_of(subject.skeleton, angles));
  std::vector<bool> hidden(subject.skeleton.joints.size(), false);
  hidden.back() = true;
  const PoseState one = vae->complete(body, pose, hidden, 1);
  EXPECT_TRUE(std::equal(pose.begin(), pose.end() - kStateSize, one.begin()));
  EXPECT_NE(one, vae->complete(body, pose, hidden, 2));
  EXPECT_EQ(one, vae->complete(body, pose, hidden, 1));
  EXPECT_EQ(vae->draw(body, 3).size(), pose.size());
  EXPECT_NE(vae->draw(body, 3), vae->draw(body, 4));
  EXPECT_FALSE(PoseVae::open(folder.path() / kEncoderFolder).ok());
}

}  // namespace
}  // namespace limber::pose_space
