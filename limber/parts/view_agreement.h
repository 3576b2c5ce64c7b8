// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/parts/triangle_votes.h"

namespace limber::parts {

/// How far pictures agree about what they show together: the adjusted Rand index of the labels that two pictures give
/// the same place of the surface, over all pairs of pictures that see a place one after the other. 1: always the same,
/// 0: as by chance; 1 too where nothing is seen twice.
double view_agreement(std::span<const LabelledPictures> views);

}  // namespace limber::parts
