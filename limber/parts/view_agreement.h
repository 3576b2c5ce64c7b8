// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/parts/surface_pictures.h"

namespace limber::parts {

/// Pictures of a mesh, and the part that each of their pixels shows, negative for none: pictures x size x size.
struct LabelledPictures {
  SurfacePictures pictures;
  std::vector<int> labels;
};

/// How far pictures agree about what they show together: the adjusted Rand index of the labels that two pictures give
/// the same place of the surface, over all pairs of pictures that see a place one after the other. 1: always the same,
/// 0: as by chance; 1 too where nothing is seen twice.
double view_agreement(std::span<const LabelledPictures> views);

}  // namespace limber::parts
