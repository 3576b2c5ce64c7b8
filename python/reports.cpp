// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "reports.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "limber/anatomy/find_facing.h"
#include "limber/kinematics/clip.h"
#include "limber/metrics/mesh_health.h"
#include "limber/metrics/rig_health.h"
#include "limber/metrics/rig_metrics.h"
#include "limber/metrics/rigged_surface.h"
#include "limber/metrics/skin_metrics.h"
#include "limber/metrics/skin_stretch.h"
#include "limber/physics/habitat.h"
#include "limber/rig/stance.h"

namespace limber::python {
namespace {

using Json = nlohmann::ordered_json;

/// Names in files need not be UTF-8; JSON must be.
std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class T>
Json to_json(Vec3T<T> v) {
  return Json::array({v.x, v.y, v.z});
}

Json to_json(const std::optional<bool>& flag) { return flag ? Json(*flag) : Json(nullptr); }

Json to_json(const rig::Facing& facing) {
  return {{"up", to_json(facing.up)},
          {"forward", to_json(facing.forward)},
          {"confidence", facing.confidence},
          {"doubtful", rig::is_doubtful(facing)},
          {"reason", facing.reason}};
}

// --- inspect ---------------------------------------------------------------------------------------------------------

Json to_json(const anatomy::Direction& guess) {
  return {{"axis", to_json(guess.axis)}, {"confidence", guess.confidence}, {"reason", guess.reason}};
}

Json to_json(const metrics::MeshHealth& mesh) {
  return {{"vertices", mesh.vertices},
          {"triangles", mesh.triangles},
          {"welded_vertices", mesh.welded_vertices},
          {"unreferenced_vertices", mesh.unreferenced_vertices},
          {"components", mesh.components},
          {"boundary_edges", mesh.boundary_edges},
          {"nonmanifold_edges", mesh.nonmanifold_edges},
          {"flipped_edges", mesh.flipped_edges},
          {"degenerate_triangles", mesh.degenerate_triangles},
          {"duplicate_triangles", mesh.duplicate_triangles},
          {"inside_out", mesh.inside_out},
          {"closed_manifold", mesh.closed_manifold()},
          {"bounds_min", to_json(mesh.bounds_min)},
          {"bounds_max", to_json(mesh.bounds_max)}};
}

Json to_json(const metrics::RigHealth& rig) {
  return {{"skins", rig.skins},
          {"joints", rig.joints},
          {"roots", rig.roots},
          {"loose_siblings", rig.loose_siblings},
          {"joints_without_weight", rig.joints_without_weight},
          {"skinned_vertices", rig.skinned_vertices},
          {"unweighted_vertices", rig.unweighted_vertices},
          {"bad_weight_sums", rig.bad_weight_sums},
          {"worst_weight_sum_error", rig.worst_weight_sum_error},
          {"max_influences", rig.max_influences}};
}

// --- rigs ------------------------------------------------------------------------------------------------------------

Json skeleton_json(const autorig::RiggedAsset& rigged) {
  const autorig::AutoRigReport& report = rigged.report;
  Json terms = Json::object(), names = Json::array(), doubts = Json::array();
  for (const auto& [name, cost] : report.terms) terms[name] = cost;
  for (const skeleton::PlannedJoint& joint : rigged.plan.joints) names.push_back(joint.name);
  for (const autorig::Doubt doubt : report.doubts) doubts.push_back(autorig::name(doubt));
  return {{"template", report.kind},
          {"reason", report.reason},
          {"cost", report.cost},
          {"terms", terms},
          {"runner_up", report.runner_up},
          {"runner_up_cost", report.runner_up_cost},
          {"confidence", report.confidence},
          {"facing", to_json(rigged.subject.facing)},
          {"read_as", report.read_kind},
          {"read_limbs", report.read_limbs},
          {"read_trust", report.read_trust},
          {"symmetric", report.symmetric},
          {"components", report.components},
          {"vertices", report.points},
          {"triangles", report.triangles},
          {"joints", names},
          {"joints_outside", report.joints_outside},
          {"notes", report.notes},
          {"doubts", doubts},
          {"warnings", report.warnings}};
}

Json skin_json(const skin::SkinReport& report) {
  Json pieces = Json::array();
  for (const skin::PieceReport& piece : report.pieces) {
    pieces.push_back({{"points", piece.points},
                      {"method", piece.loose ? "attached" : skin::name_of(piece.method)},
                      {"reason", piece.reason}});
  }
  return {{"pieces", pieces}, {"unreached_points", report.unreached}, {"trimmed_points", report.trimmed}};
}

// --- motions ---------------------------------------------------------------------------------------------------------

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

// --- comparisons -----------------------------------------------------------------------------------------------------

Json rig_comparison(metrics::RiggedSurface predicted, metrics::RiggedSurface truth) {
  predicted = metrics::without_idle_joints(std::move(predicted)),
  truth = metrics::without_idle_joints(std::move(truth));
  const metrics::UnitCube cube = metrics::unit_cube(truth.points);
  const metrics::SkeletonGraph p = metrics::in_unit_cube(predicted.skeleton, cube);
  const metrics::SkeletonGraph g = metrics::in_unit_cube(truth.skeleton, cube);
  const std::optional<metrics::SkeletonDistance> distance = metrics::skeleton_distance(p, g);
  if (!distance) return {{"valid", false}, {"reason", "no joints, or numbers that are not finite"}};
  std::vector<Vec3d> points;
  for (const Vec3d& point : truth.points) points.push_back(cube(point));
  const metrics::JointScores scores =
      metrics::joint_scores(p, g, metrics::joint_tolerances(g, points, truth.triangles));
  const metrics::FacingCheck facing = metrics::check_facing(p, g);
  const std::optional<int> edits = metrics::tree_edit_distance(p, g);
  return {{"valid", true},
          {"joints", p.joints.size()},
          {"true_joints", g.joints.size()},
          {"chamfer_x100",
           {{"j2j", 100 * distance->joint_to_joint},
            {"j2b", 100 * distance->joint_to_bone},
            {"b2b", 100 * distance->bone_to_bone}}},
          {"joint_scores", {{"iou", scores.iou}, {"precision", scores.precision}, {"recall", scores.recall}}},
          {"facing",
           {{"head", to_json(facing.head)},  // not a joint: a key of the report
            {"sides", to_json(facing.sides)}}},
          {"tree_edits", edits ? Json(*edits) : Json(nullptr)}};
}

Json skin_comparison(const metrics::RiggedSurface& predicted, const metrics::RiggedSurface& truth) {
  const metrics::MatchedWeights matched = metrics::match_weights(predicted, truth);
  std::vector<metrics::SkinRow> rows, true_rows;
  for (std::size_t v = 0; v < truth.points.size(); ++v) {
    if (!truth.skinned[v]) continue;
    rows.push_back(matched.rows[v]);
    true_rows.push_back(truth.weights[v]);
  }
  const metrics::SkinScores scores = metrics::skin_scores(rows, true_rows, {});
  return {{"valid", scores.vertices > 0},
          {"vertices", scores.vertices},
          {"transferred", matched.transferred},
          {"unmatched_joints", matched.unmatched_joints},
          {"precision", 100 * scores.precision},
          {"recall", 100 * scores.recall},
          {"l1", scores.l1}};
}

Result<metrics::RiggedSurface> surface_of(const asset::Asset& asset) {
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  return metrics::rigged_surface(asset, subject);
}

}  // namespace

std::string inspect_report(const asset::Asset& asset) {
  Json clips = Json::array();
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    const asset::Clip& clip = asset.clips[i];
    clips.push_back({{"name", clip.name.empty() ? "#" + std::to_string(i) : clip.name},
                     {"seconds", clip.duration()},
                     {"channels", clip.channels.size()}});
  }
  const anatomy::Directions axes = anatomy::find_directions(asset);
  return dumped({{"name", asset.name},
                 {"scenes", asset.scenes.size()},
                 {"nodes", asset.nodes.size()},
                 {"meshes", asset.meshes.size()},
                 {"materials", asset.materials.size()},
                 {"textures", asset.textures.size()},
                 {"images", asset.images.size()},
                 {"cameras", asset.cameras.size()},
                 {"lights", asset.lights.size()},
                 {"clips", clips},
                 {"mesh", to_json(metrics::mesh_health(asset))},
                 {"rig", to_json(metrics::rig_health(asset))},
                 {"up", to_json(axes.up)},
                 {"forward", to_json(axes.forward)},
                 {"warnings", asset.warnings}});
}

std::string findings_report(const std::vector<doctor::Finding>& findings) {
  Json list = Json::array();
  for (const doctor::Finding& finding : findings) {
    list.push_back({{"severity", doctor::name(finding.severity)},
                    {"topic", finding.topic},
                    {"what", finding.what},
                    {"where", finding.where},
                    {"help", finding.help}});
  }
  return dumped(list);
}

std::string rig_report(const autorig::RiggedAsset& rigged) {
  Json report{{"joints", rigged.subject.rig.joint_count()}};
  if (rigged.report.kind != "kept") report["skeleton"] = skeleton_json(rigged);
  report["skin"] = skin_json(rigged.report.skin);
  return dumped(report);
}

std::string ground_report(const animate::GroundedClip& done) {
  const physics::Grounded& g = done.grounded;
  std::vector<std::string> notes = g.puppet.notes;
  notes.insert(notes.end(), g.track.notes.begin(), g.track.notes.end());
  if (const auto warning = metrics::stretch_warning(done.after.skin, done.before.skin.stretch)) {
    notes.push_back(*warning);
  }
  return dumped({{"clip", done.clip},
                 {"frames", done.motion.frame_count()},
                 {"fps", done.fps},
                 {"facing", to_json(done.facing)},
                 {"habitat", {{"kind", physics::name(g.reference.habitat)}, {"reason", g.reference.habitat_reason}}},
                 {"skate", done.after.motion.skate},
                 {"before", to_json(done.before)},
                 {"after", to_json(done.after)},
                 {"tracking",
                  {{"stop", physics::name(g.track.stop)},
                   {"iterations", g.track.iterations},
                   {"joint_error_deg", g.track.joint_error},
                   {"root_error", g.track.root_error},
                   {"assist_force", g.track.assist_force},
                   {"assist_torque", g.track.assist_torque},
                   {"polish_deg", g.polish * 180 / kPi},
                   {"lost", g.lost},
                   {"raised", g.raised}}},
                 {"units", "lengths in heights, forces in body weights, torques in body weights times height"},
                 {"notes", notes}});
}

Result<std::string> motion_report(const asset::Asset& asset, double fps) {
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
  Json clips = Json::array();
  for (const asset::Clip& clip : asset.clips) {
    LIMBER_TRY(const kinematics::Motion motion, kinematics::motion_from_clip(asset, clip, subject, fps));
    const metrics::SkinStretch skin = metrics::skin_stretch(subject, motion);
    const auto warning = metrics::stretch_warning(skin, std::nullopt);
    clips.push_back({{"clip", clip.name},
                     {"stretch", skin.stretch},
                     {"movement_per_second", skin.movement},
                     {"warning", warning ? Json(*warning) : Json()}});
  }
  return dumped({{"clips", clips}});
}

Result<std::string> compare_report(const asset::Asset& predicted, const asset::Asset& truth) {
  LIMBER_TRY(const metrics::RiggedSurface found, surface_of(predicted));
  LIMBER_TRY(const metrics::RiggedSurface wanted, surface_of(truth));
  return dumped({{"rig", rig_comparison(found, wanted)}, {"skin", skin_comparison(found, wanted)}});
}

}  // namespace limber::python
