// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/shown_limbs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "limber/base/at.h"
#include "limber/body/limbs.h"
#include "limber/body/segment.h"
#include "limber/rig/role.h"

namespace limber::skeleton {
namespace {

using anatomy::ReadLimb;
using rig::LimbKind;
using rig::Side;

// Lengths are of the body's size. All set by hand, on random creatures of the zoo.
constexpr double kOwn = 0.6;         // of a limb's length: what shares more with a longer one is a branch of that
constexpr double kLeastLimb = 0.1;   // what stands out less is a bump
constexpr double kRead = 0.6;        // of its own flesh that was read to be of its kind
constexpr double kPossible = 0.02;   // share of the reading's counts: what is less likely is not believed
constexpr double kAside = 0.03;      // farther from the middle, on the mean, it belongs to a side
constexpr std::size_t kTelling = 5;  // points about a sphere that tell what its flesh is
constexpr std::size_t kMisread = 2;  // spheres in a row that may have been read otherwise
constexpr int kPieces = 8;           // of a limb's line

using limber::at;
std::size_t at(LimbKind kind) { return static_cast<std::size_t>(kind); }

/// Per sphere: the kind of limb that most of the points next to it were read to be of.
std::vector<LimbKind> kinds_of_flesh(const body::BodyShape& body, const anatomy::BodyReading& reading) {
  std::vector<LimbKind> kinds;
  std::vector<std::pair<double, std::size_t>> near(reading.points.size());
  for (const body::MedialSphere& sphere : body.graph.spheres) {
    for (std::size_t p = 0; p < near.size(); ++p) near[p] = {squared_norm(reading.points[p] - sphere.centre), p};
    const std::size_t telling = std::min(kTelling, near.size());
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(telling), near.end());
    std::array<int, rig::kLimbKindCount> votes{};
    for (std::size_t k = 0; k < telling; ++k) ++votes[at(reading.limb_kinds[near[k].second])];
    kinds.push_back(static_cast<LimbKind>(std::max_element(votes.begin(), votes.end()) - votes.begin()));
  }
  return kinds;
}

/// A limb of one kind.
struct ShownLimb {
  LimbKind kind = LimbKind::kTrunk;
  std::vector<Vec3d> line;
  double read = 0;  ///< share of its own flesh that was read to be of the kind
};

/// What most of the flesh beyond a branch's fork was read to be of, and how much of it; a trunk where there is none.
std::pair<LimbKind, double> kind_of_branch(const body::BodyShape& body, const std::vector<LimbKind>& kinds,
                                           const std::vector<int>& path, double fork) {
  std::array<double, rig::kLimbKindCount> lengths{};
  double total = 0;
  for (std::size_t k = 1; k < path.size(); ++k) {
    if (body.paths.distance[at(path[k])] <= fork) continue;
    const double length = body.distance(path[k], path[k - 1]);
    lengths[at(kinds[at(path[k])])] += length, total += length;
  }
  const auto most = std::max_element(lengths.begin(), lengths.end());
  return {static_cast<LimbKind>(most - lengths.begin()), total > 0 ? *most / total : 0};
}

/// Where on a path the flesh of a kind begins that goes on to its end.
std::size_t root_of(const std::vector<LimbKind>& kinds, const std::vector<int>& path, LimbKind kind) {
  std::size_t root = path.size() - 1;
  for (std::size_t k = path.size() - 1; k-- > 0 && root - k <= kMisread;) {
    if (kinds[at(path[k])] == kind) root = k;
  }
  return root;
}

/// The limb that ends at a tip; none where that is a bump, or a branch of another limb of its kind.
std::optional<ShownLimb> limb_to(const body::BodyShape& body, const std::vector<LimbKind>& kinds,
                                 const body::Tip& tip) {
  if (tip.length < body::kLimbRatio * body.sphere(tip.fork).radius) return std::nullopt;
  const std::vector<int> path = body.paths.path(tip.sphere);
  const double fork = body.paths.distance[at(tip.fork)];
  const auto [kind, read] = kind_of_branch(body, kinds, path, fork);
  const bool branches =
      kind == LimbKind::kLeg || kind == LimbKind::kArm || kind == LimbKind::kWing || kind == LimbKind::kTentacle;
  if (!branches || read < kRead) return std::nullopt;
  const std::size_t root = root_of(kinds, path, kind);
  double all = body.sphere(path.back()).radius, own = all;
  for (std::size_t k = root + 1; k < path.size(); ++k) {
    const double length = body.distance(path[k], path[k - 1]);
    all += length, own += body.paths.distance[at(path[k])] > fork ? length : 0;
  }
  if (own < kOwn * all || own < kLeastLimb * body.size) return std::nullopt;
  body::TracedLimb traced = body::trace_limb(body, path, body::LimbEnd::kInFlesh, root);
  traced.make_even(kPieces);
  return ShownLimb{kind, std::move(traced.line), read};
}

/// Which side a limb is on, of a trunk that stands and looks as was read.
Side side_of(const body::BodyShape& body, const anatomy::BodyReading& reading, const std::vector<Vec3d>& line) {
  const Vec3d left = normalized(cross(reading.up, reading.forward), Vec3d{});
  const Vec3d middle = 0.5 * (reading.limbs[0].root + reading.limbs[0].tip);
  double aside = 0;
  for (const Vec3d& p : line) aside += dot(p - middle, left) / static_cast<double>(line.size());
  if (std::abs(aside) < kAside * body.size) return Side::kMiddle;
  return aside > 0 ? Side::kLeft : Side::kRight;
}

/// The limb of `first` to `last` that passes nearest to a point.
std::size_t nearest_limb(const std::vector<ReadLimb>& limbs, std::size_t first, std::size_t last, Vec3d point) {
  std::size_t best = first;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = first; i < last; ++i) {
    const std::vector<Vec3d>& starts = limbs[i].starts;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const Vec3d end = k + 1 < starts.size() ? starts[k + 1] : limbs[i].tip;
      const double away = squared_norm(point - body::closest_on_segment(point, {starts[k], end}));
      if (away < least) least = away, best = i;
    }
  }
  return best;
}

/// Puts limbs of one kind in the place of those that were read.
void replace(const body::BodyShape& body, LimbKind kind, const std::vector<ShownLimb>& shown,
             anatomy::BodyReading& reading) {
  std::vector<ReadLimb> limbs{reading.limbs[0]};
  for (const ShownLimb& limb : shown) {
    if (limb.kind != kind) continue;
    ReadLimb own;
    own.kind = kind, own.side = side_of(body, reading, limb.line), own.parent = 0;
    own.root = limb.line.front(), own.tip = limb.line.back(), own.confidence = limb.read;
    own.starts.assign(limb.line.begin(), limb.line.end() - 1);
    limbs.push_back(std::move(own));
  }
  const std::size_t last = limbs.size();
  for (std::size_t p = 0; p < reading.points.size(); ++p) {
    if (reading.limb_kinds[p] == kind)
      limbs[nearest_limb(limbs, 1, last, reading.points[p])].points.push_back(static_cast<int>(p));
  }
  // What left a limb that is gone leaves the one that is there now.
  std::vector<int> place(reading.limbs.size(), -1);
  place[0] = 0;
  for (std::size_t i = 1; i < reading.limbs.size(); ++i) {
    ReadLimb& limb = reading.limbs[i];
    if (limb.kind == kind) continue;
    const int parent = limb.parent < 0 ? 0 : place[at(limb.parent)];
    limb.parent = parent >= 0 ? parent : static_cast<int>(nearest_limb(limbs, 1, last, limb.root));
    place[i] = static_cast<int>(limbs.size());
    limbs.push_back(std::move(limb));
  }
  reading.limbs = std::move(limbs);
}

}  // namespace

void tell_limbs_apart(const body::BodyShape& body, anatomy::BodyReading& reading) {
  if (reading.limbs.empty() || reading.limb_kinds.empty() || reading.limb_kinds.size() != reading.points.size()) return;
  const std::vector<LimbKind> kinds = kinds_of_flesh(body, reading);
  std::vector<ShownLimb> shown;
  for (const body::Tip& tip : body.tips) {
    if (auto limb = limb_to(body, kinds, tip)) shown.push_back(std::move(*limb));
  }
  for (const LimbKind kind : {LimbKind::kLeg, LimbKind::kArm, LimbKind::kWing, LimbKind::kTentacle}) {
    const auto is_one = [&](const auto& limb) { return limb.kind == kind; };
    const auto seen = std::count_if(shown.begin(), shown.end(), is_one);
    const auto read = std::count_if(reading.limbs.begin(), reading.limbs.end(), is_one);
    const auto& shares = reading.counts[at(kind)];
    const bool possible = shares[std::min(static_cast<std::size_t>(seen), shares.size() - 1)] >= kPossible;
    // All but tentacles come in pairs: an odd one more is rather something else.
    const bool paired = kind == LimbKind::kTentacle || seen % 2 == 0;
    // Counts end at many, and do not tell thirteen legs from twelve.
    const bool miscounted = kind != LimbKind::kTentacle && read % 2 == 1 && std::min(seen, read) >= anatomy::kMany;
    if ((seen > read || miscounted) && possible && paired) replace(body, kind, shown, reading);
  }
}

}  // namespace limber::skeleton
