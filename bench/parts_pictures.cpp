// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <algorithm>

#include "bench/parts.h"
#include "limber/base/rng.h"
#include "limber/parts/picture_parts.h"

namespace limber::bench {
namespace {

/// The given pictures, of the first view: one, or one for each frame.
std::vector<Bitmap> first_view(const parts::SurfacePictures& pictures, int frames) {
  const auto each = static_cast<std::ptrdiff_t>(3 * pictures.size * pictures.size);
  std::vector<Bitmap> given;
  for (int f = 0; f < frames; ++f) {
    Bitmap bitmap(pictures.size, pictures.size, 3);
    std::copy_n(pictures.colors.begin() + f * each, each, bitmap.pixels.begin());
    given.push_back(std::move(bitmap));
  }
  return given;
}

/// Labels of some pictures against the true ones.
metrics::PartAgreement compare(const parts::SurfacePictures& truth, const parts::PictureParts& found, int first,
                               int count) {
  const auto each = static_cast<std::size_t>(truth.size * truth.size);
  std::vector<int> labels, true_labels;
  for (std::size_t i = static_cast<std::size_t>(first) * each; i < static_cast<std::size_t>(first + count) * each; ++i)
    labels.push_back(found.labels[i]), true_labels.push_back(static_cast<int>(truth.labels[i]) - 1);
  return metrics::part_agreement(labels, true_labels);
}

struct ViewTable {
  PartScores known, made_up;
  int refused = 0;
};

void measure_moments(const parts::PartsDenoiser& denoiser, const training::KnownParts& body, bool video,
                     const PartsSettings& settings, Rng& rng, ViewTable& table) {
  const parts::PartsModel& model = denoiser.model();
  parts::PicturedBody pictured{{}, body.triangles, body.colors, {}};
  std::vector<std::uint8_t> labels;
  for (const int label : body.labels) labels.push_back(static_cast<std::uint8_t>(label));
  pictured.labels = labels;
  for (int f = 0; f < model.frames; ++f)
    pictured.frames.push_back(body.moments.empty() ? body.points
                                                   : body.moments[static_cast<std::size_t>(f) % body.moments.size()]);
  parts::PictureSettings views;
  views.views = model.views, views.size = model.size;
  views.azimuth = static_cast<float>(rng.uniform(0, 2 * kPi));
  const parts::SurfacePictures truth = parts::draw_pictures(pictured, views);
  parts::PicturePartsSettings how;
  how.steps = settings.network.steps, how.seed = settings.network.seed;
  const int given = video ? model.frames : 1;
  const auto found = parts::find_picture_parts(denoiser, first_view(truth, given), how);
  if (!found.ok()) {
    ++table.refused;
    return;
  }
  table.known.add(compare(truth, *found, 0, given));
  table.made_up.add(compare(truth, *found, model.frames, (model.views - 1) * model.frames));
}

void add_rows(const std::string& name, const ViewTable& table, const char* aim, Report& report) {
  table.known.add_rows(name + ", the known view", aim, "", report);
  table.made_up.add_rows(name + ", views made up", "", "", report);
  const double all = table.known.bodies + table.refused;
  if (all > 0) report.rows.push_back({name + "/refused", 100 * table.refused / all, "%", "0", ""});
}

}  // namespace

Status add_picture_rows(const parts::PartsDenoiser& denoiser, const PartsSettings& settings, Report& report) {
  ViewTable pictures, videos;
  Rng rng(settings.seed, 31);
  for (int i = 0; i < settings.creatures; ++i) {
    const auto body =
        training::creature_with_parts(1000 * settings.seed + static_cast<std::uint64_t>(i), 1, denoiser.model().frames);
    if (!body.ok()) continue;
    measure_moments(denoiser, *body, false, settings, rng, pictures);
    measure_moments(denoiser, *body, true, settings, rng, videos);
    spdlog::info("{}: pictures of {} bodies so far, known view ARI {:.3f}", body->name, pictures.known.bodies,
                 pictures.known.ari / std::max(1, pictures.known.bodies));
  }
  add_rows("picture", pictures, ">= 0.6", report);
  add_rows("video of one side", videos, ">= 0.6", report);
  return Done{};
}

}  // namespace limber::bench
