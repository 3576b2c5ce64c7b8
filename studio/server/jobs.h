// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "limber/base/process.h"
#include "studio/server/job_plan.h"
#include "studio/server/shelf.h"

/// Work that takes long: child processes of this very program, a few at a time, the others wait. Safe from any thread.
namespace limber::studio {

enum class JobState { kQueued, kRunning, kDone, kFailed, kCancelled };
std::string_view name(JobState state);  ///< "queued"

/// What a job found, as JSON: a file, as those of all jobs together would be most of what a server holds. It goes with
/// the last who tells of it.
class Report {
 public:
  /// Makes a file its own, by another name. Nothing where it is no JSON, an error where that cannot be.
  static Result<std::shared_ptr<const Report>> take(const std::filesystem::path& file,
                                                    const std::filesystem::path& name);
  ~Report() { remove_now(file_); }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  Result<std::string> text() const;
  std::uint64_t bytes() const { return bytes_; }

 private:
  Report(std::string file, std::uint64_t bytes) : file_(std::move(file)), bytes_(bytes) {}

  std::string file_;  // a path takes a dozen blocks of memory
  std::uint64_t bytes_;
};

struct Job {
  std::string id;     ///< "j2"
  std::string task;   ///< "animate"
  std::string asset;  ///< its id, empty for none
  JobState state = JobState::kQueued;
  std::optional<double> fraction;  ///< 0 to 1; none while it cannot be told
  std::string stage, message;
  std::vector<std::string> warnings;
  std::vector<std::string> results;      ///< ids of assets
  std::shared_ptr<const Report> report;  ///< may be none
  double seconds = 0;
};
/// Without the report: that of a large model has a label for each of its triangles, and lists and events are many.
Json to_json(const Job& job);
Result<std::string> text_with_report(const Job& job);  ///< of JSON

struct JobSettings {
  std::filesystem::path program;   ///< this very one
  int at_once = 1;                 ///< jobs that run beside each other
  std::uint64_t memory_bytes = 0;  ///< of each; 0: no limit
  std::size_t most_waiting = 50;
  std::size_t most_kept = 500;  ///< of which is told; the oldest that are over go first
  /// Of all reports together, on the disk; beyond, the oldest go, and their jobs stay.
  std::uint64_t report_bytes = std::uint64_t{64} << 20;
};

class Jobs {
 public:
  Jobs(JobSettings settings, Shelf& shelf, Events& events);
  ~Jobs();  ///< stops what runs
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// A folder for the files of a job to come.
  std::filesystem::path new_folder();
  /// `kOutOfMemory` where too many wait.
  Result<Job> start(const JobRequest& request, JobPlan plan, const std::filesystem::path& folder);
  /// Turns an asset that is not a GLB into one.
  Result<Job> import(const Asset& asset);

  /// False where there is no such job; one that is over stays as it is.
  bool cancel(const std::string& id);
  std::optional<Job> find(const std::string& id) const;
  std::vector<Job> list() const;
  /// Ends all, for good.
  void stop();

 private:
  struct Run;
  void work();
  void perform(Run& run);
  void hear(Run& run, std::string_view line);
  void hear_event(Run& run, const Json& event);
  std::string for_people(std::string text) const;
  void take_result(Run& run, const std::filesystem::path& file, const std::string& label);
  void settle(Run& run, const Result<ProcessOutcome>& outcome);
  void give_up(Run& run, const char* why) noexcept;
  void read_report(Run& run);
  void forget_reports();
  void tell(const Run& run) noexcept;
  void forget_old();
  Result<Job> enqueue(std::shared_ptr<Run> run);

  JobSettings settings_;
  Shelf& shelf_;
  Events& events_;
  std::filesystem::path reports_;  // a folder
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<int, std::shared_ptr<Run>> runs_;  // by the number of their id
  std::deque<std::shared_ptr<Run>> waiting_;
  bool stopped_ = false;
  int next_ = 1, folders_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace limber::studio
