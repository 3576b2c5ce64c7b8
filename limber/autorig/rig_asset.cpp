// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/autorig/rig_asset.h"

#include <algorithm>
#include <vector>

#include "limber/asset/pose.h"
#include "limber/autorig/attitude.h"
#include "limber/base/stopwatch.h"
#include "limber/exporter/exporter.h"
#include "limber/exporter/stand_up.h"
#include "limber/rig/stance.h"
#include "limber/rig/static_subject.h"
#include "limber/skin/reskin.h"

namespace limber::autorig {
namespace {

/// Whether anything is asked of a new skeleton.
bool asks_for_skeleton(const AutoRigSettings& settings) {
  return settings.source != SkeletonSource::kTemplates || !settings.templates.empty() || settings.parts ||
         settings.skeleton_only || settings.up || settings.forward || !settings.pins.empty() || settings.max_joints ||
         settings.root || settings.names;
}

/// Joints of one rig counted as those of another that has joints for the same nodes.
void recount(const rig::Rig& from, const rig::Rig& to, skin::SkinReport& report) {
  for (auto* joints : {&report.guessed_tails, &report.fed_joints, &report.starving_joints}) {
    for (int& joint : *joints) {
      const int node = from.joints()[static_cast<std::size_t>(joint)].node;
      const auto same = [&](const rig::Joint& other) { return other.node == node; };
      joint = static_cast<int>(std::find_if(to.joints().begin(), to.joints().end(), same) - to.joints().begin());
    }
  }
}

/// The asset turned by one node, and its subject with it.
Status stand_up(RiggedAsset& rigged) {
  const rig::Facing facing = rigged.subject.facing;
  if (!exporter::stand_up(rigged.asset, facing.up)) return Done{};
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(rigged.asset));
  recount(rigged.subject.rig, subject.rig, rigged.report.skin);
  // Joints of the plan are in the space of the subject, which is another now.
  const Mat3d turn = rig::upright_from(facing.up);
  const Affined before = rig::asset_from_subject(rigged.subject), after = rig::asset_from_subject(subject);
  rigged.plan = moved(std::move(rigged.plan), inverse(after) * Affined{turn, {}} * before);
  subject.facing.reason = facing.reason;
  rigged.subject = std::move(subject);
  return Done{};
}

/// New weights for the skeleton that is there.
Result<RiggedAsset> reskin_asset(asset::Asset asset, const AutoRigSettings& settings, const Progress& progress) {
  if (asks_for_skeleton(settings)) {
    return Error{"the skeleton is to be kept, and settings ask for another", asset.name, ErrorKind::kConflict};
  }
  if (progress && !progress("solving the weights", 0)) return cancelled(asset.name);
  Stopwatch watch;
  LIMBER_TRY(const rig::Subject before, rig::subject_from_asset(asset));
  LIMBER_TRY(skin::Reskinned skin, skin::reskin(asset, before, settings.skin));
  LIMBER_CHECK_OK(exporter::replace_weights(asset, before, skin));
  if (progress && !progress("solving the weights", 1)) return cancelled(asset.name);
  // Loose trees of joints hang where their skin is, which may be elsewhere now.
  LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
  AutoRigReport report;
  report.kind = "kept", report.reason = "as asked";
  report.points = subject.points.size(), report.triangles = subject.triangles.size();
  report.skin = std::move(skin.report), report.skin_seconds = watch.lap();
  report.notes = subject.notes;
  recount(before.rig, subject.rig, report.skin);
  return RiggedAsset{std::move(asset), std::move(subject), {}, std::move(report)};
}

}  // namespace

Result<RiggedAsset> rig_asset(asset::Asset asset, const RigRequest& request, const Progress& progress) {
  const AutoRigSettings& settings = request.settings;
  if (request.existing == ExistingSkeleton::kKeep) return reskin_asset(std::move(asset), settings, progress);
  if (rig::has_skin(asset)) {
    if (request.existing == ExistingSkeleton::kRefuse) {
      return Error{"has a skeleton already; it can be kept, with new weights, or replaced", asset.name,
                   ErrorKind::kConflict};
    }
    asset = asset::bake(asset, asset::rest_state(asset));
  }
  LIMBER_TRY(AutoRig rigged, auto_rig(asset, settings, progress));
  LIMBER_CHECK_OK(exporter::add_rig(asset, rigged.subject, {settings.skin.influences, request.name}));
  RiggedAsset result{std::move(asset), std::move(rigged.subject), std::move(rigged.plan), std::move(rigged.report)};
  if (request.stand_up) LIMBER_CHECK_OK(stand_up(result));
  return result;
}

}  // namespace limber::autorig
