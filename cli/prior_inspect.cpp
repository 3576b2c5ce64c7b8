// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "prior_inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "command.h"

namespace limber::cli {
namespace {

/// "11.6 GB"
std::string readable(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return value >= 1e9 ? fmt::format("{:.1f} GB", value * 1e-9) : fmt::format("{:.1f} MB", value * 1e-6);
}

nlohmann::ordered_json describe(const prior::Checkpoint& checkpoint, const prior::CheckpointReport& report) {
  const prior::VideoSize size = prior::native_size(checkpoint);
  nlohmann::ordered_json components = nlohmann::json::array();
  for (const prior::ComponentReport& component : report.components) {
    components.push_back({{"name", component.name},
                          {"present", component.present},
                          {"parameters", component.parameters},
                          {"file_bytes", component.file_bytes},
                          {"types", component.types},
                          {"problems", component.problems}});
  }
  nlohmann::ordered_json memory;
  for (const auto& [name, bytes] : {std::pair{"bfloat16", 2}, std::pair{"float32", 4}}) {
    const prior::MemoryNeed need = prior::memory_needed(checkpoint, size, bytes);
    memory[name] = {
        {"weights", need.weights}, {"offloaded", need.offloaded},     {"text_encoder", need.text_encoder},
        {"score", need.score()},   {"score_kept", need.score_kept()}, {"score_sampled", need.score_sampled()},
        {"sample", need.sample()}};
  }
  return {{"path", checkpoint.path.string()},
          {"name", checkpoint.name},
          {"frames", size.frames},
          {"height", size.height},
          {"width", size.width},
          {"complete", report.complete()},
          {"components", components},
          {"memory", memory},
          {"notes", checkpoint.notes}};
}

void print_inspection(const prior::Checkpoint& checkpoint, const prior::CheckpointReport& report) {
  const prior::VideoSize size = prior::native_size(checkpoint);
  fmt::print("{}\n  {}: {} frames of {} x {}\n", checkpoint.path.string(), checkpoint.name, size.frames, size.width,
             size.height);
  for (const prior::ComponentReport& component : report.components) {
    fmt::print("  {:<12} {:>14} parameters, {:>9} on disk {}\n", component.name, component.parameters,
               readable(component.file_bytes), fmt::join(component.types, " "));
    for (std::size_t i = 0; i < std::min<std::size_t>(component.problems.size(), 8); ++i) {
      fmt::print("    {}\n", component.problems[i]);
    }
    if (component.problems.size() > 8) fmt::print("    and {} more\n", component.problems.size() - 8);
  }
  for (const auto& [name, bytes] : {std::pair{"bfloat16", 2}, std::pair{"float32", 4}}) {
    const prior::MemoryNeed need = prior::memory_needed(checkpoint, size, bytes);
    fmt::print("  {:<9} needs {} for the weights ({} with --offload), about {} to score and {} to sample this size\n",
               name, readable(need.weights), readable(need.weights - need.offloaded), readable(need.score()),
               readable(need.sample()));
  }
  for (const std::string& note : checkpoint.notes) fmt::print("  note: {}\n", note);
  fmt::print("  {}\n", report.complete() ? "complete" : "incomplete");
}

}  // namespace

Status inspect_checkpoint(const Terminal& terminal, const prior::Checkpoint& checkpoint) {
  const prior::CheckpointReport report = prior::inspect_components(checkpoint);
  if (terminal.json) {
    print_json(describe(checkpoint, report));
  } else {
    print_inspection(checkpoint, report);
  }
  return Done{};
}

}  // namespace limber::cli
