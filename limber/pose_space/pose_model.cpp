// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_model.h"

#include "limber/nn/model_fields.h"
#include "limber/nn/shipped_models.h"

namespace limber::pose_space {
namespace {

constexpr const char* kFormat = "limber pose space 1";
constexpr const char* kFills = "fills";
constexpr double kMostFlops = 1e11;  // a file must not ask for more than any sensible model

constexpr nn::ModelField<PoseModel> kFields[] = {{"width", &PoseModel::width, 8, 1024},
                                                 {"layers", &PoseModel::layers, 1, 64},
                                                 {"heads", &PoseModel::heads, 1, 64},
                                                 {"features", &PoseModel::features, 1, 1024},
                                                 {"points", &PoseModel::points, 1, 4096}};

}  // namespace

double PoseModel::flops() const {
  const double n = kMostJoints, m = points + 1, d = width;
  return layers * (28 * n * d * d + 4 * n * n * d + 4 * n * m * d);
}

std::string pose_model_to_json(const PoseModel& model) {
  nlohmann::ordered_json json = nn::description_of(kFormat, kFields, model);
  if (model.fills != 0) json[kFills] = model.fills;
  return json.dump(1) + "\n";
}

Result<PoseModel> pose_model_from_json(const std::string& text, const std::string& name) {
  PoseModel model;
  LIMBER_TRY(const auto json, nn::parse_description(text, kFormat, "a pose space", name));
  LIMBER_CHECK_OK(nn::read_fields(json, kFields, name, model));
  // Networks from before it could be told do not say so.
  if (json.contains(kFills)) {
    LIMBER_TRY(model.fills, nn::read_field(json, kFills, 0, 1, name));
  }
  if (model.width % model.heads != 0 || model.width % 2 != 0)
    return Error{"the width is odd, or no multiple of the heads", name};
  if (model.flops() > kMostFlops) return Error{"too large", name};
  return model;
}

bool is_pose_model(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / kPoseModelFile, error);
}

Result<PoseModel> read_pose_model(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kPoseModelFile;
  LIMBER_TRY(const std::string text, nn::read_description(path));
  return pose_model_from_json(text, path.string());
}

Result<std::filesystem::path> find_pose_model() { return nn::find_shipped_model("pose_space", is_pose_model); }

}  // namespace limber::pose_space
