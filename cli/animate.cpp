// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "animate_words.h"
#include "command.h"
#include "create.h"
#include "facing_options.h"
#include "field_options.h"
#include "limber/actions/catalogue.h"
#include "limber/animate/animate_asset.h"
#include "limber/animate/pack.h"
#include "limber/animate/plan.h"
#include "limber/asset/formats.h"
#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/asset/write.h"
#include "limber/base/files.h"
#include "limber/distill/loss_plot.h"
#include "limber/report/reports.h"
#include "limber/scene/scene.h"
#include "output_format.h"
#include "outputs.h"
#include "timeline_output.h"
#include "torch_commands.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct AnimateOptions {
  std::string input, output;
  std::vector<std::string> words;    ///< behind the model: a prompt that nobody called one
  std::vector<std::string> prompts;  ///< two and more are the clips of a pack
  std::string created, generator;    ///< words of which the model is made, where there is none, and by whom
  bool verbose = false;
  bool asks_preview = false;  ///< in so many words; else one is made where it can be
  animate::Wishes wishes;     ///< all else
  animate::Request request;   ///< what they come to
};

/// What is written beside the result: `walk.glb` -> `walk` + `ending`.
std::string beside(const std::string& output, const char* ending) {
  return fs::path(output).replace_extension().string() + ending;
}

/// What a game has to know of a pack.
std::string clips_file(const std::string& output) { return beside(output, ".clips.json"); }

// --- what is asked --------------------------------------------------------------------------------------------------

/// Wrong usage, told while options are parsed: minutes may pass before anything else looks at them.
void check_usage(const animate::Wishes& wishes) {
  const auto refusal = animate::find_refusal(wishes, animate::models_info(wishes.models));
  if (refusal) throw CLI::ValidationError(in_words(*refusal, option_words));
}

/// One is the prompt, several are a clip each.
void take_prompts(AnimateOptions& options) {
  if (options.prompts.empty()) return;
  animate::Wishes& wishes = options.wishes;
  if (options.prompts.size() == 1 || !wishes.request.clips.empty()) {
    wishes.request.prompt = options.prompts.front(), wishes.said.insert("prompt");
  } else {
    wishes.request.clips = options.prompts, wishes.said.insert("clips");
  }
}

/// `limber animate --create "a dragon" flies`: there is no model, and the first word is one of the prompt.
void take_model(AnimateOptions& options) {
  if (options.created.empty()) {
    if (!options.generator.empty()) throw CLI::ValidationError("--text-to-3d needs --create: the words to make it of");
    if (options.input.empty()) throw CLI::RequiredError("input (a model, or --create \"a dragon\")");
    return;
  }
  std::error_code failed;
  if (!options.input.empty() && fs::exists(options.input, failed)) {
    throw CLI::ValidationError(
        fmt::format("--create makes the model, and \"{}\" is one, too; one of them is enough", options.input));
  }
  if (!options.input.empty()) options.words.insert(options.words.begin(), std::exchange(options.input, ""));
}

/// "limber animate fox.glb a fox trots": what stands behind the model is the prompt.
void take_words(AnimateOptions& options) {
  std::string prompt;
  for (const std::string& word : options.words) {
    std::error_code failed;
    if (fs::exists(word, failed)) {
      throw CLI::ValidationError(fmt::format("\"{}\" is a second file, and one model moves at a time", word));
    }
    prompt += (prompt.empty() ? "" : " ") + word;
  }
  if (prompt.empty()) return;
  for (const auto& [option, said] :
       {std::pair{"--prompt", !options.prompts.empty()}, {"--clips", !options.wishes.request.clips.empty()}}) {
    if (!said) continue;
    throw CLI::ValidationError(
        fmt::format("{} and the words \"{}\" both say what it should do; one of them is enough", option, prompt));
  }
  options.wishes.request.prompt = prompt, options.wishes.said.insert("prompt");
}

/// Files beside the output that nobody named.
std::vector<UnnamedOutput> unnamed_outputs(const animate::Wishes& wishes, const std::string& output) {
  const animate::Files& files = wishes.files;
  std::vector<UnnamedOutput> unnamed;
  if (wishes.checkpoint.empty()) unnamed.push_back({"the checkpoint", beside(output, ".checkpoint")});
  if (!wishes.request.clips.empty()) unnamed.push_back({"what there is to know of the clips", clips_file(output)});
  if (files.report.empty()) unnamed.push_back({"the report", beside(output, ".report.json")});
  if (files.preview.empty() && !files.no_preview) unnamed.push_back({"the preview", beside(output, ".mp4")});
  if (!files.losses.empty()) unnamed.push_back({"the plot of --losses", beside(files.losses, ".svg")});
  const int samples = files.samples.empty() ? 0 : wishes.request.sampling.candidates.value_or(1);
  for (int i = 1; i <= samples; ++i) {
    unnamed.push_back({fmt::format("number {} of --samples", i),
                       beside(files.samples, "") + fmt::format("-{}", i) + lower_extension(files.samples)});
  }
  return unnamed;
}

/// What a prompt that names no action may have meant, told before minutes are spent on it; --strict refuses it. Large
/// priors read any words, and so may names of one's own clips have them.
Status check_prompt(const animate::Wishes& wishes, const std::string& prompt) {
  const actions::Catalogue& known = actions::built_in();
  if (prompt.empty() || wishes.models.prior || wishes.request.library || !known.find_in(prompt).empty()) return Done{};
  std::string meant;
  for (const std::string& word : actions::words_of(prompt)) {
    const actions::Action* nearest = word.size() > 3 ? known.nearest(word) : nullptr;
    if (nearest != nullptr) meant += fmt::format("; \"{}\" may mean {}", word, nearest->name);
  }
  const std::string what =
      fmt::format("\"{}\" names no action that is known{}; `limber prior actions` lists them", prompt, meant);
  if (wishes.files.strict) return Error{what, wishes.request.clips.empty() ? "--prompt" : "--clips"};
  spdlog::warn("{}", printable(what));
  return Done{};
}
Status check_prompts(const animate::Wishes& wishes) {
  for (const std::string& clip : wishes.request.clips) LIMBER_CHECK_OK(check_prompt(wishes, clip));
  return check_prompt(wishes, wishes.request.prompt);
}

/// Options as a request, and where files go.
Status complete(AnimateOptions& options) {
  animate::Wishes& wishes = options.wishes;
  LIMBER_CHECK_OK(check_motion_output(options.output, !wishes.request.clips.empty()));
  animate::Files& files = wishes.files;
  if (files.report.empty()) files.report = beside(options.output, ".report.json");
  options.asks_preview = !files.preview.empty();
  if (files.preview.empty() && !files.no_preview) files.preview = beside(options.output, ".mp4");
  if (wishes.checkpoint.empty()) wishes.checkpoint = beside(options.output, ".checkpoint");
  if (wishes.fresh) animate::remove_kept(wishes.checkpoint, wishes.request.clips);
  LIMBER_TRY(options.request, animate::request_of(wishes));
  return Done{};
}

// --- the work --------------------------------------------------------------------------------------------------------

/// What motions come from. A prior that needs LibTorch is the other program's business.
Result<animate::ModelSettings> asked_models(const AnimateOptions& options) {
  const animate::Method method = options.request.method;
  const bool by_itself = method == animate::Method::kRule || method == animate::Method::kNative;
  if (options.request.video || options.request.library || by_itself) return animate::ModelSettings();
  animate::ModelSettings models = options.wishes.models;
  if (!models.prior) {
    LIMBER_TRY(models.prior, animate::find_builtin_prior());
  }
  LIMBER_CHECK_OK(hand_over_prior(*models.prior, models.loading));
  return models;
}

/// Early results: the first sample, or where candidates were asked for, all of them.
void write_samples(const Terminal& terminal, const AnimateOptions& options, animate::Request& request) {
  if (options.wishes.files.samples.empty()) return;
  const bool all = animate::keeps_all(request);
  request.on_sample = [&terminal, &options, all](const asset::Asset& asset, int number) {
    if (number > 1 && !all) return;
    const std::string path = beside(options.wishes.files.samples, "") + fmt::format("-{}", number) +
                             lower_extension(options.wishes.files.samples);
    const Status wrote = asset::write_asset(asset, path);
    if (!wrote.ok()) return spdlog::warn("{}", wrote.error().message());
    announce_file(terminal, path, all ? fmt::format("candidate {}", number) : "preview");
  };
}

/// The model, or what words make.
Result<asset::Asset> read_model(const Terminal& terminal, const AnimateOptions& options) {
  if (options.created.empty()) return read_asset_file(terminal, options.input);
  animate::CreateSettings settings;
  settings.seed = options.request.seed, settings.command = options.generator;
  settings.rigged = options.request.names.empty();  // else the skeleton is made with those names
  LIMBER_TRY(animate::Created created, create_model(terminal, options.created, settings));
  return std::move(created.asset);
}

Result<animate::AnimatedAsset> animate_file(const Terminal& terminal, const AnimateOptions& options,
                                            const animate::ModelSettings& models) {
  LIMBER_TRY(asset::Asset asset, read_model(terminal, options));
  Activity activity(terminal, "animating");
  std::string latest;  // of the distillation
  animate::Request request = options.request;
  request.progress = [&](std::string_view stage, double fraction) {
    activity.say(stage.ends_with("distilling") ? std::string(stage) + latest : std::string(stage));
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
  if (result.ok()) return result;
  Error error = std::move(result).error();
  error.what = worded(error.what);
  // Options were checked before: what contradicts the request is the video, or what an earlier run left.
  if (error.kind != ErrorKind::kConflict || !request.names.empty()) return error;
  error.what += request.video ? "; --anyway keeps what there is" : "; --fresh starts anew";
  return error;
}

Status write_losses(const AnimateOptions& options, const animate::Animation& animation) {
  const std::string& losses = options.wishes.files.losses;
  if (losses.empty() || !animation.distilled) return Done{};
  const animate::Distilled& distilled = *animation.distilled;
  LIMBER_CHECK_OK(write_file(losses, distill::losses_to_csv(distilled.report.history)));
  distill::DistillSettings weights;
  weights.smooth_weight = distilled.smooth_weight, weights.ground_weight = distilled.ground_weight;
  return write_file(fs::path(losses).replace_extension(".svg").string(),
                    distill::losses_to_svg(distilled.report.history, weights, {.title = options.request.prompt}));
}

/// What of a motion went wrong: "stands, told".
std::string failed_questions(const animate::Animation& animation) {
  std::string failed;
  for (const animate::Answer& answer : animation.answers) {
    if (answer.passed.value_or(true)) continue;
    failed += (failed.empty() ? "" : ", ") + std::string(animate::name(answer.question));
  }
  return failed;
}

/// With --strict a motion that went wrong is a failure, after all is written.
Status check_answers(const AnimateOptions& options, const animate::AnimatedAsset& result) {
  std::string failed = result.pack.empty() ? failed_questions(result.animation) : "";
  for (const animate::PackedClip& clip : result.pack) {
    const std::string own = clip.failed.empty() ? failed_questions(clip.animation) : "not made";
    if (!own.empty()) failed += fmt::format("{}{} ({})", failed.empty() ? "" : ", ", clip.prompt, own);
  }
  if (failed.empty()) return Done{};
  return Error{"it was written, but failed (--strict): " + failed, options.output};
}

/// The part of a pack's report that a game reads: without how each clip came about.
Status write_clips(const AnimateOptions& options, const Json& report) {
  Json clips{{"limber", LIMBER_VERSION}, {"model", options.output}, {"units", report.at("units_of_clips")}};
  clips["facing"] = report.at("facing"), clips["clips"] = report.at("clips");
  for (Json& clip : clips["clips"]) clip.erase("report");
  clips["transitions"] = report.at("transitions");
  return write_file(clips_file(options.output), clips.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

/// A video of the new clips, one after the other. One that nobody asked for is no reason to fail.
Status write_preview(const Terminal& terminal, const AnimateOptions& options, const animate::AnimatedAsset& result) {
  // Otherwise a body of a file in which +Z is up would be drawn lying.
  const FacingOptions facing{result.facing.up, result.facing.forward};
  const int clip = asset::find_format(options.output)->one_clip ? 0 : result.first_clip;
  const std::string &preview = options.wishes.files.preview, name = fmt::format("#{}", clip);
  const double fps = options.request.finishing.fps;
  const Status drawn = result.pack.empty()
                           ? render_preview(terminal, options.output, name, preview, fps, facing)
                           : render_previews(terminal, options.output, result.first_clip, preview, fps, facing);
  if (options.asks_preview || drawn.ok()) return drawn;
  spdlog::warn("no preview: {}", drawn.error().message());
  return Done{};
}

/// In words; of a pack clip by clip.
void print_results(const AnimateOptions& options, const animate::AnimatedAsset& result) {
  for (const animate::PackedClip& clip : result.pack) {
    print_clip(result, clip);
    if (options.verbose && clip.clip) print_numbers(clip.animation);
  }
  if (!result.pack.empty()) return;
  print_result(result, options.request.finishing.loop);
  if (options.verbose) print_numbers(result.animation);
}

Status run_animate(const Terminal& terminal, AnimateOptions options) {
  const animate::Files& files = options.wishes.files;
  if (!files.timeline.empty()) GpuTimeline::get().start("start");
  LIMBER_CHECK_OK(complete(options));
  LIMBER_CHECK_OK(check_prompts(options.wishes));
  LIMBER_TRY(const animate::ModelSettings models, asked_models(options));
  if (options.request.device == Device::kCuda && !scene::has_cuda()) {
    spdlog::info("scenes are drawn on the CPU: this build has no CUDA kernels (LIMBER_CUDA)");
  }
  LIMBER_TRY(const animate::AnimatedAsset result, animate_file(terminal, options, models));
  if (result.rigged) {
    spdlog::info("there is no skeleton, so it got one: {} joints", result.subject.rig.joint_count());
  }
  for (const Warning& warning : result.warnings) {
    // Which of the clips; one that failed says so itself.
    const std::string of = warning.code == "clip_failed" ? "" : std::string(warning.name("clip"));
    spdlog::warn("{}{}", printable(of), printable((of.empty() ? "" : ": ") + in_words(warning, option_words)));
  }

  const double fps = options.request.finishing.fps;
  LIMBER_CHECK_OK(write_asset_file(terminal, result.asset, options.output, result.first_clip, fps));
  announce_file(terminal, options.output, result.asset.clips[static_cast<std::size_t>(result.first_clip)].name);
  LIMBER_CHECK_OK(write_losses(options, result.animation));
  Json report{{"limber", LIMBER_VERSION}, {"command", "animate"}, {"input", options.input}, {"output", options.output}};
  if (!options.created.empty()) report["created"] = options.created;
  report.update(report::to_json(result, option_words));
  LIMBER_CHECK_OK(write_file(files.report, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"));
  if (!result.pack.empty()) LIMBER_CHECK_OK(write_clips(options, report));
  const Status preview = files.no_preview ? Status(Done{}) : write_preview(terminal, options, result);
  animate::remove_kept(options.request.checkpoint->file, options.request.clips);
  terminal.json ? print_json(report) : print_results(options, result);
  if (!files.timeline.empty()) LIMBER_CHECK_OK(write_timeline(terminal, files.timeline));
  LIMBER_CHECK_OK(preview);
  return files.strict ? check_answers(options, result) : Status(Done{});
}

// --- the command -----------------------------------------------------------------------------------------------------

}  // namespace

void add_animate(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<AnimateOptions>();
  options->wishes.kept_beside = true;
  CLI::App* command =
      add_command(app, terminal, "animate", "Make a model move: by a prompt, or as in a video",
                  "  limber animate fox.glb --prompt \"a fox trots\" -o fox_trot.glb\n"
                  "  limber animate --create \"a dragon\" \"flies\" -o dragon.glb\n"
                  "  limber animate fox.glb --prompt \"it sits down\" --quality draft -o sit.glb\n"
                  "  limber animate fox.glb --prompt \"a fox walks, then sits down\" --seconds 6 -o both.glb\n"
                  "  limber animate statue.obj --prompt \"a man walks\" --loop -o walk.glb\n"
                  "  limber animate fox.glb --clips \"walk,run,idle,jump,attack\" --in-place -o fox_pack.glb\n"
                  "  limber animate fox.glb --video fox.mp4 -o fox_like_video.glb\n"
                  "  limber animate fox.glb --prompt \"a fox runs\" --library my_clips -o run.glb\n"
                  "  limber animate fox.glb --prompt \"a fox runs\" --prior CogVideoX-5b -o run.glb\n"
                  "A run that was stopped resumes from its checkpoint when it is started again.",
                  [&terminal, options] { return run_animate(terminal, *options); });
  command->add_option("input", options->input, "The model; one without a skeleton is rigged first")->type_name("FILE");
  command->add_option("words", options->words, "What it should do: the same as --prompt, with quotes or without")
      ->type_name("WORDS");
  command->add_option("-o,--output", options->output, "The asset with the new clip")->required()->type_name("FILE");
  command
      ->add_option("--create", options->created,
                   "Make the model from words instead, as `limber create` does: \"a small red dragon\"")
      ->type_name("WORDS");
  add_generator_option(*command, options->generator);
  command->add_flag("--verbose", options->verbose, "Print the numbers, too");
  for (const animate::Field& field : animate::fields()) {
    if (field.name == std::string_view("prompt")) {
      command->add_option("--prompt", options->prompts, std::string(field.help) + "; given twice, two clips")
          ->allow_extra_args(false)
          ->type_name("TEXT");
      continue;
    }
    const std::string usual = field.type == FieldType::kFlag ? "" : animate::text_of(field, options->wishes);
    add_field_option(*command, field, usual,
                     [options, &field](const std::string& text) { return animate::set(field, text, options->wishes); });
  }
  also_writes(*command, [options] { return unnamed_outputs(options->wishes, options->output); });
  command->parse_complete_callback([options] {
    take_model(*options);
    take_prompts(*options);
    take_words(*options);
    check_usage(options->wishes);
  });
}

}  // namespace limber::cli
