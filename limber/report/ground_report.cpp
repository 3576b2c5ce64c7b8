// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/habitat.h"
#include "limber/report/reports.h"
#include "limber/rig/stance.h"

namespace limber::report {
namespace {

Json to_json(const animate::MeasuredMotion& measured) {
  const auto& [m, skin] = measured;
  return {{"stretch", skin.stretch},
          {"movement", skin.movement},
          {"skate_per_second", m.skate},
          {"slip", m.slip},
          {"penetration", m.penetration},
          {"mean_penetration", m.mean_penetration},
          {"float", m.floating},
          {"hover", m.hover},
          {"limit_excess_rad", m.limit_excess},
          {"peak_speed_rad_per_s", m.peak_speed},
          {"mean_jerk", m.mean_jerk},
          {"loop_gap_rad", m.loop_gap},
          {"not_finite", m.not_finite}};
}

Json to_json(Vec3 v) { return Json::array({v.x, v.y, v.z}); }

Json to_json(const rig::Facing& facing) {
  return {{"up", to_json(facing.up)},
          {"forward", to_json(facing.forward)},
          {"confidence", facing.confidence},
          {"doubtful", rig::is_doubtful(facing)},
          {"reason", facing.reason}};
}

}  // namespace

Json to_json(const animate::GroundedClip& done) {
  const physics::Grounded& g = done.grounded;
  const physics::TrackReport& t = g.track;
  Json notes = g.puppet.notes;
  for (const std::string& note : t.notes) notes.push_back(note);
  if (const auto warning = metrics::stretch_warning(done.after.skin, done.before.skin.stretch)) {
    notes.push_back(in_words(*warning));
  }
  return {{"clip", done.clip},
          {"frames", g.motion.frame_count()},
          {"fps", done.fps},
          {"facing", to_json(done.facing)},
          {"body",
           {{"height_m", g.puppet.metres},
            {"mass_kg", g.puppet.model.total_mass()},
            {"bodies", g.puppet.model.body_count()},
            {"hinges", g.puppet.model.hinge_count()},
            {"contact_points", g.puppet.model.points.size()}}},
          {"habitat", {{"kind", physics::name(g.reference.habitat)}, {"reason", g.reference.habitat_reason}}},
          {"repair",
           {{"not_finite", g.repair.not_finite},
            {"spikes", g.repair.spikes},
            {"jumps", g.repair.jumps},
            {"frames", g.repair.frames},
            {"lift", g.reference.lift / g.puppet.metres},
            {"slide", g.reference.slide / g.puppet.metres},
            {"floating_frames", g.reference.floating}}},
          {"skate", done.after.motion.skate},  // the one of them that people ask for first
          {"before", to_json(done.before)},
          {"after", to_json(done.after)},
          {"tracking",
           {{"stop", physics::name(t.stop)},
            {"iterations", t.iterations},
            {"steps", t.steps},
            {"dt", t.dt},
            {"loss_before", t.loss_before},
            {"loss_after", t.loss_after},
            {"joint_error_deg", t.joint_error},
            {"root_error", t.root_error},
            {"place_error", t.place_error},
            {"torque", t.torque},
            {"peak_torque", t.peak_torque},
            {"assist", t.assist},
            {"assist_force", t.assist_force},
            {"peak_assist_force", t.peak_assist_force},
            {"assist_torque", t.assist_torque},
            {"missing_force", t.missing_force},
            {"missing_torque", t.missing_torque},
            {"worst_frame", t.worst_frame},
            {"clip_ratio", t.clip_ratio},
            {"polish_deg", g.polish * 180 / kPi},
            {"carried", g.carried},
            {"lost", g.lost},
            {"raised", g.raised}}},
          {"units", "lengths in heights, forces in body weights, torques in body weights times height"},
          {"notes", notes}};
}

}  // namespace limber::report
