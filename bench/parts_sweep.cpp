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
template <class Settings>
struct Variant {
  std::string name;
  Settings settings;
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

using MeshVariant = Variant<parts::RegionSettings>;
using PictureVariant = Variant<parts::ClusterSettings>;

/// Each constant by itself, the others being usual.
template <class Settings>
void vary(std::vector<Variant<Settings>>& variants, const char* name, double Settings::*constant,
          std::initializer_list<double> values) {
  for (const double value : values) {
    Settings settings;
    if (settings.*constant == value) continue;  // as it is
    settings.*constant = value;
    variants.push_back({fmt::format("{} {:g}", name, value), settings, {}, {}});
  }
}

std::vector<MeshVariant> mesh_variants() {
  using R = parts::RegionSettings;
  std::vector<MeshVariant> all{{"as it is", R{}, {}, {}}};
  vary(all, "least spread", &R::least_spread, {3.5e-5, 5e-5, 7e-5, 1e-4, 1.4e-4, 2e-4});
  vary(all, "least share", &R::least_share, {0.0025, 0.005, 0.01});
  vary(all, "middle weight", &R::middle_weight, {0, 0.1, 0.25, 0.5, 1});
  vary(all, "mirrored", &R::mirrored, {0.5, 0.7, 0.9, 1});
  vary(all, "alike", &R::alike, {0.02, 0.045, 0.08});
  vary(all, "smoothness", &R::smoothness, {0.3, 1, 3});
  return all;
}

std::vector<PictureVariant> picture_variants() {
  using C = parts::ClusterSettings;
  std::vector<PictureVariant> all{{"as it is", C{}, {}, {}}};
  vary(all, "bandwidth", &C::bandwidth, {0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.13});
  vary(all, "least share", &C::least_share, {0.0025, 0.01});
  return all;
}

Status sweep_mesh(const PartsBench& bench, const training::KnownParts& body, bool artists,
                  std::vector<MeshVariant>& variants) {
  const parts::StaticMesh mesh{body.points, body.triangles, body.colors};
  const parts::MeshPartsSettings how = bench.mesh_settings();
  LIMBER_TRY(const std::vector<parts::PaintedViews> painted, parts::paint_mesh(bench.denoiser, mesh, how));
  const std::vector<double> areas = areas_of(body);
  for (MeshVariant& variant : variants) {
    const std::vector<int> found = parts::find_regions(mesh.points, mesh.triangles, painted, variant.settings);
    (artists ? variant.artists : variant.zoo).add(metrics::part_agreement(found, body.labels, areas));
  }
  spdlog::info("mesh of {}", body.name);
  return Done{};
}

/// One picture, in the view that is known.
Status sweep_picture(const PartsBench& bench, const training::KnownParts& body, bool artists, Rng& rng,
                     std::vector<PictureVariant>& variants) {
  const parts::SurfacePictures drawn = draw_sides(body, bench.denoiser.model(), rng);
  parts::PicturePartsSettings how = bench.picture_settings();
  how.closer = false;
  Result<parts::PictureParts> found = parts::find_picture_parts(bench.denoiser, first_view(drawn, 1), how);
  if (!found.ok()) return Done{};
  const std::size_t pixels = static_cast<std::size_t>(drawn.size) * static_cast<std::size_t>(drawn.size);
  std::vector<int> truth;
  for (std::size_t i = 0; i < pixels; ++i) truth.push_back(static_cast<int>(drawn.labels[i]) - 1);
  for (PictureVariant& variant : variants) {
    label_pictures(*found, variant.settings);
    (artists ? variant.artists : variant.zoo).add(metrics::part_agreement(found->given(0), truth));
  }
  spdlog::info("picture of {}", body.name);
  return Done{};
}

}  // namespace

Status add_region_sweep(const PartsBench& bench, Report& report) {
  std::vector<MeshVariant> variants = mesh_variants();
  for (const bool artists : {false, true}) {
    LIMBER_CHECK_OK((artists ? for_artists : for_creatures)(
        bench, BodySet::kTuning, 0,
        [&](const training::KnownParts& body) { return sweep_mesh(bench, body, artists, variants); }));
  }
  for (const MeshVariant& variant : variants) variant.add_row("mesh", report);
  return Done{};
}

Status add_cluster_sweep(const PartsBench& bench, Report& report) {
  std::vector<PictureVariant> variants = picture_variants();
  for (const bool artists : {false, true}) {
    Rng rng(bench.settings.seed, 41);
    LIMBER_CHECK_OK((artists ? for_artists : for_creatures)(
        bench, BodySet::kTuning, 0,
        [&](const training::KnownParts& body) { return sweep_picture(bench, body, artists, rng, variants); }));
  }
  for (const PictureVariant& variant : variants) variant.add_row("picture, the known view", report);
  return Done{};
}

}  // namespace limber::bench
