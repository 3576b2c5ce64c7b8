// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/skin_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/rng.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/motion.h"
#include "limber/kinematics/skinning.h"

namespace limber::metrics {
namespace {

double row_sum(const SkinRow& row) {
  double sum = 0;
  for (const rig::Influence& influence : row) sum += influence.weight;
  return sum;
}

double weight_of(const SkinRow& row, std::uint16_t joint) {
  double weight = 0;
  for (const rig::Influence& influence : row) {
    if (influence.bone == joint) weight += influence.weight;
  }
  return weight;
}

}  // namespace

SkinRow filtered(const SkinRow& row, const SkinFilter& filter) {
  float most = 0;
  for (const rig::Influence& influence : row) most = std::max(most, influence.weight);
  const float least = std::max(filter.floor, filter.relative * most);
  SkinRow kept;
  for (const rig::Influence& influence : row) {
    if (influence.weight >= least) kept.push_back(influence);
  }
  const double sum = row_sum(kept);
  for (rig::Influence& influence : kept) influence.weight = static_cast<float>(influence.weight / sum);
  return kept;
}

SkinScores skin_scores(std::span<const SkinRow> predicted, std::span<const SkinRow> truth,
                       const SkinScoreSettings& settings) {
  LIMBER_EXPECT(predicted.size() == truth.size(), fmt::format("{} rows, {} true ones", predicted.size(), truth.size()));
  SkinScores scores;
  std::size_t both = 0, predicted_pairs = 0, true_pairs = 0;
  double sum = 0;
  for (std::size_t v = 0; v < truth.size(); ++v) {
    if (!(std::abs(row_sum(truth[v]) - 1) < 1e-2)) continue;
    ++scores.vertices;
    const SkinRow p = filtered(predicted[v], settings.filter);
    const SkinRow g = settings.filter_truth ? filtered(truth[v], settings.filter) : truth[v];
    for (const rig::Influence& influence : p) {
      const double other = weight_of(g, influence.bone);
      ++predicted_pairs;
      if (other > 0) ++both;
      sum += std::abs(influence.weight - other);
    }
    for (const rig::Influence& influence : g) {
      if (!(influence.weight > 0)) continue;
      ++true_pairs;
      if (weight_of(p, influence.bone) == 0) sum += influence.weight;
    }
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  scores.precision = share(both, predicted_pairs);
  scores.recall = share(both, true_pairs);
  scores.l1 = scores.vertices > 0 ? sum / static_cast<double>(scores.vertices) : 0.0;
  return scores;
}

DeformationError deformation_error(const rig::Subject& subject, const rig::SkinWeights& predicted,
                                   const DeformationSettings& settings) {
  LIMBER_EXPECT(predicted.points() == subject.points.size(),
                fmt::format("{} rows, {} points", predicted.points(), subject.points.size()));
  Rng rng(settings.seed);
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, settings.poses, 24);
  for (int f = 0; f < settings.poses; ++f) {
    // The root stays: moving everything alike says nothing about weights.
    for (int j = 1; j < motion.joint_count; ++j) {
      Vec3& angles = motion.frame_angles(f)[static_cast<std::size_t>(j)];
      for (int k = 0; k < 3; ++k) angles[k] = static_cast<float>(rng.uniform(-settings.angle, settings.angle));
    }
  }
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  const std::size_t frames = static_cast<std::size_t>(settings.poses), count = subject.points.size();
  std::vector<Vec3> expected(frames * count), actual(frames * count);
  kinematics::SkinInput input;
  input.points = subject.points;
  input.bone_count = subject.rig.bone_count();
  input.frame_count = settings.poses;
  input.bones = bones;
  input.weights = &subject.weights;
  kinematics::skin_forward(input, {expected, {}, {}});
  input.weights = &predicted;
  kinematics::skin_forward(input, {actual, {}, {}});
  DeformationError error;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double distance = norm((actual[i] - expected[i]).cast<double>());
    error.mean += distance;
    error.max = std::max(error.max, distance);
  }
  if (!expected.empty()) error.mean /= static_cast<double>(expected.size());
  return error;
}

}  // namespace limber::metrics
