// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "limber/base/fork.h"
#include "limber/base/process_memory.h"
#include "limber/base/stopwatch.h"

namespace limber {
namespace {

constexpr std::size_t kTailBytes = 64 << 10;
constexpr std::size_t kMessageBytes = 4 << 20;  // what a program that prints without end may fill
constexpr std::size_t kLongestLine = 1 << 20;
constexpr int kLookMilliseconds = 50;  // how soon `stop` is seen

/// A descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept { return std::swap(descriptor_, other.descriptor_), *this; }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

Error system_error(const std::string& what, const std::string& where = {}) {
  return {what + ": " + std::strerror(errno), where};
}

/// All that the child needs, made before the fork: afterwards it may not allocate.
struct Launch {
  std::vector<char*> arguments;
  const char* folder = nullptr;
  int printed = -1, messages = -1, nothing = -1;
  rlim_t memory = RLIM_INFINITY;
};

/// Between fork and exec: other threads may have held any lock, so nothing but system calls.
[[noreturn]] void become(const Launch& launch) {
  ::setpgid(0, 0);
  lower_limit(RLIMIT_CORE, 0);
  uncap_process_memory();
  if (launch.memory != RLIM_INFINITY) lower_limit(RLIMIT_AS, launch.memory);
  ::dup2(launch.nothing, STDIN_FILENO);
  ::dup2(launch.printed, STDOUT_FILENO);
  ::dup2(launch.messages, STDERR_FILENO);
  // Whatever other threads have open, sockets of servers among it.
  ::syscall(SYS_close_range, 3u, ~0u, 0u);
  if (launch.folder == nullptr || ::chdir(launch.folder) == 0) ::execvp(launch.arguments[0], launch.arguments.data());
  const char* reason = std::strerror(errno);
  for (const char* text : {"cannot start ", static_cast<const char*>(launch.arguments[0]), ": ", reason, "\n"}) {
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  }
  ::_exit(127);
}

/// What the program says: the first of it goes to a file, the last is kept, and lines are told.
class Messages {
 public:
  Messages(int pipe, int file, const std::function<void(std::string_view)>& on_line)
      : pipe_(pipe), file_(file), on_line_(on_line) {}

  /// Takes what is there, or so much that a program that prints without end does not keep its watcher from the clock.
  /// False at the end.
  bool take() {
    constexpr int kMostReads = 16;
    char buffer[1 << 16];
    for (int reads = 0; reads < kMostReads;) {
      const ssize_t n = ::read(pipe_, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno == EAGAIN;
      if (n == 0) return false;
      keep({buffer, static_cast<std::size_t>(n)}), ++reads;
    }
    return true;
  }
  /// What is left without an end of line is a line, too.
  std::string finish() && {
    take();
    if (!line_.empty()) line_ += '\n', tell_lines();
    return std::move(tail_);
  }

 private:
  void keep(std::string_view text) {
    tail_ += text;
    if (tail_.size() > 2 * kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
    if (on_line_) line_ += text, tell_lines();
    const std::string_view room = text.substr(0, kMessageBytes - written_);
    if (file_ < 0 || room.empty()) return;
    const ssize_t n = ::write(file_, room.data(), room.size());
    written_ += n > 0 ? static_cast<std::size_t>(n) : 0;
  }

  void tell_lines() {
    std::size_t begin = 0;
    for (std::size_t end; (end = line_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      on_line_(std::string_view(line_).substr(begin, end - begin));
    }
    line_.erase(0, begin);
    if (line_.size() > kLongestLine) line_.clear();
  }

  int pipe_, file_;
  const std::function<void(std::string_view)>& on_line_;
  std::size_t written_ = 0;
  std::string tail_, line_;
};

/// A child that runs.
struct Child {
  pid_t id = -1;
  int handle = -1, pipe = -1;
};

/// Until it has ended, its time is over or somebody has said stop and the grace is over. It is still a zombie
/// afterwards.
ProcessOutcome::End watch(const Child& child, const ProcessRequest& request, const std::atomic<int>& stop,
                          Messages& messages) {
  const Stopwatch watch;
  const double seconds = request.limits.seconds;
  double asked = -1;  // when it was asked to end
  bool talks = true;
  while (true) {
    const double now = watch.seconds();
    if (stop != 0 && asked < 0) {
      asked = now;
      if (request.grace_seconds > 0) ::kill(-child.id, SIGTERM);
    }
    if (asked >= 0 && now - asked >= request.grace_seconds) return ProcessOutcome::End::kStopped;
    if (seconds > 0 && now >= seconds) return ProcessOutcome::End::kTimedOut;
    pollfd events[2] = {{child.handle, POLLIN, 0}, {talks ? child.pipe : -1, POLLIN, 0}};
    const double left = seconds > 0 ? 1000 * (seconds - now) + 1 : kLookMilliseconds;
    if (::poll(events, 2, static_cast<int>(std::min<double>(left, kLookMilliseconds))) <= 0) continue;
    if (events[1].revents != 0) talks = messages.take();
    if (events[0].revents != 0) return asked >= 0 ? ProcessOutcome::End::kStopped : ProcessOutcome::End::kExited;
  }
}

/// A child that nobody has killed and waited for yet. Whatever is thrown meanwhile, it does not outlive that.
class Left {
 public:
  explicit Left(pid_t child) : child_(child) {}
  ~Left() {
    if (child_ < 0) return;
    const pid_t child = child_;
    kill();
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Left(const Left&) = delete;
  Left& operator=(const Left&) = delete;

  /// It is not reaped yet, so its group's number is still its own; what it started may live on.
  void kill() { ::kill(-std::exchange(child_, -1), SIGKILL); }

 private:
  pid_t child_;
};

double seconds_of(timeval time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }

void collect(pid_t child, ProcessOutcome& outcome) {
  int state = 0;
  rusage used{};
  while (::wait4(child, &state, 0, &used) < 0 && errno == EINTR) {
  }
  outcome.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  outcome.most_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  if (outcome.end == ProcessOutcome::End::kExited && WIFSIGNALED(state)) outcome.end = ProcessOutcome::End::kSignalled;
  outcome.code = WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state);
}

Result<File> open_for(const std::filesystem::path& path) {
  File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) return system_error("cannot write", path.string());
  return file;
}

}  // namespace

Result<ProcessOutcome> run_process(const ProcessRequest& request, const std::atomic<int>& stop) {
  Launch launch;
  launch.arguments.push_back(const_cast<char*>(request.program.c_str()));
  for (const std::string& word : request.arguments) launch.arguments.push_back(const_cast<char*>(word.c_str()));
  launch.arguments.push_back(nullptr);
  if (!request.folder.empty()) launch.folder = request.folder.c_str();
  if (request.limits.memory_bytes > 0) launch.memory = request.limits.memory_bytes;

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  const File reading(ends[0]);
  File writing(ends[1]), printed, log;
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  const File nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!request.printed.empty()) {
    LIMBER_TRY(printed, open_for(request.printed));
  }
  if (!request.messages.empty()) {
    LIMBER_TRY(log, open_for(request.messages));
  }
  launch.nothing = nothing.get(), launch.messages = writing.get();
  launch.printed = printed.is_open() ? printed.get() : writing.get();

  const Stopwatch clock;
  const pid_t child = fork_child(Fate::kDiesWithThread);
  if (child < 0) return system_error("cannot start a process", request.program);
  if (child == 0) become(launch);
  ::setpgid(child, child);  // as the child does itself: whoever comes first
  Left left(child);
  writing = File();
  // glibc 2.36 declares pidfd_open for C alone.
  const File handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!handle.is_open()) {
    return system_error("cannot watch a process", request.program);
  }

  Messages messages(reading.get(), log.get(), request.on_message);
  ProcessOutcome outcome;
  outcome.end = watch({child, handle.get(), reading.get()}, request, stop, messages);
  left.kill();
  collect(child, outcome);
  outcome.seconds = clock.seconds();
  outcome.tail = std::move(messages).finish();
  return outcome;
}

Result<ProcessOutcome> run_process(const ProcessRequest& request) {
  static const std::atomic<int> never{0};
  return run_process(request, never);
}

}  // namespace limber
