// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/base/expect.h"
#include "limber/physics/smooth_adam.h"
#include "limber/physics/sweeps.h"
#include "limber/physics/track_loss.h"
#include "limber/physics/track_problem.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kLittleSlip = 0.025;  ///< heights that planted feet may be from where they stand, in the mean ...
constexpr double kMostSlip = 0.08;     ///< ... even where all of the help does no better
constexpr double kFirm = 8;            ///< times the usual help, where nothing else helps

/// How far a result is from the reference, on average over the motion's own frames.
struct TrackErrors {
  double joint = 0;              ///< degrees
  double root = 0, planted = 0;  ///< of the root and of planted points, heights
  double place = 0;              ///< of all bodies' joints, heights
};

/// What the optimisation took.
struct Effort {
  int iterations = 0;
  double first_loss = 0;  ///< of the first iteration
  long chunks = 0, clipped = 0;
  bool converged = false;
};

Effort operator+(const Effort& a, const Effort& b) {
  return {a.iterations + b.iterations, a.iterations > 0 ? a.first_loss : b.first_loss, a.chunks + b.chunks,
          a.clipped + b.clipped, a.converged || b.converged};
}

/// The best that was found with some share of the help.
struct Level {
  double assist = 0, loss = 1e300;
  TrackControls controls;
  RolloutT<double> rollout;
  TrackErrors errors;
  TrackControls last;  ///< the controls that were tried last
  Effort effort;
};

/// Which iterations of all a level may take.
struct IterationRange {
  int begin = 0, end = 0;
};

Quatd joint_rotation(std::span<const double> q, int hinge) {
  const std::size_t h = 7 + at(hinge);
  return to_quat(kinematics::euler_matrix(Vec3d{q[h], q[h + 1], q[h + 2]}));
}

/// Where the joints of all bodies are; leaves them in `work`.
std::vector<Vec3d> body_places(const Model& model, Workspace& work, std::span<const double> q,
                               std::span<const double> still) {
  sweep_kinematics<double>(model, work, q, still);
  std::vector<Vec3d> places;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) places.push_back(work.bodies[b].position + root_of(q));
  return places;
}

TrackErrors errors_of(const TrackProblem& problem, Workspace& work, const RolloutT<double>& rollout) {
  const Reference& reference = problem.reference;
  const std::size_t nq = problem.model.position_count();
  const std::vector<double> still(problem.model.velocity_count());
  double turn = 0, root = 0, slip = 0, place = 0;
  std::size_t joints = 0, planted = 0;
  for (int f = reference.first; f < reference.first + reference.count; ++f) {
    const std::span<const double> q = row(rollout.q, f * problem.schedule.steps_per_frame, nq);
    const std::span<const double> wanted = row(reference.positions, f, nq);
    root += norm(root_of(q) - root_of(wanted)) / problem.height / reference.count;
    for (const PuppetJoint& joint : problem.puppet.joints) {
      if (joint.hinge < 0) continue;
      turn += angle_between(joint_rotation(q, joint.hinge), joint_rotation(wanted, joint.hinge)), ++joints;
    }
    const std::vector<Vec3d> aims = body_places(problem.model, work, wanted, still);
    const std::vector<Vec3d> places = body_places(problem.model, work, q, still);
    for (std::size_t b = 0; b < places.size(); ++b) {
      place += norm(places[b] - aims[b]) / (problem.height * reference.count * static_cast<double>(places.size()));
    }
    for (const Anchor& anchor : problem.anchors[at(f)]) {
      const auto& body = work.bodies[at(anchor.body)];
      const Vec3d apart = body.position + body.rotation * anchor.point + root_of(q) - anchor.place;
      slip += std::hypot(apart.x, apart.z) / problem.height, ++planted;
    }
  }
  return {joints > 0 ? turn / static_cast<double>(joints) * 180 / kPi : 0, root,
          planted > 0 ? slip / static_cast<double>(planted) : 0, place};
}

/// Why a result is not as good as one may ask; empty if it is. `slip`: how far planted feet may stray, heights.
std::string shortcoming(const Level& level, double slip = kMostSlip) {
  if (level.loss >= kLostLoss) return "the simulation left the finite numbers";
  if (level.errors.root > 0.06) {
    return fmt::format("the root strays by {:.1f} % of the height", 100 * level.errors.root);
  }
  // Less help would do for root and joints alone, but the feet then slide: this is where simulated motions used to.
  if (level.errors.planted > slip) {
    return fmt::format("planted feet stray by {:.1f} % of the height", 100 * level.errors.planted);
  }
  if (level.errors.joint > 8) return fmt::format("joints miss the target by {:.1f} degrees", level.errors.joint);
  return "";
}

/// Moves the targets by what the joints miss: where gravity and inertia hardly change, this is Newton's step.
TrackControls corrected(const TrackProblem& problem, TrackControls controls, const RolloutT<double>& rollout) {
  const std::size_t nq = problem.model.position_count(), hinges = problem.model.hinges.size();
  for (int k = 0; k < problem.schedule.keys; ++k) {
    const std::size_t i = at(k * problem.schedule.steps_per_key) * nq;
    for (std::size_t h = 0; h < hinges; ++h) {
      const double miss = problem.dense[i + 7 + h] - rollout.q[i + 7 + h];
      controls.targets[at(k) * hinges + h] += std::clamp(0.5 * miss, -0.1, 0.1);
    }
  }
  return controls;
}

/// The best controls with a given share of the help: a few corrections first, then gradient descent.
Result<Level> optimise_level(const TrackProblem& problem, Workspace& work, double share, IterationRange range,
                             TrackControls controls) {
  const TrackSettings& settings = problem.settings;
  const std::vector<Guide> guides = make_guides(problem, share);
  SmoothAdam for_targets(at(problem.schedule.keys), problem.model.hinges.size());
  SmoothAdam for_velocity(1, problem.model.velocity_count());
  const int count = range.end - range.begin, corrections = std::min(5, count / 3);
  Level level;
  double recent = 1e300;
  for (int i = 0; i < count; ++i) {
    if (settings.progress &&
        !settings.progress("tracking", static_cast<double>(range.begin + i) / settings.iterations)) {
      return cancelled("tracking");
    }
    const Played played = play(problem, work, guides, controls);
    if (level.effort.iterations++ == 0) level.effort.first_loss = played.loss;
    if (played.loss < level.loss) {
      level.loss = played.loss, level.controls = controls, level.rollout = played.rollout, level.assist = share;
    }
    if (played.loss >= kLostLoss) break;
    if (i < corrections) {
      if (i + 1 == count) break;
      controls = corrected(problem, std::move(controls), played.rollout);
      continue;
    }
    const RolloutGradientT<double> gradient = loss_gradient(problem, work, guides, controls, played);
    level.effort.chunks += gradient.chunks, level.effort.clipped += gradient.clipped;
    if (i + 1 == count) break;
    const double rate = settings.learning_rate * (1 - 0.8 * (static_cast<double>(i) / count));
    for_targets.step(controls.targets, gradient.targets, rate);
    if (settings.optimise_velocity && problem.reference.first == 0) {
      for_velocity.step(controls.velocity, gradient.v, rate);
    }
    if (i % 10 == 9) {
      level.effort.converged = recent - level.loss < 1e-3 * level.loss;
      if (level.effort.converged) break;
      recent = level.loss;
    }
  }
  level.last = std::move(controls);
  if (level.effort.iterations > 0) level.errors = errors_of(problem, work, level.rollout);
  return level;
}

/// The shares of the help to try, one after the other.
std::vector<double> assist_shares(const TrackSettings& settings) {
  const double most = settings.assist, least = std::min(settings.least_assist, most);
  if (most > 0 && least < most) return {most, std::sqrt(most * std::max(least, 1e-4)), least};
  return {most};
}

struct Optimised {
  Level best;
  Effort effort;
  std::vector<std::string> notes;
};

/// Less and less help, as long as the result is good.
Result<Optimised> optimise(const TrackProblem& problem, Workspace& work, TrackControls controls) {
  const TrackSettings& settings = problem.settings;
  const std::vector<double> shares = assist_shares(settings);
  const int levels = static_cast<int>(shares.size()), iterations = settings.iterations;
  Optimised result;
  for (int l = 0; l < levels; ++l) {
    const int begin = iterations * l / levels, end = iterations * (l + 1) / levels;
    const IterationRange range{begin, std::max(end, begin + (l == 0 ? 1 : 0))};
    LIMBER_TRY(Level level, optimise_level(problem, work, shares[at(l)], range, controls));
    if (level.effort.iterations == 0) continue;
    result.effort = result.effort + level.effort;
    const double slip = l == 0 ? kMostSlip : std::max(kLittleSlip, 1.1 * result.best.errors.planted);
    const std::string why = shortcoming(level, slip);
    controls = why.empty() ? level.controls : level.last;
    if (l == 0 || why.empty()) result.best = std::move(level);
    if (!why.empty()) {
      result.notes.push_back(fmt::format("with {:.0f} % of the help: {}", 100 * shares[at(l)], why));
      break;
    }
  }
  // Even the first was not enough: then firmly, so that the result at least looks like the target.
  if (settings.assist > 0 && !shortcoming(result.best).empty() && iterations >= 3) {
    const double share = kFirm * settings.assist;
    LIMBER_TRY(Level firm, optimise_level(problem, work, share, {iterations * 2 / 3, iterations}, controls));
    result.effort = result.effort + firm.effort;
    result.notes.push_back(fmt::format("led firmly, with {:.0f} % of the help", 100 * share));
    if (firm.loss < result.best.loss) result.best = std::move(firm);
    const std::string why = shortcoming(result.best);
    if (!why.empty()) result.notes.push_back("even so: " + why);
  }
  return result;
}

/// Spreads what is missing between the last frame and the first over the loop.
std::vector<double> bring_round(const TrackProblem& problem, const RolloutT<double>& rollout,
                                std::vector<double> positions) {
  const Model& model = problem.model;
  const Reference& reference = problem.reference;
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const int next = reference.first + reference.count;
  const std::span<const double> simulated = row(rollout.q, next * problem.schedule.steps_per_frame, nq);
  std::vector<double> end(simulated.begin(), simulated.end());
  // The reference's own path from one round to the next.
  const std::span<const double> a = row(reference.positions, reference.first, nq);
  const std::span<const double> b = row(reference.positions, next, nq);
  end[0] -= b[0] - a[0], end[2] -= b[2] - a[2];
  std::vector<double> gap(nv), part(nv);
  position_difference<double>(model, end, row(positions, 0, nq), gap);
  for (int f = 0; f < reference.count; ++f) {
    const std::span<double> q = row(positions, f, nq);
    const double share = static_cast<double>(f) / reference.count;
    for (std::size_t k = 0; k < nv; ++k) part[k] = share * gap[k];
    integrate_position<double>(model, std::vector<double>(q.begin(), q.end()), part, q);
  }
  return positions;
}

/// The motion's own frames of a rollout.
std::vector<double> own_frames(const TrackProblem& problem, const RolloutT<double>& rollout) {
  const Reference& reference = problem.reference;
  std::vector<double> positions;
  for (int f = reference.first; f < reference.first + reference.count; ++f) {
    const std::span<const double> q =
        row(rollout.q, f * problem.schedule.steps_per_frame, problem.model.position_count());
    positions.insert(positions.end(), q.begin(), q.end());
  }
  if (reference.repeats()) positions = bring_round(problem, rollout, std::move(positions));
  return positions;
}

/// What drives and help gave, in body weights and body weights times height: root mean square, largest.
struct Forces {
  double torque = 0, peak_torque = 0;
  double assist_force = 0, peak_assist_force = 0, assist_torque = 0;
};

/// What the guide gives at a state.
Spatial guide_wrench(const Guide& guide, std::span<const double> q, std::span<const double> v) {
  const Vec3d pull = scaled(guide.pull, guide.position - root_of(q)) +
                     scaled(guide.pull_damping, guide.velocity - Vec3d{v[3], v[4], v[5]});
  Vec3d twist = scaled(guide.turn_damping, guide.angular_velocity - Vec3d{v[0], v[1], v[2]});
  const Mat3d rotation = root_rotation<double>(q);
  for (int k = 0; k < 3; ++k) twist += guide.turn[k] * cross(rotation.column(k), guide.rotation.column(k));
  return {twist, pull};
}

/// Goes through a result once more and adds up what drives and help gave.
Forces measure_forces(const TrackProblem& problem, const Level& level) {
  const Reference& reference = problem.reference;
  const TrackSchedule& schedule = problem.schedule;
  const std::size_t nq = problem.model.position_count(), nv = problem.model.velocity_count();
  const std::size_t hinges = problem.model.hinges.size();
  const double height = problem.height, weight = problem.weight;
  const std::vector<Guide> guides = make_guides(problem, level.assist);
  const int begin = reference.first * schedule.steps_per_frame;
  const int end = std::min(schedule.steps, (reference.first + reference.count - 1) * schedule.steps_per_frame);
  Forces forces;
  double torque = 0, force = 0, help = 0;
  for (int i = begin; i < end; ++i) {
    const std::span<const double> q = row(level.rollout.q, i, nq), v = row(level.rollout.v, i, nv);
    const int key = std::min(i / schedule.steps_per_key, schedule.keys - 2);
    const double share = static_cast<double>(i - key * schedule.steps_per_key) / schedule.steps_per_key;
    for (std::size_t h = 0; h < hinges; ++h) {
      const HingeT<double>& hinge = problem.model.hinges[h];
      const double* target = &level.controls.targets[at(key) * hinges + h];
      const double goal = (1 - share) * target[0] + share * target[hinges];
      const double t = (hinge.stiffness * (goal - q[7 + h]) - hinge.damping * v[6 + h]) / (weight * height);
      torque += t * t, forces.peak_torque = std::max(forces.peak_torque, std::abs(t));
    }
    const Spatial given = guide_wrench(guides[at(i)], q, v);
    force += squared_norm(given.linear) / (weight * weight);
    help += squared_norm(given.angular) / std::pow(weight * height, 2);
    forces.peak_assist_force = std::max(forces.peak_assist_force, norm(given.linear) / weight);
  }
  const double count = std::max(end - begin, 1);
  forces.torque = std::sqrt(torque / (count * static_cast<double>(std::max<std::size_t>(hinges, 1))));
  forces.assist_force = std::sqrt(force / count), forces.assist_torque = std::sqrt(help / count);
  return forces;
}

TrackReport make_report(const TrackProblem& problem, const WarmStart& start, const Optimised& optimised) {
  const Level& best = optimised.best;
  const Effort& effort = optimised.effort;
  const Forces forces = measure_forces(problem, best);
  TrackReport report;
  if (effort.converged) report.stop = TrackStop::kConverged;
  if (best.loss >= kLostLoss) report.stop = TrackStop::kNotFinite;
  report.iterations = effort.iterations;
  report.steps = problem.schedule.steps, report.dt = problem.schedule.dt;
  report.loss_before = effort.first_loss, report.loss_after = best.loss;
  report.joint_error = best.errors.joint, report.slip = best.errors.planted, report.root_error = best.errors.root;
  report.place_error = best.errors.place;
  report.torque = forces.torque, report.peak_torque = forces.peak_torque;
  report.assist = problem.settings.assist > 0 ? best.assist / problem.settings.assist : 0;
  report.assist_force = forces.assist_force, report.peak_assist_force = forces.peak_assist_force;
  report.assist_torque = forces.assist_torque;
  report.missing_force = start.missing_force, report.missing_torque = start.missing_torque;
  report.worst_frame = start.worst_frame;
  report.clip_ratio = effort.chunks > 0 ? static_cast<double>(effort.clipped) / static_cast<double>(effort.chunks) : 0;
  report.notes = optimised.notes;
  return report;
}

}  // namespace

std::string_view name(TrackStop stop) {
  switch (stop) {
    case TrackStop::kConverged:
      return "converged";
    case TrackStop::kMaxIterations:
      return "max iterations";
    case TrackStop::kNotFinite:
      break;
  }
  return "not finite";
}

Result<Tracked> track(const Puppet& puppet, const Reference& reference, const TrackSettings& settings) {
  LIMBER_EXPECT(settings.iterations >= 1 && settings.iterations <= 200 && settings.max_step > 0,
                fmt::format("{} iterations, steps of {} s", settings.iterations, settings.max_step));
  LIMBER_EXPECT(reference.frames >= 1, "an empty reference");
  const TrackProblem problem = make_problem(puppet, reference, settings);
  Workspace work(problem.model);
  const WarmStart start = warm_start(problem, work);
  LIMBER_TRY(const Optimised optimised, optimise(problem, work, start.controls));
  return Tracked{own_frames(problem, optimised.best.rollout), make_report(problem, start, optimised)};
}

}  // namespace limber::physics
