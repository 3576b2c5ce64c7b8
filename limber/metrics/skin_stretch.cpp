// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/skin_stretch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "limber/base/expect.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/metrics/clip_body.h"

namespace limber::metrics {
namespace {

constexpr double kExceeding = 0.001;  ///< share of edges and frames

/// Of the asset's own clips: frames looked at, evenly over each.
constexpr double kOwnFps = 12, kMostOwnFrames = 48;

struct Edge {
  std::uint32_t a = 0, b = 0;
  float rest = 0;
};

/// The largest values of a long row, as many as may exceed the percentile, and it.
class Tail {
 public:
  explicit Tail(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {}
  void add(float value) {
    if (values_.size() < size_) {
      values_.push(value);
    } else if (value > values_.top()) {
      values_.pop();
      values_.push(value);
    }
  }
  double lowest() const { return values_.empty() ? 1.0 : double(values_.top()); }

 private:
  std::size_t size_;
  std::priority_queue<float, std::vector<float>, std::greater<>> values_;
};

std::vector<Edge> edges_at_rest(const rig::Subject& subject) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(3 * subject.triangles.size());
  for (const auto& triangle : subject.triangles) {
    for (std::size_t k = 0; k < 3; ++k) pairs.push_back(std::minmax(triangle[k], triangle[(k + 1) % 3]));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  std::vector<Vec3> rest;
  pose_points(subject, kinematics::bone_matrices(subject.rig, kinematics::rest_pose(subject.rig)), rest);
  std::vector<Edge> edges;
  for (const auto& [a, b] : pairs) {
    const float length = norm(rest[a] - rest[b]);
    if (length >= kShortestEdge) edges.push_back({a, b, length});
  }
  return edges;
}

double mean_speed(const rig::Rig& rig, const kinematics::Motion& motion) {
  const std::vector<Affine> joints = kinematics::joint_matrices(rig, motion);
  const auto count = static_cast<std::size_t>(rig.joint_count());
  const auto frames = static_cast<std::size_t>(motion.frame_count());
  if (frames < 2 || count < 2) return 0;
  double way = 0;
  for (std::size_t f = 1; f < frames; ++f) {
    const Affine *before = &joints[(f - 1) * count], *now = &joints[f * count];
    const Vec3 travelled = now[0].translation - before[0].translation;
    for (std::size_t j = 1; j < count; ++j) way += norm(now[j].translation - before[j].translation - travelled);
  }
  return way * motion.fps / static_cast<double>((frames - 1) * (count - 1));
}

}  // namespace

SkinStretch skin_stretch(const rig::Subject& subject, const kinematics::Motion& motion) {
  LIMBER_EXPECT(motion.joint_count == subject.rig.joint_count(),
                fmt::format("{} joints in the motion, {} in the rig", motion.joint_count, subject.rig.joint_count()));
  SkinStretch result;
  const auto frames = static_cast<std::size_t>(motion.frame_count());
  if (frames == 0) return result;
  result.movement = mean_speed(subject.rig, motion);

  const std::vector<Edge> edges = edges_at_rest(subject);
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  const auto bone_count = static_cast<std::size_t>(subject.rig.bone_count());
  Tail tail(static_cast<std::size_t>(kExceeding * static_cast<double>(edges.size() * frames)) + 1);
  std::vector<Vec3> posed;
  for (std::size_t f = 0; f < frames; ++f) {
    pose_points(subject, std::span(bones).subspan(f * bone_count, bone_count), posed);
    for (const Edge& edge : edges) {
      const float length = norm(posed[edge.a] - posed[edge.b]);
      if (length >= kShortestEdge) tail.add(std::max(length / edge.rest, edge.rest / length));
    }
  }
  result.stretch = tail.lowest();
  return result;
}

std::vector<std::optional<double>> clip_stretches(const asset::Asset& asset, const rig::Subject& subject) {
  std::vector<std::optional<double>> clips;
  for (const asset::Clip& clip : asset.clips) {
    const double seconds = std::max(double(clip.duration()), 1e-3);
    const auto motion = kinematics::motion_from_clip(asset, clip, subject, std::min(kOwnFps, kMostOwnFrames / seconds));
    clips.emplace_back();
    if (motion.ok()) clips.back() = skin_stretch(subject, *motion).stretch;
  }
  return clips;
}

std::optional<double> middle_stretch(std::span<const std::optional<double>> clips, int left_out) {
  std::vector<double> known;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (clips[i] && static_cast<int>(i) != left_out) known.push_back(*clips[i]);
  }
  if (known.empty()) return std::nullopt;
  // Of two in the middle the smaller one.
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>((known.size() - 1) / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

std::optional<double> own_stretch(const asset::Asset& asset, const rig::Subject& subject) {
  return middle_stretch(clip_stretches(asset, subject));
}

double allowed_stretch(std::optional<double> own) {
  if (!own) return kTornSkin;
  return std::min(kBeyondOwn * *own, std::max(kTornSkin, *own));
}

std::optional<Warning> stretch_warning(const SkinStretch& skin, std::optional<double> own) {
  if (!(skin.stretch > allowed_stretch(own))) return std::nullopt;
  if (own) return Warning{"skin_torn_beyond_own", {{"stretch", skin.stretch}, {"own", *own}}};
  return Warning{"skin_torn", {{"stretch", skin.stretch}, {"usual", kTornSkin}}};
}

}  // namespace limber::metrics
