// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/animate/animate_testing.h"
#include "limber/animate/made_testing.h"
#include "limber/animate/sketch_task.h"

namespace limber::animate {
namespace {

/// A prior that finds one word in everything it is shown.
class PartialPrior : public StagePrior {
 public:
  explicit PartialPrior(std::string word) : word_(std::move(word)) {}
  Result<prior::ScoreReport> score(const Frames& frames, const prior::Condition& condition,
                                   const prior::ScoreSettings& settings, Frames& grad_frames) override {
    asked.push_back(condition.prompt.text);
    prior::ScoreReport report;
    grad_frames = frames;
    const bool finds = condition.prompt.text.find(word_) != std::string::npos;
    report.latent_gradient_norm = (finds ? 1 : 2) * (1 + 0.001 * *settings.timestep);
    return report;
  }
  std::vector<std::string> asked;

 private:
  std::string word_;
};

Result<std::optional<Told>> told(PartialPrior& prior, const std::string& prompt) {
  Request request;
  request.prompt = prompt;
  SketchTask task = make_sketch_task(stage().creature.subject, prior, request).value();
  LIMBER_TRY(const Explained explained, explain(task, {stage().video, {}}, true));
  return explained.told;
}

TEST(FindTold, ComparesThePromptWithOtherActions) {
  PartialPrior walks("walk");
  const Told right = told(walks, "a fox walks").value().value();
  EXPECT_LT(right.asked, right.other);
  EXPECT_EQ(right.looks_like, "sit");
  EXPECT_EQ(std::count(walks.asked.begin(), walks.asked.end(), "a fox sits"), 1);
  EXPECT_LE(walks.asked.size(), 4u) << "a few passes";

  PartialPrior sits("sit");
  const Told wrong = told(sits, "a fox walks").value().value();
  EXPECT_GT(wrong.asked, wrong.other);
  EXPECT_EQ(wrong.looks_like, "sit");
}

TEST(FindTold, CannotTellOfWhatIsNotKnown) {
  PartialPrior prior("walk");
  EXPECT_FALSE(told(prior, "a fox levitates").value());
  prior.change_info().actions.clear();
  EXPECT_FALSE(told(prior, "a fox walks").value());
  EXPECT_EQ(prior.asked.size(), 2u) << "and asks of nothing else";
}

}  // namespace
}  // namespace limber::animate
