// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/isolate.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "limber/base/fork.h"
#include "limber/base/sandbox.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMBER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMBER_SANITIZED 1
#endif
#endif

namespace limber {
namespace {

enum Verdict : char { kValue = 'v', kError = 'e' };
constexpr int kNotSent = 3;  // exit code: what has come is not all

void limit_memory(std::uint64_t extra_bytes) {
#if defined(LIMBER_SANITIZED)
  static_cast<void>(extra_bytes);  // the sanitizer reserves terabytes of address space
#else
  std::uint64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    unsigned long long size = 0;
    if (std::fscanf(file, "%llu", &size) == 1) pages = size;
    std::fclose(file);
  }
  lower_limit(RLIMIT_AS, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + extra_bytes);
#endif
}

bool write_all(int file, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// Nothing comes from a terminal or goes there, and what the parent has open, connections say, is not the work's.
void keep_only(int& pipe) {
  const int null = ::open("/dev/null", O_RDWR);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (null >= 0 && file != pipe) ::dup2(null, file);
  }
  constexpr int kPipe = 3;
  if (pipe != kPipe && ::dup2(pipe, kPipe) == kPipe) pipe = kPipe;
#ifdef SYS_close_range
  if (pipe == kPipe) ::syscall(SYS_close_range, kPipe + 1, ~0u, 0);
#endif
}

std::atomic<bool> g_memory_ended{false};

/// Decoders of others catch what is thrown in a part of a model, and go on without that part.
[[noreturn]] void note_end_of_memory() {
  g_memory_ended = true;
  throw std::bad_alloc();
}

/// The child's life: limits, work, one verdict down the pipe.
[[noreturn]] void run_child(const std::function<Result<Bytes>()>& work, const IsolationLimits& limits, int pipe) {
  lower_limit(RLIMIT_CORE, 0);
  // One thread cannot use more than the clock gives, unless nobody looks at the clock any more.
  lower_limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(std::max(limits.seconds, 0.0))) + 1);
  limit_memory(limits.memory_bytes);
  keep_only(pipe);
  const Sandbox sandbox = Sandbox::for_work(limits.readable);
  sandbox.enter();

  bool sent = false;
  const auto send_error = [&](const Error& error) {
    const char head[2] = {kError, static_cast<char>(error.kind)};
    const std::uint64_t length = error.what.size();
    sent = write_all(pipe, head, sizeof head) && write_all(pipe, &length, sizeof length) &&
           write_all(pipe, error.what.data(), error.what.size()) &&
           write_all(pipe, error.where.data(), error.where.size());
  };
  try {
    std::set_new_handler(&note_end_of_memory);
    const Result<Bytes> result =
        sandbox.trouble() == 0 ? work() : Error{std::string("cannot open: ") + std::strerror(sandbox.trouble()), ""};
    if (g_memory_ended) throw std::bad_alloc();
    if (result.ok()) {
      const char verdict = kValue;
      sent = write_all(pipe, &verdict, 1) && write_all(pipe, result->data(), result->size());
    } else {
      send_error(result.error());
    }
  } catch (const std::bad_alloc&) {
    send_error({"needs more memory than allowed", "", ErrorKind::kOutOfMemory});
  } catch (const std::exception& exception) {
    send_error({exception.what(), ""});
  } catch (...) {
    send_error({"failed for an unknown reason", ""});
  }
  ::_exit(sent ? 0 : kNotSent);  // no destructors, no exit handlers: they belong to the parent
}

/// What `send_error` of the child wrote. The child may have gone mad: nothing of it is trusted.
Error received_error(std::span<const std::byte> bytes) {
  std::uint64_t length = 0;
  constexpr std::size_t kHead = 2;
  if (bytes.size() < kHead + sizeof length) return {"the decoder crashed", ""};
  const auto kind = std::to_integer<int>(bytes[1]);
  const bool known = kind <= static_cast<int>(ErrorKind::kDevice);
  std::memcpy(&length, bytes.data() + kHead, sizeof length);
  const std::string_view text = as_text(bytes.subspan(kHead + sizeof length));
  const auto split = std::min<std::size_t>(length, text.size());
  return {std::string(text.substr(0, split)), std::string(text.substr(split)),
          known ? static_cast<ErrorKind>(kind) : ErrorKind::kInput};
}

/// Everything the child sends, until it closes the pipe. An error if that takes too long or is too much.
Result<Bytes> read_all(int pipe, const IsolationLimits& limits) {
  using Clock = std::chrono::steady_clock;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  Bytes received;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Error{"took longer than " + std::to_string(limits.seconds) + " s", ""};
    pollfd event{pipe, POLLIN, 0};
    const int ready = ::poll(&event, 1, static_cast<int>(std::min<long long>(left, 1000)));
    if (ready < 0 && errno != EINTR)
      return Error{std::string("cannot wait for a child process: ") + std::strerror(errno), ""};
    if (ready <= 0) continue;
    std::byte buffer[1 << 16];
    const ssize_t n = ::read(pipe, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{std::string("cannot read from a child process: ") + std::strerror(errno), ""};
    if (n == 0) return received;
    if (received.size() + static_cast<std::size_t>(n) > limits.result_bytes) {
      return Error{"result is too large", "", ErrorKind::kOutOfMemory};
    }
    received.insert(received.end(), buffer, buffer + n);
  }
}

/// A child and the pipe that it writes to. Neither is left, whatever is thrown while it works.
class Watched {
 public:
  Watched(pid_t child, int pipe) : child_(child), pipe_(pipe) {}
  ~Watched() {
    if (child_ >= 0) end(true);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  /// Waits for its end: how that came, as waitpid has it.
  int end(bool kills) {
    ::close(pipe_);
    if (kills) ::kill(child_, SIGKILL);
    int state = 0;
    while (::waitpid(child_, &state, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    return state;
  }

 private:
  pid_t child_;
  int pipe_;
};

}  // namespace

Result<Bytes> run_isolated(const std::function<Result<Bytes>()>& work, const IsolationLimits& limits) {
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) return Error{std::string("cannot make a pipe: ") + std::strerror(errno), ""};
  const pid_t child = fork_child(Fate::kDiesWithThread);
  if (child < 0) {
    Error error{std::string("cannot start a child process: ") + std::strerror(errno), ""};
    ::close(pipes[0]), ::close(pipes[1]);
    return error;
  }
  if (child == 0) {
    ::close(pipes[0]);
    run_child(work, limits, pipes[1]);
  }
  ::close(pipes[1]);
  Watched watched(child, pipes[0]);
  Result<Bytes> received = read_all(pipes[0], limits);
  const int state = watched.end(!received.ok());
  if (!received.ok()) return std::move(received).error();
  if (WIFEXITED(state) && WEXITSTATUS(state) == kNotSent) {
    return Error{"the decoder could not hand over all that it read", ""};
  }
  if (!WIFEXITED(state) || WEXITSTATUS(state) != 0 || received->empty()) {
    return Error{WIFSIGNALED(state) ? "the decoder crashed (signal " + std::to_string(WTERMSIG(state)) + ")"
                                    : "the decoder crashed",
                 ""};
  }

  const char verdict = static_cast<char>(received->front());
  if (verdict == kValue) {
    received->erase(received->begin());
    return std::move(received).value();
  }
  return received_error(*received);
}

}  // namespace limber
