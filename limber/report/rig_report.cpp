// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/reports.h"
#include "limber/rig/stance.h"

namespace limber::report {
namespace {

Json joint_names(const rig::Rig& rig, const std::vector<int>& joints) {
  Json names = Json::array();
  for (const int joint : joints) names.push_back(rig.joints()[static_cast<std::size_t>(joint)].name);
  return names;
}

Json skin_json(const rig::Rig& rig, const skin::SkinReport& report) {
  Json pieces = Json::array();
  for (const skin::PieceReport& piece : report.pieces) {
    pieces.push_back({{"points", piece.points},
                      {"method", piece.loose ? "attached" : skin::name_of(piece.method)},
                      {"reason", piece.reason},
                      {"stretch", piece.scores.stretch},
                      {"volume", piece.scores.volume},
                      {"bleed", piece.scores.bleed}});
  }
  return {{"pieces", pieces},
          {"guessed_bone_ends", joint_names(rig, report.guessed_tails)},
          {"fed_joints", joint_names(rig, report.fed_joints)},
          {"starving_joints", joint_names(rig, report.starving_joints)},
          {"unreached_points", report.unreached},
          {"trimmed_points", report.trimmed}};
}

Json doubts_json(const autorig::AutoRigReport& report) {
  Json doubts = Json::array();
  for (const autorig::Doubt doubt : report.doubts) doubts.push_back(autorig::name(doubt));
  return doubts;
}

Json vector(Vec3 v) { return Json::array({v.x, v.y, v.z}); }

Json skeleton_json(const autorig::RiggedAsset& rigged, const FieldWords& words) {
  const autorig::AutoRigReport& report = rigged.report;
  const rig::Facing& facing = rigged.subject.facing;
  Json terms = Json::object();
  for (const auto& [name, cost] : report.terms) terms[name] = cost;
  Json names = Json::array();
  for (const skeleton::PlannedJoint& joint : rigged.plan.joints) names.push_back(joint.name);
  return {{"template", report.kind},
          {"reason", report.reason},
          {"cost", report.cost},
          {"terms", terms},
          {"runner_up", report.runner_up},
          {"runner_up_cost", report.runner_up_cost},
          {"confidence", report.confidence},
          {"facing",
           {{"up", vector(facing.up)},
            {"forward", vector(facing.forward)},
            {"confidence", facing.confidence},
            {"doubtful", rig::is_doubtful(facing)},
            {"reason", facing.reason}}},
          {"read_as", report.read_kind},
          {"read_limbs", report.read_limbs},
          {"read_trust", report.read_trust},
          {"symmetric", report.symmetric},
          {"components", report.components},
          {"vertices", report.points},
          {"triangles", report.triangles},
          {"joints", names},
          {"joints_outside", report.joints_outside},
          {"seconds",
           {{"shape", report.shape_seconds}, {"skeleton", report.skeleton_seconds}, {"skin", report.skin_seconds}}},
          {"notes", report.notes},
          {"doubts", doubts_json(report)},
          {"warnings", report::to_json(report.warnings, words)}};
}

}  // namespace

Json to_json(const autorig::RiggedAsset& rigged, const FieldWords& words) {
  Json report{{"joints", rigged.subject.rig.joint_count()}};
  if (rigged.report.kind != "kept") report["skeleton"] = skeleton_json(rigged, words);
  report["skin"] = skin_json(rigged.subject.rig, rigged.report.skin);
  return report;
}

}  // namespace limber::report
