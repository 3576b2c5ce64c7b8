// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace limber::studio {
namespace {

struct Heard {
  ProcessEnd end;
  std::vector<std::string> lines;
  double seconds = 0;
};

Heard run_shell(const std::string& script, std::uint64_t memory = 0, double stop_after = -1) {
  std::atomic<bool> stop{false};
  Heard heard;
  const auto began = std::chrono::steady_clock::now();
  std::thread stopper;
  if (stop_after >= 0) {
    stopper = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(stop_after));
      stop = true;
    });
  }
  heard.end = run_process({"/bin/sh", {"-c", script}, "/", memory}, stop, [&](std::string_view line) {
                heard.lines.emplace_back(line);
              }).value();
  if (stopper.joinable()) stopper.join();
  heard.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return heard;
}

TEST(Process, HearsLinesAndOutput) {
  const Heard heard = run_shell("echo one >&2; printf 'two\\nthree' >&2; echo out; exit 3");
  EXPECT_EQ(heard.lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(heard.end.output, "out\n");
  EXPECT_EQ(heard.end.code, 3);
  EXPECT_EQ(heard.end.signal, 0);
}

TEST(Process, TellsTheSignalThatKilledIt) {
  const Heard heard = run_shell("kill -SEGV $$");
  EXPECT_EQ(heard.end.signal, SIGSEGV);
}

TEST(Process, DoesNotWaitForWhatAChildLeftBehind) {
  const Heard heard = run_shell("sleep 30 & exit 0");
  EXPECT_EQ(heard.end.code, 0);
  EXPECT_LT(heard.seconds, 5);
}

TEST(Process, EndsWhenAskedTo) {
  const Heard heard = run_shell("sleep 30; echo late", 0, 0.2);
  EXPECT_EQ(heard.end.signal, SIGTERM);
  EXPECT_LT(heard.seconds, 2);
}

TEST(Process, IsKilledWhenItDoesNotListen) {
  const Heard heard = run_shell("trap '' TERM; while true; do sleep 0.1; done", 0, 0.1);
  EXPECT_EQ(heard.end.signal, SIGKILL);
  EXPECT_LT(heard.seconds, 6);
}

TEST(Process, HasNoMoreMemoryThanItMayHave) {
  const Heard heard = run_shell("ulimit -v", std::uint64_t{512} << 20);
  EXPECT_EQ(heard.end.output, "524288\n");
}

TEST(Process, SaysWhenThereIsNoSuchProgram) {
  const std::atomic<bool> stop{false};
  const Result<ProcessEnd> end = run_process({"/nowhere/limber", {}, "/", 0}, stop, [](std::string_view) {});
  EXPECT_EQ(end->code, 127);
}

}  // namespace
}  // namespace limber::studio
