// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/body_shape.h"

/// Where joints of a template may go in a body: what all templates and turns share. Private to `skeleton`.
namespace limber::skeleton {

/// Pieces of a path and of a chain when their shapes are compared.
inline constexpr int kPathPieces = 8;

struct Candidate {
  int sphere = 0;
  double faint = 0;  ///< 0: stands out clearly; 1: hardly
};

/// A path through the body from one candidate to another.
struct BodyPath {
  double length = 0;
  double radius = 0;  ///< mean along the path
  Vec3d direction;    ///< straight from end to end
  std::array<Vec3d, kPathPieces> directions;
};

struct Candidates {
  std::vector<Candidate> inner;            ///< for joints where limbs meet
  std::vector<Candidate> tips;             ///< for ends of limbs
  std::vector<body::ShortestPaths> paths;  ///< from each inner candidate
  std::vector<std::vector<BodyPath>> to_inner, to_tip;
};
Candidates find_candidates(const body::BodyShape& body);

}  // namespace limber::skeleton
