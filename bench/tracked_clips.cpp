// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/tracked_clips.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "bench/split.h"
#include "limber/anatomy/find_facing.h"
#include "limber/animate/upright.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/physics/ground.h"

namespace limber::bench {
namespace {

constexpr double kFps = 30;

/// One clip, simulated and with its feet locked.
struct TrackedClip {
  std::string name;
  metrics::MotionMetrics locked, simulated;
  physics::TrackReport track;
  double lost = 0;        ///< share of the clip that the simulation could not follow
  bool grounded = false;  ///< else it swims or flies

  /// As trackers count it: the body stays with the reference, and joints do what they should.
  bool succeeded() const {
    return track.stop != physics::TrackStop::kNotFinite && track.root_error < 0.06 && track.joint_error < 10;
  }
};

/// Means over clips.
struct Means {
  int count = 0, succeeded = 0;
  double skate[2] = {}, penetration[2] = {}, jerk[2] = {};  ///< locked, simulated
  double joint = 0, root = 0, force = 0, torque = 0, lost = 0;

  void add(const TrackedClip& clip) {
    ++count, succeeded += clip.succeeded() ? 1 : 0;
    for (const int k : {0, 1}) {
      const metrics::MotionMetrics& m = k == 0 ? clip.locked : clip.simulated;
      skate[k] += 100 * double(m.skate), penetration[k] += 100 * double(m.penetration), jerk[k] += double(m.mean_jerk);
    }
    joint += clip.track.joint_error, root += 100 * clip.track.root_error;
    force += 100 * clip.track.assist_force, torque += 100 * clip.track.assist_torque, lost += 100 * clip.lost;
  }

  void report(const std::string& name, Report& report) const {
    if (count == 0) return;
    const double n = count;
    const auto pair = [&](const char* what, const double(&values)[2], const char* unit) {
      report.rows.push_back({name + "/" + what + " simulated", values[1] / n, unit,
                             fmt::format("<= {:.3g}", 1.05 * values[0] / n),
                             fmt::format("{:.3g} with locked feet", values[0] / n)});
    };
    pair("skate", skate, "% height/s");
    pair("penetration", penetration, "% height");
    pair("jerk", jerk, "rad/s^3");
    report.rows.push_back(
        {name + "/succeeded", 100.0 * succeeded / n, "%", "",
         fmt::format("{} of {} clips: root within 6 % of the height, joints within 10 degrees", succeeded, count)});
    report.rows.push_back(
        {name + "/joint error", joint / n, "deg", "", fmt::format("root {:.2g} % of height", root / n)});
    report.rows.push_back(
        {name + "/lost", lost / n, "% of frames", "", "not followed, and left as they were asked for"});
    report.rows.push_back(
        {name + "/help", force / n, "% weight", "", fmt::format("torque {:.2g} % of weight times height", torque / n)});
  }
};

Result<TrackedClip> track_clip(const animate::Upright& upright, kinematics::Motion motion, const std::string& name) {
  animate::turn_upright(upright, motion);
  physics::GroundSettings settings;
  settings.reference.clip = name;
  LIMBER_TRY(const physics::Grounded grounded, physics::ground_motion(upright.subject, motion, settings));
  settings.ground = physics::Ground::kLock;
  LIMBER_TRY(const physics::Grounded locked, physics::ground_motion(upright.subject, motion, settings));
  TrackedClip clip;
  clip.name = name;
  clip.grounded = grounded.reference.habitat == physics::Habitat::kGround;
  clip.locked = metrics::motion_metrics(upright.subject, locked.motion, locked.planted);
  clip.simulated = metrics::motion_metrics(upright.subject, grounded.motion, grounded.planted);
  clip.track = grounded.track, clip.lost = grounded.lost;
  return clip;
}

kinematics::Motion first_seconds(kinematics::Motion motion, double seconds) {
  const auto frames = static_cast<std::size_t>(std::max(2.0, seconds * motion.fps));
  if (frames >= motion.root_translations.size()) return motion;
  motion.loops = false;
  motion.root_translations.resize(frames);
  motion.angles.resize(frames * static_cast<std::size_t>(motion.joint_count));
  for (kinematics::JointOverride& o : motion.overrides) {
    if (!o.translations.empty()) o.translations.resize(frames);
    if (!o.scales.empty()) o.scales.resize(frames);
  }
  return motion;
}

/// The clips of a rig that touch the ground.
Result<std::vector<TrackedClip>> track_rig(const std::filesystem::path& file, const TrackedClipSettings& settings) {
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(file));
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  LIMBER_TRY(const animate::Upright upright, animate::stand_upright(subject, anatomy::believed_facing(asset)));
  std::vector<TrackedClip> clips;
  for (const asset::Clip& clip : asset.clips) {
    if (static_cast<int>(clips.size()) >= settings.clips) break;
    LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, clip, subject, kFps));
    LIMBER_TRY(TrackedClip tracked, track_clip(upright, first_seconds(std::move(motion), settings.seconds), clip.name));
    spdlog::info(
        "{} / {}: skate {:.1f} -> {:.1f} %/s, sinks {:.2f} -> {:.2f} %, jerk {:.0f} -> {:.0f}, joints {:.1f} deg, slip "
        "{:.2f} %, help {:.0f} % "
        "of weight{}",
        file.filename().string(), clip.name, 100 * tracked.locked.skate, 100 * tracked.simulated.skate,
        100 * tracked.locked.penetration, 100 * tracked.simulated.penetration, tracked.locked.mean_jerk,
        tracked.simulated.mean_jerk, tracked.track.joint_error, 100 * tracked.track.slip,
        100 * tracked.track.assist_force, tracked.grounded ? "" : ", off the ground");
    if (tracked.grounded) clips.push_back(std::move(tracked));
  }
  return clips;
}

}  // namespace

Report track_clips(const TrackedClipSettings& settings) {
  Report report{"physics: artists' clips simulated, beside locked feet", {}};
  const std::filesystem::path split = settings.split;
  Means all;
  for (const std::string& path : split_list(split, "test")) {
    if (path.find(settings.only) == std::string::npos) continue;
    const std::string name = std::filesystem::path(path).stem().string();
    const Result<std::vector<TrackedClip>> clips = track_rig(split.parent_path() / path, settings);
    if (!clips.ok()) {
      report.rows.push_back({name + "/failed", 1, "", "", clips.error().what});
      continue;
    }
    Means means;
    for (const TrackedClip& clip : *clips) means.add(clip), all.add(clip);
    means.report(name, report);
  }
  all.report("all clips", report);
  return report;
}

}  // namespace limber::bench
