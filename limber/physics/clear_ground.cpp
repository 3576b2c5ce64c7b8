// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/clear_ground.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "limber/base/math.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"

namespace limber::physics {
namespace {

constexpr double kReach = 0.1;      ///< seconds
constexpr std::size_t kBatch = 16;  ///< frames skinned at once

/// How far the skin is below the ground in every frame.
std::vector<float> depths(const rig::Subject& subject, const kinematics::Motion& motion) {
  const std::size_t points = subject.points.size(), frames = motion.root_translations.size();
  const auto count = static_cast<std::size_t>(subject.rig.bone_count());
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  std::vector<Vec3> posed;
  std::vector<float> result(frames, 0);
  for (std::size_t first = 0; first < frames; first += kBatch) {
    const std::size_t batch = std::min(kBatch, frames - first);
    posed.resize(batch * points);
    kinematics::SkinInput input;
    input.weights = &subject.weights, input.points = subject.points;
    input.bones = std::span(bones).subspan(first * count, batch * count);
    input.bone_count = subject.rig.bone_count(), input.frame_count = static_cast<int>(batch);
    kinematics::SkinOutput output;
    output.points = posed;
    kinematics::skin_forward(input, output);
    for (std::size_t i = 0; i < posed.size(); ++i) {
      float& depth = result[first + i / points];
      depth = std::max(depth, -posed[i].y);
    }
  }
  return result;
}

/// Calls `visit(k, g)` for the frames `g` that are at most `reach` frames, `k`, from frame `f`.
template <class Visit>
void for_each_near(int f, int frames, int reach, bool loops, const Visit& visit) {
  for (int k = -reach; k <= reach; ++k) {
    const int g = loops ? ((f + k) % frames + frames) % frames : std::clamp(f + k, 0, frames - 1);
    visit(k, static_cast<std::size_t>(g));
  }
}

}  // namespace

std::vector<float> even_cover(const std::vector<float>& needs, int reach, bool loops) {
  const auto frames = static_cast<int>(needs.size());
  std::vector<float> widest(needs), even(needs);
  for (int f = 0; f < frames; ++f) {
    float& most = widest[static_cast<std::size_t>(f)];
    for_each_near(f, frames, reach, loops, [&](int, std::size_t g) { most = std::max(most, needs[g]); });
  }
  // A mean over frames that all cover this one covers it, too.
  for (int f = 0; f < frames; ++f) {
    double sum = 0, total = 0;
    for_each_near(f, frames, reach, loops, [&](int k, std::size_t g) {
      const double weight = 1 + std::cos(kPi * k / (reach + 1));
      sum += weight * double(widest[g]), total += weight;
    });
    even[static_cast<std::size_t>(f)] = static_cast<float>(sum / total);
  }
  return even;
}

std::vector<float> clear_ground(const rig::Subject& subject, float most, kinematics::Motion& motion) {
  if (motion.frame_count() == 0 || subject.points.empty()) return std::vector<float>(motion.root_translations.size());
  std::vector<float> needs = depths(subject, motion);
  // A hair more, for what rounding does.
  for (float& need : needs) need = std::isfinite(need) && need > 0 ? std::min(need, most) + 1e-5f : 0;
  const int reach = std::max(1, static_cast<int>(std::lround(kReach * motion.fps)));
  std::vector<float> lifts = even_cover(needs, reach, motion.loops);
  for (std::size_t f = 0; f < lifts.size(); ++f) motion.root_translations[f].y += lifts[f];
  return lifts;
}

}  // namespace limber::physics
