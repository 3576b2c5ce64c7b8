// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "limber/animate/animation.h"
#include "limber/motion_space/motion_judge.h"

/// What the judge that may choose thinks of motions of one body. Private to `animate`.
namespace limber::animate {

class MotionDoubt {
 public:
  /// `subject` stands upright and faces +Z; `judge` must live as long.
  MotionDoubt(const motion_space::MotionJudge& judge, const rig::Subject& subject);

  /// How much a motion is held for something else than these actions, 0 to 1; nothing where the judge knows none of
  /// them, or there is no motion to speak of.
  std::optional<double> of(const kinematics::Motion& motion, std::span<const std::string> actions) const;

  /// The mean over what a whole motion should do one after the other.
  std::optional<double> of(const kinematics::Motion& motion, std::span<const Segment> segments) const;

 private:
  const motion_space::MotionJudge& judge_;
  motion_space::MotionBody body_;
};

}  // namespace limber::animate
