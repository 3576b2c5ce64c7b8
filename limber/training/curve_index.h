// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limber/asset/asset.h"

/// Whether somebody used the same curves before.
namespace limber::training {

/// A clip that another one repeats.
struct Repeat {
  std::string of;    ///< the known clip
  double share = 0;  ///< of the clip's moving curves that equal one of it
};

/// Moving curves of clips, to be found again. What counts is how far a curve is from its first value, so that
/// characters with another rest pose can have the same. Two are equal where they pass through the same values, but for
/// signs, as in a mirrored clip, at the same shares of their time: a clip may be faster or slower as a whole. Between
/// joints of the same name, sides aside, the pace may change on the way too: the values must come in the same order.
class CurveIndex {
 public:
  void add(const std::string& name, const asset::Asset& asset, const asset::Clip& clip);
  /// The known clip that has most of a clip's moving curves, where that is more than `share` of them.
  std::optional<Repeat> find(const asset::Asset& asset, const asset::Clip& clip, double share = 1.0 / 3) const;

 private:
  static constexpr std::size_t kPoints = 16;
  using Points = std::array<std::array<float, 4>, kPoints>;
  struct Curve {
    asset::Path path = asset::Path::kRotation;
    Points in_time{}, along{};  ///< evenly spread, without signs
    float length = 0;
    std::string joint;  ///< without its side
    std::size_t clip = 0;
  };
  static std::vector<Curve> moving_curves(const asset::Asset& asset, const asset::Clip& clip);
  static std::optional<Curve> moving_curve(const asset::Channel& channel);
  static bool equal(const Curve& a, const Curve& b);
  static bool before(const Curve& a, const Curve& b);

  std::vector<Curve> curves_;  ///< sorted by path and length
  std::vector<std::string> names_;
};

}  // namespace limber::training
