// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/shared_prior.h"

#include <utility>

namespace limber::bench {

class SharedPrior::Seat final : public prior::VideoPrior {
 public:
  Seat(SharedPrior& shared, std::size_t seat) : shared_(shared), seat_(seat) {}
  ~Seat() override { shared_.leave(); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  const prior::PriorInfo& info() const override { return shared_.prior_.info(); }

  Result<prior::Condition> condition(const prior::Prompt& prompt, const Frames* rest) override {
    const std::lock_guard lock(shared_.mutex_);
    return shared_.prior_.condition(prompt, rest);
  }

  Result<prior::ScoreReport> score(const Frames& frames, const prior::Condition& condition,
                                   const prior::ScoreSettings& settings, Frames& grad_frames) override {
    // The numbers that the prior would draw itself, drawn here: by all threads at once.
    prior::ScoreSettings drawn = settings;
    if (!drawn.noise && drawn.draws == 1) {
      drawn.noise = prior::normal_noise(static_cast<std::size_t>(frames.size()), drawn.seed,
                                        static_cast<std::uint64_t>(drawn.iteration), 0);
    }
    LIMBER_TRY(prior::ScoredVideo scored, shared_.ask(seat_, {frames, condition, drawn}));
    grad_frames = std::move(scored.grad_frames);
    return std::move(scored.report);
  }

  Result<Frames> sample(const prior::Condition& condition, const prior::SampleSettings& settings) override {
    const std::lock_guard lock(shared_.mutex_);
    return shared_.prior_.sample(condition, settings);
  }

 private:
  SharedPrior& shared_;
  std::size_t seat_;
};

SharedPrior::SharedPrior(prior::VideoPrior& prior, int seats, Scores scores)
    : prior_(prior), asked_(static_cast<std::size_t>(seats)), awaited_(scores == Scores::kTogether ? seats : 0) {}

std::unique_ptr<prior::VideoPrior> SharedPrior::take_seat(int seat) {
  return std::make_unique<Seat>(*this, static_cast<std::size_t>(seat));
}

Result<prior::ScoredVideo> SharedPrior::ask(std::size_t seat, const prior::VideoToScore& video) {
  Question question{video, Error{"nobody answered", "prior"}};
  std::unique_lock lock(mutex_);
  asked_[seat] = &question;
  ++waiting_;
  answer_if_all_asked();
  answered_.wait(lock, [&] { return question.done; });
  return std::move(question.answer);
}

void SharedPrior::leave() {
  const std::lock_guard lock(mutex_);
  --awaited_;
  answer_if_all_asked();
}

void SharedPrior::answer_if_all_asked() {
  if (waiting_ == 0 || waiting_ < awaited_) return;
  std::vector<Question*> questions;
  std::vector<prior::VideoToScore> videos;
  for (Question*& question : asked_) {
    if (question == nullptr) continue;
    questions.push_back(std::exchange(question, nullptr));
    videos.push_back(questions.back()->video);
  }
  Result<std::vector<prior::ScoredVideo>> scored = prior::score_videos(prior_, videos);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (scored.ok()) {
      questions[i]->answer = std::move((*scored)[i]);
    } else {
      questions[i]->answer = scored.error();
    }
    questions[i]->done = true;
  }
  waiting_ = 0;
  answered_.notify_all();
}

}  // namespace limber::bench
