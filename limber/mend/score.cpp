// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/mend/score.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/base/at.h"
#include "limber/mend/clip_checks.h"
#include "limber/metrics/skin_stretch.h"

namespace limber::mend {
namespace {

constexpr double kGoodStretch = 3;  ///< times: what good clips have, however little the others stretch

/// How far clips stretch the skin: this one, and the others.
struct Stretches {
  std::vector<std::optional<double>> clips;  ///< empty where only the others' are known
  std::optional<double> others;
};

Checked check_skin(const Stage& stage, const Stretches& stretches, const kinematics::Motion& motion, int clip) {
  Checked result{Check::kSkin, std::nullopt, 0, 0, "times", {}, {}};
  const bool measured = !stretches.clips.empty();
  const std::optional<double> own = measured ? metrics::middle_stretch(stretches.clips, clip) : stretches.others;
  result.allowed = std::max(metrics::allowed_stretch(own), kGoodStretch);
  if (!stage.body.has_skin) {
    result.words = "has no skin that could tear";
    return result;
  }
  const std::optional<double> known = measured ? stretches.clips[at(clip)] : std::nullopt;
  result.value = known ? *known : metrics::skin_stretch(stage.body.subject, motion).stretch;
  result.passed = result.value <= result.allowed;
  if (!*result.passed) {
    result.words = fmt::format("the skin is stretched {:.1f} times in places ({}): it may tear", result.value,
                               own ? fmt::format("{:.1f} times in the other clips", *own)
                                   : fmt::format("{:.1f} at most in good clips", metrics::kTornSkin));
  }
  return result;
}

/// Whether it is to be repeated, where somebody says so.
std::optional<bool> loops_of(const Stage& stage, const asset::Clip& clip) {
  if (stage.loops || !stage.believes_notes) return stage.loops;
  return told_to_repeat(clip);
}

ClipScore score_clip(const asset::Asset& asset, const Stage& stage, const Stretches& stretches, int clip) {
  const asset::Clip& played = asset.clips[at(clip)];
  ClipScore score;
  score.clip = clip, score.seconds = double(played.duration());
  score.name = played.name.empty() ? fmt::format("#{}", clip) : played.name;
  const Result<kinematics::Motion> motion = play_clip(asset, stage, clip);
  if (!motion.ok()) {
    score.unplayable = motion.error().message();
    return score;
  }
  score.frames = motion->frame_count();
  const Measured measured = measure(stage.body, *motion, played.name, loops_of(stage, played));
  score.checks = {check_loop(measured),
                  check_contact(stage.body, measured),
                  check_floor(stage.body, measured),
                  check_drift(stage.body, measured),
                  check_flips(stage.body, *motion, asset, played),
                  check_skin(stage, stretches, *motion, clip)};
  return score;
}

}  // namespace

std::string_view name(Check check) {
  switch (check) {
    case Check::kLoop:
      return "loop";
    case Check::kContact:
      return "contact";
    case Check::kFloor:
      return "floor";
    case Check::kDrift:
      return "drift";
    case Check::kFlips:
      return "flips";
    case Check::kSkin:
      return "skin";
    case Check::kWeights:
      return "weights";
    case Check::kLeak:
      return "leak";
  }
  return "";
}

bool failed(const Checked& checked) { return checked.passed && !*checked.passed; }

bool any_failed(const ClipScore& clip) {
  return !clip.unplayable.empty() || std::any_of(clip.checks.begin(), clip.checks.end(), failed);
}

bool any_failed(const AssetScore& asset) {
  return std::any_of(asset.model.begin(), asset.model.end(), failed) ||
         std::any_of(asset.clips.begin(), asset.clips.end(), [](const ClipScore& clip) { return any_failed(clip); });
}

Result<AssetScore> score_asset(const asset::Asset& asset, const ScoreSettings& settings) {
  LIMBER_TRY(const Stage stage, make_stage(asset, settings));
  AssetScore score;
  score.joints = stage.subject.rig.joints().size(), score.points = stage.subject.points.size();
  score.facing = stage.facing;
  score.floor = double((stage.body.floor - stage.zero) * stage.upright.world_unit * stage.subject.asset_scale);
  score.model = {check_weights(asset), check_leak(stage.body)};
  Stretches stretches{{}, settings.own_stretch};
  const bool known = settings.clip && settings.own_stretch;
  if (stage.body.has_skin && !known) stretches.clips = metrics::clip_stretches(asset, stage.subject);
  const int count = static_cast<int>(asset.clips.size());
  for (int clip = 0; clip < count; ++clip) {
    if (settings.clip && clip != *settings.clip) continue;
    if (settings.progress && !settings.progress("measuring", static_cast<double>(clip) / count)) {
      return Error{"was cancelled", asset.name, ErrorKind::kCancelled};
    }
    score.clips.push_back(score_clip(asset, stage, stretches, clip));
  }
  return score;
}

}  // namespace limber::mend
