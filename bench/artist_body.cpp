// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/artist_body.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "limber/anatomy/find_roles.h"
#include "limber/animate/cast.h"
#include "limber/animate/facing.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/motion_windows.h"
#include "limber/training/clip_names.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kReadingRate = 60;       // at which most clips are a whole number of frames, so that loops are known
constexpr double kSameCurves = 0.035;  // radians: two clips that are nearer have the same curves
constexpr std::size_t kMostTakes = 4;
constexpr const char* kGaits[]{"walk", "trot", "run", "gallop", "fly", "swim", "crawl", "slither"};

bool is_gait(const std::string& action) {
  return std::find(std::begin(kGaits), std::end(kGaits), action) != std::end(kGaits);
}

/// Rows are split by what a body goes on.
std::string kind_of(const rig::Rig& known) {
  std::map<rig::LimbKind, int> count;
  for (const rig::Limb& limb : known.limbs()) ++count[limb.kind];
  const int legs = count[rig::LimbKind::kLeg];
  if (legs > 4) return "many legs";
  if (count[rig::LimbKind::kWing] > 0) return "wings";
  if (legs >= 3) return "four legs";
  if (legs > 0) return "two legs";
  return count[rig::LimbKind::kFin] > 0 ? "fins" : "no limbs";
}

/// The clips of a file by what they are asked for with; none for those that cannot be.
struct NamedClip {
  const asset::Clip* clip = nullptr;
  std::vector<std::string> actions;
  bool plain = false;  ///< ahead, over and over, neither fast nor slow

  bool shows(const std::string& action) const {
    return std::find(actions.begin(), actions.end(), action) != actions.end();
  }
};

std::vector<NamedClip> named_clips(const asset::Asset& asset, zoo::Plan plan) {
  std::vector<NamedClip> clips;
  for (const asset::Clip& clip : asset.clips) {
    const training::ClipMeaning meaning = training::clip_meaning(clip.name, plan);
    if (meaning.actions.empty()) continue;
    const bool plain =
        meaning.heading == training::Heading::kForward && !meaning.fast && !meaning.slow && !meaning.once;
    clips.push_back({&clip, meaning.actions, plain});
  }
  return clips;
}

bool is_wanted(const std::vector<NamedClip>& clips, Wanted wanted) {
  for (const char* gait : kGaits) {
    const auto takes = std::count_if(clips.begin(), clips.end(),
                                     [&](const NamedClip& clip) { return clip.plain && clip.shows(gait); });
    if (takes >= (wanted == Wanted::kTwoTakes ? 2 : 1)) return true;
  }
  return false;
}

std::optional<Take> take_of(const ArtistBody& body, const asset::Clip& clip) {
  Result<kinematics::Motion> motion = kinematics::motion_from_clip(body.asset, clip, body.subject, kReadingRate);
  if (!motion.ok() || motion->frame_count() < 2) return std::nullopt;  // a pose
  animate::turn_upright(body.upright, *motion);
  return Take{clip.name, std::move(*motion)};
}

/// Whether one of the takes has the same curves: with and without its way, say.
bool is_there(const std::vector<Take>& takes, const Take& take) {
  const metrics::Turns ours = metrics::turns_of(take.motion);
  return std::any_of(takes.begin(), takes.end(), [&](const Take& other) {
    const metrics::Turns theirs = metrics::turns_of(other.motion);
    const std::vector<int> moving = metrics::moving_joints(theirs);
    if (moving.empty()) return false;
    const auto gap = metrics::window_gap(metrics::only(ours, moving), metrics::only(theirs, moving));
    return gap && *gap < kSameCurves;
  });
}

void find_gaits(const std::vector<NamedClip>& clips, ArtistBody& body) {
  for (const char* gait : kGaits) {
    AskedGait asked{gait, {}};
    for (const NamedClip& clip : clips) {
      if (!clip.plain || clip.actions.front() != gait || asked.takes.size() == kMostTakes) continue;
      std::optional<Take> take = take_of(body, *clip.clip);
      if (!take || metrics::moving_joints(metrics::turns_of(take->motion)).empty()) continue;
      if (!is_there(asked.takes, *take)) asked.takes.push_back(std::move(*take));
    }
    if (!asked.takes.empty()) body.gaits.push_back(std::move(asked));
  }
}

void find_shown(const std::vector<NamedClip>& clips, ArtistBody& body) {
  for (const NamedClip& clip : clips) {
    const std::string& action = clip.actions.front();
    const auto is_same = [&](const ShownAction& other) { return clip.shows(other.action); };
    if (std::any_of(body.shown.begin(), body.shown.end(), is_same)) continue;
    if (std::optional<Take> take = take_of(body, *clip.clip)) {
      body.shown.push_back({action, is_gait(action), std::move(*take)});
    }
  }
}

}  // namespace

Result<ArtistBody> read_artist_body(const fs::path& folder, const std::string& path, const animate::Models& models,
                                    Wanted wanted) {
  const training::BodyMeaning meaning = training::body_meaning(path);
  LIMBER_TRY(asset::Asset asset, asset::read_asset(folder / path));
  if (!is_wanted(named_clips(asset, meaning.plan), wanted)) return Error{"no such clip of a gait", path};
  LIMBER_TRY(animate::Cast cast, animate::cast_subject(std::move(asset), models, std::nullopt, {}));
  std::vector<std::string> ignored;
  const rig::Facing facing = animate::facing_of(cast.asset, cast.subject, {}, ignored);
  LIMBER_TRY(animate::Upright upright, animate::stand_upright(cast.subject, facing));
  rig::Subject told = anatomy::with_roles(upright.subject);
  std::vector<metrics::LimbEnd> ends = metrics::limb_ends(upright.subject);
  ArtistBody body{path,
                  kind_of(told.rig),
                  std::move(cast.asset),
                  std::move(cast.subject),
                  facing,
                  std::move(upright),
                  std::move(told),
                  std::move(ends),
                  training::plain_noun(meaning.noun, meaning.plan),
                  {},
                  {}};
  const std::vector<NamedClip> clips = named_clips(body.asset, meaning.plan);
  find_gaits(clips, body);
  const auto has_two = [](const AskedGait& gait) { return gait.takes.size() > 1; };
  if (body.gaits.empty() ||
      (wanted == Wanted::kTwoTakes && std::none_of(body.gaits.begin(), body.gaits.end(), has_two))) {
    return Error{"no such clip of a gait that moves", path};
  }
  find_shown(clips, body);
  return body;
}

kinematics::Motion compared(const kinematics::Motion& clip, double fps) {
  kinematics::Playing playing;
  playing.fps = fps, playing.frames = static_cast<int>(std::lround(kComparedSeconds * fps)),
  playing.repeat = clip.loops;
  return kinematics::play(clip, playing);
}

}  // namespace limber::bench
