// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/metrics/clip_body.h"

/// Whether turning one limb moves others.
namespace limber::metrics {

struct SkinLeak {
  double movement = 0;  ///< heights
  int turned = -1;      ///< limb
  int moved = -1;       ///< limb that should have stayed still
};

/// Turns every leg, arm, wing, fin, tail, neck and tentacle by 30 degrees at its start, and looks how far points of
/// limbs that do not hang on it go: of one in a hundred of their points, the most. The trunk is left out, which takes
/// part near every limb, and so are things that are worn.
SkinLeak skin_leak(const ClipBody& body);

inline constexpr double kMostLeak = 0.02;  ///< heights

}  // namespace limber::metrics
