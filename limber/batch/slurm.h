// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "limber/batch/results.h"
#include "limber/batch/run.h"

/// Batches on Slurm: an array task does one chunk of a list of items. What was finished is told by the folder of
/// results; Slurm's accounting is never asked.
namespace limber::batch {

struct SlurmSettings {
  std::string runner;                ///< the program that a task becomes, an absolute path
  RunSettings run;                   ///< in every task
  int chunk = 32;                    ///< items of a task
  int throttle = 0;                  ///< tasks at once; 0: as many as Slurm likes
  std::vector<std::string> options;  ///< further ones of sbatch: "--partition=night"
};

/// A list of items that tasks work off, kept as a file under a name made from its text.
struct Plan {
  std::string name;
  std::vector<Item> items;
};

/// A part of a plan that fits into one array: MaxArraySize is the number of its tasks.
struct ArrayPart {
  int first_chunk = 0;
  int chunks = 0;
};

int chunk_count(std::size_t items, int chunk);
std::vector<ArrayPart> split_array(int chunks, int max_array_size);

/// What sbatch is given for one array. It is read line by line: an error where a name or an option has a line break.
Result<std::string> sbatch_script(const Results& results, const Plan& plan, const ArrayPart& part,
                                  const SlurmSettings& settings);

/// `MaxArraySize` of what `scontrol show config` prints.
Result<int> max_array_size(std::string_view config);
Result<int> ask_max_array_size();

/// Jobs of this batch that Slurm still has in its queue, and what they were given.
struct QueuedJobs {
  std::set<std::string> jobs;
  std::set<std::string> ids;  ///< of their items
};
Result<QueuedJobs> queued_jobs(const Results& results);

Plan make_plan(std::vector<Item> items);
Result<Plan> read_plan(const Results& results, const std::string& name);

/// Writes the plan and hands it over. Answers the numbers of the jobs.
Result<std::vector<std::string>> submit(const Results& results, const Plan& plan, const SlurmSettings& settings);

}  // namespace limber::batch
