// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bench/bench.h"
#include "bench/prior_step.h"
#include "cli/torch_commands.h"
#include "limber/prior/random_prior.h"

namespace limber::bench {
namespace {

using prior::EncoderGradient;

struct PriorSettings : TimedSettings {
  std::string model = "tiny";  ///< one of prior::published_models, or a checkpoint folder
  bool random = false;         ///< insist on the former
  std::string device = "auto", dtype = "auto";
  std::optional<int> frames, height, width;  ///< unset: the model's own; 49 x 480 x 720 for a published one
};

/// A way through the encoder, with the aim on an H200 where the issue of this benchmark sets one.
struct Mode {
  EncoderGradient encoder;
  const char* name;
  const char* seconds_aim;
};

/// What this is measured against: the aims are stated for one model at one size.
enum class Aims { kNone, kStated };

void add_rows(Report& report, const Mode& mode, const StepCost& cost, Aims aims) {
  const std::string prefix = fmt::format("{} encoder gradient/", mode.name);
  const std::string note = cost.not_finite > 0 ? fmt::format("{} entries not finite", cost.not_finite)
                                               : fmt::format("|gradient| {:.4g}", cost.gradient_norm);
  report.rows.push_back({prefix + "step", cost.total, "s", aims == Aims::kStated ? mode.seconds_aim : "", note});
  report.rows.push_back({prefix + "denoiser pair", cost.denoise, "s", "", ""});
  report.rows.push_back({prefix + "encoder forward", cost.encode, "s", "", ""});
  report.rows.push_back({prefix + "encoder backward", cost.backward, "s", "", ""});
  report.rows.push_back({prefix + "rest", cost.rest, "s", "", ""});
  report.rows.push_back({prefix + "peak memory", static_cast<double>(cost.peak_bytes) * 1e-9, "GB",
                         aims == Aims::kStated ? "<= 60" : "", ""});
}

/// What is measured: a published model with random weights, or a checkpoint folder.
struct Measured {
  prior::Checkpoint checkpoint;
  std::unique_ptr<prior::VideoPrior> model;
  prior::Condition condition;
  prior::VideoSize size;
};

Result<Measured> prepare(const PriorSettings& options, const prior::LoadSettings& load) {
  const auto& names = prior::published_models();
  Measured subject;
  if (options.random || std::count(names.begin(), names.end(), options.model) > 0) {
    LIMBER_TRY(subject.checkpoint, prior::published_checkpoint(options.model));
    LIMBER_TRY(subject.model, prior::random_prior(options.model, load, options.seed));
    subject.condition = prior::random_condition(subject.checkpoint, subject.model->info().text_length, options.seed);
    subject.size = options.model == "tiny" ? prior::VideoSize{9, 64, 64} : prior::VideoSize{49, 480, 720};
  } else {
    LIMBER_TRY(subject.checkpoint, prior::read_checkpoint(options.model));
    LIMBER_TRY(subject.model, prior::load_prior(options.model, load));
    LIMBER_TRY(subject.condition, subject.model->condition({"a fox trots over a meadow", ""}));
    subject.size = subject.model->info().native;
  }
  subject.size.frames = options.frames.value_or(subject.size.frames);
  subject.size.height = options.height.value_or(subject.size.height);
  subject.size.width = options.width.value_or(subject.size.width);
  LIMBER_CHECK_OK(prior::check_size(subject.checkpoint, subject.size));
  return subject;
}

Result<Report> bench_prior(const PriorSettings& settings) {
  prior::LoadSettings load;
  load.device = settings.device, load.dtype = settings.dtype;
  LIMBER_TRY(const Measured subject, prepare(settings, load));
  Report report;
  const prior::VideoSize& size = subject.size;
  report.title = fmt::format("prior: one score-distillation step of {}, {} x {} x {}", subject.checkpoint.name,
                             size.frames, size.height, size.width);
  const bool stated = settings.model == "cogvideox-5b" && size == prior::VideoSize{49, 480, 720};
  const Aims aims = stated ? Aims::kStated : Aims::kNone;
  for (const Mode& mode :
       {Mode{EncoderGradient::kKept, "kept", "<= 3.0"}, Mode{EncoderGradient::kRecomputed, "recomputed", "<= 3.0"},
        Mode{EncoderGradient::kSampled, "sampled", "<= 2.2"}}) {
    prior::ScoreSettings score;
    score.seed = settings.seed;
    score.encoder = mode.encoder;
    LIMBER_TRY(const StepCost cost,
               measure_step(*subject.model, subject.condition, size, score, load, settings.repetitions));
    add_rows(report, mode, cost, aims);
  }
  return report;
}

}  // namespace

void add_prior_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<PriorSettings>();
  CLI::App& command =
      add_timed_subject(bench, terminal,
                        {"prior", cli::torch_help("bench", "prior"),
                         "  limber-lab bench prior\n  limber-lab bench prior --model cogvideox-5b --device cuda"},
                        *settings, [settings] { return bench_prior(*settings); });
  const auto size = CLI::Range(1, 8192);
  command
      .add_option(
          "--model", settings->model,
          fmt::format("{} with random weights, or a checkpoint folder", fmt::join(prior::published_models(), ", ")))
      ->capture_default_str();
  command.add_flag("--random", settings->random, "Random weights even if there is a folder of that name");
  command.add_option("--device", settings->device, "cpu, cuda, cuda:N, several (cuda:0,cuda:1) or auto")
      ->capture_default_str();
  command.add_option("--dtype", settings->dtype, "float32, bfloat16, float8 (feed-forward layers) or auto")
      ->check(CLI::IsMember({"auto", "float32", "bfloat16", "float8"}))
      ->capture_default_str();
  command.add_option("--frames", settings->frames, "By default the model's own, or 49")->check(size)->type_name("N");
  command.add_option("--height", settings->height, "By default the model's own, or 480")->check(size)->type_name("N");
  command.add_option("--width", settings->width, "By default the model's own, or 720")->check(size)->type_name("N");
}

}  // namespace limber::bench
