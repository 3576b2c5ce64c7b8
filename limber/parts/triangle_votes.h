// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/parts/surface_pictures.h"

/// From parts of pictures to parts of the mesh that they show.
namespace limber::parts {

struct VoteSettings {
  double edge_weight = 0.25;   ///< of a pixel beside another part or nothing, against one inside
  double smoothness = 0.6;     ///< how much neighbours count against a triangle's own votes
  int sweeps = 8;              ///< of smoothing
  double least_share = 0.005;  ///< of the surface: smaller pieces go to their neighbours
};

/// Pictures of a mesh, and the part that each of their pixels shows, negative for none: pictures x size x size.
struct LabelledPictures {
  SurfacePictures pictures;
  std::vector<int> labels;
};

/// A part for every triangle, from one set of views or more. Pixels vote for the triangle that they show, the more the
/// more it faces them; those that nobody sees take after what is nearest along the surface, creases being far. Pieces
/// of a part that do not touch become parts of their own where they are large enough, and else go to their neighbours;
/// parts keep together over gaps between loose pieces of the mesh. Numbers are consecutive, in the order of the labels.
std::vector<int> vote_triangles(std::span<const Vec3> points, std::span<const Triangle> triangles,
                                std::span<const LabelledPictures> views, const VoteSettings& settings = {});

}  // namespace limber::parts
