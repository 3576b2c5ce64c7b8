// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_model.h"

#include <algorithm>

#include "limber/nn/model_fields.h"
#include "limber/nn/shipped_models.h"

namespace limber::motion_space {
namespace {

constexpr const char* kFormat = "limber motion space 1";
constexpr double kMostFlops = 1e12;  // a file must not ask for more than any sensible model
constexpr std::size_t kMostActions = 1000;

constexpr nn::ModelField<MotionModel> kFields[] = {{"width", &MotionModel::width, 8, 1024},
                                                   {"layers", &MotionModel::layers, 1, 64},
                                                   {"heads", &MotionModel::heads, 1, 64},
                                                   {"features", &MotionModel::features, 1, 1024},
                                                   {"judges", &MotionModel::judges, 0, 1}};

Result<std::vector<std::string>> read_actions(const nlohmann::ordered_json& json, const std::string& name) {
  const std::string where = name + "#/actions";
  if (!json.contains("actions") || !json["actions"].is_array() || json["actions"].empty() ||
      json["actions"].size() > kMostActions)
    return Error{"a list of 1 to 1000 names is missing", where};
  std::vector<std::string> actions;
  for (const auto& entry : json["actions"]) {
    if (!entry.is_string()) return Error{"names are strings", where};
    actions.push_back(entry.get<std::string>());
  }
  return actions;
}

}  // namespace

int MotionModel::find_action(const std::string& name) const {
  const auto found = std::find(actions.begin(), actions.end(), name);
  return found == actions.end() ? -1 : static_cast<int>(found - actions.begin());
}

double MotionModel::flops(int joints) const {
  const double n = 1 + joints, t = kTokens, d = width;
  return layers * (32 * n * t * d * d + 4 * n * n * t * d + 4 * n * t * t * d);
}

int first_choice(Fact fact) {
  int first = 0;
  for (int i = 0; i < static_cast<int>(fact); ++i) first += kFactChoices[i];
  return first;
}
int not_said(Fact fact) { return kFactChoices[static_cast<int>(fact)] - 1; }

std::string motion_model_to_json(const MotionModel& model) {
  nlohmann::ordered_json json = nn::description_of(kFormat, kFields, model);
  json["actions"] = model.actions;
  return json.dump(1) + "\n";
}

Result<MotionModel> motion_model_from_json(const std::string& text, const std::string& name) {
  MotionModel model;
  LIMBER_TRY(const auto json, nn::parse_description(text, kFormat, "a motion space", name));
  LIMBER_CHECK_OK(nn::read_fields(json, kFields, name, model));
  LIMBER_TRY(model.actions, read_actions(json, name));
  if (model.width % model.heads != 0 || model.width % 2 != 0)
    return Error{"the width is odd, or no multiple of the heads", name};
  if (model.flops(kMostJoints) > kMostFlops) return Error{"too large", name};
  return model;
}

bool is_motion_model(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / kMotionModelFile, error);
}

Result<MotionModel> read_motion_model(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kMotionModelFile;
  LIMBER_TRY(const std::string text, nn::read_description(path));
  return motion_model_from_json(text, path.string());
}

Result<std::filesystem::path> find_motion_model() { return nn::find_shipped_model("motion_space", is_motion_model); }

}  // namespace limber::motion_space
