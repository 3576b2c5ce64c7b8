// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "limber/prior/score_batch.h"

namespace limber::bench {

/// One prior for many bodies that are moved at the same time, each on a thread of its own.
class SharedPrior {
 public:
  enum class Scores {
    kTogether,  ///< when all who still sit there have asked, in one pass of the network: there is a thread for every
                ///< seat
    kAtOnce     ///< one after the other
  };
  SharedPrior(prior::VideoPrior& prior, int seats, Scores scores);

  /// The prior as one body sees it. The seat is free again when it is gone, and nobody waits for it then. Each is taken
  /// once, from any thread.
  std::unique_ptr<prior::VideoPrior> take_seat(int seat);

 private:
  class Seat;
  /// What a body asks; the answer lies there when `done`.
  struct Question {
    prior::VideoToScore video;
    Result<prior::ScoredVideo> answer;
    bool done = false;
  };

  Result<prior::ScoredVideo> ask(std::size_t seat, const prior::VideoToScore& video);
  void leave();
  void answer_if_all_asked();  ///< the mutex is held

  prior::VideoPrior& prior_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<Question*> asked_;  ///< per seat
  int awaited_;                   ///< seats that may still ask; none where nobody waits for others
  int waiting_ = 0;
};

}  // namespace limber::bench
