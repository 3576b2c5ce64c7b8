// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/distill.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/files.h"
#include "limber/distill/run_state.h"

namespace limber::distill {
namespace {

using kinematics::Motion;
using kinematics::MotionGradient;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kCameraStream = 0x63616d65726173;    ///< random numbers for cameras, apart from the prior's
constexpr std::uint64_t kGroupSeed = 0x9e3779b97f4a7c15ull;  ///< between the seeds of groups of views
constexpr std::uint64_t kMaxCheckpoint = std::uint64_t{1} << 31;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <class Visit>
void visit_entries(MotionGradient& gradient, const Visit& visit) {
  for (auto* part : {&gradient.root_translations, &gradient.angles}) {
    for (Vec3& v : *part) visit(v.x), visit(v.y), visit(v.z);
  }
}

double norm_of(MotionGradient& gradient) {
  double sum = 0;
  visit_entries(gradient, [&](float x) { sum += double(x) * double(x); });
  return std::sqrt(sum);
}

bool is_finite(MotionGradient& gradient) {
  bool finite = true;
  visit_entries(gradient, [&](float x) { finite = finite && std::isfinite(x); });
  return finite;
}

void check_settings(const scene::Scene& scene, const DistillSettings& s, const Motion& motion) {
  LIMBER_EXPECT(motion.joint_count == scene.rig().joint_count() && motion.frame_count() > 0,
                fmt::format("{} frames of {} joints; the rig has {}", motion.frame_count(), motion.joint_count,
                            scene.rig().joint_count()));
  LIMBER_EXPECT(s.iterations >= 0 && s.max_skipped >= 1 && s.score.draws >= 1,
                fmt::format("{} iterations, {} skipped, {} draws", s.iterations, s.max_skipped, s.score.draws));
  LIMBER_EXPECT(s.angle_rate >= 0 && s.root_rate >= 0 && s.rate_end >= 0,
                fmt::format("{}, {}, {}", s.angle_rate, s.root_rate, s.rate_end));
  LIMBER_EXPECT(s.free.empty() || s.free.size() == static_cast<std::size_t>(motion.joint_count),
                fmt::format("{} of {} joints", s.free.size(), motion.joint_count));
  for (const WeightedEnergy& energy : s.extra) LIMBER_EXPECT(energy.energy != nullptr, energy.name);
  if (s.mode != DistillMode::kDenoise) return;
  LIMBER_EXPECT(s.fits_per_denoise >= 1 && s.denoise_steps >= 1,
                fmt::format("{} fits, {} steps", s.fits_per_denoise, s.denoise_steps));
  LIMBER_EXPECT(s.score.weight == prior::NoiseWeight::kAkd, "only z - z_hat leads to a target");
  LIMBER_EXPECT(s.denoise_steps == 1 || s.score.residual == prior::Residual::kSds,
                "only whole predictions make a path");
}

/// What the prior says about frames.
struct Answer {
  Frames gradient;                ///< on the pixels
  std::vector<double> curvature;  ///< per group of views: second derivative of the prior's loss along its gradient
  double squared = 0;             ///< |z - z_hat|^2
  int asked = 0;                  ///< how often
  int timestep = 0;               ///< of the first draw
  std::int64_t not_finite = 0;
};

/// Second derivative of |z(x) - z_hat|^2 / 2 along its gradient J^T g: |J^T g|^2 / |g|^2, as J J^T sees g. Exact where
/// z is linear in x and J a multiple of the identity, as for priors on pixels.
double curvature_of(const prior::ScoreReport& report) {
  const double ratio = report.gradient_norm / report.latent_gradient_norm;
  return std::isfinite(ratio) && ratio > 0 ? ratio * ratio : 1;
}

/// Some views of a video. Views follow each other in memory.
Frames views_of(const Frames& frames, int first, int count) {
  Frames part;
  part.views = count, part.frames = frames.frames, part.height = frames.height, part.width = frames.width;
  const auto begin = frames.values.begin() + static_cast<std::ptrdiff_t>(part.size() / static_cast<std::size_t>(count) *
                                                                         static_cast<std::size_t>(first));
  part.values.assign(begin, begin + static_cast<std::ptrdiff_t>(part.size()));
  return part;
}

/// One run, from its start or its checkpoint to its end.
class Run {
 public:
  Run(scene::Scene& scene, const CameraRule& cameras, prior::VideoPrior& prior, const prior::Condition& condition,
      const DistillSettings& settings, Motion& motion)
      : scene_(scene),
        rule_(cameras),
        prior_(prior),
        condition_(condition),
        settings_(settings),
        motion_(motion),
        adam_(settings.adam),
        smooth_(settings.smooth_corner),
        limits_(scene.rig()),
        ground_(scene.rig(), settings.boxes) {}

  Result<DistillReport> run() {
    const Clock::time_point start = Clock::now();
    DistillReport report;
    LIMBER_TRY(report.resumed_from, open());
    while (iteration_ < settings_.iterations) {
      if (skipped_in_row_ >= settings_.max_skipped) {
        report.stop = DistillStop::kNotFinite;
        break;
      }
      const double done = static_cast<double>(iteration_) / settings_.iterations;
      if (settings_.progress && !settings_.progress("distilling", done)) {
        report.stop = DistillStop::kCancelled;
        break;
      }
      if (const Status status = iterate(); !status.ok()) {
        (void)keep();  // what went wrong first is what counts
        return status.error();
      }
      if (seconds_since(kept_) >= settings_.checkpoint_seconds) LIMBER_CHECK_OK(keep());
    }
    LIMBER_CHECK_OK(keep());
    report.iterations = iteration_;
    report.skipped = static_cast<int>(
        std::count_if(history_.begin(), history_.end(), [](const DistillStep& step) { return step.skipped; }));
    report.seconds = seconds_since(start);
    report.history = std::move(history_);
    return report;
  }

 private:
  // --- checkpoints

  /// Goes on from the checkpoint, if there is one; returns its iteration. Otherwise writes the first one, so that a
  /// path that cannot be written to is found now and not after an hour.
  Result<std::optional<int>> open() {
    kept_ = Clock::now();
    if (settings_.checkpoint.empty()) return std::optional<int>();
    Rng rng = camera_rng(0);
    fingerprint_ = fingerprint_of(scene_, rule_(motion_, rng), prior_.info(), condition_, settings_, motion_);
    std::error_code error;
    if (!settings_.resume || !std::filesystem::exists(settings_.checkpoint, error)) {
      LIMBER_CHECK_OK(keep());
      return std::optional<int>();
    }
    const std::string name = settings_.checkpoint.string();
    LIMBER_TRY(const Bytes bytes, read_file(settings_.checkpoint, kMaxCheckpoint));
    LIMBER_TRY(RunState state, decode_state(bytes, name));
    if (const std::string found = differences(state.fingerprint, fingerprint_); !found.empty()) {
      return Error{"the checkpoint is of another run: " + found, name};
    }
    if (state.root_translations.size() != motion_.root_translations.size() ||
        state.angles.size() != motion_.angles.size()) {
      return Error{"the checkpoint is damaged", name};
    }
    if (state.iteration > settings_.iterations) {
      return Error{fmt::format("the checkpoint is past iteration {} already; {} were asked for", state.iteration,
                               settings_.iterations),
                   name};
    }
    motion_.root_translations = std::move(state.root_translations);
    motion_.angles = std::move(state.angles);
    adam_.set_state(std::move(state.adam));
    history_ = std::move(state.history);
    iteration_ = state.iteration, skipped_in_row_ = state.skipped_in_row;
    return std::optional<int>(iteration_);
  }

  Status keep() {
    kept_ = Clock::now();
    if (settings_.checkpoint.empty()) return Done{};
    RunState state;
    state.fingerprint = fingerprint_;
    state.iteration = iteration_, state.skipped_in_row = skipped_in_row_;
    state.root_translations = motion_.root_translations, state.angles = motion_.angles;
    state.adam = adam_.state();
    state.history = history_;
    return write_file(settings_.checkpoint, encode_state(state));
  }

  // --- iterations

  Rng camera_rng(int iteration) const {
    return Rng(settings_.score.seed, kCameraStream).fork(static_cast<std::uint64_t>(iteration));
  }

  Status iterate() {
    DistillStep step;
    step.iteration = iteration_;
    Rng rng = camera_rng(iteration_);
    cameras_ = rule_(motion_, rng);
    draw(step);
    entries_ = static_cast<double>(latent_entries(prior_.info(), frames_));
    if (settings_.preview_every > 0 && settings_.on_preview && iteration_ % settings_.preview_every == 0) {
      settings_.on_preview({iteration_, motion_, frames_});
    }
    LIMBER_CHECK_OK(settings_.mode == DistillMode::kScore ? score_step(step) : denoise_step(step));
    skipped_in_row_ = step.skipped ? skipped_in_row_ + 1 : 0;
    history_.push_back(step);
    ++iteration_;
    if (settings_.on_step) settings_.on_step(step);
    return Done{};
  }

  /// AKD's step: L = L_SDS + lambda_1 L_smooth + lambda_2 L_ground.
  Status score_step(DistillStep& step) {
    LIMBER_TRY(const Answer answer, ask(step, false));
    take_over(answer, step);
    // More of it was lost than not: what is left has no direction to trust.
    const bool trusted = 2 * answer.not_finite < static_cast<std::int64_t>(frames_.size());
    step_down(answer.gradient, 1 / entries_, trusted, true, step);
    return Done{};
  }

  /// The prior's own idea of the video, then several steps towards it as seen by the same cameras.
  Status denoise_step(DistillStep& step) {
    LIMBER_TRY(const Answer answer, ask(step, true));
    take_over(answer, step);
    const bool trusted = 2 * answer.not_finite < static_cast<std::int64_t>(frames_.size());
    const Frames& target = answer.gradient;
    Frames slope = frames_;
    const std::size_t per_group = frames_.values.size() / answer.curvature.size();
    for (int fit = 0; fit < settings_.fits_per_denoise && !step.skipped; ++fit) {
      if (fit > 0) draw(step);
      double loss = 0;
      for (std::size_t i = 0; i < slope.values.size(); ++i) {
        const float gap = frames_.values[i] - target.values[i],
                    stiffness = static_cast<float>(answer.curvature[i / per_group]);
        slope.values[i] = stiffness * gap;
        loss += 0.5 * double(stiffness) * double(gap) * double(gap);
      }
      step.fitted = loss / entries_;
      step_down(slope, 1 / entries_, trusted, fit == 0, step);
    }
    return Done{};
  }

  static void take_over(const Answer& answer, DistillStep& step) {
    step.latent_gradient = std::sqrt(answer.squared);
    step.timestep = answer.timestep;
    step.not_finite = answer.not_finite;
  }

  /// Asks the prior about the frames, group of views by group; as many as it wants to see at once. `target`: the
  /// gradient is replaced by the video that it would rather see.
  Result<Answer> ask(DistillStep& step, bool target) {
    const int each = std::max(prior_.info().views, 1);
    if (frames_.views % each != 0) {
      return Error{fmt::format("{} views are drawn, {} at a time can be judged", frames_.views, each),
                   prior_.info().name};
    }
    const Clock::time_point start = Clock::now();
    Answer answer;
    for (int first = 0; first < frames_.views; first += each) {
      const bool all = each == frames_.views;
      const Frames part = all ? Frames() : views_of(frames_, first, each);
      prior::ScoreSettings score = settings_.score;
      score.iteration = iteration_;
      score.seed += kGroupSeed * static_cast<std::uint64_t>(first / each);
      LIMBER_CHECK_OK(target ? denoise_group(all ? frames_ : part, score, answer)
                             : score_group(all ? frames_ : part, score, answer));
    }
    answer.gradient.views = frames_.views;
    step.sds = 0.5 * answer.squared / entries_;
    step.prior_seconds += seconds_since(start);
    return answer;
  }

  Result<prior::ScoreReport> score_frames(const Frames& frames, const prior::ScoreSettings& score, Frames& gradient,
                                          Answer& answer) {
    LIMBER_TRY(prior::ScoreReport report, prior_.score(frames, condition_, score, gradient));
    LIMBER_EXPECT(gradient.values.size() == frames.values.size(), "a gradient of another shape than the frames");
    answer.not_finite += report.not_finite;
    if (!report.draws.empty() && answer.asked++ == 0) answer.timestep = report.draws[0].timestep;
    return report;
  }

  static void append(Frames part, Answer& answer) {
    if (answer.gradient.values.empty()) {
      answer.gradient = std::move(part);
    } else {
      answer.gradient.values.insert(answer.gradient.values.end(), part.values.begin(), part.values.end());
    }
  }

  Status score_group(const Frames& frames, const prior::ScoreSettings& score, Answer& answer) {
    Frames gradient;
    LIMBER_TRY(const prior::ScoreReport report, score_frames(frames, score, gradient, answer));
    answer.squared += report.latent_gradient_norm * report.latent_gradient_norm;
    append(std::move(gradient), answer);
    return Done{};
  }

  /// x_hat, in one step or walking down in t. Each step is a Newton step on the prior's loss with the curvature along
  /// its gradient, which for priors on pixels is x_hat itself; then the noise that leads from there to the same z_t is
  /// the next step's (deterministic DDIM, or Euler for flows): noise + signal / sigma (z - z_hat).
  Status denoise_group(const Frames& frames, prior::ScoreSettings score, Answer& answer) {
    Frames target = frames, gradient;
    const int steps = settings_.denoise_steps;
    const prior::TimestepRange range = prior::timestep_range(score, prior_.info().train_steps);
    double curvature = 1;
    for (int k = 0; k < steps; ++k) {
      if (steps > 1) {
        score.draws = 1;
        score.timestep =
            range.low + static_cast<int>(std::lround(double(range.high - range.low) * (steps - k) / steps));
        score.return_latent_gradient = k + 1 < steps;
      }
      LIMBER_TRY(const prior::ScoreReport report, score_frames(target, score, gradient, answer));
      curvature = curvature_of(report);
      for (std::size_t i = 0; i < target.values.size(); ++i) {
        target.values[i] -= static_cast<float>(double(gradient.values[i]) / curvature);
      }
      if (!score.return_latent_gradient || report.draws.empty() || k + 1 == steps) continue;
      const std::size_t count = report.latent_gradient.size();
      if (!score.noise) score.noise = prior::normal_noise(count, score.seed, static_cast<std::uint64_t>(iteration_), 0);
      LIMBER_EXPECT(score.noise->size() >= count, fmt::format("{} numbers of noise", score.noise->size()));
      const double share = report.draws[0].signal / std::max(report.draws[0].sigma, 1e-6);
      for (std::size_t i = 0; i < count; ++i) {
        (*score.noise)[i] += static_cast<float>(share * double(report.latent_gradient[i]));
      }
    }
    for (std::size_t i = 0; i < target.values.size(); ++i) {
      // Strong guidance asks for colours that no scene can draw.
      target.values[i] = std::clamp(target.values[i], 0.0f, 1.0f);
      const double gap = double(frames.values[i]) - double(target.values[i]);
      answer.squared += curvature * gap * gap;
    }
    answer.curvature.push_back(curvature);
    append(std::move(target), answer);
    return Done{};
  }

  void draw(DistillStep& step) {
    const Clock::time_point start = Clock::now();
    scene_.forward(motion_, cameras_, frames_);
    step.draw_seconds += seconds_since(start);
  }

  /// One step of the optimiser down `scale` times the gradient on the frames, and the energies'. `first`: their values
  /// are noted.
  void step_down(const Frames& grad_frames, double scale, bool trusted, bool first, DistillStep& step) {
    const Clock::time_point start = Clock::now();
    MotionGradient gradient, energy_gradient;
    if (trusted) scene_.backward(motion_, cameras_, grad_frames, gradient);
    kinematics::size_gradient(motion_, gradient);
    step.draw_seconds += seconds_since(start);
    visit_entries(gradient, [&](float& x) { x = static_cast<float>(double(x) * scale); });

    DistillStep values;
    add_energies(energy_gradient, values);
    step.skipped = step.skipped || !trusted || !is_finite(gradient) || !is_finite(energy_gradient);
    if (first) {
      step.smooth = values.smooth, step.ground = values.ground, step.limits = values.limits;
      step.extra = values.extra, step.total = step.sds + values.total;
      step.sds_gradient = norm_of(gradient), step.energy_gradient = norm_of(energy_gradient);
    }
    if (step.skipped) return;
    for (std::size_t i = 0; i < gradient.angles.size(); ++i) gradient.angles[i] += energy_gradient.angles[i];
    for (std::size_t i = 0; i < gradient.root_translations.size(); ++i) {
      gradient.root_translations[i] += energy_gradient.root_translations[i];
    }
    const double done = static_cast<double>(iteration_) / std::max(settings_.iterations - 1, 1);
    const double share = 1 + (settings_.rate_end - 1) * done;
    adam_.step(motion_, gradient, share * settings_.angle_rate, share * settings_.root_rate, settings_.free);
  }

  /// `total`: of the energies alone.
  void add_energies(MotionGradient& gradient, DistillStep& step) const {
    step.smooth = smooth_.add(motion_, settings_.smooth_weight, gradient);
    step.limits = limits_.add(motion_, settings_.limit_weight, gradient);
    step.ground = ground_.add(motion_, settings_.ground_weight, gradient);
    for (const WeightedEnergy& e : settings_.extra) step.extra += e.weight * e.energy->add(motion_, e.weight, gradient);
    step.total = settings_.smooth_weight * step.smooth + settings_.limit_weight * step.limits +
                 settings_.ground_weight * step.ground + step.extra;
  }

  scene::Scene& scene_;
  const CameraRule& rule_;
  prior::VideoPrior& prior_;
  const prior::Condition& condition_;
  const DistillSettings& settings_;
  Motion& motion_;
  kinematics::MotionAdam adam_;
  const kinematics::SmoothnessEnergy smooth_;
  const kinematics::LimitEnergy limits_;
  const kinematics::GroundEnergy ground_;

  Fingerprint fingerprint_;
  Clock::time_point kept_;
  int iteration_ = 0, skipped_in_row_ = 0;
  std::vector<DistillStep> history_;
  std::vector<scene::Camera> cameras_;
  Frames frames_;
  double entries_ = 1;  ///< that the prior's loss is summed over
};

}  // namespace

Result<DistillReport> distill(scene::Scene& scene, const CameraRule& cameras, prior::VideoPrior& prior,
                              const prior::Condition& condition, const DistillSettings& settings,
                              kinematics::Motion& motion) {
  check_settings(scene, settings, motion);
  return Run(scene, cameras, prior, condition, settings, motion).run();
}

kinematics::Motion forward_start(const rig::Rig& rig, int frames, double fps, double speed, Vec3 forward) {
  Motion motion = kinematics::rest_motion(rig, frames, fps);
  const Vec3d step = (speed / fps) * normalized(forward.cast<double>(), {0, 0, 1});
  for (int f = 0; f < frames; ++f) {
    motion.root_translations[static_cast<std::size_t>(f)] = (static_cast<double>(f) * step).cast<float>();
  }
  return motion;
}

std::int64_t latent_entries(const prior::PriorInfo& info, const Frames& frames) {
  const auto reduced = [](int size, int by) { return std::int64_t{std::max(size / std::max(by, 1), 1)}; };
  const std::int64_t latent_frames = (frames.frames - 1) / std::max(info.frame_step, 1) + 1;
  return std::int64_t{frames.views} * latent_frames * info.latent_channels *
         reduced(frames.height, info.latent_reduction) * reduced(frames.width, info.latent_reduction);
}

}  // namespace limber::distill
