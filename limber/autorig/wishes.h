// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/autorig/rig_asset.h"
#include "limber/base/fields.h"

/// Everything that can be asked of `rig`, as one table (base/fields.h): command line, Python and studio are made from
/// it.
namespace limber::autorig {

/// What a person asked for, field by field.
struct Wishes {
  bool keep_skeleton = false, replace = false, stand_up = false;
  std::string kind = "auto";                      ///< a built-in template's name, "auto" or "curve"
  std::optional<std::filesystem::path> skeleton;  ///< a file to use as template
  std::string parts;                           ///< a file of face labels, "extras" for those in the asset; empty: none
  std::optional<skeleton::PartLabels> labels;  ///< the same as values
  std::string from;  ///< "parts": as the network finds them; "auto": where no template is believed; or empty
  double least_agreement = 0.4;  ///< for "auto": views that agree less are not believed (docs/parts.md, Which rig)
  std::string reader = "auto";   ///< a folder, "auto" for the one that ships, "none"
  std::vector<std::pair<std::string, Vec3d>> pins;
  std::optional<int> joints;
  std::string root, names;
  std::optional<Vec3> up, forward;
  std::string weights = "auto";
  int influences = 4;
  double stiffness = 3;
  std::string report;                       ///< a file, which the program writes
  std::set<std::string, std::less<>> said;  ///< fields that were set, be it to what they are anyway
};

struct Field : FieldInfo {
  bool is_file = false;  ///< beside the result: the program's alone
  FieldMember (*member)(Wishes& wishes) = nullptr;
};

/// The table, in the order in which a person reads it.
const std::vector<Field>& fields();
const Field* find_field(std::string_view name);

/// Names of those that a line of a manifest may have among its options.
std::vector<std::string> field_names();

std::string text_of(const Field& field, const Wishes& wishes);
/// Sets a field from its text; a pin is added to those before. The error's `where` is the name.
Status set(const Field& field, const std::string& text, Wishes& wishes);

/// The first two wishes that cannot both be meant, or of which one does nothing.
std::optional<Refusal> find_refusal(const Wishes& wishes);

/// Wishes as a request. Reads the files that they name, but for the reader's, and nothing of `from`.
Result<RigRequest> request_of(const Wishes& wishes);

/// The whole of `limber rig` but for files: finds the parts of the body where `from` asks for them, opens the reader
/// where one is needed, and rigs the asset. Where no template is believed and the parts are not either, the report says
/// so.
Result<RiggedAsset> rig_as_asked(asset::Asset asset, const Wishes& wishes, const Progress& progress = {});

/// Directions that were given as a facing, the rest being usual; none where nothing was said.
Result<std::optional<rig::Facing>> asked_facing(const std::optional<Vec3>& up, const std::optional<Vec3>& forward);

/// Whether no template is believed of a rig, so that its parts may tell more.
bool wants_parts(const AutoRigReport& report);

/// The rows of docs/autorig.md.
std::string fields_as_markdown();

}  // namespace limber::autorig
