// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/mend/score.h"

/// Repairs what `score_asset` finds, with as little change as will do.
namespace limber::mend {

struct MendSettings {
  /// `loop`: of what limber made and did not close, only where `score.believes_notes` is off.
  bool loop = false, contact = false, floor = false, drift = false, flips = false, weights = false;
  ScoreSettings score;  ///< which clip, and how the body stands

  bool asks_for(Check check) const;
};

/// What was done to a clip.
struct ClipChange {
  int clip = 0;
  std::string name;
  std::vector<Check> repaired;          ///< failed before and do not any more
  double mean_turn = 0, most_turn = 0;  ///< degrees: of joints with skin, over all of them and all frames
  double mean_way = 0, most_way = 0;    ///< heights: how far those joints moved
  double added_seconds = 0;             ///< a closing frame
  std::vector<std::string> left;        ///< what was asked for and could not be done, for a person
};

struct WeightChange {
  std::size_t vertices = 0;  ///< that got other weights
  double mean = 0;           ///< of those: summed difference of the weights, 0 to 2
};

struct Mended {
  asset::Asset asset;
  std::vector<ClipChange> clips;  ///< those that were changed, or that something is left to be done of
  WeightChange weights;
  std::vector<std::string> left;  ///< of the model
  AssetScore before, after;
};

/// Clips and weights that need no repair stay as they are, byte for byte once they are written. Where a
/// clip would then fail a check that it passed before, it is repaired without regard to the floor, or left alone, which
/// is said. Repaired clips have a key per frame for the
/// nodes that changed; morph weights, and nodes that are no joints, keep their keys.
Result<Mended> mend_asset(asset::Asset asset, const MendSettings& settings);

/// Weights that sum to one, of four joints at most, the same at all copies of a vertex. Vertices that need nothing stay
/// as they are.
WeightChange mend_weights(asset::Asset& asset);

}  // namespace limber::mend
