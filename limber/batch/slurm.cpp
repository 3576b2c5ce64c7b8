// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "limber/base/checksum.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"
#include "limber/base/nesting.h"
#include "limber/batch/item_json.h"

namespace limber::batch {
namespace {

namespace fs = std::filesystem;

constexpr double kAnswerSeconds = 120;  // that a busy controller may take
constexpr const char* kJobs = "jobs.jsonl";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// What a command of Slurm prints.
Result<std::string> ask(const std::string& program, const std::vector<std::string>& arguments) {
  ProcessRequest request;
  request.program = program, request.arguments = arguments;
  request.limits.seconds = kAnswerSeconds;
  LIMBER_TRY(ProcessOutcome outcome, run_process(request));
  if (outcome.good()) return std::move(outcome.tail);
  std::string words = outcome.tail;
  while (!words.empty() && words.back() == '\n') words.pop_back();
  if (outcome.end == ProcessOutcome::End::kTimedOut) words = fmt::format("did not answer in {} s", kAnswerSeconds);
  return Error{words.empty() ? fmt::format("ended with {}", outcome.code) : words, program, ErrorKind::kMissing};
}

fs::path plan_file(const Results& results, const std::string& name) { return results.plans() / (name + ".jsonl"); }

/// Jobs that were handed over: {"job": "17", "plan": "00ab..."}, one a line. Only whoever hands over writes it.
Result<Json> handed_over(const Results& results) {
  Json list = Json::array();
  const Result<Bytes> bytes = read_file(results.plans() / kJobs);
  if (!bytes.ok()) return bytes.error().kind == ErrorKind::kMissing ? Result<Json>(list) : bytes.error();
  std::istringstream lines{std::string(as_text(*bytes))};
  for (std::string line; std::getline(lines, line);) {
    Json entry = nested_deeper(line) ? Json() : Json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("job", Json()).is_string() && entry.value("plan", Json()).is_string()) {
      list.push_back(std::move(entry));
    }
  }
  return list;
}

Status note_job(const Results& results, const std::string& job, const std::string& plan) {
  LIMBER_TRY(Json list, handed_over(results));
  list.push_back({{"job", job}, {"plan", plan}});
  std::string text;
  for (const Json& entry : list) text += json_line(entry) + "\n";
  return write_file(results.plans() / kJobs, text);
}

/// What follows a line break would be an option of sbatch, or a command.
Status check_lines(const Results& results, const SlurmSettings& settings) {
  std::vector<std::string> words{results.folder().string(), results.logs().string(), settings.runner,
                                 settings.run.program};
  words.insert(words.end(), settings.options.begin(), settings.options.end());
  for (const std::string& word : words) {
    if (word.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos) {
      return Error{"has a line break, which a script of Slurm cannot have in it", word};
    }
  }
  return Done{};
}

}  // namespace

int chunk_count(std::size_t items, int chunk) {
  return static_cast<int>((items + static_cast<std::size_t>(chunk) - 1) / static_cast<std::size_t>(chunk));
}

std::vector<ArrayPart> split_array(int chunks, int max_array_size) {
  LIMBER_EXPECT(max_array_size >= 1, "no arrays at all");
  std::vector<ArrayPart> parts;
  for (int first = 0; first < chunks; first += max_array_size) {
    parts.push_back({first, std::min(max_array_size, chunks - first)});
  }
  return parts;
}

Result<std::string> sbatch_script(const Results& results, const Plan& plan, const ArrayPart& part,
                                  const SlurmSettings& settings) {
  LIMBER_CHECK_OK(check_lines(results, settings));
  const RunSettings& run = settings.run;
  std::string script = "#!/bin/sh\n#SBATCH --job-name=limber\n";
  const auto say = [&](const std::string& option) { script += "#SBATCH " + option + "\n"; };
  say(fmt::format("--array=0-{}{}", part.chunks - 1,
                  settings.throttle > 0 ? fmt::format("%{}", settings.throttle) : ""));
  say("--requeue");  // a chunk that a node took with it starts again and skips what it had finished
  say("--open-mode=append");
  // %A and %a are Slurm's own; a per cent sign of the folder's name would be one, too.
  std::string log = (results.logs() / "%A_%a.txt").string();
  if (const std::string folder = results.logs().string(); folder.find('%') != std::string::npos) log = "/dev/null";
  say("--output=" + shell_quoted(log));
  say("--ntasks=1");
  say(fmt::format("--cpus-per-task={}", run.jobs * run.threads));
  // Nothing of memory: clusters whose nodes do not state theirs refuse every such wish, and items have their limit.
  for (const std::string& option : settings.options) say(option);
  // The task becomes the program: signals reach it without a shell in between.
  script += fmt::format("exec {} batch run-chunk {} --plan {} --chunk {} --first {} --jobs {} --threads {}",
                        shell_quoted(settings.runner), shell_quoted(results.folder().string()), plan.name,
                        settings.chunk, part.first_chunk, run.jobs, run.threads);
  // Also where they are 0, which is no limit: the task has others by default.
  script += fmt::format(" --timeout {} --memory {}", run.limits.seconds,
                        static_cast<double>(run.limits.memory_bytes) / (1 << 30));
  if (memory_budget() != kDefaultMemoryBudget) {
    script += fmt::format(" --max-memory {}", memory_budget_option());
  }
  if (run.retries > 0) script += fmt::format(" --retry {}", run.retries);
  if (!run.thumbnails) script += " --no-thumbnails";
  if (run.program != settings.runner) script += " --program " + shell_quoted(run.program);
  return script + "\n";
}

Result<int> max_array_size(std::string_view config) {
  std::istringstream lines{std::string(config)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, equals, value;
    words >> name >> equals >> value;
    if (name != "MaxArraySize" || !is_number(value) || value.size() > 9) continue;
    if (const int size = std::stoi(value); size > 0) return size;
  }
  return Error{"tells no MaxArraySize, so it runs no arrays", "scontrol show config"};
}

Result<int> ask_max_array_size() {
  LIMBER_TRY(const std::string config, ask("scontrol", {"show", "config"}));
  return max_array_size(config);
}

Result<QueuedJobs> queued_jobs(const Results& results) {
  QueuedJobs queued;
  LIMBER_TRY(const Json list, handed_over(results));
  if (list.empty()) return queued;
  LIMBER_TRY(const std::string answer, ask("squeue", {"--noheader", "--me", "--format=%F"}));
  std::istringstream words(answer);
  std::set<std::string> present;
  for (std::string word; words >> word;) present.insert(word);
  for (const Json& entry : list) {
    const std::string job = entry["job"];
    if (present.count(job) == 0) continue;
    queued.jobs.insert(job);
    LIMBER_TRY(const Plan plan, read_plan(results, entry["plan"]));
    for (const Item& item : plan.items) queued.ids.insert(item.id);
  }
  return queued;
}

Plan make_plan(std::vector<Item> items) {
  return {make_id(Checksum().add(items_to_text(items)).value()), std::move(items)};
}

Result<Plan> read_plan(const Results& results, const std::string& name) {
  if (!is_id(name)) return Error{"is no name of a plan", name};
  const fs::path file = plan_file(results, name);
  LIMBER_TRY(const Bytes bytes, read_file(file));
  LIMBER_TRY(std::vector<Item> items, items_from_text(as_text(bytes), file.string()));
  return Plan{name, std::move(items)};
}

Result<std::vector<std::string>> submit(const Results& results, const Plan& plan, const SlurmSettings& settings) {
  LIMBER_TRY(const int size, ask_max_array_size());
  LIMBER_CHECK_OK(write_file(plan_file(results, plan.name), items_to_text(plan.items)));
  std::vector<std::string> jobs;
  for (const ArrayPart& part : split_array(chunk_count(plan.items.size(), settings.chunk), size)) {
    const fs::path file = results.plans() / fmt::format("{}-{}.sh", plan.name, part.first_chunk);
    LIMBER_TRY(const std::string script, sbatch_script(results, plan, part, settings));
    LIMBER_CHECK_OK(write_file(file, script));
    LIMBER_TRY(const std::string answer, ask("sbatch", {"--parsable", file.string()}));
    // "17", or "17;cluster", perhaps after lines of warnings.
    std::string line = answer.substr(0, answer.find_last_not_of('\n') + 1);
    line = line.substr(line.rfind('\n') + 1);
    const std::string job = line.substr(0, line.find(';'));
    if (!is_number(job)) return Error{"answers no number of a job: " + answer, "sbatch"};
    LIMBER_CHECK_OK(note_job(results, job, plan.name));
    jobs.push_back(job);
  }
  return jobs;
}

}  // namespace limber::batch
