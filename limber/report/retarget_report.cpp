// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/reports.h"
#include "limber/rig/stance.h"

namespace limber::report {
namespace {

Json facing_json(const rig::Facing& facing) {
  return {{"up", {facing.up.x, facing.up.y, facing.up.z}},
          {"forward", {facing.forward.x, facing.forward.y, facing.forward.z}},
          {"confidence", facing.confidence},
          {"doubtful", rig::is_doubtful(facing)},
          {"reason", facing.reason}};
}

}  // namespace

Json to_json(const retarget::BodyMap& map) {
  Json limbs = Json::array(), joints = Json::array();
  for (const retarget::LimbPair& pair : map.limbs) {
    limbs.push_back({{"target", pair.target},
                     {"source", pair.source.empty() ? Json() : Json(pair.source)},
                     {"how", retarget::describe(pair.how)}});
  }
  for (const retarget::JointPair& pair : map.joints)
    joints.push_back({{"target", pair.target}, {"source", pair.source}});
  return {{"summary", retarget::summary(map)}, {"limbs", limbs}, {"joints", joints}, {"lead_nothing", map.left}};
}

Json to_json(const retarget::Retargeted& done) {
  Json clips = Json::array();
  for (const retarget::RetargetedClip& clip : done.clips) {
    clips.push_back({{"source", clip.source},
                     {"name", clip.name},
                     {"clip", clip.clip},
                     {"seconds", clip.seconds},
                     {"fps", clip.fps},
                     {"loops", clip.loops},
                     {"skate_per_second", clip.skate},
                     {"penetration", clip.penetration},
                     {"direction_error_deg", clip.direction_error * 180 / kPi},
                     {"map", to_json(clip.map)}});
  }
  return {{"clips", clips},
          {"source_facing", facing_json(done.source_facing)},
          {"target_facing", facing_json(done.target_facing)},
          {"units", "lengths in heights of the target"},
          {"notes", done.notes}};
}

}  // namespace limber::report
