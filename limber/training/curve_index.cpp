// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/curve_index.h"

#include <algorithm>
#include <cmath>

#include "limber/asset/pose.h"

namespace limber::training {
namespace {

constexpr int kSamples = 96;
/// Shorter than this a curve does not move: of a unit quaternion, or of a translation's size.
constexpr float kStill = 0.01f;
/// How much equal curves may differ, of their length, and beyond that in any case.
constexpr float kTolerance = 0.015f, kRounding = 5e-4f;

using Point = std::array<float, 4>;

float distance(const Point& a, const Point& b) {
  float sum = 0;
  for (std::size_t k = 0; k < 4; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

/// Values evenly spread over a channel's time, without signs: mirrored rotations and translations differ in these
/// alone.
std::vector<Point> sampled(const asset::Channel& channel) {
  std::vector<Point> points;
  const double first = channel.times.front(), last = channel.times.back();
  float size = 0;
  for (int i = 0; i < kSamples; ++i) {
    const std::vector<double> value = asset::sample(channel, first + (last - first) * i / (kSamples - 1));
    Point point{};
    float squared = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(value.size(), 4); ++k) {
      point[k] = static_cast<float>(std::abs(value[k]));
      squared += point[k] * point[k];
    }
    size = std::max(size, std::sqrt(squared));
    points.push_back(point);
  }
  if (channel.path == asset::Path::kTranslation && size > 0) {
    for (Point& point : points) {
      for (float& value : point) value /= size;
    }
  }
  return points;
}

}  // namespace

std::optional<CurveIndex::Curve> CurveIndex::moving_curve(const asset::Channel& channel) {
  if (channel.node < 0 || channel.times.size() < 2 || channel.path == asset::Path::kWeights) return std::nullopt;
  const std::vector<Point> points = sampled(channel);
  std::vector<float> lengths{0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    lengths.push_back(lengths.back() + distance(points[i - 1], points[i]));
  }
  Curve curve;
  curve.path = channel.path, curve.length = lengths.back();
  if (!(curve.length > kStill) || !std::isfinite(curve.length)) return std::nullopt;
  std::size_t segment = 1;
  for (std::size_t p = 0; p < kPoints; ++p) {
    const float where = curve.length * static_cast<float>(p) / static_cast<float>(kPoints - 1);
    while (segment + 1 < lengths.size() && lengths[segment] < where) ++segment;
    const float step = lengths[segment] - lengths[segment - 1];
    const float share = step > 0 ? std::clamp((where - lengths[segment - 1]) / step, 0.0f, 1.0f) : 0.0f;
    for (std::size_t k = 0; k < 4; ++k) {
      curve.points[p][k] = points[segment - 1][k] + share * (points[segment][k] - points[segment - 1][k]);
    }
  }
  return curve;
}

std::vector<CurveIndex::Curve> CurveIndex::moving_curves(const asset::Clip& clip) {
  std::vector<Curve> curves;
  for (const asset::Channel& channel : clip.channels) {
    if (std::optional<Curve> curve = moving_curve(channel)) curves.push_back(*curve);
  }
  return curves;
}

bool CurveIndex::before(const Curve& a, const Curve& b) {
  return a.path != b.path ? a.path < b.path : a.length < b.length;
}

bool CurveIndex::equal(const Curve& a, const Curve& b) {
  const float most = kRounding + kTolerance * std::min(1.0f, b.length);
  for (std::size_t p = 0; p < kPoints; ++p) {
    for (std::size_t k = 0; k < 4; ++k) {
      if (!(std::abs(a.points[p][k] - b.points[p][k]) <= most)) return false;
    }
  }
  return true;
}

void CurveIndex::add(const std::string& name, const asset::Clip& clip) {
  std::vector<Curve> curves = moving_curves(clip);
  for (Curve& curve : curves) curve.clip = names_.size();
  names_.push_back(name);
  const auto middle = static_cast<std::ptrdiff_t>(curves_.size());
  std::sort(curves.begin(), curves.end(), before);
  curves_.insert(curves_.end(), curves.begin(), curves.end());
  std::inplace_merge(curves_.begin(), curves_.begin() + middle, curves_.end(), before);
}

std::optional<Repeat> CurveIndex::find(const asset::Clip& clip, double share) const {
  const std::vector<Curve> curves = moving_curves(clip);
  std::vector<std::size_t> matches(names_.size(), 0);
  for (const Curve& curve : curves) {
    Curve low = curve, high = curve;
    low.length = (1 - kTolerance) * curve.length, high.length = (1 + kTolerance) * curve.length;
    std::vector<std::size_t> found;
    for (auto it = std::lower_bound(curves_.begin(), curves_.end(), low, before);
         it != curves_.end() && !before(high, *it); ++it) {
      if (equal(*it, curve)) found.push_back(it->clip);
    }
    // Each curve counts once in a clip, however often it is there.
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const std::size_t other : found) ++matches[other];
  }
  const auto best = std::max_element(matches.begin(), matches.end());
  if (best == matches.end()) return std::nullopt;
  const double found = static_cast<double>(*best) / static_cast<double>(std::max<std::size_t>(curves.size(), 1));
  if (!(found > share)) return std::nullopt;
  return Repeat{names_[static_cast<std::size_t>(best - matches.begin())], found};
}

}  // namespace limber::training
