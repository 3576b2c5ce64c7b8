// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/retarget_asset.h"

#include <algorithm>
#include <utility>

#include "limber/asset/find_clip.h"
#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/resample.h"
#include "limber/kinematics/upright.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/retarget/source_clip.h"
#include "limber/rig/stance.h"

namespace limber::retarget {
namespace {

/// The clip, and where a loop is asked for, one that is cut out of it.
Result<SourceClip> read_source(const asset::Asset& asset, int clip, const RetargetSettings& settings) {
  LIMBER_TRY(SourceClip source,
             read_source_clip(asset, clip, {settings.fps, settings.source_up, settings.source_forward}));
  if (settings.loop && !source.motion.loops) {
    std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(source.motion, 0);
    if (!cut) return Error{"'" + source.name + "' is too short to cut a loop out of it", asset.name};
    source.motion = std::move(cut->motion);
  }
  return source;
}

void note_facing(const rig::Facing& facing, bool asked, const char* whose, std::vector<std::string>& notes) {
  if (asked || !rig::is_doubtful(facing)) return;
  notes.push_back(std::string("of the ") + whose + ": " + in_words(rig::warn_of_assumption(facing)));
}

/// Share of the frames in which something is planted.
double standing(const RetargetedMotion& moved) {
  int frames = 0;
  for (std::size_t f = 0; f < moved.motion.root_translations.size(); ++f) {
    bool any = false;
    for (const kinematics::GroundContact& contact : moved.planted) any = any || contact.planted[f];
    frames += any ? 1 : 0;
  }
  return double(frames) / std::max(moved.motion.frame_count(), 1);
}

/// What does not fit can be led by something else.
Error with_advice(Error error) {
  const bool unlike = error.kind == ErrorKind::kConflict && error.where.empty();
  if (unlike) error.what += " (`map SOURCE=TARGET` leads one limb by another)";
  return error;
}

class Work {
 public:
  Work(const asset::Asset& source, const RetargetSettings& settings, asset::Asset target, Standing body)
      : source_(source),
        settings_(settings),
        body_(std::move(body)),
        done_{std::move(target), body_.subject, {}, {}, {}, {}, {}} {
    done_.target_facing = body_.facing;
    note_facing(body_.facing, settings.up || settings.forward, "target", done_.notes);
  }

  Status add(int clip) {
    LIMBER_TRY(SourceClip source, read_source(source_, clip, settings_));
    if (done_.clips.empty()) {
      done_.source_facing = source.body.facing;
      note_facing(source.body.facing, settings_.source_up || settings_.source_forward, "source", done_.notes);
    }
    const rig::Subject& upright = body_.upright.subject;
    Result<RetargetedMotion> fits =
        retarget_motion(source.body.upright.subject, source.motion, upright, {source.name, settings_.corrections});
    if (!fits.ok()) return with_advice(fits.error());
    RetargetedMotion moved = *std::move(fits);
    const double stands = standing(moved);
    const metrics::MotionMetrics measured = metrics::motion_metrics(upright, moved.motion, moved.planted);
    kinematics::Motion& motion = moved.motion;
    if (settings_.in_place) kinematics::remove_travel(motion);
    kinematics::turn_back(body_.upright, motion);
    const std::string wish = settings_.name.empty() ? source.name : settings_.name;
    const std::string name = asset::unused_clip_name(done_.asset, wish);
    LIMBER_CHECK_OK(exporter::add_clip(done_.asset, body_.subject, motion, {.name = name}));
    done_.clips.push_back({source.name, name, static_cast<int>(done_.asset.clips.size()) - 1, motion.loops,
                           motion.frame_count() / motion.fps, motion.fps, std::move(moved.map), moved.direction_error,
                           double(measured.skate), double(measured.penetration), stands});
    if (done_.clips.size() == 1) done_.motion = std::move(motion);
    return Done{};
  }

  void leave_out(const Error& error) { done_.notes.push_back("left out: " + error.what); }
  bool empty() const { return done_.clips.empty(); }

  Retargeted finish() { return std::move(done_); }

 private:
  const asset::Asset& source_;
  const RetargetSettings& settings_;
  Standing body_;
  Retargeted done_;
};

}  // namespace

Result<Retargeted> retarget_clips(const asset::Asset& source, const std::vector<int>& clips, asset::Asset target,
                                  const RetargetSettings& settings) {
  if (source.clips.empty()) return Error{"there are no clips to carry over", source.name};
  for (const int clip : clips) {
    if (clip < 0 || at(clip) >= source.clips.size()) return Error{"has no such clip", source.name};
  }
  LIMBER_TRY(Standing body,
             stand(target, settings.up, settings.forward, "has no skeleton to move; `limber rig` gives it one"));
  Work work(source, settings, std::move(target), std::move(body));
  std::optional<Error> first;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (settings.progress &&
        !settings.progress("retarget", static_cast<double>(i) / static_cast<double>(clips.size()))) {
      return cancelled(source.name);
    }
    const Status status = work.add(clips[i]);
    if (status.ok()) continue;
    if (clips.size() == 1 || status.error().kind != ErrorKind::kConflict) return status.error();
    work.leave_out(status.error());
    if (!first) first = status.error();
  }
  if (work.empty()) return first.value_or(Error{"no clip was asked for", source.name});
  return work.finish();
}

Result<Retargeted> retarget_asset(const asset::Asset& source, int clip, asset::Asset target,
                                  const RetargetSettings& settings) {
  return retarget_clips(source, {clip}, std::move(target), settings);
}

}  // namespace limber::retarget
