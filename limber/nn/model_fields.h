// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "limber/base/result.h"

/// \file
/// A model's description is a small JSON file beside its weights: what it is, and the sizes of its network. Nobody
/// vouches for such files, so each size has a range.
///
///     constexpr nn::ModelField<Model> kFields[] = {{"width", &Model::width, 8, 4096}, {"heads", &Model::heads, 1,
///     64}}; std::string text = nn::description_of("limber model 1", kFields, model).dump(1);
///
///     LIMBER_TRY(auto json, nn::parse_description(text, "limber model 1", "a model", "model.json"));
///     LIMBER_CHECK_OK(nn::read_fields(json, kFields, "model.json", model));      // errors name `model.json#/width`

namespace limber::nn {

/// A size of the network, and between which bounds files may set it.
template <class Model>
struct ModelField {
  const char* name;
  int Model::*member;
  int low, high;
};

/// `{"format": format}` and then the fields in their order.
template <class Fields, class Model>
nlohmann::ordered_json description_of(const char* format, const Fields& fields, const Model& model) {
  nlohmann::ordered_json json;
  json["format"] = format;
  for (const ModelField<Model>& field : fields) json[field.name] = model.*field.member;
  return json;
}

/// The description in `text`, if it is an object of this format; `what` is what it should describe, `name` the file's
/// name in errors.
Result<nlohmann::ordered_json> parse_description(const std::string& text, const char* format, const char* what,
                                                 const std::string& name);

/// The whole number `key` of a description.
Result<int> read_field(const nlohmann::ordered_json& json, const char* key, int low, int high, const std::string& name);

template <class Fields, class Model>
Status read_fields(const nlohmann::ordered_json& json, const Fields& fields, const std::string& name, Model& model) {
  for (const ModelField<Model>& field : fields) {
    LIMBER_TRY(model.*field.member, read_field(json, field.name, field.low, field.high, name));
  }
  return Done{};
}

/// The text of a description's file, which is small.
Result<std::string> read_description(const std::filesystem::path& file);

}  // namespace limber::nn
