// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "limber/base/result.h"

/// Draws what networks are taught with ahead of the training, on all cores.
namespace limber::nn {

struct PoolSettings {
  std::int64_t capacity = 1;  ///< slots, >= 1
  std::int64_t run = 256;     ///< examples that are drawn together, >= 1
  std::int64_t limit = 0;     ///< drawn at most; 0: as long as the pool lives
  std::uint64_t first = 0;    ///< number of the first example
  /// Once all slots are full, so many are drawn for each that is read; 0: as many as can be. Who draws more than is
  /// looked at takes cores, and the way to the device, from the training.
  double fresh = 0;
};

/// Where a training of this seed begins to count its examples, so that one that starts from earlier weights sees
/// others. `stream` tells kinds of training apart. Below 2^36.
std::uint64_t first_example(std::uint64_t seed, std::uint64_t stream);

/// Calls `draw(i)` for i in 0 .. count-1 on all threads. The error of the lowest i that has one.
Status draw_examples(std::int64_t count, const std::function<Status(std::int64_t)>& draw);

/// Draws examples first, first + 1 and so on, in runs on a thread of its own, into slots that are used in turn: once
/// all are full, the oldest examples give way. What an example is, and where the slots are, is up to `draw` and
/// `store`.
template <class Run>
class ExamplePool {
 public:
  /// `count` examples, from number `first` on.
  using Draw = std::function<Result<Run>(std::uint64_t first, std::int64_t count)>;
  /// Puts a run into the slots from `slot` on. Nobody reads slots while it does.
  using Store = std::function<Status(std::int64_t slot, const Run& run)>;

  ExamplePool(const PoolSettings& settings, Draw draw, Store store)
      : settings_(settings), draw_(std::move(draw)), store_(std::move(store)), thread_([this] { fill(); }) {}
  ~ExamplePool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  ExamplePool(const ExamplePool&) = delete;
  ExamplePool& operator=(const ExamplePool&) = delete;

  /// Until `count` examples are there, or as many as ever will be; at least one. The error of a draw that failed.
  Status wait_for(std::int64_t count) const {
    const std::int64_t most = settings_.limit > 0 ? std::min(settings_.limit, settings_.capacity) : settings_.capacity;
    const std::int64_t wanted = std::clamp<std::int64_t>(count, 1, most);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready() >= wanted || !status_.ok(); });
    return status_;
  }

  std::int64_t drawn() const {
    const std::lock_guard lock(mutex_);
    return drawn_;
  }
  /// An error ends the drawing; what is there stays.
  Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

  /// What `read(ready)` returns, which looks at `count` examples; slots 0 .. ready-1 hold some, and none changes while
  /// it reads.
  template <class Read>
  auto read(std::int64_t count, Read&& read) const {
    const std::lock_guard lock(mutex_);
    looked_at_ += count;
    changed_.notify_all();
    return read(ready());
  }

 private:
  std::int64_t ready() const { return std::min(drawn_, settings_.capacity); }

  /// Whether enough new ones are there for what was looked at.
  bool is_ahead() const {
    return settings_.fresh > 0 &&
           static_cast<double>(drawn_ - settings_.capacity) >= settings_.fresh * static_cast<double>(looked_at_);
  }

  /// How many to draw next; 0: enough.
  std::int64_t next_run() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || !is_ahead(); });
    if (stop_) return 0;
    const std::int64_t run = std::min(settings_.run, settings_.capacity - drawn_ % settings_.capacity);
    return settings_.limit > 0 ? std::min(run, settings_.limit - drawn_) : run;
  }

  void fill() {
    std::int64_t drawn = 0;  // as drawn_, which this thread alone changes
    for (std::int64_t count = next_run(); count > 0; count = next_run()) {
      const Result<Run> run = draw_(settings_.first + static_cast<std::uint64_t>(drawn), count);
      const std::lock_guard lock(mutex_);
      status_ = run.ok() ? store_(drawn % settings_.capacity, *run) : Status(run.error());
      if (status_.ok()) drawn_ = drawn += count;
      changed_.notify_all();
      if (!status_.ok()) return;
    }
  }

  PoolSettings settings_;
  Draw draw_;
  Store store_;
  mutable std::mutex mutex_;  ///< of the slots and of what follows
  mutable std::condition_variable changed_;
  std::int64_t drawn_ = 0;
  mutable std::int64_t looked_at_ = 0;
  bool stop_ = false;
  Status status_ = Done{};
  std::thread thread_;  ///< last: it starts when all else is there
};

}  // namespace limber::nn
