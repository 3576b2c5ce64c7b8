// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/retarget_asset.h"

#include <algorithm>
#include <utility>

#include "limber/anatomy/find_facing.h"
#include "limber/asset/find_clip.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/resample.h"
#include "limber/kinematics/upright.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/physics/repair.h"
#include "limber/retarget/recording.h"
#include "limber/rig/stance.h"

namespace limber::retarget {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

Result<rig::Facing> facing_of(const asset::Asset& asset, std::optional<Vec3> up, std::optional<Vec3> forward) {
  rig::Facing found = anatomy::believed_facing(asset, up);
  if (!up && !forward) return found;
  return rig::make_facing(up.value_or(found.up), forward.value_or(found.forward));
}

/// A body on its feet.
struct Standing {
  rig::Subject subject;
  kinematics::Upright upright;
  rig::Facing facing;
};

Result<Standing> stand(const asset::Asset& asset, std::optional<Vec3> up, std::optional<Vec3> forward,
                       const char* without) {
  Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok()) return Error{without, subject.error().where, subject.error().kind};
  LIMBER_TRY(const rig::Facing facing, facing_of(asset, up, forward));
  LIMBER_TRY(kinematics::Upright upright, kinematics::stand_upright(*subject, facing));
  return Standing{*std::move(subject), std::move(upright), facing};
}

/// The clip as the source's own body does it, upright.
struct Source {
  Standing body;
  kinematics::Motion motion;
};

std::string name_of(const asset::Asset& asset, int clip) {
  const std::string& name = asset.clips[at(clip)].name;
  return name.empty() ? std::string("#").append(std::to_string(clip)) : name;
}

Result<Source> read_source(asset::Asset asset, int clip, const RetargetSettings& settings) {
  const bool recorded = asset.meshes.empty();
  if (recorded) take_first_pose(asset, clip);
  const asset::Clip& chosen = asset.clips[at(clip)];
  LIMBER_TRY(Standing body, stand(asset, settings.source_up, settings.source_forward,
                                  "has no skeleton with a motion that could be carried over"));
  const double fps = settings.fps ? *settings.fps : kinematics::clip_rate(chosen);
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, chosen, body.subject, fps));
  kinematics::turn_upright(body.upright, motion);
  physics::Repaired repaired = physics::repair_motion(motion);
  if (repaired.report.not_finite > 0) motion = std::move(repaired.motion);
  close_cycle(body.upright.subject.rig, motion);
  if (recorded) start_at_origin(body.upright.subject.rig, motion);
  if (settings.loop && !motion.loops) {
    std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(motion, 0);
    if (!cut) return Error{"'" + name_of(asset, clip) + "' is too short to cut a loop out of it", asset.name};
    motion = std::move(cut->motion);
  }
  return Source{std::move(body), std::move(motion)};
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
    LIMBER_TRY(Source source, read_source(source_, clip, settings_));
    if (done_.clips.empty()) {
      done_.source_facing = source.body.facing;
      note_facing(source.body.facing, settings_.source_up || settings_.source_forward, "source", done_.notes);
    }
    const rig::Subject& upright = body_.upright.subject;
    LIMBER_TRY(RetargetedMotion moved, retarget_motion(source.body.upright.subject, source.motion, upright,
                                                       {name_of(source_, clip), settings_.corrections}));
    const double stands = standing(moved);
    const metrics::MotionMetrics measured = metrics::motion_metrics(upright, moved.motion, moved.planted);
    kinematics::Motion& motion = moved.motion;
    if (settings_.in_place) kinematics::remove_travel(motion);
    kinematics::turn_back(body_.upright, motion);
    const std::string wish = settings_.name.empty() ? name_of(source_, clip) : settings_.name;
    const std::string name = asset::unused_clip_name(done_.asset, wish);
    LIMBER_CHECK_OK(exporter::add_clip(done_.asset, body_.subject, motion, {.name = name}));
    done_.clips.push_back({name_of(source_, clip), name, static_cast<int>(done_.asset.clips.size()) - 1, motion.loops,
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
