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
#include "limber/skeleton/template.h"

namespace limber::skeleton {

/// What each disagreement between a template and a body costs. Lengths are of the body's longest side. The defaults
/// were set by hand, on creatures of the zoo, training characters and models of artists.
struct EmbedWeights {
  double length = 1.0;        ///< squared log of the ratio of path and chain length
  double direction = 2.0;     ///< 1 - cosine between the straight directions
  double shape = 1.5;         ///< mean of 1 - cosine along the chain
  double place = 5.0;         ///< squared distance from where the template, fitted to the body's box, has the joint
  double girth = 0.4;         ///< squared log of the ratio of radii, at a joint and along a chain
  double foot = 6.0;          ///< height of a foot above the lowest point
  double faint_tip = 0.6;     ///< a limb that hardly stands out
  double missing = 0.9;       ///< an optional chain left out
  double unexplained = 22;    ///< share of the body's limbs that no chain runs along
  double missed_limb = 1.0;   ///< each limb that no chain runs along, as far as it is long
  double shared_way = 6;      ///< how far partners run together before they part
  double stretch = 0.5;       ///< squared logs of the ratios of the box's sides
  double mirror = 2.0;        ///< partners that are not mirror images of each other
  double off_plane = 1.0;     ///< middle joints beside the mirror plane
  double no_mirror = 40;      ///< error of the plane between the sides
  double worse_mirror = 1.0;  ///< log of how much worse than the body's best plane that is
  double facing = 1.0;        ///< what feet, knees and the ends of the body say, see facing.h
  double read_kind = 1.0;     ///< a reading of the body takes it for another kind ...
  double read_turn = 1.0;     ///< ... has it stand or face otherwise ...
  double read_part = 1.2;     ///< ... and the ends of limbs and where they meet for other parts, see read_cues.h
  double read_way = 1.5;      ///< ... and the ways there
  double habit = 1.5;         ///< the body does not stand and face as files usually have it: +Y up, +Z forward
};

struct EmbedSettings {
  EmbedWeights weights;
  std::optional<Vec3d> forward;                     ///< the way the body faces, if known
  std::vector<std::pair<std::string, Vec3d>> pins;  ///< joints that are to be there
  const anatomy::BodyReading* reading = nullptr;    ///< of the body, if there is one
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
/// two neighbours are matched to spheres by a best-first search over penalties, the others lie on the ways between.
/// What is different: ends of limbs come from the sphere graph's tips, partners are placed together, the bound of the
/// search is exact but for tips used twice, the template stretches to the body's box, and what no chain explains costs.
/// One entry per template and turn, cheapest first; empty where the body has no limb that stands out.
std::vector<Embedding> embed_skeletons(const body::BodyShape& body, std::span<const SkeletonTemplate> skeletons,
                                       const EmbedSettings& settings = {});

}  // namespace limber::skeleton
