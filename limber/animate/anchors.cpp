// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "limber/animate/known_poses.h"
#include "limber/asset/find_clip.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"
#include "limber/rig/changed_rig.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

constexpr double kDenseFps = 60;  // clips are read so finely
constexpr std::size_t kMostKeys = 10000;
constexpr double kLatest = 600;     // seconds that a motion may take
constexpr float kSameRest = 0.02f;  // heights that a joint of the same skeleton may lie elsewhere at rest

/// The last frames of a clip of the asset itself.
Result<Motion> last_frames(const rig::Subject& subject, const asset::Asset* asset, const std::string& name, double fps,
                           int frames) {
  if (asset == nullptr) {
    return Error{fmt::format("there is no clip '{}' to be continued", name), "request", ErrorKind::kMissing};
  }
  LIMBER_TRY(const int clip, asset::find_clip(*asset, name));
  LIMBER_TRY(const Motion whole,
             kinematics::motion_from_clip(*asset, asset->clips[static_cast<std::size_t>(clip)], subject, kDenseFps));
  // A loop ends where its first frame comes again.
  const int steps = whole.loops ? whole.frame_count() : whole.frame_count() - 1;
  kinematics::Playing playing;
  playing.fps = fps, playing.frames = std::min(frames, 1 + static_cast<int>(steps / kDenseFps * fps + 1e-6));
  playing.start = steps / kDenseFps - (playing.frames - 1) / fps;
  playing.repeat = whole.loops;
  Motion last = kinematics::play(whole, playing);
  last.overrides.clear(), last.loops = false;
  return last;
}

std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kShown ? fmt::format("{} and {} more", text, names.size() - kShown) : text;
}

/// Of every joint of the body its number in the file; an error that names the joints where it is another skeleton.
Result<std::vector<int>> match_joints(const rig::Subject& body, const rig::Subject& other, const std::string& file) {
  std::vector<std::string> missing, elsewhere, extra;
  std::vector<int> match;
  const float unit = other.asset_scale / body.asset_scale;
  const Vec3 root = body.rig.world_from_rest()[0].translation, other_root = other.rig.world_from_rest()[0].translation;
  for (int j = 0; j < body.rig.joint_count(); ++j) {
    const rig::Joint& joint = body.rig.joints()[static_cast<std::size_t>(j)];
    const int found = other.rig.find(joint.name);
    match.push_back(found);
    if (found < 0) {
      missing.push_back(joint.name);
      continue;
    }
    const int parent = other.rig.joints()[static_cast<std::size_t>(found)].parent;
    const bool same_parent =
        joint.parent < 0 ? parent < 0 : parent >= 0 && parent == match[static_cast<std::size_t>(joint.parent)];
    const Vec3 here = body.rig.world_from_rest()[static_cast<std::size_t>(j)].translation - root;
    const Vec3 there = unit * (other.rig.world_from_rest()[static_cast<std::size_t>(found)].translation - other_root);
    const bool alike = same_parent && rig::turns_alike(joint, other.rig.joints()[static_cast<std::size_t>(found)]);
    if (!alike || norm(here - there) > kSameRest) elsewhere.push_back(joint.name);
  }
  for (const rig::Joint& joint : other.rig.joints()) {
    if (body.rig.find(joint.name) < 0) extra.push_back(joint.name);
  }
  if (missing.empty() && elsewhere.empty() && extra.empty()) return match;
  std::string what = "the keyframes are of another skeleton:";
  if (!missing.empty()) what += fmt::format(" it lacks {};", quoted(missing));
  if (!extra.empty()) what += fmt::format(" it has {}, which the body lacks;", quoted(extra));
  if (!elsewhere.empty()) what += fmt::format(" {} lie or turn otherwise;", quoted(elsewhere));
  what.pop_back();
  return Error{what, file};
}

/// When the clip has keys: the times of all its channels, once each.
std::vector<double> key_times(const asset::Clip& clip) {
  std::set<double> times;
  for (const asset::Channel& channel : clip.channels) {
    for (const float time : channel.times) times.insert(double(time));
  }
  return {times.begin(), times.end()};
}

kinematics::Pose pose_at(const Motion& motion, double seconds, const std::vector<int>& match, float unit) {
  kinematics::Playing playing;
  playing.fps = motion.fps, playing.frames = 1, playing.start = seconds, playing.repeat = motion.loops;
  const Motion one = kinematics::play(motion, playing);
  kinematics::Pose pose{unit * one.root_translations.front(), {}};
  for (const int j : match) pose.angles.push_back(one.frame_angles(0)[static_cast<std::size_t>(j)]);
  return pose;
}

Result<std::vector<Key>> read_keys(const rig::Subject& subject, const Keyframes& keyframes) {
  const std::string file = keyframes.file.string();
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(keyframes.file));
  if (asset.clips.empty()) return Error{"there is no clip whose poses could be keyframes", file, ErrorKind::kMissing};
  LIMBER_TRY(const rig::Subject other, rig::subject_from_asset(asset));
  LIMBER_TRY(const std::vector<int> match, match_joints(subject, other, file));
  const asset::Clip& clip = asset.clips.front();
  LIMBER_TRY(const Motion motion, kinematics::motion_from_clip(asset, clip, other, kDenseFps));
  std::vector<double> times = keyframes.times.empty() ? key_times(clip) : keyframes.times;
  std::sort(times.begin(), times.end());
  if (times.size() > kMostKeys || (!times.empty() && times.back() > kLatest)) {
    return Error{fmt::format("{} keyframes up to {} s are too many: up to {} in {} s", times.size(), times.back(),
                             kMostKeys, kLatest),
                 file, ErrorKind::kUnsupported};
  }
  std::vector<Key> keys;
  for (const double time : times) {
    if (!(time >= 0) || time > double(clip.duration()) + 1e-3) {
      return Error{fmt::format("there is no pose at {} s: the clip takes {} s", time, clip.duration()), file};
    }
    keys.push_back({time, pose_at(motion, time, match, other.asset_scale / subject.asset_scale)});
  }
  return keys;
}

}  // namespace

Result<Anchors> find_anchors(const rig::Subject& subject, const Upright& upright, const asset::Asset* asset,
                             const SpanPlan& span, double fps, int frames) {
  Anchors anchors;
  if (!span.continued_clip.empty()) {
    LIMBER_TRY(Motion before, last_frames(subject, asset, span.continued_clip, fps, frames));
    turn_upright(upright, before);
    anchors.before = std::move(before);
  }
  if (!span.keyframes.empty()) {
    LIMBER_TRY(anchors.keys, read_keys(subject, {span.keyframes, span.key_times}));
    if (span.seconds > 0 && !anchors.keys.empty() && anchors.keys.back().seconds > span.seconds + 0.5 / fps) {
      return Error{
          fmt::format("the keyframe at {} s comes after the end ({} s)", anchors.keys.back().seconds, span.seconds),
          span.keyframes.string(), ErrorKind::kConflict};
    }
    for (Key& key : anchors.keys) {
      Motion one = kinematics::rest_motion(subject.rig, 1, fps);
      one.root_translations.front() = key.pose.root_translation;
      turn_upright(upright, one);
      key.pose.root_translation = one.root_translations.front();
    }
  }
  return anchors;
}

}  // namespace limber::animate
