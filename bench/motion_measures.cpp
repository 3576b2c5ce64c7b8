// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/motion_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/metrics/arm_angle.h"

namespace limber::bench {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kHardly = 1e-4;  // heights: a body whose limbs move less has no rhythm
constexpr double kLongest = 4;    // seconds of a clip that others are compared with

/// Times the artist's, as far as it counts; unknown where the artist has none of it.
double factor(double ours, double theirs) {
  if (!(theirs > 1e-9)) return kUnknown;
  return std::clamp(ours / theirs, 1 / kMostFactor, kMostFactor);
}

double frequency_of(const Described& motion) { return motion.gait.movement > kHardly ? motion.gait.frequency : 0; }

/// As it is, but not for ever.
metrics::Turns turns_of_clip(const kinematics::Motion& clip) {
  metrics::Turns turns = metrics::turns_of(clip);
  const auto most =
      static_cast<std::size_t>(kLongest * metrics::WindowSettings{}.fps) * static_cast<std::size_t>(turns.joints);
  if (turns.rotations.size() > most) turns.rotations.resize(most);
  return turns;
}

double ratio(std::optional<double> gap, std::optional<double> of) {
  return gap && of && *of > 1e-9 ? *gap / *of : kUnknown;
}

void compare_feet(const Described& ours, const Described& theirs, Measured& result) {
  if (ours.falls && theirs.falls) {
    result[kDuty] = std::abs(ours.falls->duty - theirs.falls->duty);
    result[kStride] = factor(metrics::stride_length(*ours.falls, frequency_of(ours)),
                             metrics::stride_length(*theirs.falls, frequency_of(theirs)));
    result[kSkate] = ours.falls->skate;
  }
  if (ours.near_ground) result[kNearSkate] = ours.near_ground->skate, result[kNearSlide] = ours.near_ground->slide;
}

}  // namespace

GaitReference::GaitReference(const ArtistBody& body, const AskedGait& gait, const motion_space::MotionJudge* judge)
    : body_(body), gait_(gait), judge_(judge), feet_(metrics::find_feet(body.told)) {
  if (judge != nullptr) judged_ = motion_space::make_motion_body(body.upright.subject);
  for (const Take& take : gait.takes) takes_.push_back(describe(compared(take.motion)));
  for (const ShownAction& other : body.shown) {
    if (other.action != gait.action) others_.push_back(turns_of_clip(other.take.motion));
  }
  const auto frames = static_cast<int>(std::lround(kComparedSeconds * kComparedRate));
  still_ = metrics::turns_of(kinematics::rest_motion(body.told.rig, frames, kComparedRate));
}

Described GaitReference::describe(const kinematics::Motion& motion) const {
  const rig::Rig& rig = body_.told.rig;
  Described result;
  result.gait = metrics::find_gait(rig, motion, body_.ends);
  result.turns = metrics::turns_of(motion);
  result.pace = metrics::motion_pace(rig, motion);
  const bool walks = gait_.action != "fly" && gait_.action != "swim" && gait_.action != "slither";
  if (walks) result.falls = metrics::find_footfalls(rig, feet_, motion);
  if (result.falls) result.near_ground = metrics::near_ground_steps(rig, motion, result.falls->ground);
  if (gait_.action == "walk") result.arms = metrics::arm_angle(rig, motion);
  result.doubted = doubt(motion);
  return result;
}

std::optional<double> GaitReference::doubt(const kinematics::Motion& motion) const {
  if (!judged_) return std::nullopt;
  const std::vector<std::string>& actions = judge_->actions();
  const auto asked = std::find(actions.begin(), actions.end(), gait_.action);
  if (asked == actions.end()) return std::nullopt;
  // Of many artists' clips nobody knows how far they get: no way is shown of any.
  const std::vector<float> likely = judge_->look(*judged_, motion, false);
  return 1 - double(likely[static_cast<std::size_t>(asked - actions.begin())]);
}

Measured GaitReference::measure(const Described& motion, std::size_t take) const {
  const Described& theirs = takes_[take];
  Measured result;
  result.fill(kUnknown);
  result[kPhase] = metrics::phase_error(motion.gait, theirs.gait);
  result[kFrequency] = factor(frequency_of(motion), frequency_of(theirs));
  compare_feet(motion, theirs, result);
  const std::vector<int> moving = metrics::moving_joints(theirs.turns);
  if (!moving.empty()) {
    const metrics::Turns truth = metrics::only(theirs.turns, moving), ours = metrics::only(motion.turns, moving),
                         still = metrics::only(still_, moving);
    result[kWindows] = ratio(metrics::window_gap(ours, truth), metrics::window_gap(still, truth));
    const metrics::Turns mean_truth = metrics::about_mean(truth);
    result[kAboutMean] = ratio(metrics::window_gap(metrics::about_mean(ours), mean_truth),
                               metrics::window_gap(metrics::about_mean(still), mean_truth));
  }
  result[kMistaken] = taken_for_another(motion, take);
  result[kDoubted] = motion.doubted.value_or(kUnknown);
  result[kJitter] = factor(motion.pace.jitter, theirs.pace.jitter);
  result[kActivity] = factor(motion.pace.activity, theirs.pace.activity);
  result[kPeakSpeed] = factor(motion.pace.peak_speed, theirs.pace.peak_speed);
  if (motion.arms && theirs.arms) result[kArms] = std::abs(*motion.arms - *theirs.arms) * 180 / kPi;
  return result;
}

double GaitReference::taken_for_another(const Described& motion, std::size_t take) const {
  if (others_.empty()) return kUnknown;
  std::vector<metrics::Turns> clips = others_;
  clips.push_back(takes_[take].turns);
  const std::optional<std::size_t> nearest = metrics::most_alike(motion.turns, clips);
  if (!nearest) return kUnknown;
  return *nearest + 1 == clips.size() ? 0 : 1;
}

double GaitReference::chance() const {
  const auto others = static_cast<double>(others_.size());
  return others_.empty() ? kUnknown : others / (others + 1);
}

}  // namespace limber::bench
