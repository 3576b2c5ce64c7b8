// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/swing.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"

namespace limber::retarget {
namespace {

/// Beats a second, share of critical damping, and the farthest that the end is left behind, radians.
constexpr double kBeat = 1.6, kDamping = 0.35, kFarthest = 0.45;
constexpr double kSettle = 6;  ///< seconds in which a loop finds its beat
constexpr int kSteps = 8;      ///< of the spring, a frame

/// Second differences of the end's path, per frame squared: how the spring is driven. Around the corner for loops,
/// which go on by their lap.
std::vector<Vec3d> pulls(const std::vector<Vec3d>& path, bool loops) {
  const int frames = static_cast<int>(path.size());
  std::vector<Vec3d> result(path.size());
  if (frames < 3) return result;
  // The lap of a loop: its mean step leads from the last frame to the first.
  const Vec3d lap = static_cast<double>(frames) / (frames - 1) * (path.back() - path.front());
  const auto place = [&](int f) {
    if (f >= 0 && f < frames) return path[at(f)];
    Vec3d around = f < 0 ? path[at(f + frames)] - lap : path[at(f - frames)] + lap;
    around.y = path[at(f < 0 ? f + frames : f - frames)].y;
    return around;
  };
  for (int f = 0; f < frames; ++f) {
    const int own = loops ? f : std::clamp(f, 1, frames - 2);
    result[at(f)] = place(own + 1) - 2.0 * place(own) + place(own - 1);
  }
  return result;
}

}  // namespace

void swing(const Body& body, const Chain& chain, double fps, bool loops, Played& result) {
  const int frames = result.frames(), joints = static_cast<int>(chain.joints.size());
  const double reach = norm(chain.end - body.place(chain.joints[0]));
  if (frames < 3 || !(reach > 1e-6)) return;
  std::vector<Vec3d> path, arms;
  for (int f = 0; f < frames; ++f) {
    const Vec3d base = result.place(f, chain.joints[0]);
    arms.push_back(rotate(result.turn(f, chain.joints[0]), chain.end - body.place(chain.joints[0])));
    path.push_back(base + arms.back());
  }
  const std::vector<Vec3d> driven = pulls(path, loops);
  const double step = 1 / (fps * kSteps), stiff = std::pow(2 * kPi * kBeat, 2), damped = 4 * kPi * kBeat * kDamping;
  const double farthest = reach * std::sin(kFarthest);
  const int before = loops ? frames * (1 + static_cast<int>(kSettle * fps / frames)) : 0;
  Vec3d lag, speed;
  for (int k = -before; k < frames; ++k) {
    const int f = ((k % frames) + frames) % frames;
    if (k >= 0) {
      const Vec3d left = norm(lag) > farthest ? (farthest / norm(lag)) * lag : lag;
      const Quatd whole = rotation_between(normalized(arms[at(f)]), normalized(arms[at(f)] + left));
      for (int i = 0; i < joints; ++i) {
        Quatd& turn = result.turn(f, chain.joints[at(i)]);
        turn = normalized(slerp(Quatd{}, whole, 1.3 * (i + 1) / joints) * turn);
      }
    }
    for (int s = 0; s < kSteps; ++s) {
      speed += step * (-stiff * lag - damped * speed - fps * fps * driven[at(f)]);
      lag += step * speed;
      if (norm(lag) > farthest) lag = (farthest / norm(lag)) * lag, speed = 0.5 * speed;
    }
  }
}

}  // namespace limber::retarget
