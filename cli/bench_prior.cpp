// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

Status measure(const BenchSettings& settings, BenchReport& report) {
  const PriorBenchSettings& options = settings.prior;
  prior::LoadSettings load;
  load.device = options.device;
  LIMBER_TRY(const prior::Checkpoint checkpoint, prior::published_checkpoint(options.model));
  const prior::VideoSize native =
      options.model == "tiny" ? prior::VideoSize{9, 64, 64} : prior::VideoSize{49, 480, 720};
  const prior::VideoSize size{options.frames > 0 ? options.frames : native.frames,
                              options.height > 0 ? options.height : native.height,
                              options.width > 0 ? options.width : native.width};
  LIMBER_CHECK_OK(prior::check_size(checkpoint, size));
  LIMBER_TRY(const std::unique_ptr<prior::VideoPrior> model, prior::random_prior(options.model, load, settings.seed));
  const prior::Condition condition = prior::random_condition(checkpoint, model->info().text_length, settings.seed);
  report.title = fmt::format("prior: one score-distillation step of {}, {} x {} x {}, random weights", options.model,
                             size.frames, size.height, size.width);
  const bool has_aim = options.model == "cogvideox-5b" && size == prior::VideoSize{49, 480, 720};
  for (const Mode& mode :
       {Mode{EncoderGradient::kKept, "kept", "<= 3.0"}, Mode{EncoderGradient::kRecomputed, "recomputed", "<= 3.0"},
        Mode{EncoderGradient::kSampled, "sampled", "<= 2.2"}}) {
    prior::ScoreSettings score;
    score.seed = settings.seed;
    score.encoder = mode.encoder;
    LIMBER_TRY(const prior::StepCost cost,
               prior::measure_step(*model, condition, size, score, load, settings.repetitions));
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
