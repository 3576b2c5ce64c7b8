// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "command.h"
#include "limber/base/files.h"
#include "limber/training/character_file.h"
#include "limber/training/credits.h"
#include "train.h"

namespace limber::cli {

void add_shape_options(CLI::App& command, int& layers, int& width, int& heads) {
  command.add_option("--layers", layers, "Depth of the network")->check(CLI::Range(1, 64))->capture_default_str();
  command.add_option("--width", width, "Width of the network; a multiple of --heads")->capture_default_str();
  command.add_option("--heads", heads, "Attention heads")->capture_default_str();
}

void add_body_pool_options(CLI::App& command, nn::TrainingPlan& plan, const std::string& size) {
  command.add_option("--pool", plan.pool, "Bodies in memory, " + size + " each")
      ->check(CLI::Range(1, 4000000))
      ->capture_default_str();
  command.add_option("--examples", plan.max_examples, "Bodies to draw at most; 0: as long as it trains")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 36))
      ->capture_default_str();
  command.add_option("--first", plan.first_examples, "Bodies to draw before training begins")->capture_default_str();
}

void add_plan_options(CLI::App& command, TrainingFiles& files, nn::TrainingPlan& plan, const std::string& examples) {
  command.add_option("-o,--output", files.output, "Folder for the model")->required()->type_name("DIR");
  command.add_option("--from", plan.from, "Start from the weights of this folder")->type_name("DIR");
  command.add_flag("--resume", plan.resume, "Resume a run into the same folder where it was stopped");
  command.add_option("--seconds", plan.seconds, "How long to train")->check(CLI::PositiveNumber)->capture_default_str();
  command.add_option("--steps", plan.max_steps, "At most so many steps; 0: as many as fit")->capture_default_str();
  command.add_option("--batch", plan.batch, examples + " per step")->check(CLI::Range(1, 4096))->capture_default_str();
  command
      .add_option("--validation", plan.validation_examples, examples + " to measure with, which are not learned from")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--learning-rate", plan.learning_rate, "At its height")->capture_default_str();
  command.add_option("--final-rate", plan.final_rate, "At the end, as a share of that")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--warmup", plan.warmup_steps, "Steps until then")->capture_default_str();
  command.add_option("--average", plan.average_decay, "Decay of the running average of the weights")
      ->capture_default_str();
  command.add_option("--device", plan.device, "cpu, cuda or cuda:N; auto: the GPU if there is one")
      ->capture_default_str();
  command.add_option("--csv", files.csv, "Losses and scores, written as the training goes")->type_name("FILE");
}

TrainingLog::TrainingLog(const Terminal& terminal, const TrainingFiles& files, const nn::TrainingPlan& plan,
                         const std::string& scores)
    : files_(files),
      plan_(plan),
      activity_(terminal, "drawing the first examples"),
      rows_(fmt::format("step,seconds,loss,{},learning_rate,gradient_norm,examples\n", scores)),
      no_scores_(static_cast<std::size_t>(std::count(scores.begin(), scores.end(), ',')), ',') {}

bool TrainingLog::add(const nn::TrainingStep& step, std::initializer_list<double> scores) {
  activity_.say("training");
  activity_.update(plan_.max_steps > 0 ? static_cast<double>(step.step) / static_cast<double>(plan_.max_steps)
                                       : step.seconds / plan_.seconds);
  const std::string measured = step.validated ? fmt::format("{:.5f}", fmt::join(scores, ",")) : no_scores_;
  rows_ += fmt::format("{},{:.2f},{:.6f},{},{:.3e},{:.4f},{}\n", step.step, step.seconds, step.loss, measured,
                       step.learning_rate, step.gradient_norm, step.examples);
  if (!files_.csv.empty()) status_ = write_file(files_.csv, rows_);
  return status_.ok();
}

nlohmann::ordered_json training_summary(const std::string& command, const TrainingFiles& files,
                                        const nn::TrainingPlan& plan, const nn::TrainingReport& report) {
  // Names alone: the file goes with the model to other machines.
  const auto name = [](const std::filesystem::path& folder) { return folder.filename().string(); };
  return {{"limber", LIMBER_VERSION},
          {"command", command},
          {"output", name(files.output)},
          {"from", name(plan.from)},
          {"device", report.device},
          {"parameters", report.parameters},
          {"steps", report.steps},
          {"batch", plan.batch},
          {"seed", plan.seed},
          {"seconds", report.seconds},
          {"seconds_before", report.first_seconds},
          {"loss", report.loss},
          {"credits", files.credits}};
}

Result<std::vector<std::string>> training_credits(const std::string& characters, const TrainingFiles& files,
                                                  const nn::TrainingPlan& plan) {
  std::vector<std::string> credits;
  if (!characters.empty()) {
    LIMBER_TRY(training::TrainingSet set, training::read_training_set(characters));
    credits = std::move(set.credits);
  }
  for (const std::filesystem::path& folder : {std::filesystem::path(plan.from), std::filesystem::path(files.output)}) {
    const bool taught = folder == plan.from ? !folder.empty() : plan.resume;
    std::error_code failed;
    if (!taught || !std::filesystem::exists(folder / "training.json", failed)) continue;
    LIMBER_TRY(const Bytes bytes, read_file(folder / "training.json", 16u << 20));
    const nlohmann::json before = nlohmann::json::parse(as_text(bytes), nullptr, /*allow_exceptions=*/false);
    if (!before.is_object() || !before.contains("credits") || !before["credits"].is_array()) continue;
    for (const nlohmann::json& line : before["credits"]) {
      if (line.is_string()) credits.push_back(line.get<std::string>());
    }
  }
  return training::joined_credits(std::move(credits), {});
}

Status write_summary(const TrainingFiles& files, const nlohmann::ordered_json& summary) {
  const std::filesystem::path folder(files.output), card = folder / "README.md";
  LIMBER_CHECK_OK(write_file(folder / files.summary, summary.dump(1) + "\n"));
  if (files.credits.empty()) return Done{};
  std::string text = fmt::format("# {}\n\nMade by `limber {}`; figures are in {}.\n", folder.filename().string(),
                                 summary.value("command", "train"), files.summary);
  std::error_code failed;
  if (std::filesystem::exists(card, failed)) {
    LIMBER_TRY(const Bytes bytes, read_file(card, 16u << 20));
    text = std::string(as_text(bytes));
  }
  return write_file(card, training::card_with_credits(text, files.credits));
}

}  // namespace limber::cli
