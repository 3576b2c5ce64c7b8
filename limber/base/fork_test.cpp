// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/fork.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>
#include <thread>

#include "limber/base/isolate.h"
#include "limber/base/process.h"

namespace limber {
namespace {

int g_told[2] = {-1, -1};

extern "C" void tell_parent(int) {
  const char byte = 0;
  static_cast<void>(!::write(g_told[1], &byte, 1));
}

/// A program that catches SIGTERM as the studio does: its handler writes into a pipe.
class Fork : public testing::Test {
 protected:
  Fork() {
    EXPECT_EQ(::pipe2(g_told, O_CLOEXEC | O_NONBLOCK), 0);
    struct sigaction action {};
    action.sa_handler = tell_parent;
    ::sigaction(SIGTERM, &action, &before_);
  }
  ~Fork() override {
    ::sigaction(SIGTERM, &before_, nullptr);
    ::close(g_told[0]), ::close(g_told[1]);
  }
  static bool was_told() {
    char byte;
    return ::read(g_told[0], &byte, 1) > 0;
  }
  static int state_of(pid_t child) {
    int state = 0;
    while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    return state;
  }
  static int times() {
    const char* wanted = std::getenv("LIMBER_STORM");
    return wanted != nullptr ? std::atoi(wanted) : 400;
  }

  struct sigaction before_ {};
};

TEST_F(Fork, ASignalThatComesAtOnceEndsTheChildAndIsNotHeardByTheParent) {
  for (int i = 0; i < times(); ++i) {
    const pid_t child = fork_child(Fate::kDiesWithThread);
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    ::kill(child, SIGTERM);
    const int state = state_of(child);
    ASSERT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGTERM) << i;
    ASSERT_FALSE(was_told()) << i;
  }
  ::raise(SIGTERM);
  EXPECT_TRUE(was_told()) << "the parent's own handler is as it was";
}

TEST_F(Fork, AProgramThatIsStoppedAtOnceDoesNotStopThisOne) {
  ProcessRequest request;
  request.program = "sleep", request.arguments = {"60"}, request.grace_seconds = 20;
  const std::atomic<int> stop{SIGTERM};  // before it starts, which is as early as can be
  for (int i = 0; i < times(); ++i) {
    ASSERT_EQ(run_process(request, stop)->code, SIGTERM) << i;
    ASSERT_FALSE(was_told()) << i;
  }
}

TEST_F(Fork, WhatIsIgnoredStaysIgnoredButForThePipe) {
  struct sigaction ignored {
  }, hangup{}, pipe{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGHUP, &ignored, &hangup), ::sigaction(SIGPIPE, &ignored, &pipe);
  const pid_t child = fork_child(Fate::kDiesWithThread);
  if (child == 0) {
    ::raise(SIGHUP);
    ::raise(SIGPIPE);
    ::_exit(0);
  }
  ::sigaction(SIGHUP, &hangup, nullptr), ::sigaction(SIGPIPE, &pipe, nullptr);
  const int state = state_of(child);
  EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGPIPE) << state;
}

TEST_F(Fork, LimitsAreNeverRaised) {
  const pid_t child = fork_child(Fate::kDiesWithThread);
  if (child == 0) {
    lower_limit(RLIMIT_CPU, 50);
    lower_limit(RLIMIT_CPU, 70);
    rlimit now{};
    ::getrlimit(RLIMIT_CPU, &now);
    ::_exit(now.rlim_cur == 50 && now.rlim_max == 50 ? 0 : 1);
  }
  EXPECT_EQ(state_of(child), 0);
}

TEST_F(Fork, ADecoderDiesWithAProgramThatIsKilled) {
  // A decoder has nothing open that its program had, so memory that both see says who it is.
  void* shared = ::mmap(nullptr, sizeof(std::atomic<pid_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* decoder = new (shared) std::atomic<pid_t>(0);
  const pid_t program = ::fork();
  if (program == 0) {
    static_cast<void>(run_isolated([&]() -> Result<Bytes> {
      *decoder = ::getpid();
      std::this_thread::sleep_for(std::chrono::seconds(60));
      return Bytes();
    }));
    ::_exit(0);
  }
  while (*decoder == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const int watched = static_cast<int>(::syscall(SYS_pidfd_open, decoder->load(), 0));
  ASSERT_GE(watched, 0);
  ::kill(program, SIGKILL);
  state_of(program);
  pollfd ended{watched, POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 20000), 1);
  ::kill(decoder->load(), SIGKILL);
  ::close(watched);
  ::munmap(shared, sizeof(std::atomic<pid_t>));
}

TEST_F(Fork, ADecoderHasALimitOfProcessorTimeOfItsOwn) {
  IsolationLimits limits;
  limits.seconds = 7.5, limits.readable = {"/proc"};
  const Result<Bytes> told = run_isolated(
      []() -> Result<Bytes> {
        std::ifstream file("/proc/self/limits");
        std::string line;
        while (std::getline(file, line) && line.rfind("Max cpu time", 0) != 0) continue;
        return Bytes(as_bytes(line).begin(), as_bytes(line).end());
      },
      limits);
  ASSERT_TRUE(told.ok()) << told.error().message();
  EXPECT_EQ(as_text(*told).substr(12, 15), "              9") << as_text(*told);
}

}  // namespace
}  // namespace limber
