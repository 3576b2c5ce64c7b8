// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/artist_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "limber/anatomy/find_roles.h"
#include "limber/anatomy/limb_plan.h"
#include "limber/animate/cast.h"
#include "limber/animate/facing.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/close_loop.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/motion_windows.h"
#include "limber/training/clip_names.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kReadingRate = 60;  // at which most clips are a whole number of frames, so that loops are known
/// Radians: a joint that differs less has the same curve in two clips, and more than a third of such joints are the
/// same clip (split.json has that rule).
constexpr double kSameCurve = 0.02, kSameShare = 1.0 / 3;
constexpr std::size_t kMostTakes = 4;
/// What artists say of a take beside what it does, without changing that.
constexpr std::array<std::string_view, 12> kPlainWords{"a",      "b",      "c",       "d",  "loop",  "cycle",
                                                       "normal", "formal", "inplace", "in", "place", "rm"};
/// Words that make another motion of it.
constexpr std::array<std::string_view, 6> kOtherWays{"slow", "backwards", "back", "impulse", "jump", "stab"};
constexpr const char* kGaits[]{"walk", "trot", "run", "gallop", "fly", "swim", "crawl", "slither"};

bool is_gait(const std::string& action) {
  return std::find(std::begin(kGaits), std::end(kGaits), action) != std::end(kGaits);
}

/// The clips of a file by what they are asked for with; none for those that cannot be.
struct NamedClip {
  const asset::Clip* clip = nullptr;
  std::vector<std::string> actions;
  bool shows_it = false;  ///< ahead, over and over, neither fast nor slow
  bool plain = false;     ///< and its name says nothing else

  bool shows(const std::string& action) const {
    return std::find(actions.begin(), actions.end(), action) != actions.end();
  }
};

/// Words of a clip's name; what comes before a bar is the armature's.
std::vector<std::string> words_of(const std::string& clip) {
  const std::size_t bar = clip.rfind('|');
  return training::name_words(bar == std::string::npos ? clip : clip.substr(bar + 1));
}

/// Words that most clips of a file have: the body's name.
std::set<std::string> common_words(const asset::Asset& asset) {
  std::map<std::string, std::size_t> count;
  for (const asset::Clip& clip : asset.clips) {
    for (const std::string& word : words_of(clip.name)) ++count[word];
  }
  std::set<std::string> common;
  for (const auto& [word, times] : count) {
    if (asset.clips.size() > 2 && 2 * times > asset.clips.size()) common.insert(word);
  }
  return common;
}

/// What a name says beside the action, of what counts.
struct Beside {
  bool something = false, another_way = false;
};

Beside said_beside(const std::string& clip, const std::set<std::string>& common) {
  Beside beside;
  for (const std::string& word : words_of(clip)) {
    const auto is_in = [&](const auto& list) { return std::find(list.begin(), list.end(), word) != list.end(); };
    if (is_in(kPlainWords) || common.count(word) > 0) continue;
    if (!training::clip_meaning(word, zoo::Plan::kQuadruped).actions.empty()) continue;
    beside.something = true;
    beside.another_way = beside.another_way || is_in(kOtherWays);
  }
  return beside;
}

std::vector<NamedClip> named_clips(const asset::Asset& asset, zoo::Plan plan) {
  std::vector<NamedClip> clips;
  const std::set<std::string> common = common_words(asset);
  for (const asset::Clip& clip : asset.clips) {
    const training::ClipMeaning meaning = training::clip_meaning(clip.name, plan);
    if (meaning.actions.empty()) continue;
    const Beside beside = said_beside(clip.name, common);
    const bool shows_it = meaning.heading == training::Heading::kForward && !meaning.fast && !meaning.slow &&
                          !meaning.once && !beside.another_way;
    clips.push_back({&clip, meaning.actions, shows_it, shows_it && !beside.something});
  }
  return clips;
}

/// Packs have one author, one skeleton and clips of the same names; one or two clips tell nothing.
std::string family_of(const asset::Asset& asset, const std::string& path) {
  std::vector<std::string> names;
  for (const asset::Clip& clip : asset.clips) names.push_back(clip.name);
  if (names.size() < 3) return path;
  std::sort(names.begin(), names.end());
  std::string family;
  for (const std::string& name : names) family += name + "\n";
  return family;
}

bool has_gait(const std::vector<NamedClip>& clips) {
  return std::any_of(clips.begin(), clips.end(),
                     [](const NamedClip& clip) { return clip.shows_it && is_gait(clip.actions.front()); });
}

std::optional<Take> take_of(const ArtistBody& body, const asset::Clip& clip) {
  Result<kinematics::Motion> motion = kinematics::motion_from_clip(body.asset, clip, body.subject, kReadingRate);
  if (!motion.ok() || motion->frame_count() < 2) return std::nullopt;  // a pose
  animate::turn_upright(body.upright, *motion);
  return Take{clip.name, std::move(*motion), true};
}

/// Whether one of the takes has the curves of this one: with and without its way, or with a gun in the hand.
bool has_curves(const std::vector<Take>& takes, const Take& take) {
  const metrics::Turns ours = metrics::turns_of(take.motion);
  return std::any_of(takes.begin(), takes.end(), [&](const Take& other) {
    const metrics::Turns theirs = metrics::turns_of(other.motion);
    const std::vector<int> moving = metrics::moving_joints(theirs);
    double same = 0;
    for (const int joint : moving) {
      const auto gap = metrics::window_gap(metrics::only(ours, {&joint, 1}), metrics::only(theirs, {&joint, 1}));
      if (gap && *gap < kSameCurve) same += 1;
    }
    return same > kSameShare * static_cast<double>(moving.size());
  });
}

void find_gaits(const std::vector<NamedClip>& clips, Takes wanted, ArtistBody& body) {
  for (const char* gait : kGaits) {
    AskedGait asked{gait, {}};
    const auto add_all = [&](bool plain) {
      for (const NamedClip& clip : clips) {
        if (!clip.shows_it || clip.plain != plain || clip.actions.front() != gait) continue;
        // Of what is not shown plainly anywhere, one take.
        if (asked.takes.size() == (plain || wanted == Takes::kAll ? kMostTakes : 1)) return;
        std::optional<Take> take = take_of(body, *clip.clip);
        if (!take || metrics::moving_joints(metrics::turns_of(take->motion)).empty()) continue;
        kinematics::close_loop(take->motion), take->plain = plain;
        if (!has_curves(asked.takes, *take)) asked.takes.push_back(std::move(*take));
      }
    };
    add_all(true);
    if (asked.takes.empty() || wanted == Takes::kAll) add_all(false);
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
                                    Takes wanted) {
  const training::BodyMeaning meaning = training::body_meaning(path);
  LIMBER_TRY(asset::Asset asset, asset::read_asset(folder / path));
  if (!has_gait(named_clips(asset, meaning.plan))) return Error{"no such clip of a gait", path};
  const std::string family = family_of(asset, path);
  LIMBER_TRY(animate::Cast cast, animate::cast_subject(std::move(asset), models, std::nullopt, {}));
  std::vector<Warning> ignored;
  const rig::Facing facing = animate::facing_of(cast.asset, cast.subject, {}, ignored);
  LIMBER_TRY(animate::Upright upright, animate::stand_upright(cast.subject, facing));
  rig::Subject told = anatomy::with_roles(upright.subject);
  std::vector<metrics::LimbEnd> ends = metrics::limb_ends(upright.subject);
  ArtistBody body{path,
                  family,
                  std::string(anatomy::name(anatomy::limb_plan(told.rig))),
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
  find_gaits(clips, wanted, body);
  if (body.gaits.empty()) return Error{"no such clip of a gait that moves", path};
  find_shown(clips, body);
  return body;
}

kinematics::Motion compared(const kinematics::Motion& clip, double fps) {
  const double own = clip.loops ? kComparedSeconds : (clip.frame_count() - 1) / clip.fps + 1 / fps;
  kinematics::Playing playing;
  playing.fps = fps, playing.repeat = clip.loops;
  playing.frames = std::max(2, static_cast<int>(std::lround(std::min(own, kComparedSeconds) * fps)));
  return kinematics::play(clip, playing);
}

kinematics::Motion held(const kinematics::Motion& clip, double fps) {
  kinematics::Playing playing;
  playing.fps = fps, playing.repeat = clip.loops;
  playing.frames = static_cast<int>(std::lround(kComparedSeconds * fps));
  return kinematics::play(clip, playing);
}

}  // namespace limber::bench
