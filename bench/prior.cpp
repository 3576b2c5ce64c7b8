// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "bench.h"
#include "limber/prior/benchmark.h"

namespace limber::cli {
namespace {

using prior::EncoderGradient;

/// A way through the encoder, with the aim on an H200 where the issue of this benchmark sets one.
struct Mode {
  EncoderGradient encoder;
  const char* name;
  const char* aim;
};

void add_rows(BenchReport& report, const Mode& mode, const prior::StepCost& cost, bool has_aim) {
  const std::string prefix = fmt::format("{} encoder gradient/", mode.name);
  const std::string note = cost.not_finite > 0 ? fmt::format("{} entries not finite", cost.not_finite)
                                               : fmt::format("|gradient| {:.4g}", cost.gradient_norm);
  report.rows.push_back({prefix + "step", cost.total, "s", has_aim ? mode.aim : "", note});
  report.rows.push_back({prefix + "denoiser pair", cost.denoise, "s", "", ""});
  report.rows.push_back({prefix + "encoder forward", cost.encode, "s", "", ""});
  report.rows.push_back({prefix + "encoder backward", cost.backward, "s", "", ""});
  report.rows.push_back({prefix + "rest", cost.rest, "s", "", ""});
  report.rows.push_back(
      {prefix + "peak memory", static_cast<double>(cost.peak_bytes) * 1e-9, "GB", has_aim ? "<= 60" : "", ""});
}

/// What is measured: a published model with random weights, or a checkpoint folder.
struct Subject {
  prior::Checkpoint checkpoint;
  std::unique_ptr<prior::VideoPrior> model;
  prior::Condition condition;
  prior::VideoSize size;
};

Result<Subject> prepare(const BenchSettings& settings, const prior::LoadSettings& load) {
  const PriorBenchSettings& options = settings.prior;
  const auto& names = prior::published_models();
  Subject subject;
  if (options.random || std::count(names.begin(), names.end(), options.model) > 0) {
    LIMBER_TRY(subject.checkpoint, prior::published_checkpoint(options.model));
    LIMBER_TRY(subject.model, prior::random_prior(options.model, load, settings.seed));
    subject.condition = prior::random_condition(subject.checkpoint, subject.model->info().text_length, settings.seed);
    subject.size = options.model == "tiny" ? prior::VideoSize{9, 64, 64} : prior::VideoSize{49, 480, 720};
  } else {
    LIMBER_TRY(subject.checkpoint, prior::read_checkpoint(options.model));
    LIMBER_TRY(subject.model, prior::load_prior(options.model, load));
    LIMBER_TRY(subject.condition, subject.model->condition({"a fox trots over a meadow", ""}));
    subject.size = subject.model->info().native;
  }
  if (options.frames > 0) subject.size.frames = options.frames;
  if (options.height > 0) subject.size.height = options.height;
  if (options.width > 0) subject.size.width = options.width;
  LIMBER_CHECK_OK(prior::check_size(subject.checkpoint, subject.size));
  return subject;
}

Status measure(const BenchSettings& settings, BenchReport& report) {
  const PriorBenchSettings& options = settings.prior;
  prior::LoadSettings load;
  load.device = options.device;
  LIMBER_TRY(const Subject subject, prepare(settings, load));
  const prior::VideoSize& size = subject.size;
  report.title = fmt::format("prior: one score-distillation step of {}, {} x {} x {}", subject.checkpoint.name,
                             size.frames, size.height, size.width);
  const bool has_aim = options.model == "cogvideox-5b" && size == prior::VideoSize{49, 480, 720};
  for (const Mode& mode :
       {Mode{EncoderGradient::kKept, "kept", "<= 3.0"}, Mode{EncoderGradient::kRecomputed, "recomputed", "<= 3.0"},
        Mode{EncoderGradient::kSampled, "sampled", "<= 2.2"}}) {
    prior::ScoreSettings score;
    score.seed = settings.seed;
    score.encoder = mode.encoder;
    LIMBER_TRY(const prior::StepCost cost,
               prior::measure_step(*subject.model, subject.condition, size, score, load, settings.repetitions));
    add_rows(report, mode, cost, has_aim);
  }
  return Done{};
}

}  // namespace

BenchReport bench_prior(const BenchSettings& settings) {
  BenchReport report;
  report.title = "prior: " + settings.prior.model;
  const Status status = measure(settings, report);
  if (!status.ok()) report.rows.push_back({"stopped", 0, "", "", status.error().message()});
  return report;
}

}  // namespace limber::cli
