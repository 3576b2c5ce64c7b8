// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/rig.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <filesystem>

#include "bench/timing.h"
#include "cli/builtin_models.h"
#include "limber/asset/read.h"
#include "limber/metrics/rigged_surface.h"
#include "limber/skin/heat.h"
#include "limber/skin/reskin.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

std::vector<metrics::SkinRow> joint_rows(const rig::SkinWeights& weights) {
  std::vector<metrics::SkinRow> rows(weights.points());
  const auto stride = static_cast<std::size_t>(weights.stride);
  for (std::size_t k = 0; k < weights.weights.size(); ++k) {
    if (weights.weights[k] > 0) rows[k / stride].push_back({weights.bones[k], weights.weights[k]});
  }
  return rows;
}

/// One bad file must not take the others' figures with it.
std::optional<SkinCase> skin_case(const fs::path& file, int repetitions) {
  SkinCase failed;
  try {
    const Result<asset::Asset> asset = asset::read_asset(file);
    if (asset.ok()) return skin_anew(*asset, repetitions);
    failed.error = asset.error().message();
  } catch (const std::exception& error) {
    failed.error = error.what();
  }
  return failed;
}

void add_means(const std::vector<SkinCase>& cases, Report& report) {
  metrics::SkinScores published, alike;
  double seconds = 0;
  const double n = static_cast<double>(cases.size());
  for (const SkinCase& c : cases) {
    published.precision += c.published.precision / n, published.recall += c.published.recall / n;
    published.l1 += c.published.l1 / n;
    alike.precision += c.alike.precision / n, alike.recall += c.alike.recall / n, alike.l1 += c.alike.l1 / n;
    seconds += c.seconds;
  }
  const std::string models = fmt::format("{} models", cases.size());
  report.rows.push_back({"skin mean/L1 (Puppeteer)", published.l1, "", "<= 0.28", models});
  report.rows.push_back({"skin mean/precision (Puppeteer)", 100 * published.precision, "%", "", models});
  report.rows.push_back(
      {"skin mean/recall (Puppeteer)", 100 * published.recall, "%", "", "at most about 75 for a perfect copy"});
  report.rows.push_back({"skin mean/L1 (truth filtered)", alike.l1, "", "<= 0.25", models});
  report.rows.push_back({"skin mean/precision (truth filtered)", 100 * alike.precision, "%", ">= 88", models});
  report.rows.push_back({"skin mean/recall (truth filtered)", 100 * alike.recall, "%", ">= 90", models});
  report.rows.push_back({"skin time, all models", seconds, "s", "", "best of each"});
}

/// An open tube along y with a chain of joints in it.
struct Tube {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
  std::vector<skin::SkinJoint> joints;
};

Tube make_tube(std::uint32_t rings, std::uint32_t sides, int bones) {
  Tube tube;
  const double length = 12;
  for (std::uint32_t r = 0; r < rings; ++r) {
    for (std::uint32_t s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      tube.points.push_back(Vec3d{std::cos(angle), length * r / (rings - 1), std::sin(angle)}.cast<float>());
      const std::uint32_t next = (s + 1) % sides;
      if (r == 0) continue;
      const std::uint32_t below = (r - 1) * sides, here = r * sides;
      tube.triangles.push_back({below + s, here + s, below + next});
      tube.triangles.push_back({below + next, here + s, here + next});
    }
  }
  for (int b = 0; b < bones; ++b) {
    skin::SkinJoint joint;
    joint.position = {0, length * b / bones, 0};
    joint.parent = b - 1;
    tube.joints.push_back(joint);
  }
  return tube;
}

/// Times at the size that the aim is stated for. Processor time is that of all threads together.
void add_time_rows(int repetitions, Report& report) {
  const Tube tube = make_tube(300, 32, 60);
  double heat = 1e300, heat_cpu = 1e300, all = 1e300, all_cpu = 1e300;
  const auto cpu_seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  for (int run = 0; run < repetitions; ++run) {
    const skin::SkinBody body = skin::make_skin_body(tube.points, tube.triangles);
    const Stopwatch heat_watch;
    double cpu = cpu_seconds();
    const std::vector<skin::SkinBone> bones = skin::skin_bones(body, tube.joints);
    skin::skin_heat(body, bones, skin::bind_to_bones(body, bones));
    heat = std::min(heat, heat_watch.seconds()), heat_cpu = std::min(heat_cpu, cpu_seconds() - cpu);
    const Stopwatch all_watch;
    cpu = cpu_seconds();
    skin::solve_skin(tube.points, tube.triangles, tube.joints);
    all = std::min(all, all_watch.seconds()), all_cpu = std::min(all_cpu, cpu_seconds() - cpu);
  }
  const std::string size = fmt::format("{} points/{} bones", tube.points.size(), tube.joints.size());
  report.rows.push_back({"skin time/heat/" + size, heat, "s", "<= 0.3",
                         fmt::format("{:.3f} s of processor time; bones, binding and weights", heat_cpu)});
  report.rows.push_back({"skin time/solve_skin/" + size, all, "s", "",
                         fmt::format("{:.3f} s of processor time; with the solid and the range of motion", all_cpu)});
}

void add_skin_rows(const RigSettings& settings, Report& report) {
  std::vector<SkinCase> cases;
  for (const fs::path& file : chosen_files(settings, {".glb", ".gltf", ".fbx"})) {
    std::optional<SkinCase> result = skin_case(file, std::min(settings.repetitions, 3));
    if (!result) continue;
    result->name = fs::relative(file, settings.assets).replace_extension().string();
    spdlog::info("skin {}: {}", result->name,
                 result->error.empty() ? fmt::format("L1 {:.3f}", result->published.l1) : "FAILED: " + result->error);
    if (result->error.empty()) {
      cases.push_back(std::move(*result));
    } else {
      report.rows.push_back({"skin/" + result->name, 0, "valid", "", "FAILED: " + result->error});
    }
  }
  // The worst last, where they are seen.
  std::stable_sort(cases.begin(), cases.end(),
                   [](const SkinCase& a, const SkinCase& b) { return a.published.l1 < b.published.l1; });
  for (const SkinCase& c : cases) {
    report.rows.push_back(
        {"skin L1/" + c.name, c.published.l1, "", "",
         fmt::format("filtered {:.1f} {:.1f} {:.3f}, {} vertices, {} bones, {:.0f} ms", 100 * c.alike.precision,
                     100 * c.alike.recall, c.alike.l1, c.vertices, c.bones, 1000 * c.seconds)});
  }
  if (!cases.empty()) add_means(cases, report);
  if (settings.only.empty()) add_time_rows(settings.repetitions, report);
}

Result<Report> bench_rig(const RigSettings& settings) {
  // Figures that were measured without the reader would look like its own.
  LIMBER_TRY(const anatomy::ReadBody reader, cli::open_body_reader(settings.reader));
  Report report{"rig: weights on the models' own skeletons, then new skeletons, against their own", {}};
  if (holds_name(settings.groups, "skin")) add_skin_rows(settings, report);
  if (holds_name(settings.groups, "skeletons")) add_skeleton_rows(settings, reader, report);
  if (holds_name(settings.groups, "bodies")) add_body_rows(settings, reader, report);
  if (holds_name(settings.groups, "attitudes")) add_attitude_rows(settings, reader, report);
  if (holds_name(settings.groups, "dirt")) add_dirt_rows(settings, reader, report);
  return report;
}

}  // namespace

std::vector<fs::path> chosen_files(const RigSettings& settings, const std::vector<std::string>& extensions) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator it(settings.assets, code), end; !code && it != end; it.increment(code)) {
    const std::string path = it->path().generic_string();
    if (!it->is_regular_file() || path.find(settings.only) == std::string::npos) continue;
    const std::string extension = it->path().extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<SkinCase> skin_anew(const asset::Asset& asset, int repetitions) {
  const bool skinned = std::any_of(asset.nodes.begin(), asset.nodes.end(),
                                   [](const asset::Node& node) { return node.mesh >= 0 && node.skin >= 0; });
  const Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!skinned || !subject.ok()) return std::nullopt;
  SkinCase result;
  result.seconds = 1e300;
  skin::Reskinned skin;
  for (int run = 0; run < repetitions; ++run) {
    const Stopwatch watch;
    Result<skin::Reskinned> solved = skin::reskin(asset, *subject);
    if (!solved.ok()) {
      result.error = solved.error().message();
      return result;
    }
    result.seconds = std::min(result.seconds, watch.seconds());
    skin = std::move(*solved);
  }
  const metrics::RiggedSurface truth = metrics::rigged_surface(asset, *subject);
  std::vector<metrics::SkinRow> true_rows;
  for (const std::size_t point : skin.points) true_rows.push_back(truth.weights[point]);
  for (const skin::SkinJoint& joint : skin.joints) result.bones += joint.deforms ? 1 : 0;
  if (result.bones < 2) return std::nullopt;
  result.vertices = skin.points.size();
  const std::vector<metrics::SkinRow> rows = joint_rows(skin.weights);
  result.published = metrics::skin_scores(rows, true_rows);
  metrics::SkinScoreSettings alike;
  alike.filter_truth = true;
  result.alike = metrics::skin_scores(rows, true_rows, alike);
  return result;
}

void add_rig_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<RigSettings>();
  CLI::App& command = add_timed_subject(
      bench, terminal,
      {"rig", "Skeletons, weights, kinds and fronts against those of artists and the zoo",
       "  limber-lab bench rig --assets ../shared/assets --poses 40\n  limber-lab bench rig --groups bodies\n"
       "  limber-lab bench rig --groups attitudes --attitudes 48\n"
       "  limber-lab bench rig --groups dirt --creatures 48"},
      *settings, [settings] { return bench_rig(*settings); });
  command.add_option("--assets", settings->assets, "A folder of rigged models, searched through")
      ->capture_default_str()
      ->type_name("DIR");
  command.add_option("--only", settings->only, "Only files whose path contains this")->type_name("TEXT");
  add_groups_option(command, settings->groups, {"skin", "skeletons", "bodies", "attitudes", "dirt"});
  command.add_option("--reader", settings->reader, "As `limber rig --reader`")->default_str("auto")->type_name("DIR");
  command.add_option("--split", settings->split, "JSON whose list `train` names models that the reader has seen")
      ->capture_default_str()
      ->type_name("FILE");
  command.add_option("--creatures", settings->creatures, "Creatures of the zoo, turned or dirty, to recognise")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--attitudes", settings->attitudes, "Attitudes of each body, of the 24 and their mirror images")
      ->check(CLI::Range(0, 48))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--poses", settings->poses, "Instants of the models' clips to recognise")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str()
      ->type_name("N");
}

}  // namespace limber::bench
