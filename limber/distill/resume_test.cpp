// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <limits>

#include "limber/base/files.h"
#include "limber/distill/distill_testing.h"
#include "limber/distill/run_state.h"

namespace limber::distill {
namespace {

using kinematics::Motion;

/// A folder of its own that goes away with the test.
class Resume : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / ("limber_resume_" + std::to_string(::getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
    settings_.iterations = 14;
    settings_.angle_rate = 0.03, settings_.root_rate = 0.003;
    settings_.score.seed = 4;
    settings_.boxes = stage_.boxes;
    settings_.checkpoint = folder_ / "run.checkpoint";
    condition_.prompt = {"a toy swings", "blurry"};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<DistillReport> run(const DistillSettings& settings, Motion& motion) {
    TargetPrior prior(stage_, shared_, 0.3);
    scene::Scene scene = toy_scene(stage_);
    return distill(scene, toy_cameras(shared_), prior, condition_, settings, motion);
  }
  /// The same run, never interrupted and never kept.
  Motion whole(DistillSettings settings) {
    settings.checkpoint.clear();
    Motion motion = stage_.start;
    EXPECT_TRUE(run(settings, motion).ok());
    return motion;
  }
  /// `kind`: a checkpoint of another run contradicts what was asked for; a broken one is bad input.
  void expect_error(const DistillSettings& settings, const std::string& what, ErrorKind kind = ErrorKind::kConflict) {
    Motion motion = stage_.start;
    const auto report = run(settings, motion);
    ASSERT_FALSE(report.ok()) << what;
    EXPECT_EQ(report.error().kind, kind) << name(report.error().kind);
    EXPECT_NE(report.error().what.find(what), std::string::npos) << report.error().what;
    EXPECT_EQ(report.error().where, settings.checkpoint.string());
    EXPECT_EQ(motion.angles, stage_.start.angles) << "a refused checkpoint changes nothing";
  }
  static void expect_same_bits(const Motion& a, const Motion& b) {
    ASSERT_EQ(a.angles.size(), b.angles.size());
    EXPECT_EQ(std::memcmp(a.angles.data(), b.angles.data(), a.angles.size() * sizeof(Vec3)), 0);
    EXPECT_EQ(
        std::memcmp(a.root_translations.data(), b.root_translations.data(), a.root_translations.size() * sizeof(Vec3)),
        0);
  }

  ToyStage stage_ = toy_stage(4);
  SharedCameras shared_ = std::make_shared<std::vector<scene::Camera>>();
  prior::Condition condition_;
  DistillSettings settings_;
  std::filesystem::path folder_;
};

TEST_F(Resume, GoesOnBitForBitAfterACancellation) {
  for (const DistillMode mode : {DistillMode::kScore, DistillMode::kDenoise}) {
    settings_.mode = mode, settings_.fits_per_denoise = 3, settings_.rate_end = 0.2;
    const Motion expected = whole(settings_);
    std::filesystem::remove(settings_.checkpoint);
    DistillReport last;
    // Interrupted twice, at iterations 5 and 9.
    for (const int stop : {5, 9, 100}) {
      Motion motion = stage_.start;
      int done = 0;
      DistillSettings settings = settings_;
      settings.on_step = [&](const DistillStep& step) { done = step.iteration + 1; };
      settings.progress = [&](std::string_view, double) { return done < stop; };
      auto report = run(settings, motion);
      ASSERT_TRUE(report.ok()) << report.error().message();
      EXPECT_EQ(report->stop, stop < 100 ? DistillStop::kCancelled : DistillStop::kDone);
      last = *report;
      if (stop == 100) expect_same_bits(motion, expected);
    }
    EXPECT_EQ(last.resumed_from, 9);
    EXPECT_EQ(last.iterations, 14);
    ASSERT_EQ(last.history.size(), 14u);
    for (int i = 0; i < 14; ++i) EXPECT_EQ(last.history[static_cast<std::size_t>(i)].iteration, i);
  }
}

TEST_F(Resume, GoesOnBitForBitAfterBeingKilled) {
  const Motion expected = whole(settings_);
  settings_.checkpoint_seconds = 0;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    settings_.on_step = [](const DistillStep& step) {
      if (step.iteration == 7) std::raise(SIGKILL);
    };
    Motion motion = stage_.start;
    (void)run(settings_, motion);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  Motion motion = stage_.start;
  const auto report = run(settings_, motion);
  ASSERT_TRUE(report.ok()) << report.error().message();
  EXPECT_EQ(report->resumed_from, 7);
  expect_same_bits(motion, expected);
}

TEST_F(Resume, KeepsTheRunWhereThePriorFails) {
  TargetPrior prior(stage_, shared_, 0.3);
  prior.fail_at = 6;
  scene::Scene scene = toy_scene(stage_);
  Motion motion = stage_.start;
  ASSERT_FALSE(distill(scene, toy_cameras(shared_), prior, condition_, settings_, motion).ok());
  motion = stage_.start;
  const auto report = run(settings_, motion);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->resumed_from, 6);
  expect_same_bits(motion, whole(settings_));
}

TEST_F(Resume, OfAFinishedRunIsItsResultAndMoreIterationsGoOn) {
  Motion motion = stage_.start;
  ASSERT_TRUE(run(settings_, motion).ok());
  Motion again = stage_.start;
  auto report = run(settings_, again);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->resumed_from, 14);
  expect_same_bits(again, motion);

  settings_.iterations = 20;
  again = stage_.start;
  ASSERT_TRUE(run(settings_, again).ok());
  expect_same_bits(again, whole(settings_));
  settings_.iterations = 10;
  expect_error(settings_, "past iteration 20");
}

TEST_F(Resume, CanBeTurnedOff) {
  Motion motion = stage_.start;
  ASSERT_TRUE(run(settings_, motion).ok());
  settings_.resume = false;
  settings_.score.seed = 5;
  motion = stage_.start;
  const auto report = run(settings_, motion);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->resumed_from);
}

TEST_F(Resume, RefusesACheckpointOfOtherSettingsAndSaysWhichDiffer) {
  Motion motion = stage_.start;
  ASSERT_TRUE(run(settings_, motion).ok());
  DistillSettings other = settings_;
  other.smooth_weight = 0.25;
  expect_error(other, "smooth_weight is 0.178 there and 0.25 here");
  other = settings_;
  other.score.guidance = 7.5, other.score.seed = 5;
  expect_error(other, "seed is 4 there and 5 here; guidance is 100 there and 7.5 here");
  other = settings_;
  other.rate_end = 0.5;
  expect_error(other, "iterations is missing there and 14 here");

  condition_.prompt.text = "a toy jumps";
  expect_error(settings_, "prompt is \"a toy swings\" there and \"a toy jumps\" here");
}

TEST_F(Resume, RefusesACheckpointOfAnotherBodyOrStart) {
  Motion motion = stage_.start;
  ASSERT_TRUE(run(settings_, motion).ok());
  const ToyStage original = stage_;
  stage_.gaussians.means[3].x += 0.01f;
  expect_error(settings_, "body is 36 Gaussians, ");
  stage_ = original;
  stage_.rig = testing::toy_rig({.shape = testing::ToyShape::kChain, .joints = 3, .seed = 9});
  expect_error(settings_, "rig is 3 joints, ");
  stage_ = original;
  stage_.start = kinematics::rest_motion(stage_.rig, 5, 12);
  stage_.target = stage_.start;
  expect_error(settings_, "start is 4 frames");
}

TEST_F(Resume, RefusesDamagedFiles) {
  Motion motion = stage_.start;
  ASSERT_TRUE(run(settings_, motion).ok());
  const Bytes good = read_file(settings_.checkpoint).value();
  const auto expect_damaged = [&](const Bytes& bytes, const std::string& what) {
    ASSERT_TRUE(write_file(settings_.checkpoint, bytes).ok());
    expect_error(settings_, what, ErrorKind::kInput);
  };
  expect_damaged({}, "not a checkpoint");
  expect_damaged(Bytes(64, std::byte{'x'}), "not a checkpoint");
  for (const std::size_t size : {std::size_t{15}, std::size_t{20}, std::size_t{35}, good.size() / 2, good.size() - 1}) {
    expect_damaged(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)), "cut off");
  }
  Bytes longer = good, flipped = good, newer = good;
  longer.push_back(std::byte{0});
  expect_damaged(longer, "damaged");
  flipped[good.size() / 2] ^= std::byte{4};
  expect_damaged(flipped, "damaged");
  // What another version of the program kept is not damaged.
  newer[15] = std::byte{9};
  ASSERT_TRUE(write_file(settings_.checkpoint, newer).ok());
  expect_error(settings_, "version 9", ErrorKind::kConflict);
}

TEST_F(Resume, RefusesAMotionOfAnotherSizeUnderTheRightSettings) {
  Motion motion = stage_.start;
  ASSERT_TRUE(run(settings_, motion).ok());
  RunState state = decode_state(read_file(settings_.checkpoint).value(), "x").value();
  state.motion.angles.pop_back();
  state.adam = {};
  ASSERT_TRUE(write_file(settings_.checkpoint, encode_state(state)).ok());
  expect_error(settings_, "damaged", ErrorKind::kInput);
}

TEST_F(Resume, RefusesNonsenseUnderARightChecksum) {
  RunState state;
  state.fingerprint = {{"a", "b"}};
  state.motion.root_translations.resize(2), state.motion.angles.resize(4);
  state.adam.first.resize(18), state.adam.second.resize(18);
  state.history.resize(3);
  const Bytes sealed = encode_state(state);
  ASSERT_TRUE(decode_state(sealed, "x").ok());
  const std::size_t header = sealed.size() - seal({}).size();
  const Bytes payload(sealed.end() - static_cast<std::ptrdiff_t>(header), sealed.end());
  // Cut anywhere: never whole.
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(decode_state(seal(std::span(payload).first(size)), "x").ok()) << size;
  }
  // Any byte set to 255, lengths among them: whatever is read, nothing is allocated beyond the file's size.
  for (std::size_t i = 0; i < payload.size(); ++i) {
    Bytes odd = payload;
    odd[i] = std::byte{255};
    (void)decode_state(seal(odd), "x");
  }
}

TEST_F(Resume, KeepsEveryNumberOfTheHistory) {
  RunState state;
  DistillStep step;
  step.iteration = 1, step.sds = 0.1, step.smooth = 0.2, step.ground = 0.3, step.limits = 0.4, step.extra = 0.5;
  step.total = 0.6, step.fitted = 0.7, step.sds_gradient = 0.8, step.energy_gradient = 0.9, step.latent_gradient = 1.1;
  step.timestep = 12, step.not_finite = 13, step.skipped = true, step.draw_seconds = 1.4, step.prior_seconds = 1.5;
  state.history = {step};
  state.history[0].sds = std::numeric_limits<double>::infinity();
  const RunState again = decode_state(encode_state(state), "x").value();
  const DistillStep& back = again.history.at(0);
  EXPECT_EQ(back.iteration, 1);
  EXPECT_EQ(back.sds, std::numeric_limits<double>::infinity());
  EXPECT_EQ(back.smooth, 0.2);
  EXPECT_EQ(back.ground, 0.3);
  EXPECT_EQ(back.limits, 0.4);
  EXPECT_EQ(back.extra, 0.5);
  EXPECT_EQ(back.total, 0.6);
  EXPECT_EQ(back.fitted, 0.7);
  EXPECT_EQ(back.sds_gradient, 0.8);
  EXPECT_EQ(back.energy_gradient, 0.9);
  EXPECT_EQ(back.latent_gradient, 1.1);
  EXPECT_EQ(back.timestep, 12);
  EXPECT_EQ(back.not_finite, 13);
  EXPECT_TRUE(back.skipped);
  EXPECT_EQ(back.draw_seconds, 1.4);
  EXPECT_EQ(back.prior_seconds, 1.5);
}

TEST_F(Resume, SaysAtOnceThatACheckpointCannotBeWritten) {
  settings_.checkpoint = folder_ / "no such folder" / "run.checkpoint";
  Motion motion = stage_.start;
  int steps = 0;
  settings_.on_step = [&](const DistillStep&) { ++steps; };
  EXPECT_FALSE(run(settings_, motion).ok());
  EXPECT_EQ(steps, 0);
}

}  // namespace
}  // namespace limber::distill
