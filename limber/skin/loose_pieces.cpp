// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/loose_pieces.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "limber/base/at.h"
#include "limber/base/threads.h"
#include "limber/body/triangle_bvh.h"
#include "limber/skin/diffusion.h"

namespace limber::skin {
namespace {

constexpr double kBoneInside = 0.75;  ///< share of a component that must turn its back to its bone
constexpr double kThreaded = 0.2;     ///< of a component's size: length of bone in its surface that makes it the bone's
constexpr double kInSurface = 2;      ///< cells: a bone this near to a sheet runs in it
constexpr int kMaxSteps = 64;         ///< places at which a bone is looked at
constexpr double kWhole = 0.15;       ///< of the body's size: smaller pieces move as a whole
constexpr float kOneBone = 0.5f;      ///< a small piece that a bone has more than this of is all its
constexpr double kSubstantial = 0.005;    ///< of the surface: a piece to be counted
constexpr int kMachinePieces = 16;        ///< a machine has at least this many
constexpr double kMachineLargest = 0.25;  ///< of the surface: none of them has more
constexpr double kClosed = 0.25;          ///< of a piece: what its normals may sum to
constexpr double kBending = 0.25;   ///< of a piece: a bone without a piece of its own that has more of one bends it
constexpr double kContact = 0.005;  ///< of the body's size: how far contact reaches

/// Bounding boxes of the components.
struct Box {
  Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
};

std::vector<Box> component_boxes(const body::WeldedSurface& surface) {
  std::vector<Box> boxes(at(surface.component_count));
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    Box& box = boxes[at(surface.component[v])];
    box.low = min(box.low, surface.points[v]), box.high = max(box.high, surface.points[v]);
  }
  return boxes;
}

/// What of the surface belongs to each component.
struct Pieces {
  std::vector<std::vector<body::Triangle>> triangles;
  std::vector<std::vector<int>> bones;  ///< that its points are bound to, sorted
};

Pieces split_pieces(const body::WeldedSurface& surface, const BoneBinding& binding) {
  Pieces pieces;
  pieces.triangles.resize(at(surface.component_count));
  pieces.bones.resize(at(surface.component_count));
  for (const body::Triangle& t : surface.triangles) pieces.triangles[at(surface.component[t[0]])].push_back(t);
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    std::vector<int>& bones = pieces.bones[at(surface.component[v])];
    // Neighbours mostly have the same bone: few go through to be sorted.
    for (const int bone : binding.bones[v]) {
      if (bones.empty() || bones.back() != bone) bones.push_back(bone);
    }
  }
  for (std::vector<int>& bones : pieces.bones) {
    std::sort(bones.begin(), bones.end());
    bones.erase(std::unique(bones.begin(), bones.end()), bones.end());
  }
  return pieces;
}

/// How much bone runs within `reach` of these triangles.
double length_in_surface(const SkinBody& body, const std::vector<body::Triangle>& triangles,
                         std::span<const SkinBone> bones, const std::vector<int>& bound, double reach) {
  const body::TriangleBvh search(body.surface.points, triangles);
  double length = 0;
  for (const int bone : bound) {
    for (const body::Segment& segment : bones[at(bone)].segments) {
      const double whole = norm(segment.to - segment.from);
      const int steps = static_cast<int>(std::clamp(whole / body.field.grid().cell, 1.0, double(kMaxSteps)));
      for (int k = 0; k < steps; ++k) {
        if (search.closest(lerp(segment.from, segment.to, (k + 0.5) / steps), reach)) length += whole / steps;
      }
    }
  }
  return length;
}

/// A point's weights where it touches the body.
struct Contact {
  std::vector<rig::Influence> row;
  double distance = 0;
};

Contact find_contact(const body::TriangleBvh& search, const std::vector<body::Triangle>& triangles, Vec3d point,
                     const std::vector<std::vector<rig::Influence>>& rows) {
  Contact contact;
  const auto nearest = search.closest(point);
  if (!nearest) return contact;
  contact.distance = nearest->distance;
  std::map<std::uint16_t, double> sum;
  for (int k = 0; k < 3; ++k) {
    for (const rig::Influence& influence : rows[triangles[nearest->triangle][at(k)]]) {
      sum[influence.bone] += nearest->barycentric[k] * influence.weight;
    }
  }
  for (const auto& [bone, weight] : sum) contact.row.push_back({bone, static_cast<float>(weight)});
  keep_heaviest(contact.row, rig::kMaxInfluences);
  return contact;
}

}  // namespace

std::vector<bool> find_loose_pieces(const SkinBody& body, std::span<const SkinBone> bones, const BoneBinding& binding) {
  const std::size_t count = at(body.surface.component_count);
  std::vector<double> area(count, 0), inward(count, 0);
  for (std::size_t v = 0; v < body.surface.points.size(); ++v) {
    const std::size_t piece = at(body.surface.component[v]);
    area[piece] += body.areas[v];
    if (binding.inward[v]) inward[piece] += body.areas[v];
  }
  std::vector<bool> loose(count, false);
  if (count < 2) return loose;
  const auto largest = static_cast<std::size_t>(std::max_element(area.begin(), area.end()) - area.begin());
  const Pieces pieces = split_pieces(body.surface, binding);
  const std::vector<Box> boxes = component_boxes(body.surface);
  const double reach = kInSurface * body.field.grid().cell;
  for (std::size_t k = 0; k < count; ++k) {
    if (k == largest || inward[k] > kBoneInside * area[k]) continue;
    const double size = norm(boxes[k].high - boxes[k].low);
    loose[k] = length_in_surface(body, pieces.triangles[k], bones, pieces.bones[k], reach) <= kThreaded * size;
  }
  return loose;
}

void attach_loose_pieces(const SkinBody& body, const std::vector<bool>& loose,
                         std::vector<std::vector<rig::Influence>>& rows) {
  if (std::find(loose.begin(), loose.end(), true) == loose.end()) return;
  const body::WeldedSurface& surface = body.surface;
  std::vector<body::Triangle> triangles;
  for (const body::Triangle& t : surface.triangles) {
    if (!loose[at(surface.component[t[0]])]) triangles.push_back(t);
  }
  if (triangles.empty()) return;
  const body::TriangleBvh search(surface.points, triangles);
  std::vector<Contact> contacts(surface.points.size());
  parallel_for(surface.points.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (loose[at(surface.component[v])]) contacts[v] = find_contact(search, triangles, surface.points[v], rows);
    }
  });

  const std::vector<Box> boxes = component_boxes(surface);
  const double size = norm(surface.high - surface.low), reach = kContact * size;
  std::vector<std::map<std::uint16_t, double>> means(loose.size());
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const double share = (body.areas[v] + 1e-30) / (contacts[v].distance * contacts[v].distance + reach * reach);
    for (const rig::Influence& influence : contacts[v].row) {
      means[at(surface.component[v])][influence.bone] += share * influence.weight;
    }
  }
  for (std::size_t v = 0; v < surface.points.size(); ++v) {
    const std::size_t piece = at(surface.component[v]);
    if (!loose[piece] || contacts[v].row.empty()) continue;
    if (norm(boxes[piece].high - boxes[piece].low) > kWhole * size) {
      rows[v] = std::move(contacts[v].row);
      continue;
    }
    double sum = 0;
    for (const auto& [bone, weight] : means[piece]) sum += weight;
    rows[v].clear();
    for (const auto& [bone, weight] : means[piece]) rows[v].push_back({bone, static_cast<float>(weight / sum)});
    keep_heaviest(rows[v], rig::kMaxInfluences);
    // A hard thing follows one bone, or it would shrink where two turn apart.
    if (rows[v][0].weight > kOneBone) rows[v].assign(1, {rows[v][0].bone, 1.0f});
  }
}

bool is_machine(const SkinBody& body, std::size_t bone_count) {
  // Normals of what is closed sum to nothing; patches of a torn surface look one way.
  std::vector<Vec3d> normal(at(body.surface.component_count));
  std::vector<double> area(normal.size(), 0);
  double total = 0;
  for (const auto& [a, b, c] : body.surface.triangles) {
    const std::size_t piece = at(body.surface.component[a]);
    const Vec3d twice =
        cross(body.surface.points[b] - body.surface.points[a], body.surface.points[c] - body.surface.points[a]);
    normal[piece] += twice;
    area[piece] += norm(twice);
    total += norm(twice);
  }
  std::size_t pieces = 0;
  for (std::size_t k = 0; k < area.size(); ++k) {
    if (area[k] > kMachineLargest * total) return false;
    if (area[k] > kSubstantial * total && norm(normal[k]) < kClosed * area[k]) ++pieces;
  }
  return pieces >= std::max(at(kMachinePieces), bone_count);
}

void stiffen_pieces(const SkinBody& body, const BoneBinding& binding, std::vector<std::vector<rig::Influence>>& rows) {
  std::vector<std::map<int, double>> bound(at(body.surface.component_count));
  std::vector<double> area(bound.size(), 0);
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const std::size_t piece = at(body.surface.component[v]);
    area[piece] += body.areas[v] + 1e-30;
    const double share = (body.areas[v] + 1e-30) / static_cast<double>(binding.bones[v].size());
    for (const int bone : binding.bones[v]) bound[piece][bone] += share;
  }
  std::vector<int> most(bound.size(), -1);
  std::set<int> served;
  for (std::size_t k = 0; k < bound.size(); ++k) {
    double held_most = -1;
    for (const auto& [bone, held] : bound[k]) {
      if (held > held_most) held_most = held, most[k] = bone;
    }
    served.insert(most[k]);
  }
  // A finger in one piece: its other bones would have nothing to move.
  std::vector<char> bends(bound.size(), 0);
  for (std::size_t k = 0; k < bound.size(); ++k) {
    for (const auto& [bone, held] : bound[k]) {
      if (held > kBending * area[k] && served.count(bone) == 0) bends[k] = 1;
    }
  }
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const std::size_t piece = at(body.surface.component[v]);
    if (!bends[piece]) rows[v].assign(1, {static_cast<std::uint16_t>(most[piece]), 1.0f});
  }
}

}  // namespace limber::skin
