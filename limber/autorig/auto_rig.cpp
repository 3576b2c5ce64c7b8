// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/auto_rig.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/anatomy/find_roles.h"
#include "limber/autorig/attitude.h"
#include "limber/autorig/doubts.h"
#include "limber/autorig/find_skeleton.h"
#include "limber/base/at.h"
#include "limber/base/stopwatch.h"
#include "limber/body/body_shape.h"
#include "limber/rig/changed_rig.h"
#include "limber/rig/stance.h"
#include "limber/rig/static_subject.h"
#include "limber/skeleton/name_profiles.h"
#include "limber/skin/from_labels.h"

namespace limber::autorig {
namespace {

/// The labels that a skeleton is to be made from, if it is.
Result<std::optional<skeleton::PartLabels>> labels_of(const asset::Asset& asset, const AutoRigSettings& settings) {
  std::optional<skeleton::PartLabels> labels;
  if (settings.source != SkeletonSource::kParts) {
    if (settings.parts)
      return Error{"part labels, and another source of the skeleton", asset.name, ErrorKind::kConflict};
    return labels;
  }
  if (settings.parts) return settings.parts;
  LIMBER_TRY(labels, skeleton::labels_of_asset(asset));
  return labels;
}

body::BodyShape study(const StudiedSurface& surface, const AutoRigSettings& settings) {
  // Labels are for all triangles.
  const auto debris = settings.source == SkeletonSource::kParts ? body::Debris::kKeep : body::Debris::kLeaveOut;
  return body::study_body(surface.points, surface.triangles, body::kShapeSolid, debris);
}

/// Forward and pins in the space of the studied body.
skeleton::EmbedSettings embed_settings(const AutoRigSettings& settings, const Attitude& attitude,
                                       const Affined& study_from_asset) {
  skeleton::EmbedSettings embed;
  if (settings.forward) embed.forward = attitude.study_from_asset * settings.forward->cast<double>();
  for (const auto& [name, place] : settings.pins) {
    embed.pins.emplace_back(attitude.mirrored ? other_side(name) : name, study_from_asset * place);
  }
  return embed;
}

int count_outside(const body::BodyShape& body, const skeleton::SkeletonPlan& plan) {
  const double cell = body.solid.grid.cell;
  return static_cast<int>(
      std::count_if(plan.joints.begin(), plan.joints.end(),
                    [&](const skeleton::PlannedJoint& joint) { return body.field.depth(joint.at) < -cell; }));
}

/// Hangs the skeleton on another joint. That sorts the joints anew, and the parts follow theirs.
Status change_root(const std::string& root, FoundSkeleton& found) {
  const std::vector<skeleton::PlannedJoint> before = found.plan.joints;
  LIMBER_CHECK_OK(skeleton::change_root(found.plan, root));
  const std::vector<skeleton::PlannedJoint>& after = found.plan.joints;
  std::vector<int> now;
  for (const skeleton::PlannedJoint& old : before) {
    const auto same = [&](const skeleton::PlannedJoint& joint) { return joint.name == old.name && joint.at == old.at; };
    now.push_back(static_cast<int>(std::find_if(after.begin(), after.end(), same) - after.begin()));
  }
  for (int& part : found.parts) part = now[at(part)];
  return Done{};
}

/// The skeleton of the studied body, with as many joints, the root and the names that were asked for.
Result<FoundSkeleton> plan_skeleton(body::BodyShape& body, const StudiedSurface& surface, const Attitude& attitude,
                                    const std::optional<skeleton::PartLabels>& labels, const AutoRigSettings& settings,
                                    AutoRigReport& report) {
  const skeleton::EmbedSettings embed = embed_settings(settings, attitude, surface.study_from_asset);
  LIMBER_TRY(FoundSkeleton found,
             labels ? skeleton_from_parts(body, *labels, surface.triangles.size(), embed, attitude, report)
                    : find_skeleton(body, settings, embed, attitude, report));
  if (attitude.mirrored) exchange_sides(found.plan);
  if (settings.max_joints) skeleton::limit_joints(found.plan, *settings.max_joints);
  report.joints_outside = count_outside(body, found.plan);
  if (settings.root) LIMBER_CHECK_OK(change_root(*settings.root, found));
  if (settings.names) LIMBER_CHECK_OK(skeleton::apply_names(found.plan, report.kind, *settings.names));
  return found;
}

/// The part of every point of the subject.
std::vector<int> parts_of_points(const body::BodyShape& body, const std::vector<int>& parts) {
  std::vector<int> result;
  if (parts.empty()) return result;
  for (const std::uint32_t w : body.surface.welded) result.push_back(parts[w]);
  return result;
}

/// Weights by the labels themselves. `parts`: the joint of every point.
rig::SkinWeights weights_of_parts(const StudiedSurface& surface, const rig::Rig& rig, const std::vector<int>& parts,
                                  const skin::SkinSettings& settings) {
  const skin::SkinBody body = skin::make_skin_body(surface.points, surface.triangles, settings.solid);
  const std::vector<skin::SkinJoint> joints = skin::skin_joints(rig);
  const std::vector<skin::SkinBone> bones = skin::skin_bones(body, joints);
  std::vector<int> bone_of_joint(joints.size(), 0);
  for (std::size_t b = 0; b < bones.size(); ++b) bone_of_joint[at(bones[b].joint)] = static_cast<int>(b);
  std::vector<int> bone_of_welded(body.surface.points.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) bone_of_welded[body.surface.welded[p]] = bone_of_joint[at(parts[p])];
  std::vector<std::vector<rig::Influence>> rows = skin::skin_parts(body, bones, bone_of_welded, {settings.softness});
  for (auto& row : rows) {
    for (rig::Influence& influence : row) influence.bone = static_cast<std::uint16_t>(bones[influence.bone].joint);
  }
  std::vector<std::vector<rig::Influence>> all;
  for (const std::uint32_t w : body.surface.welded) all.push_back(rows[w]);
  return rig::make_skin_weights(all, settings.influences);
}

/// In the attitude in which the body was studied, so that they are the same for every other.
rig::SkinWeights solve_weights(const StudiedSurface& surface, const rig::Rig& rig, const std::vector<int>& parts,
                               const AutoRigSettings& settings, AutoRigReport& report) {
  if (settings.skeleton_only) {
    return rig::make_skin_weights(std::vector<std::vector<rig::Influence>>(surface.points.size(), {{0, 1}}), 4);
  }
  const bool by_labels =
      settings.skin.method == skin::SkinMethod::kAuto || settings.skin.method == skin::SkinMethod::kParts;
  if (!parts.empty() && by_labels) return weights_of_parts(surface, rig, parts, settings.skin);
  skin::SkinResult skin = skin::solve_skin(surface.points, surface.triangles, skin::skin_joints(rig), settings.skin);
  report.skin = std::move(skin.report);
  return std::move(skin.weights);
}

rig::Facing facing_of(const FoundSkeleton& found) {
  rig::Facing facing;
  facing.up = found.plan.up.cast<float>(), facing.forward = found.plan.forward.cast<float>();
  facing.confidence = static_cast<float>(found.facing_confidence), facing.reason = found.facing_reason;
  return facing;
}

/// The turn, axes to axes, after which the body stands along +Y and looks along +Z. Found in the space of the study, so
/// that it does not hang on the attitude of the file.
Mat3d upright_from_asset(const Attitude& attitude, const skeleton::SkeletonPlan& plan) {
  const Mat3d turn = rig::nearest_axes(plan.up, plan.forward) * attitude.study_from_asset;
  return rig::nearest_axes(turn.row(1), turn.row(2));
}

/// Everything shown, turned and set on the ground.
rig::StaticSubject turned_static(rig::ShownGeometry shown, const Mat3d& turn) {
  for (Vec3d& p : shown.points) p = turn * p + Vec3d{};
  return rig::make_static(std::move(shown));
}

/// A quaternion that stays as it is however often a rig is built from it, each time of which makes it unit.
Quat settled(Quat q) {
  for (int i = 0; i < 16; ++i) {
    const Quat unit = normalized(q.cast<double>()).cast<float>();
    if (unit == q) break;
    q = unit;
  }
  return q;
}

/// The subject of a body that stands upright, from the skeleton in that space.
Result<rig::Subject> upright_subject(rig::StaticSubject body, const FoundSkeleton& found, rig::SkinWeights weights,
                                     const std::vector<std::string>& notes) {
  rig::RigDraft draft = skeleton::draft_rig(found.plan);
  for (rig::Joint& joint : draft.joints) joint.rest.rotation = settled(joint.rest.rotation);
  LIMBER_TRY(const rig::Rig built, rig::build_rig(std::move(draft)));
  const rig::Facing facing = facing_of(found);
  // Templates state what their joints are; of skeletons of the shape or of parts it is found.
  return rig::Subject{anatomy::with_roles(built, facing),
                      std::move(body.points),
                      std::move(body.normals),
                      std::move(body.triangles),
                      std::move(weights),
                      std::move(body.ranges),
                      body.similarity.scale,
                      body.similarity.offset,
                      notes,
                      facing};
}

/// Measured and built standing, then turned as its file has it: so the subject of every attitude becomes the same one
/// to the last bit where somebody stands it up again. The plan comes from the space of the study to that of the
/// subject.
Result<rig::Subject> make_subject(rig::ShownGeometry shown, const Attitude& attitude, const Affined& study_from_asset,
                                  FoundSkeleton& found, rig::SkinWeights weights,
                                  const std::vector<std::string>& notes) {
  const Mat3d turn = upright_from_asset(attitude, found.plan);
  rig::StaticSubject body = turned_static(std::move(shown), turn);
  const Affined upright = inverse(body.similarity.asset_from_subject()) * Affined{turn, {}};
  found.plan = moved(std::move(found.plan), upright * inverse(study_from_asset));
  LIMBER_TRY(const rig::Subject standing, upright_subject(std::move(body), found, std::move(weights), notes));
  const Mat3 back = transposed(turn).cast<float>();
  LIMBER_TRY(rig::Subject subject, rig::moved_subject(standing, {back, 1, {}}));
  subject.asset_offset = back * standing.asset_offset;
  found.plan = moved(std::move(found.plan), Affined{transposed(turn), {}});
  return subject;
}

}  // namespace

Result<AutoRig> auto_rig(const asset::Asset& asset, const AutoRigSettings& settings, const Progress& progress) {
  const auto tell = [&](const char* stage, double fraction) { return !progress || progress(stage, fraction); };
  LIMBER_CHECK_OK(check_settings(settings));
  Stopwatch watch;
  AutoRigReport report;
  if (!tell("studying the shape", 0)) return cancelled(asset.name);
  LIMBER_TRY(const std::optional<skeleton::PartLabels> labels, labels_of(asset, settings));
  LIMBER_TRY(rig::ShownGeometry shown, rig::gather_shown(asset));
  const Attitude attitude = find_attitude(shown, settings);
  const StudiedSurface surface = make_studied(shown, attitude.study_from_asset);
  body::BodyShape body = study(surface, settings);
  report.components = body.surface.component_count;
  // A surface in one piece is one figure, however coarse what was found inside it.
  report.figures = std::min(body.graph.figures, report.components);
  report.points = surface.points.size(), report.triangles = surface.triangles.size();
  report.shape_seconds = watch.lap();

  if (!tell("finding the skeleton", 0.3)) return cancelled(asset.name);
  LIMBER_TRY(FoundSkeleton found, plan_skeleton(body, surface, attitude, labels, settings, report));
  found.parts = parts_of_points(body, found.parts);
  LIMBER_TRY(const rig::Rig studied, rig::build_rig(skeleton::draft_rig(found.plan)));
  report.skeleton_seconds = watch.lap();

  if (!tell("solving the weights", 0.6)) return cancelled(asset.name);
  rig::SkinWeights weights = solve_weights(surface, studied, found.parts, settings, report);
  report.skin_seconds = watch.lap();
  if (!tell("solving the weights", 1)) return cancelled(asset.name);
  LIMBER_TRY(rig::Subject rigged, make_subject(std::move(shown), attitude, surface.study_from_asset, found,
                                               std::move(weights), report.notes));
  add_doubts(settings, rigged.facing, report);
  return AutoRig{std::move(rigged), std::move(found.plan), std::move(report)};
}

Result<skeleton::SkeletonTemplate> template_named(std::string_view name) {
  std::string known;
  for (const skeleton::SkeletonTemplate& skeleton : skeleton::builtin_templates()) {
    if (skeleton.name == name) return skeleton;
    known += (known.empty() ? "" : ", ") + skeleton.name;
  }
  return Error{fmt::format("no template '{}'; there are: {}", name, known), "", ErrorKind::kMissing};
}

}  // namespace limber::autorig
