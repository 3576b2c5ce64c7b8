// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/rig/subject.h"
#include "limber/skeleton/embed.h"
#include "limber/skeleton/from_parts.h"
#include "limber/skeleton/plan.h"
#include "limber/skin/solve.h"

/// A rig for a static asset: skeleton and weights.
namespace limber::autorig {

struct AutoRigSettings {
  std::vector<skeleton::SkeletonTemplate> templates;  ///< to choose from; empty: the built-in ones
  bool curve_only = false;                            ///< no template: the skeleton of the body's own shape
  bool extra_limbs = true;                            ///< joints for limbs that the template does not know
  bool skeleton_only = false;                         ///< no weights: every point follows the root
  /// Embeddings that cost more are not believed, and the body gets a skeleton of its own shape. Not applied where
  /// `templates` holds a single one: a person chose it.
  double accept = 17;
  int max_joints = 0;                               ///< 0: as many as the template has
  std::string root;                                 ///< name of the joint to be the root; empty: as found
  std::string names;                                ///< a profile of name_profiles.h; empty: limber's own
  std::optional<Vec3d> forward;                     ///< the way the body faces, in the asset's world, if known
  std::vector<std::pair<std::string, Vec3d>> pins;  ///< joints that are to be there, in the asset's world
  anatomy::ReadBody reader;                         ///< tells parts, kind and front of bodies; empty: by shape alone
  std::optional<skeleton::PartLabels> parts;        ///< rig by these parts instead of templates
  skin::SkinSettings skin;
};

/// What was decided, and why.
struct AutoRigReport {
  std::string kind;    ///< the template's name, "curve" or "parts"
  std::string reason;  ///< why the fallback was used; empty for a template
  double cost = 0;
  std::string runner_up;  ///< the next best template, empty for none
  double runner_up_cost = 0;
  double confidence = 0;  ///< 0 to 1: how clearly better than the next best template, and than facing the other way
  Vec3d up{0, 1, 0}, forward{0, 0, 1};                ///< in the asset's world
  std::vector<std::pair<std::string, double>> terms;  ///< what the cost is made of
  std::string read_kind;                              ///< what a reader takes it for; empty without one
  double read_trust = 0;                              ///< 0 to 1: how far that was believed
  bool symmetric = false;
  int components = 0;
  int joints_outside = 0;  ///< of the solid that the surface stands for
  std::size_t points = 0, triangles = 0;
  double shape_seconds = 0, skeleton_seconds = 0, skin_seconds = 0;
  skin::SkinReport skin;
  std::vector<std::string> notes;
};

struct AutoRig {
  rig::Subject subject;  ///< fits the asset: exporter::add_rig brings it there
  skeleton::SkeletonPlan plan;
  AutoRigReport report;
};

/// Finds a skeleton for the shown meshes of an asset and solves their weights. Vertices stay as they are. The same
/// asset and settings give the same rig on every machine. Fails if there is no mesh, a mesh has a skin already or is
/// instanced, a name is unknown, or when cancelled.
Result<AutoRig> auto_rig(const asset::Asset& asset, const AutoRigSettings& settings = {},
                         const Progress& progress = {});

}  // namespace limber::autorig
