// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/process.h"

#include <signal.h>

#include <chrono>
#include <thread>

#include "limber/base/stopwatch.h"
#include "limber/batch/batch_testing.h"

namespace limber::batch {
namespace {

using End = ProcessOutcome::End;

class Process : public BatchTest {
 protected:
  ProcessOutcome shell(const std::string& text, ProcessLimits limits = {}) const {
    ProcessRequest request;
    request.program = "sh", request.arguments = {"-c", text};
    request.folder = folder_;
    request.limits = limits;
    return run_process(request).value();
  }
};

TEST_F(Process, TellsHowItEnded) {
  EXPECT_TRUE(shell("exit 0").good());
  const ProcessOutcome three = shell("echo words; echo more >&2; exit 3");
  EXPECT_EQ(three.end, End::kExited);
  EXPECT_EQ(three.code, 3);
  EXPECT_EQ(three.tail, "words\nmore\n");
  const ProcessOutcome killed = shell("kill -SEGV $$");
  EXPECT_EQ(killed.end, End::kSignalled);
  EXPECT_EQ(killed.code, SIGSEGV);
  EXPECT_GT(killed.most_bytes, 0u);
}

TEST_F(Process, OneThatIsNotThereSaysSo) {
  ProcessRequest request;
  request.program = (folder_ / "missing").string();
  const ProcessOutcome outcome = run_process(request).value();
  EXPECT_EQ(outcome.code, 127);
  EXPECT_NE(outcome.tail.find("cannot start"), std::string::npos);
}

TEST_F(Process, IsKilledWithAllThatItStartedWhenItsTimeIsOver) {
  const Stopwatch watch;
  const ProcessOutcome outcome = shell("(sleep 60; touch late) & echo $! > child; sleep 60", {0.3, 0});
  EXPECT_EQ(outcome.end, End::kTimedOut);
  EXPECT_LT(watch.seconds(), 20);
  // What it started is gone, or a zombie that nobody has waited for yet.
  const std::string state = "/proc/" + std::to_string(std::stoi(read(folder_ / "child"))) + "/stat";
  for (int look = 0; look < 100 && read(state).find(") S") != std::string::npos; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(read(state).find(") S"), std::string::npos) << read(state);
}

TEST_F(Process, DoesNotWaitForWhatItLeftBehind) {
  const Stopwatch watch;
  EXPECT_TRUE(shell("sleep 60 & exit 0").good());
  EXPECT_LT(watch.seconds(), 20);
}

TEST_F(Process, IsStoppedBySomebodyElse) {
  std::atomic<int> stop{0};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = SIGINT;
  });
  ProcessRequest request;
  request.program = "sleep", request.arguments = {"60"};
  EXPECT_EQ(run_process(request, stop).value().end, End::kStopped);
  other.join();
}

TEST_F(Process, GetsNoMoreMemoryThanItMay) {
  // A hundred megabytes of text.
  const std::string greedy = "x=$(head -c 100000000 /dev/zero | tr '\\0' a); echo ${#x}";
  EXPECT_EQ(shell(greedy).tail, "100000000\n");
  EXPECT_NE(shell(greedy, {0, 40 << 20}).tail, "100000000\n");
}

TEST_F(Process, KeepsTheEndOfWhatItSaysAndFillsNoDisk) {
  ProcessRequest request;
  request.program = "sh", request.arguments = {"-c", "head -c 20000000 /dev/zero | tr '\\0' a; echo; echo end"};
  request.messages = folder_ / "log.txt";
  const ProcessOutcome outcome = run_process(request).value();
  EXPECT_TRUE(outcome.good());
  EXPECT_LT(outcome.tail.size(), 200000u);
  EXPECT_EQ(outcome.tail.substr(outcome.tail.size() - 5), "\nend\n");
  EXPECT_LT(std::filesystem::file_size(request.messages), 5u << 20);
  EXPECT_GT(std::filesystem::file_size(request.messages), 1u << 20);
}

TEST_F(Process, PrintsIntoAFileOfItsOwn) {
  ProcessRequest request;
  request.program = "sh", request.arguments = {"-c", "echo result; echo words >&2; cat"};
  request.printed = folder_ / "printed", request.messages = folder_ / "log.txt";
  EXPECT_TRUE(run_process(request).value().good());  // and `cat` finds nothing to read
  EXPECT_EQ(read(folder_ / "printed"), "result\n");
  EXPECT_EQ(read(folder_ / "log.txt"), "words\n");
}

}  // namespace
}  // namespace limber::batch
