// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/rig/facing.h"

/// Whether clips are finished, whatever tool made them: what a viewer would see, and what repairs it (`mend.h`).
namespace limber::mend {

enum class Check : std::uint8_t {
  kLoop,     ///< a clip that is to be repeated ends where it begins, at the speed at which it begins
  kContact,  ///< feet that bear weight touch the floor
  kFloor,    ///< nothing is below it
  kDrift,    ///< in place means in place, and straight ahead straight
  kFlips,    ///< no joint turns over from a frame to the next
  kSkin,     ///< the skin is stretched no more than in the asset's other clips
  kWeights,  ///< of the model: they sum to one, and copies of a vertex follow the same joints
  kLeak      ///< of the model: a limb that turns leaves the others where they are
};
inline constexpr int kCheckCount = 8;
std::string_view name(Check check);  ///< "loop"

struct Checked {
  Check check = Check::kLoop;
  std::optional<bool> passed;  ///< none: not to be asked of this clip, or nothing here can tell
  double value = 0;            ///< what was measured; means nothing where nothing was
  double allowed = 0;          ///< the most that passes
  std::string_view unit;       ///< of both: "heights", "degrees" ...
  std::string words;           ///< what a viewer would see; why it was not asked; empty where all is well
  std::string_view option;     ///< of `limber mend`, which repairs it: "loop"; empty where nothing does
};

struct ClipScore {
  int clip = 0;      ///< of the asset
  std::string name;  ///< "#2" where it has none
  double seconds = 0;
  int frames = 0;               ///< that were looked at
  std::vector<Checked> checks;  ///< all those of clips, in their order
  std::string unplayable;       ///< why nothing could be measured; empty otherwise
};

struct AssetScore {
  std::size_t joints = 0, points = 0;  ///< points of the skin; none of a skeleton alone
  rig::Facing facing;                  ///< in the asset's world
  double floor = 0;                    ///< its height in the asset's world, along `facing.up`
  std::vector<Checked> model;          ///< checks of the model
  std::vector<ClipScore> clips;
};

/// A check that did not pass.
bool failed(const Checked& checked);
bool any_failed(const ClipScore& clip);
bool any_failed(const AssetScore& asset);

struct ScoreSettings {
  std::optional<int> clip;          ///< this one alone
  std::optional<Vec3> up, forward;  ///< in the asset's world; unset: found
  std::optional<bool> loops;        ///< whether clips are to be repeated; unset: as their names and poses tell
  bool believes_notes = true;       ///< whether limber's own clips are to be repeated is as they say themselves
  std::optional<double>
      own_stretch;  ///< `metrics::own_stretch` of the other clips, where `clip` is set and it is known
  Progress progress;
};

/// Fails on assets without a skeleton or without a clip, in words for a person. Clips of morph weights alone are
/// measured as the skeleton plays them: not at all.
Result<AssetScore> score_asset(const asset::Asset& asset, const ScoreSettings& settings = {});

}  // namespace limber::mend
