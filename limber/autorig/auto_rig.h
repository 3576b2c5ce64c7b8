// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/anatomy/body_reading.h"
#include "limber/asset/asset.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/base/warning.h"
#include "limber/rig/subject.h"
#include "limber/skeleton/from_parts.h"
#include "limber/skeleton/plan.h"
#include "limber/skeleton/template.h"
#include "limber/skin/solve.h"

/// A rig for a static asset: skeleton and weights.
namespace limber::autorig {

/// What a new skeleton is made from.
enum class SkeletonSource {
  kTemplates,  ///< the template that fits best; the body's own shape where none is believed
  kCurve,      ///< the body's own shape alone
  kParts       ///< part labels: a joint for every part
};

struct AutoRigSettings {
  SkeletonSource source = SkeletonSource::kTemplates;
  std::vector<skeleton::SkeletonTemplate> templates;  ///< to choose from; empty: the built-in ones
  /// Embeddings that cost more are not believed, and the body gets a skeleton of its own shape. Not applied where
  /// `templates` holds a single one: a person chose it.
  double accept = 17;
  std::optional<skeleton::PartLabels> parts;  ///< for kParts; unset: the labels in the asset's extras
  bool extra_limbs = true;                    ///< joints for limbs that the template does not know
  bool skeleton_only = false;                 ///< no weights: every point follows the root
  /// How the body stands and faces, in the asset's world, of any length; unset: found. What is said here need not be
  /// met exactly: bodies are taken to be turned by the nearest of the turns that suit their shape.
  std::optional<Vec3> up, forward;
  std::vector<std::pair<std::string, Vec3d>> pins;  ///< joints of templates that are to be there, in the asset's world
  anatomy::ReadBody reader;                         ///< tells parts, kind and front of bodies; empty: by shape alone
  std::optional<int> max_joints;                    ///< >= 1; unset: as many as the template has
  std::optional<std::string> root;                  ///< name of the joint to be the root; unset: as found
  std::optional<std::string> names;                 ///< a profile of name_profiles.h; unset: limber's own
  skin::SkinSettings skin;
};

/// What of a rig is rather a guess than found.
enum class Doubt {
  kFront,        ///< how it stands and looks
  kKind,         ///< which template it is
  kUnknownKind,  ///< none is believed, and the skeleton follows the shape alone
  kFit,          ///< the template is believed, but matches badly
  kFigures,      ///< there is more than one body, and one skeleton for all
  kDetail        ///< the surface shows too little
};
std::string_view name(Doubt doubt);  ///< "unknown kind"

/// What was decided, and why. The front is `rig::Subject::facing`.
struct AutoRigReport {
  std::string kind;    ///< the template's name, "curve", "parts"; "kept" where rig_asset() kept a skeleton
  std::string reason;  ///< why the fallback was used; empty for a template
  double cost = 0;
  std::string runner_up;  ///< the next best template, empty for none
  double runner_up_cost = 0;
  double confidence = 0;  ///< 0 to 1: how clearly better than the next best template, and than facing the other way
  std::vector<std::pair<std::string, double>> terms;  ///< what the cost is made of
  std::string read_kind;                              ///< what a reader takes it for; empty without one
  std::string read_limbs;                             ///< "4 legs, 2 wings, one head"; empty where it was not sure
  double read_trust = 0;                              ///< 0 to 1: how far that was believed
  bool symmetric = false;
  int components = 0;
  int figures = 1;         ///< bodies that stand apart, as it seems
  int joints_outside = 0;  ///< of the solid that the surface stands for
  std::size_t points = 0, triangles = 0;
  double shape_seconds = 0, skeleton_seconds = 0, skin_seconds = 0;
  skin::SkinReport skin;
  std::vector<std::string> notes;
  std::vector<Doubt> doubts;
  std::vector<Warning> warnings;  ///< what a person should check, and which fields change it; one for every doubt
};

struct AutoRig {
  rig::Subject subject;  ///< fits the asset: exporter::add_rig brings it there
  skeleton::SkeletonPlan plan;
  AutoRigReport report;
};

/// Finds a skeleton for the shown meshes of an asset and solves their weights. Vertices stay as they are. The same
/// asset and settings give the same rig on every machine. Fails if there is no mesh, a mesh has a skin already or is
/// instanced, a name is unknown, settings contradict each other (kConflict), or when cancelled.
Result<AutoRig> auto_rig(const asset::Asset& asset, const AutoRigSettings& settings = {},
                         const Progress& progress = {});

/// The built-in template of that name; otherwise an error that lists those there are.
Result<skeleton::SkeletonTemplate> template_named(std::string_view name);

}  // namespace limber::autorig
