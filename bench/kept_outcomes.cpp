// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/kept_outcomes.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "limber/base/checksum.h"

namespace limber::bench {
namespace {

using nlohmann::json;

/// All numbers of an outcome: `visit` gets the name and the field.
template <class Of, class Visit>
void visit_numbers(Of& outcome, const Visit& visit) {
  visit("phase_error", outcome.phase_error), visit("movement", outcome.movement);
  visit("true_movement", outcome.true_movement), visit("amplitude", outcome.amplitude);
  visit("skate", outcome.skate), visit("penetration", outcome.penetration), visit("jerk", outcome.jerk);
  visit("seconds", outcome.seconds), visit("residual", outcome.residual);
  visit("coverage", outcome.coverage);
}

json to_json(const std::string& run, const Outcome& outcome) {
  json line{{"run", run}, {"name", outcome.name}, {"taken_for", outcome.taken_for}, {"recognised", outcome.recognised}};
  visit_numbers(outcome, [&](const char* name, double value) { line[name] = value; });
  return line;
}

}  // namespace

KeptOutcomes::KeptOutcomes(std::filesystem::path file) : file_(std::move(file)) {
  std::ifstream lines(file_);
  for (std::string text; std::getline(lines, text);) {
    const json line = json::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    try {
      Outcome outcome;
      outcome.name = line.at("name"), outcome.taken_for = line.at("taken_for");
      outcome.recognised = line.at("recognised");
      visit_numbers(outcome, [&](const char* name, double& value) { value = line.at(name); });
      outcomes_[line.at("run")] = std::move(outcome);
    } catch (const json::exception&) {
      continue;
    }
  }
}

const Outcome* KeptOutcomes::find(const std::string& run) const {
  const auto found = outcomes_.find(run);
  return found == outcomes_.end() ? nullptr : &found->second;
}

std::filesystem::path KeptOutcomes::checkpoint(const std::string& run) const {
  if (file_.empty()) return {};
  return fmt::format("{}-{:016x}", file_.string(), Checksum().add(run).value());
}

Status KeptOutcomes::keep(const std::string& run, const Outcome& outcome) {
  outcomes_[run] = outcome;
  if (file_.empty()) return Done{};
  std::ofstream lines(file_, std::ios::app);
  lines << to_json(run, outcome).dump() << '\n';
  lines.flush();
  if (!lines) return Error{"cannot be written", file_.string()};
  return Done{};
}

}  // namespace limber::bench
