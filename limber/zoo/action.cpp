// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/action.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "limber/actions/catalogue.h"
#include "limber/zoo/poser.h"
#include "limber/zoo/script.h"

namespace limber::zoo {
namespace {

constexpr std::array<std::string_view, kActionCount> kNames = {
    "idle",  "walk",     "trot", "pace",  "gallop", "bound",   "hop",   "run",    "jump", "turn",
    "sneak", "limp",     "fly",  "glide", "swim",   "slither", "crawl", "attack", "eat",  "wave",
    "sit",   "lie-down", "look", "shake", "rear",   "roar",    "die",   "dance"};

constexpr std::array<std::string_view, 9> kMannerWords = {
    "slow", "fast", "tired", "limping", "turning-left", "turning-right", "backward", "uphill", "downhill"};

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

/// What a body can do with the limbs that it has.
bool can(const BodyMap& body, Action action) {
  const int pairs = body.fixed ? 0 : body.leg_pairs;
  switch (action) {
    case Action::kIdle:
    case Action::kShake:
      return true;
    case Action::kAttack:
    case Action::kDie:
    case Action::kDance:
      return !body.fixed;
    case Action::kWalk:
    case Action::kRun:
    case Action::kSneak:
    case Action::kLimp:
    case Action::kSit:
    case Action::kLieDown:
      return pairs > 0;
    case Action::kTrot:
    case Action::kPace:
      return pairs > 1;
    case Action::kGallop:
    case Action::kBound:
      return pairs == 2 || pairs == 3;
    case Action::kHop:
      return (pairs > 0 && pairs <= 3) || body.rooted;
    case Action::kJump:
      return pairs > 0 || body.rooted;
    case Action::kTurn:
      return pairs > 0 || body.rooted || body.floats;
    case Action::kFly:
      return !body.wings.empty() && !body.fixed;
    case Action::kGlide:
      return (!body.wings.empty() && !body.fixed) || body.floats;
    case Action::kSwim:
      return body.floats;
    case Action::kSlither:
      return body.serpentine;
    case Action::kCrawl:
      return body.serpentine || (body.crawls && pairs > 1);
    case Action::kEat:
      return body.head >= 0 && !body.fixed;
    case Action::kRoar:
      return body.head >= 0;
    case Action::kWave:
      return pairs > 1 || !(body.arms.empty() && body.wings.empty() && body.fins.empty() && body.tentacles.empty());
    case Action::kLook:
      return body.head >= 0 || !body.spine.empty();
    case Action::kRear:
      return pairs > 1 || body.serpentine;
  }
  return false;
}

/// The script of a body that stands on legs, or of anything that any body does.
Script make_script(const Cast& cast) {
  const BodyMap& body = cast.poser.map();
  switch (cast.settings.action) {
    case Action::kLook:
    case Action::kShake:
    case Action::kRoar:
    case Action::kDance:
      return gesture_script(cast);
    case Action::kDie:
      return collapse_script(cast);
    case Action::kWave:
      return wave_script(cast);
    case Action::kFly:
      return flight_script(cast);
    case Action::kGlide:
      return body.wings.empty() ? swim_script(cast) : flight_script(cast);
    default:
      break;
  }
  if (body.floats) return swim_script(cast);
  if (body.serpentine) return slither_script(cast);
  if (body.rooted) return hop_script(cast);
  switch (cast.settings.action) {
    case Action::kIdle:
      return idle_script(cast);
    case Action::kJump:
      return jump_script(cast);
    case Action::kTurn:
      return turn_script(cast);
    case Action::kAttack:
      return attack_script(cast);
    case Action::kEat:
      return eat_script(cast);
    case Action::kSit:
    case Action::kLieDown:
      return settle_script(cast);
    case Action::kRear:
      return rear_script(cast);
    default:
      return locomotion_script(cast);
  }
}

/// Smooth disturbances with whole numbers of waves over the action, so that loops close.
class Noise {
 public:
  Noise(Rng rng, const rig::Rig& rig, double amount) : amount_(amount) {
    const int terms = 3 * (rig.joint_count() + 2) * kWaves;
    for (int k = 0; k < terms; ++k) terms_.push_back({rng.uniform(-1, 1), rng.uniform()});
    for (const rig::Joint& joint : rig.joints()) {
      // Toes stay on the ground with their foot.
      const int above = joint.role.limb < 0 ? -1 : rig.limbs()[static_cast<std::size_t>(joint.role.limb)].parent;
      still_.push_back(above >= 0 && rig.limbs()[static_cast<std::size_t>(above)].kind == rig::LimbKind::kLeg);
    }
  }
  void disturb(double phase, const Poser& poser, BodyGoal& goal) const {
    if (amount_ == 0) return;
    // A snake keeps to the ground: sideways only. What stands on its base does not move that.
    const bool flat = poser.map().serpentine;
    const Vec3d turns = flat ? Vec3d{1, 0, 0} : Vec3d{1, 1, 1}, moves = flat ? Vec3d{1, 0, 1} : Vec3d{1, 1, 1};
    for (std::size_t j = 1; j < goal.angles.size(); ++j) {
      if (!still_[j]) goal.angles[j] += 0.035 * amount_ * scaled(turns, vector(j + 2, phase));
    }
    // A long trunk between short legs adds up what its joints do: there is less room for each of them.
    const std::vector<int>& spine = poser.map().spine;
    const double room = std::min(1.0, 4.0 / std::max(1.0, static_cast<double>(spine.size()))) *
                        std::min(1.0, poser.leg_length() / 0.12);
    for (const int joint : spine) {
      if (room == 1 || flat || poser.map().leg_pairs == 0) break;
      const auto j = static_cast<std::size_t>(joint);
      goal.angles[j] -= (1 - room) * 0.035 * amount_ * scaled(turns, vector(j + 2, phase));
    }
    if (poser.map().rooted) return;
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
  std::vector<bool> still_;
};

/// Of the height: nothing sinks deeper than this.
constexpr double kMostDepth = 0.0049;

/// Lifts the body out of the ground by at most so many leg lengths; the feet stay.
void keep_above_ground(const Poser& poser, BodyGoal& goal, double tolerance, double most) {
  const double lowest = tolerance + poser.lowest_point(poser.solve(goal, nullptr));
  goal.shift.y -= std::max(-most * poser.leg_length(), std::min(0.0, lowest));
}

/// Without feet nothing holds the body down: it rises by what would sink.
void keep_out_of_ground(const Poser& poser, BodyGoal& goal) {
  goal.shift.y -= std::min(0.0, kMostDepth * poser.height() + poser.lowest_point(poser.solve(goal, nullptr)));
}

/// A number of the settings, and what it may be.
struct Range {
  std::string_view what;
  double ActionSettings::*value;
  double low, high;
};
constexpr std::array<Range, 7> kRanges{{{"speed", &ActionSettings::speed, 0.25, 4},
                                        {"amplitude", &ActionSettings::amplitude, 0.25, 2},
                                        {"style", &ActionSettings::style, 0, 1},
                                        {"noise", &ActionSettings::noise, 0, 1},
                                        {"haste", &ActionSettings::haste, -1, 1},
                                        {"fatigue", &ActionSettings::fatigue, 0, 1},
                                        {"uphill", &ActionSettings::uphill, -0.5, 0.5}}};
constexpr double kMostTurning = 0.8;

Status check(const Creature& creature, const ActionSettings& settings) {
  const std::string where = fmt::format("zoo: {} of {}", name(settings.action), creature.name);
  const std::vector<Action> possible = actions(creature);
  if (std::find(possible.begin(), possible.end(), settings.action) == possible.end()) {
    std::string list;
    for (const Action action : possible) list += (list.empty() ? "" : ", ") + std::string(name(action));
    return Error{fmt::format("{} has no action '{}'; it has: {}", creature.name, name(settings.action), list), where};
  }
  if (!(settings.fps > 0) || !std::isfinite(settings.fps))
    return Error{fmt::format("fps {} is not positive", settings.fps), where};
  if (settings.frames < 0) return Error{fmt::format("{} frames", settings.frames), where};
  for (const Range& range : kRanges) {
    const double value = settings.*range.value;
    if (value >= range.low && value <= range.high) continue;
    return Error{fmt::format("{} {} is not between {} and {}", range.what, value, range.low, range.high), where};
  }
  if (!(std::abs(settings.turning) <= kMostTurning))
    return Error{fmt::format("turning {} is not between {} and {}", settings.turning, -kMostTurning, kMostTurning),
                 where};
  const int legs = static_cast<int>(creature.legs.size());
  if (settings.limping_leg < -1 || (legs > 0 && settings.limping_leg >= legs))
    return Error{fmt::format("leg {} of {} cannot limp", settings.limping_leg, legs), where};
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
  const BodyMap body = read_body(creature);
  std::vector<Action> list;
  for (int k = 0; k < kActionCount; ++k) {
    if (can(body, static_cast<Action>(k))) list.push_back(static_cast<Action>(k));
  }
  return list;
}

bool is_cyclic(Action action) { return actions::built_in().find(name(action))->cyclic; }

std::span<const std::string_view> manner_words() { return kMannerWords; }

bool apply(std::string_view manner_word, ActionSettings& settings) {
  const auto found = std::find(kMannerWords.begin(), kMannerWords.end(), manner_word);
  switch (found - kMannerWords.begin()) {
    case 0:
      settings.haste = -1;
      return true;
    case 1:
      settings.haste = 1;
      return true;
    case 2:
      settings.fatigue = 1;
      return true;
    case 3:
      settings.limping_leg = 0;
      return true;
    case 4:
      settings.turning = 0.5;
      return true;
    case 5:
      settings.turning = -0.5;
      return true;
    case 6:
      settings.backward = true;
      return true;
    case 7:
      settings.uphill = 0.35;
      return true;
    case 8:
      settings.uphill = -0.35;
      return true;
    default:
      return false;
  }
}

namespace {

/// Takes the travel out of a goal: the ground moves instead.
void stay_in_place(const Poser& poser, BodyGoal& goal) {
  goal.shift -= goal.travel;
  for (FootGoal& foot : goal.feet) foot.sole -= goal.travel;
  if (goal.heading == 0) return;
  goal.shift = turned_by(-goal.heading, goal.shift);
  goal.turn.x -= goal.heading;
  for (FootGoal& foot : goal.feet) {
    foot.sole = poser.pivot() + turned_by(-goal.heading, foot.sole - poser.pivot());
    foot.yaw -= goal.heading;
  }
}

/// The most that a path may turn per cycle, so that the root's yaw stays within its limits for so many cycles.
double most_turning(const Creature& creature, int cycles) {
  const rig::JointLimits& limits = creature.subject.rig.joints()[0].limits;
  const double sway = 0.4;  // of the hips, to either side
  return std::max(0.0, std::min<double>(limits.upper.x, -limits.lower.x) - sway) / cycles;
}

Performance play(const Cast& cast, const Script& script, const Timing& timing) {
  const Poser& poser = cast.poser;
  const ActionSettings& settings = cast.settings;
  Performance result;
  result.cycles = timing.cycles;
  result.stride = static_cast<float>(script.stride), result.turn = static_cast<float>(script.turn);
  result.motion = kinematics::rest_motion(poser.creature().subject.rig, timing.frames, settings.fps);
  result.motion.loops = script.cyclic && (settings.in_place || script.turn == 0);
  for (std::size_t l = 0; l < poser.creature().legs.size(); ++l) {
    result.feet.push_back({static_cast<int>(l), {}, {}});
  }
  SolvedPose previous;
  for (int frame = 0; frame < timing.frames; ++frame) {
    const double phase = timing.phase(frame, script.cyclic);
    BodyGoal goal = script.goal(phase);
    cast.disturb(phase, goal);
    if (settings.noise > 0) keep_above_ground(poser, goal, 0, 0.03);
    if (goal.feet.empty()) keep_out_of_ground(poser, goal);
    if (!goal.feet.empty()) keep_above_ground(poser, goal, kMostDepth * poser.height(), 1);
    if (poser.map().fixed) goal.shift = goal.turn = {};
    if (settings.in_place) stay_in_place(poser, goal);
    SolvedPose pose = poser.solve(goal, frame > 0 ? &previous : nullptr);
    if (!poser.map().fixed && poser.miss(goal, pose) >= Poser::kMostMiss) {
      poser.bring_feet_into_reach(goal);
      pose = poser.solve(goal, frame > 0 ? &previous : nullptr);
    }
    result.motion.root_translations[static_cast<std::size_t>(frame)] = pose.root_translation.cast<float>();
    const std::span<Vec3> angles = result.motion.frame_angles(frame);
    for (std::size_t j = 0; j < angles.size(); ++j) angles[j] = pose.angles[j].cast<float>();
    for (std::size_t l = 0; l < goal.feet.size(); ++l) {
      // A foot that its leg could not bring to its place is not called planted.
      const bool reached = poser.miss(l, goal.feet[l], pose) < Poser::kMostMiss;
      result.feet[l].planted.push_back(goal.feet[l].planted && reached);
      result.missed += goal.feet[l].planted && !reached ? 1 : 0;
      result.feet[l].target.push_back(goal.feet[l].sole.cast<float>());
    }
    previous = std::move(pose);
  }
  return result;
}

}  // namespace

namespace {

/// The action as the settings say it.
Performance attempt(const Creature& creature, const Poser& poser, const ActionSettings& settings) {
  const Rng rng(settings.seed, 0x5a00 + static_cast<std::uint64_t>(settings.action));
  const Noise noise(rng.fork(1), creature.subject.rig, settings.noise);
  ActionSettings fitted = settings;
  const Cast cast{poser, fitted, draw_personality(rng.fork(0), settings.style), [&](double phase, BodyGoal& goal) {
                    noise.disturb(phase, poser, goal);
                    poser.keep_trains_up(goal);
                  }};
  Script script = make_script(cast);
  const Timing timing = fit_timing(script, fitted);
  const double most = most_turning(creature, timing.cycles);
  if (!settings.in_place && std::abs(script.turn) > most) {
    fitted.turning = std::copysign(most, settings.turning);
    script = make_script(cast);
  }
  return play(cast, script, timing);
}

}  // namespace

Result<Performance> perform(const Creature& creature, const ActionSettings& settings) {
  LIMBER_CHECK_OK(check(creature, settings));
  const Poser poser(creature);
  Performance best = attempt(creature, poser, settings);
  // What some leg cannot follow is done smaller: odd bodies have odd limits.
  ActionSettings smaller = settings;
  for (int round = 0; round < 3 && best.missed > 0; ++round) {
    smaller.amplitude *= 0.5, smaller.noise *= 0.25;
    Performance tamer = attempt(creature, poser, smaller);
    if (tamer.missed < best.missed) best = std::move(tamer);
  }
  return best;
}

}  // namespace limber::zoo
