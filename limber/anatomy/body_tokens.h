// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/anatomy/reader_model.h"
#include "limber/base/math.h"
#include "limber/body/body_shape.h"

namespace limber::anatomy {

/// Points of a surface as the network takes them: around the origin, at a mean distance (squared) of one, with the
/// normals that they had. Turning a body turns its tokens and changes nothing else.
struct BodyTokens {
  std::vector<Vec3> points, normals;      ///< model.points
  std::vector<std::uint16_t> tokens;      ///< model.tokens, into `points`: each as far from those before it as can be
  std::vector<std::uint16_t> neighbours;  ///< model.neighbours per token: the nearest points, itself first
  Vec3 centre;                            ///< where the origin was
  float scale = 1;                        ///< what one was
};

/// `points` and `normals` are model.points long; normals that are not known are zero.
BodyTokens make_tokens(const ReaderModel& model, std::span<const Vec3> points, std::span<const Vec3> normals);

/// `count` points spread over a body's outer skin by area, with outward normals. What lies inside of the flesh
/// (eyeballs' backs, shirts below coats) is left out. The same for the same body; empty where it has no area.
struct SkinSamples {
  std::vector<Vec3> points, normals;
};
SkinSamples sample_skin(const body::BodyShape& body, int count);

}  // namespace limber::anatomy
