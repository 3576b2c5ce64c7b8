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
/// How much equal curves may differ, of their length or range.
constexpr float kTolerance = 0.025f;
/// Fewer curves than this are no measure of a clip.
constexpr int kFewCurves = 12;

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

int CurveIndex::Channel::moving() const {
  return static_cast<int>(std::count_if(ranges.begin(), ranges.end(), [](float range) { return range > 0; }));
}

std::optional<CurveIndex::Channel> CurveIndex::moving_channel(const asset::Channel& source) {
  if (source.node < 0 || source.times.size() < 2 || source.path == asset::Path::kWeights) return std::nullopt;
  float size = 0;
  const std::vector<Point> points = sampled(source, size);
  Channel channel;
  channel.path = source.path;
  std::vector<float> lengths{0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    lengths.push_back(lengths.back() + distance(points[i - 1], points[i]));
    for (std::size_t k = 0; k < 4; ++k) {
      channel.ranges[k] = std::max(channel.ranges[k], std::abs(points[i][k] - points[0][k]));
    }
  }
  for (float& range : channel.ranges) range = range > kStill * size ? range : 0;
  channel.length = lengths.back();
  if (channel.moving() == 0 || !std::isfinite(channel.length)) return std::nullopt;
  std::size_t segment = 1;
  for (std::size_t p = 0; p < kPoints; ++p) {
    const float share = static_cast<float>(p) / static_cast<float>(kPoints - 1);
    const float time = share * static_cast<float>(kSamples - 1);
    const auto sample = std::min(static_cast<std::size_t>(time), points.size() - 2);
    channel.in_time[p] = mixed(points[sample], points[sample + 1], time - static_cast<float>(sample));
    const float where = share * channel.length;
    while (segment + 1 < lengths.size() && lengths[segment] < where) ++segment;
    const float step = lengths[segment] - lengths[segment - 1];
    const float within = step > 0 ? std::clamp((where - lengths[segment - 1]) / step, 0.0f, 1.0f) : 0.0f;
    channel.along[p] = mixed(points[segment - 1], points[segment], within);
  }
  return channel;
}

std::vector<CurveIndex::Channel> CurveIndex::moving_channels(const asset::Asset& asset, const asset::Clip& clip) {
  std::vector<Channel> channels;
  for (const asset::Channel& source : clip.channels) {
    std::optional<Channel> channel = moving_channel(source);
    if (!channel) continue;
    channel->joint = plain_name(asset.nodes[static_cast<std::size_t>(source.node)].name);
    channels.push_back(*std::move(channel));
  }
  return channels;
}

int CurveIndex::equal_curves(const Channel& a, const Channel& b) {
  if (a.path != b.path) return 0;
  // Curve k stays within `most` of the other.
  const auto alike = [](const Points& p, const Points& q, std::size_t k, float most) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      if (!(std::abs(p[i][k] - q[i][k]) <= most)) return false;
    }
    return true;
  };
  const auto all = [&](const Points& p, const Points& q) {
    const float most = kTolerance * std::min(a.length, b.length);
    for (std::size_t k = 0; k < 4; ++k) {
      if (!alike(p, q, k, most)) return false;
    }
    return true;
  };
  const bool same_joint = a.joint == b.joint;
  if (all(a.in_time, b.in_time) || (same_joint && all(a.along, b.along))) return a.moving();
  int equal = 0;
  for (std::size_t k = 0; k < 4 && same_joint; ++k) {
    const float range = std::min(a.ranges[k], b.ranges[k]);
    equal += range > 0 && alike(a.in_time, b.in_time, k, kTolerance * range) ? 1 : 0;
  }
  return equal;
}

void CurveIndex::add(const std::string& name, const asset::Asset& asset, const asset::Clip& clip) {
  KnownClip known{name, 0};
  for (Channel& channel : moving_channels(asset, clip)) {
    channel.clip = clips_.size();
    known.moving += channel.moving();
    const std::pair entry(channel.length, channels_.size());
    by_length_.insert(std::upper_bound(by_length_.begin(), by_length_.end(), entry), entry);
    by_joint_[channel.joint].push_back(channels_.size());
    channels_.push_back(std::move(channel));
  }
  clips_.push_back(std::move(known));
}

std::map<std::size_t, int> CurveIndex::matches(const Channel& channel) const {
  std::map<std::size_t, int> best;
  const auto compare = [&](std::size_t other) {
    const int equal = equal_curves(channel, channels_[other]);
    if (equal > 0) best[channels_[other].clip] = std::max(best[channels_[other].clip], equal);
  };
  const float low = (1 - kTolerance) * channel.length, high = (1 + kTolerance) * channel.length;
  for (auto it = std::lower_bound(by_length_.begin(), by_length_.end(), std::pair(low, std::size_t{0}));
       it != by_length_.end() && it->first <= high; ++it) {
    compare(it->second);
  }
  const auto named = by_joint_.find(channel.joint);
  if (named != by_joint_.end()) std::for_each(named->second.begin(), named->second.end(), compare);
  return best;
}

std::optional<Repeat> CurveIndex::find(const asset::Asset& asset, const asset::Clip& clip, double share) const {
  std::vector<int> equal(clips_.size(), 0);
  int moving = 0;
  for (const Channel& channel : moving_channels(asset, clip)) {
    moving += channel.moving();
    for (const auto& [other, curves] : matches(channel)) equal[other] += curves;
  }
  std::optional<Repeat> best;
  for (std::size_t i = 0; i < clips_.size(); ++i) {
    // A clip with extra joints repeats one without them; a handful of curves is no clip.
    const int fewest = std::max(std::min(moving, clips_[i].moving), std::min(moving, kFewCurves));
    const double found = std::min(1.0, equal[i] / static_cast<double>(std::max(fewest, 1)));
    if (found > share && (!best || found > best->share)) best = Repeat{clips_[i].name, found};
  }
  return best;
}

}  // namespace limber::training
