// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  kLieDown,
  kLook,
  kShake,
  kRear,
  kRoar,
  kDie,
  kDance
};
inline constexpr int kActionCount = 28;
std::string_view name(Action action);                           ///< "trot"
std::optional<Action> action_from_name(std::string_view name);  ///< also "flap" for kFly, "lie-down" and "lie_down"

/// What a body can do with the limbs that it has, in the order of the enumeration.
std::vector<Action> actions(const Creature& creature);
/// What every body of a plan has always done; any one of them may be able to do more.
std::vector<Action> actions(Plan plan);
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

  // Manners; `apply` sets them by a word. Those that say nothing to an action (an uphill nap) change nothing.
  double haste = 0;       ///< -1 slow to 1 fast: half to twice the speed, by cadence, stride and duty together
  double fatigue = 0;     ///< 0 to 1: hanging head and tail, feet hardly lifted, shorter and slower steps
  int limping_leg = -1;   ///< the leg of `Creature::legs` that is spared: a shorter stance; -1: none
  double turning = 0;     ///< heading gained per cycle of an action that travels, radians, -0.8 to 0.8; left > 0
  bool backward = false;  ///< of actions that travel
  double uphill = 0;      ///< -0.5 to 0.5: leans into a slope of so many radians, with shorter steps
};

/// "slow", "fast", "tired", "limping", "turning-left", "turning-right", "backward", "uphill", "downhill".
std::span<const std::string_view> manner_words();
/// Sets what the word means; false if there is no such word.
bool apply(std::string_view manner_word, ActionSettings& settings);

/// Where a foot is on the ground.
struct FootTrack {
  int leg = 0;
  std::vector<bool> planted;  ///< per frame
  std::vector<Vec3> target;   ///< per frame: where the sole should be, world
};

struct Performance {
  kinematics::Motion motion;
  std::vector<FootTrack> feet;  ///< per leg that the action uses
  float stride = 0;             ///< ground covered per cycle, 0 where there is none, < 0 backward
  float turn = 0;               ///< heading gained per cycle, radians: less than asked for where the root's limits end
  int cycles = 1;
  int missed = 0;  ///< times that a foot should have been planted, and its leg did not bring it to its place
};

/// Plays an action. Planted feet stay where they are (inverse kinematics from footfall tables), cyclic actions loop
/// exactly (a path that turns only in place, since its heading changes). Fails if the body cannot do it.
Result<Performance> perform(const Creature& creature, const ActionSettings& settings);

}  // namespace limber::zoo
