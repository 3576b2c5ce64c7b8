// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/iterate.h"

#include <algorithm>
#include <cmath>

#include "limber/base/stopwatch.h"
#include "limber/distill/ask_prior.h"

namespace limber::distill {
namespace {

using kinematics::Motion;
using kinematics::MotionGradient;

constexpr std::uint64_t kCameraStream = 0x63616d65726173;

template <class Gradient, class Visit>
void visit_entries(Gradient& gradient, const Visit& visit) {
  for (auto* part : {&gradient.root_translations, &gradient.angles}) {
    for (auto& v : *part) visit(v.x), visit(v.y), visit(v.z);
  }
}

double norm_of(const MotionGradient& gradient) {
  double sum = 0;
  visit_entries(gradient, [&](float x) { sum += double(x) * double(x); });
  return std::sqrt(sum);
}

bool is_finite(const MotionGradient& gradient) {
  bool finite = true;
  visit_entries(gradient, [&](float x) { finite = finite && std::isfinite(x); });
  return finite;
}

/// Returns how long it took. What failed, the scene knows.
double draw(const Run& run, const Motion& motion, Shown& shown) {
  const Stopwatch watch;
  run.scene.forward(motion, shown.cameras, shown.frames);
  return watch.seconds();
}

double draw_there(const Run& run, const Motion& motion, Shown& shown) {
  const Stopwatch watch;
  (void)run.scene.forward_on_device(motion, shown.cameras);
  Frames& frames = shown.frames;
  frames.frames = motion.frame_count();
  frames.views = static_cast<int>(shown.cameras.size()) / frames.frames;
  frames.height = shown.cameras[0].height, frames.width = shown.cameras[0].width;
  frames.values.clear();
  return watch.seconds();
}

/// Memory on the GPU for what the prior says.
Result<CudaTarget*> answer_there(const Run& run, Shown& shown) {
  if (!shown.answer) shown.answer = std::make_unique<CudaTarget>(*run.scene.cuda());
  if (shown.answer->room(shown.frames.size()) == nullptr) {
    LIMBER_CHECK_OK(run.scene.finish_on_device());
  }
  return shown.answer.get();
}

/// Asks the prior where the frames are.
enum class Wanted { kScore, kTarget };
Result<Answer> ask(const Run& run, int iteration, Wanted wanted, Shown& shown) {
  const Question question{run.prior, run.condition, run.settings, iteration};
  const bool score = wanted == Wanted::kScore;
  if (!shown.there) return score ? ask_score(question, shown.frames) : ask_target(question, shown.frames);
  LIMBER_TRY(CudaTarget * answer, answer_there(run, shown));
  const Frames& shape = shown.frames;
  const std::shared_ptr<CudaQueue> queue = run.scene.cuda()->queue();
  const prior::DeviceFrames frames{shape.views, shape.frames, shape.height, shape.width, run.scene.cuda()->frames(),
                                   queue.get()};
  float* to = answer->room(shape.size());
  return score ? ask_score_there(question, frames, to) : ask_target_there(question, frames, to);
}

/// Values of the energies, and their gradient with weights.
struct EnergyValues {
  double smooth = 0, ground = 0, limits = 0;
  double extra = 0, total = 0;  ///< with weights
  MotionGradient gradient;
};

EnergyValues add_energies(const Energies& energies, const DistillSettings& settings, const Motion& motion) {
  EnergyValues values;
  values.smooth = energies.smooth.add(motion, settings.smooth_weight, values.gradient);
  values.limits = energies.limits.add(motion, settings.limit_weight, values.gradient);
  values.ground = energies.ground.add(motion, settings.ground_weight, values.gradient);
  for (const kinematics::WeightedEnergy& e : settings.extra) {
    values.extra += e.weight * e.energy->add(motion, e.weight, values.gradient);
  }
  values.total = settings.smooth_weight * values.smooth + settings.limit_weight * values.limits +
                 settings.ground_weight * values.ground + values.extra;
  return values;
}

/// A gradient on the frames that were drawn last.
struct FrameGradient {
  const Frames* frames = nullptr;
  const float* there = nullptr;  ///< on the GPU, instead
  double scale = 1;
  bool trusted = true;  ///< else it counts as zero, and the motion stays
};

/// Rates of this iteration's steps.
struct Rates {
  double angles = 0, root = 0;
};
Rates rates_of(const DistillSettings& settings, int iteration) {
  const double done = static_cast<double>(iteration) / std::max(settings.iterations - 1, 1);
  const double share = 1 + (settings.rate_end - 1) * done;
  return {share * settings.angle_rate, share * settings.root_rate};
}

/// What one step of the optimiser did.
struct Descent {
  bool skipped = false;
  EnergyValues energies;
  double sds_gradient = 0;
  double draw_seconds = 0;
};

/// One step of the optimiser down the gradient on the frames, and the energies'.
Descent descend(const Run& run, const Energies& energies, const Shown& shown, const FrameGradient& grad_frames,
                RunState& state) {
  const DistillSettings& settings = run.settings;
  Descent result;
  const Stopwatch watch;
  MotionGradient gradient;
  if (grad_frames.trusted && grad_frames.there != nullptr) {
    (void)run.scene.backward_on_device(state.motion, grad_frames.there, gradient);
  } else if (grad_frames.trusted) {
    run.scene.backward(state.motion, shown.cameras, *grad_frames.frames, gradient);
  }
  kinematics::size_gradient(state.motion, gradient);
  result.draw_seconds = watch.seconds();
  visit_entries(gradient, [&](float& x) { x = static_cast<float>(double(x) * grad_frames.scale); });

  result.energies = add_energies(energies, settings, state.motion);
  const MotionGradient& energy_gradient = result.energies.gradient;
  result.sds_gradient = norm_of(gradient);
  result.skipped = !grad_frames.trusted || !is_finite(gradient) || !is_finite(energy_gradient);
  if (result.skipped) return result;
  for (std::size_t i = 0; i < gradient.angles.size(); ++i) gradient.angles[i] += energy_gradient.angles[i];
  for (std::size_t i = 0; i < gradient.root_translations.size(); ++i) {
    gradient.root_translations[i] += energy_gradient.root_translations[i];
  }
  const Rates rates = rates_of(settings, state.iteration);
  kinematics::MotionAdam adam(settings.adam);
  adam.set_state(std::move(state.adam));
  adam.step(state.motion, gradient, rates.angles, rates.root, settings.free);
  state.adam = adam.state();
  return result;
}

/// Where more of an answer was lost than not, what is left has no direction to trust.
bool is_trusted(const Answer& answer, const Frames& frames) {
  return 2 * answer.not_finite < static_cast<std::int64_t>(frames.size());
}

void note_answer(const Answer& answer, double entries, DistillStep& step) {
  step.sds = 0.5 * answer.squared / entries;
  step.latent_gradient = std::sqrt(answer.squared);
  step.timestep = answer.timestep;
  step.not_finite = answer.not_finite;
  step.prior_seconds += answer.seconds;
}

/// The first descent of an iteration says what its losses are.
void note_losses(const Descent& descent, DistillStep& step) {
  const EnergyValues& energies = descent.energies;
  step.smooth = energies.smooth, step.ground = energies.ground, step.limits = energies.limits;
  step.extra = energies.extra, step.total = step.sds + energies.total;
  step.sds_gradient = descent.sds_gradient, step.energy_gradient = norm_of(energies.gradient);
}

/// AKD's step: L = L_SDS + lambda_1 L_smooth + lambda_2 L_ground.
Status score_step(const Run& run, const Energies& energies, Shown& shown, RunState& state, DistillStep& step) {
  LIMBER_TRY(const Answer answer, ask(run, state.iteration, Wanted::kScore, shown));
  const auto entries = static_cast<double>(latent_entries(run.prior.info(), shown.frames));
  note_answer(answer, entries, step);
  const float* there = shown.there ? shown.answer->data() : nullptr;
  const FrameGradient gradient{&answer.frames, there, 1 / entries, is_trusted(answer, shown.frames)};
  const Descent descent = descend(run, energies, shown, gradient, state);
  note_losses(descent, step);
  step.skipped = descent.skipped;
  step.draw_seconds += descent.draw_seconds;
  return Done{};
}

/// Losses of the first of the steps that a GPU took by itself. Terms are those of `make_device_fits`.
void note_losses(const kinematics::MotionNotes& notes, const DistillSettings& settings, DistillStep& step) {
  step.smooth = notes.values[0], step.limits = notes.values[1], step.ground = notes.values[2];
  step.extra = 0;
  for (std::size_t i = 0; i < settings.extra.size(); ++i) step.extra += settings.extra[i].weight * notes.values[3 + i];
  step.total = step.sds + settings.smooth_weight * step.smooth + settings.limit_weight * step.limits +
               settings.ground_weight * step.ground + step.extra;
  step.sds_gradient = notes.picture_gradient, step.energy_gradient = notes.energy_gradient;
}

/// As many steps towards the target as the GPU can take by itself; returns how many.
Result<int> take_fits(const Run& run, const Answer& answer, double scale, Shown& shown, RunState& state,
                      DistillStep& step) {
  const Stopwatch watch;
  const Rates rates = rates_of(run.settings, state.iteration);
  LIMBER_TRY(CudaTarget * target, answer_there(run, shown));
  if (!shown.there) target->set(answer.frames);
  target->set_stiffness(answer.curvature);
  const DeviceFits::Taken taken =
      shown.device->take({*target, run.settings.fits_per_denoise, scale, rates.angles, rates.root}, state);
  step.draw_seconds += watch.seconds();
  if (taken.steps == 0 || !run.scene.status().ok()) return taken.steps;
  note_losses(taken.first, run.settings, step);
  step.fitted = taken.loss * scale;
  step.skipped = taken.skipped;
  return taken.steps;
}

/// One step towards a target, from what was drawn last. `slope` is there for its memory.
Descent fit_here(const Run& run, const Energies& energies, const Answer& answer, double entries, const Shown& shown,
                 Frames& slope, RunState& state, DistillStep& step) {
  slope = shown.frames;
  const std::size_t per_group = slope.values.size() / answer.curvature.size();
  double loss = 0;
  for (std::size_t i = 0; i < slope.values.size(); ++i) {
    const float gap = shown.frames.values[i] - answer.frames.values[i],
                stiffness = static_cast<float>(answer.curvature[i / per_group]);
    slope.values[i] = stiffness * gap;
    loss += 0.5 * double(stiffness) * double(gap) * double(gap);
  }
  step.fitted = loss / entries;
  const FrameGradient gradient{&slope, nullptr, 1 / entries, is_trusted(answer, shown.frames)};
  return descend(run, energies, shown, gradient, state);
}

/// The prior's own idea of the video, then several steps towards it as seen by the same cameras.
Status denoise_step(const Run& run, const Energies& energies, Shown& shown, RunState& state, DistillStep& step) {
  LIMBER_TRY(Answer answer, ask(run, state.iteration, Wanted::kTarget, shown));
  const auto entries = static_cast<double>(latent_entries(run.prior.info(), shown.frames));
  note_answer(answer, entries, step);
  const bool alone = shown.device != nullptr && is_trusted(answer, shown.frames);
  int taken = 0;
  if (alone) {
    LIMBER_TRY(taken, take_fits(run, answer, 1 / entries, shown, state, step));
  }
  Frames slope;
  for (int fit = taken; fit < run.settings.fits_per_denoise && !step.skipped; ++fit) {
    LIMBER_CHECK_OK(run.scene.status());
    // What is there comes here when the GPU cannot go on by itself.
    if (answer.frames.values.empty()) shown.answer->get(answer.frames);
    if (fit > 0 || alone || shown.there) step.draw_seconds += draw(run, state.motion, shown);
    const Descent descent = fit_here(run, energies, answer, entries, shown, slope, state, step);
    if (fit == 0) note_losses(descent, step);
    step.skipped = descent.skipped;
    step.draw_seconds += descent.draw_seconds;
  }
  return Done{};
}

}  // namespace

Energies make_energies(const rig::Rig& rig, const DistillSettings& settings) {
  return {kinematics::SmoothnessEnergy(settings.smooth_corner), kinematics::LimitEnergy(rig),
          kinematics::GroundEnergy(rig, settings.boxes)};
}

std::unique_ptr<DeviceFits> make_device_fits(const Run& run, const Energies& energies, const Motion& motion) {
  const DistillSettings& settings = run.settings;
  if (run.scene.device() != Device::kCuda || settings.mode != DistillMode::kDenoise) return nullptr;
  kinematics::MotionCosts costs;
  costs.adam = settings.adam, costs.free = settings.free;
  bool all = add_term(costs, settings.smooth_weight, energies.smooth);
  all = add_term(costs, settings.limit_weight, energies.limits) && all;
  all = add_term(costs, settings.ground_weight, energies.ground) && all;
  for (const kinematics::WeightedEnergy& e : settings.extra) all = all && add_term(costs, e.weight, *e.energy);
  if (!all || !kinematics::CudaMotion::can(motion, costs)) return nullptr;
  return std::make_unique<DeviceFits>(run.scene, std::move(costs));
}

bool stays_there(const Run& run, const Shown& shown) {
  if (run.scene.device() != Device::kCuda || run.prior.on_device() == nullptr) return false;
  return run.settings.mode == DistillMode::kScore || shown.device != nullptr;
}

Rng camera_rng(const DistillSettings& settings, int iteration) {
  return Rng(settings.score.seed, kCameraStream).fork(static_cast<std::uint64_t>(iteration));
}

Status iterate(const Run& run, const Energies& energies, Shown& shown, RunState& state) {
  const DistillSettings& settings = run.settings;
  DistillStep step;
  step.iteration = state.iteration;
  for (const kinematics::WeightedEnergy& e : settings.extra) e.energy->renew();
  Rng rng = camera_rng(settings, state.iteration);
  shown.cameras = run.cameras(state.motion, rng);
  step.draw_seconds = shown.there ? draw_there(run, state.motion, shown) : draw(run, state.motion, shown);
  LIMBER_CHECK_OK(run.scene.status());
  if (settings.preview_every && settings.on_preview && state.iteration % *settings.preview_every == 0) {
    Frames brought;  // from the GPU
    if (shown.there) {
      brought = shown.frames, brought.values.resize(brought.size());
      LIMBER_CHECK_OK(run.scene.cuda()->download(brought.values));
    }
    settings.on_preview({state.iteration, state.motion, shown.there ? brought : shown.frames});
  }
  const bool score = settings.mode == DistillMode::kScore;
  const Motion motion = state.motion;
  const auto adam = state.adam;
  Status done = score ? score_step(run, energies, shown, state, step) : denoise_step(run, energies, shown, state, step);
  if (done.ok()) done = run.scene.status();
  if (!done.ok()) {
    // An iteration that failed never was: the run is resumed from where it began.
    state.motion = motion, state.adam = adam;
    return done;
  }
  state.skipped_in_row = step.skipped ? state.skipped_in_row + 1 : 0;
  state.history.push_back(step);
  ++state.iteration;
  if (settings.on_step) settings.on_step(step);
  return Done{};
}

}  // namespace limber::distill
