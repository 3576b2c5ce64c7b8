// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "limber/base/result.h"

/// What can be asked of a command, as a table: one row a field. Command line, Python, studio, manifests, reports and
/// docs are made from the same rows, so a field is described once. Every value has a text, which is what a person
/// writes on a command line; an empty one says nothing.
namespace limber {

/// What the text of a field is.
enum class FieldType {
  kFlag,       ///< "true" or "false"; false where nothing is said
  kText,       ///< anything
  kChoice,     ///< one of `FieldInfo::choices`
  kWhole,      ///< a whole number from `least` to `most`
  kNumber,     ///< a number from `least` to `most`
  kFile,       ///< a path
  kFolder,     ///< likewise
  kDirection,  ///< "+x", "-Z" or "0,0.7,-1"
  kClip        ///< one of the asset: its name, or "#2" for the third
};

/// A field, wherever it is kept.
struct FieldInfo {
  const char* name;  ///< `in_place`; on the command line `--in-place`
  FieldType type;
  const char* help;
  const char* choices = "";  ///< with bars between: "draft|standard|best"; of a text how it is written: "NAME=X,Y,Z"
  double least = 0, most = 0;
  bool repeats = false;  ///< may be said several times; each is added to those before
};

/// A value that is kept in another form than its text.
struct OwnText {
  std::function<std::string()> get;             ///< empty: nothing is said
  std::function<bool(const std::string&)> set;  ///< false, and nothing is changed: it cannot be read
};

/// Where the value of a field is kept.
using FieldMember = std::variant<bool*, std::string*, std::filesystem::path*, std::optional<std::filesystem::path>*,
                                 int*, std::optional<int>*, std::uint64_t*, double*, std::optional<double>*, OwnText>;

/// An enumeration whose values are called as `name(value)` and `named(text)` say. `member` must outlive the result.
template <class Enum>
OwnText choice_of(Enum& member, std::optional<Enum> (*named)(std::string_view)) {
  return {[&member] { return std::string(name(member)); },
          [&member, named](const std::string& text) {
            const std::optional<Enum> found = named(text);
            if (found) member = *found;
            return found.has_value();
          }};
}

/// The value as a text; numbers as the shortest one that reads back to the same bits.
std::string field_text(const FieldMember& member);

/// Sets the value; an error, in words and without a name, where the text is not one of the field's.
Status set_field(const FieldInfo& field, const FieldMember& member, const std::string& text);

/// The field of a table that is called so; null where there is none.
template <class Field>
const Field* field_named(const std::vector<Field>& fields, std::string_view name) {
  for (const Field& field : fields) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

/// Sets a field of wishes from its text, and notes in `said` that somebody said it. The error's `where` is the name.
template <class Field, class Wishes>
Status say_field(const Field& field, const std::string& text, Wishes& wishes) {
  const Status done = set_field(field, field.member(wishes), text);
  if (!done.ok()) return Error{done.error().what, field.name};
  // "Not" says nothing.
  if (field.type != FieldType::kFlag || text == "true") wishes.said.insert(field.name);
  return Done{};
}

/// What may be written: "a whole number from 1 to 64", "one of draft, standard, best".
std::string allowed_values(const FieldInfo& field);

/// Two fields that cannot both be meant. Front ends put it in words, by their own names of fields.
struct Refusal {
  enum class Why {
    kContradict,  ///< `field` and `other` contradict each other
    kNeeds,       ///< `field` needs `other`
    kEither       ///< either `field` or `other` has to be said
  };
  Why why = Why::kContradict;
  std::string field, other;  ///< names in a table
  std::string value;         ///< of `other`, where it is one of few: "akd"
  std::string reason;
  ErrorKind kind = ErrorKind::kConflict;
};

/// How a front end calls a field, with its value where that is known.
using FieldWords = std::function<std::string(const std::string& field, const std::string& value)>;
/// "--method akd and --seconds contradict each other: it makes one clip ...".
std::string in_words(const Refusal& refusal, const FieldWords& words);

/// A text of the library, which names fields in backticks ("another `seed`", "`ground lock`"), with what `words` makes
/// of them; what it makes nothing of stays.
std::string with_words(std::string_view text, const FieldWords& words);

/// In the words of a library: names as the table has them, "method (akd)".
Error refused(const Refusal& refusal, std::string where);

/// "draft|standard|best" -> each of them.
std::vector<std::string> split_choices(std::string_view choices);

/// `in_place` -> `in-place`.
std::string dashed(std::string_view name);

}  // namespace limber
