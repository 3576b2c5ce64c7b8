// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/motion_space/motion_conditions.h"
#include "limber/motion_space/motion_state.h"

/// The network that knows how bodies move, as a file beside its weights describes it.
namespace limber::motion_space {

struct MotionModel {
  int width = 256;
  int layers = 10;
  int heads = 8;
  int features = kFeatures;          ///< what it is told of a joint
  int judges = 0;                    ///< 1: it tells which action a clip shows, and draws none
  std::vector<std::string> actions;  ///< that it knows, as actions.json names them

  /// -1: it does not know it.
  int find_action(const std::string& name) const;
  double flops(int joints) const;  ///< of one pass
};

/// Facts of a clip beside its action: each is a choice, the last one of which is "not said".
enum class Fact { kLoop, kSource, kPace, kHeading };
inline constexpr int kFactCount = 4;
inline constexpr int kFactChoices[kFactCount] = {
    3,  // once, over and over
    4,  // zoo, artist, person
    4,  // as usual, fast, slow
    5   // ahead, back, left, right
};
/// Where the choices of a fact begin in the table of all of them.
int first_choice(Fact fact);
int not_said(Fact fact);
inline constexpr int kAllChoices = 16;

/// What is to be drawn.
struct MotionFacts {
  int action = -1;                    ///< of the model's; -1: any
  int facts[kFactCount]{2, 3, 3, 4};  ///< a choice each
};

/// Modulations of a layer: shift, scale and gate of attention over joints, over times, and of the rest.
inline constexpr int kModulations = 9;
/// Diffusion time 0 to 1 as the network counts it.
inline constexpr double kTimeScale = 1000;
/// What is known of a token before it is drawn: the frames' numbers as they are, and which frames those are.
inline constexpr int kKnownNumbers = kTokenNumbers + kFramesPerToken;

inline constexpr const char* kMotionModelFile = "motions.json";
inline constexpr const char* kMotionWeightsFile = "motions.safetensors";

std::string motion_model_to_json(const MotionModel& model);
/// `name` is the file's in errors.
Result<MotionModel> motion_model_from_json(const std::string& text, const std::string& name);

bool is_motion_model(const std::filesystem::path& folder);
Result<MotionModel> read_motion_model(const std::filesystem::path& folder);
/// The folder of the model that ships (nn/shipped_models.h); `kMissing` where it is not found.
Result<std::filesystem::path> find_motion_model();

}  // namespace limber::motion_space
