// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "animate_words.h"
#include "command.h"
#include "facing_options.h"
#include "field_options.h"
#include "limber/actions/catalogue.h"
#include "limber/animate/animate_asset.h"
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
  std::vector<std::string> words;  ///< behind the model: a prompt that nobody called one
  bool verbose = false;
  bool asks_preview = false;  ///< in so many words; else one is made where it can be
  animate::Wishes wishes;     ///< all else
  animate::Request request;   ///< what they come to
};

/// What is written beside the result: `walk.glb` -> `walk` + `ending`.
std::string beside(const std::string& output, const char* ending) {
  return fs::path(output).replace_extension().string() + ending;
}

// --- what is asked --------------------------------------------------------------------------------------------------

/// Wrong usage, told while options are parsed: minutes may pass before anything else looks at them.
void check_usage(const animate::Wishes& wishes) {
  const auto refusal = animate::find_refusal(wishes, animate::models_info(wishes.models));
  if (refusal) throw CLI::ValidationError(in_words(*refusal, option_words));
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
  if (!options.wishes.request.prompt.empty()) {
    throw CLI::ValidationError(
        fmt::format("--prompt and the words \"{}\" both say what it should do; one of them is enough", prompt));
  }
  options.wishes.request.prompt = prompt, options.wishes.said.insert("prompt");
}

/// Files beside the output that nobody named.
std::vector<UnnamedOutput> unnamed_outputs(const animate::Wishes& wishes, const std::string& output) {
  const animate::Files& files = wishes.files;
  std::vector<UnnamedOutput> unnamed;
  if (wishes.checkpoint.empty()) unnamed.push_back({"the checkpoint", beside(output, ".checkpoint")});
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
Status check_prompt(const animate::Wishes& wishes) {
  const std::string& prompt = wishes.request.prompt;
  const actions::Catalogue& known = actions::built_in();
  if (prompt.empty() || wishes.models.prior || wishes.request.library || !known.find_in(prompt).empty()) return Done{};
  std::string meant;
  for (const std::string& word : actions::words_of(prompt)) {
    const actions::Action* nearest = word.size() > 3 ? known.nearest(word) : nullptr;
    if (nearest != nullptr) meant += fmt::format("; \"{}\" may mean {}", word, nearest->name);
  }
  const std::string what =
      fmt::format("\"{}\" names no action that is known{}; `limber prior actions` lists them", prompt, meant);
  if (wishes.files.strict) return Error{what, "--prompt"};
  spdlog::warn("{}", printable(what));
  return Done{};
}

/// Options as a request, and where files go.
Status complete(AnimateOptions& options) {
  animate::Wishes& wishes = options.wishes;
  LIMBER_CHECK_OK(check_motion_output(options.output));
  animate::Files& files = wishes.files;
  if (files.report.empty()) files.report = beside(options.output, ".report.json");
  options.asks_preview = !files.preview.empty();
  if (files.preview.empty() && !files.no_preview) files.preview = beside(options.output, ".mp4");
  if (wishes.checkpoint.empty()) wishes.checkpoint = beside(options.output, ".checkpoint");
  if (wishes.fresh) animate::remove_checkpoint(wishes.checkpoint);
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

Result<animate::AnimatedAsset> animate_file(const Terminal& terminal, const AnimateOptions& options,
                                            const animate::ModelSettings& models) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  Activity activity(terminal, "animating");
  std::string latest;  // of the distillation
  animate::Request request = options.request;
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
  if (result.ok()) return result;
  Error error = std::move(result).error();
  error.what = worded(error.what);
  // Options were checked before: what contradicts the request is the video, or what an earlier run left.
  if (error.kind != ErrorKind::kConflict) return error;
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

/// With --strict a motion that went wrong is a failure, after all is written.
Status check_answers(const AnimateOptions& options, const animate::Animation& animation) {
  if (animate::all_passed(animation.answers)) return Done{};
  std::string failed;
  for (const animate::Answer& answer : animation.answers) {
    if (answer.passed.value_or(true)) continue;
    failed += (failed.empty() ? "" : ", ") + std::string(animate::name(answer.question));
  }
  return Error{"it was written, but failed (--strict): " + failed, options.output};
}

Status run_animate(const Terminal& terminal, AnimateOptions options) {
  const animate::Files& files = options.wishes.files;
  if (!files.timeline.empty()) GpuTimeline::get().start("start");
  LIMBER_CHECK_OK(complete(options));
  LIMBER_CHECK_OK(check_prompt(options.wishes));
  LIMBER_TRY(const animate::ModelSettings models, asked_models(options));
  if (options.request.device == Device::kCuda && !scene::has_cuda()) {
    spdlog::info("scenes are drawn on the CPU: this build has no CUDA kernels (LIMBER_CUDA)");
  }
  LIMBER_TRY(const animate::AnimatedAsset result, animate_file(terminal, options, models));
  if (result.rigged) {
    spdlog::info("there is no skeleton, so it got one: {} joints", result.subject.rig.joint_count());
  }
  for (const Warning& warning : result.warnings) spdlog::warn("{}", printable(in_words(warning, option_words)));

  const double fps = options.request.finishing.fps;
  LIMBER_CHECK_OK(write_asset_file(terminal, result.asset, options.output, result.first_clip, fps));
  announce_file(terminal, options.output, result.asset.clips[static_cast<std::size_t>(result.first_clip)].name);
  LIMBER_CHECK_OK(write_losses(options, result.animation));
  Json report{{"limber", LIMBER_VERSION}, {"command", "animate"}, {"input", options.input}, {"output", options.output}};
  report.update(report::to_json(result, option_words));
  LIMBER_CHECK_OK(write_file(files.report, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"));
  Status preview = Done{};
  if (!files.no_preview) {
    // Otherwise a body of a file in which +Z is up would be drawn lying.
    const FacingOptions facing{result.facing.up, result.facing.forward};
    const int clip = asset::find_format(options.output)->one_clip ? 0 : result.first_clip;
    const Status drawn = render_preview(terminal, options.output, fmt::format("#{}", clip), files.preview, fps, facing);
    // One that nobody asked for is no reason to fail.
    if (options.asks_preview) preview = drawn;
    if (!drawn.ok() && !options.asks_preview) spdlog::warn("no preview: {}", drawn.error().message());
  }
  animate::remove_checkpoint(options.request.checkpoint->file);
  if (terminal.json) {
    print_json(report);
  } else {
    print_result(result, options.request.finishing.loop);
    if (options.verbose) print_numbers(result.animation);
  }
  if (!files.timeline.empty()) LIMBER_CHECK_OK(write_timeline(terminal, files.timeline));
  LIMBER_CHECK_OK(preview);
  return files.strict ? check_answers(options, result.animation) : Status(Done{});
}

// --- the command -----------------------------------------------------------------------------------------------------

}  // namespace

void add_animate(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<AnimateOptions>();
  options->wishes.kept_beside = true;
  CLI::App* command =
      add_command(app, terminal, "animate", "Make a model move: by a prompt, or as in a video",
                  "  limber animate fox.glb --prompt \"a fox trots\" -o fox_trot.glb\n"
                  "  limber animate fox.glb --prompt \"it sits down\" --quality draft -o sit.glb\n"
                  "  limber animate fox.glb --prompt \"a fox walks, then sits down\" --seconds 6 -o both.glb\n"
                  "  limber animate statue.obj --prompt \"a man walks\" --loop -o walk.glb\n"
                  "  limber animate fox.glb --video fox.mp4 -o fox_like_video.glb\n"
                  "  limber animate fox.glb --prompt \"a fox runs\" --library my_clips -o run.glb\n"
                  "  limber animate fox.glb --prompt \"a fox runs\" --prior CogVideoX-5b -o run.glb\n"
                  "A run that was stopped resumes from its checkpoint when it is started again.",
                  [&terminal, options] { return run_animate(terminal, *options); });
  command->add_option("input", options->input, "The model; one without a skeleton is rigged first")
      ->required()
      ->type_name("FILE");
  command->add_option("words", options->words, "What it should do: the same as --prompt, with quotes or without")
      ->type_name("WORDS");
  command->add_option("-o,--output", options->output, "The asset with the new clip")->required()->type_name("FILE");
  command->add_flag("--verbose", options->verbose, "Print the numbers, too");
  for (const animate::Field& field : animate::fields()) {
    const std::string usual = field.type == FieldType::kFlag ? "" : animate::text_of(field, options->wishes);
    add_field_option(*command, field, usual,
                     [options, &field](const std::string& text) { return animate::set(field, text, options->wishes); });
  }
  also_writes(*command, [options] { return unnamed_outputs(options->wishes, options->output); });
  command->parse_complete_callback([options] {
    take_words(*options);
    check_usage(options->wishes);
  });
}

}  // namespace limber::cli
