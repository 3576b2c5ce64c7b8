// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/median.h"
#include "limber/base/stopwatch.h"

namespace limber::bench {

struct Timing {
  double median = 0, fastest = 0;  ///< milliseconds
};

/// Times `body`, after one run to warm up.
inline Timing time_runs(int repetitions, const std::function<void()>& body) {
  body();
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const Stopwatch watch;
    body();
    times.push_back(1000 * watch.seconds());
  }
  return {median(times), *std::min_element(times.begin(), times.end())};
}

inline Row make_row(const std::string& name, Timing timing, const std::string& aim = "") {
  return {name, timing.median, "ms", aim, fmt::format("fastest {:.3f}", timing.fastest)};
}

}  // namespace limber::bench
