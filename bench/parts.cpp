// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/parts.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "bench/parts_scenes.h"
#include "cli/builtin_models.h"
#include "limber/asset/picture.h"
#include "limber/base/stopwatch.h"
#include "limber/parts/moving_parts.h"

namespace limber::bench {
namespace {

/// Spreads at which regions stay apart, among which the oracle chooses; the usual one is among them.
constexpr std::array<double, 5> kSpreads{1.2e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4};

/// What some meshes gave.
struct Table {
  PartScores network, oracle, ceiling, means, pieces, reader;
  double seconds = 0, agreement = 0;
};

/// The best of several numbers of parts, as somebody would choose who knows the truth.
metrics::PartAgreement with_oracle(const parts::StaticMesh& mesh, const std::vector<parts::PaintedViews>& painted,
                                   const training::KnownParts& body, std::span<const double> areas,
                                   parts::MeshPartsSettings settings) {
  metrics::PartAgreement best;
  for (const double spread : kSpreads) {
    settings.regions.least_spread = spread;
    const parts::MeshParts found = parts::decode_parts(mesh, painted, settings);
    const metrics::PartAgreement agreement = metrics::part_agreement(found.triangles, body.labels, areas);
    if (agreement.miou > best.miou) best = agreement;
  }
  return best;
}

/// The same views in the colours of the true parts: what decoding would make of a network without errors.
std::vector<parts::PaintedViews> painted_truly(std::vector<parts::PaintedViews> views, const parts::StaticMesh& mesh,
                                               const std::vector<int>& labels) {
  std::vector<std::uint8_t> bytes;
  for (const int label : labels) bytes.push_back(static_cast<std::uint8_t>(label));
  const parts::PicturedBody body{{mesh.points}, mesh.triangles, {}, bytes};
  const std::vector<Vec3> codes = parts::part_codes(body, views.front().pictures.frame, parts::kMostParts);
  for (parts::PaintedViews& set : views) {
    for (std::size_t i = 0; i < set.colors.size(); ++i) {
      const std::int32_t triangle = set.pictures.triangles[i];
      if (triangle >= 0) set.colors[i] = parts::part_color(codes[bytes[static_cast<std::size_t>(triangle)]]);
    }
  }
  return views;
}

/// Rows: what is seen, the true parts, those found.
Status write_sheet(const training::KnownParts& body, const parts::MeshParts& found, const std::string& folder) {
  const parts::SurfacePictures& p = found.views.front().pictures;
  const auto by = [&](const std::vector<int>& labels) {
    return [&](std::size_t i) { return p.triangles[i] < 0 ? -1 : labels[static_cast<std::size_t>(p.triangles[i])]; };
  };
  const Bitmap sheet = draw_sheet(p, {seen_colors(p), colors_of_parts(p, true_palette(body, p.frame), by(body.labels)),
                                      colors_of_parts(p, found.colors, by(found.triangles))});
  return asset::write_picture(sheet, std::filesystem::path(folder) / (body.name + ".png"));
}

Status measure_body(const training::KnownParts& body, const PartsBench& bench, const anatomy::ReadBody& reader,
                    Table& table) {
  const parts::StaticMesh mesh{body.points, body.triangles, body.colors};
  const parts::MeshPartsSettings how = bench.mesh_settings(&table.seconds);
  LIMBER_TRY(const std::vector<parts::PaintedViews> painted, parts::paint_mesh(bench.denoiser, mesh, how));
  const Stopwatch watch;
  const parts::MeshParts found = parts::decode_parts(mesh, painted, how);
  table.seconds += watch.seconds(), table.agreement += found.agreement;

  const std::vector<double> areas = areas_of(body);
  const auto score = [&](const std::vector<int>& labels, PartScores& scores) {
    const metrics::PartAgreement agreement = metrics::part_agreement(labels, body.labels, areas);
    scores.add(agreement);
    return agreement;
  };
  const metrics::PartAgreement agreement = score(found.triangles, table.network);
  table.oracle.add(with_oracle(mesh, painted, body, areas, how));
  score(parts::decode_parts(mesh, painted_truly(painted, mesh, body.labels), how).triangles, table.ceiling);
  score(means_of_triangles(body, std::max(1, agreement.found_parts)), table.means);
  score(connected_pieces(body), table.pieces);
  const std::vector<int> read = read_parts(body, reader);
  if (!read.empty()) score(read, table.reader);
  if (!bench.settings.sheets.empty()) LIMBER_CHECK_OK(write_sheet(body, found, bench.settings.sheets));
  spdlog::info("{}: ARI {:.3f}, mIoU {:.3f}, {} parts for {}; views agree {:.3f}", body.name, agreement.ari,
               agreement.miou, agreement.found_parts, agreement.true_parts, found.agreement);
  return Done{};
}

void add_rows(const std::string& name, const Table& table, const char* ari_aim, const char* miou_aim, Report& report) {
  if (table.network.bodies == 0) return;
  table.network.add_rows(name, ari_aim, miou_aim, report);
  table.oracle.add_rows(name + ", number of parts by the truth", "", "", report);
  table.ceiling.add_rows(name + ", true colours decoded alike", "", "", report);
  table.means.add_rows(name + ", k-means, as many", "", "", report);
  table.pieces.add_rows(name + ", connected pieces", "", "", report);
  if (table.reader.bodies > 0) table.reader.add_rows(name + ", body reader", "", "", report);
  const double bodies = table.network.bodies;
  report.rows.push_back({name + "/views agree, ARI", table.agreement / bodies, "", ">= 0.8", ""});
  report.rows.push_back({name + "/time of a mesh", table.seconds / bodies, "s", "<= 15", ""});
}

Status add_mesh_rows(const PartsBench& bench, Report& report) {
  LIMBER_TRY(const anatomy::ReadBody reader, cli::open_body_reader());
  Table zoo, artists;
  LIMBER_CHECK_OK(for_creatures(bench, BodySet::kTest, 0, [&](const training::KnownParts& body) {
    return measure_body(body, bench, reader, zoo);
  }));
  add_rows("zoo, bodies of other seeds", zoo, ">= 0.72", ">= 0.6", report);
  LIMBER_CHECK_OK(for_artists(bench, BodySet::kTest, 0, [&](const training::KnownParts& body) {
    return measure_body(body, bench, reader, artists);
  }));
  add_rows("artists' test rigs", artists, ">= 0.62", ">= 0.52", report);
  return Done{};
}

Result<Report> measure(const PartsSettings& settings) {
  std::filesystem::path folder(settings.network.model);
  if (folder.empty()) {
    LIMBER_TRY(folder, parts::find_parts_model());
  }
  LIMBER_TRY(parts::PartsDenoiser denoiser, parts::PartsDenoiser::open(folder));
  LIMBER_TRY(KeptDrawings kept, KeptDrawings::open(settings.keep, folder));
  const PartsBench bench{settings, std::move(denoiser), std::move(kept), {}};
  Report report{"parts: against the parts that move by themselves", {}};
  using Group = std::pair<const char*, Status (*)(const PartsBench&, Report&)>;
  for (const auto& [group, add] :
       {Group{"meshes", add_mesh_rows}, Group{"pictures", add_picture_rows}, Group{"refusal", add_refusal_rows},
        Group{"rigs", add_part_rig_rows}, Group{"regions", add_region_sweep}, Group{"clusters", add_cluster_sweep},
        Group{"beliefs", add_belief_rows}}) {
    if (holds_name(settings.groups, group) && !bench.late()) LIMBER_CHECK_OK(add(bench, report));
  }
  if (bench.late()) report.title += "; time was up before all bodies were measured";
  return report;
}

}  // namespace

parts::MeshPartsSettings PartsBench::mesh_settings(double* seconds) const {
  parts::MeshPartsSettings how = cli::mesh_settings(settings.network);
  how.draw = kept.drawer(seconds);
  return how;
}

parts::PicturePartsSettings PartsBench::picture_settings() const {
  parts::PicturePartsSettings how;
  how.steps = settings.network.steps, how.seed = settings.network.seed, how.draw = kept.drawer();
  return how;
}

void PartScores::add(const metrics::PartAgreement& a) {
  miou += a.miou, ari += a.ari, f1 += a.f1, accuracy += a.accuracy, found += a.found_parts;
  real += a.true_parts, ++bodies;
}

void PartScores::add_rows(const std::string& name, const char* ari_aim, const char* miou_aim, Report& report) const {
  if (bodies == 0) return;
  const double n = bodies;
  const std::string note = fmt::format("{} bodies, {:.1f} parts each, {:.1f} true ones", bodies, found / n, real / n);
  report.rows.push_back({name + "/ARI", ari / n, "", ari_aim, note});
  report.rows.push_back({name + "/mIoU, best match", miou / n, "", miou_aim, ""});
  report.rows.push_back({name + "/F1", f1 / n, "", "", ""});
  report.rows.push_back({name + "/mAcc", accuracy / n, "", "", ""});
}

void add_parts_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<PartsSettings>();
  CLI::App& command =
      add_subject(bench, terminal,
                  {"parts", "Parts of meshes, pictures and videos, rigs made from them, and pictures to refuse",
                   "  limber-lab bench parts --creatures 16\n  limber-lab bench parts --groups meshes --creatures 0 "
                   "--only humanoid\n"
                   "  limber-lab bench parts --groups refusal --model models/parts\n"
                   "  limber-lab bench parts --groups regions --keep drawn --seconds 600"},
                  *settings, [settings] { return measure(*settings); });
  add_groups_option(command, settings->groups,
                    {"meshes", "pictures", "refusal", "rigs", "regions", "clusters", "beliefs"});
  settings->groups = "meshes,pictures,refusal,rigs";  // the others are for choosing constants
  command.get_option("--groups")->capture_default_str();
  command.add_option("--creatures", settings->creatures, "Bodies of the zoo")->capture_default_str();
  command.add_option("--artists", settings->artists, "Artists' models, evenly over their list")->capture_default_str();
  command.add_option("--split", settings->split, "Its list `test` names artists' models; `train` those to tune with")
      ->capture_default_str();
  command.add_option("--only", settings->only, "Of them, those with this in their names");
  command.add_option("--keep", settings->keep, "Keep here what the network draws, and take from here what it drew")
      ->type_name("DIR");
  command.add_option("--sheets", settings->sheets, "Draw bodies, their true parts and those found into this folder")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR");
  command.add_option("--seconds", settings->seconds, "Begin no body later; 0: no limit")->capture_default_str();
  command.add_option("--model", settings->network.model, "The network, where it is not the one that ships");
  command.add_option("--view-sets", settings->network.view_sets, "Looks from all sides")->capture_default_str();
  command.add_option("--steps", settings->network.steps, "Of drawing")->capture_default_str();
}

}  // namespace limber::bench
