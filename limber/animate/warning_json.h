// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "limber/base/warning.h"

/// Warnings as reports have them. Private to `animate` and `report`.
namespace limber::animate {

/// All but words: those are whoever's who shows the report.
inline nlohmann::ordered_json warning_json(const Warning& warning) {
  using Json = nlohmann::ordered_json;
  Json numbers = Json::object(), names = Json::object(), fields = Json::array();
  for (const auto& [name, value] : warning.numbers) numbers[name] = value;
  for (const auto& [name, text] : warning.names) names[name] = text;
  for (const FieldHint& hint : warning.fields) {
    fields.push_back({{"command", hint.command.empty() ? Json() : Json(hint.command)},
                      {"field", hint.field},
                      {"value", hint.value.empty() ? Json() : Json(hint.value)}});
  }
  return {{"code", warning.code}, {"numbers", numbers}, {"names", names}, {"fields", fields}};
}

inline nlohmann::ordered_json warnings_json(const std::vector<Warning>& warnings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Warning& warning : warnings) list.push_back(warning_json(warning));
  return list;
}

}  // namespace limber::animate
