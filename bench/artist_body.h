// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "limber/animate/models.h"
#include "limber/animate/upright.h"
#include "limber/asset/asset.h"
#include "limber/kinematics/motion.h"
#include "limber/metrics/gait.h"
#include "limber/rig/facing.h"
#include "limber/rig/subject.h"

namespace limber::bench {

inline constexpr double kComparedRate = 30;    ///< that motions are compared at
inline constexpr double kComparedSeconds = 2;  ///< that a network draws at once

/// A clip of an artist, upright, at the rate of clips.
struct Take {
  std::string clip;
  kinematics::Motion motion;
  bool plain = true;  ///< its name says nothing beside the action, such as what the hands hold
};

/// A gait that an artist drew, and all that show it as it is asked for: ahead, over and over, neither fast nor slow,
/// and with nothing beside it. Files seldom say rightly that a gait is a loop; it is one where its end leads to its
/// beginning.
struct AskedGait {
  std::string action;
  std::vector<Take> takes;  ///< at least one; curves that are used twice count once
};

/// The first clip of each action that a rig has, rest poses left out.
struct ShownAction {
  std::string action;
  bool is_gait = false;
  Take take;
};

/// A body, and what its artist made it do.
struct ArtistBody {
  std::string path;
  std::string family;  ///< the same for rigs of one pack, whose clips are called alike; else the path
  std::string kind;    ///< what it goes on: "four legs", "two legs", "many legs", "wings", "fins", "no limbs"
  asset::Asset asset;
  rig::Subject subject;
  rig::Facing facing;
  animate::Upright upright;
  rig::Subject told;  ///< upright, and knows its limbs
  std::vector<metrics::LimbEnd> ends;
  std::string noun;
  std::vector<AskedGait> gaits;
  std::vector<ShownAction> shown;
};

/// Which takes are read: those that show a gait as it is asked for, or all that show it, armed as well.
enum class Takes { kPlain, kAll };

/// `path` is below `folder`. Fails where the artist drew no such gait.
Result<ArtistBody> read_artist_body(const std::filesystem::path& folder, const std::string& path,
                                    const animate::Models& models, Takes wanted);

/// At the rate that motions are compared at, and as long, where it is: loops go on.
kinematics::Motion compared(const kinematics::Motion& clip, double fps = kComparedRate);
/// As long whatever happens: the last frame of what does not loop holds.
kinematics::Motion held(const kinematics::Motion& clip, double fps);

}  // namespace limber::bench
