// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limber/anatomy/body_reading.h"
#include "limber/base/math.h"
#include "limber/body/body_shape.h"
#include "limber/skeleton/embed_terms.h"
#include "limber/skeleton/template.h"

namespace limber::skeleton {

struct EmbedSettings {
  EmbedWeights weights;                             ///< see embed_terms.h
  std::optional<Vec3d> forward;                     ///< the way the body faces, if known
  std::vector<std::pair<std::string, Vec3d>> pins;  ///< joints that are to be there
  const anatomy::BodyReading* reading = nullptr;    ///< of the body, if there is one
  Mat3d usual_from_body = Mat3d::identity();        ///< a space in which bodies mostly stand along +Y and face +Z
};

/// A template fitted to a body.
struct Embedding {
  SkeletonTemplate skeleton;
  Mat3d body_from_template = Mat3d::identity();  ///< a rotation: how the template was turned
  std::vector<Vec3d> at;                         ///< per joint of the template
  std::vector<bool> present;                     ///< per joint: false where an optional chain was left out
  std::vector<std::vector<int>> chains;          ///< per chain that was found, its joints (parent first) ...
  std::vector<std::vector<int>> chain_spheres;   ///< ... and the spheres that it runs through
  double cost = 0;
  std::vector<std::pair<std::string, double>> terms;  ///< what the cost is made of
  body::MirrorPlane plane;                            ///< between its sides
  bool mirrored = false;                              ///< the body is symmetric in that plane

  Vec3d up() const { return body_from_template.column(1); }
  Vec3d forward() const { return body_from_template.column(2); }
};

/// Fits templates in all turns, in the manner of Pinocchio (Baran and Popovic 2007, 4): joints with one or more than
/// two neighbours are matched to spheres by a best-first search over penalties, the others lie on the paths between.
/// What is different: ends of limbs come from the sphere graph's tips, partners are placed together, the bound of the
/// search is exact but for tips used twice, the template stretches to the body's box, and what no chain explains costs.
/// One entry per template and turn, cheapest first; empty where the body has no limb that stands out.
/// Terms, candidates, costs and search are in embed_terms.h, embed_candidates.h, embed_costs.h and embed_search.h.
std::vector<Embedding> embed_skeletons(const body::BodyShape& body, std::span<const SkeletonTemplate> skeletons,
                                       const EmbedSettings& settings = {});

}  // namespace limber::skeleton
