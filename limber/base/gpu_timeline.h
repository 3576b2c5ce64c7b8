// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace limber {

/// What a program does when, and when its GPU ran kernels: stages by the clock of the host, kernels by events of every
/// CudaQueue. One for the whole program, from any thread; before `start` it costs a look at a flag.
///
/// Kernels of LibTorch are not seen. A run of kernels that follow each other counts from the first one's launch to the
/// last one's end: the launch itself, some microseconds, is in it where the GPU had nothing else to do.
class GpuTimeline {
 public:
  struct Span {
    double from = 0, to = 0;  ///< seconds since the start
  };
  struct Stage {
    std::string name;
    double from = 0, to = 0;
    double busy = 0;  ///< seconds in which any queue ran kernels
  };

  static GpuTimeline& get();

  bool on() const { return on_.load(std::memory_order_relaxed); }
  /// Seconds since the start.
  double now() const;

  /// Forgets what was. What a program did before, `earlier` seconds, is a stage of its own.
  void start(const std::string& first_stage, double earlier = 0);
  /// From now on, until the next one. Ignored where it goes on already, or nothing was started.
  void stage(const std::string& name);
  void add(const std::vector<Span>& spans);
  /// Ends it. Queues hand in what they did when they are waited for, or go: before this.
  std::vector<Stage> take();

 private:
  std::atomic<bool> on_ = false;
  mutable std::mutex mutex_;
  std::chrono::steady_clock::time_point begin_;
  std::vector<Stage> stages_;
  std::vector<Span> spans_;
};

/// Seconds of `[from, to)` that spans cover, those that overlap counted once.
double covered_seconds(std::vector<GpuTimeline::Span> spans, double from, double to);

}  // namespace limber
