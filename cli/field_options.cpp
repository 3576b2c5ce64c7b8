// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "field_options.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "limber/animate/fields.h"
#include "limber/autorig/wishes.h"

namespace limber::cli {
namespace {

/// What stands behind the option in the help.
std::string type_word(const FieldInfo& field) {
  switch (field.type) {
    case FieldType::kFlag:
      return "";
    case FieldType::kText:
      return *field.choices == '\0' ? "TEXT" : field.choices;
    case FieldType::kChoice: {
      std::string all;
      for (const std::string& choice : split_choices(field.choices)) all += (all.empty() ? "" : ",") + choice;
      return "{" + all + "}";
    }
    case FieldType::kWhole:
      return field.most < 9e15 ? fmt::format("N ({} to {})", field.least, field.most) : "N";
    case FieldType::kNumber:
      return fmt::format("X ({} to {})", field.least, field.most);
    case FieldType::kFile:
      return "FILE";
    case FieldType::kFolder:
      return "DIR";
    case FieldType::kDirection:
      return "DIRECTION";
    case FieldType::kClip:
      return "CLIP";
  }
  return "";
}

}  // namespace

void add_field_option(CLI::App& command, const FieldInfo& field, const std::string& usual,
                      const std::function<Status(const std::string&)>& set) {
  const std::string option = option_words(field.name, "");
  const auto take = [set, option](const std::string& text) {
    const Status status = set(text);
    if (!status.ok()) throw CLI::ValidationError(option, status.error().what);
  };
  if (field.type == FieldType::kFlag) {
    command.add_flag_function(
        option, [take](std::int64_t count) { take(count > 0 ? "true" : "false"); }, field.help);
    return;
  }
  CLI::Option* added = field.repeats ? command.add_option_function<std::vector<std::string>>(
                                           option,
                                           [take](const std::vector<std::string>& all) {
                                             for (const auto& one : all) take(one);
                                           },
                                           field.help)
                                     : command.add_option_function<std::string>(option, take, field.help);
  // One value each time it is said: what follows may be the model.
  if (field.repeats) added->allow_extra_args(false);
  added->type_name(type_word(field));
  if (!usual.empty()) added->default_str(usual);
}

std::string worded(std::string_view text) {
  return with_words(text, [](const std::string& field, const std::string& value) {
    const bool known = animate::find_field(field) != nullptr || autorig::find_field(field) != nullptr;
    return known ? option_words(field, value) : "";
  });
}

std::string option_words(const std::string& field, const std::string& value) {
  return "--" + dashed(field) + (value.empty() ? "" : " " + value);
}

}  // namespace limber::cli
