// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace limber::bench {

struct Timing {
  double median = 0, fastest = 0;  ///< milliseconds
};

/// Times `body`, after one run to warm up.
inline Timing time_runs(int repetitions, const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  body();
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const Clock::time_point start = Clock::now();
    body();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

inline Row make_row(const std::string& name, Timing timing, const std::string& aim = "") {
  return {name, timing.median, "ms", aim, fmt::format("fastest {:.3f}", timing.fastest)};
}

}  // namespace limber::bench
