// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/coverage.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "bench/split.h"
#include "limber/actions/catalogue.h"
#include "limber/animate/animate_asset.h"
#include "limber/asset/read.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/motion_windows.h"
#include "limber/training/clip_names.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kClipRate = 60;         // at which most clips are a whole number of frames, so that loops are known
constexpr double kLeastRootSpeed = 0.1;  // heights a second: slower ones stay in place

/// A clip of an artist.
struct TheirClip {
  std::vector<std::string> actions;  ///< that its name means; empty: nothing that can be asked for
  metrics::Turns turns;
  metrics::MotionPace pace;
};

/// Several numbers, some of which cannot be told.
class Mean {
 public:
  void add(std::optional<double> value) {
    if (value && std::isfinite(*value)) sum_ += *value, ++count_;
  }
  double value() const { return count_ > 0 ? sum_ / count_ : 0; }
  int count() const { return count_; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

/// Of all rigs.
struct CoverageMeans {
  Mean coverage, asked_coverage, local, global, inter, intra, retrieved;
  Mean activity, jitter, speed;  ///< logarithms of ratios
  int failed = 0;
};

std::vector<TheirClip> their_clips(const asset::Asset& asset, const rig::Subject& subject, zoo::Plan plan) {
  std::vector<TheirClip> clips;
  for (const asset::Clip& clip : asset.clips) {
    const Result<kinematics::Motion> motion = kinematics::motion_from_clip(asset, clip, subject, kClipRate);
    if (!motion.ok() || motion->frame_count() < 2) continue;
    // At the rate of what is made, so that both are as rough as they are.
    TheirClip theirs{training::clip_meaning(clip.name, plan).actions, metrics::turns_of(*motion), {}};
    kinematics::Playing playing;
    playing.fps = animate::Finishing{}.fps;
    playing.frames = std::max(2, static_cast<int>(std::lround(motion->frame_count() * playing.fps / kClipRate)));
    theirs.pace = metrics::motion_pace(subject.rig, kinematics::play(*motion, playing));
    clips.push_back(std::move(theirs));
  }
  return clips;
}

bool shows(const TheirClip& clip, const std::string& action) {
  return std::find(clip.actions.begin(), clip.actions.end(), action) != clip.actions.end();
}

/// What was made of one rig, and what was asked for.
struct Made {
  std::string action;
  metrics::Turns turns;
  metrics::MotionPace pace;
};

/// What was made, against the clips of the same action.
void compare_pace(const Made& made, const std::vector<TheirClip>& clips, CoverageMeans& sums) {
  Mean activity, jitter, speed;
  for (const TheirClip& clip : clips) {
    if (!shows(clip, made.action)) continue;
    activity.add(clip.pace.activity), jitter.add(clip.pace.jitter), speed.add(clip.pace.root_speed);
  }
  // Of ratios the logarithms are averaged: a clip that is all but still would outweigh all others.
  if (activity.value() > 0) sums.activity.add(std::log(made.pace.activity / activity.value()));
  if (jitter.value() > 0) sums.jitter.add(std::log(made.pace.jitter / jitter.value()));
  if (speed.value() > kLeastRootSpeed) sums.speed.add(std::log(made.pace.root_speed / speed.value()));
}

void compare_all(const std::string& path, const std::vector<Made>& made, const std::vector<TheirClip>& clips,
                 CoverageMeans& sums) {
  std::vector<metrics::Turns> samples, theirs, asked;
  for (const Made& one : made) samples.push_back(one.turns);
  for (const TheirClip& clip : clips) {
    theirs.push_back(clip.turns);
    if (!clip.actions.empty()) asked.push_back(clip.turns);
  }
  const metrics::WindowMeasures all = metrics::measure_windows(samples, theirs);
  const std::optional<double> coverage = metrics::measure_windows(samples, asked).coverage;
  sums.coverage.add(all.coverage), sums.asked_coverage.add(coverage);
  sums.local.add(all.local_diversity), sums.global.add(all.global_diversity);
  sums.inter.add(all.inter_diversity), sums.intra.add(all.intra_difference);
  for (const Made& one : made) {
    compare_pace(one, clips, sums);
    const std::optional<std::size_t> nearest = metrics::nearest_clip(one.turns, theirs);
    if (nearest) sums.retrieved.add(shows(clips[*nearest], one.action) ? 1 : 0);
  }
  spdlog::info("{}: {} samples cover {:.0f} % of {} clips, {:.0f} % of those that can be asked for", path, made.size(),
               100 * all.coverage.value_or(0), clips.size(), 100 * coverage.value_or(0));
}

Status cover_rig(const fs::path& folder, const std::string& path, const animate::Models& models, int samples,
                 animate::Request request, CoverageMeans& sums) {
  const training::BodyMeaning body = training::body_meaning(path);
  LIMBER_TRY(const asset::Asset asset, asset::read_asset(folder / path));
  std::vector<std::string> actions;
  for (const asset::Clip& clip : asset.clips) {
    const training::ClipMeaning meaning = training::clip_meaning(clip.name, body.plan);
    if (!meaning.actions.empty()) actions.push_back(meaning.actions.front());
  }
  if (actions.empty()) return Error{"no clip has a name that can be asked for", path};
  const std::string noun = training::plain_noun(body.noun, body.plan);
  std::vector<Made> made;
  std::vector<TheirClip> clips;
  for (int i = 0; i < samples; ++i) {
    const std::string& action = actions[static_cast<std::size_t>(i) % actions.size()];
    request.prompt = actions::sentence(noun, *actions::built_in().find(action));
    request.seed = static_cast<std::uint64_t>(i);
    LIMBER_TRY(const animate::AnimatedAsset animated, animate::animate_asset(asset, models, request));
    const kinematics::Motion& motion = animated.animation.motion;
    if (clips.empty()) clips = their_clips(asset, animated.subject, body.plan);
    made.push_back({action, metrics::turns_of(motion), metrics::motion_pace(animated.subject.rig, motion)});
  }
  compare_all(path, made, clips, sums);
  return Done{};
}

}  // namespace

void add_coverage_rows(const animate::Models& models, const fs::path& split, int samples, const animate::Request& draft,
                       Report& report) {
  const std::vector<std::string> paths = split_list(split, "test");
  if (paths.empty()) {
    report.rows.push_back({"coverage/left out", 0, "", "", split.string() + " is not there or lists none"});
    return;
  }
  CoverageMeans m;
  for (const std::string& path : paths) {
    const Status status = cover_rig(split.parent_path(), path, models, samples, draft, m);
    if (status.ok()) continue;
    ++m.failed;
    spdlog::error("{}: {}", path, status.error().message());
  }
  const auto add = [&](const char* name, const Mean& mean, double unit, const char* in, const char* aim) {
    report.rows.push_back(
        {std::string("coverage/") + name, unit * mean.value(), in, aim, mean.count() > 0 ? "" : "nothing to compare"});
  };
  const double degrees = 180 / std::numbers::pi;
  report.rows.push_back({"coverage/of the artists' windows", 100 * m.coverage.value(), "%", ">= 80",
                         fmt::format("{} rigs, {} samples each, {} failed", m.coverage.count(), samples, m.failed)});
  add("of windows that can be asked for", m.asked_coverage, 100, "%", "");
  add("local diversity", m.local, degrees, "deg", "");
  add("global diversity", m.global, degrees, "deg", "");
  add("inter-diversity", m.inter, degrees, "deg", "");
  add("intra-difference", m.intra, degrees, "deg", "");
  const auto add_ratio = [&](const char* name, const Mean& logs) {
    report.rows.push_back({std::string("coverage/") + name + " against the artists'",
                           logs.count() > 0 ? 100 * std::exp(logs.value()) : 0, "%", "",
                           logs.count() > 0 ? "geometric mean" : "nothing to compare"});
  };
  add_ratio("activity", m.activity);
  add_ratio("jitter", m.jitter);
  add_ratio("root speed", m.speed);
  add("nearest clip does what was asked", m.retrieved, 100, "%", "");
}

}  // namespace limber::bench
