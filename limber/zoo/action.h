// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/zoo/creature.h"

namespace limber::zoo {

enum class Action : std::uint8_t {
  kIdle,
  kWalk,
  kTrot,
  kPace,
  kGallop,
  kBound,
  kHop,
  kRun,
  kJump,
  kTurn,
  kSneak,
  kLimp,
  kFly,
  kGlide,
  kSwim,
  kSlither,
  kCrawl,
  kAttack,
  kEat,
  kWave,
  kSit,
  kLieDown
};
inline constexpr int kActionCount = 22;
std::string_view name(Action action);                           ///< "trot"
std::optional<Action> action_from_name(std::string_view name);  ///< also "flap" for kFly, "lie-down" and "lie_down"

/// The actions that make sense for a body plan, in the order of the enumeration.
std::vector<Action> actions(Plan plan);
/// Those that make sense for this body, whatever it is made of.
std::vector<Action> actions(const Creature& creature);
bool is_cyclic(Action action);

struct ActionSettings {
  Action action = Action::kWalk;
  std::uint64_t seed = 0;  ///< draws style and noise
  double fps = 24;         ///< > 0
  int frames = 0;          ///< 0: one cycle, or the action's natural length; cyclic actions are fitted to whole cycles
  double speed = 1;        ///< pace of the action, 0.25 to 4
  double amplitude = 1;    ///< stride and swing, 0.25 to 2
  double style = 0;        ///< 0: neutral; 1: a random personality (posture, bounce, tail), drawn from the seed
  double noise = 0;        ///< 0 to 1: small smooth disturbances, periodic in cyclic actions; planted feet stay planted
  bool in_place = false;   ///< keep the body over the origin: the ground slides under the feet instead
};

/// Where a foot is on the ground.
struct FootTrack {
  int leg = 0;
  std::vector<bool> planted;  ///< per frame
  std::vector<Vec3> target;   ///< per frame: where the sole should be, world
};

struct Performance {
  kinematics::Motion motion;
  std::vector<FootTrack> feet;  ///< per leg that the action uses
  float stride = 0;             ///< ground covered per cycle, 0 where there is none
  int cycles = 1;
};

/// Plays an action. Planted feet stay where they are (inverse kinematics from footfall tables), cyclic actions loop
/// exactly. Fails if the plan does not have the action.
Result<Performance> perform(const Creature& creature, const ActionSettings& settings);

}  // namespace limber::zoo
