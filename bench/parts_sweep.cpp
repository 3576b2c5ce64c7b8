// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <string>

#include "bench/parts.h"
#include "bench/parts_scenes.h"
#include "limber/base/rng.h"

namespace limber::bench {
namespace {

/// Another way to decode, and what comes of it.
struct Variant {
  std::string name;
  parts::RegionSettings settings;
  PartScores zoo, artists;

  /// Headline: the mean of ARI and mIoU, of both kinds of bodies alike.
  void add_row(const std::string& what, Report& report) const {
    double sum = 0, kinds = 0;
    for (const PartScores* scores : {&zoo, &artists}) {
      if (scores->bodies > 0) sum += 0.5 * (scores->mean_ari() + scores->mean_miou()), ++kinds;
    }
    const auto said = [](const PartScores& s) {
      return fmt::format("{:.3f} {:.3f} ({:.1f} parts for {:.1f}, {} bodies)", s.mean_ari(), s.mean_miou(),
                         s.bodies > 0 ? s.found / s.bodies : 0, s.bodies > 0 ? s.real / s.bodies : 0, s.bodies);
    };
    report.rows.push_back({fmt::format("{}, {}", what, name), kinds > 0 ? sum / kinds : 0, "", "",
                           fmt::format("ARI, mIoU: zoo {}; taught characters {}", said(zoo), said(artists))});
  }
};

/// Each constant by itself, the others being usual.
struct Variants {
  std::vector<Variant> all;

  explicit Variants(const parts::RegionSettings& usual) : all{{"as it is", usual, {}, {}}} {}

  void vary(const char* name, double parts::RegionSettings::*constant, std::initializer_list<double> values) {
    for (const double value : values) {
      parts::RegionSettings settings = all.front().settings;
      if (settings.*constant == value) continue;  // as it is
      settings.*constant = value;
      all.push_back({fmt::format("{} {:g}", name, value), settings, {}, {}});
    }
  }
};

using R = parts::RegionSettings;

std::vector<Variant> mesh_variants() {
  Variants variants{R{}};
  variants.vary("least spread", &R::least_spread, {3.5e-5, 5e-5, 7e-5, 1e-4, 1.4e-4, 2e-4});
  variants.vary("least share", &R::least_share, {0.0025, 0.005, 0.01});
  variants.vary("middle weight", &R::middle_weight, {0, 0.1, 0.25, 0.5, 1});
  variants.vary("mirrored", &R::mirrored, {0.5, 0.7, 0.9, 1});
  variants.vary("alike", &R::alike, {0.02, 0.045, 0.08});
  variants.vary("smoothness", &R::smoothness, {0.3, 1, 3});
  return variants.all;
}

std::vector<Variant> picture_variants() {
  Variants variants{parts::picture_regions()};
  variants.vary("least spread", &R::least_spread, {3.5e-5, 7e-5, 1e-4, 1.4e-4, 2e-4, 3e-4, 4e-4});
  variants.vary("least share", &R::least_share, {0.0025, 0.005, 0.01, 0.02});
  variants.vary("alike", &R::alike, {0.02, 0.045, 0.08, 0.15});
  return variants.all;
}

Status sweep_mesh(const PartsBench& bench, const training::KnownParts& body, bool artists,
                  std::vector<Variant>& variants) {
  const parts::StaticMesh mesh{body.points, body.triangles, body.colors};
  const parts::MeshPartsSettings how = bench.mesh_settings();
  LIMBER_TRY(const std::vector<parts::PaintedViews> painted, parts::paint_mesh(bench.denoiser, mesh, how));
  const std::vector<double> areas = areas_of(body);
  for (Variant& variant : variants) {
    const std::vector<int> found = parts::find_regions(mesh.points, mesh.triangles, painted, variant.settings);
    (artists ? variant.artists : variant.zoo).add(metrics::part_agreement(found, body.labels, areas));
  }
  spdlog::info("mesh of {}", body.name);
  return Done{};
}

/// One picture, in the view that is known.
Status sweep_picture(const PartsBench& bench, const training::KnownParts& body, bool artists, Rng& rng,
                     std::vector<Variant>& variants) {
  const parts::SurfacePictures drawn = draw_sides(body, bench.denoiser.model(), rng);
  parts::PicturePartsSettings how = bench.picture_settings();
  how.closer = false;
  Result<parts::PictureParts> found = parts::find_picture_parts(bench.denoiser, first_view(drawn, 1), how);
  if (!found.ok()) return Done{};
  const std::size_t pixels = static_cast<std::size_t>(drawn.size) * static_cast<std::size_t>(drawn.size);
  std::vector<int> truth;
  for (std::size_t i = 0; i < pixels; ++i) truth.push_back(static_cast<int>(drawn.labels[i]) - 1);
  for (Variant& variant : variants) {
    label_pictures(*found, variant.settings);
    (artists ? variant.artists : variant.zoo).add(metrics::part_agreement(found->given(0), truth));
  }
  spdlog::info("picture of {}", body.name);
  return Done{};
}

}  // namespace

Status add_region_sweep(const PartsBench& bench, Report& report) {
  std::vector<Variant> variants = mesh_variants();
  for (const bool artists : {false, true}) {
    LIMBER_CHECK_OK((artists ? for_artists : for_creatures)(
        bench, BodySet::kTuning, 0,
        [&](const training::KnownParts& body) { return sweep_mesh(bench, body, artists, variants); }));
  }
  for (const Variant& variant : variants) variant.add_row("mesh", report);
  return Done{};
}

Status add_cluster_sweep(const PartsBench& bench, Report& report) {
  std::vector<Variant> variants = picture_variants();
  for (const bool artists : {false, true}) {
    Rng rng(bench.settings.seed, 41);
    LIMBER_CHECK_OK((artists ? for_artists : for_creatures)(
        bench, BodySet::kTuning, 0,
        [&](const training::KnownParts& body) { return sweep_picture(bench, body, artists, rng, variants); }));
  }
  for (const Variant& variant : variants) variant.add_row("picture, the known view", report);
  return Done{};
}

}  // namespace limber::bench
