// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/edit_clip.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "limber/anatomy/find_facing.h"
#include "limber/animate/upright.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"
#include "limber/kinematics/resample.h"
#include "limber/pose_space/mirror_motion.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

Result<Motion> trimmed(const Motion& motion, std::pair<double, double> seconds) {
  const int last = motion.loops ? motion.frame_count() : motion.frame_count() - 1;
  const double from = std::max(seconds.first, 0.0), to = std::min(seconds.second, last / motion.fps);
  if (!(to - from >= 1 / motion.fps)) {
    return Error{"there is nothing left of the clip between these times", "trim", ErrorKind::kConflict};
  }
  kinematics::Playing playing;
  playing.fps = motion.fps, playing.start = from, playing.repeat = motion.loops;
  playing.frames = static_cast<int>(std::lround((to - from) * motion.fps)) + 1;
  return kinematics::play(motion, playing);
}

Result<Motion> looped(const Motion& motion) {
  kinematics::LoopSettings settings;
  settings.longest = std::max(settings.longest, motion.frame_count() / motion.fps);
  std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(motion, 0, settings);
  if (!cut) return Error{"is too short for a loop", "loop", ErrorKind::kConflict};
  return std::move(cut->motion);
}

/// What a clip tells of itself, without how sure each of its frames was of each joint: those are other frames now.
std::string without_confidence(const std::string& extras) {
  nlohmann::ordered_json told = nlohmann::ordered_json::parse(extras, nullptr, /*allow_exceptions=*/false);
  if (!told.is_object() || !told.contains("limber") || !told["limber"].is_object()) return extras;
  if (told["limber"].erase("confidence") == 0) return extras;
  return told.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

Result<asset::Clip> edited_clip(const asset::Asset& asset, int clip, const ClipEdits& edits) {
  const asset::Clip& given = asset.clips.at(static_cast<std::size_t>(clip));
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  LIMBER_TRY(const Upright upright, stand_upright(subject, anatomy::believed_facing(asset)));
  LIMBER_TRY(Motion motion,
             kinematics::motion_from_clip(asset, given, subject, edits.fps.value_or(kinematics::clip_rate(given))));
  turn_upright(upright, motion);
  if (edits.trim) {
    LIMBER_TRY(motion, trimmed(motion, *edits.trim));
  }
  if (edits.mirror) {
    motion = pose_space::mirrored_motion(pose_space::make_pose_skeleton(upright.subject.rig), motion);
  }
  if (edits.loop) {
    LIMBER_TRY(motion, looped(motion));
  }
  if (edits.in_place) kinematics::remove_travel(motion);
  turn_back(upright, motion);
  LIMBER_TRY(asset::Clip edited, exporter::clip_from_motion(asset, subject, motion, {.name = given.name}));
  const bool same_frames = !edits.trim && !edits.mirror && !edits.loop;
  edited.extras = same_frames ? given.extras : without_confidence(given.extras);
  return edited;
}

}  // namespace limber::animate
