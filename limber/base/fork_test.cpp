// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/fork.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
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
  int told[2];
  ASSERT_EQ(::pipe2(told, O_CLOEXEC), 0);
  const pid_t program = ::fork();
  if (program == 0) {
    static_cast<void>(run_isolated([&]() -> Result<Bytes> {
      const pid_t decoder = ::getpid();
      static_cast<void>(!::write(told[1], &decoder, sizeof decoder));
      std::this_thread::sleep_for(std::chrono::seconds(60));
      return Bytes();
    }));
    ::_exit(0);
  }
  pid_t decoder = 0;
  ASSERT_EQ(::read(told[0], &decoder, sizeof decoder), static_cast<ssize_t>(sizeof decoder));
  ::close(told[1]);
  ::kill(program, SIGKILL);
  state_of(program);
  // The last one who could write there has gone when the end is read.
  char byte;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(::read(told[0], &byte, 1), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  ::kill(decoder, SIGKILL);
  ::close(told[0]);
}

TEST_F(Fork, ADecoderHasALimitOfProcessorTimeOfItsOwn) {
  IsolationLimits limits;
  limits.seconds = 7.5;
  const Result<Bytes> told = run_isolated(
      []() -> Result<Bytes> {
        rlimit now{};
        ::getrlimit(RLIMIT_CPU, &now);
        return Bytes(now.rlim_cur);
      },
      limits);
  ASSERT_TRUE(told.ok()) << told.error().message();
  EXPECT_EQ(told->size(), 9u);
}

}  // namespace
}  // namespace limber
