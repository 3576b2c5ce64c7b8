// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/asset/asset.h"
#include "limber/base/math.h"

namespace limber::metrics {

/// A direction, how sure one may be of it (0 to 1), and why.
struct AxisGuess {
  Vec3d axis;
  double confidence = 0;
  std::string reason;  ///< for a person
};

/// Which way is up, and which way the subject looks, in world space at rest. Up is along a coordinate axis; so is
/// forward unless the subject stands askew.
struct AxesGuess {
  AxisGuess up, forward;
};

/// Goes by the names of the joints (or, without skins, of the nodes): feet below, toes, nose and head ahead, tail
/// behind, left and right. Without telling names: by what the mesh stands on and by its symmetry, and else by
/// convention: +Y up, +Z forward.
AxesGuess guess_axes(const asset::Asset& asset);

}  // namespace limber::metrics
