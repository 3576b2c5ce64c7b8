// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/at.h"
#include "limber/base/threads.h"
#include "limber/skin/diffusion.h"

namespace limber::skin {
namespace {

constexpr double kTie = 1e-4;        ///< bones this close to the nearest share a point
constexpr double kHidden = 0.3;      ///< share of the way to a bone that may run outside of the body
constexpr double kInward = 0.2;      ///< cosine between the normal and the way from the bone
constexpr double kLeastSize = 1e-4;  ///< of the body: shorter distances count as this
constexpr double kStarving = 1e-6;   ///< share of the surface below which a bone holds nothing

/// A bone as one point of the surface sees it.
struct Candidate {
  int bone = 0;
  double distance = 0;
  double facing = 1;  ///< 1 where the surface turns its back to the bone, near 0 where it faces it
  double score = std::numeric_limits<double>::infinity();
  double outside = 0;
  Vec3d place;
};

bool better(const Candidate& a, const Candidate& b) { return a.score != b.score ? a.score < b.score : a.bone < b.bone; }

Candidate see_bone(const SkinBody& body, const SkinBone& bone, std::size_t v) {
  Candidate best;
  const Vec3d p = body.surface.points[v];
  for (const body::Segment& segment : bone.segments) {
    Candidate candidate;
    candidate.place = body::closest_on_segment(p, segment);
    candidate.distance = norm(p - candidate.place);
    const double cosine = candidate.distance > 0 ? dot(body.normals[v], p - candidate.place) / candidate.distance : 1.0;
    candidate.facing = 0.5 * (cosine + 1.001);
    candidate.score = candidate.distance / candidate.facing;
    if (candidate.score < best.score) best = candidate;
  }
  return best;
}

/// The bones of one point, best first, with what is outside of the body added; only those that can win are looked at.
void rank_bones(const SkinBody& body, std::span<const SkinBone> bones, std::size_t v, std::vector<Candidate>& ranked) {
  ranked.clear();
  for (std::size_t b = 0; b < bones.size(); ++b) {
    ranked.push_back(see_bone(body, bones[b], v));
    ranked.back().bone = static_cast<int>(b);
  }
  // The next best comes off a heap: most points look at no more than two.
  const auto worse = [](const Candidate& a, const Candidate& b) { return better(b, a); };
  std::make_heap(ranked.begin(), ranked.end(), worse);
  double bound = std::numeric_limits<double>::infinity();
  auto heap_end = ranked.end();
  while (heap_end != ranked.begin() && ranked.front().score <= bound * (1 + kTie)) {
    std::pop_heap(ranked.begin(), heap_end, worse);
    Candidate& candidate = *--heap_end;
    candidate.outside = way_outside(body.field, body.surface.points[v], candidate.place);
    candidate.score += candidate.outside / candidate.facing;
    bound = std::min(bound, candidate.score);
  }
  ranked.erase(ranked.begin(), heap_end);
  std::sort(ranked.begin(), ranked.end(), better);
}

void bind_point(const SkinBody& body, std::size_t v, const std::vector<Candidate>& ranked, BoneBinding& binding) {
  const Candidate& best = ranked.front();
  binding.distance[v] = best.distance;
  for (const Candidate& candidate : ranked) {
    if (candidate.score <= best.score * (1 + kTie)) binding.bones[v].push_back(candidate.bone);
  }
  const bool hidden = best.outside > kHidden * best.distance;
  binding.hidden[v] = hidden;
  binding.inward[v] = !hidden && dot(body.normals[v], body.surface.points[v] - best.place) > kInward * best.distance;
}

/// Bones that hold nothing get the points to which they are nearest relative to their depth in the body.
void feed_starving(const SkinBody& body, std::span<const SkinBone> bones, BoneBinding& binding) {
  std::vector<double> held(bones.size(), 0);
  double total = 0;
  for (std::size_t v = 0; v < binding.bones.size(); ++v) {
    total += body.areas[v];
    for (const int bone : binding.bones[v]) held[at(bone)] += body.areas[v];
  }
  std::vector<int> starving;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (held[b] < kStarving * total) starving.push_back(static_cast<int>(b));
  }
  if (starving.empty()) return;
  const auto relative = [&](int bone, std::size_t v, Candidate& seen) {
    seen = see_bone(body, bones[at(bone)], v);
    const double depth = std::max(0.0, body.field.depth(seen.place));
    return (seen.distance - depth) / seen.facing + way_outside(body.field, body.surface.points[v], seen.place);
  };
  std::vector<int> winner(binding.bones.size(), -1);
  std::vector<double> distance(binding.bones.size(), 0);
  parallel_for(binding.bones.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      Candidate seen;
      double least = relative(binding.bones[v][0], v, seen);
      for (const int bone : starving) {
        const double score = relative(bone, v, seen);
        if (score < least) least = score, winner[v] = bone, distance[v] = seen.distance;
      }
    }
  });
  for (std::size_t v = 0; v < winner.size(); ++v) {
    if (winner[v] < 0) continue;
    binding.bones[v] = {winner[v]};
    binding.distance[v] = distance[v];
    if (std::find(binding.fed.begin(), binding.fed.end(), winner[v]) == binding.fed.end()) {
      binding.fed.push_back(winner[v]);
    }
  }
  std::sort(binding.fed.begin(), binding.fed.end());
}

}  // namespace

BoneBinding bind_to_bones(const SkinBody& body, std::span<const SkinBone> bones) {
  LIMBER_EXPECT(!bones.empty(), "no bones");
  const std::size_t count = body.surface.points.size();
  BoneBinding binding;
  binding.bones.resize(count);
  binding.distance.resize(count);
  binding.hidden.resize(count);
  binding.inward.resize(count);
  parallel_for(count, 256, [&](std::size_t begin, std::size_t end) {
    std::vector<Candidate> ranked;
    for (std::size_t v = begin; v < end; ++v) {
      rank_bones(body, bones, v, ranked);
      bind_point(body, v, ranked, binding);
    }
  });
  feed_starving(body, bones, binding);
  return binding;
}

std::vector<std::vector<rig::Influence>> skin_heat(const SkinBody& body, std::span<const SkinBone> bones,
                                                   const BoneBinding& binding, const HeatSettings& settings) {
  LIMBER_EXPECT(settings.stiffness > 0, fmt::format("stiffness {}", settings.stiffness));
  const std::size_t count = body.surface.points.size();
  LIMBER_EXPECT(binding.bones.size() == count, fmt::format("{} bound points of {}", binding.bones.size(), count));
  std::vector<bool> sees_bone(at(body.surface.component_count), false);
  for (std::size_t v = 0; v < count; ++v) {
    if (!binding.hidden[v]) sees_bone[at(body.surface.component[v])] = true;
  }
  const double least = kLeastSize * norm(body.surface.high - body.surface.low);
  std::vector<Hold> holds(count);
  for (std::size_t v = 0; v < count; ++v) {
    if (binding.hidden[v] && sees_bone[at(body.surface.component[v])]) continue;
    const double distance = std::max({binding.distance[v], least, 1e-30});
    holds[v] = {settings.stiffness / (distance * distance), binding.bones[v]};
  }
  return diffuse_holds(body, holds, bones.size());
}

}  // namespace limber::skin
