// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "limber/base/result.h"
#include "limber/pose_space/pose_conditions.h"
#include "limber/pose_space/pose_model.h"
#include "limber/pose_space/pose_state.h"

namespace limber::pose_space {

/// A trained network of poses, on the CPU and without LibTorch. Const, so safe to use from several threads, and the
/// same bits for any number of them.
class PoseDenoiser {
 public:
  /// A folder that `train_poses` wrote.
  static Result<PoseDenoiser> open(const std::filesystem::path& folder);

  /// What the network makes of a body, once for all its poses. Copies share it.
  struct Code;
  using Body = std::shared_ptr<const Code>;
  Body encode(const PoseConditions& conditions) const;

  struct Said {
    PoseState velocity;             ///< cos(t pi/2) noise - sin(t pi/2) pose
    std::vector<double> plausible;  ///< per joint, before the logistic function
    double whole = 0;               ///< of the pose, likewise
  };
  /// Of a state at diffusion time `time`, 0 (a pose) to 1 (noise). Joints that are `known` have no noise; empty: none
  /// of them, and nothing else for a model that does not fill in.
  Said run(const Body& body, std::span<const double> state, double time, const std::vector<bool>& known = {}) const;

  const PoseModel& model() const { return model_; }
  static int joints(const Body& body);

 private:
  struct Network;
  PoseDenoiser(const PoseModel& model, std::shared_ptr<const Network> network);

  PoseModel model_;
  std::shared_ptr<const Network> network_;  ///< copies share it
};

}  // namespace limber::pose_space
