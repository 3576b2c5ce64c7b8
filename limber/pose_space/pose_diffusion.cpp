// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_diffusion.h"

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::pose_space {
namespace {

constexpr int kRepeats = 4;           // of the fixed-point iteration
constexpr double kJudgedTime = 0.02;  // judging was learned with a little noise
constexpr double kStraight = 1e-3;    // radians

double clear(double time) { return std::cos(time * kPi / 2); }
double noise_share(double time) { return std::sin(time * kPi / 2); }

/// p a + q b
PoseState mixed(double p, std::span<const double> a, double q, std::span<const double> b) {
  PoseState sum(a.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = p * a[i] + q * b[i];
  return sum;
}

/// How many steps lead from `time` to 0.
int steps_from(double time, int steps) { return std::max(1, static_cast<int>(std::ceil(time * steps - 1e-9))); }

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

void check_time(double time, int steps) {
  LIMBER_EXPECT(time > 0 && time <= 1 && steps > 0, std::to_string(time) + ", " + std::to_string(steps) + " steps");
}

}  // namespace

double time_of_noise(double size) { return std::atan(size) * 2 / kPi; }

PoseState slerp(std::span<const double> a, std::span<const double> b, double u) {
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  const double angle = std::acos(std::clamp(ab / std::sqrt(std::max(aa * bb, 1e-300)), -1.0, 1.0));
  if (angle < kStraight || kPi - angle < kStraight) return mixed(1 - u, a, u, b);
  return mixed(std::sin((1 - u) * angle) / std::sin(angle), a, std::sin(u * angle) / std::sin(angle), b);
}

PoseSpace::PoseSpace(PoseDenoiser denoiser, PoseSkeleton skeleton, const PoseConditions& conditions)
    : denoiser_(std::move(denoiser)), skeleton_(std::move(skeleton)), body_(denoiser_.encode(conditions)) {
  LIMBER_EXPECT(conditions.joints == skeleton_.size(), std::to_string(conditions.joints));
}

PoseState PoseSpace::noise(std::uint64_t seed) const {
  Rng rng(seed, 41);
  PoseState noise(skeleton_.joints.size() * kStateSize);
  for (double& v : noise) v = rng.normal();
  return noise;
}

PoseState PoseSpace::noisy(std::span<const double> state, std::span<const double> noise, double time) const {
  return mixed(clear(time), state, noise_share(time), noise);
}

PoseState PoseSpace::denoise(PoseState state, double time, const DenoiseSettings& settings) const {
  check_time(time, settings.steps);
  const int steps = steps_from(time, settings.steps);
  for (int i = 0; i < steps; ++i) {
    const double from = time * (steps - i) / steps, to = time * (steps - i - 1) / steps;
    const PoseState velocity = denoiser_.run(body_, state, from).velocity;
    if (!settings.guide) {
      const double angle = (from - to) * kPi / 2;
      state = mixed(std::cos(angle), state, -std::sin(angle), velocity);
      continue;
    }
    PoseState guess = mixed(clear(from), state, -noise_share(from), velocity);
    settings.guide(guess, from);
    // What is not the pose is noise.
    const PoseState noise = mixed(1 / noise_share(from), state, -clear(from) / noise_share(from), guess);
    state = mixed(clear(to), guess, noise_share(to), noise);
  }
  return state;
}

PoseState PoseSpace::fill(std::span<const double> pose, const std::vector<bool>& hidden, std::uint64_t seed,
                          int steps) const {
  check_time(1, steps);
  LIMBER_EXPECT(hidden.size() == skeleton_.joints.size(), std::to_string(hidden.size()));
  std::vector<bool> known = hidden;
  known.flip();
  PoseState state = noise(seed);
  const auto put_known = [&] {
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (known[i / kStateSize]) state[i] = pose[i];
    }
  };
  const double angle = kPi / 2 / steps;
  put_known();
  for (int i = 0; i < steps; ++i) {
    const PoseState velocity = denoiser_.run(body_, state, 1 - static_cast<double>(i) / steps, known).velocity;
    state = mixed(std::cos(angle), state, -std::sin(angle), velocity);
    put_known();
  }
  return state;
}

PoseState PoseSpace::invert(PoseState pose, double time, int steps) const {
  check_time(time, steps);
  const int count = steps_from(time, steps);
  const double step = time / count, angle = step * kPi / 2;
  for (int i = 1; i <= count; ++i) {
    PoseState up = pose;
    for (int k = 0; k < kRepeats; ++k)
      up = mixed(1 / std::cos(angle), pose, std::tan(angle), denoiser_.run(body_, up, i * step).velocity);
    pose = std::move(up);
  }
  return pose;
}

PoseState PoseSpace::project(std::span<const double> pose, double strength, std::uint64_t seed,
                             const DenoiseSettings& settings) const {
  return denoise(noisy(pose, noise(seed), strength), strength, settings);
}

PoseState PoseSpace::settle(std::span<const double> pose, double time) const {
  check_time(time, 1);
  const PoseState state = mixed(clear(time), pose, 0, pose);
  return mixed(clear(time), state, -noise_share(time), denoiser_.run(body_, state, time).velocity);
}

std::vector<PoseState> PoseSpace::between(const PoseState& from, const PoseState& to, int frames, int steps) const {
  LIMBER_EXPECT(frames >= 2, std::to_string(frames));
  const PoseState first = invert(from, 1, steps), last = invert(to, 1, steps);
  std::vector<PoseState> poses(static_cast<std::size_t>(frames));
  DenoiseSettings settings;
  settings.steps = steps;
  parallel_for(poses.size(), 1, [&](std::size_t i, std::size_t) {
    const double u = static_cast<double>(i) / static_cast<double>(frames - 1);
    poses[i] = denoise(slerp(first, last, u), 1, settings);
  });
  const PoseState lost_first = mixed(1, from, -1, poses.front()), lost_last = mixed(1, to, -1, poses.back());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double u = static_cast<double>(i) / static_cast<double>(frames - 1);
    poses[i] = mixed(1, poses[i], 1, mixed(1 - u, lost_first, u, lost_last));
  }
  return poses;
}

void PoseSpace::leave_unjudged(std::vector<bool> unseen) {
  LIMBER_EXPECT(unseen.size() == skeleton_.joints.size(), std::to_string(unseen.size()));
  unseen_ = std::move(unseen);
  rest_ = encode_pose(skeleton_, kinematics::rest_pose(skeleton_.rig)).state;
}

Plausibility PoseSpace::score(std::span<const double> pose) const {
  PoseState seen = mixed(clear(kJudgedTime), pose, 0, pose);
  for (std::size_t i = 0; !unseen_.empty() && i < seen.size(); ++i) {
    if (unseen_[i / kStateSize]) seen[i] = clear(kJudgedTime) * rest_[i];
  }
  const PoseDenoiser::Said said = denoiser_.run(body_, seen, kJudgedTime);
  Plausibility plausible{logistic(said.whole), {}};
  for (const double joint : said.plausible) plausible.joints.push_back(logistic(joint));
  return plausible;
}

}  // namespace limber::pose_space
