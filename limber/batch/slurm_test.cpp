// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/slurm.h"

#include <cstdlib>

#include "limber/batch/batch_testing.h"

namespace limber::batch {
namespace {

TEST(SlurmArrays, AreNoLargerThanTheClusterAllows) {
  EXPECT_EQ(chunk_count(100000, 32), 3125);
  EXPECT_EQ(chunk_count(1, 32), 1);
  EXPECT_EQ(chunk_count(0, 32), 0);
  const std::vector<ArrayPart> parts = split_array(3125, 1001);
  ASSERT_EQ(parts.size(), 4u);
  int next = 0;
  for (const ArrayPart& part : parts) {
    EXPECT_EQ(part.first_chunk, next);
    EXPECT_LE(part.chunks, 1001);
    next += part.chunks;
  }
  EXPECT_EQ(next, 3125);
  EXPECT_TRUE(split_array(0, 1001).empty());
}

TEST(SlurmArrays, ReadTheirLimitFromTheConfiguration) {
  EXPECT_EQ(max_array_size("A = 1\nMaxArraySize            = 1001\nMaxDBDMsgs = 20008\n").value(), 1001);
  EXPECT_FALSE(max_array_size("MaxArraySize            = 0\n").ok());
  EXPECT_FALSE(max_array_size("").ok());
}

class Slurm : public BatchTest {
 protected:
  Slurm() : results_(Results::open(folder_ / "out put").value()) {
    settings_.runner = "/opt/limber", settings_.run.program = "/opt/limber";
    settings_.chunk = 2;
  }
  /// Commands of Slurm that answer as they are told.
  void stub(const std::string& name, const std::string& body) {
    std::filesystem::permissions(write("bin/" + name, "#!/bin/sh\n" + body + "\n"), std::filesystem::perms::owner_all);
    static const std::string usual = std::getenv("PATH");
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + usual).c_str(), 1);
  }

  Results results_;
  SlurmSettings settings_;
};

TEST_F(Slurm, ScriptsSayWhatATaskDoes) {
  settings_.throttle = 7, settings_.options = {"--partition=night"};
  settings_.run.limits = {90, std::uint64_t{3} << 30};
  settings_.run.threads = 2, settings_.run.retries = 1, settings_.run.thumbnails = false;
  const std::string script = sbatch_script(results_, make_plan({item(1, "fox")}), {1001, 5}, settings_).value();
  EXPECT_EQ(script.substr(0, 10), "#!/bin/sh\n");
  EXPECT_NE(script.find("#SBATCH --array=0-4%7\n"), std::string::npos) << script;
  EXPECT_NE(script.find("#SBATCH --requeue\n"), std::string::npos);
  EXPECT_NE(script.find("#SBATCH --partition=night\n"), std::string::npos);
  EXPECT_NE(script.find("#SBATCH --cpus-per-task=2\n"), std::string::npos);
  EXPECT_NE(script.find("exec /opt/limber batch run-chunk '" + results_.folder().string() + "' --plan "),
            std::string::npos)
      << script;
  EXPECT_NE(
      script.find("--chunk 2 --first 1001 --jobs 1 --threads 2 --timeout 90 --memory 3 --retry 1 --no-thumbnails\n"),
      std::string::npos)
      << script;
}

TEST_F(Slurm, ScriptsSayAlsoThatThereIsNoLimit) {
  settings_.run.limits = {};
  const std::string script = sbatch_script(results_, make_plan({item(1, "fox")}), {0, 1}, settings_).value();
  EXPECT_NE(script.find(" --timeout 0 --memory 0"), std::string::npos) << script;
}

TEST_F(Slurm, ScriptsHaveNoLinesOfOthers) {
  const Plan plan = make_plan({item(1, "fox")});
  const Results odd = Results::open(folder_ / "out\n#SBATCH --wrap=true").value();
  const Result<std::string> script = sbatch_script(odd, plan, {0, 1}, settings_);
  ASSERT_FALSE(script.ok()) << *script;
  EXPECT_NE(script.error().what.find("line break"), std::string::npos);
  settings_.options = {"--partition=night\ntouch everything"};
  EXPECT_FALSE(sbatch_script(results_, plan, {0, 1}, settings_).ok());
}

TEST_F(Slurm, IsHandedOneArrayAfterTheOther) {
  stub("scontrol", "echo 'MaxArraySize            = 2'");
  stub("sbatch", "n=$(cat " + folder_.string() + "/count 2>/dev/null || echo 40); echo $((n + 1)) > " +
                     folder_.string() + "/count; echo 'sbatch: a warning' >&2; echo \"$((n + 1));cluster\"");
  const Plan plan = make_plan({item(1, "a"), item(2, "b"), item(3, "c"), item(4, "d"), item(5, "e")});
  EXPECT_EQ(submit(results_, plan, settings_).value(), (std::vector<std::string>{"41", "42"}));
  EXPECT_NE(read(results_.plans() / (plan.name + "-0.sh")).find("--array=0-1\n"), std::string::npos);
  EXPECT_NE(read(results_.plans() / (plan.name + "-2.sh")).find("--array=0-0\n"), std::string::npos);
  EXPECT_EQ(read_plan(results_, plan.name).value().items.size(), 5u);

  // Only 42 is still there, beside a job that is none of ours; both were given the same list.
  stub("squeue", "echo 42; echo 42; echo 7");
  const QueuedJobs queued = queued_jobs(results_).value();
  EXPECT_EQ(queued.jobs, std::set<std::string>{"42"});
  EXPECT_EQ(queued.ids.size(), 5u);
  stub("squeue", "exit 0");
  EXPECT_TRUE(queued_jobs(results_).value().ids.empty());
}

TEST_F(Slurm, ThatDoesNotAnswerIsAnError) {
  stub("scontrol", "echo 'slurm_load_ctl_conf error: Unable to contact slurm controller' >&2; exit 1");
  const auto jobs = submit(results_, make_plan({item(1, "a")}), settings_);
  ASSERT_FALSE(jobs.ok());
  EXPECT_NE(jobs.error().message().find("Unable to contact"), std::string::npos);
  EXPECT_FALSE(read_plan(results_, "../../etc/passwd").ok());
}

}  // namespace
}  // namespace limber::batch
