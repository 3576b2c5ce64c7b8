// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "limber/anatomy/read_limb.h"
#include "limber/anatomy/region.h"
#include "limber/base/math.h"
#include "limber/body/body_shape.h"

namespace limber::anatomy {

/// What somebody who has seen many bodies says of one: see body_reader.h.
struct BodyReading {
  using Shares = std::array<float, kRegionCount>;  ///< probabilities

  std::vector<Vec3d> points;    ///< of the skin, spread evenly
  std::vector<Shares> regions;  ///< per point: what it is a part of
  std::vector<Vec3d> starts;    ///< per point: where the joint is that starts its part
  std::array<double, kBodyKindCount> kinds{};
  Vec3d up, forward;  ///< the surer, the closer to a length of one

  std::vector<rig::LimbKind> limb_kinds;  ///< per point: of which kind its limb is, likely; empty: nobody tells
  std::vector<ReadLimb> limbs;            ///< the trunk first, parents before what leaves them; empty: nobody tells
  LimbCounts counts{};                    ///< how many limbs of each kind there are, before points were looked at

  double kind_right = 0;   ///< probability that the likeliest kind is the true one
  double front_right = 0;  ///< probability that up and forward are each within 45 degrees

  /// 0 to 1: how far to believe it, by the less sure of the two: not at all what is as often wrong as right, and wholly
  /// what is right four times of five.
  double trust() const;
  /// The same of its limbs, which do not hang on the way it looks: an octopus has eight arms, whichever is ahead.
  double limb_trust() const;
};
using ReadBody = std::function<BodyReading(const body::BodyShape& body)>;

/// With what probability a direction drawn about a vector, the closer the longer that is (von Mises and Fisher's
/// distribution of this concentration), is within 45 degrees of it.
double within_45_degrees(double concentration);

/// The length of such directions' mean, 0 to 1.
double mean_length(double concentration);

}  // namespace limber::anatomy
