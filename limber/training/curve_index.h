// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/asset/asset.h"

/// Whether somebody used the same curves before.
namespace limber::training {

/// A clip that another one repeats.
struct Repeat {
  std::string of;    ///< the known clip
  double share = 0;  ///< of the moving curves that are equal
};

/// Moving curves of clips, to be found again: x, y, z and w of what a channel does. What counts is how far they are
/// from their first value, so that characters with another rest pose can have the same, and not their signs, as of
/// mirrored clips. Curves are equal that have the same values
///   - at the same shares of their time, all of a channel with any other or one by one with a joint of the same name,
///     sides aside: a clip may be faster or slower as a whole;
///   - in the same order, all of a channel with a joint of the same name: the pace may change on the way.
class CurveIndex {
 public:
  void add(const std::string& name, const asset::Asset& asset, const asset::Clip& clip);
  /// The known clip that has most of a clip's moving curves, where that is more than `share` of those of either.
  std::optional<Repeat> find(const asset::Asset& asset, const asset::Clip& clip, double share = 1.0 / 3) const;

 private:
  static constexpr std::size_t kPoints = 16;
  using Points = std::array<std::array<float, 4>, kPoints>;
  struct Channel {
    asset::Path path = asset::Path::kRotation;
    Points in_time{}, along{};      ///< evenly spread, without signs
    std::array<float, 4> ranges{};  ///< of the curves; zero for one that does not move
    float length = 0;
    std::string joint;  ///< without its side
    std::size_t clip = 0;
    int moving() const;
  };
  struct KnownClip {
    std::string name;
    int moving = 0;
  };
  static std::vector<Channel> moving_channels(const asset::Asset& asset, const asset::Clip& clip);
  static std::optional<Channel> moving_channel(const asset::Channel& channel);
  static int equal_curves(const Channel& a, const Channel& b);
  /// Per known clip that has some: how many curves of a channel equal one of it.
  std::map<std::size_t, int> matches(const Channel& channel) const;

  std::vector<Channel> channels_;                         ///< in the order in which they came
  std::vector<std::pair<float, std::size_t>> by_length_;  ///< sorted
  std::map<std::string, std::vector<std::size_t>> by_joint_;
  std::vector<KnownClip> clips_;
};

}  // namespace limber::training
