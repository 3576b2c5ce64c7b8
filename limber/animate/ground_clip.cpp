// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/ground_clip.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "limber/actions/catalogue.h"
#include "limber/anatomy/find_facing.h"
#include "limber/animate/upright.h"
#include "limber/asset/find_clip.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/physics/repair.h"

namespace limber::animate {
namespace {

Result<rig::Facing> facing_of(const asset::Asset& asset, const GroundClipRequest& request) {
  rig::Facing found = anatomy::believed_facing(asset);
  if (!request.up && !request.forward) return found;
  return rig::make_facing(request.up.value_or(found.up), request.forward.value_or(found.forward));
}

MeasuredMotion measure(const rig::Subject& subject, const kinematics::Motion& motion,
                       const std::vector<metrics::GroundContact>& planted) {
  return {metrics::motion_metrics(subject, motion, planted), metrics::skin_stretch(subject, motion)};
}

}  // namespace

Result<GroundedClip> ground_clip(asset::Asset asset, const GroundClipRequest& request) {
  if (request.clip < 0 || request.clip >= static_cast<int>(asset.clips.size())) {
    return Error{"there is no clip to put on the ground", asset.name};
  }
  const asset::Clip& chosen = asset.clips[static_cast<std::size_t>(request.clip)];
  std::string clip = "#";
  clip += std::to_string(request.clip);
  if (!chosen.name.empty()) clip = chosen.name;
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
  LIMBER_TRY(const rig::Facing facing, facing_of(asset, request));
  LIMBER_TRY(Upright upright, stand_upright(subject, facing));
  const double fps = request.fps ? *request.fps : kinematics::clip_rate(chosen);
  LIMBER_TRY(kinematics::Motion motion, kinematics::motion_from_clip(asset, chosen, subject, fps));
  turn_upright(upright, motion);

  physics::GroundSettings settings = request.ground;
  settings.reference.hint = actions::built_in().habitat_hint(chosen.name);
  LIMBER_TRY(physics::Grounded grounded, physics::ground_motion(upright.subject, motion, settings));
  const MeasuredMotion before = measure(upright.subject, physics::repair_motion(motion).motion, grounded.planted);
  const MeasuredMotion after = measure(upright.subject, grounded.motion, grounded.planted);

  kinematics::Motion result = grounded.motion;
  turn_back(upright, result);
  const std::string name = asset::unused_clip_name(asset, request.name.empty() ? clip + " grounded" : request.name);
  LIMBER_CHECK_OK(exporter::add_clip(asset, subject, result, {.name = name}));
  return GroundedClip{std::move(asset),
                      std::move(subject),
                      std::move(upright.subject),
                      std::move(result),
                      std::move(grounded),
                      before,
                      after,
                      clip,
                      fps,
                      facing};
}

}  // namespace limber::animate
