// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/animate/context.h"
#include "limber/animate/finish.h"
#include "limber/animate/joint_prior.h"

/// What a way to a motion gives, and how it becomes a result. Private to `animate`.
namespace limber::animate {

/// What a way to a motion gives: written by it alone, and only read from then on.
struct Made {
  Method method = Method::kSample;
  kinematics::Motion motion;      ///< of the upright body, at the prior's or the video's rate, before the ground
  std::vector<Segment> segments;  ///< what was asked, and when; not yet measured
  std::vector<Candidate> candidates;
  std::vector<int> seams;
  int resumed_candidates = 0;
  std::optional<Distilled> distilled;
  std::vector<metrics::LimbEnd> ends;
  lift::Observability observed;
  bool pose_prior = false, motion_prior = false;
  std::optional<double> prior_score;
  std::optional<TakenClip> taken;  ///< of Method::kLibrary
  StageSeconds seconds;            ///< but for the ground
  std::vector<Warning> warnings;
  std::vector<Key> keys;   ///< that the result passes through
  ToldGround told;         ///< what is known of its feet and its way
  bool own_way = true;     ///< nothing in the prompt keeps it in place
  bool continues = false;  ///< it goes on where a clip ended
};

/// Says which network had a say.
void note_joint_prior(const std::optional<JointPrior>& prior, Made& made);

/// Puts what was made on the ground, from `begun` of the work on, and makes one result of both: the only place where
/// that is done. Fails only if it was cancelled.
Result<Animation> complete(const FinishPlan& plan, const Context& context, double begun, Made made);

}  // namespace limber::animate
