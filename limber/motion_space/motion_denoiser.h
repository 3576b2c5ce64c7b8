// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "limber/base/result.h"
#include "limber/motion_space/motion_conditions.h"
#include "limber/motion_space/motion_model.h"

namespace limber::motion_space {

/// The network of motions on the CPU and without LibTorch. Const, so safe to use from several threads, and the same
/// bits for any number of them.
class MotionDenoiser {
 public:
  /// A folder that `train_motions` wrote.
  static Result<MotionDenoiser> open(const std::filesystem::path& folder);

  /// What the network makes of a body, once for all its motions. Copies share it.
  struct Code;
  using Body = std::shared_ptr<const Code>;
  Body encode(const MotionConditions& conditions) const;

  /// The clip, as `split_state` has it, that it sees in noisy tokens at diffusion time `time`, 0 (a clip) to 1 (noise).
  /// `known`: [kTokens, 1 + joints, kKnownNumbers], see `known_numbers`; empty: nothing.
  Tokens run(const Body& body, const MotionFacts& facts, std::span<const float> known, std::span<const float> noisy,
             double time) const;

  /// How likely it is that a clip, as `split_state` has it, shows each of the model's actions. Of a model that judges.
  std::vector<float> judge(const Body& body, std::span<const float> clip) const;

  const MotionModel& model() const { return model_; }
  static int joints(const Body& body);

 private:
  struct Network;
  MotionDenoiser(MotionModel model, std::shared_ptr<const Network> network);

  MotionModel model_;
  std::shared_ptr<const Network> network_;  ///< copies share it
};

/// Frames that are known before a motion is drawn, and joints of them.
struct KnownFrames {
  MotionState state;        ///< what is known of it counts
  std::vector<bool> slots;  ///< kFrames x (1 + joints), the body first: what is known
  bool empty() const { return slots.empty(); }
  bool knows(int frame, int slot) const { return slots[static_cast<std::size_t>(frame * (1 + state.joints) + slot)]; }
};

/// As the network is told them.
std::vector<float> known_numbers(const KnownFrames& known);

}  // namespace limber::motion_space
