// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/library_motion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "limber/animate/animate_subject.h"
#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/zoo/action.h"

namespace limber::animate {
namespace {

namespace fs = std::filesystem;

zoo::Creature make(zoo::Plan plan, std::uint64_t seed) { return zoo::make_creature({plan, seed, 28}).value(); }

/// Creatures that walk, and what else they do, in files of their own.
class LibraryMotionTest : public ::testing::Test {
 protected:
  LibraryMotionTest()
      : folder_(
            fs::path(::testing::TempDir()) /
            ("limber_library_motion_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~LibraryMotionTest() override { fs::remove_all(folder_); }

  void add(const std::string& file, zoo::Creature creature, const std::vector<zoo::Action>& actions) const {
    asset::Asset asset = zoo::static_asset(creature);
    ASSERT_TRUE(exporter::add_rig(asset, creature.subject).ok());
    for (const zoo::Action action : actions) {
      zoo::ActionSettings settings;
      settings.action = action, settings.frames = 24;
      const kinematics::Motion motion = zoo::perform(creature, settings).value().motion;
      ASSERT_TRUE(exporter::add_clip(asset, creature.subject, motion, {.name = std::string(zoo::name(action))}).ok());
    }
    ASSERT_TRUE(asset::write_asset(asset, folder_ / file).ok());
  }
  Request asked(const std::string& prompt) const {
    Request request;
    request.prompt = prompt, request.library = folder_, request.quality = Quality::kDraft;
    return request;
  }

  fs::path folder_;
};

TEST_F(LibraryMotionTest, TakesTheClipOfTheBodyThatIsMostAlike) {
  add("a_bird.glb", make(zoo::Plan::kBird, 3), {zoo::Action::kWalk, zoo::Action::kFly});
  add("b_dog.glb", make(zoo::Plan::kQuadruped, 3), {zoo::Action::kWalk, zoo::Action::kTrot});
  const rig::Subject fox = make(zoo::Plan::kQuadruped, 8).subject, gull = make(zoo::Plan::kBird, 8).subject;
  const LibraryMotion walk = library_motion(fox, folder_, "a fox walks").value();
  EXPECT_EQ(walk.taken.file.filename(), "b_dog.glb");
  EXPECT_EQ(walk.taken.clip, "walk");
  EXPECT_NE(walk.taken.limbs.find("the same"), std::string::npos) << walk.taken.limbs;
  EXPECT_EQ(walk.motion.joint_count, fox.rig.joint_count());
  EXPECT_TRUE(walk.motion.loops) << "walks go on";
  EXPECT_EQ(library_motion(gull, folder_, "a gull strolls")->taken.file.filename(), "a_bird.glb");
}

TEST_F(LibraryMotionTest, IsFinishedLikeAnyMotion) {
  add("dog.glb", make(zoo::Plan::kQuadruped, 3), {zoo::Action::kWalk});
  const rig::Subject fox = make(zoo::Plan::kQuadruped, 8).subject;
  Request request = asked("a fox walks");
  request.finishing.loop = request.finishing.in_place = true, request.finishing.fps = 24;
  const Animation animation = follow_library(fox, request).value();
  EXPECT_EQ(animation.method, Method::kLibrary);
  EXPECT_TRUE(animation.motion.loops);
  EXPECT_EQ(animation.motion.fps, 24);
  ASSERT_TRUE(animation.grounded.has_value());
  EXPECT_LT(animation.metrics.skate, 0.05f);
  const std::vector<Vec3>& path = animation.motion.root_translations;
  EXPECT_LT(std::abs(path.back().z - path.front().z), 0.1f);
  EXPECT_EQ(animation.segments.at(0).asked.actions, std::vector<std::string>{"walk"});
}

TEST_F(LibraryMotionTest, AClipThatStopsAFrameBeforeItsBeginningIsALoop) {
  const zoo::Creature dog = make(zoo::Plan::kQuadruped, 3);
  zoo::ActionSettings settings;
  settings.action = zoo::Action::kWalk, settings.frames = 24;
  kinematics::Motion walk = zoo::perform(dog, settings).value().motion;
  walk.loops = false;  // written as it is, without the first frame at its end
  asset::Asset asset = zoo::static_asset(dog);
  rig::Subject subject = dog.subject;
  ASSERT_TRUE(exporter::add_rig(asset, subject).ok());
  ASSERT_TRUE(exporter::add_clip(asset, subject, walk, {.name = "Walk"}).ok());
  ASSERT_TRUE(asset::write_asset(asset, folder_ / "dog.glb").ok());
  const rig::Subject fox = make(zoo::Plan::kQuadruped, 8).subject;
  const LibraryMotion found = library_motion(fox, folder_, "a fox walks").value();
  EXPECT_TRUE(found.motion.loops);
  EXPECT_EQ(found.motion.frame_count(), walk.frame_count());
}

TEST_F(LibraryMotionTest, SaysWhatIsNotThere) {
  add("dog.glb", make(zoo::Plan::kQuadruped, 3), {zoo::Action::kWalk});
  const rig::Subject fox = make(zoo::Plan::kQuadruped, 8).subject;
  const Result<Animation> missing = follow_library(fox, asked("a fox dances"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::kMissing);
  EXPECT_NE(missing.error().what.find("'a fox dances'"), std::string::npos) << missing.error().what;
  EXPECT_EQ(follow_library(fox, asked("a fox walks, then sits")).error().kind, ErrorKind::kUnsupported);
  const Result<Animation> unlike = follow_library(make(zoo::Plan::kFish, 8).subject, asked("a fish walks"));
  ASSERT_FALSE(unlike.ok());
  EXPECT_EQ(unlike.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(unlike.error().what.find("cannot be carried over"), std::string::npos) << unlike.error().what;
  EXPECT_EQ(unlike.error().what.find("map"), std::string::npos) << unlike.error().what;
}

TEST(LibraryWish, IsTheActionByAnyWordForIt) {
  const auto any = [](const std::string& prompt, const std::string& word) {
    const std::vector<std::string> all = library_wish(prompt).any;
    return std::find(all.begin(), all.end(), word) != all.end();
  };
  EXPECT_TRUE(any("a fox strolls", "walk"));
  EXPECT_TRUE(any("it lies down", "lie down"));
  EXPECT_TRUE(any("a knight swings a sword", "swing sword"));
  EXPECT_FALSE(any("a fox walks", "fox"));
  EXPECT_EQ(library_wish("a fox tangos wildly").any, (std::vector<std::string>{"tangos", "wildly"}));
  EXPECT_EQ(library_wish("tango").any, std::vector<std::string>{"tango"});
  EXPECT_EQ(library_wish("the tango").any, std::vector<std::string>{"tango"});
  EXPECT_EQ(library_wish("a fox walks fast").words, (std::vector<std::string>{"fox", "walks", "fast"}));
}

}  // namespace
}  // namespace limber::animate
