// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "limber/base/memory_budget.h"
#include "limber/base/process_memory.h"
#include "limber/batch/item_lock.h"

namespace limber::batch {
namespace {

namespace fs = std::filesystem;
using End = ProcessOutcome::End;

constexpr std::chrono::milliseconds kBetweenLooks{100};  // at a lock that another run holds
constexpr double kThumbnailSeconds = 60;
/// What programs say that had too little: limber, its libraries, and Python.
constexpr std::string_view kOutOfMemory[] = {"there is not enough memory", "bad_alloc", "MemoryError"};

/// The last thing that the program said, without its name.
std::string last_words(std::string_view messages) {
  while (!messages.empty() && messages.back() == '\n') messages.remove_suffix(1);
  std::string_view line = messages.substr(messages.rfind('\n') + 1);
  for (const std::string_view start : {"limber: ", "error: "}) {
    if (line.substr(0, start.size()) == start) line.remove_prefix(start.size());
  }
  return std::string(line.substr(0, 500));
}

/// Why it failed; empty where it did not.
std::string reason_of(const ProcessOutcome& outcome, const ProcessLimits& limits, const fs::path& result) {
  if (outcome.end == End::kTimedOut) return fmt::format("took longer than {} s", limits.seconds);
  if (outcome.end == End::kSignalled) {
    return fmt::format("was killed by signal {} ({})", outcome.code, ::strsignal(outcome.code));
  }
  if (outcome.code != 0) {
    const std::string words = last_words(outcome.tail);
    const bool greedy = std::any_of(std::begin(kOutOfMemory), std::end(kOutOfMemory),
                                    [&](std::string_view said) { return words.find(said) != std::string::npos; });
    // Of two bounds, the one that was met.
    const std::uint64_t own = process_memory_of(memory_budget());
    if (greedy && limits.memory_bytes > 0 && limits.memory_bytes <= own) {
      return fmt::format("needs more memory than {:.3g} GB", static_cast<double>(limits.memory_bytes) / (1 << 30));
    }
    return words.empty() ? fmt::format("ended with exit code {}", outcome.code) : words;
  }
  std::error_code failed;
  if (!fs::is_regular_file(result, failed)) return "wrote no " + result.filename().string();
  return "";
}

/// The name that `limber animate` gives the clip that it makes; empty for others.
std::string new_clip(const Item& item) {
  if (item.verb != "animate") return "";
  constexpr std::string_view kName = "--name=", kVideo = "--video=", kClips = "--clips=";
  std::string clip = item.prompt;
  for (const std::string& argument : item.arguments) {
    if (argument.rfind(kVideo, 0) == 0) clip = fs::path(argument.substr(kVideo.size())).stem().string();
    // Of a pack the first one.
    const bool pack = argument.rfind(kClips, 0) == 0;
    const char* end = argument.find(';') == std::string::npos ? "," : ";";
    if (pack && clip.empty()) clip = argument.substr(kClips.size(), argument.find(end) - kClips.size());
    if (argument.rfind(kName, 0) == 0) return argument.substr(kName.size());
  }
  return clip;
}

/// Does items for all workers of a run.
class Runner {
 public:
  Runner(const Results& results, const RunSettings& settings, const std::atomic<int>& stop, const OnFinished& finished)
      : results_(results), settings_(settings), stop_(stop), on_finished_(finished) {}

  Result<RunReport> run(std::span<const Item> items);

 private:
  void work_together(std::size_t count, const std::function<void()>& work);
  void work(std::span<const Item> items, std::atomic<std::size_t>& next, bool patient);
  Result<bool> try_item(const Item& item);
  Status do_item(const Item& item);
  Result<ProcessOutcome> attempt(const Item& item, const fs::path& folder) const;
  void draw_thumbnail(const Item& item, const fs::path& folder) const;
  void record(const Item& item, const ItemStatus& status);
  bool has_ended() const { return stop_ != 0 || broken_; }

  const Results& results_;
  const RunSettings& settings_;
  const std::atomic<int>& stop_;
  const OnFinished& on_finished_;
  std::mutex mutex_;
  RunReport report_;
  std::vector<Item> elsewhere_;  // another run holds their locks
  std::optional<Error> error_;   // the first
  std::atomic<bool> broken_{false};
};

Result<RunReport> Runner::run(std::span<const Item> items) {
  // Then those that others were at, when they have ended: either they finished them, or they died.
  for (const bool patient : {false, true}) {
    const std::vector<Item> waiting = std::move(elsewhere_);
    elsewhere_.clear();
    const std::span<const Item> now = patient ? std::span<const Item>(waiting) : items;
    const std::size_t count = std::min(now.size(), static_cast<std::size_t>(std::max(settings_.jobs, 1)));
    std::atomic<std::size_t> next{0};
    work_together(count, [&] { work(now, next, patient); });
  }
  if (error_) return *error_;
  if (stop_ != 0) return cancelled(results_.folder().string());
  return report_;
}

/// On so many threads, or as many as there are to be had, of which the caller's is one if need be.
void Runner::work_together(std::size_t count, const std::function<void()>& work) {
  struct Workers {
    std::vector<std::thread> threads;
    ~Workers() {
      for (std::thread& thread : threads) thread.join();
    }
  } workers;
  workers.threads.reserve(count);
  // What is thrown there, as where memory ends, ends the run and not the program.
  const auto guarded = [&] {
    try {
      work();
    } catch (const std::exception& exception) {
      const std::lock_guard lock(mutex_);
      broken_ = true;
      if (!error_) error_ = Error{exception.what(), results_.folder().string()};
    }
  };
  try {
    for (std::size_t k = 0; k < count; ++k) workers.threads.emplace_back(guarded);
  } catch (const std::system_error&) {
    if (workers.threads.empty()) guarded();
  }
}

void Runner::work(std::span<const Item> items, std::atomic<std::size_t>& next, bool patient) {
  for (std::size_t k = next++; k < items.size() && !has_ended(); k = next++) {
    Result<bool> taken = try_item(items[k]);
    while (taken.ok() && !*taken && patient && !has_ended()) {
      std::this_thread::sleep_for(kBetweenLooks);
      taken = try_item(items[k]);
    }
    const std::lock_guard lock(mutex_);
    if (taken.ok() && !*taken) elsewhere_.push_back(items[k]);
    if (!taken.ok() && taken.error().kind != ErrorKind::kCancelled && !error_) error_ = taken.error(), broken_ = true;
  }
}

/// False where somebody else is at it.
Result<bool> Runner::try_item(const Item& item) {
  LIMBER_TRY(const std::optional<ItemLock> lock, ItemLock::take(results_.lock_file(), item.id));
  if (!lock) return false;
  // Only now: it may have been finished since anybody looked.
  if (results_.is_finished(item)) {
    LIMBER_CHECK_OK(results_.name_output(item));
    const std::lock_guard guard(mutex_);
    ++report_.found;
    return true;
  }
  LIMBER_CHECK_OK(do_item(item));
  return true;
}

Status Runner::do_item(const Item& item) {
  LIMBER_TRY(fs::path folder, results_.start_work(item.id));
  ItemStatus status;
  // Attempts of all runs are counted, also where those that failed are not tried again.
  if (const std::optional<ItemStatus> before = results_.status(item.id)) status.attempts = before->attempts;
  for (int attempt_number = 0; attempt_number <= settings_.retries; ++attempt_number) {
    if (attempt_number > 0) {
      std::error_code failed;
      fs::remove_all(folder, failed);  // with its checkpoints: they may be what it failed of
      LIMBER_TRY(folder, results_.start_work(item.id));
    }
    LIMBER_TRY(const ProcessOutcome outcome, attempt(item, folder));
    if (outcome.end == End::kStopped) return cancelled(item.id);
    ++status.attempts;
    status.seconds = outcome.seconds, status.cpu_seconds = outcome.cpu_seconds, status.most_bytes = outcome.most_bytes;
    status.reason = reason_of(outcome, settings_.limits, folder / item.result);
    status.done = status.reason.empty();
    if (status.done) break;
  }
  if (status.done && settings_.thumbnails && is_drawable(item)) draw_thumbnail(item, folder);
  if (stop_ != 0) return cancelled(item.id);
  std::error_code failed;
  if (!status.done) fs::remove(folder / item.result, failed);  // what is half right looks right
  LIMBER_CHECK_OK(results_.finish(item, status));
  if (status.done) LIMBER_CHECK_OK(results_.name_output(item));
  record(item, status);
  return Done{};
}

Result<ProcessOutcome> Runner::attempt(const Item& item, const fs::path& folder) const {
  ProcessRequest request;
  request.program = settings_.program;
  request.arguments = item.arguments;
  request.arguments.push_back(fmt::format("--threads={}", settings_.threads));
  if (memory_budget() != kDefaultMemoryBudget) {
    request.arguments.push_back(fmt::format("--max-memory={}", memory_budget_option()));
  }
  request.folder = folder;
  if (item.result == "report.json") request.printed = folder / item.result;
  request.messages = folder / "log.txt";
  request.limits = settings_.limits;
  return run_process(request, stop_);
}

/// A picture more or less is no reason to fail.
void Runner::draw_thumbnail(const Item& item, const fs::path& folder) const {
  ProcessRequest request;
  request.program = settings_.program;
  request.arguments = {"render",
                       item.result,
                       "--sheet=3x1",
                       "--size=160x160",
                       "-o",
                       "thumbnail.png",
                       fmt::format("--threads={}", settings_.threads)};
  request.folder = folder;
  request.limits = settings_.limits;
  if (request.limits.seconds <= 0 || request.limits.seconds > kThumbnailSeconds) {
    request.limits.seconds = kThumbnailSeconds;
  }
  // Of a model that had clips before the new one counts; not every format keeps its name.
  if (const std::string clip = new_clip(item); !clip.empty()) {
    request.arguments.push_back("--clip=" + clip);
    const Result<ProcessOutcome> outcome = run_process(request, stop_);
    if (outcome.ok() && outcome->good()) return;
    request.arguments.pop_back();
  }
  static_cast<void>(run_process(request, stop_));
}

void Runner::record(const Item& item, const ItemStatus& status) {
  const std::lock_guard lock(mutex_);
  ++(status.done ? report_.done : report_.failed);
  if (on_finished_) on_finished_(item, status);
}

}  // namespace

Result<RunReport> run_items(const Results& results, std::span<const Item> items, const RunSettings& settings,
                            const std::atomic<int>& stop, const OnFinished& on_finished) {
  return Runner(results, settings, stop, on_finished).run(items);
}

}  // namespace limber::batch
