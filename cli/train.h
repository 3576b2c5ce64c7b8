// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/base/result.h"
#include "limber/nn/training_plan.h"
#include "limber/prior/sketch_trainer.h"
#include "terminal.h"

/// What the commands below `limber-lab train` share.
namespace limber::cli {

/// What clips are drawn of.
struct TrainingData {
  int creatures = 4000;
  double any_body = 0.5;         ///< of the creatures, random bodies of the grammar
  std::string characters;        ///< a file, may be empty
  double character_share = 0.3;  ///< of the clips, where there are characters
  std::string only;              ///< of the characters, those with this in their names; empty: all
  std::uint64_t seed = 0;
};
void add_data_options(CLI::App& command, TrainingData& data);

struct TrainingClips {
  prior::ClipSource source;
  std::vector<prior::ActionWords> actions;  ///< that are taught
  std::map<std::string, int> counts;        ///< of different clips of characters and people, by action
  std::vector<std::string> credits;         ///< whom pictures of these clips name
};
Result<TrainingClips> training_clips(const prior::SketchModel& model, const TrainingData& data);

void add_train_bake(CLI::App& group, Terminal& terminal);

/// Where a training's files are.
struct TrainingFiles {
  std::string output;  ///< folder of the model
  std::string csv;     ///< may be empty
  std::string summary = "training.json";
  std::vector<std::string> credits;  ///< what the model's card must have: `training_credits`
};
/// Lines that are owed for a file of characters (which may be empty), and for what the weights were taught with before,
/// by the training.json of the folders that a training starts from or resumes.
Result<std::vector<std::string>> training_credits(const std::string& characters, const TrainingFiles& files,
                                                  const nn::TrainingPlan& plan);

/// What every training can be told. `examples` is what it learns from, as a sentence begins: "Clips".
void add_plan_options(CLI::App& command, TrainingFiles& files, nn::TrainingPlan& plan, const std::string& examples);

/// Layers, width and heads of a transformer.
void add_shape_options(CLI::App& command, int& layers, int& width, int& heads);

/// How many bodies are drawn and kept, `size` each: "57 kB".
void add_body_pool_options(CLI::App& command, nn::TrainingPlan& plan, const std::string& size);

/// Shows how far a training is, and writes a table of its reports as it goes.
class TrainingLog {
 public:
  /// `scores`: what validations measure, "validation_loss,regions".
  TrainingLog(const Terminal& terminal, const TrainingFiles& files, const nn::TrainingPlan& plan,
              const std::string& scores);
  /// False where the table cannot be written: there is no use in going on.
  bool add(const nn::TrainingStep& step, std::initializer_list<double> scores);
  const Status& status() const { return status_; }

 private:
  const TrainingFiles& files_;
  const nn::TrainingPlan& plan_;
  Activity activity_;
  std::string rows_, no_scores_;
  Status status_ = Done{};
};

/// What all trainings report, for `training.json` and for --json; callers add what is theirs.
nlohmann::ordered_json training_summary(const std::string& command, const TrainingFiles& files,
                                        const nn::TrainingPlan& plan, const nn::TrainingReport& report);
/// Writes it, and the credits into README.md, the model's card, which is made where there is none.
Status write_summary(const TrainingFiles& files, const nlohmann::ordered_json& summary);

/// Of limber-lab-torch.
void add_train_prior(CLI::App& group, Terminal& terminal);
void add_train_few_steps(CLI::App& group, Terminal& terminal);
void add_train_reader(CLI::App& group, Terminal& terminal);
void add_train_parts(CLI::App& group, Terminal& terminal);
void add_train_motion(CLI::App& group, Terminal& terminal);
void add_train_poses(CLI::App& group, Terminal& terminal);
void add_train_harvest(CLI::App& group, Terminal& terminal);

}  // namespace limber::cli
