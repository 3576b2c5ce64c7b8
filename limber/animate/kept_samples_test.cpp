// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/kept_samples.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <utility>

#include "limber/animate/animate_subject.h"
#include "limber/animate/animate_testing.h"
#include "limber/base/files.h"
#include "limber/nn/safetensors.h"

namespace limber::animate {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for every test.
class KeptSamples : public testing::Test {
 protected:
  KeptSamples() {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(testing::TempDir()) / ("limber_kept_samples_" + test);
    fs::remove_all(folder_), fs::create_directories(folder_);
    request_.prompt = "a fox walks";
    request_.quality = Quality::kStandard;
    request_.sampling.candidates = 2, request_.sampling.most_residual = 10;
    request_.sampling.fit_stages = hasty_fit();
    request_.distilling.iterations = 1;
    request_.finishing.ground = Ground::kNone;
    request_.checkpoint = Checkpoint{folder_ / "out.checkpoint", 60};
    prior_.disturb = [](int) { return 0.1f; };
  }
  ~KeptSamples() override { fs::remove_all(folder_); }

  /// Animates until the distillation begins.
  void stop_in_distillation() {
    Request request = request_;
    request.progress = [](std::string_view what, double) { return what.find("distilling") == std::string_view::npos; };
    const Result<Animation> stopped = follow_prompt(stage().creature.subject, nullptr, prior_, request);
    ASSERT_FALSE(stopped.ok());
    ASSERT_EQ(stopped.error().kind, ErrorKind::kCancelled);
    ASSERT_TRUE(fs::exists(file()));
    prior_.seeds.clear();
  }
  Result<Animation> animated() { return follow_prompt(stage().creature.subject, nullptr, prior_, request_); }
  fs::path file() const { return samples_file(request_.checkpoint->file); }

  /// Rewrites the file with one array changed.
  void change(const std::string& name, const std::function<void(nn::TensorView&, Bytes&)>& edit) {
    const Bytes content = read_file(file()).value();
    const nn::TensorTable table = nn::parse_safetensors(content, "samples").value();
    std::vector<nn::NamedTensor> tensors;
    Bytes changed;
    for (const auto& [tensor, view] : table.tensors) {
      tensors.push_back({tensor, view});
      if (tensor != name) continue;
      changed.assign(view.bytes.begin(), view.bytes.end());
      edit(tensors.back().view, changed);
      tensors.back().view.bytes = changed;
    }
    ASSERT_FALSE(changed.empty()) << name;
    nn::SafetensorsSettings settings;
    settings.metadata = table.metadata;
    ASSERT_TRUE(nn::write_safetensors(file(), tensors, settings).ok());
  }

  fs::path folder_;
  Request request_;
  StagePrior prior_;
};

void expect_same(const Animation& a, const Animation& b) {
  EXPECT_EQ(a.motion.root_translations, b.motion.root_translations);
  EXPECT_EQ(a.motion.angles, b.motion.angles);
  ASSERT_EQ(a.candidates.size(), b.candidates.size());
  for (std::size_t i = 0; i < a.candidates.size(); ++i) {
    const Candidate &x = a.candidates[i], &y = b.candidates[i];
    EXPECT_EQ(x.seed, y.seed);
    EXPECT_EQ(x.video.values, y.video.values);
    EXPECT_EQ(x.lifted.motion.root_translations, y.lifted.motion.root_translations);
    EXPECT_EQ(x.lifted.motion.angles, y.lifted.motion.angles);
    EXPECT_EQ(x.lifted.motion.fps, y.lifted.motion.fps);
    EXPECT_EQ(x.lifted.fit.residual, y.lifted.fit.residual);
    EXPECT_EQ(x.lifted.fit.frame_residuals, y.lifted.fit.frame_residuals);
    EXPECT_EQ(x.lifted.ground.error, y.lifted.ground.error);
    EXPECT_EQ(x.score, y.score);
    EXPECT_EQ(x.fits, y.fits);
  }
}

TEST_F(KeptSamples, AreNotDrawnAgainAndGiveTheSameBits) {
  const Animation whole = animated().value();
  remove_checkpoint(request_.checkpoint->file);
  EXPECT_FALSE(fs::exists(file()));
  prior_.seeds.clear();
  stop_in_distillation();
  const Animation resumed = animated().value();
  EXPECT_TRUE(prior_.seeds.empty()) << "the prior drew nothing";
  EXPECT_EQ(resumed.resumed_candidates, 2);
  EXPECT_TRUE(resumed.distilled->report.resumed_from);
  expect_same(whole, resumed);
}

TEST_F(KeptSamples, OfARunThatStoppedWhileDrawingAreUsed) {
  const Animation whole = animated().value();
  remove_checkpoint(request_.checkpoint->file);
  const std::vector<std::uint64_t> all = std::exchange(prior_.seeds, {});
  Request request = request_;
  request.progress = [](std::string_view what, double) { return what.find("sample 2") == std::string_view::npos; };
  ASSERT_FALSE(follow_prompt(stage().creature.subject, nullptr, prior_, request).ok());
  prior_.seeds.clear();
  const Animation resumed = animated().value();
  EXPECT_EQ(prior_.seeds, std::vector<std::uint64_t>{all.back()});
  EXPECT_EQ(resumed.resumed_candidates, 1);
  expect_same(whole, resumed);
}

TEST_F(KeptSamples, OfAnotherRunAreAConflict) {
  stop_in_distillation();
  const auto conflict = [&](const auto& change, const std::string& word) {
    const Request kept = request_;
    change(request_);
    const Result<Animation> result = animated();
    request_ = kept;
    ASSERT_FALSE(result.ok()) << word;
    EXPECT_EQ(result.error().kind, ErrorKind::kConflict) << word;
    EXPECT_NE(result.error().what.find(word), std::string::npos) << result.error().what;
    EXPECT_TRUE(prior_.seeds.empty()) << word;
  };
  conflict([](Request& r) { r.prompt = "a fox sits"; }, "prompt");
  conflict([](Request& r) { r.seed = 9; }, "seed");
  conflict([](Request& r) { r.sampling.steps = 7; }, "sampling steps");
  conflict([](Request& r) { r.sampling.candidates = 3; }, "candidates");
  prior_.change_info().sampler = "weights 2";
  conflict([](Request&) {}, "weights 2");
  prior_.change_info().sampler.clear();
  conflict([](Request& r) { r.facing = rig::make_facing({0, 1, 0}, {1, 0, 0}).value(); }, "rig");
  EXPECT_TRUE(animated().ok()) << "the file of the first run is still there";
}

TEST_F(KeptSamples, OfAnotherFormatAreAConflict) {
  stop_in_distillation();
  const Bytes content = read_file(file()).value();
  const nn::TensorTable table = nn::parse_safetensors(content, "samples").value();
  nn::SafetensorsSettings settings;
  settings.metadata = table.metadata;
  ASSERT_EQ(settings.metadata.erase("run/format"), 1u);
  std::vector<nn::NamedTensor> tensors;
  for (const auto& [name, view] : table.tensors) tensors.push_back({name, view});
  ASSERT_TRUE(nn::write_safetensors(file(), tensors, settings).ok());
  const Result<Animation> result = animated();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kConflict);
  EXPECT_NE(result.error().what.find("format is missing there"), std::string::npos) << result.error().what;
}

TEST_F(KeptSamples, ThatAreDamagedAreDrawnAgain) {
  const Animation whole = animated().value();
  remove_checkpoint(request_.checkpoint->file);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::function<void()>> damages{
      [&] { fs::resize_file(file(), 100); },
      [&] { std::ofstream(file()) << "not a file of tensors"; },
      [&] { change("0/angles", [&](nn::TensorView&, Bytes& bytes) { std::memcpy(bytes.data(), &nan, sizeof nan); }); },
      [&] {
        change("1/roots",
               [](nn::TensorView& view, Bytes& bytes) { view.shape[0] /= 2, bytes.resize(bytes.size() / 2); });
      },
      [&] { change("0/counts", [](nn::TensorView& view, Bytes&) { view.dtype = nn::Dtype::kI64; }); },
      [&] { change("0/counts", [](nn::TensorView&, Bytes& bytes) { bytes[15] = std::byte{0xff}; }); }};
  for (const std::function<void()>& damage : damages) {
    remove_checkpoint(request_.checkpoint->file);
    stop_in_distillation();
    damage();
    const Animation again = animated().value();
    EXPECT_EQ(prior_.seeds.size(), 2u);
    EXPECT_EQ(again.resumed_candidates, 0);
    EXPECT_NE(in_words(again.warnings.at(0)).find("drawn again"), std::string::npos);
    expect_same(whole, again);
  }
}

TEST_F(KeptSamples, AreNotWrittenWhereNothingIsDistilled) {
  request_.distilling.iterations = 0;
  EXPECT_TRUE(animated().ok());
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace limber::animate
