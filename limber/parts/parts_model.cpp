// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_model.h"

#include "limber/nn/model_fields.h"
#include "limber/nn/shipped_models.h"

namespace limber::parts {
namespace {

constexpr const char* kFormat = "limber parts 1";
constexpr int kMostTokens = 16384;   // attention keeps their square
constexpr double kMostFlops = 1e12;  // a file must not ask for more than any sensible model

constexpr nn::ModelField<PartsModel> kFields[] = {
    {"views", &PartsModel::views, 1, 8},    {"frames", &PartsModel::frames, 1, 16},
    {"size", &PartsModel::size, 8, 256},    {"patch", &PartsModel::patch, 2, 32},
    {"width", &PartsModel::width, 8, 1024}, {"layers", &PartsModel::layers, 1, 64},
    {"heads", &PartsModel::heads, 1, 64}};

}  // namespace

double PartsModel::flops() const {
  const double n = tokens(), d = width;
  return layers * (2 * (24 * n * d * d + 4 * n * n * d) + 8 * n * d * d);
}

std::string parts_model_to_json(const PartsModel& model) {
  auto description = nn::description_of(kFormat, kFields, model);
  if (!model.colors) description["colors"] = false;
  return description.dump(1) + "\n";
}

Result<PartsModel> parts_model_from_json(const std::string& text, const std::string& name) {
  PartsModel model;
  LIMBER_TRY(const auto json, nn::parse_description(text, kFormat, "a network of parts", name));
  LIMBER_CHECK_OK(nn::read_fields(json, kFields, name, model));
  if (const auto colors = json.find("colors"); colors != json.end()) {
    if (!colors->is_boolean()) return Error{"'colors' is neither true nor false", name};
    model.colors = colors->get<bool>();
  }
  if (model.width % model.heads != 0 || model.width % 2 != 0)
    return Error{"the width is odd, or no multiple of the heads", name};
  if (model.size % model.patch != 0) return Error{"the size is no multiple of the patch", name};
  if (model.flops() > kMostFlops || model.tokens() > kMostTokens) return Error{"too large", name};
  return model;
}

bool is_parts_model(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / kPartsModelFile, error);
}

Result<PartsModel> read_parts_model(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kPartsModelFile;
  LIMBER_TRY(const std::string text, nn::read_description(path));
  return parts_model_from_json(text, path.string());
}

Result<std::filesystem::path> find_parts_model() { return nn::find_shipped_model("parts", is_parts_model); }

}  // namespace limber::parts
