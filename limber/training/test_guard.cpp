// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/test_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "limber/base/checksum.h"
#include "limber/training/people.h"

namespace limber::training {
namespace {

/// Of the sum of all lengths: nearer than this are bones of the same person. Those of different people differ by four
/// times as much in some bone at least.
constexpr double kSameLength = 5e-4;

/// The same for any order of the vertices, and where some are there twice; 0 without any.
std::uint64_t surface_checksum(const asset::Asset& asset) {
  std::vector<std::array<float, 3>> points;
  for (const asset::Mesh& mesh : asset.meshes) {
    for (const asset::Primitive& primitive : mesh.primitives) {
      for (const Vec3& p : primitive.positions) points.push_back({p.x, p.y, p.z});
    }
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  // Fewer are a box, and all boxes are alike.
  return points.size() < 32 ? 0 : Checksum().add(points).value();
}

/// Lengths of all bones, sorted, in shares of their sum: the same in any unit, any pose, under any names, mirrored.
std::vector<double> proportions(const asset::Asset& asset) {
  std::vector<double> lengths;
  double sum = 0;
  const std::vector<int> parents = asset::parents(asset);
  for (std::size_t i = 0; i < asset.nodes.size(); ++i) {
    if (parents[i] < 0) continue;  // where the whole stands
    const double length = norm(asset.nodes[i].local.translation.cast<double>());
    if (length > 0) lengths.push_back(length), sum += length;
  }
  std::sort(lengths.begin(), lengths.end());
  for (double& length : lengths) length /= sum;
  // Ends of no length, as files round them, count in some files and not in others.
  lengths.erase(lengths.begin(),
                std::find_if(lengths.begin(), lengths.end(), [](double length) { return length > 1e-4; }));
  return lengths;
}

bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && a.size() >= 8 &&
         std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return std::abs(x - y) <= kSameLength; });
}

}  // namespace

void TestGuard::add_character(const std::string& name, std::span<const std::byte> bytes, const asset::Asset& asset) {
  bytes_.emplace(Checksum().add(bytes).value(), name);
  surfaces_.emplace(surface_checksum(asset), name);
  surfaces_.erase(0);
  for (const asset::Clip& clip : asset.clips) curves_.add(fmt::format("{}: {}", name, clip.name), asset, clip);
}

void TestGuard::add_recording(const std::string& name, int subject, std::span<const std::byte> bytes,
                              const asset::Asset& asset) {
  bytes_.emplace(Checksum().add(bytes).value(), name);
  if (subject > 0) subjects_.insert(subject);
  std::vector<double> lengths = proportions(asset);
  const bool known = std::any_of(skeletons_.begin(), skeletons_.end(),
                                 [&](const Proportions& skeleton) { return alike(skeleton.lengths, lengths); });
  if (!known) skeletons_.push_back({std::move(lengths), subject > 0 ? fmt::format("subject {}", subject) : name});
  for (const asset::Clip& clip : asset.clips) curves_.add(name, asset, clip);
}

std::string TestGuard::why_refused(const std::string& file_name, std::span<const std::byte> bytes,
                                   const asset::Asset& asset) const {
  const auto same_bytes = bytes_.find(Checksum().add(bytes).value());
  if (same_bytes != bytes_.end()) return fmt::format("is '{}', which is for testing", same_bytes->second);
  const auto same_surface = surfaces_.find(surface_checksum(asset));
  if (same_surface != surfaces_.end()) {
    return fmt::format("has the surface of '{}', which is for testing", same_surface->second);
  }
  if (!asset.meshes.empty()) return {};
  const int subject = subject_in_name(std::filesystem::path(file_name).filename().string());
  if (subjects_.count(subject) > 0) return fmt::format("is of subject {}, who is for testing", subject);
  const std::vector<double> lengths = proportions(asset);
  for (const Proportions& skeleton : skeletons_) {
    if (alike(skeleton.lengths, lengths))
      return fmt::format("has the skeleton of {}, who is for testing", skeleton.name);
  }
  return {};
}

}  // namespace limber::training
