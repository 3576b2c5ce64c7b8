// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/view_agreement.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace limber::parts {
namespace {

/// Steps of a byte that count as one place: a 64th of the body's box, as much as a pixel shows.
constexpr int kPlaceStep = 2;

/// What pictures say of one place, in their order.
using Opinions = std::map<std::array<int, 4>, std::vector<int>>;  // by set of views and place

/// The label that most pixels of a picture give each place that it shows.
void add_picture(const LabelledPictures& view, int set, std::size_t first, std::size_t count, Opinions& opinions) {
  std::map<std::array<int, 4>, std::map<int, int>> votes;
  for (std::size_t i = first; i < first + count; ++i) {
    if (view.labels[i] < 0) continue;
    const std::uint8_t* place = view.pictures.places.data() + 3 * i;
    ++votes[{set, place[0] / kPlaceStep, place[1] / kPlaceStep, place[2] / kPlaceStep}][view.labels[i]];
  }
  for (const auto& [place, labels] : votes) {
    int best = labels.begin()->first;
    for (const auto& [label, pixels] : labels) best = pixels > labels.at(best) ? label : best;
    opinions[place].push_back(best);
  }
}

double squares(const std::map<int, double>& counts, double total) {
  double sum = 0;
  for (const auto& [label, count] : counts) sum += (count / total) * (count / total);
  return sum;
}

}  // namespace

double view_agreement(std::span<const LabelledPictures> views) {
  Opinions opinions;
  for (std::size_t set = 0; set < views.size(); ++set) {
    const SurfacePictures& p = views[set].pictures;
    const std::size_t each = p.pixels() / static_cast<std::size_t>(p.pictures());
    for (std::size_t k = 0; k < static_cast<std::size_t>(p.pictures()); ++k)
      add_picture(views[set], static_cast<int>(set), k * each, each, opinions);
  }
  // Hubert and Arabie 1985, of pairs drawn with replacement.
  std::map<std::pair<int, int>, double> shared;
  std::map<int, double> of_first, of_second;
  double total = 0;
  for (const auto& [place, labels] : opinions) {
    for (std::size_t k = 0; k + 1 < labels.size(); ++k)
      shared[{labels[k], labels[k + 1]}] += 1, of_first[labels[k]] += 1, of_second[labels[k + 1]] += 1, total += 1;
  }
  if (!(total > 0)) return 1;
  double together = 0;
  for (const auto& [labels, count] : shared) together += (count / total) * (count / total);
  const double a = squares(of_first, total), b = squares(of_second, total), best = 0.5 * (a + b);
  return best - a * b > 1e-12 ? (together - a * b) / (best - a * b) : 1;
}

}  // namespace limber::parts
