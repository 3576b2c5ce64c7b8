// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "field_options.h"
#include "frames_file.h"
#include "limber/animate/models.h"
#include "limber/prior/prompt_words.h"
#include "limber/prior/sketch_model.h"
#include "limber/prior/video_prior.h"
#include "torch_commands.h"

namespace limber::cli {
namespace {

struct PriorOptions {
  std::string folder, video, output;
  prior::Prompt prompt;
  prior::LoadSettings load;
  prior::ScoreSettings score;
  prior::SampleSettings sample;
  std::optional<double> vram;
  std::optional<double> fps;
  int crf = 18;
  std::optional<int> frames, height, width;
  FramesChoice chosen;
  std::string size = "native";
  std::string rule = "unconditional", encoder = "auto";
  bool csd = false;
};

prior::LoadSettings load_settings(const PriorOptions& options) {
  prior::LoadSettings load = options.load;
  if (options.vram) load.memory_limit = static_cast<std::uint64_t>(*options.vram * 1e9);
  return load;
}

// --- inspect ---------------------------------------------------------------------------------------------------------

/// The prior that limber trains itself.
Status inspect_built_in(const Terminal& terminal, const PriorOptions& options) {
  LIMBER_TRY(const prior::SketchModel model, prior::read_sketch_model(options.folder));
  const double gflop = 2e-9 * model.flops();
  if (terminal.json) {
    nlohmann::ordered_json actions = nlohmann::json::array();
    for (const prior::ActionWords& action : model.actions) actions.push_back(action.name);
    print_json({{"kind", "built-in"},
                {"views", model.views},
                {"frames", model.frames},
                {"size", model.size},
                {"fps", model.fps},
                {"layers", model.layers},
                {"width", model.width},
                {"gflop_per_guided_step", gflop},
                {"actions", actions}});
    return Done{};
  }
  fmt::print("{}: limber's own prior, which draws sketches: bodies painted by their parts\n",
             printable(options.folder));
  fmt::print("  {} views of {} frames at {:g} fps, {} x {} pixels\n", model.views, model.frames, model.fps, model.size,
             model.size);
  fmt::print("  {} layers of {}, {} tokens, {:.0f} GFLOP per guided step\n", model.layers, model.width, model.tokens(),
             gflop);
  fmt::print("  {} actions: limber prior actions {}\n", model.actions.size(), printable(options.folder));
  return Done{};
}

Status run_actions(const Terminal& terminal, const PriorOptions& options) {
  std::filesystem::path folder = options.folder;
  if (folder.empty()) {
    LIMBER_TRY(folder, animate::find_builtin_prior());
  }
  LIMBER_TRY(const prior::SketchModel model, prior::read_sketch_model(folder));
  if (terminal.json) {
    nlohmann::ordered_json actions;
    for (const prior::ActionWords& action : model.actions) actions[action.name] = action.words;
    print_json(actions);
    return Done{};
  }
  for (const prior::ActionWords& action : model.actions) {
    fmt::print("{:<10} {}\n", printable(action.name), printable(fmt::format("{}", fmt::join(action.words, ", "))));
  }
  return Done{};
}

Status run_inspect(const Terminal& terminal, const PriorOptions& options) {
  if (prior::is_sketch_model(options.folder)) return inspect_built_in(terminal, options);
  LIMBER_TRY(const prior::Checkpoint checkpoint, prior::read_checkpoint(options.folder));
  LIMBER_CHECK_OK(hand_over_checkpoint());
  return torch_commands().inspect_checkpoint(terminal, checkpoint);
}

// --- model and prompt ------------------------------------------------------------------------------------------------

/// Options that the built-in prior has no use for.
void warn_of_options(const PriorOptions& options) {
  const auto tell = [](bool given, const char* name) {
    if (given) spdlog::warn("{} has no effect on the built-in prior", name);
  };
  const bool on_gpu = options.load.device.starts_with("cuda") && !prior::needs_torch(options.folder, options.load);
  tell(options.vram.has_value() && !on_gpu, "--vram"), tell(options.load.offload, "--offload");
  tell(options.load.text_cache.has_value(), "--text-cache");
  tell(options.load.text_length.has_value(), "--text-length");
  tell(options.sample.dynamic_guidance, "--dynamic-guidance");
}

/// Loads the model and reads the prompt.
struct Prepared {
  std::unique_ptr<prior::VideoPrior> model;
  prior::Condition condition;
};

Result<Prepared> prepare(const Terminal& terminal, const PriorOptions& options) {
  LIMBER_CHECK_OK(hand_over_prior(options.folder, load_settings(options)));
  Prepared prepared;
  if (prior::is_sketch_model(options.folder)) warn_of_options(options);
  {
    const Activity activity(terminal, "loading " + options.folder);
    LIMBER_TRY(prepared.model, prior::load_prior(options.folder, load_settings(options)));
  }
  const Activity activity(terminal, "reading the prompt");
  LIMBER_TRY(prepared.condition, prepared.model->condition(options.prompt));
  const std::vector<prior::ActionWords>& taught = prepared.model->info().actions;
  if (const auto warning = prior::warn_of_prompt(taught, options.prompt.text))
    spdlog::warn("{}", in_words(*warning, option_words));
  if (const int left_out = prepared.condition.left_out; left_out > 0) {
    const bool words = prepared.model->info().uses_rest;
    spdlog::warn("{} reads {} {} of a prompt; the last {} are left out", prepared.model->info().name,
                 words ? prior::kPromptWords : prepared.condition.length - 1, words ? "words" : "tokens", left_out);
  }
  return prepared;
}

void warn_of_size(const prior::PriorInfo& info, const prior::VideoSize& size) {
  if (size == info.native) return;
  spdlog::warn("{} was trained for {} frames of {} x {}: expect less from {} of {} x {}", info.name, info.native.frames,
               info.native.width, info.native.height, size.frames, size.width, size.height);
}

// --- sample ----------------------------------------------------------------------------------------------------------

Status run_sample(const Terminal& terminal, const PriorOptions& options) {
  // Nothing is loaded for an output that cannot be written.
  LIMBER_CHECK_OK(check_output(options.output, {options.fps.value_or(8), options.crf}));
  LIMBER_TRY(const Prepared prepared, prepare(terminal, options));
  prior::SampleSettings settings = options.sample;
  const prior::PriorInfo& info = prepared.model->info();
  settings.size =
      prior::VideoSize{options.frames.value_or(info.native.frames), options.height.value_or(info.native.height),
                       options.width.value_or(info.native.width)};
  warn_of_size(info, *settings.size);
  Activity activity(terminal, "sampling");
  settings.progress = [&](std::string_view, double fraction) {
    activity.update(fraction);
    return true;
  };
  LIMBER_TRY(const Frames frames, prepared.model->sample(prepared.condition, settings));
  LIMBER_CHECK_OK(write_frames(frames, options.output, {options.fps.value_or(info.fps), options.crf}));
  if (terminal.json) {
    print_json(
        {{"output", options.output}, {"frames", frames.frames}, {"height", frames.height}, {"width", frames.width}});
  }
  announce_file(terminal, options.output);
  return Done{};
}

// --- score -----------------------------------------------------------------------------------------------------------

nlohmann::ordered_json to_json(const prior::ScoreReport& report) {
  nlohmann::ordered_json draws = nlohmann::json::array();
  for (const prior::DrawReport& draw : report.draws) {
    draws.push_back({{"timestep", draw.timestep},
                     {"signal", draw.signal},
                     {"sigma", draw.sigma},
                     {"weight", draw.weight},
                     {"guidance_norm", draw.guidance_norm},
                     {"residual_norm", draw.residual_norm}});
  }
  return {{"guidance", report.guidance},
          {"latent_norm", report.latent_norm},
          {"latent_gradient_norm", report.latent_gradient_norm},
          {"gradient_norm", report.gradient_norm},
          {"not_finite", report.not_finite},
          {"draws", draws},
          {"seconds",
           {{"encode", report.encode_seconds},
            {"denoise", report.denoise_seconds},
            {"backward", report.backward_seconds}}}};
}

/// Frames of a video as the model takes them; says what was changed.
Result<Frames> fit_video(asset::VideoReader& reader, const prior::PriorInfo& info, const PriorOptions& options) {
  if (info.views > 1) {
    return Error{fmt::format("{} sees {} views at once: give it .safetensors with as many", info.name, info.views),
                 options.video};
  }
  FramesChoice choice = options.chosen;
  choice.multiple = info.size_multiple;
  choice.frames = options.frames.value_or(info.native.frames);
  if (options.size == "native") {
    choice.width = info.native.width, choice.height = info.native.height;
  } else if (options.size != "keep") {
    std::sscanf(options.size.c_str(), "%dx%d", &choice.width, &choice.height);
  }
  LIMBER_TRY(ChosenFrames chosen, choose_frames(reader, options.video, choice));
  Frames& frames = chosen.frames;
  // The most of them that every latent frame is made of whole.
  frames.frames -= (frames.frames - 1) % info.frame_step;
  frames.values.resize(frames.size());
  spdlog::info("{}: {} frames of {} x {}{}{}", printable(options.video), frames.frames, frames.width, frames.height,
               chosen.changes.empty() ? "" : ", ", chosen.changes);
  return std::move(frames);
}

Status run_score(const Terminal& terminal, const PriorOptions& options) {
  if (!options.output.empty() && !is_tensor_path(options.output))
    return Error{"gradients are written as .safetensors", options.output, ErrorKind::kUnsupported};
  // A bad video is told before anything is loaded, but how it is cut depends on the model.
  Frames frames;
  std::optional<asset::VideoReader> reader;
  if (is_tensor_path(options.video)) {
    LIMBER_TRY(frames, read_tensor(options.video, "frames"));
  } else {
    LIMBER_TRY(reader, asset::VideoReader::open(options.video));
  }
  LIMBER_TRY(const Prepared prepared, prepare(terminal, options));
  if (reader) {
    LIMBER_TRY(frames, fit_video(*reader, prepared.model->info(), options));
  }
  warn_of_size(prepared.model->info(), prior::video_size(frames));
  prior::ScoreSettings settings = options.score;
  if (options.csd) settings.residual = prior::Residual::kCsd;
  if (options.rule == "conditional") settings.rule = prior::GuidanceRule::kFromConditional;
  if (options.encoder == "kept") settings.encoder = prior::EncoderGradient::kKept;
  if (options.encoder == "recomputed") settings.encoder = prior::EncoderGradient::kRecomputed;
  if (options.encoder == "sampled") settings.encoder = prior::EncoderGradient::kSampled;

  Frames gradient;
  LIMBER_TRY(const prior::ScoreReport report, [&] {
    const Activity activity(terminal, "scoring");
    return prepared.model->score(frames, prepared.condition, settings, gradient);
  }());
  if (!options.output.empty()) LIMBER_CHECK_OK(write_tensor(gradient, options.output, "gradient"));
  if (terminal.json) {
    print_json(to_json(report));
    return Done{};
  }
  for (const prior::DrawReport& draw : report.draws) {
    fmt::print("t {:>3}  |c - u| {:.4g}  |residual| {:.4g}\n", draw.timestep, draw.guidance_norm, draw.residual_norm);
  }
  fmt::print("guidance {:g}  |z| {:.4g}  |dz| {:.4g}  |dpixels| {:.4g}\n", report.guidance, report.latent_norm,
             report.latent_gradient_norm, report.gradient_norm);
  fmt::print("encoder {:.2f} s, denoiser {:.2f} s, gradient {:.2f} s\n", report.encode_seconds, report.denoise_seconds,
             report.backward_seconds);
  return Done{};
}

// --- options ---------------------------------------------------------------------------------------------------------

void add_model_options(CLI::App& command, PriorOptions& options) {
  command
      .add_option("folder", options.folder,
                  "The checkpoint as downloaded (the folder with model_index.json), or a built-in prior")
      ->required();
  command.add_option("--prompt", options.prompt.text, "What the video shows")->required();
  command.add_option("--negative", options.prompt.negative, "What it does not show");
  command
      .add_option("--device", options.load.device,
                  "cpu, cuda, cuda:N, or several (cuda:0,cuda:1); auto: the GPU if there is one, for the built-in "
                  "prior the CPU")
      ->capture_default_str();
  command
      .add_option("--dtype", options.load.dtype,
                  "Type to compute in; auto: bfloat16 on a GPU, float32 on a CPU; float8: feed-forward layers in 8 "
                  "bits, for Hopper")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16", "float8"}))
      ->capture_default_str();
  command.add_flag("--offload", options.load.offload,
                   "Keep the transformer's blocks in main memory: slower, for small GPUs");
  command.add_option("--vram", options.vram, "Use at most so many GB of the device; by default all")
      ->check(CLI::PositiveNumber)
      ->type_name("GB");
  command.add_option("--text-cache", options.load.text_cache, "Folder that keeps the embeddings of prompts")
      ->type_name("FOLDER");
  command.add_option("--text-length", options.load.text_length, "Tokens of a prompt (Wan); by default the model's own")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
}

void add_sample_options(CLI::App& command, PriorOptions& options) {
  const auto size = CLI::Range(1, 8192);
  command
      .add_option("-o,--output", options.output,
                  "Where to write the frames: .mp4, .gif, .webp, .safetensors (exact), or a folder of PNG files")
      ->required()
      ->type_name("FILE");
  command.add_option("--fps", options.fps, "Frame rate of the video; by default the model's")
      ->check(CLI::Range(0.1, 240.0))
      ->type_name("X");
  command.add_option("--crf", options.crf, "Of the video: 0 lossless, 18 hardly visible loss, 28 small")
      ->check(CLI::Range(0, 51))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--steps", options.sample.steps, "Denoising steps; by default as usual for the model")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command.add_flag("--few-steps", options.sample.few_steps, "In a few passes without guidance, where the model can");
  command
      .add_option(
          "--guidance", options.sample.guidance,
          "How much the prompt counts (the scale of classifier-free guidance); by default as usual for the model")
      ->check(CLI::PositiveNumber)
      ->type_name("X");
  command.add_flag("--dynamic-guidance", options.sample.dynamic_guidance,
                   "Guidance that changes with the timestep, as CogVideoX's demo has it");
  command.add_option("--frames", options.frames, "Length; by default the model's own")->check(size)->type_name("N");
  command.add_option("--height", options.height, "Likewise")->check(size)->type_name("N");
  command.add_option("--width", options.width, "Likewise")->check(size)->type_name("N");
  command.add_option("--seed", options.sample.seed, "Draws the noise")->capture_default_str()->type_name("N");
}

void add_score_options(CLI::App& command, PriorOptions& options) {
  prior::ScoreSettings& score = options.score;
  command.add_option("video", options.video, "Any video that ffmpeg reads, or exact frames: .safetensors")->required();
  command.add_option("--size", options.size, "A video's frames are scaled and cropped to: native, keep, or WxH")
      ->check([](const std::string& text) {
        int width = 0, height = 0, end = 0;
        const bool pair = std::sscanf(text.c_str(), "%5dx%5d%n", &width, &height, &end) == 2 && width > 0 && height > 0;
        const bool whole = pair && static_cast<std::size_t>(end) == text.size();
        return (whole && width <= 8192 && height <= 8192) || text == "native" || text == "keep"
                   ? ""
                   : "not native, keep or a size like 720x480: " + text;
      })
      ->capture_default_str();
  command.add_option("--start", options.chosen.start, "First frame of a video to take")
      ->check(CLI::Range(0, 1 << 30))
      ->type_name("N");
  command.add_option("--step", options.chosen.step, "Take every so many frames of a video")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--frames", options.frames, "Take at most so many; by default as many as the model was trained for")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command.add_option("-o,--output", options.output, "Where to write the gradient: .safetensors")->type_name("FILE");
  command.add_option("--guidance", score.guidance, "How much the prompt counts")->capture_default_str()->type_name("X");
  command.add_option("--guidance-from", options.rule, "unconditional: u + G (c - u); conditional: c + G (c - u)")
      ->check(CLI::IsMember({"unconditional", "conditional"}))
      ->capture_default_str();
  command.add_flag("--csd", options.csd, "Distil the classifier score G (c - u) alone");
  command.add_option("--timestep", score.timestep, "This one instead of a random one")
      ->check(CLI::Range(0, 999))
      ->type_name("T");
  command.add_option("--draws", score.draws, "Timesteps and noises to average")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--iteration", score.iteration, "Of a run: lowers the largest timestep")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command.add_option("--encoder", options.encoder, "How the gradient goes through the encoder; sampled is not exact")
      ->check(CLI::IsMember({"auto", "kept", "recomputed", "sampled"}))
      ->capture_default_str();
  command.add_option("--seed", score.seed, "Draws timesteps and noise")->capture_default_str()->type_name("N");
  exclude(command, "--timestep", {"--iteration"});
}

}  // namespace

void add_prior(CLI::App& app, Terminal& terminal) {
  CLI::App* group = app.add_subcommand("prior", "The video networks behind prompts: what they know, what they draw");
  group->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, const char* examples, auto run) {
    auto options = std::make_shared<PriorOptions>();
    CLI::App* command = add_command(*group, terminal, name, help, examples,
                                    [&terminal, options, run] { return run(terminal, *options); });
    return std::pair{command, options};
  };
  {
    const auto [command, options] = add("inspect", "What a checkpoint is, holds, lacks and needs",
                                        "  limber prior inspect CogVideoX-5b", run_inspect);
    command->add_option("folder", options->folder, "The folder with model_index.json, or of a built-in prior")
        ->required();
  }
  {
    const auto [command, options] = add("actions", "The actions that a built-in prior was taught, and words for them",
                                        "  limber prior actions\n  limber prior actions my_prior", run_actions);
    command->add_option("folder", options->folder, "The folder of a model; by default the one that ships");
  }
  {
    const auto [command, options] = add(
        "sample", "Draw a video", "  limber prior sample CogVideoX-2b --prompt \"a fox trots\" -o fox.mp4", run_sample);
    add_model_options(*command, *options);
    add_sample_options(*command, *options);
  }
  {
    const auto [command, options] =
        add("score", "The score-distillation gradient of a video",
            "  limber prior score CogVideoX-5b fox.mp4 --prompt \"a fox trots\" --guidance 100", run_score);
    add_model_options(*command, *options);
    add_score_options(*command, *options);
  }
}

}  // namespace limber::cli
