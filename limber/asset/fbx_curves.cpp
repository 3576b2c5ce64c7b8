// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/fbx_curves.h"

#include <algorithm>
#include <cmath>

#include "limber/asset/pose.h"

namespace limber::asset {
namespace {

constexpr double kTurnTolerance = 1e-4;  // radians: what a body's height away moves by 1e-4 of the height
constexpr double kLargestTurn = 0.2;     // radians between keys: beyond it, quaternions that are interpolated plainly,
                                         // as Blender does, are further than that from the arc
constexpr double kNumberTolerance = 1e-5;  // of the range of a channel
constexpr int kMaxHalvings = 6;            // of the time between two keys
constexpr double kStepSeconds = 1e-3;      // in which a jump happens: few readers know curves that jump

using Values = std::vector<double>;

/// Lays keys so that straight lines between them follow a channel.
class KeyLayer {
 public:
  /// Values that readers interpolate, at any time.
  virtual Values at(double time) = 0;
  /// Whether `straight` will do for what the channel has at `time`.
  virtual bool near_enough(double time, const Values& straight) const = 0;
  /// Whether two keys are too far apart, however straight it is between them.
  virtual bool too_far(double start, double end) const = 0;

  CurveKeys lay(const Channel& channel) {
    keys_.times.clear(), keys_.values.clear();
    for (std::size_t i = 0; i < channel.times.size(); ++i) {
      const double time = channel.times[i];
      if (i > 0 && channel.interpolation == Interpolation::kStep) {
        const double since = time - channel.times[i - 1];
        push(time - std::min(kStepSeconds, since / 2), last_);
      } else if (i > 0) {
        refine(channel.times[i - 1], time, kMaxHalvings);
      }
      push(time, at(time));
    }
    return std::move(keys_);
  }

 protected:
  ~KeyLayer() = default;
  Values last_;  // values of the last key

 private:
  void push(double time, Values values) {
    keys_.times.push_back(time);
    keys_.values.resize(values.size());
    for (std::size_t c = 0; c < values.size(); ++c) keys_.values[c].push_back(values[c]);
    last_ = std::move(values);
  }

  /// Adds keys after that at `start`, which is the last, and before `end`.
  void refine(double start, double end, int halvings) {
    if (halvings == 0 || (!too_far(start, end) && is_straight(start, end))) return;
    const double middle = 0.5 * (start + end);
    refine(start, middle, halvings - 1);
    push(middle, at(middle));
    refine(middle, end, halvings - 1);
  }

  bool is_straight(double start, double end) {
    const Values first = last_, second = at(end);
    for (const double fraction : {0.25, 0.5, 0.75}) {
      Values straight = first;
      for (std::size_t c = 0; c < straight.size(); ++c) straight[c] += fraction * (second[c] - first[c]);
      if (!near_enough(start + fraction * (end - start), straight)) return false;
    }
    return true;
  }

  CurveKeys keys_;
};

class RotationLayer final : public KeyLayer {
 public:
  RotationLayer(const Channel& channel, Quatd before) : channel_(channel), after_(conjugate(before)) {}

  Values at(double time) override {
    const Angles last = last_.empty() ? Angles{} : Angles{last_[0], last_[1], last_[2]};
    const Angles angles = to_xyz(to_matrix(turn(time)), last);
    return {angles.begin(), angles.end()};
  }
  bool near_enough(double time, const Values& straight) const override {
    return angle_between(turn(time), from_xyz({straight[0], straight[1], straight[2]})) <= kTurnTolerance;
  }
  bool too_far(double start, double end) const override { return angle_between(turn(start), turn(end)) > kLargestTurn; }

 private:
  Quatd turn(double time) const {
    const std::vector<double> q = sample(channel_, time);
    return normalized(after_ * Quatd{q[0], q[1], q[2], q[3]});
  }

  const Channel& channel_;
  Quatd after_;
};

class NumberLayer final : public KeyLayer {
 public:
  NumberLayer(const Channel& channel, double factor) : channel_(channel), factor_(factor) {
    const auto [low, high] = std::minmax_element(channel.values.begin(), channel.values.end());
    tolerance_ = low == channel.values.end() ? 0 : kNumberTolerance * factor * (static_cast<double>(*high) - *low);
  }

  Values at(double time) override { return values(time); }
  bool near_enough(double time, const Values& straight) const override {
    if (channel_.interpolation == Interpolation::kLinear) return true;
    const Values exact = values(time);
    for (std::size_t c = 0; c < exact.size(); ++c) {
      if (std::abs(exact[c] - straight[c]) > tolerance_) return false;
    }
    return true;
  }
  bool too_far(double, double) const override { return false; }

 private:
  Values values(double time) const {
    Values result = sample(channel_, time);
    for (double& value : result) value *= factor_;
    return result;
  }

  const Channel& channel_;
  double factor_, tolerance_ = 0;
};

bool is_whole(double frames) { return std::abs(frames - std::round(frames)) < 2e-3; }

}  // namespace

Angles to_xyz(const Mat3d& r, const Angles& last) {
  // With y at a right angle x and z turn about the same axis: z stays, and x takes all of it.
  const bool locked = std::hypot(r(0, 0), r(1, 0)) < 1e-9;
  const double z = locked ? last[2] * kPi / 180 : std::atan2(r(1, 0), r(0, 0));
  const double c = std::cos(z), s = std::sin(z);
  const double y = std::atan2(-r(2, 0), std::hypot(r(0, 0), r(1, 0)));
  const double x = std::atan2(s * r(0, 2) - c * r(1, 2), c * r(1, 1) - s * r(0, 1));
  return nearest({x * 180 / kPi, y * 180 / kPi, z * 180 / kPi}, last);
}

Quatd from_xyz(const Angles& angles) {
  const double radians = kPi / 180;
  return axis_angle(Vec3d{0, 0, 1}, angles[2] * radians) * axis_angle(Vec3d{0, 1, 0}, angles[1] * radians) *
         axis_angle(Vec3d{1, 0, 0}, angles[0] * radians);
}

CurveKeys rotation_curves(const Channel& channel, Quatd before) { return RotationLayer(channel, before).lay(channel); }

CurveKeys number_curves(const Channel& channel, double factor) { return NumberLayer(channel, factor).lay(channel); }

FrameRate find_frame_rate(std::span<const Clip> clips) {
  constexpr FrameRate kRates[] = {{11, 24}, {10, 25}, {6, 30}, {5, 48}, {4, 50}, {3, 60}, {2, 100}, {1, 120}};
  for (const FrameRate& rate : kRates) {
    const bool fits = std::all_of(clips.begin(), clips.end(), [&](const Clip& clip) {
      return std::all_of(clip.channels.begin(), clip.channels.end(), [&](const Channel& channel) {
        return std::all_of(channel.times.begin(), channel.times.end(),
                           [&](float time) { return is_whole(time * rate.fps); });
      });
    });
    if (fits && !clips.empty()) return rate;
  }
  return kRates[2];
}

}  // namespace limber::asset
