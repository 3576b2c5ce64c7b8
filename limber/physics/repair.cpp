// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/repair.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/math.h"

namespace limber::physics {
namespace {

using kinematics::Motion;

constexpr double kFastest = 12;      ///< heights a second, for the root
constexpr double kFastestTurn = 50;  ///< radians a second, for a joint
constexpr double kSudden = 6;        ///< times the usual step
constexpr int kLongestSpike = 3;     ///< frames

/// Writes frame `f` as the blend of two others.
void blend_frame(Motion& motion, int f, int before, int after) {
  const float share = after == before ? 0 : static_cast<float>(f - before) / static_cast<float>(after - before);
  motion.root_translations[at(f)] =
      lerp(motion.root_translations[at(before)], motion.root_translations[at(after)], share);
  for (std::size_t j = 0; j < at(motion.joint_count); ++j) {
    const Vec3d a = motion.frame_angles(before)[j].cast<double>(), b = motion.frame_angles(after)[j].cast<double>();
    const Quatd turn = slerp(to_quat(kinematics::euler_matrix(a)), to_quat(kinematics::euler_matrix(b)), double(share));
    motion.frame_angles(f)[j] = kinematics::euler_angles(to_matrix(turn), a).cast<float>();
  }
}

/// Fills the frames that are marked bad from the good ones around them.
void fill_frames(Motion& motion, const std::vector<bool>& bad) {
  const int frames = motion.frame_count();
  for (int f = 0; f < frames; ++f) {
    if (!bad[at(f)]) continue;
    int before = f, after = f;
    while (before >= 0 && bad[at(before)]) --before;
    while (after < frames && bad[at(after)]) ++after;
    if (before < 0 && after >= frames) {
      motion.root_translations[at(f)] = {};
      std::fill(motion.frame_angles(f).begin(), motion.frame_angles(f).end(), Vec3{});
    } else {
      blend_frame(motion, f, before < 0 ? after : before, after >= frames ? before : after);
    }
  }
}

double middle_value(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// What is too fast and too sudden in steps from frame to frame.
struct Steps {
  std::vector<double> root, turn;  ///< from frame f - 1 to f; [0] is zero
  double root_limit = 0, turn_limit = 0;
};

double root_step(const Motion& motion, int a, int b) {
  return norm(motion.root_translations[at(a)].cast<double>() - motion.root_translations[at(b)].cast<double>());
}
double turn_step(const Motion& motion, int a, int b) {
  double largest = 0;
  for (std::size_t j = 0; j < at(motion.joint_count); ++j) {
    const Mat3d x = kinematics::euler_matrix(motion.frame_angles(a)[j].cast<double>());
    const Mat3d y = kinematics::euler_matrix(motion.frame_angles(b)[j].cast<double>());
    largest = std::max(largest, angle_between(to_quat(x), to_quat(y)));
  }
  return largest;
}

Steps measure_steps(const Motion& motion) {
  Steps steps;
  for (int f = 0; f < motion.frame_count(); ++f) {
    steps.root.push_back(f == 0 ? 0 : root_step(motion, f - 1, f));
    steps.turn.push_back(f == 0 ? 0 : turn_step(motion, f - 1, f));
  }
  steps.root_limit = std::max(kFastest / motion.fps, kSudden * middle_value(steps.root));
  // A joint cannot be seen to turn by more than half a turn.
  steps.turn_limit = std::min(std::max(kFastestTurn / motion.fps, kSudden * middle_value(steps.turn)), 2.6);
  return steps;
}

/// Frames that leave and come back; longer excursions of the root are jumps and stay.
std::vector<bool> find_spikes(const Motion& motion, const Steps& steps) {
  const int frames = motion.frame_count();
  std::vector<bool> bad(at(frames), false);
  for (int f = 1; f < frames; ++f) {
    if (bad[at(f)] || (steps.root[at(f)] <= steps.root_limit && steps.turn[at(f)] <= steps.turn_limit)) continue;
    for (int back = f + 1; back <= std::min(f + kLongestSpike, frames - 1); ++back) {
      const double gap = back - f + 1;
      if (root_step(motion, f - 1, back) <= gap * steps.root_limit / 2 &&
          turn_step(motion, f - 1, back) <= std::min(gap * steps.turn_limit / 2, 2.6)) {
        std::fill(bad.begin() + f, bad.begin() + back, true);
        break;
      }
    }
  }
  // A first or last frame that is apart from all the others.
  if (frames >= 3 && steps.root[1] > steps.root_limit && steps.root[2] <= steps.root_limit) bad[0] = true;
  if (frames >= 3 && steps.root[at(frames - 1)] > steps.root_limit && steps.root[at(frames - 2)] <= steps.root_limit) {
    bad[at(frames - 1)] = true;
  }
  return bad;
}

int remove_jumps(Motion& motion, std::vector<int>& where) {
  const Steps steps = measure_steps(motion);
  int jumps = 0;
  Vec3 shift;
  std::vector<Vec3> moved = motion.root_translations;
  for (int f = 1; f < motion.frame_count(); ++f) {
    if (steps.root[at(f)] > steps.root_limit) {
      // Goes on as it went before.
      const Vec3 usual = f >= 2 && steps.root[at(f - 1)] <= steps.root_limit
                             ? motion.root_translations[at(f - 1)] - motion.root_translations[at(f - 2)]
                             : Vec3{};
      shift += motion.root_translations[at(f - 1)] + usual - motion.root_translations[at(f)];
      ++jumps;
      where.push_back(f);
    }
    moved[at(f)] = motion.root_translations[at(f)] + shift;
  }
  motion.root_translations = std::move(moved);
  return jumps;
}

}  // namespace

Repaired repair_motion(Motion motion) {
  Repaired result;
  RepairReport& report = result.report;
  const int frames = motion.frame_count();
  std::vector<bool> bad(at(frames), false);
  for (int f = 0; f < frames; ++f) {
    // Numbers so large that sums overflow are no better than infinities.
    const auto good = [](const Vec3& v) { return is_finite(v) && norm(v) < 1e6f; };
    const std::span<const Vec3> angles = std::as_const(motion).frame_angles(f);
    bad[at(f)] = !good(motion.root_translations[at(f)]) || !std::all_of(angles.begin(), angles.end(), good);
    if (bad[at(f)]) ++report.not_finite, report.frames.push_back(f);
  }
  fill_frames(motion, bad);
  for (kinematics::JointOverride& o : motion.overrides) {
    for (std::vector<Vec3>* values : {&o.translations, &o.scales}) {
      Vec3 last = values == &o.scales ? Vec3{1, 1, 1} : Vec3{};
      for (Vec3& v : *values) {
        if (is_finite(v)) last = v;
        v = last;
      }
    }
  }
  if (frames >= 3) {
    const std::vector<bool> spikes = find_spikes(motion, measure_steps(motion));
    fill_frames(motion, spikes);
    for (int f = 0; f < frames; ++f) {
      if (spikes[at(f)]) ++report.spikes, report.frames.push_back(f);
    }
    report.jumps = remove_jumps(motion, report.frames);
  }
  std::sort(report.frames.begin(), report.frames.end());
  result.motion = std::move(motion);
  return result;
}

}  // namespace limber::physics
