// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/shared_prior.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

namespace limber::bench {

using Videos = std::vector<std::vector<float>>;

class SharedPrior::Table {
 public:
  Table(const prior::SketchNetwork& network, std::mutex& in_use, int seats)
      : network_(network), in_use_(in_use), awaited_(seats) {}

  Result<Videos> ask(int seat, prior::SketchQuery query) {
    Question question{seat, std::move(query), Error{"nobody answered", "prior"}};
    std::unique_lock lock(mutex_);
    asked_.push_back(&question);
    answer_if_all_asked();
    answered_.wait(lock, [&] { return question.done; });
    return std::move(question.answer);
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    --awaited_;
    answer_if_all_asked();
  }

 private:
  /// What a body asks; the answer lies there when `done`.
  struct Question {
    int seat;
    prior::SketchQuery query;
    Result<Videos> answer;
    bool done = false;
  };

  /// The mutex is held: all who sit here wait for the answer.
  void answer_if_all_asked() {
    if (asked_.empty() || static_cast<int>(asked_.size()) < awaited_) return;
    // Whoever asked first: the same batch gives the same bits.
    std::sort(asked_.begin(), asked_.end(), [](const Question* a, const Question* b) { return a->seat < b->seat; });
    std::vector<prior::SketchQuery> queries;
    for (const Question* question : asked_) queries.push_back(question->query);
    Result<std::vector<Videos>> seen = [&] {
      const std::lock_guard lock(in_use_);
      return network_.denoise_all(queries);
    }();
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      asked_[i]->answer = seen.ok() ? Result<Videos>(std::move((*seen)[i])) : Result<Videos>(seen.error());
      asked_[i]->done = true;
    }
    asked_.clear();
    answered_.notify_all();
  }

  const prior::SketchNetwork& network_;
  std::mutex& in_use_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<Question*> asked_;
  int awaited_;  ///< who may still ask
};

class SharedPrior::Seat final : public prior::SketchNetwork {
 public:
  Seat(const prior::SketchNetwork& network, std::mutex& in_use, Table& table, int number)
      : network_(network), in_use_(in_use), table_(table), number_(number) {}
  ~Seat() override { table_.leave(); }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  Result<std::vector<float>> read(const std::string& prompt) const override {
    const std::lock_guard lock(in_use_);
    return network_.read(prompt);
  }

  Result<Videos> denoise(const prior::SketchInput& input,
                         std::span<const std::span<const float>> texts) const override {
    if (input.targets.empty() && input.known.empty()) return table_.ask(number_, {input, {texts.begin(), texts.end()}});
    const std::lock_guard lock(in_use_);
    return network_.denoise(input, texts);
  }

  bool jumps() const override { return network_.jumps(); }

 private:
  const prior::SketchNetwork& network_;
  std::mutex& in_use_;
  Table& table_;
  int number_;
};

SharedPrior::SharedPrior(const prior::SketchPrior& prior, int seats, int table) : prior_(prior), at_a_table_(table) {
  for (int first = 0; first < seats; first += table) {
    tables_.push_back(std::make_unique<Table>(prior.network(), network_, std::min(table, seats - first)));
  }
}

SharedPrior::~SharedPrior() = default;

std::unique_ptr<prior::VideoPrior> SharedPrior::take_seat(int seat) {
  Table& table = *tables_[static_cast<std::size_t>(seat / at_a_table_)];
  return std::make_unique<prior::SketchPrior>(
      prior_.model(), std::make_unique<Seat>(prior_.network(), network_, table, seat), prior_.info().name);
}

}  // namespace limber::bench
