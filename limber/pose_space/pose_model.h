// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "limber/base/result.h"
#include "limber/pose_space/pose_conditions.h"
#include "limber/pose_space/pose_state.h"

/// The network that knows plausible poses, as a file beside its weights describes it.
namespace limber::pose_space {

struct PoseModel {
  int width = 192;
  int layers = 6;
  int heads = 6;
  int features = kJointFeatures;  ///< what it is told of a joint
  int points = kSurfacePoints;    ///< of a surface
  int fills = 0;                  ///< 1: it can be told which joints are known, and fills in the others

  double flops() const;  ///< of one step on kMostJoints joints
};

/// Modulations of a layer by the time: shift, scale and gate of attention, of looking at the surface, and of the rest.
inline constexpr int kModulations = 9;
/// What is told of a surface point: place, normal, and the place as waves of 2^k times the first.
inline constexpr int kPlaceWaves = 4;
inline constexpr double kFirstWave = 1.5;
inline constexpr int kPointFeatures = 6 + 6 * kPlaceWaves;
/// What is said of a joint: the velocity of its state, and whether it is plausible, before the logistic function.
inline constexpr int kJointOutputs = 10;
/// Diffusion time 0 to 1 as the network counts it.
inline constexpr double kTimeScale = 1000;

inline constexpr const char* kPoseModelFile = "poses.json";
inline constexpr const char* kPoseWeightsFile = "poses.safetensors";

std::string pose_model_to_json(const PoseModel& model);
/// `name` is the file's in errors.
Result<PoseModel> pose_model_from_json(const std::string& text, const std::string& name);

bool is_pose_model(const std::filesystem::path& folder);
Result<PoseModel> read_pose_model(const std::filesystem::path& folder);
/// The folder of the model that ships (nn/shipped_models.h); `kMissing` where it is not found.
Result<std::filesystem::path> find_pose_model();

}  // namespace limber::pose_space
