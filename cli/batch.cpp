// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "command.h"
#include "limber/anatomy/shipped_reader.h"
#include "limber/animate/fields.h"
#include "limber/autorig/wishes.h"
#include "limber/base/threads.h"
#include "limber/batch/content_checksum.h"
#include "limber/batch/index.h"
#include "limber/batch/item_lock.h"
#include "limber/batch/manifest.h"
#include "limber/batch/run.h"
#include "limber/batch/slurm.h"
#include "limber/parts/parts_model.h"
#include "limber/pose_space/pose_model.h"
#include "orderly_stop.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct BatchOptions {
  std::string manifest, output, on = "local", program;
  int jobs = 0, chunk = 32, throttle = 0, retries = 0;
  double timeout = 3600, memory = 16;
  bool threads_given = false;
  bool retry_failed = false, dry_run = false, wait = false, no_thumbnails = false;
  std::vector<std::string> sbatch;
  // of run-chunk
  std::string plan;
  int first = 0;
};

// --- the manifest ----------------------------------------------------------------------------------------------------

/// Whether the command of that name takes these arguments. It is not run.
Status check_arguments(const std::vector<std::string>& arguments) {
  using Add = void (*)(CLI::App&, Terminal&);
  static const std::map<std::string, Add> commands{{"animate", add_animate}, {"convert", add_convert},
                                                   {"doctor", add_doctor},   {"inspect", add_inspect},
                                                   {"physics", add_physics}, {"rig", add_rig}};
  Terminal terminal;
  CLI::App app;
  commands.at(arguments.front())(app, terminal);
  // All is read and checked by then, and the command is not chosen yet.
  app.parse_complete_callback([] { throw CLI::Success(); });
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());  // CLI11 takes them from the end
  try {
    app.parse(words);
  } catch (const CLI::Success&) {
    return Done{};
  } catch (const CLI::ParseError& error) {
    return Error{error.what(), ""};
  }
  return Done{};
}

/// The version, and the weights that ship: with others results are others.
Result<std::string> engine() {
  std::string text = LIMBER_VERSION;
  for (const Result<fs::path>& folder : {anatomy::find_body_reader(), animate::find_builtin_prior(),
                                         parts::find_parts_model(), pose_space::find_pose_model()}) {
    if (!folder.ok()) continue;  // commands that need it say so
    LIMBER_TRY(const std::uint64_t sum, batch::content_checksum(*folder));
    text += fmt::format(" {:016x}", sum);
  }
  return text;
}

Result<std::vector<batch::Item>> read_items(const Terminal& terminal, const BatchOptions& options) {
  const Activity activity(terminal, "reading " + options.manifest);
  batch::ManifestSettings settings;
  LIMBER_TRY(settings.engine, engine());
  settings.check_arguments = check_arguments;
  settings.options = {{"animate", animate::field_names()}, {"rig", autorig::field_names()}};
  return batch::read_manifest(options.manifest, settings);
}

// --- settings --------------------------------------------------------------------------------------------------------

std::string this_program() {
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed).string();
}

/// Many items at once with one thread each do more in the same time than few with many.
batch::RunSettings run_settings(const BatchOptions& options) {
  batch::RunSettings run;
  std::error_code failed;
  run.program = options.program.empty() ? this_program() : fs::absolute(options.program, failed).string();
  run.threads = options.threads_given ? thread_count() : 1;
  const int cores = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  run.jobs = options.jobs > 0 ? options.jobs : options.on == "slurm" ? 1 : std::max(cores / run.threads, 1);
  run.limits.seconds = options.timeout;
  run.limits.memory_bytes = static_cast<std::uint64_t>(options.memory * (1 << 30));
  run.retries = options.retries;
  run.thumbnails = !options.no_thumbnails;
  return run;
}

batch::SlurmSettings slurm_settings(const BatchOptions& options) {
  return {this_program(), run_settings(options), options.chunk, options.throttle, options.sbatch};
}

// --- what there is ---------------------------------------------------------------------------------------------------

Json counts_json(const batch::Counts& counts) {
  return {{"done", counts.done},
          {"failed", counts.failed},
          {"running", counts.running},
          {"pending", counts.pending},
          {"cpu_seconds", counts.cpu_seconds}};
}

/// Makes the index anew and says how far it is.
Result<batch::Counts> tell_state(const Terminal& terminal, const batch::Results& results) {
  LIMBER_TRY(const std::vector<batch::Row> rows, batch::survey(results));
  LIMBER_CHECK_OK(batch::write_index(results, rows));
  const batch::Counts counts = batch::count(rows);
  if (terminal.json) {
    print_json(counts_json(counts));
  } else {
    fmt::print("{}: {} of {} done, {} failed, {} running, {} pending\n", printable(results.folder().string()),
               counts.done, counts.all(), counts.failed, counts.running, counts.pending);
    const int finished = counts.done + counts.failed;
    if (finished > 0) fmt::print("  {:.2f} s of CPU an item\n", counts.cpu_seconds / finished);
    if (counts.failed > 0)
      fmt::print("  why they failed: {}\n", printable((results.folder() / "failures.md").string()));
  }
  return counts;
}

/// The end of a run: an item that failed is a failure of the whole.
Status conclude(const Terminal& terminal, const batch::Results& results) {
  LIMBER_TRY(const batch::Counts counts, tell_state(terminal, results));
  if (counts.done == counts.all()) return Done{};
  return Error{fmt::format("{} of {} items failed, {} are not finished", counts.failed, counts.all(),
                           counts.pending + counts.running),
               results.folder().string()};
}

Status run_status(const Terminal& terminal, const BatchOptions& options) {
  LIMBER_TRY(const batch::Results results, batch::Results::find(options.output));
  const Result<batch::Counts> counts = tell_state(terminal, results);
  return counts.ok() ? Status(Done{}) : Status(counts.error());
}

// --- here ------------------------------------------------------------------------------------------------------------

Status run_local(const Terminal& terminal, const BatchOptions& options, const std::vector<batch::Item>& items) {
  LIMBER_TRY(const batch::Results results, batch::Results::open(options.output));
  LIMBER_CHECK_OK(results.keep_items(items));
  const std::vector<batch::Item> unfinished = batch::unfinished_items(results, items, options.retry_failed);
  if (unfinished.size() < items.size()) {
    spdlog::info("{} of {} items need nothing", items.size() - unfinished.size(), items.size());
  }
  const OrderlyStop orderly;
  Result<batch::RunReport> report = [&] {
    Activity activity(terminal, fmt::format("{} items", unfinished.size()));
    std::size_t finished = 0;
    return batch::run_items(results, unfinished, run_settings(options), OrderlyStop::asked(),
                            [&](const batch::Item& item, const batch::ItemStatus& status) {
                              activity.update(static_cast<double>(++finished) / static_cast<double>(unfinished.size()));
                              if (!status.done)
                                spdlog::warn("line {}: {}: {}", item.line, printable(item.input),
                                             printable(status.reason));
                            });
  }();
  if (!report.ok() && report.error().kind != ErrorKind::kCancelled) return report.error();
  if (OrderlyStop::asked() != 0) spdlog::warn("stopped; started again it goes on with what is missing");
  return conclude(terminal, results);
}

Status show_plan(const BatchOptions& options, const std::vector<batch::Item>& items) {
  const batch::Results results = batch::Results::at(options.output);
  const std::string program = run_settings(options).program;
  for (const batch::Item& item : items) {
    const std::optional<batch::ItemStatus> status = results.status(item.id);
    fmt::print("line {} {} {}: {}\n", item.line, item.id,
               !status        ? "pending"
               : status->done ? "done"
                              : "failed",
               printable(batch::command_line(program, item)));
  }
  return Done{};
}

// --- on Slurm --------------------------------------------------------------------------------------------------------

/// The scripts as they would be, also where there is no Slurm.
Status show_scripts(const BatchOptions& options, const std::vector<batch::Item>& items) {
  const batch::Results results = batch::Results::at(options.output);
  const batch::Plan plan = batch::make_plan(batch::unfinished_items(results, items, options.retry_failed));
  constexpr int kUsualArraySize = 1001;
  const Result<int> size = batch::ask_max_array_size();
  if (!size.ok()) spdlog::warn("{}; MaxArraySize is taken for {}", printable(size.error().message()), kUsualArraySize);
  const int chunks = batch::chunk_count(plan.items.size(), options.chunk);
  for (const batch::ArrayPart& part : batch::split_array(chunks, size.ok() ? *size : kUsualArraySize)) {
    LIMBER_TRY(const std::string script, batch::sbatch_script(results, plan, part, slurm_settings(options)));
    fmt::print("{}", script);
  }
  return Done{};
}

/// Hands over what is neither finished nor with a job that is still queued.
Status hand_over_items(const Terminal& terminal, const BatchOptions& options, const batch::Results& results,
                       std::vector<batch::Item> unfinished) {
  // One at a time, or two people would hand over the same.
  LIMBER_TRY(const auto lock, batch::ItemLock::take(results.lock_file(), batch::make_id(0)));
  if (!lock) return Error{"another run hands items over right now", options.output, ErrorKind::kConflict};
  LIMBER_TRY(const batch::QueuedJobs queued, batch::queued_jobs(results));
  const std::size_t before = unfinished.size();
  unfinished.erase(std::remove_if(unfinished.begin(), unfinished.end(),
                                  [&](const batch::Item& item) { return queued.ids.count(item.id) > 0; }),
                   unfinished.end());
  if (unfinished.size() < before) {
    spdlog::info("{} items are with jobs that are queued already: {}", before - unfinished.size(),
                 fmt::join(queued.jobs, ", "));
  }
  std::vector<std::string> jobs;
  const batch::Plan plan = batch::make_plan(std::move(unfinished));
  if (!plan.items.empty()) {
    LIMBER_TRY(jobs, batch::submit(results, plan, slurm_settings(options)));
  }
  if (terminal.json && !options.wait) {
    print_json({{"items", plan.items.size()}, {"jobs", jobs}});
  } else {
    spdlog::info("{} items in {} chunks handed over{}{}", plan.items.size(),
                 batch::chunk_count(plan.items.size(), options.chunk), jobs.empty() ? "" : " as job ",
                 fmt::join(jobs, ", "));
  }
  return Done{};
}

/// Until all are finished, by their files, or Slurm has no job of this batch any more.
void wait_for_items(const Terminal& terminal, const batch::Results& results, std::vector<batch::Item> items) {
  using namespace std::chrono_literals;
  Activity activity(terminal, fmt::format("{} items", items.size()));
  const double all = static_cast<double>(std::max<std::size_t>(items.size(), 1));
  bool queued = true;
  for (int round = 1; !items.empty() && queued && OrderlyStop::asked() == 0; ++round) {
    std::this_thread::sleep_for(200ms);
    // In this order: a job may end between the two questions, an item cannot become unfinished.
    if (round % 10 == 0) {
      const Result<batch::QueuedJobs> jobs = batch::queued_jobs(results);
      queued = !jobs.ok() || !jobs->jobs.empty();  // a controller that does not answer may come back
    }
    items.erase(std::remove_if(items.begin(), items.end(), [&](const auto& item) { return results.is_finished(item); }),
                items.end());
    activity.update(1 - static_cast<double>(items.size()) / all);
  }
}

Status run_slurm(const Terminal& terminal, const BatchOptions& options, const std::vector<batch::Item>& items) {
  LIMBER_TRY(const batch::Results results, batch::Results::open(options.output));
  LIMBER_CHECK_OK(results.keep_items(items));
  const std::vector<batch::Item> unfinished = batch::unfinished_items(results, items, options.retry_failed);
  LIMBER_CHECK_OK(hand_over_items(terminal, options, results, unfinished));
  if (!options.wait) return Done{};
  const OrderlyStop orderly;
  wait_for_items(terminal, results, unfinished);
  return conclude(terminal, results);
}

/// What an array task does. Items that fail are told by their files; the task has done its work.
Status run_chunk(const BatchOptions& options) {
  LIMBER_TRY(const batch::Results results, batch::Results::find(options.output));
  LIMBER_TRY(const batch::Plan plan, batch::read_plan(results, options.plan));
  const char* task = std::getenv("SLURM_ARRAY_TASK_ID");
  const auto chunk = static_cast<std::size_t>(options.first + (task != nullptr ? std::atoi(task) : 0));
  const auto size = static_cast<std::size_t>(options.chunk);
  const std::size_t begin = std::min(chunk * size, plan.items.size());
  const std::size_t end = std::min(begin + size, plan.items.size());
  const OrderlyStop orderly;
  const Result<batch::RunReport> report =
      batch::run_items(results, std::span(plan.items).subspan(begin, end - begin), run_settings(options),
                       OrderlyStop::asked(), [](const batch::Item& item, const batch::ItemStatus& status) {
                         spdlog::info("{} line {} {:.1f} s {}", item.id, item.line, status.seconds,
                                      status.done ? "done" : printable(status.reason));
                       });
  if (!report.ok()) return report.error();
  spdlog::info("{} done, {} failed, {} were finished already", report->done, report->failed, report->found);
  return Done{};
}

Status run_batch(const Terminal& terminal, const BatchOptions& options) {
  LIMBER_TRY(const std::vector<batch::Item> items, read_items(terminal, options));
  if (options.on == "slurm") {
    return options.dry_run ? show_scripts(options, items) : run_slurm(terminal, options, items);
  }
  return options.dry_run ? show_plan(options, items) : run_local(terminal, options, items);
}

// --- the command -----------------------------------------------------------------------------------------------------

/// Of each item, here and in a task of Slurm.
void add_item_options(CLI::App& command, BatchOptions& options) {
  command.add_option("--jobs", options.jobs, "Items at once: by default one per core, in a task of Slurm one")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command.add_option("--timeout", options.timeout, "Seconds after which an item is killed; 0: never")
      ->check(CLI::Range(0.0, 1e7))
      ->capture_default_str()
      ->type_name("S");
  command
      .add_option("--memory", options.memory,
                  "Gigabytes of address space that an item may have; 0: any, which CUDA wants")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->type_name("GB");
  command.add_option("--retry", options.retries, "Further attempts for an item that failed")
      ->check(CLI::Range(0, 100))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--chunk", options.chunk, "Slurm: items of one task of the array")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--no-thumbnails", options.no_thumbnails, "Draw no pictures of the results");
  // For tests: something that crashes, hangs or is greedy.
  command.add_option("--program", options.program, "Run this instead of limber")->group("");
}

void add_run_options(CLI::App& command, BatchOptions& options) {
  command.add_option("manifest", options.manifest, "What to do: one JSON object a line")->type_name("FILE");
  command.add_option("-o,--output", options.output, "The folder of results, which may hold some already")
      ->type_name("DIR");
  command.add_option("--on", options.on, "Where: on this machine, or on Slurm")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  add_item_options(command, options);
  command.add_flag("--retry-failed", options.retry_failed, "Try again what failed in earlier runs");
  command.add_flag("--dry-run", options.dry_run, "Only print what would be done: the items, or Slurm's scripts");
  command.add_option("--throttle", options.throttle, "Slurm: at most this many tasks at once")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command.add_flag("--wait", options.wait, "Slurm: return when all is finished");
  command.add_option("--sbatch", options.sbatch, "Slurm: a further option of sbatch, as in --sbatch=--partition=night")
      ->allow_extra_args(false)
      ->type_name("OPTION");
}

}  // namespace

void add_batch(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<BatchOptions>();
  auto chosen = std::make_shared<std::function<Status()>>();
  CLI::App* command = add_command(
      app, terminal, "batch", "Do thousands of things: a manifest of models, here or on Slurm",
      "  limber batch models.jsonl -o out\n"
      "  limber batch models.jsonl -o out --jobs 4 --timeout 600 --memory 8\n"
      "  limber batch models.jsonl -o out --on slurm --chunk 32 --throttle 100\n"
      "  limber batch models.jsonl -o out --retry-failed\n"
      "  limber batch status out\n"
      "A line of the manifest, with paths relative to it:\n"
      "  {\"do\": \"animate\", \"input\": \"fox.glb\", \"prompt\": \"a fox trots\", \"options\": {\"seed\": 3}}\n"
      "What is finished is never done again: a run that was stopped resumes when it is started again.",
      [&app, chosen, options] {
        options->threads_given = app.count("--threads") > 0;
        return (*chosen)();
      });
  add_run_options(*command, *options);

  CLI::App* status = command->add_subcommand("status", "How far it is, from the files; makes the index anew");
  status->add_option("folder", options->output, "The folder of results")->required()->type_name("DIR");
  CLI::App* chunk = command->add_subcommand("run-chunk", "What a task of Slurm does")->group("");
  chunk->add_option("folder", options->output, "The folder of results")->required();
  chunk->add_option("--plan", options->plan, "Which list of items")->required();
  chunk->add_option("--first", options->first, "The chunk of the array's first task")->check(CLI::Range(0, 1 << 30));

  command->parse_complete_callback([command, status, chunk, chosen, options, &terminal] {
    if (command->got_subcommand(status)) {
      *chosen = [&terminal, options] { return run_status(terminal, *options); };
    } else if (command->got_subcommand(chunk)) {
      options->on = "slurm";
      *chosen = [options] { return run_chunk(*options); };
    } else {
      if (options->manifest.empty()) throw CLI::RequiredError("manifest");
      if (options->output.empty()) throw CLI::RequiredError("--output");
      *chosen = [&terminal, options] { return run_batch(terminal, *options); };
    }
  });
}

}  // namespace limber::cli
