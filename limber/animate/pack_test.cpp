// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/pack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "limber/animate/animate_asset.h"
#include "limber/animate/animate_testing.h"
#include "limber/animate/pack_facts.h"
#include "limber/animate/plan.h"
#include "limber/exporter/exporter.h"

namespace limber::animate {
namespace {

using Json = nlohmann::json;
using Clips = std::vector<std::string>;

asset::Asset rigged_creature() {
  asset::Asset asset = zoo::static_asset(stage().creature);
  rig::Subject subject = stage().creature.subject;
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  return asset;
}

Models models_with(const std::shared_ptr<StagePrior>& prior) {
  Models models;
  models.open_prior = [prior]() -> Result<std::shared_ptr<prior::VideoPrior>> {
    return std::shared_ptr<prior::VideoPrior>(prior);
  };
  return models;
}

Request hasty(const Clips& clips) {
  Request request;
  request.clips = clips;
  request.quality = Quality::kDraft;
  request.study.most_residual = 10, request.study.fit_stages = hasty_fit();
  return request;
}

/// Without any network.
Request by_rule(const Clips& clips) {
  Request request;
  request.clips = clips, request.method = Method::kRule, request.finishing.ground = Ground::kLock;
  return request;
}

TEST(Pack, IsReadFromATextAndSaidBack) {
  EXPECT_EQ(split_clips("walk, run ,idle"), (Clips{"walk", "run", "idle"}));
  EXPECT_EQ(split_clips("walks, then sits; idle;"), (Clips{"walks, then sits", "idle"}));
  EXPECT_EQ(split_clips(" , ,"), Clips{});
  for (const Clips& clips : {Clips{"walk", "run"}, Clips{"walks, then sits", "idle"}, Clips{"walks, then sits"}}) {
    EXPECT_EQ(split_clips(join_clips(clips)), clips);
  }
}

TEST(Pack, LoopsWhatIsDoneOverAndOver) {
  for (const char* prompt : {"walk", "a fox trots", "idle", "it flies"}) EXPECT_TRUE(is_cyclic(prompt)) << prompt;
  for (const char* prompt : {"jump", "a fox attacks", "walks, then sits", "it yodels"}) {
    EXPECT_FALSE(is_cyclic(prompt)) << prompt;
  }
  const Request request = hasty({"walk", "jump"});
  EXPECT_TRUE(clip_request(request, 0).finishing.loop);
  EXPECT_FALSE(clip_request(request, 1).finishing.loop);
  EXPECT_EQ(clip_request(request, 1).prompt, "jump");
}

TEST(Pack, RefusesWhatIsAboutOneClipAndNamesBoth) {
  const auto refusal = [](const std::string& field, const std::string& text) {
    Wishes wishes;
    wishes.kept_beside = true;
    EXPECT_TRUE(set(*find_field("clips"), "walk,run", wishes).ok());
    const bool taken = field.empty() || set(*find_field(field), text, wishes).ok();
    EXPECT_TRUE(taken) << field;
    const auto found = find_refusal(wishes, ModelsInfo{true});
    EXPECT_EQ(make_plan(wishes, ModelsInfo{true}).ok(), false) << "it is several plans";
    return found ? found->field + "/" + found->other : "none";
  };
  EXPECT_EQ(refusal("", ""), "none");
  EXPECT_EQ(refusal("prompt", "it sits"), "clips/prompt");
  EXPECT_EQ(refusal("video", "fox.mp4"), "clips/video");
  EXPECT_EQ(refusal("continue", "walk"), "clips/continue");
  EXPECT_EQ(refusal("keyframes", "poses.glb"), "clips/keyframes");
  EXPECT_EQ(refusal("name", "go"), "clips/name");
  EXPECT_EQ(refusal("loop", "true"), "clips/loop");
  EXPECT_EQ(refusal("samples", "s.glb"), "clips/samples");
  EXPECT_EQ(refusal("losses", "l.csv"), "clips/losses");
  EXPECT_EQ(refusal("preview_every", "3"), "clips/preview_every");
  EXPECT_EQ(refusal("in_place", "true"), "none");
  EXPECT_EQ(refusal("seed", "7"), "none");
  // What is wrong with each clip is said of the field that a person wrote.
  EXPECT_EQ(refusal("clips", "!!!"), "clips/clips");
  EXPECT_EQ(refusal("anyway", "true"), "anyway/clips");
}

TEST(Pack, TakesNoMoreClipsThanAnybodyNeeds) {
  Wishes wishes;
  std::string many;
  for (std::size_t i = 0; i <= kMostClips; ++i) many += "walk,";
  EXPECT_FALSE(set(*find_field("clips"), many, wishes).ok());
  EXPECT_TRUE(wishes.request.clips.empty());
  EXPECT_FALSE(set(*find_field("clips"), ",", wishes).ok());
}

TEST(Pack, GivesEachClipTheBitsThatItHasAlone) {
  const Clips prompts{"a fox walks", "it sits"};
  Request request = hasty(prompts);
  request.seed = 5;
  const AnimatedAsset pack =
      animate_asset(rigged_creature(), models_with(std::make_shared<StagePrior>()), request).value();
  ASSERT_EQ(pack.pack.size(), 2u);
  ASSERT_EQ(pack.asset.clips.size(), 2u);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    Request alone = hasty({});
    alone.prompt = prompts[i], alone.seed = 5, alone.finishing.loop = i == 0;
    const AnimatedAsset one =
        animate_asset(rigged_creature(), models_with(std::make_shared<StagePrior>()), alone).value();
    const asset::Clip &packed = pack.asset.clips[i], &single = one.asset.clips.at(0);
    EXPECT_EQ(packed.name, single.name);
    EXPECT_TRUE(packed.channels == single.channels) << prompts[i];
    EXPECT_EQ(packed.extras, single.extras);
    EXPECT_EQ(pack.pack[i].warnings.size(), one.warnings.size()) << prompts[i];
    EXPECT_EQ(pack.pack[i].animation.motion.loops, one.animation.motion.loops);
  }
  EXPECT_TRUE(pack.pack[0].animation.motion.loops);
  EXPECT_FALSE(pack.pack[1].animation.motion.loops);
}

TEST(Pack, OpensModelsOnceAndTellsWhichClipIsAtWork) {
  Request request = hasty({"a fox walks", "it sits"});
  int opened = 0;
  const auto prior = std::make_shared<StagePrior>();
  Models models;
  models.open_prior = [&]() -> Result<std::shared_ptr<prior::VideoPrior>> {
    ++opened;
    return std::shared_ptr<prior::VideoPrior>(prior);
  };
  double last = 0;
  bool second = false;
  request.progress = [&](std::string_view stage, double fraction) {
    EXPECT_GE(fraction, last - 1e-9) << stage;
    last = fraction;
    second = second || stage.rfind("it sits (2 of 2): ", 0) == 0;
    return true;
  };
  ASSERT_TRUE(animate_asset(rigged_creature(), models, request).ok());
  EXPECT_TRUE(second);
  EXPECT_LE(last, 1 + 1e-9);
  // `find_models` keeps what it opened; this one does not.
  EXPECT_EQ(opened, 2);
  request.progress = [&](std::string_view stage, double) { return stage.rfind("it sits", 0) != 0; };
  EXPECT_EQ(animate_asset(rigged_creature(), models, request).error().kind, ErrorKind::kCancelled);
}

TEST(Pack, DoesNotLoseTheOthersToOneThatFails) {
  asset::Asset asset = rigged_creature();
  asset.clips.emplace_back().name = "its own";
  const AnimatedAsset result = animate_asset(asset, {}, by_rule({"it yodels", "walk", "walk"})).value();
  ASSERT_EQ(result.pack.size(), 3u);
  EXPECT_FALSE(result.pack[0].clip);
  EXPECT_FALSE(result.pack[0].failed.empty());
  EXPECT_EQ(result.first_clip, 1);
  EXPECT_EQ(result.pack[1].clip, 1);
  EXPECT_EQ(result.pack[2].clip, 2);
  ASSERT_EQ(result.asset.clips.size(), 3u);
  EXPECT_NE(result.asset.clips[1].name, result.asset.clips[2].name);
  ASSERT_TRUE(has_code(result.warnings, "clip_failed"));
  EXPECT_NE(in_words(result.pack[0].warnings.at(0)).find("it yodels"), std::string::npos);
  const Json report = Json::parse(result.report);
  EXPECT_TRUE(report["clips"][0]["clip"].is_null());
  EXPECT_EQ(report["clips"][0]["failed"], result.pack[0].failed);
  for (const Json& step : report["transitions"]) EXPECT_NE(step["from"], "it yodels");
  EXPECT_FALSE(animate_asset(asset, {}, by_rule({"it yodels", "it juggles"})).ok()) << "there is nothing to write";
}

TEST(Pack, TellsAGameWhatItHasToKnow) {
  Request request = by_rule({"walk", "jump"});
  const AnimatedAsset result = animate_asset(rigged_creature(), {}, request).value();
  const Json report = Json::parse(result.report), walk = report["clips"][0], jump = report["clips"][1];
  EXPECT_EQ(walk["name"], "walk");
  EXPECT_EQ(walk["actions"], Json({"walk"}));
  EXPECT_TRUE(walk["loops"]);
  EXPECT_FALSE(jump["loops"]);
  EXPECT_EQ(walk["root"], "root motion");
  EXPECT_NEAR(walk["seconds"].get<double>(), walk["frames"].get<double>() / walk["fps"].get<double>(), 1e-9);
  EXPECT_GT(walk["speed_heights_per_s"].get<double>(), 0.1);
  EXPECT_NEAR(walk["speed_m_per_s"].get<double>(),
              walk["speed_heights_per_s"].get<double>() * double(result.subject.asset_scale), 1e-3);
  // Four feet, each once in a round of a walk.
  const double rounds = walk["seconds"].get<double>() * walk["cycles_per_s"].get<double>();
  EXPECT_EQ(static_cast<long>(walk["footfalls"].size()), 4 * std::lround(rounds)) << walk["footfalls"].dump();
  std::set<std::string> feet;
  for (const Json& fall : walk["footfalls"]) {
    feet.insert(fall["joint"]);
    EXPECT_LT(fall["seconds"], walk["seconds"]);
  }
  EXPECT_EQ(feet.size(), 4u);
  for (const Json& clip : {walk, jump}) {
    EXPECT_NEAR(clip["start"]["side"].get<double>(), 0, 1e-4) << "clips of one body begin at one place";
    EXPECT_NEAR(clip["start"]["ahead"].get<double>(), 0, 1e-4);
    EXPECT_NEAR(clip["start"]["heading_deg"].get<double>(), 0, 15);
  }
  // Walk to jump, jump to walk, jump to itself.
  ASSERT_EQ(report["transitions"].size(), 3u);
  for (const Json& step : report["transitions"]) {
    EXPECT_LE(step["nearest"], step["end_to_start"]);
    EXPECT_EQ(step["follows"], step["nearest"] <= kFollows);
  }
}

TEST(Pack, KeepsLoopsInPlaceAroundWhereTheBodyStands) {
  Request request = by_rule({"walk", "run"});
  request.finishing.in_place = true;
  const AnimatedAsset result = animate_asset(rigged_creature(), {}, request).value();
  for (const PackedClip& clip : result.pack) {
    Vec3d middle;
    for (const Vec3& place : clip.animation.motion.root_translations) middle += place.cast<double>();
    middle = (1.0 / clip.animation.motion.frame_count()) * middle;
    EXPECT_NEAR(middle.x, 0, 1e-4) << clip.prompt;
    EXPECT_NEAR(middle.z, 0, 1e-4) << clip.prompt;
  }
  EXPECT_EQ(Json::parse(result.report)["clips"][0]["root"], "in place");
  EXPECT_GT(Json::parse(result.report)["clips"][0]["speed_heights_per_s"], 0.1) << "how fast the ground goes by";
}

TEST(Pack, FindsWhereClipsAreNearest) {
  const auto clip = [](std::initializer_list<float> heights) {
    ClipPoses poses;
    for (const float height : heights) {
      poses.seconds.push_back(static_cast<double>(poses.seconds.size()));
      poses.poses.push_back({{0, height, 0}, {0, height, 0}});
    }
    return poses;
  };
  const ClipPoses low = clip({0, 1, 2}), high = clip({5, 3, 4});
  const Transition once = transition(low, false, high, false);
  EXPECT_DOUBLE_EQ(once.end_to_start, 3);
  EXPECT_DOUBLE_EQ(once.nearest, 3);
  const Transition loops = transition(low, true, high, true);
  EXPECT_DOUBLE_EQ(loops.end_to_start, 5) << "the end of a loop is its beginning";
  EXPECT_DOUBLE_EQ(loops.nearest, 1);
  EXPECT_DOUBLE_EQ(loops.leave, 2);
  EXPECT_DOUBLE_EQ(loops.enter, 1);
}

TEST(Pack, KeepsTheRunOfEachClipAtAPlaceOfItsOwn) {
  Request request = hasty({"a fox walks", "a fox sits"});
  request.checkpoint = Checkpoint{"out.checkpoint", 60};
  const auto first = clip_request(request, 0).checkpoint->file, second = clip_request(request, 1).checkpoint->file;
  EXPECT_NE(first, second);
  EXPECT_EQ(first.string().rfind("out.checkpoint-a_fox_walks-", 0), 0u) << first;
  EXPECT_NE(clip_checkpoint("c", std::string(60, 'a')), clip_checkpoint("c", std::string(61, 'a')));
  EXPECT_EQ(clip_checkpoint("c", "läuft/../x").string().find('/'), std::string::npos);
}

}  // namespace
}  // namespace limber::animate
