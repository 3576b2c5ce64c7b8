// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "limber/base/stopwatch.h"

namespace limber {
namespace {

using End = ProcessOutcome::End;

class Process : public testing::Test {
 protected:
  Process() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("limber-process-") + test->name() + "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Process() override {
    std::error_code failed;
    std::filesystem::remove_all(folder_, failed);
  }
  static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  /// Stopped after a fifth of a second.
  static ProcessOutcome stopped(ProcessRequest request) {
    std::atomic<int> stop{0};
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop = SIGINT;
    });
    const ProcessOutcome outcome = run_process(request, stop).value();
    other.join();
    return outcome;
  }
  ProcessOutcome shell(const std::string& text, ProcessLimits limits = {}) const {
    ProcessRequest request;
    request.program = "sh", request.arguments = {"-c", text};
    request.folder = folder_;
    request.limits = limits;
    return run_process(request).value();
  }

  std::filesystem::path folder_;
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

TEST_F(Process, IsKilledInTimeThoughItPrintsWithoutEnd) {
  const Stopwatch watch;
  EXPECT_EQ(shell("cat /dev/zero", {0.3, 0}).end, End::kTimedOut);
  EXPECT_LT(watch.seconds(), 20);
}

TEST_F(Process, DoesNotWaitForWhatItLeftBehind) {
  const Stopwatch watch;
  EXPECT_TRUE(shell("sleep 60 & exit 0").good());
  EXPECT_LT(watch.seconds(), 20);
}

TEST_F(Process, IsStoppedBySomebodyElse) {
  ProcessRequest request;
  request.program = "sleep", request.arguments = {"60"};
  const Stopwatch watch;
  EXPECT_EQ(stopped(request).end, End::kStopped);
  EXPECT_LT(watch.seconds(), 20);
}

TEST_F(Process, IsAskedToEndBeforeItIsKilled) {
  ProcessRequest request;
  request.program = "sh", request.folder = folder_, request.grace_seconds = 30;
  request.arguments = {"-c", "trap 'touch tidied; exit 0' TERM; while true; do sleep 0.05; done"};
  EXPECT_EQ(stopped(request).end, End::kStopped);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "tidied"));
  request.grace_seconds = 0.3;
  request.arguments = {"-c", "trap '' TERM; while true; do sleep 0.05; done"};
  const ProcessOutcome deaf = stopped(request);
  EXPECT_EQ(deaf.end, End::kStopped);
  EXPECT_EQ(deaf.code, SIGKILL);
}

TEST_F(Process, TellsLinesAsTheyCome) {
  ProcessRequest request;
  std::vector<std::string> lines;
  request.program = "sh", request.arguments = {"-c", "echo one >&2; printf 'two\\nthree' >&2; echo out"};
  request.printed = folder_ / "printed";
  request.on_message = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_TRUE(run_process(request).value().good());
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(read(request.printed), "out\n");
}

TEST_F(Process, InheritsNoFiles) {
  const std::ofstream open(folder_ / "secret");
  const int copy = ::dup(1);                                 // one that would stay open over exec
  EXPECT_EQ(shell("ls /proc/self/fd | wc -l").tail, "4\n");  // three of its own, and the folder that is listed
  ::close(copy);
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
}  // namespace limber
