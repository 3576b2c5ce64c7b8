// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/creature_trial.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "bench/timing.h"
#include "limber/actions/catalogue.h"
#include "limber/lift/leading_joints.h"
#include "limber/metrics/motion_windows.h"

namespace limber::bench {
namespace {

constexpr double kFramesPerCycle = 8;  // at least, as in training

/// Root mean square departure of a joint's angles from their mean, mean over joints that lead parts.
double mean_amplitude(const rig::Subject& subject, const kinematics::Motion& motion) {
  const std::vector<bool> leads = lift::leading_joints(subject);
  double sum = 0, count = 0;
  for (int j = 1; j < motion.joint_count; ++j) {
    if (!leads[static_cast<std::size_t>(j)]) continue;
    Vec3 mean;
    for (int f = 0; f < motion.frame_count(); ++f) mean += motion.frame_angles(f)[static_cast<std::size_t>(j)];
    mean = (1.0f / static_cast<float>(std::max(motion.frame_count(), 1))) * mean;
    double squares = 0;
    for (int f = 0; f < motion.frame_count(); ++f) {
      squares += squared_norm(motion.frame_angles(f)[static_cast<std::size_t>(j)] - mean);
    }
    sum += std::sqrt(squares / std::max(motion.frame_count(), 1)), count += 1;
  }
  return count > 0 ? sum / count : 0;
}

/// The action of the plan whose performances by this very creature are nearest.
Result<std::string> nearest_action(const zoo::Creature& creature, const kinematics::Motion& motion) {
  const std::vector<metrics::LimbEnd> ends = metrics::limb_ends(creature.subject);
  const metrics::Gait gait = metrics::find_gait(creature.subject.rig, motion, ends);
  std::string nearest;
  double least = 1e300;
  // What any body of a plan does, so that no single one makes it harder.
  const auto actions = creature.plan ? cyclic_actions(*creature.plan) : cyclic_actions(creature);
  for (const zoo::Action action : actions) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      LIMBER_TRY(const kinematics::Motion reference, true_motion(creature, action, seed, seed == 0 ? 0.0 : 0.7));
      const double distance = metrics::gait_distance(gait, metrics::find_gait(creature.subject.rig, reference, ends));
      if (distance < least) least = distance, nearest = zoo::name(action);
    }
  }
  return nearest;
}

}  // namespace

std::vector<zoo::Action> cyclic_actions(zoo::Plan plan) {
  std::vector<zoo::Action> actions;
  for (const zoo::Action action : zoo::actions(plan)) {
    if (zoo::is_cyclic(action)) actions.push_back(action);
  }
  return actions;
}

std::vector<zoo::Action> cyclic_actions(const zoo::Creature& creature) {
  std::vector<zoo::Action> actions = zoo::actions(creature);
  actions.erase(std::remove_if(actions.begin(), actions.end(), [](zoo::Action a) { return !zoo::is_cyclic(a); }),
                actions.end());
  return actions;
}

Result<kinematics::Motion> true_motion(const zoo::Creature& creature, zoo::Action action, std::uint64_t seed,
                                       double style) {
  zoo::ActionSettings settings;
  settings.action = action, settings.seed = seed, settings.fps = 12, settings.frames = 24, settings.style = style;
  LIMBER_TRY(zoo::Performance performance, zoo::perform(creature, settings));
  const double most = std::floor(settings.frames / kFramesPerCycle);
  if (performance.cycles > most) {
    settings.speed = std::max(0.25, (most + 0.2) / performance.cycles);
    LIMBER_TRY(performance, zoo::perform(creature, settings));
  }
  return std::move(performance.motion);
}

std::vector<metrics::LimbEnd> ends_of(const zoo::Creature& creature, zoo::Action action) {
  std::vector<metrics::LimbEnd> ends;
  const bool flies = action == zoo::Action::kFly || action == zoo::Action::kGlide;
  if (!flies) {
    for (const zoo::Leg& leg : creature.legs) ends.push_back({leg.joints.back(), leg.tip});
  }
  return ends.empty() ? metrics::limb_ends(creature.subject) : ends;
}

std::string prompt_of(const Trial& trial) {
  return actions::sentence(kind_of(trial), *actions::built_in().find(zoo::name(trial.asked)));
}

std::string_view kind_of(const Trial& trial) { return trial.plan ? zoo::name(*trial.plan) : "creature"; }

Result<zoo::Creature> creature_of(const Trial& trial) {
  zoo::CreatureSettings making;
  making.seed = trial.seed;
  if (trial.plan) {
    making.plan = *trial.plan;
  } else {
    making.body = zoo::random_body(trial.seed);
  }
  return zoo::make_creature(making);
}

Result<Outcome> measure_trial(const zoo::Creature& creature, const Trial& trial, const animate::Animation& animation) {
  Outcome outcome;
  outcome.name = fmt::format("{} {} {}", kind_of(trial), trial.seed - kUnseen, zoo::name(trial.judged));
  outcome.residual = animation.candidates.empty() ? 0 : animation.candidates.front().lifted.fit.residual;
  LIMBER_TRY(const kinematics::Motion truth, true_motion(creature, trial.judged));
  const std::vector<metrics::LimbEnd> ends = ends_of(creature, trial.judged);
  const metrics::Gait gait = metrics::find_gait(creature.subject.rig, animation.motion, ends);
  const metrics::Gait reference = metrics::find_gait(creature.subject.rig, truth, ends);
  outcome.phase_error = metrics::phase_error(gait, reference);
  outcome.movement = gait.movement, outcome.true_movement = reference.movement;
  outcome.amplitude = mean_amplitude(creature.subject, animation.motion);
  outcome.skate = animation.metrics.skate, outcome.penetration = animation.metrics.penetration;
  outcome.jerk = animation.metrics.mean_jerk;
  LIMBER_TRY(outcome.taken_for, nearest_action(creature, animation.motion));
  outcome.recognised = outcome.taken_for == zoo::name(trial.judged);
  return outcome;
}

void tell(const Outcome& outcome) {
  spdlog::info(
      "{}: phase error {:.3f}, taken for {}, movement {:.3f} of {:.3f}, skate {:.1f} %/s, penetration {:.1f} %, "
      "residual {:.3f}, {:.0f} s",
      outcome.name, outcome.phase_error, outcome.taken_for, outcome.movement, outcome.true_movement,
      100 * outcome.skate, 100 * outcome.penetration, outcome.residual, outcome.seconds);
}

Result<Outcome> try_creature(prior::VideoPrior& model, const Trial& trial, animate::Request settings) {
  LIMBER_TRY(const zoo::Creature creature, creature_of(trial));
  settings.prompt = prompt_of(trial), settings.seed = trial.seed;
  const Stopwatch watch;
  LIMBER_TRY(const animate::Animation animation, animate::follow_prompt(creature.subject, nullptr, model, settings));
  const double seconds = watch.seconds();
  LIMBER_TRY(Outcome outcome, measure_trial(creature, trial, animation));
  outcome.seconds = seconds;
  tell(outcome);
  return outcome;
}

}  // namespace limber::bench
