// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed_candidates.h"

#include <algorithm>
#include <cmath>

#include "limber/base/threads.h"
#include "limber/body/limbs.h"
#include "limber/body/polyline.h"

namespace limber::skeleton {
namespace {

// How many are tried: limits of time alone.
constexpr std::size_t kMaxInner = 48;
constexpr std::size_t kMaxTips = 26;
constexpr std::size_t kMaxEnds = 8;  // of the body in its mirror plane, on top of the tips
constexpr int kLargest = 20;         // spheres that are candidates whether or not a path runs through them

// Lengths are of the body's size. All set by hand, on the zoo and the shared models.
constexpr double kThinnest = 0.2;     // of the largest radius: limbs do not meet where the body is thinner
constexpr double kSpacing = 0.025;    // inner candidates that are nearer are one ...
constexpr double kWiden = 1.25;       // ... and farther apart by this factor until there are few enough
constexpr double kMirrored = 0.012;   // error of a mirror plane that ends are looked for in
constexpr double kNearPlane = 0.025;  // spheres that are nearer lie in that plane
constexpr double kBeyondEnd = 0.05;   // how far around its own sphere an end is the farthest of all
constexpr double kAlongPlane = 0.7;   // cosine: axes nearer to the plane's normal do not lie in it
constexpr double kSameTip = 0.03;     // ends that are nearer to a tip are that tip
constexpr double kClear = 0.3;        // branch over fork radius, beyond kLimbRatio, from which on a tip is clear ...
constexpr double kFaint = 1.2;        // ... and how much less makes it as faint as can be

/// What a joint at the end of a path may be: inside the body, or the end of a limb.
BodyPath measure_path(const body::BodyShape& body, const body::ShortestPaths& paths, int to, body::LimbEnd end) {
  const body::TracedLimb limb = body::trace_limb(body, paths.path(to), end);
  double radii = 0, lengths = 0;
  for (std::size_t k = 1; k < limb.spheres.size(); ++k) {
    const double piece = body.distance(limb.spheres[k], limb.spheres[k - 1]);
    radii += piece * body.sphere(limb.spheres[k]).radius, lengths += piece;
  }
  BodyPath path;
  path.length = limb.length();
  path.radius = lengths > 0 ? radii / lengths : body.sphere(to).radius;
  path.direction = normalized(limb.end() - limb.line.front(), Vec3d{});
  const std::vector<Vec3d> even = body::resample(limb.line, kPathPieces);
  for (std::size_t k = 0; k < kPathPieces; ++k) path.directions[k] = normalized(even[k + 1] - even[k], Vec3d{});
  return path;
}

/// Spheres where limbs may meet: on the paths to the tips and not thin, then the largest; none close to an earlier one.
std::vector<Candidate> inner_candidates(const body::BodyShape& body) {
  const double largest = body.sphere(0).radius;
  std::vector<int> order{body.centre};
  for (const body::Tip& tip : body.tips) {
    for (const int s : body.paths.path(tip.sphere)) {
      if (body.sphere(s).radius >= kThinnest * largest) order.push_back(s);
    }
  }
  for (int s = 0; s < std::min(body.graph.count(), kLargest); ++s) order.push_back(s);
  for (double spacing = kSpacing * body.size;; spacing *= kWiden) {
    std::vector<Candidate> kept;
    for (const int s : order) {
      const bool near = std::any_of(kept.begin(), kept.end(), [&](const Candidate& c) {
        return c.sphere == s || body.distance(c.sphere, s) < spacing;
      });
      if (!near) kept.push_back({s, 0});
    }
    if (kept.size() <= kMaxInner) return kept;
  }
}

/// Spheres in a plane that are farther from the body's middle than any near them.
std::vector<int> farthest_of(const body::BodyShape& body, const std::vector<int>& spheres) {
  auto farness = [&](int s) { return body.paths.distance[static_cast<std::size_t>(s)] + body.sphere(s).radius; };
  std::vector<int> ends;
  for (const int s : spheres) {
    const double near = body.sphere(s).radius + kBeyondEnd * body.size;
    const bool farthest = std::all_of(spheres.begin(), spheres.end(), [&](int o) {
      return o == s || body.distance(o, s) > near || farness(o) < farness(s);
    });
    if (farthest) ends.push_back(s);
  }
  return ends;
}

/// Ends of the body in its mirror plane: heads without a neck, rumps without a tail. They do not stand out as limbs,
/// but are farther from the middle than anything near them in the plane.
std::vector<int> ends_in_plane(const body::BodyShape& body, const body::MirrorPlane& plane) {
  std::vector<int> middle;
  for (int s = 0; s < body.graph.count(); ++s) {
    if (std::abs(plane.side(body.sphere(s).centre)) < kNearPlane * body.size) middle.push_back(s);
  }
  std::vector<int> ends = farthest_of(body, middle);
  // The highest, the foremost ... too: a large head may itself be the middle that distances count from.
  for (int side = 0; side < 6; ++side) {
    Vec3d axis;
    axis[side / 2] = side % 2 == 0 ? 1 : -1;
    if (std::abs(dot(axis, plane.normal)) > kAlongPlane || middle.empty()) continue;
    auto reach = [&](int s) { return dot(axis, body.sphere(s).centre) + body.sphere(s).radius; };
    ends.push_back(*std::max_element(middle.begin(), middle.end(), [&](int a, int b) { return reach(a) < reach(b); }));
  }
  return ends;
}

std::vector<Candidate> tip_candidates(const body::BodyShape& body) {
  std::vector<Candidate> tips;
  for (const body::Tip& tip : body.tips) {
    if (tips.size() >= kMaxTips) break;
    const double ratio = tip.length / std::max(body.sphere(tip.fork).radius, 1e-12);
    tips.push_back({tip.sphere, std::clamp((body::kLimbRatio + kClear - ratio) / kFaint, 0.0, 1.0)});
  }
  const auto plane = std::min_element(body.planes.begin(), body.planes.end(),
                                      [](const auto& a, const auto& b) { return a.error < b.error; });
  if (plane == body.planes.end() || !(plane->error < kMirrored)) return tips;
  for (const int s : ends_in_plane(body, *plane)) {
    const bool known = std::any_of(tips.begin(), tips.end(), [&](const Candidate& c) {
      return body.distance(c.sphere, s) < kSameTip * body.size;
    });
    if (!known && tips.size() < kMaxTips + kMaxEnds) tips.push_back({s, 1});
  }
  return tips;
}

}  // namespace

Candidates find_candidates(const body::BodyShape& body) {
  Candidates all;
  all.inner = inner_candidates(body);
  all.tips = tip_candidates(body);
  all.paths.resize(all.inner.size());
  all.to_inner.resize(all.inner.size());
  all.to_tip.resize(all.inner.size());
  parallel_for(all.inner.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      all.paths[a] = body::shortest_paths(body.graph, all.inner[a].sphere);
      for (const Candidate& c : all.inner)
        all.to_inner[a].push_back(measure_path(body, all.paths[a], c.sphere, body::LimbEnd::kLastSphere));
      for (const Candidate& c : all.tips)
        all.to_tip[a].push_back(measure_path(body, all.paths[a], c.sphere, body::LimbEnd::kInFlesh));
    }
  });
  return all;
}

}  // namespace limber::skeleton
