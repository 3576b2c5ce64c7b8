// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "limber/prior/sketch_prior.h"

namespace limber::bench {

/// The built-in prior for many bodies that are moved at the same time, each on a thread of its own. All they share is
/// the network: what a body asks of it and makes of the answer its own thread computes.
class SharedPrior {
 public:
  /// Seats stand at tables of `table`. Who sits at one is answered in one pass of the network, when all have asked,
  /// while others think; at tables of 1 nobody waits.
  SharedPrior(const prior::SketchPrior& prior, int seats, int table);
  ~SharedPrior();

  /// The prior as one body sees it. Nobody waits for it any more when it is gone. Each seat is taken once, from any
  /// thread.
  std::unique_ptr<prior::VideoPrior> take_seat(int seat);

 private:
  class Seat;
  class Table;

  const prior::SketchPrior& prior_;
  std::mutex network_;
  std::vector<std::unique_ptr<Table>> tables_;
  int at_a_table_;
};

}  // namespace limber::bench
