// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "command.h"
#include "evaluate_parts.h"
#include "limber/asset/formats.h"
#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/metrics/rig_metrics.h"
#include "limber/metrics/rigged_surface.h"
#include "limber/metrics/skin_metrics.h"
#include "limber/report/reports.h"
#include "limber/rig/rig_text.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct EvaluateOptions {
  std::vector<std::string> files;
  double filter = 0.15;
};

/// A rig to compare, and the subject it came from where it is no text.
struct LoadedRig {
  metrics::RiggedSurface surface;
  std::shared_ptr<const rig::Subject> subject;
};

// --- reading ---------------------------------------------------------------------------------------------------------

/// The OBJ that belongs to a rig text: beside it, or in RigNet's folder of meshes beside its own.
Result<fs::path> surface_of(const fs::path& text) {
  const fs::path beside = fs::path(text).replace_extension(".obj");
  const fs::path folder = text.parent_path().parent_path() / "obj" / beside.filename();
  for (const fs::path& path : {beside, folder}) {
    if (fs::exists(path)) return path;
  }
  return Error{"a rig text needs its mesh, " + beside.filename().string() + ", beside it or in ../obj", text.string()};
}

Result<LoadedRig> load_rig(const fs::path& path) {
  if (path.extension() != ".txt") {
    LIMBER_TRY(const asset::Asset asset, asset::read_asset(path));
    LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
    LoadedRig loaded{metrics::rigged_surface(asset, subject), nullptr};
    loaded.subject = std::make_shared<const rig::Subject>(std::move(subject));
    return loaded;
  }
  LIMBER_TRY(const Bytes text, read_file(path));
  LIMBER_TRY(const rig::TextRig rig, rig::read_rig_text(as_text(text), path.filename().string()));
  LIMBER_TRY(const fs::path mesh, surface_of(path));
  LIMBER_TRY(const Bytes obj, read_file(mesh));
  LIMBER_TRY(const rig::TextSurface surface, rig::read_obj_surface(as_text(obj), mesh.filename().string()));
  return LoadedRig{metrics::rigged_surface(rig, surface), nullptr};
}

struct Pair {
  fs::path predicted, truth;
};

bool holds_rig(const asset::Format& format) { return format.reads() && format.skins; }

bool is_rig(const fs::path& path) {
  const asset::Format* format = asset::find_format(path);
  return path.extension() == ".txt" || (format != nullptr && holds_rig(*format));
}

/// Pairs as given, or the files of two folders paired by their names; a truth without prediction is a failure.
Result<std::vector<Pair>> find_pairs(const std::vector<std::string>& files) {
  std::vector<Pair> pairs;
  if (files.size() == 2 && fs::is_directory(files[0]) && fs::is_directory(files[1])) {
    std::map<std::string, fs::path> predicted;
    for (const auto& entry : fs::directory_iterator(files[0])) {
      if (is_rig(entry.path())) predicted[entry.path().stem().string()] = entry.path();
    }
    for (const auto& entry : fs::directory_iterator(files[1])) {
      if (is_rig(entry.path())) pairs.push_back({predicted[entry.path().stem().string()], entry.path()});
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.truth < b.truth; });
    if (pairs.empty()) return Error{"has no .txt, " + asset::list_formats(holds_rig, " or "), files[1]};
    return pairs;
  }
  if (files.size() % 2 != 0) return Error{"give pairs of a prediction and its truth, or two folders", ""};
  for (std::size_t i = 0; i < files.size(); i += 2) pairs.push_back({files[i], files[i + 1]});
  return pairs;
}

// --- rigs ------------------------------------------------------------------------------------------------------------

Json rig_summary(const metrics::DistanceSummary& summary) {
  return {{"pairs", summary.total},
          {"valid", summary.valid},
          {"chamfer_x100", report::to_json(summary.mean)},
          {"chamfer_x100_failures_cost_the_diagonal", report::to_json(summary.mean_with_failures)}};
}

void print_rigs(const Json& report) {
  fmt::print("{:<32} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6}  {}\n", "CD x 100", "J2J", "J2B", "B2B", "IoU",
             "P", "R", "edits", "joints", "head, sides");
  for (const Json& pair : report["pairs"]) {
    const std::string name = fs::path(pair["truth"].get<std::string>()).stem().string();
    if (!pair["valid"].get<bool>()) {
      fmt::print("{:<32} failed: {}\n", printable(name), printable(pair["reason"].get<std::string>()));
      continue;
    }
    const Json &chamfer = pair["chamfer_x100"], &scores = pair["joint_scores"];
    const auto flag = [](const Json& value) { return value.is_null() ? "?" : (value.get<bool>() ? "right" : "WRONG"); };
    const Json& facing = pair["facing"];
    const Json& head = facing["head"];  // not a joint: a key of the report
    fmt::print("{:<32} {:>7.3f} {:>7.3f} {:>7.3f} {:>6.3f} {:>6.3f} {:>6.3f} {:>6} {:>6}  {}, {}\n", printable(name),
               chamfer["j2j"].get<double>(), chamfer["j2b"].get<double>(), chamfer["b2b"].get<double>(),
               scores["iou"].get<double>(), scores["precision"].get<double>(), scores["recall"].get<double>(),
               pair["tree_edits"].dump(), pair["joints"].get<int>(), flag(head), flag(facing["sides"]));
  }
  const Json& mean = report["summary"]["chamfer_x100"];
  const Json& all = report["summary"]["chamfer_x100_failures_cost_the_diagonal"];
  fmt::print("{:<32} {:>7.3f} {:>7.3f} {:>7.3f}   {} of {} valid\n", "mean of the valid", mean["j2j"].get<double>(),
             mean["j2b"].get<double>(), mean["b2b"].get<double>(), report["summary"]["valid"].get<int>(),
             report["summary"]["pairs"].get<int>());
  fmt::print("{:<32} {:>7.3f} {:>7.3f} {:>7.3f}\n", "mean, failures cost the diagonal", all["j2j"].get<double>(),
             all["j2b"].get<double>(), all["b2b"].get<double>());
}

// --- skins -----------------------------------------------------------------------------------------------------------

/// Means over the valid pairs, and over all where a failure counts as all wrong.
Json skin_summary(const Json& pairs) {
  Json summary{{"pairs", pairs.size()}, {"valid", 0}};
  int valid = 0;
  for (const char* form : {"puppeteer", "truth_filtered"}) {
    metrics::SkinScores sum;
    valid = 0;
    for (const Json& pair : pairs) {
      if (!pair["valid"].get<bool>()) continue;
      ++valid;
      sum.precision += pair[form]["precision"].get<double>() / 100;
      sum.recall += pair[form]["recall"].get<double>() / 100;
      sum.l1 += pair[form]["l1"].get<double>();
    }
    const int count = std::max(valid, 1);
    const double all = static_cast<double>(std::max<std::size_t>(pairs.size(), 1));
    const double failed = static_cast<double>(pairs.size()) - valid;
    summary[form] = report::to_json(metrics::SkinScores{sum.precision / count, sum.recall / count, sum.l1 / count, 0});
    summary[std::string(form) + "_failures_all_wrong"] =
        report::to_json(metrics::SkinScores{sum.precision / all, sum.recall / all, (sum.l1 + 2 * failed) / all, 0});
  }
  summary["valid"] = valid;
  return summary;
}

void print_skins(const Json& report) {
  fmt::print("{:<32} {:>9} | {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6} | {:>8} {:>8}\n", "", "vertices", "P", "R", "L1",
             "P", "R", "L1", "mean", "max");
  fmt::print("{:<32} {:>9} | {:^20} | {:^20} | {:^17}\n", "", "", "Puppeteer", "truth filtered", "deformation");
  const auto scores = [](const Json& s) {
    return fmt::format("{:>6.1f} {:>6.1f} {:>6.3f}", s["precision"].get<double>(), s["recall"].get<double>(),
                       s["l1"].get<double>());
  };
  for (const Json& pair : report["pairs"]) {
    const std::string name = printable(fs::path(pair["truth"].get<std::string>()).stem().string());
    if (!pair["valid"].get<bool>()) {
      fmt::print("{:<32} failed: {}\n", name, printable(pair["reason"].get<std::string>()));
      continue;
    }
    std::string moved;
    if (pair.contains("deformation")) {
      moved = fmt::format("{:>8.4f} {:>8.4f}", pair["deformation"]["mean"].get<double>(),
                          pair["deformation"]["max"].get<double>());
    }
    fmt::print("{:<32} {:>9} | {} | {} | {}\n", name, pair["vertices"].get<std::size_t>(), scores(pair["puppeteer"]),
               scores(pair["truth_filtered"]), moved);
  }
  fmt::print("{:<32} {:>9} | {} | {} |\n", "mean of the valid",
             fmt::format("{}/{}", report["summary"]["valid"].get<int>(), report["summary"]["pairs"].get<int>()),
             scores(report["summary"]["puppeteer"]), scores(report["summary"]["truth_filtered"]));
}

// --- commands --------------------------------------------------------------------------------------------------------

/// Calls `compare(predicted, truth)` for every pair; what cannot be read is a failure of that pair, unless it is the
/// truth.
template <class Compare>
Result<Json> compare_pairs(const Terminal& terminal, const EvaluateOptions& options, const Compare& compare) {
  LIMBER_TRY(const std::vector<Pair> pairs, find_pairs(options.files));
  Activity activity(terminal, "evaluating");
  Json results = Json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    LIMBER_TRY(LoadedRig truth, load_rig(pairs[i].truth));
    Json result{{"predicted", pairs[i].predicted.string()}, {"truth", pairs[i].truth.string()}};
    const Result<LoadedRig> predicted = pairs[i].predicted.empty()
                                            ? Result<LoadedRig>(Error{"no prediction of that name", ""})
                                            : load_rig(pairs[i].predicted);
    result.update(compare(predicted, truth));
    results.push_back(std::move(result));
    activity.update(static_cast<double>(i + 1) / static_cast<double>(pairs.size()));
  }
  return results;
}

Json failure(const Error& error) { return {{"valid", false}, {"reason", error.message()}}; }

Status evaluate_rigs(const Terminal& terminal, const EvaluateOptions& options) {
  metrics::DistanceSummary summary;
  LIMBER_TRY(Json pairs, compare_pairs(terminal, options, [&](const Result<LoadedRig>& predicted, LoadedRig& truth) {
               truth.surface = metrics::without_idle_joints(std::move(truth.surface));
               if (predicted.ok()) {
                 return report::compare_skeletons(metrics::without_idle_joints(predicted->surface), truth.surface,
                                                  &summary);
               }
               summary.add(std::nullopt, metrics::unit_cube(truth.surface.points).diagonal);
               return failure(predicted.error());
             }));
  const Json report{{"summary", rig_summary(summary)}, {"pairs", pairs}};
  if (terminal.json) {
    print_json(report);
  } else {
    print_rigs(report);
  }
  return Done{};
}

Status evaluate_skins(const Terminal& terminal, const EvaluateOptions& options) {
  LIMBER_TRY(Json pairs,
             compare_pairs(terminal, options, [&](const Result<LoadedRig>& predicted, const LoadedRig& truth) {
               if (!predicted.ok()) return failure(predicted.error());
               return report::compare_skins(predicted->surface, truth.surface, {options.filter, truth.subject.get()});
             }));
  const Json report{{"summary", skin_summary(pairs)}, {"pairs", pairs}};
  if (terminal.json) {
    print_json(report);
  } else {
    print_skins(report);
  }
  return Done{};
}

}  // namespace

void add_evaluate(CLI::App& app, Terminal& terminal) {
  CLI::App* command = app.add_subcommand("evaluate", "Compare rigs, skins or parts with the right ones (for tests)");
  command->require_subcommand(1);
  auto rig = std::make_shared<EvaluateOptions>(), skin = std::make_shared<EvaluateOptions>();
  const std::string files =
      "Pairs of a prediction and its truth, or two folders whose files have the same names; .glb .gltf .fbx, or "
      "RigNet's "
      ".txt with its .obj beside it or in ../obj";
  CLI::App* rigs = add_command(*command, terminal, "rig", "Skeletons: distances, joints, tree, facing",
                               "  limber evaluate rig mine.glb artist.glb\n  limber evaluate rig mine/ artists/ --json",
                               [&terminal, rig] { return evaluate_rigs(terminal, *rig); });
  rigs->add_option("files", rig->files, files)->required()->expected(2, 1 << 20)->type_name("FILE");
  CLI::App* skins =
      add_command(*command, terminal, "skin", "Skin weights on the same skeleton",
                  "  limber evaluate skin mine.glb artist.glb\n  limber evaluate skin mine/ artists/ --json",
                  [&terminal, skin] { return evaluate_skins(terminal, *skin); });
  skins->add_option("files", skin->files, files)->required()->expected(2, 1 << 20)->type_name("FILE");
  skins->add_option("--filter", skin->filter, "Weights below this share of a vertex's heaviest do not count")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("SHARE");
  // Where it went, for those who used to ask it.
  auto motion = std::make_shared<EvaluateOptions>();
  CLI::App* motions =
      add_command(*command, terminal, "motion", "Is now `limber score`", "  limber score fox.glb", [motion] {
        return Status(Error{"is now `limber score FILE`, which measures clips in more ways", "limber evaluate motion",
                            ErrorKind::kUnsupported});
      });
  motions->add_option("files", motion->files, "Any")->type_name("FILE");
  motions->group("");
  add_evaluate_parts(*command, terminal);
}

}  // namespace limber::cli
