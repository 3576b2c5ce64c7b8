// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "limber/base/fork.h"
#include "limber/base/process_memory.h"
#include "limber/base/sandbox.h"

namespace limber::asset {
namespace {

/// A child that neither takes nor gives anything for so long hangs.
constexpr double kStallSeconds = 120;
/// Writing the end of a long video takes a while.
constexpr double kFinishSeconds = 900;
/// Of a child, whatever a file makes of it: of data that it holds, and of time on all cores together.
constexpr rlim_t kChildMemory = rlim_t{8} << 30;
constexpr rlim_t kChildSeconds = 4 * 3600;
constexpr std::size_t kWordsKept = 8192;
/// Descriptors of the child's ends are moved up here, out of the way of the 0 to 3 that it will know them by.
constexpr int kFirstDescriptor = 10;

Error system_error(const std::string& what) { return {what + ": " + std::strerror(errno), ""}; }

struct Ends {
  Descriptor ours, childs;
};

Result<Ends> raise(const int (&files)[2]) {
  Ends ends{Descriptor(files[0]), Descriptor(files[1])};
  ends.childs = Descriptor(::fcntl(files[1], F_DUPFD_CLOEXEC, kFirstDescriptor));
  if (ends.childs.get() < 0) return system_error("cannot make a pipe");
  return ends;
}

/// The child's input is a socket, because writing to one can be told not to raise SIGPIPE.
Result<Ends> make_input() {
  int files[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) != 0) return system_error("cannot make a pipe");
  const int size = 1 << 20;
  ::setsockopt(files[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return raise(files);
}

Result<Ends> make_output() {
  int files[2];
  if (::pipe2(files, O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  ::fcntl(files[0], F_SETPIPE_SZ, 1 << 20);
  ::fcntl(files[0], F_SETFL, O_NONBLOCK);
  return raise(files);
}

/// All that the child needs, made before the fork: afterwards it may not allocate.
struct Launch {
  std::vector<char*> words;
  int input, output, errors, file, failed;
  const Sandbox& sandbox;
};

/// Between fork and exec: nothing but system calls.
[[noreturn]] void become(const Launch& launch) {
  lower_limit(RLIMIT_CORE, 0);
  uncap_process_memory();
  lower_limit(RLIMIT_DATA, kChildMemory);
  lower_limit(RLIMIT_CPU, kChildSeconds);
  ::dup2(launch.input, STDIN_FILENO), ::dup2(launch.output, STDOUT_FILENO), ::dup2(launch.errors, STDERR_FILENO);
  if (launch.file >= 0) ::dup2(launch.file, 3);
  launch.sandbox.enter();
  ::execvp(launch.words[0], launch.words.data());
  const int problem = errno;
  static_cast<void>(!::write(launch.failed, &problem, sizeof problem));
  ::_exit(127);
}

/// What kept a child from becoming its program: 0 once it has, as that closes its end of the pipe.
int why_not_started(int pipe) {
  int problem = 0;
  while (::read(pipe, &problem, sizeof problem) < 0 && errno == EINTR) {
  }
  return problem;
}

/// One line of a child's talk without the addresses and file names that mean nothing to a person.
std::string tidy(std::string_view line) {
  std::string text;
  for (const char c : line) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  // "[mov,mp4,m4a @ 0x55d5c8] moov atom not found"
  if (const std::size_t at = text.find(" @ 0x"); !text.empty() && text[0] == '[' && at != std::string::npos) {
    if (const std::size_t end = text.find(']', at); end != std::string::npos) text.erase(at, end - at);
  }
  for (const std::string name : {"file:/dev/fd/3: ", "file:/dev/fd/3", "file:/dev/fd/"}) {
    for (std::size_t i = text.find(name); i != std::string::npos; i = text.find(name)) text.erase(i, name.size());
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    file_ = std::exchange(other.file_, -1);
  }
  return *this;
}

void Descriptor::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

Result<ChildProcess> ChildProcess::start(const std::string& program, const std::vector<std::string>& arguments,
                                         const std::string& package, int file) {
  LIMBER_TRY(Ends input, make_input());
  LIMBER_TRY(Ends output, make_output());
  LIMBER_TRY(Ends errors, make_output());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe");
  LIMBER_TRY(Ends failed, raise(ends));
  Descriptor raised;
  if (file >= 0) {
    raised = Descriptor(::fcntl(file, F_DUPFD_CLOEXEC, kFirstDescriptor));
    if (raised.get() < 0) return system_error("cannot hand a file to a child process");
  }

  const Sandbox sandbox = Sandbox::for_program(program, raised.get());
  Launch launch{{const_cast<char*>(program.c_str())},
                input.childs.get(),
                output.childs.get(),
                errors.childs.get(),
                raised.get(),
                failed.childs.get(),
                sandbox};
  for (const std::string& argument : arguments) launch.words.push_back(const_cast<char*>(argument.c_str()));
  launch.words.push_back(nullptr);
  ChildProcess child;
  child.program_ = program;
  // A video may be handed from one thread to another, so it cannot go with the thread that opened it. Where another
  // thread than the main one did and the program is killed, the child ends when its input or output does.
  child.id_ = fork_child(Fate::kDiesWithMainThread);
  if (child.id_ < 0) return system_error("cannot start " + program);
  if (child.id_ == 0) become(launch);
  failed.childs.close();
  if (const int problem = why_not_started(failed.ours.get()); problem != 0) {
    child.kill();
    if (problem == ENOENT)
      return Error{fmt::format("the program {} is not in PATH: install the package {}", program, package), "",
                   ErrorKind::kMissing};
    return Error{fmt::format("cannot start {}: {}", program, std::strerror(problem)), ""};
  }
  child.input_ = std::move(input.ours);
  child.output_ = std::move(output.ours);
  child.errors_ = std::move(errors.ours);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : program_(std::move(other.program_)),
      id_(std::exchange(other.id_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)),
      said_(std::move(other.said_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    kill();
    program_ = std::move(other.program_);
    id_ = std::exchange(other.id_, -1);
    input_ = std::move(other.input_);
    output_ = std::move(other.output_);
    errors_ = std::move(other.errors_);
    said_ = std::move(other.said_);
  }
  return *this;
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::kill() {
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
}

void ChildProcess::hear() {
  std::array<char, 4096> buffer;
  while (errors_.get() >= 0) {
    const ssize_t n = ::read(errors_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) return errors_.close();
    said_.append(buffer.data(), static_cast<std::size_t>(n));
    if (said_.size() > 2 * kWordsKept) said_.erase(0, said_.size() - kWordsKept);
  }
}

/// Waits until `file` is ready, listening to stderr meanwhile; false when there is nothing to wait for any more. With
/// file -1: until stderr is closed.
Result<bool> ChildProcess::wait_for(int file, short events, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (file >= 0 || errors_.get() >= 0) {
    if (Clock::now() > deadline) return Error{fmt::format("{} has done nothing for {:.0f} s", program_, seconds), ""};
    // poll skips negative descriptors.
    pollfd wanted[2] = {{file, events, 0}, {errors_.get(), POLLIN, 0}};
    const int ready = ::poll(wanted, 2, 1000);
    if (ready < 0 && errno != EINTR) return system_error("cannot wait for " + program_);
    if (ready <= 0) continue;
    if (wanted[1].revents != 0) hear();
    if (wanted[0].revents != 0) return true;
  }
  return false;
}

Status ChildProcess::write(std::span<const std::byte> bytes) {
  if (id_ < 0) return failure("has ended already");
  while (!bytes.empty()) {
    LIMBER_CHECK_OK(wait_for(input_.get(), POLLOUT, kStallSeconds));
    const ssize_t n = ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (n < 0) {
      LIMBER_CHECK_OK(finish());
      return failure("stopped reading");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return Done{};
}

Result<std::size_t> ChildProcess::read(std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    LIMBER_TRY(const bool ready, wait_for(output_.get(), POLLIN, kStallSeconds));
    if (!ready) break;
    const ssize_t n = ::read(output_.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (n < 0) return system_error("cannot read from " + program_);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Status ChildProcess::finish() {
  if (id_ < 0) return failure("has ended already");
  input_.close();
  output_.close();
  const Result<bool> ended = wait_for(-1, 0, kFinishSeconds);
  if (!ended.ok()) {
    kill();
    return ended.error();
  }
  int state = 0;
  while (::waitpid(id_, &state, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (WIFSIGNALED(state)) return failure(fmt::format("was killed by signal {}", WTERMSIG(state)));
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) return failure("failed");
  return Done{};
}

std::string ChildProcess::last_words() const {
  constexpr std::size_t kLines = 3, kLength = 300;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < said_.size();) {
    const std::size_t end = std::min(said_.find('\n', begin), said_.size());
    std::string line = tidy(std::string_view(said_).substr(begin, end - begin));
    if (line.size() > kLength) line.resize(kLength);
    if (!line.empty() && (lines.empty() || lines.back() != line)) lines.push_back(std::move(line));
    begin = end + 1;
  }
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return fmt::format("{}", fmt::join(lines, "; "));
}

Error ChildProcess::failure(const std::string& what) const {
  const std::string words = last_words();
  return {program_ + " " + what + (words.empty() ? "" : ": " + words), ""};
}

}  // namespace limber::asset
