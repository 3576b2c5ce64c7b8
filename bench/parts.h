// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/kept_drawings.h"
#include "cli/parts_options.h"
#include "limber/anatomy/body_reading.h"
#include "limber/asset/asset.h"
#include "limber/base/stopwatch.h"
#include "limber/metrics/part_agreement.h"
#include "limber/parts/picture_parts.h"
#include "limber/training/part_examples.h"

namespace limber::bench {

/// Of `limber-lab bench parts`.
struct PartsSettings : CommonSettings {
  cli::PartsOptions network;
  int creatures = 16;                          ///< of the zoo
  int artists = 12;                            ///< of artists' models, evenly over their list
  std::string split = "../shared/split.json";  ///< its lists name artists' models
  std::string only;                            ///< of them, those with this in their names
  std::string groups;                          ///< which tables to measure
  std::string keep;                            ///< a folder for what the network draws
  std::string sheets;                          ///< a folder for pictures of bodies, their true parts and those found
  double seconds = 0;                          ///< no body is begun later; 0: no limit
};

/// What all tables need.
struct PartsBench {
  PartsSettings settings;
  parts::PartsDenoiser denoiser;
  KeptDrawings kept;
  Stopwatch watch;

  bool late() const { return settings.seconds > 0 && watch.seconds() > settings.seconds; }
  parts::MeshPartsSettings mesh_settings(double* seconds = nullptr) const;
  parts::PicturePartsSettings picture_settings() const;
};

/// Means over bodies.
struct PartScores {
  double miou = 0, ari = 0, f1 = 0, accuracy = 0, found = 0, real = 0;
  int bodies = 0;

  void add(const metrics::PartAgreement& a);
  void add_rows(const std::string& name, const char* ari_aim, const char* miou_aim, Report& report) const;
  double mean_ari() const { return bodies > 0 ? ari / bodies : 0; }
  double mean_miou() const { return bodies > 0 ? miou / bodies : 0; }
};

// --- bodies ----------------------------------------------------------------------------------------------------------

/// Which bodies: those that figures are measured with, or others, by which constants are chosen.
enum class BodySet { kTest, kTuning };

/// Calls `measure` for the zoo's bodies until time is up: none of them was taught.
Status for_creatures(const PartsBench& bench, BodySet set, int moments,
                     const std::function<Status(const training::KnownParts&)>& measure);
/// Likewise with artists' models: the split's `test` list, or to tune `train`, whose bodies the network was taught
/// with.
Status for_artists(const PartsBench& bench, BodySet set, int moments,
                   const std::function<Status(const training::KnownParts&)>& measure);
/// Likewise with both as rigged assets.
Status for_rigged(const PartsBench& bench, BodySet set, bool artists,
                  const std::function<Status(const asset::Asset&, const std::string&)>& measure);

/// The area of every triangle.
std::vector<double> areas_of(const training::KnownParts& body);

// --- what one would do without a network -----------------------------------------------------------------------------

/// Triangles clustered by where they are and their colours: k-means with so many clusters.
std::vector<int> means_of_triangles(const training::KnownParts& body, int count);
/// Pixels of a picture likewise, negative where `truth` is.
std::vector<int> means_of_pixels(const Bitmap& picture, const std::vector<int>& truth, int count);
/// A part for each piece of the mesh that hangs together.
std::vector<int> connected_pieces(const training::KnownParts& body);
/// What the body reader says: clusters of the joints that start the parts of the points nearest to triangles. Empty
/// without a reader.
std::vector<int> read_parts(const training::KnownParts& body, const anatomy::ReadBody& reader);

// --- tables ----------------------------------------------------------------------------------------------------------

/// One picture and a video of each body from one side: the view that is known and those that are made up.
Status add_picture_rows(const PartsBench& bench, Report& report);
/// Pictures without a subject, and with two: how many are refused, and how many with one are not.
Status add_refusal_rows(const PartsBench& bench, Report& report);
/// Rigs of bodies made static, from parts, templates and curves: distances to their own joints.
Status add_part_rig_rows(const PartsBench& bench, Report& report);
/// Constants of decoding, one after the other, on bodies to tune with: of meshes, and of pictures.
Status add_region_sweep(const PartsBench& bench, Report& report);
Status add_cluster_sweep(const PartsBench& bench, Report& report);
/// When rigs from parts are better than others where no template is believed, on bodies to tune with: by how far views
/// agree.
Status add_belief_rows(const PartsBench& bench, Report& report);

}  // namespace limber::bench
