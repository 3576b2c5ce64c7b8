// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/animate/animate_subject.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/metrics/gait.h"
#include "limber/prior/video_prior.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

/// A creature of the zoo is told to do something, and what it does is compared with how the zoo does it.
namespace limber::bench {

/// Creatures from this seed on were in no training.
inline constexpr std::uint64_t kUnseen = 970000;

std::vector<zoo::Action> cyclic_actions(zoo::Plan plan);
/// Of any body: with the limbs that it has.
std::vector<zoo::Action> cyclic_actions(const zoo::Creature& creature);

/// The zoo's own performance, as slow as the prior was taught.
Result<kinematics::Motion> true_motion(const zoo::Creature& creature, zoo::Action action, std::uint64_t seed = 0,
                                       double style = 0);

/// Feet where there are legs and they bear the action, else all ends of the body.
std::vector<metrics::LimbEnd> ends_of(const zoo::Creature& creature, zoo::Action action);

struct Trial {
  std::optional<zoo::Plan> plan;  ///< unset: a random body of the grammar
  std::uint64_t seed;
  zoo::Action judged;  ///< what the motion is compared with
  zoo::Action asked;   ///< what the prompt says
};

struct Outcome {
  std::string name;
  double phase_error = 0, movement = 0, true_movement = 0;
  double amplitude = 0;  ///< departure of the joints from their mean angles, radians
  double skate = 0, penetration = 0, jerk = 0, seconds = 0, residual = 0;
  bool recognised = false;
  std::string taken_for;
};

std::string prompt_of(const Trial& trial);
/// "quadruped", or "creature" of the grammar's bodies.
std::string_view kind_of(const Trial& trial);
Result<zoo::Creature> creature_of(const Trial& trial);

/// What a creature was made to do beside what it should; `seconds` are left to the caller.
Result<Outcome> measure_trial(const zoo::Creature& creature, const Trial& trial, const animate::Animation& animation);

/// Logs it.
void tell(const Outcome& outcome);

/// Makes the creature, moves it, judges that, and logs it.
Result<Outcome> try_creature(prior::VideoPrior& model, const Trial& trial, animate::Request settings);

}  // namespace limber::bench
