// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/rig/rig.h"
#include "limber/rig/subject.h"

/// How well skin weights agree with a reference on the same vertices and joints.
namespace limber::metrics {

/// The weights of one vertex; `Influence::bone` counts joints here.
using SkinRow = std::vector<rig::Influence>;

/// What a row goes through before it is compared: weights below `floor` go, then those below `relative` of the
/// heaviest, and the rest is rescaled to sum to one.
struct SkinFilter {
  float floor = 1e-3f;
  float relative = 0.15f;  ///< Puppeteer's; 0.35 on ModelsResource
};
SkinRow filtered(const SkinRow& row, const SkinFilter& filter = {});

struct SkinScoreSettings {
  SkinFilter filter;
  /// Puppeteer filters the prediction alone, so that even a perfect copy of soft weights loses recall. True filters
  /// both sides alike.
  bool filter_truth = false;
};

struct SkinScores {
  double precision = 0, recall = 0;  ///< pooled over all (vertex, joint) pairs with weight
  double l1 = 0;                     ///< sum |w - w*| per vertex, 0 to 2
  std::size_t vertices = 0;          ///< compared: those whose reference row sums to one within 0.01
};

/// Puppeteer's protocol. A vertex without predicted weight counts in full.
SkinScores skin_scores(std::span<const SkinRow> predicted, std::span<const SkinRow> truth,
                       const SkinScoreSettings& settings = {});

struct DeformationSettings {
  int poses = 16;
  float angle = 0.6f;  ///< radians: each joint turns up to this much about a random axis
  std::uint64_t seed = 1;
};

/// Distance between the vertices under two sets of weights in the same random poses, in heights of the subject.
struct DeformationError {
  double mean = 0, max = 0;
};

/// Poses `subject` with its own weights and with `predicted`, one row per point.
DeformationError deformation_error(const rig::Subject& subject, const rig::SkinWeights& predicted,
                                   const DeformationSettings& settings = {});

}  // namespace limber::metrics
