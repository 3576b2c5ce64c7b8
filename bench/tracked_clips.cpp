// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/tracked_clips.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bench/kept_lines.h"
#include "bench/split.h"
#include "limber/actions/catalogue.h"
#include "limber/anatomy/find_facing.h"
#include "limber/animate/upright.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/physics/ground.h"

namespace limber::bench {
namespace {

constexpr double kFps = 30;

/// How one version of a clip looks: per second, and in shares of the height.
struct Look {
  double skate = 0, penetration = 0, jerk = 0;
};

/// One clip, simulated and with its feet locked. Lengths in heights, forces in weights.
struct TrackedClip {
  Look locked, simulated;
  double joint = 0;            ///< degrees
  double root = 0, place = 0;  ///< how far it is from the reference, of all joints: MPJPE
  double slip = 0;
  double force = 0, torque = 0;  ///< help
  double lost = 0;               ///< share of the clip that the simulation could not follow
  double grounded = 0;           ///< 1, or 0: it swims or flies
  double finite = 0;             ///< 1, or 0: the simulation failed

  /// As trackers count it: the body stays with the reference, and joints do what they should.
  bool succeeded() const { return finite > 0 && root < 0.06 && joint < 10; }
};

/// All numbers of a clip: `visit` gets the name and the field.
template <class Of, class Visit>
void visit_numbers(Of& clip, const Visit& visit) {
  visit("locked_skate", clip.locked.skate), visit("locked_penetration", clip.locked.penetration);
  visit("locked_jerk", clip.locked.jerk), visit("skate", clip.simulated.skate);
  visit("penetration", clip.simulated.penetration), visit("jerk", clip.simulated.jerk);
  visit("joint", clip.joint), visit("root", clip.root), visit("place", clip.place), visit("slip", clip.slip);
  visit("force", clip.force), visit("torque", clip.torque), visit("lost", clip.lost);
  visit("grounded", clip.grounded), visit("finite", clip.finite);
}

/// Clips that are done.
class KeptClips {
 public:
  /// An empty path: nothing is kept.
  explicit KeptClips(std::filesystem::path file) : lines_(std::move(file)) {
    lines_.visit([&](const std::string& run, const nlohmann::json& line) {
      TrackedClip clip;
      visit_numbers(clip, [&](const char* name, double& value) { value = kept_number(line, name); });
      clips_[run] = clip;
    });
  }
  const TrackedClip* find(const std::string& run) const {
    const auto found = clips_.find(run);
    return found == clips_.end() ? nullptr : &found->second;
  }
  Status keep(const std::string& run, const TrackedClip& clip) const {
    nlohmann::json line;
    visit_numbers(clip, [&](const char* name, double value) { line[name] = value; });
    return lines_.append(run, std::move(line));
  }

 private:
  KeptLines lines_;
  std::map<std::string, TrackedClip> clips_;
};

/// Means over clips, or over the means of rigs.
struct Means {
  int count = 0;
  double succeeded = 0;
  TrackedClip sum;

  void add(const TrackedClip& clip, double success, double share = 1) {
    ++count, succeeded += success;
    std::vector<double> values;
    visit_numbers(clip, [&](const char*, double value) { values.push_back(value); });
    std::size_t at = 0;
    visit_numbers(sum, [&](const char*, double& value) { value += share * values[at++]; });
  }
  void add(const TrackedClip& clip) { add(clip, clip.succeeded() ? 1 : 0); }
  void add(const Means& rig) {
    if (rig.count > 0) add(rig.sum, rig.succeeded / rig.count, 1.0 / rig.count);
  }

  void report(const std::string& name, const char* of, Report& report) const {
    if (count == 0) return;
    const double n = count;
    const auto pair = [&](const char* what, double locked, double simulated, const char* unit) {
      report.rows.push_back({name + "/" + what + " simulated", simulated / n, unit,
                             fmt::format("<= {:.3g}", 1.05 * locked / n),
                             fmt::format("{:.3g} with locked feet", locked / n)});
    };
    pair("skate", 100 * sum.locked.skate, 100 * sum.simulated.skate, "% height/s");
    pair("penetration", 100 * sum.locked.penetration, 100 * sum.simulated.penetration, "% height");
    pair("jerk", sum.locked.jerk, sum.simulated.jerk, "rad/s^3");
    report.rows.push_back({name + "/succeeded", 100.0 * succeeded / n, "%", "",
                           fmt::format("{:.4g} of {} {}: root within 6 % of the height, joints within 10 degrees",
                                       succeeded, count, of)});
    report.rows.push_back(
        {name + "/joint error", sum.joint / n, "deg", "", fmt::format("root {:.2g} % of height", 100 * sum.root / n)});
    report.rows.push_back({name + "/joint distance", 100 * sum.place / n, "% height", "", "MPJPE, with the root"});
    report.rows.push_back(
        {name + "/lost", 100 * sum.lost / n, "% of frames", "", "not followed, and left as they were asked for"});
    report.rows.push_back({name + "/help", 100 * sum.force / n, "% weight", "",
                           fmt::format("torque {:.2g} % of weight times height", 100 * sum.torque / n)});
  }
};

Look look_of(const rig::Subject& subject, const physics::Grounded& grounded) {
  const metrics::MotionMetrics m = metrics::motion_metrics(subject, grounded.motion, grounded.planted);
  return {double(m.skate), double(m.penetration), double(m.mean_jerk)};
}

Result<TrackedClip> track_clip(const animate::Upright& upright, kinematics::Motion motion, const std::string& name) {
  animate::turn_upright(upright, motion);
  physics::GroundSettings settings;
  settings.reference.hint = actions::built_in().habitat_hint(name);
  LIMBER_TRY(const physics::Grounded grounded, physics::ground_motion(upright.subject, motion, settings));
  settings.ground = physics::Ground::kLock;
  LIMBER_TRY(const physics::Grounded locked, physics::ground_motion(upright.subject, motion, settings));
  const physics::TrackReport& track = grounded.track;
  TrackedClip clip;
  clip.locked = look_of(upright.subject, locked), clip.simulated = look_of(upright.subject, grounded);
  clip.joint = track.joint_error, clip.root = track.root_error, clip.place = track.place_error, clip.slip = track.slip;
  clip.force = track.assist_force, clip.torque = track.assist_torque, clip.lost = grounded.lost;
  clip.grounded = grounded.reference.habitat == physics::Habitat::kGround ? 1 : 0;
  clip.finite = track.stop != physics::TrackStop::kNotFinite ? 1 : 0;
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

void log_clip(const std::string& run, const TrackedClip& clip) {
  spdlog::info(
      "{}: skate {:.1f} -> {:.1f} %/s, sinks {:.2f} -> {:.2f} %, jerk {:.0f} -> {:.0f}, joints {:.1f} deg, {:.2f} %, "
      "slip {:.2f} %, help {:.0f} % of weight{}",
      run, 100 * clip.locked.skate, 100 * clip.simulated.skate, 100 * clip.locked.penetration,
      100 * clip.simulated.penetration, clip.locked.jerk, clip.simulated.jerk, clip.joint, 100 * clip.place,
      100 * clip.slip, 100 * clip.force, clip.grounded > 0 ? "" : ", off the ground");
}

/// The clips of a rig that touch the ground.
Result<std::vector<TrackedClip>> track_rig(const std::filesystem::path& file, const TrackedClipSettings& settings,
                                           const KeptClips& kept) {
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(file));
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  LIMBER_TRY(const animate::Upright upright, animate::stand_upright(subject, anatomy::believed_facing(asset)));
  std::vector<TrackedClip> clips;
  for (std::size_t i = 0; i < asset.clips.size() && static_cast<int>(clips.size()) < settings.clips; ++i) {
    const asset::Clip& clip = asset.clips[i];
    const std::string run = fmt::format("{} / {} {}, {} s", file.filename().string(), i, clip.name, settings.seconds);
    TrackedClip tracked;
    if (const TrackedClip* done = kept.find(run)) {
      tracked = *done;
    } else {
      LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, clip, subject, kFps));
      Result<TrackedClip> simulated =
          track_clip(upright, first_seconds(std::move(motion), settings.seconds), clip.name);
      if (!simulated.ok()) {
        spdlog::warn("{} was left out: {}", run, simulated.error().message());
        continue;
      }
      tracked = *simulated;
      LIMBER_CHECK_OK(kept.keep(run, tracked));
    }
    log_clip(run, tracked);
    if (tracked.grounded > 0) clips.push_back(tracked);
  }
  return clips;
}

}  // namespace

Report track_clips(const TrackedClipSettings& settings) {
  Report report{"physics: artists' clips simulated, beside locked feet", {}};
  const std::filesystem::path split = settings.split;
  const KeptClips kept(settings.outcomes);
  Means all, rigs;
  for (const std::string& path : split_list(split, "test")) {
    if (path.find(settings.only) == std::string::npos) continue;
    const std::string name = std::filesystem::path(path).stem().string();
    const Result<std::vector<TrackedClip>> clips = track_rig(split.parent_path() / path, settings, kept);
    if (!clips.ok()) {
      report.rows.push_back({name + "/failed", 1, "", "", clips.error().what});
      continue;
    }
    Means means;
    for (const TrackedClip& clip : *clips) means.add(clip), all.add(clip);
    means.report(name, "clips", report);
    rigs.add(means);
  }
  all.report("all clips", "clips", report);
  rigs.report("mean of rigs", "rigs", report);
  return report;
}

}  // namespace limber::bench
