// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "limber/animate/answers.h"
#include "limber/animate/prompt_segments.h"
#include "limber/animate/request.h"
#include "limber/animate/sample_lift.h"
#include "limber/base/frames.h"
#include "limber/base/warning.h"
#include "limber/distill/distill.h"
#include "limber/kinematics/motion.h"
#include "limber/lift/observability.h"
#include "limber/metrics/gait.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/metrics/skin_stretch.h"
#include "limber/metrics/travel.h"
#include "limber/physics/ground.h"

/// A motion, and how it came about.
namespace limber::animate {

/// One sample and what was made of it, in the prior's world: the body faces +Z.
struct Candidate {
  std::uint64_t seed = 0;
  Frames video;
  LiftedSample lifted;
  metrics::Gait gait;
  double score = 0;  ///< smaller is better: residual and unsteadiness
  bool fits = true;  ///< its residual is within bounds
};

/// What a prior makes of a motion's pictures: mean squared error of what it sees in them under noise, when it is told
/// the prompt, and when it is told something else.
struct Told {
  double asked = 0;        ///< with the prompt
  double other = 0;        ///< with the prompt of the other action that fits best
  std::string looks_like;  ///< that action
};

/// One thing that was to be done, and what came of it.
struct Segment {
  PromptSegment asked;
  double from = 0, to = 0;   ///< seconds of the motion
  double movement = 0;       ///< root mean square distance of the limbs' ends from their mean places there
  std::optional<Told> told;  ///< none where it cannot be told
  /// How far it gets there, and how high its legs keep; after something else, once it is under way.
  metrics::Travel travel;
};

/// A clip of somebody's own that a motion was taken from.
struct TakenClip {
  std::filesystem::path file;
  std::string clip;   ///< its name
  std::string limbs;  ///< how the limbs lead one another: "5 of 9 limbs: 4 the same ..."
};

struct StageSeconds {
  double sample = 0, lift = 0, distill = 0, ground = 0;
};

/// A distillation, and the weights that it used.
struct Distilled {
  distill::DistillReport report;
  double smooth_weight = 0, ground_weight = 0;
};

struct Animation {
  Method method = Method::kSample;  ///< never `kAuto`
  kinematics::Motion motion;        ///< at the rate that was asked for
  kinematics::Motion lifted;        ///< and distilled, before the ground, at the prior's or the video's rate
  std::vector<Segment> segments;    ///< in order; none of a video
  /// The chosen one first; of a motion of several chunks the chosen ones, in order. None where nothing was sampled.
  std::vector<Candidate> candidates;
  std::vector<int> seams;      ///< frames of `lifted` with which chunks begin, all but the first
  int resumed_candidates = 0;  ///< of them: kept by a run that was stopped, and not drawn again
  std::optional<Distilled> distilled;
  std::optional<physics::Grounded> grounded;
  bool own_way = true;  ///< where it goes follows from the prompt: neither kept in place nor led by keyframes
  metrics::Gait gait;   ///< of `motion`, before `in_place`, as of a body that faces +Z
  metrics::MotionMetrics metrics;     ///< of `motion`, before `in_place`, too
  metrics::SkinStretch skin;          ///< of `motion`
  std::optional<double> own_stretch;  ///< of the clips that the asset came with, where it has any
  std::vector<metrics::LimbEnd> ends;
  std::optional<double> key_error;  ///< largest angle by which a joint misses a keyframe, where there are any
  lift::Observability observed;     ///< of `lifted`: what the pictures tell of every joint; empty: nothing was seen
  /// What the network on joints drew before and did not keep, and why, in words: of Method::kNative and what took its
  /// place.
  std::vector<std::string> rejected;
  /// How much the judge of motions holds the result for something else than was asked, 0 to 1, and what other ways came
  /// to that were gone beside this one and not chosen.
  std::optional<double> doubt;
  struct Beside {
    Method method;
    double doubt;
  };
  std::vector<Beside> beside;
  std::optional<TakenClip> taken;                 ///< of Method::kLibrary
  bool pose_prior = false, motion_prior = false;  ///< which network had a say where pictures leave something open
  Device drawn_on = Device::kCpu;                 ///< what the scenes were drawn on
  StageSeconds seconds;
  std::optional<double> prior_score;  ///< mean squared difference of the result's pictures to what the prior makes of
                                      ///< them at half noise, where there is such a prior
  std::vector<Answer> answers;        ///< of `motion`; filled in where the asset is known, too (`animate_asset`)
  std::vector<Warning> warnings;
};

}  // namespace limber::animate
