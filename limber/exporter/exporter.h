// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"
#include "limber/skin/reskin.h"

/// Brings rigs and motions back into an asset, in the asset's own skeleton and units. Only appends.
namespace limber::exporter {

struct ClipSettings {
  std::string name = "motion";
  /// Repeat the first pose at the end of a looping motion, so that players wrap without a jump. The root's translation
  /// goes on from the last frame where the motion travels.
  bool repeat_first = true;
};

/// The motion as a clip of the asset that `subject` was built from (or that `add_rig` completed): one
/// rotation channel per joint that moves, translations and scales only where they differ from rest. Joints that were
/// attached to another parent get their own node's transform back. Keys are linear, one per frame; nodes that are
/// carried by another than their parent get more, so that between the frames, too, they are within 1e-3 of the height
/// of the arc.
///
/// Fails if no joint belongs to a node of the asset. A node whose transform the file gives as a matrix gets all three
/// channels; glTF wants such a node changed to translation, rotation and scale, see `add_clip`.
Result<asset::Clip> clip_from_motion(const asset::Asset& asset, const rig::Subject& subject,
                                     const kinematics::Motion& motion, const ClipSettings& settings = {});

/// Appends `clip_from_motion` to the asset's clips, and writes the matrices of the nodes that it moves as translation,
/// rotation and scale.
Status add_clip(asset::Asset& asset, const rig::Subject& subject, const kinematics::Motion& motion,
                const ClipSettings& settings = {});

struct RigSettings {
  int influences = 4;  ///< 4 or 8 (8 writes JOINTS_1)
  std::string name = "skeleton";
};

/// Adds the subject's skeleton and skin to an asset whose meshes (`subject.ranges`) have none: nodes, one skin per mesh
/// node, JOINTS and WEIGHTS. Nodes of the new joints are entered into `subject`. Vertices, materials and existing nodes
/// stay as they are. Joint axes, limits, roles and the facing are kept in the skins' extras (rig/rig_extras.h).
///
/// The joints get translations in the asset's units, and no scale. A mesh that several nodes share is copied where they
/// need different weights. Fails, leaving everything as it was, if a mesh has a skin already or `subject.points` are
/// not its vertices at rest.
Status add_rig(asset::Asset& asset, rig::Subject& subject, const RigSettings& settings = {});

/// Gives the skinned meshes of an asset new weights in its own skins, and leaves everything else as it is. A joint that
/// a skin does not list counts for the nearest one above that it does. `skin` must come from the same asset and
/// subject.
Status replace_weights(asset::Asset& asset, const rig::Subject& subject, const skin::Reskinned& skin);

/// Changes every primitive with more than `influences` (4 or 8) per vertex to the heaviest ones, rescaled to the same
/// sum.
void limit_influences(asset::Asset& asset, int influences);

}  // namespace limber::exporter
