// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bench/parts.h"
#include "bench/parts_scenes.h"
#include "limber/asset/picture.h"
#include "limber/base/rng.h"
#include "limber/parts/view_agreement.h"

namespace limber::bench {
namespace {

/// Spreads among which the oracle chooses; the usual one is among them.
constexpr std::array<double, 5> kPictureSpreads{3.5e-5, 7e-5, 1.4e-4, 2e-4, 4e-4};

/// What is given: one picture, or the frames of a video.
struct ViewTable {
  PartScores known, made_up, oracle, means;
  double agreement = 0;
  int agreed = 0, refused = 0;
};

/// Labels of some pictures, found or true, one after the other.
std::vector<int> labels_of(const std::vector<int>& labels, const std::vector<int>& pictures, int size) {
  const auto each = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  std::vector<int> chosen;
  for (const int picture : pictures) {
    const auto first = labels.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(picture) * each);
    chosen.insert(chosen.end(), first, first + static_cast<std::ptrdiff_t>(each));
  }
  return chosen;
}

/// The best of several spreads, as somebody would choose who knows the truth.
metrics::PartAgreement with_oracle(parts::PictureParts found, const std::vector<int>& truth,
                                   const std::vector<int>& pictures, const parts::RegionSettings& usual) {
  metrics::PartAgreement best;
  for (const double spread : kPictureSpreads) {
    parts::RegionSettings regions = usual;
    regions.least_spread = spread;
    label_pictures(found, regions);
    const auto agreement =
        metrics::part_agreement(labels_of(found.labels, pictures, found.size), labels_of(truth, pictures, found.size));
    if (agreement.miou > best.miou) best = agreement;
  }
  return best;
}

/// Rows: what is seen, its true parts, what the network makes of the first view, and the parts that were found.
Status write_sheet(const training::KnownParts& body, const parts::SurfacePictures& truth,
                   const parts::PictureParts& found, bool video, const std::string& folder) {
  const auto real = [&](std::size_t i) { return static_cast<int>(truth.labels[i]) - 1; };
  std::vector<Vec3> made_up;
  const std::vector<float>& numbers = found.drawn.front().colors;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    made_up.push_back(0.5f * (Vec3{numbers[i], numbers[i + 1], numbers[i + 2]} + Vec3{1, 1, 1}));
  const Bitmap sheet =
      draw_sheet(truth, {seen_colors(truth), colors_of_parts(truth, true_palette(body, truth.frame), real), made_up,
                         colors_of_parts(truth, found.clusters, [&](std::size_t i) { return found.labels[i]; })});
  return asset::write_picture(sheet,
                              std::filesystem::path(folder) / (body.name + (video ? "_video.png" : "_picture.png")));
}

Status measure_moments(const PartsBench& bench, const training::KnownParts& body, bool video, Rng& rng,
                       ViewTable& table) {
  const parts::PartsModel& model = bench.denoiser.model();
  const parts::SurfacePictures drawn = draw_sides(body, model, rng);
  const int given = video ? model.frames : 1;
  parts::PicturePartsSettings how = bench.picture_settings();
  how.closer = false;  // truth is for the whole picture
  const auto found = parts::find_picture_parts(bench.denoiser, first_view(drawn, given), how);
  if (!found.ok()) {
    ++table.refused;
    return Done{};
  }
  // What a picture's body will do next, nobody knows: of other views only the same moment counts.
  std::vector<int> known, made_up, truth;
  for (int f = 0; f < given; ++f) known.push_back(f);
  for (int v = 1; v < model.views; ++v) {
    for (int f = 0; f < given; ++f) made_up.push_back(v * model.frames + f);
  }
  for (const std::uint8_t label : drawn.labels) truth.push_back(static_cast<int>(label) - 1);
  const auto compare = [&](const std::vector<int>& pictures) {
    return metrics::part_agreement(labels_of(found->labels, pictures, model.size),
                                   labels_of(truth, pictures, model.size));
  };
  const metrics::PartAgreement seen = compare(known);
  table.known.add(seen), table.made_up.add(compare(made_up));
  table.oracle.add(with_oracle(*found, truth, known, how.regions));
  const std::vector<int> first = labels_of(truth, {0}, model.size);
  table.means.add(metrics::part_agreement(
      means_of_pixels(first_view(drawn, 1).front(), first, std::max(1, seen.found_parts - 1)), first));
  if (!bench.settings.sheets.empty()) LIMBER_CHECK_OK(write_sheet(body, drawn, *found, video, bench.settings.sheets));
  if (!video) {  // of a body that moves, a place of the box is not one of the surface
    parts::LabelledPictures all{drawn, found->labels};
    for (std::size_t i = 0; i < all.labels.size(); ++i) {
      const auto picture = static_cast<int>(i / static_cast<std::size_t>(model.pixels()));
      if (drawn.labels[i] == 0 || picture % model.frames != 0) all.labels[i] = -1;
    }
    table.agreement += parts::view_agreement(std::span(&all, 1)), ++table.agreed;
  }
  spdlog::info("{}{}: ARI {:.3f}, mIoU {:.3f}, {} parts for {}", body.name, video ? ", video" : "", seen.ari, seen.miou,
               seen.found_parts, seen.true_parts);
  return Done{};
}

void add_rows(const std::string& name, const ViewTable& table, const char* aim, Report& report) {
  table.known.add_rows(name + ", the known view", aim, "", report);
  table.oracle.add_rows(name + ", the known view, number of parts by the truth", "", "", report);
  table.means.add_rows(name + ", the known view, k-means in the true outline, as many", "", "", report);
  table.made_up.add_rows(name + ", views made up", "", "", report);
  if (table.agreed > 0)
    report.rows.push_back({name + "/views agree, ARI", table.agreement / table.agreed, "", "", "also those made up"});
  const double all = table.known.bodies + table.refused;
  if (all > 0) report.rows.push_back({name + "/refused", 100 * table.refused / all, "%", "0", ""});
}

}  // namespace

Status add_picture_rows(const PartsBench& bench, Report& report) {
  const int frames = bench.denoiser.model().frames;
  for (const bool artists : {false, true}) {
    ViewTable pictures, videos;
    Rng rng(bench.settings.seed, 31);
    const auto measure = [&](const training::KnownParts& body) -> Status {
      LIMBER_CHECK_OK(measure_moments(bench, body, false, rng, pictures));
      return measure_moments(bench, body, true, rng, videos);
    };
    LIMBER_CHECK_OK((artists ? for_artists : for_creatures)(bench, BodySet::kTest, frames, measure));
    const std::string of = artists ? " of artists' test rigs" : " of the zoo";
    add_rows("picture" + of, pictures, artists ? "" : ">= 0.6", report);
    add_rows("video of one side" + of, videos, artists ? "" : ">= 0.6", report);
  }
  return Done{};
}

}  // namespace limber::bench
