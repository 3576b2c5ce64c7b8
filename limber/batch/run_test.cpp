// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/run.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "limber/base/stopwatch.h"
#include "limber/batch/batch_testing.h"
#include "limber/batch/item_lock.h"

namespace limber::batch {
namespace {

using namespace std::chrono_literals;

/// What the script does for an item's word. Every start is noted; results depend on the word alone.
constexpr const char* kScript = R"(
echo $1 >> "$(dirname "$0")/starts"
case $1 in
  crash) kill -SEGV $$ ;;
  hang) sleep 60 ;;
  refuse) echo "limber: error: fox.glb: has no triangles" >&2; echo half > result.glb; exit 1 ;;
  nothing) exit 0 ;;
  slow*) sleep 0.4 ;;
  third) n=$(grep -c third "$(dirname "$0")/starts"); [ $n -ge 3 ] || exit 1 ;;
esac
echo "made from $1" > result.glb
echo "words of $1")";

class Run : public BatchTest {
 protected:
  Run() : results_(Results::open(folder_ / "out").value()) {
    settings_.program = script(kScript);
    settings_.thumbnails = false;
    settings_.limits.seconds = 30;
  }
  Result<RunReport> run(const std::vector<Item>& items) { return run_items(results_, items, settings_, stop_); }
  int starts() const {
    const std::string text = read(folder_ / "starts");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  std::string result(const Item& item) const { return read(results_.of(item.id) / "result.glb"); }

  Results results_;
  RunSettings settings_;
  std::atomic<int> stop_{0};
};

TEST_F(Run, DoesEachItemOnce) {
  settings_.jobs = 3;
  std::vector<Item> items;
  for (std::uint64_t k = 1; k <= 8; ++k) items.push_back(item(k, "fox" + std::to_string(k)));
  EXPECT_EQ(run(items).value().done, 8);
  EXPECT_EQ(starts(), 8);
  EXPECT_EQ(result(items[4]), "made from fox5\n");
  EXPECT_EQ(read(results_.of(items[4].id) / "log.txt"), "words of fox5\n");
  EXPECT_TRUE(results_.status(items[4].id)->done);
  EXPECT_TRUE(std::filesystem::is_empty(results_.work("x").parent_path())) << "nothing is left of the work";

  EXPECT_TRUE(unfinished_items(results_, items, true).empty());
  EXPECT_EQ(run(items).value().found, 8);
  EXPECT_EQ(starts(), 8) << "nothing is done again";
}

TEST_F(Run, OneThatFailsDoesNotHinderOthers) {
  settings_.limits.seconds = 0.5, settings_.jobs = 2;
  const std::vector<Item> items{item(1, "crash"), item(2, "hang"), item(3, "refuse"), item(4, "nothing"),
                                item(5, "fox")};
  const RunReport report = run(items).value();
  EXPECT_EQ(report.done, 1);
  EXPECT_EQ(report.failed, 4);
  EXPECT_EQ(results_.status(items[0].id)->reason, "was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(results_.status(items[1].id)->reason, "took longer than 0.5 s");
  EXPECT_EQ(results_.status(items[2].id)->reason, "fox.glb: has no triangles");
  EXPECT_EQ(results_.status(items[3].id)->reason, "wrote no result.glb");
  EXPECT_FALSE(std::filesystem::exists(results_.of(items[2].id) / "result.glb")) << "half a result is none";
  EXPECT_TRUE(unfinished_items(results_, items, false).empty()) << "they are not tried again unless asked for";
}

TEST_F(Run, TriesAgainAsOftenAsItMay) {
  settings_.retries = 1;
  const Item third = item(1, "third");
  EXPECT_EQ(run({third}).value().failed, 1);
  EXPECT_EQ(results_.status(third.id)->attempts, 2);
  const std::vector<Item> again = unfinished_items(results_, {third}, true);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].tried, 2);
  EXPECT_EQ(run(again).value().done, 1);
  EXPECT_EQ(results_.status(third.id)->attempts, 3);
  EXPECT_EQ(result(third), "made from third\n");
}

TEST_F(Run, WhatFailedOnceMoreIsNotTriedByARequeuedTask) {
  const Item crash = item(1, "crash");
  EXPECT_EQ(run({crash}).value().failed, 1);
  const std::vector<Item> again = unfinished_items(results_, {crash}, true);
  EXPECT_EQ(run(again).value().failed, 1);
  EXPECT_EQ(run(again).value().found, 1) << "the same list a second time";
  EXPECT_EQ(starts(), 2);
}

TEST_F(Run, TwoRunsAtOnceShareTheWork) {
  settings_.jobs = 2;
  std::vector<Item> items;
  for (std::uint64_t k = 1; k <= 6; ++k) items.push_back(item(k, "slow" + std::to_string(k)));
  RunReport here, there;
  std::thread other([&] { there = run_items(results_, items, settings_, stop_).value(); });
  here = run(items).value();
  other.join();
  EXPECT_EQ(starts(), 6);
  EXPECT_EQ(here.done + there.done, 6);
  EXPECT_EQ(here.done + here.found, 6) << "a run returns when all is finished, by whomever";
  EXPECT_EQ(there.done + there.found, 6);
}

TEST_F(Run, StoppedInTheMiddleItLosesNothingThatWasFinished) {
  settings_.jobs = 1;
  const std::vector<Item> items{item(1, "fox"), item(2, "hang"), item(3, "cow")};
  std::thread other([&] {
    while (!results_.status(items[0].id) || starts() < 2) std::this_thread::sleep_for(10ms);
    stop_ = SIGTERM;
  });
  const auto stopped = run(items);
  other.join();
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(results_.status(items[0].id)->done);
  EXPECT_FALSE(results_.status(items[1].id)) << "one that was stopped did not fail";
  stop_ = 0, settings_.limits.seconds = 0.3;
  const RunReport report = run(items).value();
  EXPECT_EQ(report.found, 1);
  EXPECT_EQ(report.failed, 1);
  EXPECT_EQ(report.done, 1);
}

TEST_F(Run, KilledOutrightItFreesItsLocksAndTakesItsItemsAlong) {
  const Item hang = item(1, "hang");
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(run({hang}));
    ::_exit(0);
  }
  while (starts() < 1) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(LockViewer(results_.lock_file()).is_held(hang.id));
  EXPECT_FALSE(ItemLock::take(results_.lock_file(), hang.id).value());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(LockViewer(results_.lock_file()).is_held(hang.id));
  settings_.limits.seconds = 0.3;
  EXPECT_EQ(run({hang}).value().failed, 1);
}

TEST_F(Run, WhatAStoppedRunCanResumeFromIsKept) {
  const Item fox = item(1, "fox");
  const std::filesystem::path work = results_.start_work(fox.id).value();
  std::ofstream(work / "result.checkpoint") << "half way";
  std::ofstream(work / "result.glb.tmp-1-0") << "rubbish";
  EXPECT_EQ(results_.start_work(fox.id).value(), work);
  EXPECT_TRUE(std::filesystem::exists(work / "result.checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(work / "result.glb.tmp-1-0"));
}

TEST_F(Run, ResultsGetTheNamesThatWereAskedFor) {
  Item fox = item(1, "fox");
  fox.output = "foxes/one.glb";
  EXPECT_EQ(run({fox}).value().done, 1);
  EXPECT_EQ(read(results_.folder() / "foxes/one.glb"), "made from fox\n");
  // Another name for what is finished costs no work.
  fox.output = "foxes/two.glb";
  EXPECT_EQ(run({fox}).value().found, 1);
  EXPECT_EQ(read(results_.folder() / "foxes/two.glb"), "made from fox\n");
  // A name that belonged to another item.
  Item cow = item(2, "cow");
  cow.output = "foxes/two.glb";
  EXPECT_EQ(run({cow}).value().done, 1);
  EXPECT_EQ(read(results_.folder() / "foxes/two.glb"), "made from cow\n");
}

TEST_F(Run, NotToBeAbleToWriteIsAnError) {
  Item fox = item(1, "fox");
  write("out/taken", "a file");
  fox.output = "taken/fox.glb";
  EXPECT_FALSE(run({fox}).ok());
}

}  // namespace
}  // namespace limber::batch
