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

/// Moving curves of clips, to be found again. Two are equal where they pass through the same values in the same order,
/// but for signs, so that a mirrored clip and one at another pace, even a changing one, are the same. Translations are
/// compared in proportion to their size.
class CurveIndex {
 public:
  void add(const std::string& name, const asset::Clip& clip);
  /// The known clip that has most of a clip's moving curves, where that is more than `share` of them.
  std::optional<Repeat> find(const asset::Clip& clip, double share = 1.0 / 3) const;

 private:
  static constexpr std::size_t kPoints = 16;
  struct Curve {
    asset::Path path = asset::Path::kRotation;
    std::array<std::array<float, 4>, kPoints> points{};  ///< evenly along the curve, without signs
    float length = 0;
    std::size_t clip = 0;
  };
  static std::vector<Curve> moving_curves(const asset::Clip& clip);
  static std::optional<Curve> moving_curve(const asset::Channel& channel);
  static bool equal(const Curve& a, const Curve& b);
  static bool before(const Curve& a, const Curve& b);

  std::vector<Curve> curves_;  ///< sorted by path and length
  std::vector<std::string> names_;
};

}  // namespace limber::training
