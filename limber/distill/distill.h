// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/distill/camera_rule.h"
#include "limber/kinematics/motion.h"
#include "limber/kinematics/motion_adam.h"
#include "limber/kinematics/motion_energy.h"
#include "limber/prior/video_prior.h"
#include "limber/rig/bone_boxes.h"
#include "limber/scene/scene.h"

/// \file
/// Score distillation (AKD sections 4.3, 4.4, appendix D): a motion is changed until a video prior likes what it sees.
///
///     kinematics::Motion motion = distill::forward_start(scene.rig(), 49, 8, 0.5, {0, 0, 1});
///     distill::DistillSettings settings;
///     settings.boxes = rig::bone_boxes(subject);
///     auto cameras = distill::following_cameras(scene, orbit);
///     LIMBER_TRY(auto report, distill::distill(scene, cameras, *prior, condition, settings, motion));

namespace limber::distill {

/// How the prior is asked.
enum class DistillMode {
  kScore,    ///< AKD's: one score, one step
  kDenoise,  ///< one video that the prior would rather see, then several steps towards it: fewer calls of the prior
};

/// What an iteration did. Losses are means per element and without their weights.
struct DistillStep {
  int iteration = 0;
  double sds = 0;  ///< half the mean square of z - z_hat over latent entries: a surrogate, noisy by nature
  double smooth = 0, ground = 0, limits = 0, extra = 0;  ///< `extra`: with its weights
  double total = 0;                                      ///< with weights
  double fitted = 0;           ///< kDenoise: what is left of `sds` after the steps towards the target
  double sds_gradient = 0;     ///< Euclidean norm on the motion's unknowns ...
  double energy_gradient = 0;  ///< ... and of all energies together, with weights
  double latent_gradient = 0;  ///< |z - z_hat|
  int timestep = 0;            ///< of the first draw
  std::int64_t not_finite = 0;
  bool skipped = false;  ///< the gradient was not finite, so the motion stayed
  double draw_seconds = 0, prior_seconds = 0;
};

/// What the prior was shown at an iteration.
struct DistillPreview {
  int iteration = 0;
  const kinematics::Motion& motion;
  const Frames& frames;
};

/// The defaults are AKD's where the paper states them. Weights are per element: they suit any resolution, clip length
/// and number of joints.
struct DistillSettings {
  DistillMode mode = DistillMode::kScore;
  int iterations = 10000;
  double angle_rate = 0.005;  ///< Adam's, radians
  double root_rate = 0.002;   ///< heights; 0: the path of the root stays as it is
  double rate_end = 1;        ///< share of both rates at the last iteration, linear in between
  kinematics::AdamSettings adam;
  std::vector<bool> free;  ///< joints that may turn, the root's turns included; empty: all

  double smooth_weight = 0.178;     ///< lambda_1, 2e5 over 13 x 16 x 60 x 90 latent entries
  double smooth_corner = 1e-3;      ///< radians, heights: see SmoothnessEnergy; 0 is AKD's
  double ground_weight = 8.9;       ///< lambda_2, 1e7 over as many
  double limit_weight = 1;          ///< on squared radians beyond joint limits; AKD has none
  std::vector<rig::BoneBox> boxes;  ///< what must stay above the ground: `rig::bone_boxes`; empty: no ground term
  std::vector<kinematics::WeightedEnergy> extra;

  /// Its seed is the run's: noise, t and cameras are functions of it and of the iteration. `iteration` is filled in.
  prior::ScoreSettings score;
  int fits_per_denoise = 20;  ///< kDenoise: steps towards one target
  /// kDenoise: 1 asks once, with `score.draws`. More walk down from the highest t of the range, each answer the next
  /// question, as samplers do (SDEdit): exact for priors that see pixels, an approximation for those with an encoder.
  int denoise_steps = 1;

  /// Where the run is kept. A file that is there is resumed from, bit for bit, if it is of the same run; one of another
  /// is an error of kind `kConflict`. Empty: nothing is kept.
  std::filesystem::path checkpoint;
  bool resume = true;              ///< false: starts anew, and overwrites
  double checkpoint_seconds = 60;  ///< between writings; also written at the end, when cancelled and on errors
  int max_skipped = 20;            ///< iterations in a row without a finite gradient that end the run

  Progress progress;  ///< false: stops with kCancelled, the motion as far as it got
  std::function<void(const DistillStep&)> on_step;
  std::optional<int> preview_every;  ///< iterations between calls of `on_preview`, >= 1; unset: never
  std::function<void(const DistillPreview&)> on_preview;
};

enum class DistillStop {
  kDone,
  kCancelled,
  kNotFinite,  ///< the prior's gradients were not finite `max_skipped` times in a row
};

struct DistillReport {
  int iterations = 0;               ///< done, those before it was resumed included
  std::optional<int> resumed_from;  ///< iteration of the checkpoint that was resumed from
  int skipped = 0;                  ///< iterations without a finite gradient
  DistillStop stop = DistillStop::kDone;
  double seconds = 0;                ///< of this call
  std::vector<DistillStep> history;  ///< of all iterations
};

/// Changes `motion`, which holds the start, frame by frame: root and three angles a joint. The prior says how many
/// views it wants (`PriorInfo::views`); a multiple of them is scored in groups, whose mean counts. Same start, settings
/// and seed: same bits, for any number of threads, and however often the run was interrupted.
Result<DistillReport> distill(scene::Scene& scene, const CameraRule& cameras, prior::VideoPrior& prior,
                              const prior::Condition& condition, const DistillSettings& settings,
                              kinematics::Motion& motion);

/// A body at rest that goes along `forward` at `speed` heights a second from the origin on: AKD's T_i = v i.
kinematics::Motion forward_start(const rig::Rig& rig, int frames, double fps, double speed, Vec3 forward);

/// Numbers that a prior's loss is summed over for such a video.
std::int64_t latent_entries(const prior::PriorInfo& info, const Frames& frames);

}  // namespace limber::distill
