// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include "builtin_models.h"
#include "command.h"
#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/autorig/auto_rig.h"
#include "limber/base/files.h"
#include "limber/distill/loss_plot.h"
#include "limber/exporter/exporter.h"
#include "limber/lift/video_lift.h"
#include "limber/lift/video_sample.h"
#include "limber/metrics/axes.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct AnimateOptions {
  std::string input, output, prompt_argument, video, prior, name, report, preview, losses;
  std::string quality = "standard", physics = "auto", forward = "auto", device = "auto";
  bool no_preview = false, anyway = false, fresh = false;
  animate::AnimateSettings settings;
};

/// What is written beside the result: `walk.glb` -> `walk` + `ending`.
std::string beside(const std::string& output, const char* ending) {
  return fs::path(output).replace_extension().string() + ending;
}

// --- the subject -----------------------------------------------------------------------------------------------------

bool has_skin(const asset::Asset& asset) {
  return std::any_of(asset.nodes.begin(), asset.nodes.end(),
                     [](const asset::Node& node) { return node.mesh >= 0 && node.skin >= 0; });
}

/// The asset's own rig, or a new one.
struct Cast {
  asset::Asset asset;
  rig::Subject subject;
  bool rigged = false;  ///< by limber, now
};

Result<Cast> cast_subject(const Terminal& terminal, const std::string& path) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, path));
  if (has_skin(asset) || !asset.clips.empty()) {
    LIMBER_TRY(rig::Subject subject, rig::subject_from_asset(asset));
    return Cast{std::move(asset), std::move(subject), false};
  }
  Activity activity(terminal, "rigging");
  autorig::AutoRigSettings settings;
  LIMBER_TRY(settings.reader, open_body_reader());
  LIMBER_TRY(autorig::AutoRig rigged, autorig::auto_rig(asset, settings, [&](std::string_view, double fraction) {
               activity.update(fraction);
               return true;
             }));
  spdlog::info("there is no skeleton, so it got one: {} joints", rigged.subject.rig.joint_count());
  LIMBER_CHECK_OK(exporter::add_rig(asset, rigged.subject, {4, "skeleton"}));
  return Cast{std::move(asset), std::move(rigged.subject), true};
}

/// The way the body faces: as asked, or as joints and shape tell.
Result<Vec3> forward_of(const AnimateOptions& options, const Cast& cast, std::vector<std::string>& warnings) {
  static const std::vector<std::pair<std::string, Vec3>> kAxes{
      {"+X", {1, 0, 0}}, {"-X", {-1, 0, 0}}, {"+Z", {0, 0, 1}}, {"-Z", {0, 0, -1}}};
  for (const auto& [name, axis] : kAxes) {
    if (options.forward == name) return axis;
  }
  const Vec3 known = cast.subject.facing.forward;
  if (cast.subject.facing.known()) return known;
  const metrics::AxesGuess guess = metrics::guess_axes(cast.asset);
  const Vec3 axis{static_cast<float>(guess.forward.axis.x), 0, static_cast<float>(guess.forward.axis.z)};
  if (norm(axis) < 0.5f || guess.forward.confidence < 0.5) return known;
  const Vec3 unit = normalized(axis, {0, 0, 1});
  if (dot(unit, known) < 0.9f) {
    warnings.push_back(fmt::format("it seems to face ({:.1f}, {:.1f}, {:.1f}), not +Z: {}; --forward says otherwise",
                                   unit.x, unit.y, unit.z, guess.forward.reason));
  }
  return unit;
}

// --- reports ---------------------------------------------------------------------------------------------------------

Json to_json(const metrics::Gait& gait, const rig::Rig& rig, const std::vector<metrics::LimbEnd>& ends) {
  Json limbs = Json::array();
  // Phases along the axis in which the limbs swing most together.
  std::size_t axis = 2;
  std::array<double, 3> sums{};
  for (const metrics::LimbSwing& limb : gait.limbs) {
    for (std::size_t k = 0; k < 3; ++k) sums[k] += std::norm(limb.swings[0][k]);
  }
  axis = static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  for (std::size_t i = 0; i < gait.limbs.size(); ++i) {
    const double phase = std::arg(gait.limbs[i].swings[0][axis]) / (2 * kPi);
    limbs.push_back({{"joint", rig.joints()[static_cast<std::size_t>(ends[i].joint)].name},
                     {"phase", phase - std::floor(phase)},
                     {"amplitude", gait.limbs[i].amplitude()}});
  }
  return {{"frequency_hz", gait.frequency},
          {"explained", gait.explained},
          {"speed", norm(gait.velocity)},
          {"movement", gait.movement},
          {"phase_axis", std::string(1, "xyz"[axis])},
          {"limbs", limbs}};
}

Json to_json(const metrics::MotionMetrics& m) {
  return {{"skate_per_second", m.skate}, {"penetration", m.penetration},       {"mean_penetration", m.mean_penetration},
          {"float", m.floating},         {"limit_excess_rad", m.limit_excess}, {"peak_speed_rad_per_s", m.peak_speed},
          {"mean_jerk", m.mean_jerk},    {"loop_gap_rad", m.loop_gap},         {"not_finite", m.not_finite}};
}

/// Confidence per joint, mean over the clip, and where it comes from most.
Json observed_json(const lift::Observability& observed, const rig::Rig& rig) {
  Json joints = Json::object();
  for (int j = 0; j < observed.joints; ++j) {
    double sum = 0;
    std::array<int, 3> sources{};
    for (int f = 0; f < observed.frames; ++f) {
      sum += observed.confidence[observed.index(f, j)];
      ++sources[static_cast<std::size_t>(observed.sources[observed.index(f, j)])];
    }
    const auto most = std::max_element(sources.begin(), sources.end()) - sources.begin();
    joints[rig.joints()[static_cast<std::size_t>(j)].name] = {
        {"confidence", std::round(100 * sum / std::max(observed.frames, 1)) / 100},
        {"source", lift::name(static_cast<lift::MotionSource>(most))}};
  }
  return joints;
}

Json candidate_json(const animate::Candidate& c) {
  return {{"seed", c.seed}, {"residual", c.lifted.fit.residual}, {"score", c.score},
          {"fits", c.fits}, {"speed", norm(c.gait.velocity)},    {"frequency_hz", c.gait.frequency}};
}

Json report_json(const AnimateOptions& options, const Cast& cast, const animate::Animation& a, double seconds) {
  const animate::AnimateSettings& s = options.settings;
  Json report{{"limber", LIMBER_VERSION},
              {"command", "animate"},
              {"input", options.input},
              {"output", options.output},
              {"prompt", s.prompt},
              {"video", options.video},
              {"settings",
               {{"quality", animate::name(s.quality)},
                {"seed", s.seed},
                {"guidance", s.guidance},
                {"loop", s.loop},
                {"in_place", s.in_place},
                {"fps", s.fps},
                {"physics", options.physics},
                {"forward", {s.forward.x, s.forward.y, s.forward.z}}}},
              {"rigged", cast.rigged},
              {"frames", a.motion.frame_count()},
              {"seconds_of_motion", a.motion.frame_count() / a.motion.fps}};
  report["motion"] = to_json(a.gait, cast.subject.rig, a.ends);
  report["metrics"] = to_json(a.metrics);
  if (a.prior_score >= 0) report["prior_score"] = a.prior_score;
  Json candidates = Json::array();
  for (const animate::Candidate& candidate : a.candidates) candidates.push_back(candidate_json(candidate));
  report["candidates"] = candidates;
  if (a.distilled) {
    report["distillation"] = {{"iterations", a.distilled->iterations},
                              {"skipped", a.distilled->skipped},
                              {"resumed_from", a.distilled->resumed_from.value_or(-1)},
                              {"last_loss", a.distilled->history.empty() ? 0.0 : a.distilled->history.back().total}};
  }
  if (a.grounded) {
    report["ground"] = {
        {"habitat", physics::name(a.grounded->reference.habitat)}, {"reason", a.grounded->reference.habitat_reason},
        {"simulated", a.grounded->track.iterations > 0},           {"joint_error_deg", a.grounded->track.joint_error},
        {"assist_force", a.grounded->track.assist_force},          {"polish_deg", a.grounded->polish * 180 / kPi}};
  }
  if (a.observed.frames > 0) report["confidence"] = observed_json(a.observed, cast.subject.rig);
  report["timings"] = {{"sample", a.seconds.sample},
                       {"lift", a.seconds.lift},
                       {"distill", a.seconds.distill},
                       {"ground", a.seconds.ground},
                       {"all", seconds}};
  report["units"] = "lengths in heights of the body, angles in radians unless the name says otherwise";
  report["warnings"] = a.warnings;
  return report;
}

/// What a clip carries along: how it came about, and how sure each joint is in each frame.
std::string clip_extras(const AnimateOptions& options, const Cast& cast, const animate::Animation& a,
                        std::uint64_t seed) {
  Json extras{{"version", LIMBER_VERSION},
              {"prompt", options.settings.prompt},
              {"seed", seed},
              {"quality", animate::name(options.settings.quality)}};
  if (a.observed.frames > 0) {
    Json names = Json::array(), rows = Json::array();
    for (const rig::Joint& joint : cast.subject.rig.joints()) names.push_back(joint.name);
    for (int f = 0; f < a.observed.frames; ++f) {
      Json row = Json::array();
      for (int j = 0; j < a.observed.joints; ++j) {
        row.push_back(static_cast<int>(std::lround(100 * a.observed.confidence[a.observed.index(f, j)])));
      }
      rows.push_back(row);
    }
    extras["confidence"] = {{"fps", a.lifted.fps}, {"joints", names}, {"percent", rows}};
  }
  return Json{{"limber", extras}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print_summary(const animate::Animation& a) {
  fmt::print("  {:.1f} s of motion, {:.2f} heights/s, {:.2f} cycles/s\n", a.motion.frame_count() / a.motion.fps,
             norm(a.gait.velocity), a.gait.frequency);
  fmt::print("  skate {:.2f} % of height/s, penetration {:.2f} %, float {:.2f} %\n", 100 * a.metrics.skate,
             100 * a.metrics.penetration, 100 * a.metrics.floating);
  fmt::print("  sampled in {:.0f} s, lifted in {:.0f} s, distilled in {:.0f} s, grounded in {:.0f} s\n",
             a.seconds.sample, a.seconds.lift, a.seconds.distill, a.seconds.ground);
}

// --- the work --------------------------------------------------------------------------------------------------------

Result<animate::Animation> from_video(const AnimateOptions& options, const Cast& cast) {
  LIMBER_TRY(const lift::SampledVideo video, lift::sample_video(options.video));
  lift::VideoLiftSettings lifting;
  lifting.progress = options.settings.progress;
  const auto start = std::chrono::steady_clock::now();
  LIMBER_TRY(lift::VideoLift lifted, lift::lift_video(cast.subject, &cast.asset, video.frames, video.fps, lifting));
  animate::Animation animation;
  animation.prior_score = -1;
  if (!video.whole) animation.warnings.push_back(fmt::format("only the first {} frames were looked at", video.read));
  for (const std::string& warning : lifted.report.warnings) animation.warnings.push_back(warning);
  if (!lifted.report.trusted) {
    std::string reasons;
    for (const std::string& reason : lifted.report.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
    if (!options.anyway) {
      return Error{"the video does not tell how this body moves: " + reasons + " (--anyway writes what there is)",
                   options.video};
    }
    animation.warnings.push_back("the motion is not to be trusted: " + reasons);
  }
  animation.lifted = std::move(lifted.motion);
  animation.observed = std::move(lifted.observability);
  animation.ends = metrics::limb_ends(cast.subject);
  animation.seconds.lift = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  LIMBER_CHECK_OK(animate::finish(cast.subject, options.settings, animation));
  return animation;
}

Result<animate::Animation> from_prompt(const AnimateOptions& options, const Cast& cast) {
  std::string folder = options.prior;
  if (folder.empty()) {
    LIMBER_TRY(folder, find_builtin_prior());
  }
  prior::LoadSettings loading;
  loading.device = options.device;
  LIMBER_TRY(const std::unique_ptr<prior::VideoPrior> model, prior::load_prior(folder, loading));
  return animate::animate(cast.subject, &cast.asset, *model, options.settings);
}

std::string clip_name(const AnimateOptions& options) {
  if (!options.name.empty()) return options.name;
  if (!options.settings.prompt.empty()) return options.settings.prompt;
  return fs::path(options.video).stem().string();
}

Status add_clip(const AnimateOptions& options, Cast& cast, const animate::Animation& animation,
                const kinematics::Motion& motion, const std::string& name, std::uint64_t seed) {
  LIMBER_CHECK_OK(exporter::add_clip(cast.asset, cast.subject, motion, {.name = name}));
  cast.asset.clips.back().extras = clip_extras(options, cast, animation, seed);
  return Done{};
}

/// The result as the first new clip; the other samples, where they were asked for, after it.
Status add_clips(const AnimateOptions& options, Cast& cast, const animate::Animation& animation) {
  const std::string name = clip_name(options);
  const std::uint64_t seed = animation.candidates.empty() ? options.settings.seed : animation.candidates.front().seed;
  LIMBER_CHECK_OK(add_clip(options, cast, animation, animation.motion, name, seed));
  if (options.settings.candidates <= 1) return Done{};
  for (std::size_t i = 1; i < animation.candidates.size(); ++i) {
    LIMBER_TRY(const kinematics::Motion motion,
               animate::finish_candidate(cast.subject, options.settings, animation, i));
    LIMBER_CHECK_OK(
        add_clip(options, cast, animation, motion, fmt::format("{} {}", name, i + 1), animation.candidates[i].seed));
  }
  return Done{};
}

Status write_losses(const AnimateOptions& options, const animate::Animation& animation) {
  if (options.losses.empty() || !animation.distilled) return Done{};
  LIMBER_CHECK_OK(write_file(options.losses, distill::losses_to_csv(animation.distilled->history)));
  distill::DistillSettings weights;
  weights.smooth_weight = animation.smooth_weight, weights.ground_weight = animation.ground_weight;
  return write_file(fs::path(options.losses).replace_extension(".svg").string(),
                    distill::losses_to_svg(animation.distilled->history, weights, {.title = options.settings.prompt}));
}

/// Before minutes are spent on what cannot be written.
Status check_place(const std::string& output) {
  const fs::path folder = fs::path(output).parent_path();
  std::error_code failed;
  if (!folder.empty() && !fs::is_directory(folder, failed)) return Error{"the folder is missing", output};
  const std::string ending = lower_extension(output);
  if (ending == ".glb" || ending == ".gltf" || ending == ".bvh") return Done{};
  return Error{"a motion can be written as .glb, .gltf or .bvh, not as \"" + ending + "\"", output};
}

Status check_options(AnimateOptions& options) {
  animate::AnimateSettings& s = options.settings;
  if (!options.prompt_argument.empty()) s.prompt = options.prompt_argument;
  if (s.prompt.empty() == options.video.empty()) {
    return Error{"say what it should do: either --prompt \"a fox trots\" or --video clip.mp4", "animate"};
  }
  LIMBER_CHECK_OK(check_place(options.output));
  s.quality = options.quality == "draft"  ? animate::Quality::kDraft
              : options.quality == "best" ? animate::Quality::kBest
                                          : animate::Quality::kStandard;
  s.grounding = options.physics == "on"     ? animate::Grounding::kPhysics
                : options.physics == "off"  ? animate::Grounding::kKinematic
                : options.physics == "none" ? animate::Grounding::kNone
                                            : animate::Grounding::kAuto;
  if (options.report.empty()) options.report = beside(options.output, ".report.json");
  if (options.preview.empty() && !options.no_preview) options.preview = beside(options.output, ".mp4");
  s.checkpoint = beside(options.output, ".checkpoint");
  std::error_code ignored;
  if (options.fresh) fs::remove(s.checkpoint, ignored);
  return Done{};
}

Status run_animate(const Terminal& terminal, AnimateOptions options) {
  const auto start = std::chrono::steady_clock::now();
  LIMBER_CHECK_OK(check_options(options));
  LIMBER_TRY(Cast cast, cast_subject(terminal, options.input));
  std::vector<std::string> warnings;
  animate::AnimateSettings& s = options.settings;
  LIMBER_TRY(s.forward, forward_of(options, cast, warnings));

  Result<animate::Animation> result = [&]() -> Result<animate::Animation> {
    Activity activity(terminal, "animating");
    std::string latest;  // of the distillation
    s.progress = [&activity, &latest](std::string_view stage, double fraction) {
      activity.say(stage == "distilling" ? std::string(stage) + latest : std::string(stage));
      activity.update(fraction);
      return true;
    };
    s.on_step = [&](const distill::DistillStep& step) {
      latest = fmt::format(", iteration {}, loss {:.4f}", step.iteration + 1, step.total);
      spdlog::debug("iteration {}: sds {:.5f}, smooth {:.4f}, ground {:.5f}", step.iteration, step.sds, step.smooth,
                    step.ground);
    };
    s.on_preview = [&](const distill::DistillPreview& preview) {
      const std::string path = fmt::format("{}.preview-{:05d}.png",
                                           fs::path(options.output).replace_extension().string(), preview.iteration);
      const Status wrote =
          asset::write_picture(asset::frame_picture(preview.frames, 0, preview.frames.frames / 2), path);
      if (!wrote.ok()) spdlog::warn("{}", wrote.error().message());
    };
    return options.video.empty() ? from_prompt(options, cast) : from_video(options, cast);
  }();
  if (!result.ok()) {
    Error error = result.error();
    if (error.where == s.checkpoint.string()) error.what += "; --fresh starts anew";
    return error;
  }
  animate::Animation& animation = *result;
  animation.warnings.insert(animation.warnings.begin(), warnings.begin(), warnings.end());
  for (const std::string& warning : animation.warnings) spdlog::warn("{}", printable(warning));

  const int first = static_cast<int>(cast.asset.clips.size());
  LIMBER_CHECK_OK(add_clips(options, cast, animation));
  LIMBER_CHECK_OK(write_asset_file(terminal, cast.asset, options.output, first, s.fps));
  LIMBER_CHECK_OK(write_losses(options, animation));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Json report = report_json(options, cast, animation, seconds);
  LIMBER_CHECK_OK(write_file(options.report, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"));
  if (!options.no_preview) {
    const Status drawn = render_preview(terminal, options.output, fmt::format("#{}", first), options.preview, s.fps);
    if (!drawn.ok()) spdlog::warn("no preview: {}", drawn.error().message());
  }
  std::error_code ignored;
  fs::remove(s.checkpoint, ignored);
  if (terminal.json) {
    print_json(report);
  } else {
    print_summary(animation);
    spdlog::info("wrote {}", options.output);
  }
  return Done{};
}

void add_output_options(CLI::App& command, AnimateOptions& options) {
  animate::AnimateSettings& s = options.settings;
  command.add_option("-o,--output", options.output, "The asset with the new clip")->required()->type_name("FILE");
  command.add_option("--name", options.name, "Name of the clip; by default the prompt");
  command.add_option("--fps", s.fps, "Keys a second")->check(CLI::Range(1.0, 240.0))->capture_default_str();
  command.add_flag("--loop", s.loop, "Cut to whole cycles that close");
  command.add_flag("--in-place", s.in_place, "Without the way over the ground");
  command.add_option("--report", options.report, "Where the report goes; by default beside the output")
      ->type_name("FILE");
  command.add_option("--preview", options.preview, "A video of the result; by default beside the output, .mp4")
      ->type_name("FILE");
  command.add_flag("--no-preview", options.no_preview, "Draw none");
  command.add_option("--losses", options.losses, "Losses of the distillation as CSV, with a plot (.svg) beside it")
      ->type_name("FILE");
  command
      .add_option("--preview-every", s.preview_every, "Draw what the prior sees every N iterations, beside the output")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
}

void add_work_options(CLI::App& command, AnimateOptions& options) {
  animate::AnimateSettings& s = options.settings;
  command
      .add_option("--prior", options.prior, "A CogVideoX or Wan checkpoint, or another model of `limber train prior`")
      ->type_name("DIR");
  command.add_option("--device", options.device, "cpu, cuda or cuda:N; auto: the GPU if there is one")
      ->capture_default_str();
  command
      .add_option("--quality", options.quality, "draft: sample and lift; standard: + distillation; best: + much more")
      ->check(CLI::IsMember({"draft", "standard", "best"}))
      ->capture_default_str();
  command.add_option("--seed", s.seed, "Another seed, another motion")->capture_default_str()->type_name("N");
  command.add_option("--candidates", s.candidates, "Samples to choose from; all of them become clips, the best first")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command
      .add_option("--physics", options.physics,
                  "on: simulated; off: feet are locked only; none: as it is; auto: on from standard up, on legs")
      ->check(CLI::IsMember({"auto", "on", "off", "none"}))
      ->capture_default_str();
  command.add_option("--forward", options.forward, "The way the model faces, where it cannot be told")
      ->check(CLI::IsMember({"auto", "+X", "-X", "+Z", "-Z"}))
      ->capture_default_str();
  command.add_option("--negative", s.negative, "What the video should not show (priors that know negative prompts)");
  command.add_option("--guidance", s.guidance, "How much the prompt counts; 0: the prior's own")->capture_default_str();
  command.add_option("--steps", s.sample_steps, "Of sampling; 0: the prior's own")->check(CLI::Range(0, 1000));
  command.add_option("--iterations", s.distill_iterations, "Of the distillation; by default as the quality says")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  command.add_option("--smooth-weight", s.smooth_weight, "lambda_1 of AKD, per element")->check(CLI::Range(0.0, 1e6));
  command.add_option("--ground-weight", s.ground_weight, "lambda_2 of AKD, per element")->check(CLI::Range(0.0, 1e6));
  command
      .add_option("--checkpoint-seconds", s.checkpoint_seconds,
                  "Between checkpoints of the distillation, from which a run that was stopped goes on")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->type_name("X");
  command.add_flag("--anyway", options.anyway, "Write what a bad video gave");
  command.add_flag("--fresh", options.fresh, "Do not go on from the checkpoint of a run that was stopped");
}

}  // namespace

void add_animate(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<AnimateOptions>();
  CLI::App* command = add_command(app, terminal, "animate", "Make a model move: by a prompt, or as in a video",
                                  "  limber animate fox.glb --prompt \"a fox trots\" -o fox_trot.glb\n"
                                  "  limber animate fox.glb --prompt \"it sits down\" --quality draft -o sit.glb\n"
                                  "  limber animate statue.obj --prompt \"a man walks\" --loop -o walk.glb\n"
                                  "  limber animate fox.glb --video fox.mp4 -o fox_like_video.glb\n"
                                  "  limber animate fox.glb --prompt \"a fox runs\" --prior CogVideoX-5b -o run.glb\n"
                                  "A run that was stopped goes on from its checkpoint when it is started again.",
                                  [&terminal, options] { return run_animate(terminal, *options); });
  command->add_option("input", options->input, "The model; one without a skeleton is rigged first")
      ->required()
      ->type_name("FILE");
  command->add_option("--prompt", options->prompt_argument,
                      "What it should do (`limber prior actions` lists what is known)");
  command->add_option("--video", options->video, "A video of such a body, which it should follow")->type_name("FILE");
  add_output_options(*command, *options);
  add_work_options(*command, *options);
}

}  // namespace limber::cli
