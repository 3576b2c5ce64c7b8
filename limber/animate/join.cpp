// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/join.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/playing.h"

namespace limber::animate {
namespace {

using kinematics::Motion;

/// 0 to 1 with neither speed nor acceleration at the ends.
float eased(float x) { return x * x * x * (x * (6 * x - 15) + 10); }

/// Frame `f` of `motion` becomes `share` of frame `g` of `other`, `other` moved by `way`.
void fade(Motion& motion, int f, const Motion& other, int g, float share, Vec3 way = {}) {
  Vec3& root = motion.root_translations[at(f)];
  root = lerp(root, other.root_translations[at(g)] + way, share);
  const auto from = other.frame_angles(g);
  const auto to = motion.frame_angles(f);
  for (std::size_t j = 0; j < to.size(); ++j) to[j] = lerp(to[j], from[j], share);
}

/// How far a motion's frame is from where it should be.
struct Gap {
  int frame = 0;
  Vec3 root;
  std::vector<Vec3> angles;
};

/// The same pose may be told by another whole turn.
Vec3 within_half_turns(Vec3 difference) {
  for (int k = 0; k < 3; ++k)
    difference[k] -= static_cast<float>(2 * kPi * std::round(double(difference[k]) / (2 * kPi)));
  return difference;
}

Gap gap_at(const Motion& motion, int frame, const kinematics::Pose& pose) {
  Gap gap{frame, pose.root_translation - motion.root_translations[at(frame)], {}};
  for (std::size_t j = 0; j < pose.angles.size(); ++j) {
    gap.angles.push_back(within_half_turns(pose.angles[j] - motion.frame_angles(frame)[j]));
  }
  return gap;
}

/// From the frame that would come after the last one to the first.
Gap next_gap(const Motion& motion) {
  const int last = motion.frame_count() - 1;
  LIMBER_EXPECT(last >= 1, std::to_string(last));
  const auto next = [](Vec3 before, Vec3 now) { return now + (now - before); };
  kinematics::Pose first{motion.root_translations.front(), {}};
  Gap gap{
      0, first.root_translation - next(motion.root_translations[at(last - 1)], motion.root_translations[at(last)]), {}};
  for (std::size_t j = 0; j < at(motion.joint_count); ++j) {
    const Vec3 led = next(motion.frame_angles(last - 1)[j], motion.frame_angles(last)[j]);
    gap.angles.push_back(within_half_turns(motion.frame_angles(0)[j] - led));
  }
  return gap;
}

std::vector<Gap> gaps_of(const Motion& motion, std::span<const Key> keys) {
  std::vector<Gap> gaps;
  for (const Key& key : keys) {
    LIMBER_EXPECT(at(motion.joint_count) == key.pose.angles.size(), std::to_string(key.pose.angles.size()));
    const long frame = std::lround(key.seconds * motion.fps);
    if (frame < 0 || frame >= motion.frame_count()) continue;
    if (!gaps.empty() && gaps.back().frame == frame) gaps.pop_back();
    gaps.push_back(gap_at(motion, static_cast<int>(frame), key.pose));
  }
  return gaps;
}

/// Adds a share of what is missing.
void close_gap(Motion& motion, int frame, const Gap& gap, float share) {
  motion.root_translations[at(frame)] += share * gap.root;
  for (std::size_t j = 0; j < gap.angles.size(); ++j) motion.frame_angles(frame)[j] += share * gap.angles[j];
}

}  // namespace

void append_motion(Motion& motion, const Motion& next, int overlap, int end) {
  const int first = motion.frame_count() - overlap;
  LIMBER_EXPECT(overlap >= 0 && first >= 0 && end > overlap && end <= next.frame_count() &&
                    motion.joint_count == next.joint_count,
                std::to_string(overlap) + " of " + std::to_string(end) + " frames");
  for (int i = 0; i < overlap; ++i) {
    fade(motion, first + i, next, i, eased(static_cast<float>(i + 1) / static_cast<float>(overlap + 1)));
  }
  for (int i = overlap; i < end; ++i) {
    motion.root_translations.push_back(next.root_translations[at(i)]);
    const auto angles = next.frame_angles(i);
    motion.angles.insert(motion.angles.end(), angles.begin(), angles.end());
  }
}

double round_gap(const Motion& motion) {
  double most = 0;
  for (const Vec3& angle : next_gap(motion).angles) most = std::max(most, double(norm(angle)));
  return most;
}

void close_round(Motion& motion, int reach) {
  const Gap gap = next_gap(motion);
  const int period = motion.frame_count(), shown = std::min(reach, period);
  // The beginning again, where the last frame leads, and its steps from there.
  for (int f = 0; f < shown; ++f) {
    motion.root_translations.push_back(motion.root_translations[at(f)] - gap.root);
    const Motion& known = motion;
    for (std::size_t j = 0; j < gap.angles.size(); ++j)
      motion.angles.push_back(Vec3(known.angles[at(f) * gap.angles.size() + j]) - gap.angles[j]);
  }
  join_ends(motion, period);
}

void join_ends(Motion& motion, int period) {
  const int extra = motion.frame_count() - period;
  LIMBER_EXPECT(period >= 1 && extra >= 1, std::to_string(period) + " of " + std::to_string(motion.frame_count()));
  const int shown = std::min(extra, period);
  const Motion whole = motion;
  // The travel over the ground goes on from lap to lap; height and turn close.
  Vec3 lap = whole.root_translations[at(period)] - whole.root_translations.front();
  lap.y = 0;
  for (int i = 0; i < shown; ++i) {
    fade(motion, i, whole, period + i, 1 - eased(static_cast<float>(i) / static_cast<float>(shown)), -lap);
  }
  kinematics::cut_motion(motion, period);
  motion.loops = true;
}

void meet_keys(Motion& motion, std::span<const Key> keys, double reach) {
  const std::vector<Gap> gaps = gaps_of(motion, keys);
  if (gaps.empty()) return;
  const int ends = std::max(1, static_cast<int>(std::lround(reach * motion.fps)));
  for (std::size_t k = 0; k < gaps.size(); ++k) {
    const int here = gaps[k].frame;
    const int from = k > 0 ? gaps[k - 1].frame : here - ends;
    const int to = k + 1 < gaps.size() ? gaps[k + 1].frame : here + ends;
    for (int f = std::max(from + 1, 0); f < std::min(to, motion.frame_count()); ++f) {
      const int span = f < here ? here - from : to - here;
      close_gap(motion, f, gaps[k], eased(1 - static_cast<float>(std::abs(f - here)) / static_cast<float>(span)));
    }
  }
}

double key_error(const Motion& motion, std::span<const Key> keys) {
  double most = 0;
  for (const Gap& gap : gaps_of(motion, keys)) {
    for (const Vec3& difference : gap.angles) most = std::max(most, double(norm(difference)));
  }
  return most;
}

HoldEnergy::HoldEnergy(Motion poses, std::vector<float> holds) : poses_(std::move(poses)), holds_(std::move(holds)) {
  LIMBER_EXPECT(at(poses_.frame_count()) == holds_.size(), std::to_string(holds_.size()) + " frames");
  const auto count = std::count_if(holds_.begin(), holds_.end(), [](float hold) { return hold > 0; });
  if (count > 0) share_ = 1 / (static_cast<double>(count) * std::max(poses_.joint_count, 1));
}

double HoldEnergy::add(const Motion& motion, double scale, kinematics::MotionGradient& gradient) const {
  LIMBER_EXPECT(motion.angles.size() == poses_.angles.size(), std::to_string(motion.angles.size()));
  kinematics::size_gradient(motion, gradient);
  double sum = 0;
  const auto pull = [&](Vec3 difference, double weight, Vec3& slope) {
    sum += weight * double(squared_norm(difference));
    slope += static_cast<float>(2 * scale * weight * share_) * difference;
  };
  const auto joints = at(motion.joint_count);
  for (std::size_t f = 0; f < holds_.size(); ++f) {
    const auto hold = static_cast<double>(holds_[f]);
    if (hold == 0) continue;
    pull(motion.root_translations[f] - poses_.root_translations[f], hold * kRootPull, gradient.root_translations[f]);
    for (std::size_t i = f * joints; i < (f + 1) * joints; ++i) {
      pull(motion.angles[i] - poses_.angles[i], hold, gradient.angles[i]);
    }
  }
  return share_ * sum;
}

std::optional<kinematics::EnergyForm> HoldEnergy::form() const {
  kinematics::EnergyForm form;
  form.kind = kinematics::EnergyForm::Kind::kPull;
  form.roots = poses_.root_translations, form.angles = poses_.angles;
  for (const float hold : holds_) {
    form.root_weights.push_back(share_ * kRootPull * double(hold));
    form.angle_weights.insert(form.angle_weights.end(), at(poses_.joint_count), share_ * double(hold));
  }
  return form;
}

}  // namespace limber::animate
