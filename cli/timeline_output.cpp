// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "timeline_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "limber/base/files.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
using Stage = GpuTimeline::Stage;

double share(double busy, double seconds) { return seconds > 0 ? busy / seconds : 0; }

/// Stages of one name together, in the order in which they first came.
std::vector<Stage> summed(const std::vector<Stage>& stages) {
  std::vector<Stage> sums;
  for (const Stage& stage : stages) {
    const auto same = std::find_if(sums.begin(), sums.end(), [&](const Stage& sum) { return sum.name == stage.name; });
    Stage& sum = same == sums.end() ? sums.emplace_back(Stage{stage.name, 0, 0, 0}) : *same;
    sum.to += stage.to - stage.from, sum.busy += stage.busy;
  }
  return sums;
}

Json described(const Stage& stage) {
  const double seconds = stage.to - stage.from;
  return {{"name", stage.name},
          {"seconds", seconds},
          {"gpu_seconds", stage.busy},
          {"gpu_share", share(stage.busy, seconds)}};
}

}  // namespace

Status write_timeline(const Terminal& terminal, const std::string& path) {
  const std::vector<Stage> stages = GpuTimeline::get().take();
  Json all{{"limber", LIMBER_VERSION}, {"stages", Json::array()}, {"totals", Json::array()}};
  for (const Stage& stage : stages) {
    Json one = described(stage);
    one["from"] = stage.from, one["to"] = stage.to;
    all["stages"].push_back(std::move(one));
  }
  Stage whole{"all", 0, 0, 0};
  for (const Stage& sum : summed(stages)) {
    all["totals"].push_back(described(sum));
    whole.to += sum.to, whole.busy += sum.busy;
    if (!terminal.json) {
      fmt::print("  {}: {:.3f} s, GPU {:.0f} %\n", sum.name, sum.to, 100 * share(sum.busy, sum.to));
    }
  }
  all["totals"].push_back(described(whole));
  return write_file(path, all.dump(2) + "\n");
}

}  // namespace limber::cli
