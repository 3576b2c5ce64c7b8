// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_denoiser.h"

#include <gtest/gtest.h>

#include <memory>

#include "limber/base/files.h"
#include "limber/base/rng.h"
#include "limber/motion_space/motion_judge.h"
#include "limber/motion_space/motion_lesson.h"
#include "limber/motion_space/motion_space.h"
#include "limber/motion_space/motion_teacher.h"
#include "limber/motion_space/motion_trainer.h"
#include "limber/motion_space/noise_times.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::motion_space {
namespace {

MotionModel small_model() {
  MotionModel model;
  model.width = 32, model.layers = 2, model.heads = 4, model.actions = {"walk", "idle", "slither"};
  return model;
}

struct Walker {
  explicit Walker(zoo::Plan plan, zoo::Action what = zoo::Action::kWalk) {
    zoo::CreatureSettings settings;
    settings.plan = plan, settings.seed = 5, settings.resolution = 24;
    const zoo::Creature creature = zoo::make_creature(settings).value();
    zoo::ActionSettings action;
    action.action = what, action.fps = kFps, action.frames = kFrames;
    motion = zoo::perform(creature, action).value().motion;
    subject = creature.subject;
    body = std::make_unique<MotionBody>(make_motion_body(*subject));
    state = encode_motion(body->skeleton, motion);
  }

  MotionExample example() const {
    MotionExample made;
    made.body = std::make_shared<const MotionConditions>(body->conditions);
    for (int f = 0; f < kFrames; ++f) {
      for (const Mat3d& turn : pose_space::turns_of(body->skeleton, motion.frame_angles(f))) {
        for (int c = 0; c < 2; ++c) {
          for (int k = 0; k < 3; ++k) made.turns.push_back(static_cast<float>(turn(k, c)));
        }
      }
    }
    made.way.assign(state.body.begin(), state.body.end());
    made.contacts.assign(static_cast<std::size_t>(kFrames * body->conditions.joints), 0);
    made.facts.action = 0;
    return made;
  }

  std::optional<rig::Subject> subject;
  kinematics::Motion motion;
  std::unique_ptr<MotionBody> body;
  MotionState state;
};

/// Weights of a small network, all of them at random so that none is zero.
Status write_network(const MotionModel& model, const std::filesystem::path& folder) {
  nn::Weights weights = nn::Weights::random(3, {});
  const MotionNetwork network(model, weights.root());
  nn::TensorList tensors = weights.tensors();
  at::manual_seed(4);
  for (auto& [name, tensor] : tensors) tensor = tensor + 0.05 * at::randn_like(tensor);
  LIMBER_CHECK_OK(nn::save_tensors(folder / kMotionWeightsFile, tensors));
  return write_file(folder / kMotionModelFile, motion_model_to_json(model));
}

std::vector<MotionLesson> lessons_of(const std::vector<MotionExample>& examples, Variety variety = Variety::kNone,
                                     int parts = 1) {
  MotionExamples tensors = MotionExamples::empty(static_cast<std::int64_t>(examples.size()));
  for (std::size_t i = 0; i < examples.size(); ++i)
    EXPECT_TRUE(tensors.put(static_cast<std::int64_t>(i), examples[i]).ok());
  at::manual_seed(7);
  return make_motion_lessons(tensors, variety, parts, 3);
}

std::vector<float> floats_of(const Tensor& t) {
  const Tensor flat = t.contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

/// As the batch has them, in 16 bits.
MotionConditions in_16_bits(MotionConditions conditions) {
  for (float& v : conditions.features) v = static_cast<float>(at::Half(v));
  for (Vec3& v : conditions.flesh) {
    for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(at::Half(v[k]));
  }
  return conditions;
}

/// The one network is fed padded batches, the other a body as it is.
TEST(MotionDenoiserParity, ComputesWhatTheTrainedNetworkDoes) {
  const testing::TemporaryFolder folder;
  const MotionModel model = small_model();
  ASSERT_TRUE(write_network(model, folder.path()).ok());
  const MotionDenoiser denoiser = MotionDenoiser::open(folder.path()).value();
  nn::Weights weights = nn::Weights::open(folder.path() / kMotionWeightsFile, {}).value();
  const MotionNetwork network(model, weights.root());
  ASSERT_TRUE(weights.finish().ok());

  const Walker dog(zoo::Plan::kQuadruped), snake(zoo::Plan::kSnake, zoo::Action::kSlither);
  const std::vector<const Walker*> walkers{&snake, &dog};  // as the lesson sorts them: the smaller one first
  ASSERT_LT(snake.body->conditions.joints, dog.body->conditions.joints);
  const MotionLesson lesson = lessons_of({snake.example(), dog.example()})[0];
  const std::int64_t slots = lesson.tokens.size(2);
  const Tensor noisy = at::randn(lesson.tokens.sizes()) * lesson.bodies.present.view({2, 1, slots, 1});
  const Tensor times = at::tensor({0.9, 0.4}, at::kFloat);
  const Tensor frame = at::arange(kFrames).view({1, kFrames, 1}), slot = at::arange(slots).view({1, 1, slots});
  const Tensor known = ((frame + slot) % 3 == 0).expand({2, kFrames, slots});
  Wishes wishes;
  wishes.actions = at::tensor({1, 3}, at::kLong),
  wishes.facts = at::tensor({0, 4, 8, 13, 1, 6, 9, 15}, at::kLong).view({2, 4});
  wishes.known = known_numbers(lesson, known);
  const Tensor said = network(lesson.bodies, wishes, noisy, times);
  for (std::int64_t i = 0; i < 2; ++i) {
    const MotionConditions& whole = walkers[static_cast<std::size_t>(i)]->body->conditions;
    const std::int64_t own = 1 + whole.joints;
    const MotionConditions conditions = in_16_bits(whole);
    MotionFacts facts;
    facts.action = i == 0 ? 1 : -1;
    const int choices[2][kFactCount] = {{0, 1, 1, 2}, {1, 3, 2, 4}};
    std::copy_n(choices[i], kFactCount, facts.facts);
    const std::vector<float> given = floats_of(noisy[i].narrow(1, 0, own));
    const std::vector<float> told = floats_of(wishes.known[i].narrow(1, 0, own));
    const MotionDenoiser::Body body = denoiser.encode(conditions);
    const Tokens answer = denoiser.run(body, facts, told, given, times[i].item<double>());
    const std::vector<float> expected = floats_of(said[i].narrow(1, 0, own));
    ASSERT_EQ(answer.size(), expected.size());
    for (std::size_t k = 0; k < answer.size(); ++k) ASSERT_NEAR(answer[k], expected[k], 3e-4) << i << ' ' << k;
    EXPECT_NE(answer, denoiser.run(body, facts, {}, given, times[i].item<double>()));
  }
}

/// A judge in a padded batch, and the one of the program.
TEST(MotionDenoiserParity, JudgesAsTheTrainedNetworkDoes) {
  const testing::TemporaryFolder folder;
  MotionModel model = small_model();
  model.judges = 1;
  ASSERT_TRUE(write_network(model, folder.path()).ok());
  const MotionDenoiser judge = MotionDenoiser::open(folder.path()).value();
  nn::Weights weights = nn::Weights::open(folder.path() / kMotionWeightsFile, {}).value();
  const MotionNetwork network(model, weights.root());
  ASSERT_TRUE(weights.finish().ok());

  const Walker dog(zoo::Plan::kQuadruped), snake(zoo::Plan::kSnake, zoo::Action::kSlither);
  const MotionLesson lesson = lessons_of({snake.example(), dog.example()})[0];
  Wishes nothing;
  nothing.actions = at::full({2}, 3, at::kLong);
  nothing.facts = at::tensor({2, 6, 10, 15, 2, 6, 10, 15}, at::kLong).view({2, 4});
  nothing.known = at::zeros({2, kTokens, lesson.tokens.size(2), kKnownNumbers});
  const Tensor spoken = network.judge(lesson.bodies, nothing, lesson.tokens, at::zeros({2})).softmax(1);
  MotionConditions conditions = snake.body->conditions;
  for (float& v : conditions.features) v = static_cast<float>(at::Half(v));
  for (Vec3& v : conditions.flesh) {
    for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(at::Half(v[k]));
  }
  const std::int64_t own = 1 + conditions.joints;
  const std::vector<float> clip = floats_of(lesson.tokens[0].narrow(1, 0, own));
  const std::vector<float> likely = judge.judge(judge.encode(conditions), clip);
  ASSERT_EQ(likely.size(), 3u);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(likely[static_cast<std::size_t>(k)], spoken[0][k].item<float>(), 1e-5);
  EXPECT_NEAR(likely[0] + likely[1] + likely[2], 1, 1e-5);
}

TEST(MotionJudge, IsNoNetworkThatDraws) {
  const testing::TemporaryFolder drawing, judging;
  ASSERT_TRUE(write_network(small_model(), drawing.path()).ok());
  EXPECT_FALSE(MotionJudge::open(drawing.path()).ok());
  MotionModel model = small_model();
  model.judges = 1;
  ASSERT_TRUE(write_network(model, judging.path()).ok());
  const Walker dog(zoo::Plan::kQuadruped);
  const MotionJudge judge = MotionJudge::open(judging.path()).value();
  const std::vector<float> likely = judge.look(*dog.body, dog.motion);
  EXPECT_EQ(likely, judge.look(*dog.body, dog.motion));
  EXPECT_NE(likely, judge.look(*dog.body, kinematics::rest_motion(dog.subject->rig, 60, 30)));
}

TEST(MotionLesson, HasTokensAsTheyAreSplit) {
  const Walker dog(zoo::Plan::kQuadruped);
  const MotionLesson lesson = lessons_of({dog.example()})[0];
  const std::int64_t own = 1 + dog.body->conditions.joints;
  const std::vector<float> tokens = floats_of(lesson.tokens[0].narrow(1, 0, own));
  const Tokens expected = split_state(dog.state);
  const std::vector<float> counted = floats_of(lesson.counted[0].narrow(1, 0, own));
  for (std::size_t i = 0; i < tokens.size(); ++i) ASSERT_NEAR(tokens[i], counted[i] * expected[i], 0.02) << i;
  // And joined again.
  const FrameStates states = join(lesson.tokens);
  const Tensor body = states.body[0].contiguous();
  for (std::size_t i = 0; i < dog.state.body.size(); ++i)
    ASSERT_NEAR(body.data_ptr<float>()[i], dog.state.body[i], 1e-3) << i;
}

TEST(MotionLesson, TellsKnownFramesAsTheProgramDoes) {
  const Walker dog(zoo::Plan::kQuadruped);
  const MotionLesson lesson = lessons_of({dog.example()})[0];
  const int joints = dog.body->conditions.joints, slots = static_cast<int>(lesson.tokens.size(2));
  const Tensor known = at::zeros({1, kFrames, slots}, at::kBool);
  KnownFrames frames{dog.state, std::vector<bool>(static_cast<std::size_t>(kFrames * (1 + joints)), false)};
  for (const auto& [f, n] : {std::pair(0, 0), std::pair(5, 1), std::pair(59, 3)}) {
    known[0][f][n] = true;
    frames.slots[static_cast<std::size_t>(f * (1 + joints) + n)] = true;
  }
  const std::vector<float> taught = floats_of(known_numbers(lesson, known)[0].narrow(1, 0, 1 + joints));
  std::vector<float> told = known_numbers(frames);
  ASSERT_EQ(taught.size(), told.size());
  const std::vector<float> counted = floats_of(lesson.counted[0].narrow(1, 0, 1 + joints));
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::size_t number = i % kKnownNumbers;
    // Contacts of bodies without feet are not told, and the program's motions have none.
    if (number < kTokenNumbers && number % kJointNumbers == kJointNumbers - 1) continue;
    ASSERT_NEAR(taught[i], told[i], 0.02) << i;
  }
}

/// What bodies that were changed do stays the same: their feet are where their turns put them, and ways are turned and
/// mirrored with them.
TEST(MotionLesson, ChangesBodiesAndWaysAlike) {
  const Walker dog(zoo::Plan::kQuadruped);
  const std::vector<MotionExample> examples(12, dog.example());
  const MotionLesson lesson = lessons_of(examples, Variety::kAll)[0];
  EXPECT_LT(lesson.places.norm(2, -1).amax(1).sub(1).abs().max().item<double>(), 1e-3);
  const Tensor ahead = lesson.way.select(1, kFrames - 1).select(1, 2);
  EXPECT_GT(ahead.min().item<double>(), 0);
  EXPECT_GT((ahead.max() - ahead.min()).item<double>(), 1e-3) << "all alike";
  const Tensor rest = lesson.places_of(at::eye(3).expand({12, 1, lesson.turns.size(2), 3, 3}));
  EXPECT_LT((rest.squeeze(1) - lesson.places).abs().max().item<double>(), 1e-4) << "bones do not lead to places";
  for (const Tensor& t : {lesson.tokens, lesson.bodies.features}) EXPECT_TRUE(t.isfinite().all().item<bool>());
}

TEST(MotionLesson, SortsBodiesBySize) {
  const Walker dog(zoo::Plan::kQuadruped), snake(zoo::Plan::kSnake, zoo::Action::kSlither);
  const std::vector<MotionLesson> lessons = lessons_of({dog.example(), snake.example()}, Variety::kNone, 2);
  ASSERT_EQ(lessons.size(), 2u);
  EXPECT_LE(lessons[0].tokens.size(2), lessons[1].tokens.size(2));
  EXPECT_EQ(lessons[1].tokens.size(2) % 8, 0);
}

/// What the program's network sees, guided, number by number.
struct ByHand {
  const MotionDenoiser& denoiser;
  MotionDenoiser::Body body;
  double guidance;

  std::vector<double> see(const std::vector<float>& noisy, double time, const std::vector<float>& counted) const {
    MotionFacts asked, any;
    asked.action = 1;
    const Tokens a = denoiser.run(body, asked, {}, noisy, time), b = denoiser.run(body, any, {}, noisy, time);
    std::vector<double> said(a.size());
    const std::size_t row = a.size() / kTokens;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const bool mean_pose = k >= std::size_t{kTokenNumbers} && k < row;
      said[k] = counted[k] * (mean_pose ? double{a[k]} : b[k] + guidance * (a[k] - b[k]));
    }
    return said;
  }

  static std::vector<float> step(const std::vector<float>& noisy, const std::vector<double>& said, double from,
                                 double to) {
    std::vector<float> next(noisy.size());
    for (std::size_t k = 0; k < noisy.size(); ++k) {
      const double noise = (noisy[k] - std::cos(from * kPi / 2) * said[k]) / std::sin(from * kPi / 2);
      next[k] = static_cast<float>(std::cos(to * kPi / 2) * said[k] + std::sin(to * kPi / 2) * noise);
    }
    return next;
  }
};

/// Two guided steps of the teacher as the program takes them; and one step of a pupil that says what it is taught leads
/// to the same place.
TEST(MotionTeacher, LeadsWhereTwoGuidedStepsLead) {
  const testing::TemporaryFolder folder;
  const MotionModel model = small_model();
  ASSERT_TRUE(write_network(model, folder.path()).ok());
  const MotionDenoiser denoiser = MotionDenoiser::open(folder.path()).value();
  nn::Weights weights = nn::Weights::open(folder.path() / kMotionWeightsFile, {}).value();
  const MotionPupil pupil{10, 3};
  const MotionTeacher teacher(model, weights, pupil);
  ASSERT_TRUE(weights.finish().ok());

  const Walker dog(zoo::Plan::kQuadruped);
  const MotionLesson lesson = lessons_of({dog.example(), dog.example(), dog.example()})[0];
  // Both steps; a second one that ends at the clip; none but the first.
  const Tensor steps = at::tensor({0.9, 0.15, 0.06}, at::kFloat);
  const NoisyClip clip = add_noise(lesson, times_of(steps));
  Wishes wishes;
  wishes.actions = at::tensor({1, 1, 1}, at::kLong);
  wishes.facts = at::tensor({2, 6, 10, 15}, at::kLong).view({1, 4}).expand({3, 4});
  wishes.known = at::zeros({3, kTokens, lesson.tokens.size(2), kKnownNumbers});
  const Tensor taught = teacher.two_steps(lesson, wishes, clip, steps);

  const ByHand by_hand{denoiser, denoiser.encode(in_16_bits(dog.body->conditions)), pupil.guidance};
  const auto own = [&](const Tensor& t) { return floats_of(t.narrow(1, 0, 1 + dog.body->conditions.joints)); };
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::vector<float> counted = own(lesson.counted[i]), noisy = own(clip.noisy[i]), says = own(taught[i]);
    const double u = steps[i].item<double>(), from = clip.times[i].item<double>();
    const double half = time_of_step(std::max(u - 0.1, 0.0)), end = time_of_step(std::max(u - 0.2, 0.0));
    std::vector<float> there = ByHand::step(noisy, by_hand.see(noisy, from, counted), from, half);
    if (half > 0) there = ByHand::step(there, by_hand.see(there, half, counted), half, end);
    const std::vector<float> pupils = ByHand::step(noisy, {says.begin(), says.end()}, from, end);
    double moved = 0;
    for (std::size_t k = 0; k < there.size(); ++k) {
      // What means nothing stays noise.
      if (counted[k] == 0) continue;
      ASSERT_NEAR(pupils[k], there[k], 2e-3) << i << ", " << k;
      moved = std::max(moved, std::abs(double{there[k]} - noisy[k]));
    }
    EXPECT_GT(moved, 0.05) << "a step that leads nowhere";
  }
}

/// A network that has seen two motions again and again knows them.
TEST(MotionTrainer, LearnsToTellTwoMotions) {
  const testing::TemporaryFolder folder;
  const Walker dog(zoo::Plan::kQuadruped);
  MotionExample walk = dog.example(), idle = walk;
  idle.facts.action = 1;
  for (std::size_t f = 1; f < std::size_t{kFrames}; ++f) {
    const std::size_t row = idle.turns.size() / kFrames;
    std::copy_n(idle.turns.begin(), row, idle.turns.begin() + static_cast<std::ptrdiff_t>(f * row));
    for (int k = 0; k < kBodyNumbers; ++k)
      idle.way[f * kBodyNumbers + static_cast<std::size_t>(k)] = idle.way[static_cast<std::size_t>(k)];
  }
  MotionTraining training;
  training.model = small_model();
  training.plan.device = "cpu", training.plan.max_steps = 60, training.plan.seconds = 60, training.plan.batch = 8;
  training.plan.pool = 16, training.plan.max_examples = 16, training.plan.first_examples = 16;
  training.plan.validation_examples = 8, training.plan.validation_steps = 1000, training.plan.warmup_steps = 5;
  training.plan.learning_rate = 3e-3, training.plan.average_decay = 0.9;
  std::vector<double> losses;
  training.plan.report_steps = 10;
  training.on_report = [&](const MotionStep& step) { return losses.push_back(step.loss), true; };
  const Result<MotionReport> report =
      train_motions([&](std::uint64_t index) -> Result<MotionExample> { return index % 2 == 0 ? walk : idle; },
                    folder.path(), training);
  ASSERT_TRUE(report.ok()) << report.error().message();
  ASSERT_GT(losses.size(), 3u);
  EXPECT_LT(losses.back(), 0.7 * losses.front());
  const Result<MotionDenoiser> denoiser = MotionDenoiser::open(folder.path());
  ASSERT_TRUE(denoiser.ok()) << denoiser.error().message();
}

/// A pupil starts as its teacher and comes to say at once what that says in two steps.
TEST(MotionTrainer, LetsAPupilFollowItsTeacher) {
  const testing::TemporaryFolder folder;
  const Walker dog(zoo::Plan::kQuadruped);
  const MotionExample walk = dog.example();
  const auto source = [&](std::uint64_t) -> Result<MotionExample> { return walk; };
  MotionTraining training;
  training.model = small_model();
  training.pupil = MotionPupil{};
  const Result<MotionReport> nobody = train_motions(source, folder.path() / "pupil", training);
  ASSERT_FALSE(nobody.ok()) << "a pupil without a teacher";
  std::filesystem::create_directories(folder.path() / "teacher");
  ASSERT_TRUE(write_network(training.model, folder.path() / "teacher").ok());
  nn::TrainingPlan& plan = training.plan;
  plan.from = folder.path() / "teacher", plan.device = "cpu", plan.max_steps = 60, plan.seconds = 60, plan.batch = 8;
  plan.pool = plan.max_examples = plan.first_examples = 8, plan.validation_examples = 8, plan.validation_steps = 1000;
  plan.warmup_steps = 5, plan.learning_rate = 2e-3, plan.average_decay = 0.9, plan.report_steps = 10;
  std::vector<double> losses;
  training.on_report = [&](const MotionStep& step) { return losses.push_back(step.loss), true; };
  const Result<MotionReport> report = train_motions(source, folder.path() / "pupil", training);
  ASSERT_TRUE(report.ok()) << report.error().message();
  ASSERT_GT(losses.size(), 3u);
  EXPECT_LT(losses.back(), 0.8 * losses.front());
}

TEST(MotionSpace, DrawsTheSameForOneSeedAndKeepsWhatIsKnown) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_network(small_model(), folder.path()).ok());
  const Walker dog(zoo::Plan::kQuadruped);
  const MotionSpace space(MotionDenoiser::open(folder.path()).value(), make_motion_body(*dog.subject));
  DrawSettings settings;
  settings.facts.action = 0, settings.steps = 3, settings.seed = 11;
  const MotionState once = space.draw(settings).value(), again = space.draw(settings).value();
  EXPECT_EQ(once.poses, again.poses);
  settings.seed = 12;
  EXPECT_NE(once.poses, space.draw(settings).value().poses);

  const int slots = 1 + dog.body->conditions.joints;
  settings.known = {dog.state, std::vector<bool>(static_cast<std::size_t>(kFrames * slots), false)};
  for (const int f : {0, 1, 30, 59}) {
    for (int n = 0; n < slots; ++n) settings.known.slots[static_cast<std::size_t>(f * slots + n)] = true;
  }
  const MotionState led = space.draw(settings).value();
  for (const int f : {0, 1, 30, 59}) {
    for (std::size_t k = 0; k < led.frame(f).size(); ++k) ASSERT_EQ(led.frame(f)[k], dog.state.frame(f)[k]);
  }
  settings.progress = [](std::string_view, double) { return false; };
  EXPECT_EQ(space.draw(settings).error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace limber::motion_space
