// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/part_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "limber/base/expect.h"

namespace limber::metrics {
namespace {

/// Consecutive numbers for labels, in the order of the labels.
std::map<int, std::size_t> number_labels(std::span<const int> labels) {
  std::map<int, std::size_t> numbers;
  for (const int label : labels) numbers.emplace(label, 0);
  std::size_t next = 0;
  for (auto& [label, number] : numbers) number = next++;
  return numbers;
}

/// What true and found parts share. Only what is not nothing: files may have as many labels as triangles.
struct Table {
  std::map<std::pair<std::size_t, std::size_t>, double> shared;  ///< by true and found part
  std::vector<double> of_true, of_found;
  double total = 0;
};

Table make_table(std::span<const int> found, std::span<const int> truth, std::span<const double> weights) {
  std::vector<int> said, true_labels;
  std::vector<double> counts;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] < 0) continue;
    said.push_back(std::max(found[i], -1)), true_labels.push_back(truth[i]);
    counts.push_back(weights.empty() ? 1 : weights[i]);
  }
  const std::map<int, std::size_t> rows = number_labels(true_labels), columns = number_labels(said);
  Table table;
  table.of_true.assign(rows.size(), 0.0), table.of_found.assign(columns.size(), 0.0);
  for (std::size_t i = 0; i < said.size(); ++i) {
    const std::size_t row = rows.at(true_labels[i]), column = columns.at(said[i]);
    table.shared[{row, column}] += counts[i];
    table.of_true[row] += counts[i], table.of_found[column] += counts[i], table.total += counts[i];
  }
  return table;
}

/// The adjusted Rand index of shares: pairs of points drawn with replacement, so that weights need not be whole
/// numbers.
double adjusted_rand(const Table& table) {
  const auto square_sum = [&](const std::vector<double>& parts) {
    double sum = 0;
    for (const double p : parts) sum += (p / table.total) * (p / table.total);
    return sum;
  };
  double together = 0;
  for (const auto& [pair, area] : table.shared) together += (area / table.total) * (area / table.total);
  const double a = square_sum(table.of_true), b = square_sum(table.of_found), chance = a * b;
  const double best = 0.5 * (a + b);
  return best - chance > 1e-12 ? (together - chance) / (best - chance) : 1;  // both have one part only
}

}  // namespace

PartAgreement part_agreement(std::span<const int> found, std::span<const int> truth, std::span<const double> weights,
                             double least_share) {
  LIMBER_EXPECT(found.size() == truth.size() && (weights.empty() || weights.size() == truth.size()),
                fmt::format("{} found, {} true, {} weights", found.size(), truth.size(), weights.size()));
  const Table table = make_table(found, truth, weights);
  PartAgreement agreement;
  if (!(table.total > 0)) return agreement;
  agreement.found_parts = static_cast<int>(table.of_found.size());
  agreement.ari = adjusted_rand(table);
  // Who shares most with a found part has it for its own.
  std::vector<std::size_t> owner(table.of_found.size(), 0);
  std::vector<double> owned(table.of_found.size(), 0.0);
  for (const auto& [pair, both] : table.shared) {
    if (both > owned[pair.second]) owned[pair.second] = both, owner[pair.second] = pair.first;
  }
  struct Best {
    double iou = 0, f1 = 0, covered = 0;
  };
  std::vector<Best> best(table.of_true.size());
  for (const auto& [pair, both] : table.shared) {
    const auto [r, c] = pair;
    const double sum = table.of_true[r] + table.of_found[c];
    if (!(both > 0)) continue;
    best[r].iou = std::max(best[r].iou, both / (sum - both)), best[r].f1 = std::max(best[r].f1, 2 * both / sum);
    if (owner[c] == r) best[r].covered = std::max(best[r].covered, both / table.of_true[r]);
  }
  for (std::size_t r = 0; r < best.size(); ++r) {
    if (table.of_true[r] < least_share * table.total) continue;
    ++agreement.true_parts;
    agreement.miou += best[r].iou, agreement.f1 += best[r].f1, agreement.accuracy += best[r].covered;
  }
  const double count = std::max(1, agreement.true_parts);
  agreement.miou /= count, agreement.f1 /= count, agreement.accuracy /= count;
  return agreement;
}

}  // namespace limber::metrics
