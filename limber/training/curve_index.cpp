// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/curve_index.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "limber/asset/pose.h"

namespace limber::training {
namespace {

constexpr int kSamples = 96;
/// Shorter than this a curve does not move: of the size of its values.
constexpr float kStill = 0.01f;
/// How much equal curves may differ, of their length, and beyond that in any case.
constexpr float kTolerance = 0.015f, kRounding = 5e-4f;

using Point = std::array<float, 4>;

float distance(const Point& a, const Point& b) {
  float sum = 0;
  for (std::size_t k = 0; k < 4; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

/// How far a channel is from its first value, evenly spread over its time, without signs: mirrored curves differ in
/// these alone. `size` is that of the largest value.
std::vector<Point> sampled(const asset::Channel& channel, float& size) {
  std::vector<Point> points;
  const double start = channel.times.front(), end = channel.times.back();
  const std::vector<double> first = asset::sample(channel, start);
  for (int i = 0; i < kSamples; ++i) {
    std::vector<double> value = asset::sample(channel, start + (end - start) * i / (kSamples - 1));
    float squared = 0;
    for (const double v : value) squared += static_cast<float>(v * v);
    size = std::max(size, std::sqrt(squared));
    if (channel.path == asset::Path::kRotation) {
      const Quatd turned =
          conjugate(Quatd{first[0], first[1], first[2], first[3]}) * Quatd{value[0], value[1], value[2], value[3]};
      value = {turned.x, turned.y, turned.z, turned.w};
    } else {
      for (std::size_t k = 0; k < value.size(); ++k) value[k] -= first[k];
    }
    Point point{};
    for (std::size_t k = 0; k < std::min<std::size_t>(value.size(), 4); ++k) {
      point[k] = static_cast<float>(std::abs(value[k]));
    }
    points.push_back(point);
  }
  return points;
}

Point mixed(const Point& a, const Point& b, float share) {
  Point point{};
  for (std::size_t k = 0; k < 4; ++k) point[k] = a[k] + share * (b[k] - a[k]);
  return point;
}

/// A joint's name in lower case, letters and digits alone, without what tells its side.
std::string plain_name(std::string_view name) {
  std::string plain, word;
  const auto end_word = [&] {
    for (const std::string_view side : {"left", "right"}) {
      if (word.compare(0, side.size(), side) == 0) word.erase(0, side.size());
    }
    if (word != "l" && word != "r") plain += word;
    word.clear();
  };
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else {
      end_word();
    }
  }
  end_word();
  return plain;
}

}  // namespace

std::optional<CurveIndex::Curve> CurveIndex::moving_curve(const asset::Channel& channel) {
  if (channel.node < 0 || channel.times.size() < 2 || channel.path == asset::Path::kWeights) return std::nullopt;
  float size = 0;
  const std::vector<Point> points = sampled(channel, size);
  std::vector<float> lengths{0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    lengths.push_back(lengths.back() + distance(points[i - 1], points[i]));
  }
  Curve curve;
  curve.path = channel.path, curve.length = lengths.back();
  if (!(curve.length > kStill * size) || !std::isfinite(curve.length)) return std::nullopt;
  std::size_t segment = 1;
  for (std::size_t p = 0; p < kPoints; ++p) {
    const float share = static_cast<float>(p) / static_cast<float>(kPoints - 1);
    const float time = share * static_cast<float>(kSamples - 1);
    const auto sample = std::min(static_cast<std::size_t>(time), points.size() - 2);
    curve.in_time[p] = mixed(points[sample], points[sample + 1], time - static_cast<float>(sample));
    const float where = share * curve.length;
    while (segment + 1 < lengths.size() && lengths[segment] < where) ++segment;
    const float step = lengths[segment] - lengths[segment - 1];
    const float within = step > 0 ? std::clamp((where - lengths[segment - 1]) / step, 0.0f, 1.0f) : 0.0f;
    curve.along[p] = mixed(points[segment - 1], points[segment], within);
  }
  return curve;
}

std::vector<CurveIndex::Curve> CurveIndex::moving_curves(const asset::Asset& asset, const asset::Clip& clip) {
  std::vector<Curve> curves;
  for (const asset::Channel& channel : clip.channels) {
    std::optional<Curve> curve = moving_curve(channel);
    if (!curve) continue;
    curve->joint = plain_name(asset.nodes[static_cast<std::size_t>(channel.node)].name);
    curves.push_back(*std::move(curve));
  }
  return curves;
}

bool CurveIndex::before(const Curve& a, const Curve& b) {
  return a.path != b.path ? a.path < b.path : a.length < b.length;
}

bool CurveIndex::equal(const Curve& a, const Curve& b) {
  const float most = kRounding * std::max(1.0f, b.length) + kTolerance * std::min(a.length, b.length);
  const auto alike = [&](const Points& p, const Points& q) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      for (std::size_t k = 0; k < 4; ++k) {
        if (!(std::abs(p[i][k] - q[i][k]) <= most)) return false;
      }
    }
    return true;
  };
  return alike(a.in_time, b.in_time) || (a.joint == b.joint && alike(a.along, b.along));
}

void CurveIndex::add(const std::string& name, const asset::Asset& asset, const asset::Clip& clip) {
  std::vector<Curve> curves = moving_curves(asset, clip);
  for (Curve& curve : curves) curve.clip = names_.size();
  names_.push_back(name);
  const auto middle = static_cast<std::ptrdiff_t>(curves_.size());
  std::sort(curves.begin(), curves.end(), before);
  curves_.insert(curves_.end(), curves.begin(), curves.end());
  std::inplace_merge(curves_.begin(), curves_.begin() + middle, curves_.end(), before);
}

std::optional<Repeat> CurveIndex::find(const asset::Asset& asset, const asset::Clip& clip, double share) const {
  const std::vector<Curve> curves = moving_curves(asset, clip);
  std::vector<std::size_t> matches(names_.size(), 0);
  for (const Curve& curve : curves) {
    Curve low, high;
    low.path = high.path = curve.path;
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
