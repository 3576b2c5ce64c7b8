// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/anatomy/body_reading.h"
#include "limber/skeleton/template.h"

/// What a reading of a body says about a skeleton in it. Private to `skeleton`.
namespace limber::skeleton {

/// What each joint of a built-in template is a part of, in whatever pose, or of one that was built from a reading;
/// empty for others, whose front and names nobody vouches for.
std::vector<anatomy::Region> template_regions(const SkeletonTemplate& skeleton);

class ReadCues {
 public:
  ReadCues(const body::BodyShape& body, const anatomy::BodyReading& reading);

  /// What all costs below are multiplied with; see BodyReading::trust.
  double trust() const { return trust_; }

  /// How little it looks like a body of this name: >= 0. Names that readings do not know cost a little.
  double kind_cost(const std::string& name) const;
  /// How far up and ahead are from those that were read, the surer the more: >= 0.
  double turn_cost(const Mat3d& body_from_template) const;
  /// How little the flesh around a sphere looks like a part: >= 0. Other sections of the same limb are nearly right.
  double region_cost(int sphere, anatomy::Region region) const {
    return costs_[index(sphere)][static_cast<std::size_t>(region)];
  }

  /// What the flesh around a sphere most looks like.
  anatomy::Region region(int sphere) const;

  /// Where the joint is that starts a part, if the points of that part agree on it.
  const std::optional<Vec3d>& start(anatomy::Region region) const { return starts_[static_cast<std::size_t>(region)]; }

  /// Up and ahead as read, made perpendicular; none where the reading is not sure.
  std::optional<Mat3d> attitude() const;

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void find_starts(const anatomy::BodyReading& reading);

  std::array<double, anatomy::kBodyKindCount> kinds_{};
  Vec3d up_, forward_;
  double size_ = 1, trust_ = 0;
  std::vector<std::array<double, anatomy::kRegionCount>> costs_, shares_;  ///< per sphere
  std::array<std::optional<Vec3d>, anatomy::kRegionCount> starts_;
};

}  // namespace limber::skeleton
