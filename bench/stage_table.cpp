// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/stage_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "limber/metrics/mean_of_bodies.h"

namespace limber::bench {
namespace {

using metrics::MeanOfBodies;
using ByBody = std::map<std::string, double>;

/// Which entries count.
struct Which {
  std::string row;
  std::optional<Group> group;  ///< none: all
  std::string kind;            ///< empty: all
  bool best = false;           ///< the nearest of several seeds, rather than their mean
};

/// How a number is averaged: factors as they are by their logarithms, and how far off they are by what those come to.
enum class As { kFigure, kGap };

double number(const Entry& entry, std::size_t m, As as) {
  const double value = entry.measured[m];
  if (kMeasures[m].reading != Reading::kFactor) return value;
  return as == As::kGap ? std::abs(std::log(value)) : std::log(value);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Every body's mean over what it was asked for, each of which is the mean over seeds or the best of them.
ByBody by_body(const std::vector<Entry>& entries, const Which& which, std::size_t m, As as) {
  std::map<std::string, std::map<std::string, std::vector<double>>> bodies;
  for (const Entry& entry : entries) {
    if (entry.row != which.row || (which.group && entry.group != *which.group)) continue;
    if (!which.kind.empty() && entry.kind != which.kind) continue;
    const double value = number(entry, m, as);
    if (std::isfinite(value)) bodies[entry.path][entry.asked].push_back(value);
  }
  ByBody values;
  for (const auto& [path, asked] : bodies) {
    std::vector<double> each;
    for (const auto& [what, seeds] : asked) {
      each.push_back(which.best ? *std::min_element(seeds.begin(), seeds.end()) : mean(seeds));
    }
    values[path] = mean(each);
  }
  return values;
}

MeanOfBodies mean_of(const ByBody& bodies) {
  std::vector<double> values;
  for (const auto& [path, value] : bodies) values.push_back(value);
  return metrics::mean_of_bodies(values);
}

/// What `of` has more than `than`, of the bodies that both have.
MeanOfBodies difference(const ByBody& of, const ByBody& than) {
  std::vector<double> values;
  for (const auto& [path, value] : of) {
    if (const auto other = than.find(path); other != than.end()) values.push_back(value - other->second);
  }
  return metrics::mean_of_bodies(values);
}

std::string text_of(const MeanOfBodies& mean, Reading reading, As as) {
  if (mean.bodies == 0) return "";
  const bool factor = reading == Reading::kFactor && as == As::kFigure;
  const double value = factor ? std::exp(mean.mean) : mean.mean, error = factor ? std::exp(mean.error) : mean.error;
  if (mean.bodies == 1) return fmt::format("{:.3f}", value);
  return fmt::format("{:.3f} {} {:.3f}", value, factor ? "×/÷" : "±", error);
}

// --- whether measures tell good from bad -----------------------------------------------------------------------------

struct Separation {
  MeanOfBodies take, still, action;
  double from_still = 0, from_action = 0;  ///< standard errors
  bool separates = false;
};

Separation separation_of(const std::vector<Entry>& entries, std::size_t m) {
  const auto values = [&](const char* row) {
    return mean_of(by_body(entries, {row, std::nullopt, "", false}, m, As::kGap));
  };
  const char* ceiling = m == kDoubted ? kResampled : kAnotherTake;
  Separation result{values(ceiling), values(kStill), values(kAnotherAction), 0, 0, false};
  result.from_still = metrics::standard_errors_apart(result.still, result.take);
  result.from_action = metrics::standard_errors_apart(result.action, result.take);
  result.separates = result.from_still >= kApart && result.from_action >= kApart;
  return result;
}

Table separation_table(const std::vector<Separation>& all, Report& report) {
  Table table{
      "Whether measures tell good from bad: how far off, factors as logarithms",
      "No network has a say here, so bodies that networks were taught with and people count, too; but for the judge, "
      "which is asked of bodies that it was not taught, about the artist's own clip. A measure separates where "
      "another take is nearer than both floors by 4 standard errors.",
      {"measure", kAnotherTake, "bodies", kStill, kAnotherAction, "bodies", "errors from still", "errors from action",
       ""},
      {}};
  for (std::size_t m = 0; m < all.size(); ++m) {
    const Separation& s = all[m];
    const auto text = [&](const MeanOfBodies& mean) { return text_of(mean, kMeasures[m].reading, As::kGap); };
    const std::string verdict = s.separates              ? "separates"
                                : s.from_still >= kApart ? "does not separate (from still alone)"
                                                         : "does not separate";
    table.lines.push_back({kMeasures[m].name, text(s.take), fmt::format("{}", s.take.bodies), text(s.still),
                           text(s.action), fmt::format("{}", s.action.bodies), fmt::format("{:.1f}", s.from_still),
                           fmt::format("{:.1f}", s.from_action), verdict});
    report.rows.push_back({fmt::format("stages/separates/{}", kMeasures[m].name), std::min(s.from_still, s.from_action),
                           "standard errors", fmt::format(">= {:.0f}", kApart),
                           fmt::format("{}, {} bodies have two takes", verdict, s.take.bodies)});
  }
  return table;
}

// --- tables ----------------------------------------------------------------------------------------------------------

/// Some of the measures, as columns.
struct Columns {
  const char* called;
  std::size_t from, to;
};
constexpr Columns kColumns[]{{"what limbs and joints do", 0, kFirstNatural},
                             {"whether it looks natural", kFirstNatural, kMeasureCount}};
constexpr const char* kSign = " (!)";  // behind a measure that does not separate
constexpr const char* kSignNote = "(!): does not separate, so nothing follows from it.";

std::vector<std::string> header_of(const std::string& first, const Columns& columns,
                                   const std::vector<Separation>& separations) {
  std::vector<std::string> header{first};
  for (std::size_t m = columns.from; m < columns.to; ++m) {
    header.push_back(std::string(kMeasures[m].name) + (separations[m].separates ? "" : kSign));
  }
  return header;
}

/// A line of figures; none where nobody has such a row.
void add_line(const std::vector<Entry>& entries, const Which& which, const std::string& called, const Columns& columns,
              Table& table) {
  std::vector<std::string> line{called};
  int bodies = 0;
  for (std::size_t m = columns.from; m < columns.to; ++m) {
    const MeanOfBodies mean = mean_of(by_body(entries, which, m, which.best ? As::kGap : As::kFigure));
    // The best of several factors is not said: it is a distance from one.
    const bool said = !which.best || kMeasures[m].reading != Reading::kFactor;
    line.push_back(said ? text_of(mean, kMeasures[m].reading, which.best ? As::kGap : As::kFigure) : "");
    bodies = std::max(bodies, mean.bodies);
  }
  if (bodies == 0) return;
  line[0] += fmt::format(" ({})", bodies);
  table.lines.push_back(std::move(line));
}

struct Part {
  std::string called;
  Group group;
  std::string kind;
};

std::vector<Part> parts_of(const std::vector<Entry>& entries) {
  std::set<std::string> kinds;
  for (const Entry& entry : entries) {
    if (entry.group == Group::kTested) kinds.insert(entry.kind);
  }
  std::vector<Part> parts{{"all tested bodies", Group::kTested, ""}};
  for (const std::string& kind : kinds) parts.push_back({kind, Group::kTested, kind});
  parts.push_back({"bodies of a template that networks have seen", Group::kTemplateSeen, ""});
  return parts;
}

std::string sign_of(const MeanOfBodies& gain) {
  const double errors = metrics::standard_errors_from_zero(gain);
  if (errors >= kBetter) return " better";
  return errors <= -kBetter ? " worse" : "";
}

/// How much nearer to the artist's one way comes than another, body by body: > 0 where it is better.
MeanOfBodies gain_of(const std::vector<Entry>& entries, const Part& part, const Comparison& compared, std::size_t m) {
  const auto values = [&](const std::string& row) {
    return by_body(entries, {row, part.group, part.kind, false}, m, As::kGap);
  };
  return difference(values(compared.than), values(compared.row));
}

Table comparison_table(const std::vector<Entry>& entries, const std::vector<Part>& parts, const Comparison& compared,
                       const Columns& columns, const std::vector<Separation>& separations) {
  Table table{fmt::format("{} against {}: how much nearer, {}", compared.row, compared.than, columns.called),
              fmt::format("By body, factors as logarithms; \"better\" and \"worse\" by {:.0f} standard errors. {}",
                          kBetter, kSignNote),
              header_of("kind of body", columns, separations),
              {}};
  for (const Part& part : parts) {
    std::vector<std::string> line{part.called};
    int bodies = 0;
    for (std::size_t m = columns.from; m < columns.to; ++m) {
      const MeanOfBodies gain = gain_of(entries, part, compared, m);
      line.push_back(text_of(gain, kMeasures[m].reading, As::kGap) + sign_of(gain));
      bodies = std::max(bodies, gain.bodies);
    }
    if (bodies == 0) continue;
    line[0] += fmt::format(" ({})", bodies);
    table.lines.push_back(std::move(line));
  }
  return table;
}

/// What to go by where one of two ways is to be chosen: the measures that separate.
Table choice_table(const std::vector<Entry>& entries, const std::vector<Part>& parts, const Comparison& compared,
                   const std::vector<Separation>& separations) {
  Table table{fmt::format("{} or {}, by measures that separate", compared.row, compared.than),
              fmt::format("By {:.0f} standard errors; of fewer than {} bodies nothing follows.", kBetter,
                          metrics::kFewestBodies),
              {"kind of body", "bodies", "better", "worse"},
              {}};
  for (const Part& part : parts) {
    std::string better, worse;
    int bodies = 0;
    for (std::size_t m = 0; m < kMeasureCount; ++m) {
      const MeanOfBodies gain = gain_of(entries, part, compared, m);
      bodies = std::max(bodies, gain.bodies);
      const double errors = metrics::standard_errors_from_zero(gain);
      if (!separations[m].separates || std::abs(errors) < kBetter) continue;
      std::string& list = errors > 0 ? better : worse;
      list += (list.empty() ? "" : ", ") + std::string(kMeasures[m].name);
    }
    if (bodies > 0) table.lines.push_back({part.called, fmt::format("{}", bodies), better, worse});
  }
  return table;
}

void add_rows(const std::vector<Entry>& entries, const std::string& row, Report& report) {
  for (std::size_t m = 0; m < kMeasureCount; ++m) {
    const MeanOfBodies mean = mean_of(by_body(entries, {row, Group::kTested, "", false}, m, As::kFigure));
    if (mean.bodies == 0) continue;
    const bool factor = kMeasures[m].reading == Reading::kFactor;
    report.rows.push_back({fmt::format("stages/{}/{}", row, kMeasures[m].name),
                           factor ? std::exp(mean.mean) : mean.mean, kMeasures[m].unit, "",
                           fmt::format("{} {:.3f}, {} bodies", factor ? "times or by" : "+-",
                                       factor ? std::exp(mean.error) : mean.error, mean.bodies)});
  }
}

}  // namespace

void add_stage_tables(const std::vector<Entry>& entries, const std::vector<std::string>& rows,
                      const std::vector<std::string>& best_of, const std::vector<Comparison>& comparisons,
                      Report& report) {
  std::vector<Separation> separations;
  for (std::size_t m = 0; m < kMeasureCount; ++m) separations.push_back(separation_of(entries, m));
  for (const std::string& row : rows) add_rows(entries, row, report);
  report.tables.push_back(separation_table(separations, report));
  const std::vector<Part> parts = parts_of(entries);
  for (const Part& part : parts) {
    for (const Columns& columns : kColumns) {
      Table table{
          fmt::format("{}: {}", part.called, columns.called), kSignNote, header_of("way", columns, separations), {}};
      for (const std::string& row : rows) {
        add_line(entries, {row, part.group, part.kind, false}, row, columns, table);
        if (std::find(best_of.begin(), best_of.end(), row) == best_of.end()) continue;
        add_line(entries, {row, part.group, part.kind, true}, row + ", the best seed", columns, table);
      }
      if (!table.lines.empty()) report.tables.push_back(std::move(table));
    }
  }
  for (const Comparison& compared : comparisons) {
    for (const Columns& columns : kColumns) {
      Table table = comparison_table(entries, parts, compared, columns, separations);
      if (!table.lines.empty()) report.tables.push_back(std::move(table));
    }
    Table choice = choice_table(entries, parts, compared, separations);
    if (!choice.lines.empty()) report.tables.push_back(std::move(choice));
  }
}

}  // namespace limber::bench
