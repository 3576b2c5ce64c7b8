// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "limber/asset/pose.h"
#include "limber/base/stopwatch.h"
#include "limber/nn/safetensors.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/refine.h"

namespace limber::cli {
namespace {

constexpr int kUnseenViews = 20;

struct SplatOptions {
  std::string input, output, skin, report;
  std::size_t count = 20000;
  bool no_refine = false, lit = false;
  scene::RefineSettings refine;
};

/// Pictures to learn from are kept, at four bytes a pixel.
constexpr double kMaxAlbumPixels = 1 << 29;

/// What was measured.
struct Outcome {
  std::size_t gaussians = 0;
  scene::Likeness before;
  std::optional<scene::Likeness> after;
  int steps = 0, degree = 0;
  double sample_seconds = 0, refine_seconds = 0;
};

/// Views that refinement does not get to see: it takes those of `seed`.
std::vector<scene::Camera> unseen_views(const scene::Box& box, const SplatOptions& options) {
  return scene::random_views(box, kUnseenViews, options.refine.size, options.refine.seed + 0x9e3779b97f4a7c15ull);
}

Status refine_splats(const Terminal& terminal, const SplatOptions& options, const scene::Box& box,
                     const scene::ViewRenderer& render, splat::Gaussians& gaussians, Outcome& outcome) {
  Activity activity(terminal, "refining");
  const auto tell = [&](std::string_view stage, double fraction) {
    activity.say(std::string(stage));
    activity.update(fraction);
    return true;
  };
  LIMBER_TRY(const scene::RefineReport report, scene::refine(gaussians, box, render, options.refine, tell));
  outcome.steps = report.steps;
  outcome.refine_seconds = report.seconds;
  return Done{};
}

/// From the subject's world to the asset's own.
void move_to_asset(const Affined& asset_from_world, splat::Gaussians& gaussians) {
  const auto scale = static_cast<float>(norm(asset_from_world.linear.column(0)));
  for (Vec3& mean : gaussians.means) mean = (asset_from_world * mean.cast<double>()).cast<float>();
  for (Vec3& scales : gaussians.scales) scales *= scale;
}

/// Which joints move each Gaussian, and how much: beside the PLY, whose viewers would not know what to make of it.
Status write_skin(const splat::Gaussians& gaussians, const rig::Rig& rig, const std::string& path) {
  nlohmann::json names = nlohmann::json::array();
  for (const rig::Joint& joint : rig.joints()) names.push_back(joint.name);
  std::vector<std::int32_t> joints;
  for (const std::uint16_t bone : gaussians.bones) joints.push_back(rig.bones()[bone].joint);
  const nn::Shape shape{static_cast<std::int64_t>(gaussians.size()), gaussians.influences};
  return nn::write_safetensors(path,
                               {{"joints", {nn::Dtype::kI32, shape, std::as_bytes(std::span(joints))}},
                                {"weights", {nn::Dtype::kF32, shape, std::as_bytes(std::span(gaussians.weights))}}},
                               {{{"joint_names", names.dump()}}, 0});
}

nlohmann::ordered_json to_json(const scene::Likeness& likeness) {
  return {{"psnr", likeness.psnr}, {"body_psnr", likeness.body_psnr}};
}

nlohmann::ordered_json outcome_json(const SplatOptions& options, const Outcome& outcome,
                                    const std::vector<std::string>& warnings) {
  nlohmann::ordered_json json{{"limber", LIMBER_VERSION},
                              {"command", "splat"},
                              {"input", options.input},
                              {"output", options.output},
                              {"gaussians", outcome.gaussians},
                              {"degree", outcome.degree},
                              {"views", options.refine.views},
                              {"size", options.refine.size},
                              {"seed", options.refine.seed},
                              {"unseen_views", kUnseenViews},
                              {"sampled", to_json(outcome.before)},
                              {"sample_seconds", outcome.sample_seconds}};
  if (outcome.after) {
    json["refined"] = to_json(*outcome.after);
    json["refine_seconds"] = outcome.refine_seconds;
    json["steps"] = outcome.steps;
  }
  if (!options.skin.empty()) json["skin"] = options.skin;
  json["warnings"] = warnings;
  return json;
}

Result<Outcome> make_splats(const Terminal& terminal, const SplatOptions& options, const scene::Body& body,
                            const asset::Asset& asset, splat::Gaussians& gaussians) {
  Outcome outcome;
  const Stopwatch sampling;
  scene::BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  const scene::Box box = scene::pose_box(body.mesh(), pose);
  {
    const Activity activity(terminal, fmt::format("sampling {} Gaussians", options.count));
    gaussians = scene::body_gaussians(body, pose, scene::fine_sampling(options.count, options.refine.seed),
                                      box.empty() ? 0.0f : scene::silhouette_inset(box, options.refine.size));
  }
  outcome.gaussians = gaussians.size();
  outcome.sample_seconds = sampling.seconds();
  if (gaussians.size() == 0 || box.empty()) return Error{"there is no surface to cover", asset.name};

  const scene::ViewRenderer render = scene::body_renderer(body, pose, options.lit);
  const std::vector<scene::Camera> unseen = unseen_views(box, options);
  outcome.before = scene::compare_views(gaussians, render, unseen);
  spdlog::info("{} Gaussians in {:.2f} s: {:.2f} dB on {} unseen views ({:.2f} dB on the body)", gaussians.size(),
               outcome.sample_seconds, outcome.before.psnr, kUnseenViews, outcome.before.body_psnr);
  if (options.no_refine) return outcome;
  LIMBER_CHECK_OK(refine_splats(terminal, options, box, render, gaussians, outcome));
  outcome.degree = gaussians.degree;
  outcome.after = scene::compare_views(gaussians, render, unseen);
  spdlog::info("refined in {:.1f} s: {:.2f} dB ({:.2f} dB on the body)", outcome.refine_seconds, outcome.after->psnr,
               outcome.after->body_psnr);
  return outcome;
}

Status run_splat(const Terminal& terminal, const SplatOptions& options) {
  if (std::filesystem::path(options.output).extension() != ".ply") {
    return Error{"splats are written as .ply", options.output, ErrorKind::kUnsupported};
  }
  if (!options.skin.empty() && std::filesystem::path(options.skin).extension() != ".safetensors") {
    return Error{"skin weights are written as .safetensors", options.skin, ErrorKind::kUnsupported};
  }
  const double pixels = static_cast<double>(options.refine.views) * options.refine.size * options.refine.size;
  if (!options.no_refine && pixels > kMaxAlbumPixels) {
    return Error{fmt::format("{} views of {} pixels a side do not fit into memory: ask for fewer or smaller ones",
                             options.refine.views, options.refine.size),
                 options.input, ErrorKind::kOutOfMemory};
  }
  LIMBER_TRY(const asset::Asset asset, read_asset_file(terminal, options.input));
  LIMBER_TRY(const scene::Body body, scene::Body::from_asset(asset));
  for (const std::string& warning : body.warnings()) spdlog::warn("{}", printable(warning));
  if (!options.skin.empty() && !body.subject()) return Error{"--skin needs a rigged asset", asset.name};

  splat::Gaussians gaussians;
  LIMBER_TRY(const Outcome outcome, make_splats(terminal, options, body, asset, gaussians));
  move_to_asset(inverse(body.world_from_asset()), gaussians);
  if (!options.skin.empty()) LIMBER_CHECK_OK(write_skin(gaussians, body.subject()->rig, options.skin));
  LIMBER_CHECK_OK(splat::write_splat_ply(gaussians, options.output));
  const nlohmann::ordered_json json = outcome_json(options, outcome, body.warnings());
  if (!options.report.empty()) LIMBER_CHECK_OK(write_json(json, options.report));
  if (terminal.json) {
    print_json(json);
  }
  announce_file(terminal, options.output);
  return Done{};
}

}  // namespace

void add_splat(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<SplatOptions>();
  CLI::App* command =
      add_command(app, terminal, "splat", "Turn a model into Gaussian splats (soft blobs), for their viewers",
                  "  limber splat fox.glb -o fox.ply\n"
                  "  limber splat fox.glb -o fox.ply --no-refine\n"
                  "  limber splat fox.glb -o fox.ply --skin fox.safetensors\n"
                  "  limber splat statue.obj -o statue.ply --count 100000 --degree 2 --lit\n"
                  "The PLY opens in splat viewers; it stands where the model stands, at rest.",
                  [&terminal, options] { return run_splat(terminal, *options); });
  command->add_option("input", options->input, "The asset to read")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "Where to write, .ply")->required()->type_name("FILE");
  command->add_option("--count", options->count, "How many Gaussians")
      ->check(CLI::Range(1, 5000000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--degree", options->refine.degree, "Spherical harmonics for colours that change with the view")
      ->check(CLI::Range(0, 3))
      ->capture_default_str()
      ->type_name("0..3");
  command->add_flag("--no-refine,!--refine", options->no_refine,
                    "Keep the Gaussians as sampled, without optimising them against pictures of the mesh");
  command->add_option("--views", options->refine.views, "Pictures to learn from")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--size", options->refine.size, "Their size in pixels")
      ->check(CLI::Range(16, 2048))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--steps", options->refine.steps, "Steps of gradient descent")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--seconds", options->refine.seconds, "Refine no longer than this; 0: until all steps are done")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->type_name("S");
  command->add_flag("--lit", options->lit, "Learn from lit pictures, as `limber render` draws them");
  command->add_option("--skin", options->skin, "Write the joints that move each Gaussian here, .safetensors")
      ->type_name("FILE");
  command->add_option("--seed", options->refine.seed, "Same seed, same result")->capture_default_str()->type_name("N");
  command->add_option("--report", options->report, "Write what was measured as JSON")->type_name("FILE");
  command->parse_complete_callback([command, options] {
    for (const char* option : {"--degree", "--views", "--steps", "--seconds"}) {
      if (!options->no_refine || command->count(option) == 0) continue;
      throw CLI::ValidationError(fmt::format("--no-refine and {}", option),
                                 "contradict each other: it is about the refinement");
    }
  });
}

}  // namespace limber::cli
