// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "command.h"
#include "limber/prior/few_steps_trainer.h"
#include "torch_commands.h"
#include "train.h"

namespace limber::cli {
namespace {

struct FewStepsOptions {
  TrainingFiles files;
  prior::FewStepsSettings train;
  TrainingData data;
  FewStepsOptions() {
    files.summary = "few_steps.training.json";
    nn::TrainingPlan& plan = train.plan;
    plan.batch = 192, plan.learning_rate = 2e-4, plan.warmup_steps = 300, plan.average_decay = 0.999;
    plan.validation_steps = 250;
  }
};

nlohmann::ordered_json scores_json(const prior::FewStepsScores& scores) {
  return {{"error", scores.error}, {"continued_error", scores.continued_error}, {"spread", scores.spread}};
}

nlohmann::ordered_json few_steps_summary(const FewStepsOptions& options, const prior::FewStepsReport& report) {
  const prior::FewStepsSettings& train = options.train;
  nlohmann::ordered_json summary = training_summary("train few-steps", options.files, train.plan, report);
  summary["passes"] = train.steps, summary["rank"] = train.rank;
  summary["teacher_steps"] = train.teacher_steps, summary["guidance"] = train.guidance;
  summary["last_guidance"] = train.guidance_of(train.steps - 1);
  summary["shift"] = train.shift, summary["jumps"] = report.jumps, summary["uses"] = train.uses;
  summary["before"] = scores_json(report.before), summary["after"] = scores_json(report);
  return summary;
}

Result<prior::FewStepsReport> train_logged(const Terminal& terminal, const TrainingClips& clips,
                                           FewStepsOptions& options) {
  TrainingLog log(terminal, options.files, options.train.plan, "error,continued_error,spread");
  options.train.on_report = [&](const prior::FewStepsStep& step) {
    if (step.validated) {
      spdlog::info("step {}: loss {:.4f}, from the teacher {:.4f}, continued {:.4f}, spread {:.0f} %, {:.0f} s",
                   step.step, step.loss, step.error, step.continued_error, 100 * step.spread, step.seconds);
    }
    return log.add(step, {step.error, step.continued_error, step.spread});
  };
  LIMBER_TRY(prior::FewStepsReport report, prior::train_few_steps(clips.source, options.files.output, options.train));
  LIMBER_CHECK_OK(log.status());
  return report;
}

Status train_few_steps(const Terminal& terminal, FewStepsOptions options) {
  LIMBER_TRY(const prior::SketchModel model, prior::read_sketch_model(options.train.plan.from));
  LIMBER_TRY(const TrainingClips clips, training_clips(model, options.data));
  LIMBER_TRY(options.files.credits, training_credits(options.data.characters, options.files, options.train.plan));
  LIMBER_TRY(const prior::FewStepsReport report, train_logged(terminal, clips, options));
  const nlohmann::ordered_json summary = few_steps_summary(options, report);
  LIMBER_CHECK_OK(write_summary(options.files, summary));
  if (terminal.json) {
    print_json(summary);
    return Done{};
  }
  fmt::print(
      "{} steps of {} on {} jumps of the teacher in {:.0f} s: {:.4f} from the teacher ({:.4f} before), spread {:.0f} "
      "%\n",
      report.steps, options.train.plan.batch, report.jumps, report.seconds, report.error, report.before.error,
      100 * report.spread);
  return Done{};
}

void add_jump_options(CLI::App& command, prior::FewStepsSettings& train) {
  command.add_option("--passes", train.steps, "Of a sample")->check(CLI::Range(1, 64))->capture_default_str();
  command.add_option("--rank", train.rank, "Of the adapter's matrices")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command.add_option("--teacher-steps", train.teacher_steps, "Guided ones; a multiple of --passes")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--guidance", train.guidance, "Of the teacher, in the first jump")->capture_default_str();
  command.add_option("--last-guidance", train.last_guidance, "Of the teacher, in the last jump; by default the same");
  command.add_option("--shift", train.shift, "1: jumps share the noise evenly; above: the first ones take off less")
      ->check(CLI::Range(1.0, prior::kMostShift))
      ->capture_default_str();
  command.add_option("--uses", train.uses, "How often a jump of the teacher is learned from")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--jumps", train.kept, "Of the teacher in memory, 3.6 MB each; at least --batch")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--continued", train.known.continued, "Share of the clips whose beginning is known")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

}  // namespace

void add_train_few_steps(CLI::App& group, Terminal& terminal) {
  auto options = std::make_shared<FewStepsOptions>();
  CLI::App* command =
      add_command(group, terminal, "few-steps", torch_help("train", "few-steps"),
                  "  limber-lab train few-steps -o quick --from models/sketch_prior --seconds 480\n"
                  "  limber-lab train few-steps -o quick --from models/sketch_prior --seconds 480 --resume",
                  [&terminal, options] { return train_few_steps(terminal, *options); });
  nn::TrainingPlan& plan = options->train.plan;
  add_plan_options(*command, options->files, plan, "Jumps");
  command->get_option("--from")->required();
  command->add_option("--pool", plan.pool, "Clips in memory, 0.6 MB each")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--clips", plan.max_examples, "Draw at most so many; 0: as many as there is time for")
      ->capture_default_str();
  command->add_option("--first-clips", plan.first_examples, "Clips to draw before training begins")
      ->capture_default_str();
  add_data_options(*command, options->data);
  add_jump_options(*command, options->train);
  command->add_option_function<std::uint64_t>(
      "--seed", [options](std::uint64_t seed) { options->train.plan.seed = options->data.seed = seed; },
      "Of weights and clips");
}

}  // namespace limber::cli
