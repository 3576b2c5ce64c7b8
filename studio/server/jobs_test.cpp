// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/jobs.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

namespace limber::studio {
namespace {

namespace fs = std::filesystem;

/// Jobs whose program is a shell.
struct JobsTest : ::testing::Test {
  Events events;
  std::unique_ptr<Shelf> shelf = Shelf::open(events).value();
  JobSettings settings{"/bin/sh", 1, 0, 3, 500};
  std::unique_ptr<Jobs> jobs = std::make_unique<Jobs>(settings, *shelf, events);

  Result<Job> start(const std::string& script) {
    const fs::path folder = jobs->new_folder();
    JobPlan plan;
    plan.arguments = {"-c", script}, plan.stem = "fox", plan.label = "a fox trots";
    return jobs->start({"animate", std::nullopt, Json::object()}, plan, folder);
  }

  Job finished(const std::string& id) {
    for (int i = 0; i < 400; ++i) {
      const Job job = jobs->find(id).value();
      if (job.state != JobState::kQueued && job.state != JobState::kRunning) return job;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << id << " does not end";
    return {};
  }
  Job run(const std::string& script) { return finished(start(script).value().id); }
};

TEST_F(JobsTest, KeepsReportsOfTheNewestOnly) {
  settings.report_bytes = 100;
  jobs = std::make_unique<Jobs>(settings, *shelf, events);
  const std::string longer = "echo '{\"a\": \"" + std::string(60, 'x') + "\"}'";
  const std::string first = run(longer).id, second = run(longer).id;
  EXPECT_FALSE(jobs->find(first)->report);
  EXPECT_EQ(jobs->find(first)->state, JobState::kDone);
  EXPECT_TRUE(jobs->find(second)->report);
  const Job third = run("echo '{\"a\": \"" + std::string(600, 'x') + "\"}'");
  EXPECT_TRUE(third.report) << "one that is larger than all may be is told";
  EXPECT_FALSE(jobs->find(second)->report);
}

TEST_F(JobsTest, ReportsAreFilesThatGoWithTheirJobs) {
  const fs::path folder = shelf->folder() / "reports";
  const auto files = [&] { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); };
  settings.most_kept = 2;
  jobs = std::make_unique<Jobs>(settings, *shelf, events);
  const Job first = run("echo '{\"a\": 1}'");
  run("echo '[2]'"), run("echo 3"), run("echo 4");
  EXPECT_EQ(files(), 3) << "who still tells of the first keeps it";
  EXPECT_EQ(Json::parse(text_with_report(first).value())["report"], (Json{{"a", 1}}));
  EXPECT_TRUE(Json::parse(text_with_report(run("echo '{'")).value())["report"].is_null()) << "no JSON";
  EXPECT_TRUE(Json::parse(text_with_report(run("printf '\357\273\277{}'")).value())["report"].is_null());
  const Job lost = run("rm -r ../reports; echo 5");
  EXPECT_EQ(lost.state, JobState::kFailed);
  EXPECT_NE(lost.message.find("what was found is lost"), std::string::npos) << lost.message;
}

TEST_F(JobsTest, TellsProgressReportAndResults) {
  const Job job =
      run("echo '{\"event\":\"progress\",\"stage\":\"sampling\",\"fraction\":0.4}' >&2; echo x > r.glb;"
          "echo '{\"event\":\"warning\",\"message\":\"odd\"}' >&2;"
          "echo \"{\\\"event\\\":\\\"result\\\",\\\"path\\\":\\\"$PWD/r.glb\\\",\\\"label\\\":\\\"preview\\\"}\" >&2; "
          "echo '{\"a\": 1}'");
  EXPECT_EQ(job.state, JobState::kDone) << job.message;
  EXPECT_EQ(job.stage, "sampling");
  EXPECT_EQ(job.warnings, std::vector<std::string>{"odd"});
  ASSERT_TRUE(job.report);
  EXPECT_FALSE(to_json(job).contains("report")) << "lists and events would carry those of all models";
  const Json told = Json::parse(text_with_report(job).value());
  EXPECT_EQ(told["report"], (Json{{"a", 1}}));
  EXPECT_EQ(told["id"], job.id);
  ASSERT_EQ(job.results.size(), 1u);
  const Asset asset = shelf->find(job.results[0]).value();
  EXPECT_EQ(asset.name, "fox.glb");
  EXPECT_EQ(asset.label, "preview");
  EXPECT_EQ(asset.job, job.id);
  EXPECT_TRUE(fs::exists(asset.file));
}

TEST_F(JobsTest, AssetsAreCalledByTheirNames) {
  Asset asset;
  asset.name = "my fox.glb";
  const fs::path file = shelf->new_file(".glb");
  std::ofstream(file) << "glTF";
  asset = shelf->add(asset, file).value();
  const Job job = run("echo '{\"event\":\"error\",\"what\":\"is odd\",\"where\":\"" + asset.file.string() +
                      "#/skins/0\"}' >&2; exit 1");
  EXPECT_EQ(job.message, "my fox.glb#/skins/0: is odd");
}

TEST_F(JobsTest, TakesNoFileFromElsewhere) {
  const Job job =
      run("ln -s /etc/passwd l.glb; mkdir d;"
          "for p in /etc/passwd \"$PWD/../x\" \"$PWD/l.glb\" \"$PWD/d\" \"$PWD/none\"; do"
          "  echo \"{\\\"event\\\":\\\"result\\\",\\\"path\\\":\\\"$p\\\"}\" >&2; done");
  EXPECT_EQ(job.state, JobState::kDone);
  EXPECT_TRUE(job.results.empty());
}

TEST_F(JobsTest, ACrashIsAMessage) {
  const Job job = run("kill -SEGV $$");
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_NE(job.message.find("signal 11"), std::string::npos) << job.message;
}

TEST_F(JobsTest, AFailureSaysWhy) {
  const Job job =
      run("echo '{\"event\":\"error\",\"what\":\"has no skin\",\"where\":\"fox.glb\",\"kind\":\"input\"}' >&2; exit 1");
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.message, "fox.glb: has no skin");
}

TEST_F(JobsTest, NonsenseOnStderrIsSurvived) {
  const Job job =
      run("printf '\\377\\000{{{\\n[1]\\n{\"event\":5}\\n{\"event\":\"progress\",\"fraction\":\"x\"}\\n' >&2");
  EXPECT_EQ(job.state, JobState::kDone);
}

TEST_F(JobsTest, AreCancelledWhileTheyRunAndWhileTheyWait) {
  const std::string first = start("sleep 30").value().id, second = start("echo").value().id;
  EXPECT_TRUE(jobs->cancel(second));
  EXPECT_EQ(jobs->find(second)->state, JobState::kCancelled);
  EXPECT_TRUE(jobs->cancel(first));
  EXPECT_EQ(finished(first).state, JobState::kCancelled);
  EXPECT_EQ(jobs->find(second)->state, JobState::kCancelled);
  EXPECT_FALSE(jobs->cancel("j99"));
  EXPECT_EQ(run("true").state, JobState::kDone) << "the queue goes on";
}

TEST_F(JobsTest, TooManyAreRefused) {
  start("sleep 30").value();
  while (jobs->find("j1")->state == JobState::kQueued) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(start("true").ok());
  EXPECT_EQ(start("true").error().kind, ErrorKind::kOutOfMemory);
}

TEST_F(JobsTest, EndWithTheServer) {
  start("sleep 30").value();
  while (jobs->find("j1")->state == JobState::kQueued) std::this_thread::yield();
  const auto began = std::chrono::steady_clock::now();
  jobs.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

}  // namespace
}  // namespace limber::studio
