// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/base/fields.h"

/// What a person should know of a result, as data: which of the known warnings it is, the numbers and names in it, and
/// the fields that may help. Front ends put it in words (`in_words`) or make buttons of the fields.
namespace limber {

/// A field that may help, and the value that it should have where that is known.
struct FieldHint {
  std::string field;         ///< as the command's table has it: "weights"
  std::string value = {};    ///< "voxel"; "true" of a flag; empty: another than it has
  std::string command = {};  ///< "rig"; empty: the one that warns
};

struct Warning {
  std::string code;                                             ///< a row of warning_texts.cpp: "hovers"
  std::vector<std::pair<std::string, double>> numbers = {};     ///< by name, in the units of the library
  std::vector<std::pair<std::string, std::string>> names = {};  ///< words of persons and files, and reasons
  std::vector<FieldHint> fields = {};

  /// The number or name that is called so; 0 or empty where there is none.
  double number(std::string_view name) const;
  std::string_view name(std::string_view name) const;
  bool operator==(const Warning& other) const;
};

/// A code, and what it says: what is so, and what may help. `{moved}` stands for a name or a number, `{moved:.1}` for a
/// number with one decimal, `{moved:.1%}` for "12.3 %", `{turned:.0d}` for radians as degrees, and `` `seed` `` and
/// `` `ground lock` `` for fields.
struct WarningText {
  const char* code;
  const char* what;
  const char* help = "";
};

/// The table of all of them.
std::span<const WarningText> warning_texts();

/// How fields are called where no front end says otherwise: "`seed`", "`ground lock`".
std::string plain_words(const std::string& field, const std::string& value);

/// What is so, and what may help; fields are called as `words` calls them. A code without a text is its own.
std::string what_of(const Warning& warning, const FieldWords& words = plain_words);
std::string help_of(const Warning& warning, const FieldWords& words = plain_words);
/// Both, in one sentence.
std::string in_words(const Warning& warning, const FieldWords& words = plain_words);

/// Whether one of them has this code.
bool has_code(std::span<const Warning> warnings, std::string_view code);

}  // namespace limber
