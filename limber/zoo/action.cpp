// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/action.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/zoo/poser.h"
#include "limber/zoo/script.h"

namespace limber::zoo {
namespace {

constexpr std::array<std::string_view, kActionCount> kNames = {
    "idle", "walk", "trot",  "pace", "gallop",  "bound", "hop",    "run", "jump", "turn", "sneak",
    "limp", "fly",  "glide", "swim", "slither", "crawl", "attack", "eat", "wave", "sit",  "lie-down"};

/// Which actions each plan has, as a row of the enumeration.
bool has_action(Plan plan, Action action) {
  using A = Action;
  const auto among = [action](std::initializer_list<Action> list) {
    return std::find(list.begin(), list.end(), action) != list.end();
  };
  switch (plan) {
    case Plan::kBiped:
      return among({A::kIdle, A::kWalk, A::kHop, A::kRun, A::kJump, A::kTurn, A::kSneak, A::kLimp, A::kAttack, A::kEat,
                    A::kWave, A::kSit, A::kLieDown});
    case Plan::kQuadruped:
      return among({A::kIdle, A::kWalk, A::kTrot, A::kPace, A::kGallop, A::kBound, A::kHop, A::kRun, A::kJump, A::kTurn,
                    A::kSneak, A::kLimp, A::kAttack, A::kEat, A::kWave, A::kSit, A::kLieDown});
    case Plan::kBird:
      return among({A::kIdle, A::kWalk, A::kHop, A::kRun, A::kJump, A::kTurn, A::kSneak, A::kFly, A::kGlide, A::kAttack,
                    A::kEat, A::kWave, A::kSit});
    case Plan::kHexapod:
    case Plan::kOctopod:
      return among({A::kIdle, A::kWalk, A::kRun, A::kJump, A::kTurn, A::kSneak, A::kLimp, A::kCrawl, A::kAttack,
                    A::kEat, A::kWave, A::kSit, A::kLieDown});
    case Plan::kFish:
      return among({A::kIdle, A::kGlide, A::kSwim, A::kTurn, A::kAttack, A::kEat});
    case Plan::kSnake:
      return among({A::kIdle, A::kSlither, A::kCrawl, A::kAttack, A::kEat});
    case Plan::kTheropod:
      return among({A::kIdle, A::kWalk, A::kHop, A::kRun, A::kJump, A::kTurn, A::kSneak, A::kLimp, A::kAttack, A::kEat,
                    A::kWave, A::kSit, A::kLieDown});
  }
  return false;
}

Script make_script(const Cast& cast) {
  const Plan plan = cast.poser.creature().plan.value_or(Plan::kQuadruped);
  if (plan == Plan::kFish || plan == Plan::kSnake) return undulate_script(cast);
  switch (cast.settings.action) {
    case Action::kIdle:
      return idle_script(cast);
    case Action::kJump:
      return jump_script(cast);
    case Action::kTurn:
      return turn_script(cast);
    case Action::kFly:
    case Action::kGlide:
      return flight_script(cast);
    case Action::kAttack:
      return attack_script(cast);
    case Action::kEat:
      return eat_script(cast);
    case Action::kWave:
      return wave_script(cast);
    case Action::kSit:
    case Action::kLieDown:
      return settle_script(cast);
    default:
      return locomotion_script(cast);
  }
}

/// Smooth disturbances with whole numbers of waves over the action, so that loops close.
class Noise {
 public:
  Noise(Rng rng, int joints, double amount) : amount_(amount) {
    for (int k = 0; k < 3 * (joints + 2) * kWaves; ++k) terms_.push_back({rng.uniform(-1, 1), rng.uniform()});
  }
  void disturb(double phase, const Poser& poser, BodyGoal& goal) const {
    if (amount_ == 0) return;
    // A snake keeps to the ground: sideways only.
    const bool flat = poser.creature().plan == Plan::kSnake;
    const Vec3d turns = flat ? Vec3d{1, 0, 0} : Vec3d{1, 1, 1}, moves = flat ? Vec3d{1, 0, 1} : Vec3d{1, 1, 1};
    for (std::size_t j = 1; j < goal.angles.size(); ++j) {
      goal.angles[j] += 0.035 * amount_ * scaled(turns, vector(j + 2, phase));
    }
    goal.turn += 0.02 * amount_ * scaled(turns, vector(0, phase));
    goal.shift += 0.012 * amount_ * poser.leg_length() * scaled(moves, vector(1, phase));
  }

 private:
  static constexpr int kWaves = 3;
  struct Term {
    double size, phase;
  };
  Vec3d vector(std::size_t index, double phase) const {
    Vec3d sum;
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < kWaves; ++k) {
        const Term& term = terms_[(3 * index + static_cast<std::size_t>(axis)) * kWaves + static_cast<std::size_t>(k)];
        sum[axis] += term.size * wave((k + 1) * phase + term.phase);
      }
    }
    return sum;
  }
  double amount_;
  std::vector<Term> terms_;
};

/// Lifts the body out of the ground that noise pushed it into; the feet stay.
void keep_above_ground(const Poser& poser, BodyGoal& goal) {
  const double lowest = poser.lowest_point(poser.solve(goal, nullptr));
  goal.shift.y -= std::max(-0.03 * poser.leg_length(), std::min(0.0, lowest));
}

Status check(const Creature& creature, const ActionSettings& settings) {
  const std::string where = fmt::format("zoo: {} of {}", name(settings.action), creature.name);
  const auto in_range = [](double x, double low, double high) { return x >= low && x <= high; };
  const std::vector<Action> possible = actions(creature);
  if (std::find(possible.begin(), possible.end(), settings.action) == possible.end()) {
    std::string list;
    for (const Action action : possible) list += (list.empty() ? "" : ", ") + std::string(name(action));
    const std::string_view noun = creature.plan ? name(*creature.plan) : "creature";
    return Error{fmt::format("a {} has no action '{}'; it has: {}", noun, name(settings.action), list), where};
  }
  if (!(settings.fps > 0) || !std::isfinite(settings.fps))
    return Error{fmt::format("fps {} is not positive", settings.fps), where};
  if (settings.frames < 0) return Error{fmt::format("{} frames", settings.frames), where};
  if (!in_range(settings.speed, 0.25, 4))
    return Error{fmt::format("speed {} is not between 0.25 and 4", settings.speed), where};
  if (!in_range(settings.amplitude, 0.25, 2))
    return Error{fmt::format("amplitude {} is not between 0.25 and 2", settings.amplitude), where};
  if (!in_range(settings.style, 0, 1))
    return Error{fmt::format("style {} is not between 0 and 1", settings.style), where};
  if (!in_range(settings.noise, 0, 1))
    return Error{fmt::format("noise {} is not between 0 and 1", settings.noise), where};
  return Done{};
}

/// How many frames, and how many cycles they hold.
struct Timing {
  int frames = 1, cycles = 1;
  double phase(int frame, bool cyclic) const {
    if (cyclic) return static_cast<double>(frame) * cycles / frames;
    return frames > 1 ? static_cast<double>(frame) / (frames - 1) : 0;
  }
};
Timing fit_timing(const Script& script, const ActionSettings& settings) {
  const double natural = std::max(4.0, script.seconds * settings.fps);  // frames of a cycle
  if (settings.frames == 0) return {static_cast<int>(std::lround(natural)) + (script.cyclic ? 0 : 1), 1};
  if (!script.cyclic) return {settings.frames, 1};
  return {settings.frames, std::max(1, static_cast<int>(std::lround(settings.frames / natural)))};
}

}  // namespace

std::string_view name(Action action) { return kNames[static_cast<std::size_t>(action)]; }

std::optional<Action> action_from_name(std::string_view name) {
  if (name == "flap") return Action::kFly;
  if (name == "lie_down") return Action::kLieDown;
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Action>(found - kNames.begin());
}

std::vector<Action> actions(Plan plan) {
  std::vector<Action> list;
  for (int k = 0; k < kActionCount; ++k) {
    if (has_action(plan, static_cast<Action>(k))) list.push_back(static_cast<Action>(k));
  }
  return list;
}

std::vector<Action> actions(const Creature& creature) {
  return creature.plan ? actions(*creature.plan) : std::vector<Action>{};
}

bool is_cyclic(Action action) {
  switch (action) {
    case Action::kJump:
    case Action::kTurn:
    case Action::kAttack:
    case Action::kEat:
    case Action::kWave:
    case Action::kSit:
    case Action::kLieDown:
      return false;
    default:
      return true;
  }
}

Result<Performance> perform(const Creature& creature, const ActionSettings& settings) {
  LIMBER_CHECK_OK(check(creature, settings));
  const Poser poser(creature);
  const Rng rng(settings.seed, 0x5a00 + static_cast<std::uint64_t>(settings.action));
  const Noise noise(rng.fork(1), poser.joint_count(), settings.noise);
  const Cast cast{poser, settings, draw_personality(rng.fork(0), settings.style),
                  [&](double phase, BodyGoal& goal) { noise.disturb(phase, poser, goal); }};
  const Script script = make_script(cast);
  const Timing timing = fit_timing(script, settings);

  Performance result;
  result.cycles = timing.cycles;
  result.stride = static_cast<float>(script.stride);
  result.motion = kinematics::rest_motion(creature.subject.rig, timing.frames, settings.fps);
  result.motion.loops = script.cyclic;
  for (std::size_t l = 0; l < creature.legs.size(); ++l) result.feet.push_back({static_cast<int>(l), {}, {}});
  SolvedPose previous;
  for (int frame = 0; frame < timing.frames; ++frame) {
    const double phase = timing.phase(frame, script.cyclic);
    BodyGoal goal = script.goal(phase);
    cast.disturb(phase, goal);
    if (settings.noise > 0) keep_above_ground(poser, goal);
    if (settings.in_place) {
      goal.shift -= goal.travel;
      for (FootGoal& foot : goal.feet) foot.sole -= goal.travel;
    }
    const SolvedPose pose = poser.solve(goal, frame > 0 ? &previous : nullptr);
    result.motion.root_translations[static_cast<std::size_t>(frame)] = pose.root_translation.cast<float>();
    const std::span<Vec3> angles = result.motion.frame_angles(frame);
    for (std::size_t j = 0; j < angles.size(); ++j) angles[j] = pose.angles[j].cast<float>();
    for (std::size_t l = 0; l < goal.feet.size(); ++l) {
      result.feet[l].planted.push_back(goal.feet[l].planted);
      result.feet[l].target.push_back(goal.feet[l].sole.cast<float>());
    }
    previous = pose;
  }
  return result;
}

}  // namespace limber::zoo
