// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "limber/animate/models.h"
#include "limber/animate/request.h"
#include "limber/base/fields.h"
#include "limber/base/math.h"

/// Everything that can be asked of `animate`, as one table: the options of the command line, the keywords of Python,
/// what the studio's page and a batch's manifest may say, what the report repeats and the table of docs/animate.md are
/// its rows. Adding an option is a row here, a member of `Request` and the stage that reads it.
namespace limber::animate {

/// Files that the program writes beside the result. Whoever calls the library has the same as values and callbacks.
struct Files {
  std::string report, preview, losses, samples, timeline;
  bool no_preview = false, strict = false;
};

/// What a person asked for, field by field.
struct Wishes {
  Request request;
  ModelSettings models;
  std::optional<Vec3> up, forward;   ///< in the asset's world; they become `request.facing`
  std::filesystem::path checkpoint;  ///< where the run is kept; empty: nowhere
  double checkpoint_seconds = 60;    ///< see Checkpoint
  bool fresh = false;                ///< what `checkpoint` keeps is thrown away
  bool kept_beside = false;          ///< the run is kept beside the result where no `checkpoint` is named
  Files files;
  std::set<std::string, std::less<>> said;  ///< fields that were set, be it to what they are anyway
};

/// Whose a field is, and so who shows it.
enum class FieldOwner {
  kRequest,  ///< the motion's: everybody shows it
  kModels,   ///< what the motion is made with: everybody
  kRun,      ///< how it is kept: everybody but the studio, which keeps jobs itself
  kFiles     ///< the program's alone
};

/// Why each method has no use for a field; null where it has.
struct NoUse {
  const char *sample = nullptr, *akd = nullptr, *planar = nullptr, *video = nullptr;
  bool distils = false;  ///< it is about a distillation: of no use where there is none
  const char *rule = nullptr, *native = nullptr, *library = nullptr;
};

struct Field : FieldInfo {
  FieldOwner owner = FieldOwner::kRequest;
  NoUse no_use;
  FieldMember (*member)(Wishes& wishes) = nullptr;
};

/// The table, in the order in which a person reads it.
const std::vector<Field>& fields();
/// Null where there is none of this name.
const Field* find_field(std::string_view name);

/// Names of those that a line of a manifest may have among its options.
std::vector<std::string> field_names();

/// The text of a field; empty where nothing is said.
std::string text_of(const Field& field, const Wishes& wishes);

/// Sets a field from its text. The error's `where` is the name.
Status set(const Field& field, const std::string& text, Wishes& wishes);

/// Whether a field was set, or is another than it is where nobody says anything.
bool is_said(const Field& field, const Wishes& wishes);

/// The rows of docs/animate.md.
std::string fields_as_markdown();

}  // namespace limber::animate
