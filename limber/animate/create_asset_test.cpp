// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/create_asset.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "limber/asset/write.h"
#include "limber/base/files.h"
#include "limber/rig/subject.h"
#include "limber/zoo/creature.h"

namespace limber::animate {
namespace {

namespace fs = std::filesystem;

CreateSettings coarse() {
  CreateSettings settings;
  settings.resolution = 24;
  return settings;
}

TEST(CreateAsset, MakesABodyThatCanBeMoved) {
  const Created created = create_asset("a small red dragon with fur", coarse()).value();
  ASSERT_TRUE(created.described);
  EXPECT_EQ(created.described->noun, "dragon");
  ASSERT_EQ(created.warnings.size(), 1u);
  EXPECT_NE(in_words(created.warnings[0]).find("fur"), std::string::npos);
  const rig::Subject subject = rig::subject_from_asset(created.asset).value();
  EXPECT_GT(subject.rig.joint_count(), 10);
  // The rig is as large as the mesh: its joints are within.
  EXPECT_NEAR(double(subject.asset_scale), created.described->metres, 0.6 * created.described->metres);
  CreateSettings bare = coarse();
  bare.rigged = false;
  EXPECT_TRUE(create_asset("a dog", bare)->asset.skins.empty());
  EXPECT_EQ(create_asset("a dgo", coarse()).error().where, "words");
}

TEST(CreateAsset, SplitsACommandAndPutsWordsInWithoutAShell) {
  const auto split = [](const std::string& command, const std::string& words = "a dog; rm -rf \"$HOME\"") {
    return generator_arguments(command, words, "/tmp/m.glb").value();
  };
  using Arguments = std::vector<std::string>;
  const std::string words = "a dog; rm -rf \"$HOME\"";
  EXPECT_EQ(split("gen"), (Arguments{"gen", words, "/tmp/m.glb"}));
  EXPECT_EQ(split("python3 'my gen.py' --text {words} --out={output}"),
            (Arguments{"python3", "my gen.py", "--text", words, "--out=/tmp/m.glb"}));
  EXPECT_EQ(split("gen {output}"), (Arguments{"gen", "/tmp/m.glb"}));
  EXPECT_EQ(split("gen {words} {output}", "a {output}"), (Arguments{"gen", "a {output}", "/tmp/m.glb"}));
  EXPECT_FALSE(generator_arguments("gen 'open", "a", "b").ok());
  EXPECT_FALSE(generator_arguments("  ", "a", "b").ok());
}

/// A program that copies a model, or does not.
class Generator : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("limber_generator_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
    model_ = folder_ / "made.glb";
    ASSERT_TRUE(asset::write_asset(create_asset("a dog", coarse())->asset, model_).ok());
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Result<Created> by(const std::string& command) {
    CreateSettings settings;
    settings.command = command, settings.most_seconds = 5;
    return create_asset("a teapot", settings);
  }
  static std::string refused(const std::string& command) {
    const Result<Created> created = by(command);
    return created.ok() ? "taken" : created.error().message();
  }

  fs::path folder_, model_;
};

TEST_F(Generator, MayBeAnyProgramThatWritesAModel) {
  const Created created = by("cp " + model_.string() + " {output}").value();
  EXPECT_FALSE(created.described);
  EXPECT_EQ(created.asset.meshes.size(), 1u);
}

TEST_F(Generator, IsEndedWhenSomebodySaysStop) {
  const std::atomic<int> stop{1};
  CreateSettings settings;
  settings.command = "sleep 300", settings.stop = &stop;
  EXPECT_EQ(create_asset("a teapot", settings).error().kind, ErrorKind::kCancelled);
}

TEST_F(Generator, IsToldOfInWordsWhereItFails) {
  EXPECT_NE(refused("sh -c 'echo out of luck >&2; exit 3'").find("exit code 3: out of luck"), std::string::npos)
      << refused("sh -c 'echo out of luck >&2; exit 3'");
  EXPECT_NE(refused("true").find("wrote no model"), std::string::npos) << refused("true");
  EXPECT_NE(refused("no-such-program-here").find("no-such-program-here"), std::string::npos);
  EXPECT_NE(refused("cp /etc/passwd {output}").find("no model"), std::string::npos)
      << refused("cp /etc/passwd {output}");
  EXPECT_NE(refused("sleep 60").find("exit code 1"), std::string::npos) << "what is put at the end is no number";
  EXPECT_NE(refused("sh -c 'sleep 60' {words}").find("longer than 5 s"), std::string::npos);
}

}  // namespace
}  // namespace limber::animate
