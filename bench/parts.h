// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"
#include "cli/parts_options.h"
#include "limber/anatomy/body_reading.h"
#include "limber/metrics/part_agreement.h"
#include "limber/training/part_examples.h"

namespace limber::bench {

/// Of `limber bench parts`.
struct PartsSettings : CommonSettings {
  cli::PartsOptions network;
  int creatures = 16;                          ///< of the zoo
  std::string split = "../shared/split.json";  ///< its list `test` names artists' models
  std::string only;                            ///< of them, those with this in their names
  std::string groups;                          ///< which tables to measure
};

/// Means over bodies.
struct PartScores {
  double miou = 0, ari = 0, f1 = 0, accuracy = 0, found = 0;
  int bodies = 0;

  void add(const metrics::PartAgreement& a);
  void add_rows(const std::string& name, const char* ari_aim, const char* miou_aim, Report& report) const;
};

// --- what one would do without a network -----------------------------------------------------------------------------

/// Triangles clustered by where they are and their colours: k-means with so many clusters.
std::vector<int> means_of_triangles(const training::KnownParts& body, int count);
/// A part for each piece of the mesh that hangs together.
std::vector<int> connected_pieces(const training::KnownParts& body);
/// What the body reader says: clusters of the joints that start the parts of the points nearest to triangles. Empty
/// without a reader.
std::vector<int> read_parts(const training::KnownParts& body, const anatomy::ReadBody& reader);

// --- tables ----------------------------------------------------------------------------------------------------------

/// One picture and a video of each zoo body from one side: the view that is known and those that are made up.
Status add_picture_rows(const parts::PartsDenoiser& denoiser, const PartsSettings& settings, Report& report);
/// Pictures without a subject, and with two: how many are refused, and how many with one are not.
Status add_refusal_rows(const parts::PartsDenoiser& denoiser, const PartsSettings& settings, Report& report);
/// Rigs of bodies made static, from parts, templates and curves: distances to their own joints.
Status add_part_rig_rows(const parts::PartsDenoiser& denoiser, const PartsSettings& settings, Report& report);

}  // namespace limber::bench
