// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/bench.h"

namespace limber::bench {

/// Which clips are simulated.
struct TrackedClipSettings {
  std::string split = "../shared/split.json";  ///< JSON whose list `test` names artists' rigs
  std::string only;                            ///< rigs whose path contains this
  int clips = 100;                             ///< of a rig at most, the first ones
  double seconds = 4;                          ///< of a clip at most
  std::string outcomes;                        ///< file in which what is done is kept; empty: none
};

/// Artists' clips simulated, beside the same with locked feet and no physics: sliding, sinking, roughness, what joints
/// miss, and the help that it took.
Report track_clips(const TrackedClipSettings& settings);

}  // namespace limber::bench
