// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/source_clip.h"

#include <utility>

#include "limber/anatomy/find_facing.h"
#include "limber/kinematics/clip.h"
#include "limber/physics/repair.h"
#include "limber/retarget/recording.h"

namespace limber::retarget {
namespace {

Result<rig::Facing> facing_of(const asset::Asset& asset, std::optional<Vec3> up, std::optional<Vec3> forward) {
  rig::Facing found = anatomy::believed_facing(asset, up);
  if (!up && !forward) return found;
  return rig::make_facing(up.value_or(found.up), forward.value_or(found.forward));
}

std::string name_of(const asset::Clip& clip, int number) {
  return clip.name.empty() ? std::string("#").append(std::to_string(number)) : clip.name;
}

}  // namespace

Result<Standing> stand(const asset::Asset& asset, std::optional<Vec3> up, std::optional<Vec3> forward,
                       const char* without) {
  Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok()) return Error{without, subject.error().where, subject.error().kind};
  LIMBER_TRY(const rig::Facing facing, facing_of(asset, up, forward));
  LIMBER_TRY(kinematics::Upright upright, kinematics::stand_upright(*subject, facing));
  return Standing{*std::move(subject), std::move(upright), facing};
}

Result<SourceClip> read_source_clip(asset::Asset asset, int clip, const SourceSettings& settings) {
  if (clip < 0 || static_cast<std::size_t>(clip) >= asset.clips.size()) {
    return Error{"has no such clip", asset.name, ErrorKind::kMissing};
  }
  const bool recorded = asset.meshes.empty();
  if (recorded) take_first_pose(asset, clip);
  const asset::Clip& chosen = asset.clips[static_cast<std::size_t>(clip)];
  LIMBER_TRY(Standing body,
             stand(asset, settings.up, settings.forward, "has no skeleton with a motion that could be carried over"));
  const double fps = settings.fps ? *settings.fps : kinematics::clip_rate(chosen);
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, chosen, body.subject, fps));
  kinematics::turn_upright(body.upright, motion);
  physics::Repaired repaired = physics::repair_motion(motion);
  if (repaired.report.not_finite > 0) motion = std::move(repaired.motion);
  close_cycle(body.upright.subject.rig, motion);
  if (recorded) start_at_origin(body.upright.subject.rig, motion);
  return SourceClip{name_of(chosen, clip), std::move(body), std::move(motion)};
}

}  // namespace limber::retarget
