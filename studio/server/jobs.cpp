// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/jobs.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "limber/base/files.h"
#include "limber/base/memory_budget.h"
#include "limber/base/process_memory.h"
#include "limber/base/threads.h"
#include "studio/server/request_check.h"

namespace limber::studio {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWarnings = 50, kMostResults = 64;
constexpr std::uint64_t kMostReport = std::uint64_t{64} << 20;
constexpr double kGraceSeconds = 2;          // for a job that is cancelled, to tidy up
constexpr const char* kPrinted = "printed";  // file of a job's folder

int number_of(const std::string& id) { return is_id(id, 'j') ? std::stoi(id.substr(1)) : -1; }

bool is_over(JobState state) { return state != JobState::kQueued && state != JobState::kRunning; }

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// "fox.glb" of a path in the job's folder that the child tells of; nothing where it is elsewhere or of another kind.
std::optional<fs::path> own_file(const fs::path& folder, const std::string& told) {
  const fs::path path = told;
  if (path.parent_path() != folder) return std::nullopt;
  std::error_code failed;
  if (fs::symlink_status(path, failed).type() != fs::file_type::regular) return std::nullopt;
  return path;
}

std::string what_ended(const ProcessOutcome& outcome) {
  const bool killed = outcome.end == ProcessOutcome::End::kSignalled;
  if (!killed) return "the job ended with exit code " + std::to_string(outcome.code);
  if (outcome.code == SIGKILL) return "the job was killed (signal 9): it may have needed more memory than there is";
  const char* known = ::sigdescr_np(outcome.code);
  return "the job was killed by signal " + std::to_string(outcome.code) + (known ? std::string(": ") + known : "");
}

}  // namespace

/// A job, and what only its runner needs.
struct Jobs::Run {
  Job job;
  JobPlan plan;
  fs::path folder;
  bool imports = false;  // its result is the asset itself, as a GLB
  std::string lost;      // what could not be kept of its results: it has failed then
  std::atomic<int> stop{0};
  Clock::time_point began;
};

std::string_view name(JobState state) {
  constexpr std::string_view kNames[] = {"queued", "running", "done", "failed", "cancelled"};
  return kNames[static_cast<std::size_t>(state)];
}

Json to_json(const Job& job) {
  return {{"id", job.id},
          {"do", job.task},
          {"asset", job.asset.empty() ? Json() : Json(job.asset)},
          {"state", name(job.state)},
          {"fraction", job.fraction ? Json(*job.fraction) : Json()},
          {"stage", job.stage},
          {"message", job.message},
          {"warnings", job.warnings},
          {"results", job.results},
          {"seconds", job.seconds}};
}

Result<std::string> text_with_report(const Job& job) {
  std::string report = "null";
  if (job.report) {
    LIMBER_TRY(report, job.report->text());
  }
  std::string text = line_of(to_json(job));
  text.back() = ',';  // it ends with a brace
  return text + "\"report\":" + report + "}";
}

Result<std::shared_ptr<const Report>> Report::take(const fs::path& file, const fs::path& name) {
  std::shared_ptr<Report> report;
  {
    LIMBER_TRY(const Bytes bytes, read_file(file, kMostReport));
    // Only looked at: taken apart, it takes ten times as much. A mark of UTF-8 may begin a file, but no value.
    const std::string_view text = as_text(bytes);
    if (text.substr(0, 1) == "\xef" || !Json::accept(text)) return std::shared_ptr<const Report>();
    report.reset(new Report(name.string(), bytes.size()));
  }
  std::error_code failed;
  fs::rename(file, name, failed);
  if (failed) return Error{failed.message(), file.string()};
  return std::shared_ptr<const Report>(std::move(report));
}

Result<std::string> Report::text() const {
  LIMBER_TRY(const Bytes bytes, read_file(file_, kMostReport));
  return std::string(as_text(bytes));
}

Jobs::Jobs(JobSettings settings, Shelf& shelf, Events& events)
    : settings_(std::move(settings)), shelf_(shelf), events_(events), reports_(shelf.folder() / "reports") {
  std::error_code failed;  // then reports cannot be kept, which is told of each
  fs::create_directory(reports_, failed);
  threads_.reserve(static_cast<std::size_t>(settings_.at_once));
  try {
    for (int i = 0; i < settings_.at_once; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // with fewer, more jobs wait
  }
}

Jobs::~Jobs() { stop(); }

void Jobs::stop() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& [number, run] : runs_) run->stop = 1;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

// --- orders ----------------------------------------------------------------------------------------------------------

fs::path Jobs::new_folder() {
  std::lock_guard lock(mutex_);
  const fs::path folder = shelf_.folder() / ("work" + std::to_string(++folders_));
  std::error_code failed;
  fs::create_directory(folder, failed);
  return folder;
}

Result<Job> Jobs::enqueue(std::shared_ptr<Run> run) {
  std::unique_lock lock(mutex_);
  if (stopped_ || waiting_.size() >= settings_.most_waiting) {
    remove_now(run->folder);
    return Error{"too many jobs wait already", "do", ErrorKind::kOutOfMemory};
  }
  const int number = next_++;
  run->job.id = "j" + std::to_string(number);
  // Beside each other they share the cores.
  const int threads = std::max(1, thread_count() / settings_.at_once);
  if (settings_.at_once > 1) run->plan.arguments.push_back("--threads=" + std::to_string(threads));
  if (memory_budget() != kDefaultMemoryBudget) {
    const double gigabytes = static_cast<double>(memory_budget()) / (1 << 30);
    run->plan.arguments.push_back("--max-memory=" + std::to_string(gigabytes));
  }
  Job job = run->job;
  runs_.emplace(number, run);
  try {
    waiting_.push_back(run);
  } catch (const std::bad_alloc&) {
    runs_.erase(number);  // nobody would do it
    throw;
  }
  forget_old();
  tell(*run);
  lock.unlock();
  wake_.notify_one();
  return job;
}

Result<Job> Jobs::start(const JobRequest& request, JobPlan plan, const fs::path& folder) {
  auto run = std::make_shared<Run>();
  run->job.task = request.task;
  if (request.asset) run->job.asset = request.asset->id;
  run->plan = std::move(plan), run->folder = folder;
  return enqueue(std::move(run));
}

Result<Job> Jobs::import(const Asset& asset) {
  auto run = std::make_shared<Run>();
  run->job.task = "import", run->job.asset = asset.id;
  run->folder = new_folder(), run->imports = true;
  run->plan = plan_import(asset, run->folder);
  return enqueue(std::move(run));
}

bool Jobs::cancel(const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto found = runs_.find(number_of(id));
  if (found == runs_.end()) return false;
  Run& run = *found->second;
  run.stop = 1;
  if (run.job.state == JobState::kQueued) {
    run.job.state = JobState::kCancelled;
    // It makes room for others.
    waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), found->second), waiting_.end());
    remove_now(run.folder);
    run.plan = {}, run.folder = fs::path();
    tell(run);
  }
  return true;
}

std::optional<Job> Jobs::find(const std::string& id) const {
  std::lock_guard lock(mutex_);
  const auto found = runs_.find(number_of(id));
  return found == runs_.end() ? std::nullopt : std::optional(found->second->job);
}

std::vector<Job> Jobs::list() const {
  std::lock_guard lock(mutex_);
  std::vector<Job> all;
  for (const auto& [number, run] : runs_) all.push_back(run->job);
  return all;
}

void Jobs::forget_old() {
  for (auto run = runs_.begin(); run != runs_.end() && runs_.size() > settings_.most_kept;) {
    run = is_over(run->second->job.state) ? runs_.erase(run) : std::next(run);
  }
}

void Jobs::tell(const Run& run) noexcept {
  try {
    events_.tell("job", line_of(to_json(run.job)));
  } catch (const std::bad_alloc&) {
    events_.lose();
  }
}

// --- the work --------------------------------------------------------------------------------------------------------

void Jobs::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    const std::shared_ptr<Run> run = waiting_.front();
    waiting_.pop_front();
    if (run->job.state == JobState::kQueued) {
      run->job.state = JobState::kRunning, run->began = Clock::now();
      lock.unlock();
      try {
        perform(*run);
      } catch (const std::bad_alloc&) {  // the job ends, and the studio does not
        give_up(*run, "there is not enough memory");
      } catch (const std::exception& exception) {
        give_up(*run, exception.what());
      }
      lock.lock();
    }
    remove_now(run->folder);
    // Hundreds of jobs are told of when they are over, and each thing that is kept of one may keep a page from being
    // given back.
    run->plan = {}, run->folder = fs::path();
    give_memory_back();
  }
}

void Jobs::perform(Run& run) {
  {
    const std::lock_guard lock(mutex_);
    tell(run);
  }
  ProcessRequest request;
  request.program = settings_.program.string(), request.arguments = run.plan.arguments, request.folder = run.folder;
  request.printed = run.folder / kPrinted;
  request.on_message = [&](std::string_view line) { hear(run, line); };
  request.limits.memory_bytes = settings_.memory_bytes, request.grace_seconds = kGraceSeconds;
  settle(run, run_process(request, run.stop));
}

void Jobs::hear(Run& run, std::string_view line) {
  const Json event = Json::parse(line.begin(), line.end(), nullptr, false);
  if (event.is_object()) {
    hear_event(run, event);
    return;
  }
  // Last words of a crash, or of a library that prints.
  std::lock_guard lock(mutex_);
  if (!line.empty()) run.job.message = clean_name(line);
}

/// What a child says, with names of assets in place of paths: nobody knows those.
std::string Jobs::for_people(std::string text) const {
  const std::string folder = shelf_.folder().string() + "/";
  for (std::size_t begin = 0; (begin = text.find(folder, begin)) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(" :;,#'\"", begin), text.size());
    const fs::path file = text.substr(begin, end - begin);
    const std::optional<Asset> asset = shelf_.find(file.parent_path().filename().string());
    const std::string name = asset ? asset->name : file.filename().string();
    text.replace(begin, end - begin, name);
    begin += name.size();
  }
  return text;
}

void Jobs::hear_event(Run& run, const Json& event) {
  const std::string kind = text_of(event, "event");
  if (kind == "result") {
    if (const auto file = own_file(run.folder, text_of(event, "path")))
      take_result(run, *file, text_of(event, "label"));
    return;
  }
  std::lock_guard lock(mutex_);
  Job& job = run.job;
  if (kind == "progress") {
    const auto fraction = event.find("fraction");
    job.stage = for_people(text_of(event, "stage"));
    job.fraction.reset();
    if (fraction != event.end() && fraction->is_number()) job.fraction = std::clamp(fraction->get<double>(), 0.0, 1.0);
  } else if (kind == "warning") {
    if (job.warnings.size() < kMostWarnings) job.warnings.push_back(for_people(text_of(event, "message")));
  } else if (kind == "note") {
    job.message = for_people(text_of(event, "message"));
  } else if (kind == "error") {
    const std::string where = text_of(event, "where");
    job.message = for_people((where.empty() ? "" : where + ": ") + text_of(event, "what"));
  } else {
    return;
  }
  job.seconds = std::chrono::duration<double>(Clock::now() - run.began).count();
  tell(run);
}

void Jobs::take_result(Run& run, const fs::path& file, const std::string& label) {
  if (run.imports) {
    if (const Status ready = shelf_.make_ready(run.job.asset, file); !ready.ok()) run.lost = ready.error().message();
    return;
  }
  const std::string ending = lower_extension(file);
  if (run.job.results.size() >= kMostResults || file.filename() == run.plan.report_file) return;
  if (!run.plan.result_file.empty() && file.filename() != run.plan.result_file) return;
  // A link, as the program may go on to read what it wrote; it never writes into a file that is there.
  const fs::path taken = shelf_.new_file(ending);
  const RemovedAtEnd tidy(taken);  // where it does not become an asset
  std::error_code failed;
  fs::create_hard_link(file, taken, failed);
  if (failed) {
    run.lost = "cannot be kept: " + failed.message();
    return;
  }
  Asset asset;
  asset.name = run.plan.stem + ending, asset.kind = run.plan.result_kind;
  asset.label = label.empty() ? run.plan.label : label;
  asset.parent = run.job.asset, asset.job = run.job.id;
  const Result<Asset> added = shelf_.add(std::move(asset), taken);
  std::lock_guard lock(mutex_);
  if (added.ok()) {
    run.job.results.push_back(added->id);
  } else {
    run.lost = added.error().message();
  }
  tell(run);
}

void Jobs::read_report(Run& run) {
  const std::string& file = run.plan.report_file;
  std::error_code unknown;
  const fs::path place = run.folder / (file.empty() ? std::string(kPrinted) : file);
  // One that is too long to be kept is no reason to lose what was made.
  if (const std::uintmax_t size = fs::file_size(place, unknown); !unknown && size > kMostReport) return;
  Result<std::shared_ptr<const Report>> report = Report::take(place, reports_ / (run.job.id + ".json"));
  if (!report.ok()) run.lost = "what was found is lost: " + for_people(report.error().message());
  if (!report.ok() || *report == nullptr) return;
  std::lock_guard lock(mutex_);
  run.job.report = std::move(report).value();
  forget_reports();
}

/// What was thrown amid a job.
void Jobs::give_up(Run& run, const char* why) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_over(run.job.state)) return;
  run.job.state = JobState::kFailed;
  try {
    run.job.message = why;
  } catch (const std::bad_alloc&) {
    run.job.message.clear();
  }
  tell(run);
}

void Jobs::forget_reports() {
  std::uint64_t bytes = 0;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    std::shared_ptr<const Report>& report = run->second->job.report;
    if (!report) continue;
    const bool newest = bytes == 0;
    bytes += report->bytes();
    if (!newest && bytes > settings_.report_bytes) report = nullptr;
  }
}

void Jobs::settle(Run& run, const Result<ProcessOutcome>& outcome) {
  bool done = outcome.ok() && outcome->good();
  if (done) read_report(run);
  if (!run.lost.empty()) done = false;
  std::lock_guard lock(mutex_);
  Job& job = run.job;
  job.seconds = std::chrono::duration<double>(Clock::now() - run.began).count();
  if (done) {
    job.state = JobState::kDone, job.fraction = 1;
  } else if (run.stop != 0) {
    job.state = JobState::kCancelled, job.message = "cancelled";
  } else {
    job.state = JobState::kFailed;
    // A program that fails says why; one that is killed cannot.
    if (!outcome.ok()) job.message = outcome.error().message();
    if (!run.lost.empty()) job.message = run.lost;
    const bool mute =
        outcome.ok() && !outcome->good() && (outcome->end == ProcessOutcome::End::kSignalled || job.message.empty());
    if (mute) job.message = what_ended(*outcome);
  }
  tell(run);
}

}  // namespace limber::studio
