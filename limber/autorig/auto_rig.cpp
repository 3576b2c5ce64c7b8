// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/auto_rig.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/anatomy/find_roles.h"
#include "limber/autorig/find_skeleton.h"
#include "limber/autorig/upright.h"
#include "limber/base/stopwatch.h"
#include "limber/body/body_shape.h"
#include "limber/rig/static_subject.h"
#include "limber/skeleton/name_profiles.h"
#include "limber/skin/from_labels.h"

namespace limber::autorig {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

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

body::BodyShape study(const rig::StaticSubject& subject, const Mat3d& upright_from_subject,
                      const AutoRigSettings& settings) {
  std::vector<Vec3> points;
  const bool as_it_is = upright_from_subject == Mat3d::identity();
  if (!as_it_is) points = turned(subject.points, upright_from_subject);
  // Labels are for all triangles.
  const auto debris = settings.source == SkeletonSource::kParts ? body::Debris::kKeep : body::Debris::kLeaveOut;
  return body::study_body(as_it_is ? subject.points : points, subject.triangles, body::kShapeSolid, debris);
}

/// Forward and pins in the space of the upright body.
skeleton::EmbedSettings embed_settings(const AutoRigSettings& settings, const rig::Similarity& similarity,
                                       const Mat3d& upright_from_subject) {
  skeleton::EmbedSettings embed;
  if (settings.forward) embed.forward = upright_from_subject * settings.forward->cast<double>();
  const Affined subject_from_asset = inverse(similarity.asset_from_subject());
  for (const auto& [name, place] : settings.pins) {
    embed.pins.emplace_back(name, upright_from_subject * (subject_from_asset * place));
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

/// The skeleton of the upright body, with as many joints, the root and the names that were asked for.
Result<FoundSkeleton> plan_skeleton(body::BodyShape& body, const rig::StaticSubject& subject,
                                    const std::optional<skeleton::PartLabels>& labels, const AutoRigSettings& settings,
                                    const skeleton::EmbedSettings& embed, AutoRigReport& report) {
  LIMBER_TRY(FoundSkeleton found, labels ? skeleton_from_parts(body, *labels, subject.triangles.size(), embed, report)
                                         : find_skeleton(body, settings, embed, report));
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
rig::SkinWeights weights_of_parts(const rig::StaticSubject& subject, const rig::Rig& rig, const std::vector<int>& parts,
                                  const skin::SkinSettings& settings) {
  const skin::SkinBody body = skin::make_skin_body(subject.points, subject.triangles, settings.solid);
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

rig::SkinWeights solve_weights(const rig::StaticSubject& subject, const rig::Rig& rig, const std::vector<int>& parts,
                               const AutoRigSettings& settings, AutoRigReport& report) {
  if (settings.skeleton_only) {
    return rig::make_skin_weights(std::vector<std::vector<rig::Influence>>(subject.points.size(), {{0, 1}}), 4);
  }
  const bool by_labels =
      settings.skin.method == skin::SkinMethod::kAuto || settings.skin.method == skin::SkinMethod::kParts;
  if (!parts.empty() && by_labels) return weights_of_parts(subject, rig, parts, settings.skin);
  skin::SkinResult skin = skin::solve_skin(subject.points, subject.triangles, skin::skin_joints(rig), settings.skin);
  report.skin = std::move(skin.report);
  return std::move(skin.weights);
}

rig::Facing facing_of(const FoundSkeleton& found) {
  rig::Facing facing;
  facing.up = found.plan.up.cast<float>(), facing.forward = found.plan.forward.cast<float>();
  facing.confidence = static_cast<float>(found.facing_confidence), facing.reason = found.facing_reason;
  return facing;
}

rig::Subject make_subject(rig::StaticSubject body, rig::Rig rig, rig::SkinWeights weights, const FoundSkeleton& found,
                          const std::vector<std::string>& notes) {
  return {std::move(rig),
          std::move(body.points),
          std::move(body.normals),
          std::move(body.triangles),
          std::move(weights),
          std::move(body.ranges),
          body.similarity.scale,
          body.similarity.offset,
          notes,
          facing_of(found)};
}

}  // namespace

Result<AutoRig> auto_rig(const asset::Asset& asset, const AutoRigSettings& settings, const Progress& progress) {
  const auto tell = [&](const char* stage, double fraction) { return !progress || progress(stage, fraction); };
  LIMBER_CHECK_OK(check_settings(settings));
  Stopwatch watch;
  AutoRigReport report;
  if (!tell("studying the shape", 0)) return cancelled(asset.name);
  LIMBER_TRY(const std::optional<skeleton::PartLabels> labels, labels_of(asset, settings));
  LIMBER_TRY(rig::StaticSubject subject, rig::gather_static(asset));
  const Mat3d upright_from_subject = settings.up ? upright_from(*settings.up) : Mat3d::identity();
  body::BodyShape body = study(subject, upright_from_subject, settings);
  report.components = body.surface.component_count;
  report.points = subject.points.size(), report.triangles = subject.triangles.size();
  report.shape_seconds = watch.lap();

  if (!tell("finding the skeleton", 0.3)) return cancelled(asset.name);
  const skeleton::EmbedSettings embed = embed_settings(settings, subject.similarity, upright_from_subject);
  LIMBER_TRY(FoundSkeleton found, plan_skeleton(body, subject, labels, settings, embed, report));
  found.parts = parts_of_points(body, found.parts);
  found.plan = turned(std::move(found.plan), transposed(upright_from_subject));
  LIMBER_TRY(const rig::Rig built, rig::build_rig(skeleton::draft_rig(found.plan)));
  // Templates state what their joints are; of skeletons of the shape or of parts it is found.
  rig::Rig rig = anatomy::with_roles(built, facing_of(found));
  report.skeleton_seconds = watch.lap();

  if (!tell("solving the weights", 0.6)) return cancelled(asset.name);
  rig::SkinWeights weights = solve_weights(subject, rig, found.parts, settings, report);
  report.skin_seconds = watch.lap();
  if (!tell("solving the weights", 1)) return cancelled(asset.name);
  rig::Subject rigged = make_subject(std::move(subject), std::move(rig), std::move(weights), found, report.notes);
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
