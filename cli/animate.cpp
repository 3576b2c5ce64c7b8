// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string_view>

#include "command.h"
#include "facing_options.h"
#include "limber/animate/animate_asset.h"
#include "limber/asset/formats.h"
#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/asset/write.h"
#include "limber/base/files.h"
#include "limber/distill/loss_plot.h"
#include "limber/scene/scene.h"
#include "timeline_output.h"
#include "torch_commands.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct AnimateOptions {
  std::string input, output, video, prior, report, preview, losses, timeline;
  std::string quality = "standard", ground = "auto", device = "auto", dtype = "auto", method = "auto",
              pose_prior = "off", from = "rest";
  std::string continued, keyframes, samples;
  double checkpoint_seconds = 60;
  bool no_preview = false, fresh = false, strict = false;
  FacingOptions facing;
  animate::Request request;
};

/// What is written beside the result: `walk.glb` -> `walk` + `ending`.
std::string beside(const std::string& output, const char* ending) {
  return fs::path(output).replace_extension().string() + ending;
}

// --- wrong usage -----------------------------------------------------------------------------------------------------

/// Two options that cannot both be meant, and why.
struct Contradiction {
  const char *one, *other, *reason;
};
constexpr Contradiction kContradictions[] = {
    {"--prompt", "--video", "the motion comes from one of them; --name names the clip"},
    {"--preview", "--no-preview", "one says where it goes, the other that there is none"},
    {"--anyway", "--prompt", "only a video can be of another body"},
    {"--prior", "--video", "a video needs no prior"},
    {"--dtype", "--video", "a video needs no prior, and nothing else computes in another type"},
    {"--negative", "--video", "it is said to a prior, and a video needs none"},
    {"--seed", "--video", "nothing is drawn for a video"},
    {"--candidates", "--video", "nothing is drawn for a video"},
    {"--guidance", "--video", "nothing is drawn for a video"},
    {"--steps", "--video", "nothing is drawn for a video"},
    {"--iterations", "--video", "what a video shows is not distilled"},
    {"--smooth-weight", "--video", "what a video shows is not distilled"},
    {"--ground-weight", "--video", "what a video shows is not distilled"},
    {"--from", "--video", "what a video shows is not distilled"},
    {"--losses", "--video", "what a video shows is not distilled"},
    {"--preview-every", "--video", "what a video shows is not distilled"},
    {"--checkpoint-seconds", "--video", "only distillations are kept"},
    {"--fresh", "--video", "only distillations are resumed"},
    {"--seconds", "--video", "it takes as long as the video"},
    {"--continue", "--video", "it does what the video shows, from its first frame on"},
    {"--keyframes", "--video", "it does what the video shows"},
    {"--continue", "--loop", "a loop begins where it ends, and not where a clip did"},
    {"--samples", "--video", "nothing is drawn for a video"},
    {"--keyframes", "--loop", "a loop begins and ends as it likes"},
};

/// What a method has no use for.
struct MethodContradiction {
  const char *method, *option, *reason;
};
constexpr MethodContradiction kMethodContradictions[] = {
    {"sample", "--video", "the motion comes from the prior, or from the video"},
    {"akd", "--video", "the motion comes from the prior, or from the video"},
    {"planar", "--video", "the motion comes from the prior, or from the video"},
    {"video", "--prompt", "the motion comes from one of them"},
    {"akd", "--seconds", "it makes one clip of the prior's length"},
    {"akd", "--continue", "it starts from rest"},
    {"akd", "--keyframes", "it starts from rest, and all joints are free"},
    {"akd", "--candidates", "nothing is sampled"},
    {"akd", "--steps", "nothing is sampled"},
    {"planar", "--seconds", "it makes one clip of the prior's length"},
    {"planar", "--continue", "it follows a sample that begins anywhere"},
    {"planar", "--keyframes", "it follows a sample that goes anywhere"},
    {"planar", "--pose-prior", "nothing of the planar lift goes by it"},
    {"sample", "--from", "it is a sample already; --from is for akd"},
    {"planar", "--from", "nothing is distilled"},
    {"planar", "--iterations", "nothing is distilled"},
    {"planar", "--smooth-weight", "nothing is distilled"},
    {"planar", "--ground-weight", "nothing is distilled"},
    {"planar", "--losses", "nothing is distilled"},
    {"planar", "--preview-every", "nothing is distilled"},
};

void check_method(const CLI::App& command, const std::string& method) {
  for (const MethodContradiction& pair : kMethodContradictions) {
    if (method != pair.method || command.count(pair.option) == 0) continue;
    throw CLI::ValidationError(fmt::format("--method {} and {}", pair.method, pair.option),
                               fmt::format("contradict each other: {}", pair.reason));
  }
  if (method == "video" && command.count("--video") == 0) {
    throw CLI::ValidationError("--method video", "needs --video clip.mp4");
  }
}

/// Wrong usage, told while options are parsed: minutes may pass before anything else looks at them.
void check_usage(const CLI::App& command, const FacingOptions& facing, const std::string& device) {
  for (const Contradiction& pair : kContradictions) {
    if (command.count(pair.one) == 0 || command.count(pair.other) == 0) continue;
    throw CLI::ValidationError(fmt::format("{} and {}", pair.one, pair.other),
                               fmt::format("contradict each other: {}", pair.reason));
  }
  const bool drawn = scene::has_cuda() && animate::drawing_device(device) == Device::kCuda;
  if (command.count("--video") > 0 && device != "cpu" && device != "auto" && !drawn) {
    throw CLI::ValidationError(fmt::format("--device {} and --video", device),
                               fmt::format("contradict each other: a video needs no prior, and scenes are drawn {}",
                                           scene::has_cuda() ? "on cpu or cuda" : "on the CPU alone in this build"));
  }
  if (command.count("--prompt") == 0 && command.count("--video") == 0) {
    throw CLI::ValidationError("say what it should do", "either --prompt \"a fox trots\" or --video clip.mp4");
  }
  if (facing.up && !facing.forward) {
    throw CLI::ValidationError("--up", "alone does not tell which way it looks: say --forward, too");
  }
  if (facing.forward && !facing.up && !rig::make_facing({0, 1, 0}, *facing.forward).ok()) {
    throw CLI::ValidationError("--forward", "runs along --up, which is +Y where nothing else is said");
  }
}

/// As `--up` and `--forward` say; nothing where they say nothing.
Result<std::optional<rig::Facing>> asked_facing(const FacingOptions& options) {
  if (!options.forward) return std::optional<rig::Facing>();
  LIMBER_TRY(rig::Facing facing, rig::make_facing(options.up.value_or(Vec3{0, 1, 0}), *options.forward));
  return std::optional(std::move(facing));
}

/// `poses.glb`, or `poses.glb:0,0.5,2`: the times of the poses that count.
Result<std::optional<animate::Keyframes>> asked_keyframes(const std::string& text) {
  if (text.empty()) return std::optional<animate::Keyframes>();
  animate::Keyframes keyframes{text, {}};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || fs::exists(text)) return std::optional(std::move(keyframes));
  keyframes.file = text.substr(0, colon);
  std::string_view rest = std::string_view(text).substr(colon + 1);
  while (!rest.empty()) {
    double time = 0;
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), time);
    const auto read = static_cast<std::size_t>(end - rest.data());
    if (failed != std::errc() || (read < rest.size() && rest[read] != ',')) {
      return Error{fmt::format("\"{}\" are no seconds with commas between", text.substr(colon + 1)), "--keyframes"};
    }
    keyframes.times.push_back(time);
    rest.remove_prefix(std::min(read + 1, rest.size()));
  }
  return std::optional(std::move(keyframes));
}

/// Before minutes are spent on what cannot be written.
Status check_place(const std::string& output) {
  const fs::path folder = fs::path(output).parent_path();
  std::error_code failed;
  if (!folder.empty() && !fs::is_directory(folder, failed)) {
    return Error{"the folder is missing", output, ErrorKind::kMissing};
  }
  const auto holds_motion = [](const asset::Format& format) { return format.writes && format.clips; };
  const asset::Format* format = asset::find_format(fs::path(output));
  if (format != nullptr && holds_motion(*format)) return Done{};
  return Error{fmt::format("a motion can be written as {}, not as \"{}\"", asset::list_formats(holds_motion, " or "),
                           lower_extension(output)),
               output};
}

/// Options as a request, and where files go.
Status complete(AnimateOptions& options) {
  animate::Request& request = options.request;
  LIMBER_CHECK_OK(check_place(options.output));
  LIMBER_TRY(request.facing, asked_facing(options.facing));
  if (!options.video.empty()) request.video = options.video;
  request.quality = animate::quality_named(options.quality).value();
  request.pose_prior = options.pose_prior == "on";
  request.device = animate::drawing_device(options.device);
  request.finishing.ground = animate::ground_named(options.ground).value();
  request.method = animate::method_named(options.method).value();
  request.distilling.from = options.from == "sample" ? animate::Start::kSample : animate::Start::kRest;
  LIMBER_TRY(request.keyframes, asked_keyframes(options.keyframes));
  if (options.report.empty()) options.report = beside(options.output, ".report.json");
  if (options.preview.empty() && !options.no_preview) options.preview = beside(options.output, ".mp4");
  request.checkpoint = animate::Checkpoint{beside(options.output, ".checkpoint"), options.checkpoint_seconds};
  if (options.fresh) animate::remove_checkpoint(request.checkpoint->file);
  return animate::check_request(request);
}

// --- the work --------------------------------------------------------------------------------------------------------

/// What motions come from. A prior that needs LibTorch is the other program's business.
Result<animate::ModelSettings> asked_models(const AnimateOptions& options) {
  animate::ModelSettings models;
  if (!options.video.empty()) return models;
  models.loading.device = options.device, models.loading.dtype = options.dtype;
  fs::path folder = options.prior;
  if (options.prior.empty()) {
    LIMBER_TRY(folder, animate::find_builtin_prior());
  }
  models.prior = folder;
  LIMBER_CHECK_OK(hand_over_prior(folder, models.loading));
  return models;
}

/// Early results: the first sample, or where candidates were asked for, all of them.
void write_samples(const Terminal& terminal, const AnimateOptions& options, animate::Request& request) {
  if (options.samples.empty()) return;
  const bool all = request.sampling.candidates.value_or(1) > 1;
  request.on_sample = [&terminal, &options, all](const asset::Asset& asset, int number) {
    if (number > 1 && !all) return;
    const std::string path =
        beside(options.samples, "") + fmt::format("-{}", number) + lower_extension(options.samples);
    const Status wrote = asset::write_asset(asset, path);
    if (!wrote.ok()) return spdlog::warn("{}", wrote.error().message());
    announce_file(terminal, path, all ? fmt::format("candidate {}", number) : "preview");
  };
}

Result<animate::AnimatedAsset> animate_file(const Terminal& terminal, const AnimateOptions& options,
                                            const animate::ModelSettings& models) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  Activity activity(terminal, "animating");
  std::string latest;  // of the distillation
  animate::Request request = options.request;
  if (!options.continued.empty()) {
    LIMBER_TRY(request.continued_clip, find_clip(asset, options.continued));
  }
  request.progress = [&](std::string_view stage, double fraction) {
    activity.say(stage == "distilling" ? std::string(stage) + latest : std::string(stage));
    activity.update(fraction);
    return true;
  };
  write_samples(terminal, options, request);
  request.distilling.on_step = [&](const distill::DistillStep& step) {
    latest = fmt::format(", iteration {}, loss {:.4f}", step.iteration + 1, step.total);
    spdlog::debug("iteration {}: sds {:.5f}, smooth {:.4f}, ground {:.5f}", step.iteration, step.sds, step.smooth,
                  step.ground);
  };
  request.distilling.on_preview = [&](const distill::DistillPreview& preview) {
    const std::string path = beside(options.output, "") + fmt::format(".preview-{:05d}.png", preview.iteration);
    const Status wrote = asset::write_picture(asset::frame_picture(preview.frames, 0, preview.frames.frames / 2), path);
    if (!wrote.ok()) spdlog::warn("{}", wrote.error().message());
  };
  Result<animate::AnimatedAsset> result =
      animate::animate_asset(std::move(asset), animate::find_models(models), request);
  if (result.ok() || result.error().kind != ErrorKind::kConflict) return result;
  // Options were checked before: what contradicts the request is the video, or what an earlier run left.
  Error error = std::move(result).error();
  error.what += request.video ? "; --anyway keeps what there is" : "; --fresh starts anew";
  return error;
}

Status write_losses(const AnimateOptions& options, const animate::Animation& animation) {
  if (options.losses.empty() || !animation.distilled) return Done{};
  const animate::Distilled& distilled = *animation.distilled;
  LIMBER_CHECK_OK(write_file(options.losses, distill::losses_to_csv(distilled.report.history)));
  distill::DistillSettings weights;
  weights.smooth_weight = distilled.smooth_weight, weights.ground_weight = distilled.ground_weight;
  return write_file(fs::path(options.losses).replace_extension(".svg").string(),
                    distill::losses_to_svg(distilled.report.history, weights, {.title = options.request.prompt}));
}

/// "walk 0-2.7 s, sit 2.7-5.3 s", and what of it means nothing to the prior.
std::string understood(const animate::Animation& a) {
  std::string text, unknown;
  for (const animate::Segment& segment : a.segments) {
    text += fmt::format("{}{} {:.3g}-{:.3g} s", text.empty() ? "" : ", ", animate::short_name(segment.asked),
                        segment.from, segment.to);
    for (const std::string& word : segment.asked.unknown) unknown += (unknown.empty() ? "" : ", ") + word;
  }
  return unknown.empty() ? text : text + "; not known: " + unknown;
}

void print_summary(const animate::Animation& a) {
  if (!a.segments.empty()) fmt::print("  understood: {}\n", printable(understood(a)));
  fmt::print("  {:.1f} s of motion, {:.2f} heights/s, {:.2f} cycles/s\n", a.motion.frame_count() / a.motion.fps,
             norm(a.gait.velocity), a.gait.frequency);
  fmt::print("  skate {:.2f} % of height/s, penetration {:.2f} %, float {:.2f} %\n", 100 * a.metrics.skate,
             100 * a.metrics.penetration, 100 * a.metrics.floating);
  fmt::print("  skin stretched {:.2f} times, joints move {:.2f} heights/s\n", a.skin.stretch, a.skin.movement);
  fmt::print("  sampled in {:.1f} s, lifted in {:.1f} s, distilled in {:.1f} s, grounded in {:.1f} s\n",
             a.seconds.sample, a.seconds.lift, a.seconds.distill, a.seconds.ground);
}

/// With --strict a motion that went wrong is a failure, after all is written.
Status check_judgements(const AnimateOptions& options, const animate::Animation& animation) {
  if (animate::all_passed(animation.judgements)) return Done{};
  std::string failed;
  for (const animate::Judgement& judgement : animation.judgements) {
    if (judgement.passed.value_or(true)) continue;
    failed += (failed.empty() ? "" : ", ") + std::string(animate::name(judgement.question));
  }
  return Error{"it was written, but failed (--strict): " + failed, options.output};
}

Status run_animate(const Terminal& terminal, AnimateOptions options) {
  if (!options.timeline.empty()) GpuTimeline::get().start("start");
  LIMBER_CHECK_OK(complete(options));
  LIMBER_TRY(const animate::ModelSettings models, asked_models(options));
  if (options.request.device == Device::kCuda && !scene::has_cuda()) {
    spdlog::info("scenes are drawn on the CPU: this build has no CUDA kernels (LIMBER_CUDA)");
  }
  LIMBER_TRY(const animate::AnimatedAsset result, animate_file(terminal, options, models));
  if (result.rigged) {
    spdlog::info("there is no skeleton, so it got one: {} joints", result.subject.rig.joint_count());
  }
  for (const std::string& warning : result.warnings) spdlog::warn("{}", printable(warning));

  const double fps = options.request.finishing.fps;
  LIMBER_CHECK_OK(write_asset_file(terminal, result.asset, options.output, result.first_clip, fps));
  announce_file(terminal, options.output, result.asset.clips[static_cast<std::size_t>(result.first_clip)].name);
  LIMBER_CHECK_OK(write_losses(options, result.animation));
  Json report{{"limber", LIMBER_VERSION}, {"command", "animate"}, {"input", options.input}, {"output", options.output}};
  report.update(Json::parse(result.report));
  LIMBER_CHECK_OK(write_file(options.report, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"));
  if (!options.no_preview) {
    // Otherwise a body of a file in which +Z is up would be drawn lying.
    const FacingOptions facing{result.facing.up, result.facing.forward};
    const int clip = asset::find_format(options.output)->one_clip ? 0 : result.first_clip;
    const Status drawn =
        render_preview(terminal, options.output, fmt::format("#{}", clip), options.preview, fps, facing);
    if (!drawn.ok()) spdlog::warn("no preview: {}", drawn.error().message());
  }
  animate::remove_checkpoint(options.request.checkpoint->file);
  if (terminal.json) {
    print_json(report);
  } else {
    print_summary(result.animation);
  }
  if (!options.timeline.empty()) LIMBER_CHECK_OK(write_timeline(terminal, options.timeline));
  return options.strict ? check_judgements(options, result.animation) : Status(Done{});
}

// --- the command -----------------------------------------------------------------------------------------------------

void add_output_options(CLI::App& command, AnimateOptions& options) {
  animate::Request& request = options.request;
  command.add_option("-o,--output", options.output, "The asset with the new clip")->required()->type_name("FILE");
  command.add_option("--name", request.clip_name, "Name of the clip; by default the prompt, or that of the video");
  command.add_option("--fps", request.finishing.fps, "Keys a second")
      ->check(CLI::Range(1.0, 240.0))
      ->capture_default_str();
  command.add_flag("--loop", request.finishing.loop, "Whole cycles that close, or a whole motion that does");
  command.add_flag("--in-place", request.finishing.in_place, "Without the travel over the ground");
  command.add_option("--report", options.report, "Where the report goes; by default beside the output")
      ->type_name("FILE");
  command.add_option("--preview", options.preview, "A video of the result; by default beside the output, .mp4")
      ->type_name("FILE");
  command.add_flag("--no-preview", options.no_preview, "Draw none");
  command.add_flag("--strict", options.strict,
                   "Exit code 1 where the motion went wrong as far as can be told; it is written all the same");
  command.add_option("--losses", options.losses, "Losses of the distillation as CSV, with a plot (.svg) beside it")
      ->type_name("FILE");
  command
      .add_option(
          "--timeline", options.timeline,
          "Seconds of every stage, and the share of them in which the GPU ran kernels, as JSON; measuring slows "
          "it down a little")
      ->type_name("FILE");
  command
      .add_option("--samples", options.samples,
                  "Write the first sample as soon as it is lifted, before it is refined (s.glb: s-1.glb); with "
                  "--candidates all of them")
      ->type_name("FILE");
  command
      .add_option("--preview-every", request.distilling.preview_every,
                  "Draw what the prior sees every N iterations, beside the output")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
}

/// Of the body, and of what the motion comes from.
void add_body_options(CLI::App& command, AnimateOptions& options) {
  animate::Request& request = options.request;
  command.add_option("input", options.input, "The model; one without a skeleton is rigged first")
      ->required()
      ->type_name("FILE");
  command.add_option("--prompt", request.prompt, "What it should do (`limber prior actions` lists what is known)");
  command.add_option("--video", options.video, "A video of such a body, which it should follow")->type_name("FILE");
  command.add_flag("--anyway", request.anyway, "Write what a bad video gave");
  command
      .add_option("--pose-prior", options.pose_prior,
                  "on: what a video or a sample does not show goes by the network of plausible poses")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command
      .add_option("--seconds", request.seconds, "Of motion, shared by all that the prompt asks for one after the other")
      ->check(CLI::Range(0.25, 600.0))
      ->type_name("X");
  command
      .add_option("--continue", options.continued, "A clip of the model, by name or #N: goes on where that one ends")
      ->type_name("CLIP");
  command
      .add_option(
          "--keyframes", options.keyframes,
          "Poses to pass through at their times: the first clip of a file with the same skeleton; after a colon "
          "the times that count, as in poses.glb:0,1.5")
      ->type_name("FILE[:TIMES]");
  add_facing_options(command, options.facing);
  command.add_flag("--stand-up", request.stand_up,
                   "Add one node that turns the asset so that it stands along +Y; otherwise it stays as it is");
  command
      .add_option("--ground", options.ground,
                  "none: as it is; lock: feet stay where they touch it; simulate: the nearest motion that a simulated "
                  "body can do; auto: simulate, for drafts lock, and none for what swims or flies")
      ->check(CLI::IsMember({"none", "lock", "simulate", "auto"}))
      ->capture_default_str();
}

void add_sampling_options(CLI::App& command, AnimateOptions& options) {
  animate::Request& request = options.request;
  command
      .add_option("--prior", options.prior, "A CogVideoX or Wan checkpoint, or another model of `limber train prior`")
      ->type_name("DIR");
  command
      .add_option("--method", options.method,
                  "sample: the prior draws the body, joints are fitted to that; akd: score distillation from rest; "
                  "planar: joints followed on the plane of what the prior draws; video: as --video shows; auto: what "
                  "the prior allows")
      ->check(CLI::IsMember({"auto", "sample", "akd", "planar", "video"}))
      ->capture_default_str();
  command
      .add_option(
          "--device", options.device,
          "cpu, cuda, cuda:N, or several for --prior (cuda:0,cuda:1); auto: the GPU if there is one, for the built-in "
          "prior the CPU. Scenes are drawn on the first GPU where it is named, and the CPU otherwise")
      ->capture_default_str();
  command
      .add_option(
          "--dtype", options.dtype,
          "What --prior computes in; auto: bfloat16 on a GPU, float32 on a CPU; float8: feed-forward layers in 8 bits, "
          "for Hopper")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16", "float8"}))
      ->capture_default_str();
  command
      .add_option("--quality", options.quality, "draft: sample and lift; standard: + distillation; best: + much more")
      ->check(CLI::IsMember({"draft", "standard", "best"}))
      ->capture_default_str();
  command.add_option("--seed", request.seed, "Another seed, another motion")->capture_default_str()->type_name("N");
  command
      .add_option("--candidates", request.sampling.candidates,
                  "Samples to choose from; of a motion of the usual length all become clips, the best first")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command.add_option("--negative", request.negative,
                     "What the video should not show (priors that know negative prompts)");
  command.add_option("--guidance", request.sampling.guidance, "How much the prompt counts; by default the prior's own")
      ->check(CLI::PositiveNumber)
      ->type_name("X");
  command.add_option("--steps", request.sampling.steps, "Of sampling; by default the prior's own")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
}

void add_distilling_options(CLI::App& command, AnimateOptions& options) {
  animate::Distilling& distilling = options.request.distilling;
  command.add_option("--iterations", distilling.iterations, "Of the distillation; by default as the quality says")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  command
      .add_option(
          "--from", options.from,
          "What --method akd starts from. rest: the body at rest, sliding forward; sample: what the built-in prior "
          "draws for the prompt, which takes a fifth of the iterations")
      ->check(CLI::IsMember({"rest", "sample"}))
      ->capture_default_str();
  command.add_option("--smooth-weight", distilling.smooth_weight, "lambda_1 of AKD, per element")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("X");
  command.add_option("--ground-weight", distilling.ground_weight, "lambda_2 of AKD, per element")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("X");
  command
      .add_option("--checkpoint-seconds", options.checkpoint_seconds,
                  "Between checkpoints of the distillation, from which a run that was stopped resumes")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->type_name("X");
  command.add_flag("--fresh", options.fresh, "Do not resume a run that was stopped");
}

}  // namespace

void add_animate(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<AnimateOptions>();
  CLI::App* command =
      add_command(app, terminal, "animate", "Make a model move: by a prompt, or as in a video",
                  "  limber animate fox.glb --prompt \"a fox trots\" -o fox_trot.glb\n"
                  "  limber animate fox.glb --prompt \"it sits down\" --quality draft -o sit.glb\n"
                  "  limber animate fox.glb --prompt \"a fox walks, then sits down\" --seconds 6 -o both.glb\n"
                  "  limber animate statue.obj --prompt \"a man walks\" --loop -o walk.glb\n"
                  "  limber animate fox.glb --video fox.mp4 -o fox_like_video.glb\n"
                  "  limber animate fox.glb --prompt \"a fox runs\" --prior CogVideoX-5b -o run.glb\n"
                  "A run that was stopped resumes from its checkpoint when it is started again.",
                  [&terminal, options] { return run_animate(terminal, *options); });
  add_body_options(*command, *options);
  add_output_options(*command, *options);
  add_sampling_options(*command, *options);
  add_distilling_options(*command, *options);
  command->parse_complete_callback([command, options] {
    check_usage(*command, options->facing, options->device), check_method(*command, options->method);
  });
}

}  // namespace limber::cli
