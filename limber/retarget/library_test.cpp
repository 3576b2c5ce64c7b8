// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/library.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "limber/asset/write.h"
#include "limber/testing/toy_assets.h"

namespace limber::retarget {
namespace {

namespace fs = std::filesystem;

class Library : public ::testing::Test {
 protected:
  Library()
      : folder_(fs::path(::testing::TempDir()) /
                ("limber_library_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "more");
    add("fox.glb", {"Run", "Run_Fast", "Idle"});
    add("more/dance_of_joy.glb", {"take 001"});
    std::ofstream(folder_ / "broken.glb") << "no model";
  }
  ~Library() override { fs::remove_all(folder_); }

  void add(const std::string& file, const std::vector<std::string>& clips) const {
    asset::Asset asset = testing::tube_asset(3);
    const asset::Clip clip = asset.clips.at(0);
    asset.clips.clear();
    for (const std::string& name : clips) asset.clips.push_back(clip), asset.clips.back().name = name;
    EXPECT_TRUE(asset::write_asset(asset, folder_ / file).ok());
  }
  std::string found(const std::vector<std::string>& words, const std::vector<std::string>& any = {}) const {
    const LibraryWish wish{words.front(), any.empty() ? words : any, words};
    const Result<std::vector<LibraryClip>> clips = find_library_clips(folder_, wish, 9);
    if (!clips.ok()) return clips.error().what;
    std::string text;
    for (const LibraryClip& clip : *clips) {
      text += (text.empty() ? "" : " ") + clip.file.filename().string() + "#" + std::to_string(clip.clip);
    }
    return text;
  }

  fs::path folder_;
};

TEST_F(Library, TheClipsThatSayMostComeFirst) {
  EXPECT_EQ(found({"run"}), "fox.glb#0 fox.glb#1");
  EXPECT_EQ(found({"runs", "fast"}), "fox.glb#1");
  EXPECT_EQ(found({"running"}), "fox.glb#0 fox.glb#1");
  EXPECT_EQ(found({"idle"}), "fox.glb#2");
}

TEST_F(Library, FilesWithOneClipAreKnownByTheirOwnName) { EXPECT_EQ(found({"dancing"}), "dance_of_joy.glb#0"); }

TEST_F(Library, OnlyWhatHasToBeSaidMakesAMatch) {
  EXPECT_EQ(found({"fox", "idle"}, {"stand still", "idle"}), "fox.glb#2");
  EXPECT_EQ(found({"fast", "sleeps"}, {"sleep"}).rfind("no clip says", 0), 0u) << "Run_Fast is fast, and no sleep";
  EXPECT_EQ(found({"dancer"}, {"joy dance"}), "dance_of_joy.glb#0") << "in any order";
  EXPECT_EQ(found({"dancer"}, {"joyous dance"}).rfind("no clip says", 0), 0u) << "all words of a phrase";
}

TEST_F(Library, LooksUntilItIsToldToStop) {
  const auto stop = [](std::string_view, double done) { return done < 0.5; };
  const auto stopped = find_library_clips(folder_, {"run", {"run"}, {"run"}}, 1, stop);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
}

TEST_F(Library, TheFilesNameSaysWhose) {
  add("bear.glb", {"Idle", "Eat"});
  EXPECT_EQ(found({"idle"}), "bear.glb#0 fox.glb#2");
  EXPECT_EQ(found({"fox", "idle"}, {"idle"}), "fox.glb#2");
  EXPECT_EQ(found({"fox", "eats"}, {"eat"}), "bear.glb#1") << "nobody else eats";
}

TEST_F(Library, WhatIsNotThereIsSaidWithWhatIs) {
  const std::string what = found({"swim"});
  EXPECT_NE(what.find("'swim'"), std::string::npos) << what;
  EXPECT_NE(what.find("Run_Fast"), std::string::npos) << what;
  EXPECT_FALSE(find_library_clips(folder_ / "nowhere", {"run", {"run"}, {"run"}}).ok());
}

}  // namespace
}  // namespace limber::retarget
