// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include "bench/bench.h"
#include "bench/split.h"
#include "cli/parts_options.h"
#include "limber/asset/read.h"
#include "limber/base/stopwatch.h"
#include "limber/body/weld.h"
#include "limber/metrics/part_agreement.h"
#include "limber/parts/asset_parts.h"
#include "limber/training/part_examples.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

struct PartsSettings : CommonSettings {
  cli::PartsOptions network;
  int creatures = 16;                          ///< of the zoo
  std::string split = "../shared/split.json";  ///< its list `test` names artists' models
  std::string only;                            ///< of them, those with this in their names
};

/// Means over bodies.
struct Scores {
  double miou = 0, ari = 0, f1 = 0, accuracy = 0, found = 0;
  int bodies = 0;

  void add(const metrics::PartAgreement& a) {
    miou += a.miou, ari += a.ari, f1 += a.f1, accuracy += a.accuracy, found += a.found_parts, ++bodies;
  }
  void report(const std::string& name, const char* ari_aim, const char* miou_aim, Report& report) const {
    const double n = std::max(1, bodies);
    const std::string note = fmt::format("{} bodies, {:.1f} parts each", bodies, found / n);
    report.rows.push_back({name + "/ARI", ari / n, "", ari_aim, note});
    report.rows.push_back({name + "/mIoU, best match", miou / n, "", miou_aim, ""});
    report.rows.push_back({name + "/F1", f1 / n, "", "", ""});
    report.rows.push_back({name + "/mAcc", accuracy / n, "", "", ""});
  }
};

// --- what one would do without a network -----------------------------------------------------------------------------

/// Each triangle's middle and colour as one point.
struct Feature {
  Vec3d place, color;
  Feature() = default;
  Feature(Vec3d at, Vec3d of) : place(at), color(of) {}
};

std::vector<Feature> features_of(const training::KnownParts& body) {
  std::vector<Feature> features;
  for (const parts::Triangle& t : body.triangles) {
    Feature f;
    for (const std::uint32_t corner : t) {
      f.place += body.points[corner].cast<double>() / 3.0;
      if (!body.colors.empty()) f.color += 0.3 / 3.0 * body.colors[corner].cast<double>();
    }
    features.push_back(f);
  }
  return features;
}

/// Lloyd's algorithm from centres that lie far apart.
std::vector<int> k_means(const std::vector<Feature>& features, int count) {
  const auto apart = [](const Feature& a, const Feature& b) {
    return squared_norm(a.place - b.place) + squared_norm(a.color - b.color);
  };
  std::vector<Feature> centers{features.front()};
  std::vector<double> nearest(features.size(), std::numeric_limits<double>::max());
  while (static_cast<int>(centers.size()) < count) {
    for (std::size_t i = 0; i < features.size(); ++i)
      nearest[i] = std::min(nearest[i], apart(features[i], centers.back()));
    centers.push_back(
        features[static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin())]);
  }
  std::vector<int> labels(features.size());
  for (int round = 0; round < 20; ++round) {
    std::vector<Feature> sums(centers.size());
    std::vector<double> counts(centers.size());
    for (std::size_t i = 0; i < features.size(); ++i) {
      const auto best = std::min_element(centers.begin(), centers.end(), [&](const Feature& a, const Feature& b) {
        return apart(features[i], a) < apart(features[i], b);
      });
      const auto k = static_cast<std::size_t>(best - centers.begin());
      labels[i] = static_cast<int>(k), counts[k] += 1;
      sums[k].place += features[i].place, sums[k].color += features[i].color;
    }
    for (std::size_t k = 0; k < centers.size(); ++k) {
      if (counts[k] > 0) centers[k] = {sums[k].place / counts[k], sums[k].color / counts[k]};
    }
  }
  return labels;
}

std::vector<int> connected_pieces(const training::KnownParts& body) {
  const body::WeldedSurface surface = body::weld(body.points, body.triangles);
  std::vector<int> labels;
  for (const parts::Triangle& t : body.triangles) labels.push_back(surface.component[surface.welded[t[0]]]);
  return labels;
}

// --- measuring -------------------------------------------------------------------------------------------------------

struct Table {
  Scores network, means, pieces;
  double seconds = 0;
};

std::vector<double> areas_of(const training::KnownParts& body) {
  std::vector<double> areas;
  for (const parts::Triangle& t : body.triangles) {
    const Vec3 normal = cross(body.points[t[1]] - body.points[t[0]], body.points[t[2]] - body.points[t[0]]);
    areas.push_back(is_finite(normal) ? double(norm(normal)) : 0.0);
  }
  return areas;
}

Status measure_body(const training::KnownParts& body, const parts::PartsDenoiser& denoiser,
                    const PartsSettings& settings, Table& table) {
  const Stopwatch watch;
  LIMBER_TRY(const parts::MeshParts found, parts::find_mesh_parts(denoiser, {body.points, body.triangles, body.colors},
                                                                  cli::mesh_settings(settings.network)));
  table.seconds += watch.seconds();
  const std::vector<double> areas = areas_of(body);
  const metrics::PartAgreement agreement = metrics::part_agreement(found.triangles, body.labels, areas);
  table.network.add(agreement);
  table.means.add(
      metrics::part_agreement(k_means(features_of(body), std::max(1, agreement.found_parts)), body.labels, areas));
  table.pieces.add(metrics::part_agreement(connected_pieces(body), body.labels, areas));
  spdlog::info("{}: ARI {:.3f}, mIoU {:.3f}, {} parts for {}", body.name, agreement.ari, agreement.miou,
               agreement.found_parts, agreement.true_parts);
  return Done{};
}

void report_table(const std::string& name, const Table& table, const char* ari_aim, const char* miou_aim,
                  Report& report) {
  if (table.network.bodies == 0) return;
  table.network.report(name, ari_aim, miou_aim, report);
  table.means.report(name + ", k-means, as many", "", "", report);
  table.pieces.report(name + ", connected pieces", "", "", report);
  report.rows.push_back({name + "/time of a mesh", table.seconds / table.network.bodies, "s", "<= 15", ""});
}

Result<Report> measure(const PartsSettings& settings) {
  LIMBER_TRY(const parts::PartsDenoiser denoiser, cli::open_parts_network(settings.network));
  Report report{"parts: labels of triangles against the parts that move by themselves", {}};
  Table zoo, artists;
  for (int i = 0; i < settings.creatures; ++i) {
    const auto body = training::creature_with_parts(1000 * settings.seed + static_cast<std::uint64_t>(i));
    if (body.ok()) LIMBER_CHECK_OK(measure_body(*body, denoiser, settings, zoo));
  }
  report_table("zoo, bodies of other seeds", zoo, ">= 0.72", ">= 0.6", report);

  const fs::path root = fs::path(settings.split).parent_path();
  for (const std::string& name : split_list(settings.split, "test")) {
    if (name.find(settings.only) == std::string::npos) continue;
    const Result<asset::Asset> asset = asset::read_asset(root / name);
    if (!asset.ok()) continue;
    const Result<parts::RiggedParts> truth = parts::rigged_parts(*asset);
    if (!truth.ok() || truth->parts.count < 2) continue;
    training::KnownParts body{
        fs::path(name).stem().string(), truth->mesh.points, truth->mesh.triangles, truth->mesh.colors, {}};
    body.labels.assign(truth->parts.part_of_triangle.begin(), truth->parts.part_of_triangle.end());
    LIMBER_CHECK_OK(measure_body(body, denoiser, settings, artists));
  }
  report_table("artists' test rigs", artists, ">= 0.62", ">= 0.52", report);
  return report;
}

}  // namespace

void add_parts_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<PartsSettings>();
  CLI::App& command =
      add_subject(bench, terminal,
                  {"parts", "Parts of meshes, against those that move by themselves",
                   "  limber bench parts --creatures 16\n  limber bench parts --creatures 0 --only humanoid"},
                  *settings, [settings] { return measure(*settings); });
  command.add_option("--creatures", settings->creatures, "Bodies of the zoo")->capture_default_str();
  command.add_option("--split", settings->split, "Its list `test` names artists' models")->capture_default_str();
  command.add_option("--only", settings->only, "Of them, those with this in their names");
  command.add_option("--model", settings->network.model, "The network, where it is not the one that ships");
  command.add_option("--view-sets", settings->network.view_sets, "Looks from all sides")->capture_default_str();
  command.add_option("--steps", settings->network.steps, "Of drawing")->capture_default_str();
}

}  // namespace limber::bench
