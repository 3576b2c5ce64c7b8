// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/kept_outcomes.h"

#include <fmt/format.h>

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
}

json to_json(const Outcome& outcome) {
  json line{{"name", outcome.name}, {"taken_for", outcome.taken_for}, {"recognised", outcome.recognised}};
  visit_numbers(outcome, [&](const char* name, double value) { line[name] = value; });
  return line;
}

}  // namespace

KeptOutcomes::KeptOutcomes(std::filesystem::path file) : lines_(std::move(file)) {
  lines_.visit([&](const std::string& run, const json& line) {
    Outcome outcome;
    outcome.name = line.at("name"), outcome.taken_for = line.at("taken_for");
    outcome.recognised = line.at("recognised");
    visit_numbers(outcome, [&](const char* name, double& value) { value = kept_number(line, name); });
    outcomes_[run] = std::move(outcome);
  });
}

const Outcome* KeptOutcomes::find(const std::string& run) const {
  const auto found = outcomes_.find(run);
  return found == outcomes_.end() ? nullptr : &found->second;
}

std::filesystem::path KeptOutcomes::checkpoint(const std::string& run) const {
  if (lines_.file().empty()) return {};
  return fmt::format("{}-{:016x}", lines_.file().string(), Checksum().add(run).value());
}

Status KeptOutcomes::keep(const std::string& run, const Outcome& outcome) {
  outcomes_[run] = outcome;
  return lines_.append(run, to_json(outcome));
}

}  // namespace limber::bench
