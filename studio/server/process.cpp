// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace limber::studio {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = std::size_t{64} << 20, kLongestLine = std::size_t{1} << 20;
constexpr int kTick = 50;  // milliseconds between looks at `stop`
constexpr auto kGrace = std::chrono::seconds(2);
constexpr int kNotStarted = 127;

/// One end that we read, one that the child writes.
struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) read = ends[0], write = ends[1];
  }
  ~Pipe() { close_read(), close_write(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_read() {
    if (read >= 0) ::close(read);
    read = -1;
  }
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
  /// What is there now. False at the end.
  bool hear(std::string& text) {
    std::array<char, 65536> bytes;
    const ssize_t count = ::read(read, bytes.data(), bytes.size());
    if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
  }
};

/// Between fork and exec: other threads may have held any lock, so nothing but system calls.
[[noreturn]] void become(const ProcessOrder& order, char* const* arguments, const char* folder, int output, int errors,
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotStarted);  // which died before that
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const rlimit memory{order.memory_bytes, order.memory_bytes};
  if (order.memory_bytes > 0) ::setrlimit(RLIMIT_AS, &memory);
  const int null = ::open("/dev/null", O_RDONLY);
  if (::chdir(folder) != 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 ||
      ::dup2(errors, STDERR_FILENO) < 0) {
    ::_exit(kNotStarted);
  }
  // Sockets of the server among them.
  if (::syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
    for (int file = 3; file < 4096; ++file) ::close(file);
  }
  ::execv(arguments[0], arguments);
  ::_exit(kNotStarted);
}

/// Whole lines of what was said; what is left of it stays.
void take_lines(std::string& said, const std::function<void(std::string_view)>& on_line) {
  std::size_t begin = 0;
  for (std::size_t end; (end = said.find('\n', begin)) != std::string::npos; begin = end + 1) {
    on_line(std::string_view(said).substr(begin, end - begin));
  }
  said.erase(0, begin);
  if (said.size() > kLongestLine) said.clear();
}

/// A child that runs: heard, stopped when asked, and collected.
class Watch {
 public:
  Watch(pid_t id, Pipe& output, Pipe& errors, const std::function<void(std::string_view)>& on_line)
      : id_(id), output_(output), errors_(errors), on_line_(on_line) {}

  ProcessEnd until_end(const std::atomic<bool>& stop) {
    int status = 0;
    while (::waitpid(id_, &status, WNOHANG) == 0) {
      if (stop) end_it();
      hear(kTick);
    }
    // What it left behind would keep the pipes open.
    ::kill(-id_, SIGKILL);
    while (hear(0)) {
    }
    if (!said_.empty()) said_ += '\n', take_lines(said_, on_line_);
    if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end_.code = WEXITSTATUS(status);
    return std::move(end_);
  }

 private:
  void end_it() {
    const auto now = Clock::now();
    if (asked_ == Clock::time_point()) {
      asked_ = now;
      ::kill(-id_, SIGTERM);
    } else if (now - asked_ > kGrace) {
      ::kill(-id_, SIGKILL);
    }
  }

  /// Whether anything was heard.
  bool hear(int milliseconds) {
    // Negative descriptors are passed over.
    std::array<pollfd, 2> files{pollfd{output_.read, POLLIN, 0}, pollfd{errors_.read, POLLIN, 0}};
    if (::poll(files.data(), files.size(), milliseconds) <= 0) return false;
    if (files[0].revents != 0) {
      if (!output_.hear(end_.output)) output_.close_read();
      if (end_.output.size() > kMostOutput) end_.output.resize(kMostOutput);
    }
    if (files[1].revents != 0) {
      if (!errors_.hear(said_)) errors_.close_read();
      take_lines(said_, on_line_);
    }
    return files[0].revents != 0 || files[1].revents != 0;
  }

  pid_t id_;
  Pipe &output_, &errors_;
  const std::function<void(std::string_view)>& on_line_;
  ProcessEnd end_;
  std::string said_;
  Clock::time_point asked_;
};

}  // namespace

Result<ProcessEnd> run_process(const ProcessOrder& order, const std::atomic<bool>& stop,
                               const std::function<void(std::string_view)>& on_line) {
  Pipe output, errors;
  if (output.read < 0 || errors.read < 0) return Error{std::strerror(errno), "a pipe"};
  std::string program = order.program.string();
  const std::string folder = order.folder.string();
  std::vector<std::string> words = order.arguments;
  std::vector<char*> arguments{program.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const pid_t parent = ::getpid(), id = ::fork();
  if (id < 0) return Error{std::strerror(errno), program};
  if (id == 0) become(order, arguments.data(), folder.c_str(), output.write, errors.write, parent);
  ::setpgid(id, id);  // whoever of the two is first
  output.close_write(), errors.close_write();
  ::fcntl(output.read, F_SETFL, O_NONBLOCK), ::fcntl(errors.read, F_SETFL, O_NONBLOCK);
  return Watch(id, output, errors, on_line).until_end(stop);
}

}  // namespace limber::studio
