// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/stopwatch.h"
#include "limber/kinematics/resample.h"
#include "limber/lift/leading_joints.h"
#include "limber/rig/bone_boxes.h"
#include "limber/rig/changed_rig.h"
#include "limber/scene/body_splats.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

/// A stage's share of the whole progress.
Progress part_of(const Progress& progress, std::string stage, double from, double to) {
  if (!progress) return {};
  return [progress, stage = std::move(stage), from, to](std::string_view, double fraction) {
    return progress(stage, from + (to - from) * std::clamp(fraction, 0.0, 1.0));
  };
}

/// The subject in a world that is turned so that it faces +Z, as the prior knows bodies; and the way back.
struct Facing {
  rig::Subject subject;
  Mat3 turned_from_world = Mat3::identity();
};

Result<Facing> face_forward(const rig::Subject& subject, Vec3 forward) {
  if (squared_norm(forward) == 0) forward = subject.facing.forward;
  const float angle = std::atan2(forward.x, forward.z);
  Facing facing{subject, Mat3::identity()};
  facing.subject.facing.forward = {0, 0, 1};
  if (std::abs(angle) < 0.02f) return facing;
  // About +Y by -angle.
  const float c = std::cos(angle), d = std::sin(angle);
  facing.turned_from_world.m = {{{c, 0, -d}, {0, 1, 0}, {d, 0, c}}};
  LIMBER_TRY(facing.subject.rig, rig::changed_rig(subject.rig, facing.turned_from_world));
  return facing;
}

/// A motion of the turned subject as one of the subject itself: angles are the joints' own, the way turns back.
void turn_back(const Facing& facing, Motion& motion) {
  const Mat3 back = transposed(facing.turned_from_world);
  for (Vec3& translation : motion.root_translations) translation = back * translation;
}

int candidate_count(const AnimateSettings& settings) {
  if (settings.candidates > 0) return settings.candidates;
  return settings.quality == Quality::kDraft ? 2 : settings.quality == Quality::kStandard ? 3 : 6;
}

/// Smaller is better: how much of the sample the joints cannot follow, and how unsteady the result is.
double candidate_score(const Candidate& candidate) {
  return candidate.lifted.fit.residual + 0.03 * (1 - candidate.gait.explained);
}

/// The built-in prior: samples of the body itself, in two views.
class PartLadder {
 public:
  PartLadder(Facing facing, prior::VideoPrior& prior, const AnimateSettings& settings)
      : facing_(std::move(facing)),
        prior_(prior),
        settings_(settings),
        view_(facing_.subject.rig, scene::part_gaussians(facing_.subject), view_settings(prior.info())),
        free_(lift::leading_joints(facing_.subject)) {}

  Result<Animation> climb() {
    Stopwatch watch;
    const Frames rest = view_.rest();
    LIMBER_TRY(condition_, prior_.condition({settings_.prompt, settings_.negative}, &rest));
    warn_of_prompt();
    animation_.ends = metrics::limb_ends(facing_.subject);
    LIMBER_CHECK_OK(draw_candidates());
    animation_.lifted = animation_.candidates.front().lifted.motion;
    watch.lap();
    LIMBER_CHECK_OK(refine());
    animation_.seconds.distill = watch.lap();
    LIMBER_CHECK_OK(judge());
    AnimateSettings last = settings_;
    last.progress = part_of(settings_.progress, "putting it on the ground", 0.9, 1);
    LIMBER_CHECK_OK(finish(facing_.subject, last, animation_));
    animation_.seconds.ground = watch.lap();
    turn_back(facing_, animation_.motion), turn_back(facing_, animation_.lifted);
    return std::move(animation_);
  }

 private:
  static scene::PartViewSettings view_settings(const prior::PriorInfo& info) {
    scene::PartViewSettings settings;
    settings.views = info.views, settings.size = info.native.width;
    return settings;
  }

  void warn_of_prompt() {
    const prior::ActionGuess guess = prior::guess_action(prior_.info().actions, settings_.prompt);
    if (!guess.named.empty() || prior_.info().actions.empty()) return;
    std::string nearest;
    for (const std::string& action : guess.nearest) nearest += (nearest.empty() ? "" : ", ") + action;
    animation_.warnings.push_back(
        fmt::format("the prompt names no action that the prior was taught; {}the motion may be anything",
                    nearest.empty() ? "" : "nearest: " + nearest + "; "));
  }

  /// The sample of that number, lifted. `from` and `to`: its share of the whole progress.
  Result<Candidate> draw_candidate(int number, const std::string& which, double from, double to) {
    const double middle = from + 0.75 * (to - from);
    Candidate candidate;
    candidate.seed = settings_.seed + static_cast<std::uint64_t>(1000003) * static_cast<std::uint64_t>(number);
    prior::SampleSettings sampling;
    sampling.seed = candidate.seed;
    sampling.guidance = settings_.guidance, sampling.steps = settings_.sample_steps;
    sampling.progress = part_of(settings_.progress, "drawing " + which, from, middle);
    Stopwatch watch;
    LIMBER_TRY(candidate.video, prior_.sample(condition_, sampling));
    animation_.seconds.sample += watch.lap();
    SampleLiftSettings lifting;
    lifting.fps = prior_.info().fps;
    lifting.fit.free = free_;
    if (!settings_.fit_stages.empty()) lifting.fit.stages = settings_.fit_stages;
    lifting.fit.progress = part_of(settings_.progress, "lifting " + which, middle, to);
    LIMBER_TRY(candidate.lifted, lift_sample(view_, candidate.video, lifting));
    animation_.seconds.lift += watch.lap();
    candidate.gait = metrics::find_gait(facing_.subject.rig, candidate.lifted.motion, animation_.ends);
    candidate.score = candidate_score(candidate);
    candidate.fits = candidate.lifted.fit.residual <= settings_.most_residual;
    return candidate;
  }

  Status draw_candidates() {
    const int wanted = candidate_count(settings_);
    const double share = settings_.quality == Quality::kDraft ? 0.9 : 0.5;
    int drawn = 0;
    for (int i = 0; i < wanted; ++i) {
      // Of those that do not fit the least bad one is kept.
      std::optional<Candidate> kept;
      for (int draw = 0; draw <= settings_.redraws && !(kept && kept->fits); ++draw) {
        const std::string which = fmt::format("sample {} of {}", i + 1, wanted);
        LIMBER_TRY(Candidate candidate, draw_candidate(drawn++, which, share * i / wanted, share * (i + 1) / wanted));
        if (!kept || candidate.fits || candidate.score < kept->score) kept = std::move(candidate);
      }
      animation_.candidates.push_back(std::move(*kept));
    }
    std::stable_sort(animation_.candidates.begin(), animation_.candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
    if (!animation_.candidates.front().fits) {
      animation_.warnings.push_back(
          fmt::format("no sample could be followed well: the best misses by {:.3f} (bound {:.3f})",
                      animation_.candidates.front().lifted.fit.residual, settings_.most_residual));
    }
    return Done{};
  }

  distill::DistillSettings distill_settings() const {
    distill::DistillSettings s;
    const bool best = settings_.quality == Quality::kBest;
    s.mode = distill::DistillMode::kDenoise;
    s.iterations = settings_.distill_iterations >= 0      ? settings_.distill_iterations
                   : settings_.quality == Quality::kDraft ? 0
                   : best                                 ? 12
                                                          : 3;
    s.fits_per_denoise = best ? 60 : 40;
    s.denoise_steps = best ? 12 : 8;
    s.angle_rate = 0.01, s.root_rate = 0.003, s.rate_end = 0.3;
    s.free = free_;
    // The part-colour loss is a mean over all pixels, of which a body covers a tenth: weights are smaller than AKD's.
    s.smooth_weight = settings_.smooth_weight >= 0 ? settings_.smooth_weight : 0.004;
    s.ground_weight = settings_.ground_weight >= 0 ? settings_.ground_weight : 1;
    s.boxes = rig::bone_boxes(facing_.subject);
    s.score.seed = settings_.seed;
    s.score.guidance = settings_.guidance > 0 ? settings_.guidance : prior_.info().sample_guidance;
    // From a lifted motion only the details are still open.
    s.score.t_max = 0.6, s.score.t_max_end = 0.35, s.score.anneal_iterations = s.iterations;
    s.checkpoint = settings_.checkpoint, s.checkpoint_seconds = settings_.checkpoint_seconds;
    s.progress = part_of(settings_.progress, "distilling", 0.5, 0.9);
    s.preview_every = settings_.preview_every;
    s.on_preview = settings_.on_preview, s.on_step = settings_.on_step;
    return s;
  }

  Status refine() {
    const distill::DistillSettings settings = distill_settings();
    if (settings.iterations == 0) return Done{};
    // The course is the lift's: jitter would move the ground that the sample was drawn with.
    const auto cameras = [this](const Motion& motion, Rng&) { return view_.cameras(motion); };
    std::optional<scene::PartView> bare;
    if (!settings_.draw_ground) {
      scene::PartViewSettings without = view_settings(prior_.info());
      without.draw_ground = false;
      bare.emplace(view_.scene().rig(), view_.scene().gaussians(), without);
    }
    scene::Scene& scene = bare ? bare->scene() : view_.scene();
    LIMBER_TRY(distill::DistillReport report,
               distill::distill(scene, cameras, prior_, condition_, settings, animation_.lifted));
    if (report.stop == distill::DistillStop::kCancelled) return cancelled("distillation");
    if (report.stop == distill::DistillStop::kNotFinite) {
      animation_.warnings.push_back("the distillation broke off: the prior's gradients were not finite");
    }
    animation_.distilled = std::move(report);
    animation_.smooth_weight = settings.smooth_weight, animation_.ground_weight = settings.ground_weight;
    return Done{};
  }

  /// What the prior thinks of the result, and what its pictures tell.
  Status judge() {
    const std::vector<scene::Camera> cameras = view_.cameras(animation_.lifted);
    Frames drawn, gradient;
    view_.scene().forward(animation_.lifted, cameras, drawn);
    prior::ScoreSettings score;
    score.seed = settings_.seed, score.timestep = 500, score.guidance = 1;
    LIMBER_TRY(const prior::ScoreReport report, prior_.score(drawn, condition_, score, gradient));
    const auto entries = static_cast<double>(distill::latent_entries(prior_.info(), drawn));
    animation_.prior_score = report.latent_gradient_norm * report.latent_gradient_norm / entries;
    animation_.observed = lift::observe(view_.scene(), cameras, animation_.lifted, free_);
    return Done{};
  }

  Facing facing_;
  prior::VideoPrior& prior_;
  const AnimateSettings& settings_;
  scene::PartView view_;
  std::vector<bool> free_;
  prior::Condition condition_;
  Animation animation_;
};

/// Priors of real videos: no sample of theirs shows this very body, so the motion is distilled from a body that slides
/// forward at rest (AKD).
Result<Animation> distill_from_rest(const Facing& facing, const asset::Asset* asset, prior::VideoPrior& prior,
                                    const AnimateSettings& settings) {
  Stopwatch watch;
  const prior::PriorInfo& info = prior.info();
  Animation animation;
  animation.ends = metrics::limb_ends(facing.subject);
  animation.prior_score = -1;
  splat::SampleSettings sampling;
  sampling.count = 20000, sampling.seed = settings.seed;
  scene::SceneSettings look;
  look.ground.visible = settings.draw_ground;
  scene::Scene scene(facing.subject.rig, scene::subject_gaussians(facing.subject, asset, sampling), look);
  LIMBER_TRY(const prior::Condition condition, prior.condition({settings.prompt, settings.negative}));
  animation.lifted =
      distill::forward_start(facing.subject.rig, info.native.frames, info.fps, settings.speed, {0, 0, 1});

  distill::DistillSettings s;
  const bool best = settings.quality == Quality::kBest;
  s.iterations = settings.distill_iterations >= 0 ? settings.distill_iterations : best ? 10000 : 1000;
  if (settings.quality == Quality::kDraft && settings.distill_iterations < 0) s.iterations = 200;
  s.free = lift::leading_joints(facing.subject);
  if (settings.smooth_weight >= 0) s.smooth_weight = settings.smooth_weight;
  if (settings.ground_weight >= 0) s.ground_weight = settings.ground_weight;
  s.boxes = rig::bone_boxes(facing.subject);
  s.score.seed = settings.seed, s.score.anneal_iterations = std::max(1, s.iterations / 2);
  if (settings.guidance > 0) s.score.guidance = settings.guidance;
  s.checkpoint = settings.checkpoint, s.checkpoint_seconds = settings.checkpoint_seconds;
  s.progress = part_of(settings.progress, "distilling", 0, 0.95);
  s.preview_every = settings.preview_every, s.on_preview = settings.on_preview, s.on_step = settings.on_step;
  scene::OrbitSettings orbit;
  orbit.azimuth = 1.1f, orbit.width = info.native.width, orbit.height = info.native.height;
  LIMBER_TRY(animation.distilled,
             distill::distill(scene, distill::following_cameras(scene, orbit), prior, condition, s, animation.lifted));
  if (animation.distilled->stop == distill::DistillStop::kCancelled) return cancelled("distillation");
  animation.smooth_weight = s.smooth_weight, animation.ground_weight = s.ground_weight;
  animation.seconds.distill = watch.lap();
  LIMBER_CHECK_OK(finish(facing.subject, settings, animation));
  animation.seconds.ground = watch.lap();
  turn_back(facing, animation.motion), turn_back(facing, animation.lifted);
  return animation;
}

Grounding grounding_of(const AnimateSettings& settings) {
  if (settings.grounding != Grounding::kAuto) return settings.grounding;
  return settings.quality == Quality::kDraft ? Grounding::kKinematic : Grounding::kPhysics;
}

/// Of the height a second: what hardly shows.
constexpr float kMostSkate = 0.04f;

/// The ground, and what it says: also without any change, for the metrics.
Status put_on_ground(const rig::Subject& subject, const AnimateSettings& settings, Animation& animation) {
  physics::GroundSettings ground;
  const Grounding how = grounding_of(settings);
  ground.simulate = how == Grounding::kPhysics;
  ground.reference.clip = settings.prompt;
  ground.track.progress = settings.progress;
  Result<physics::Grounded> grounded = physics::ground_motion(subject, animation.motion, ground);
  if (!grounded.ok()) {
    if (grounded.error().kind == ErrorKind::kCancelled) return grounded.error();
    animation.warnings.push_back("not put on the ground: " + grounded.error().what);
    animation.metrics = metrics::motion_metrics(subject, animation.motion, {});
    return Done{};
  }
  // Swimmers and flyers stay where they are.
  const bool stands = grounded.value().reference.habitat != physics::Habitat::kFree;
  std::vector<metrics::GroundContact> contacts;
  if (stands) {
    for (const physics::PlantedPoint& p : grounded.value().planted) contacts.push_back({p.joint, p.point, p.planted});
  }
  if (how != Grounding::kNone && (stands || settings.grounding != Grounding::kAuto)) {
    animation.motion = grounded.value().motion;
    // A simulation that slides where locked feet would not has gone wrong.
    const float skate = metrics::motion_metrics(subject, grounded.value().motion, contacts).skate;
    const float locked = metrics::motion_metrics(subject, grounded.value().target, contacts).skate;
    if (ground.simulate && settings.grounding == Grounding::kAuto && skate > std::max(kMostSkate, 1.5f * locked)) {
      animation.motion = grounded.value().target;
      animation.warnings.push_back(fmt::format(
          "simulated, the feet would slide by {:.0f} % of the height a second, so they were locked instead ({:.0f} %)",
          100 * skate, 100 * locked));
    }
  }
  animation.metrics = metrics::motion_metrics(subject, animation.motion, contacts);
  animation.grounded = std::move(grounded.value());
  return Done{};
}

}  // namespace

std::string_view name(Quality quality) {
  switch (quality) {
    case Quality::kDraft:
      return "draft";
    case Quality::kStandard:
      return "standard";
    case Quality::kBest:
      return "best";
  }
  return "";
}

bool draws_parts(const prior::PriorInfo& info) { return info.uses_rest && info.views >= 2; }

Status finish(const rig::Subject& subject, const AnimateSettings& settings, Animation& animation) {
  const metrics::Gait gait = metrics::find_gait(subject.rig, animation.lifted, animation.ends);
  animation.motion = kinematics::resampled(animation.lifted, settings.fps);
  if (settings.loop) {
    const double period = gait.frequency > 0 && gait.explained > 0.5 ? 1 / gait.frequency : 0;
    std::optional<kinematics::LoopCut> cut = kinematics::cut_loop(animation.motion, period);
    if (cut) {
      animation.motion = std::move(cut->motion);
      if (cut->gap > 0.5) {
        animation.warnings.push_back(
            fmt::format("the loop does not close by itself: {:.0f} degrees were spread over it", cut->gap * 180 / kPi));
      }
    } else {
      animation.warnings.push_back("the motion has no part that could be looped");
    }
  }
  LIMBER_CHECK_OK(put_on_ground(subject, settings, animation));
  animation.gait = metrics::find_gait(subject.rig, animation.motion, animation.ends);
  if (settings.in_place) kinematics::remove_travel(animation.motion);
  return Done{};
}

Result<Motion> finish_candidate(const rig::Subject& subject, const AnimateSettings& settings,
                                const Animation& animation, std::size_t candidate) {
  LIMBER_EXPECT(candidate < animation.candidates.size(), std::to_string(candidate));
  LIMBER_TRY(const Facing facing, face_forward(subject, settings.forward));
  AnimateSettings plain = settings;
  plain.progress = {};
  if (plain.grounding != Grounding::kNone) plain.grounding = Grounding::kKinematic;
  Animation other;
  other.ends = animation.ends;
  other.lifted = animation.candidates[candidate].lifted.motion;
  LIMBER_CHECK_OK(finish(facing.subject, plain, other));
  turn_back(facing, other.motion);
  return std::move(other.motion);
}

Result<Animation> animate(const rig::Subject& subject, const asset::Asset* asset, prior::VideoPrior& prior,
                          const AnimateSettings& settings) {
  LIMBER_TRY(Facing facing, face_forward(subject, settings.forward));
  if (!draws_parts(prior.info())) return distill_from_rest(facing, asset, prior, settings);
  return PartLadder(std::move(facing), prior, settings).climb();
}

}  // namespace limber::animate
