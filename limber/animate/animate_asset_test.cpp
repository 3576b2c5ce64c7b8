// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/animate_asset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "limber/animate/animate_testing.h"
#include "limber/exporter/exporter.h"

namespace limber::animate {
namespace {

using Json = nlohmann::json;

asset::Asset bare_creature() { return zoo::static_asset(stage().creature); }

asset::Asset rigged_creature() {
  asset::Asset asset = bare_creature();
  rig::Subject subject = stage().creature.subject;
  EXPECT_TRUE(exporter::add_rig(asset, subject).ok());
  return asset;
}

/// The asset below a node that turns everything: +Z is up, and what looked along +Z looks along -Y.
asset::Asset laid_down(asset::Asset asset) {
  asset::Node pivot;
  const float half = std::sqrt(0.5f);
  pivot.local.rotation = {half, 0, 0, half};
  pivot.children = asset.scenes.at(0).roots;
  asset.nodes.push_back(pivot);
  asset.scenes[0].roots = {static_cast<int>(asset.nodes.size()) - 1};
  return asset;
}

Request hasty() {
  Request request;
  request.prompt = "a fox walks";
  request.quality = Quality::kDraft;
  request.sampling.candidates = 1, request.study.most_residual = 10;
  request.study.fit_stages = hasty_fit();
  return request;
}

/// Models without files: a prior that draws the stage's walk, and no reader.
Models models_with(const std::shared_ptr<StagePrior>& prior) {
  Models models;
  models.open_prior = [prior]() -> Result<std::shared_ptr<prior::VideoPrior>> {
    return std::shared_ptr<prior::VideoPrior>(prior);
  };
  return models;
}

TEST(AnimateAsset, ShowsEverySampleAsSoonAsItIsLifted) {
  const auto prior = std::make_shared<StagePrior>();
  Request request = hasty();
  request.sampling.candidates = 2;
  std::vector<int> numbers;
  std::vector<asset::Clip> shown;
  request.on_sample = [&](const asset::Asset& preview, int number) {
    numbers.push_back(number), shown.push_back(preview.clips.back());
    EXPECT_EQ(prior->seeds.size(), numbers.size()) << "before the next one is drawn";
  };
  const AnimatedAsset result = animate_asset(rigged_creature(), models_with(prior), request).value();
  EXPECT_EQ(numbers, (std::vector<int>{1, 2}));
  // A draft is not refined: the chosen sample is what was shown.
  ASSERT_EQ(shown.size(), 2u);
  const asset::Clip& chosen = result.asset.clips[static_cast<std::size_t>(result.first_clip)];
  EXPECT_TRUE(chosen.channels == shown[0].channels || chosen.channels == shown[1].channels);
}

TEST(AnimateAsset, AddsAClipThatTellsItsOrigin) {
  const auto prior = std::make_shared<StagePrior>();
  Request request = hasty();
  request.seed = 5;
  const AnimatedAsset result = animate_asset(rigged_creature(), models_with(prior), request).value();
  EXPECT_FALSE(result.rigged);
  EXPECT_EQ(result.first_clip, 0);
  ASSERT_EQ(result.asset.clips.size(), 1u);
  const asset::Clip& clip = result.asset.clips[0];
  EXPECT_EQ(clip.name, "a fox walks");
  const Json extras = Json::parse(clip.extras).at("limber");
  EXPECT_EQ(extras.at("prompt"), "a fox walks");
  EXPECT_EQ(extras.at("seed"), 5);
  EXPECT_EQ(extras.at("quality"), "draft");
  EXPECT_EQ(extras.at("confidence").at("percent").size(), static_cast<std::size_t>(kStageFrames));
  const Json report = Json::parse(result.report);
  EXPECT_EQ(report.at("settings").at("ground"), "auto");
  EXPECT_TRUE(report.at("settings").at("guidance").is_null()) << "nobody said";
  EXPECT_EQ(report.at("frames"), result.animation.motion.frame_count());
  // The same as anyone is told who asks of the clip.
  const std::vector<mend::Checked> told = mend::score_asset(result.asset).value().clips[0].checks;
  ASSERT_EQ(result.finished.size(), told.size());
  EXPECT_NEAR(result.finished[2].value, told[2].value, 1e-3);
  EXPECT_EQ(report.at("finished").at("floor").at("value"), result.finished[2].value);
  EXPECT_TRUE(report.at("finished").at("loop").at("passed").is_null()) << "nobody asked for a loop";
}

TEST(AnimateAsset, MakesEveryCandidateThatWasAskedForAClip) {
  const auto prior = std::make_shared<StagePrior>();
  Request request = hasty();
  request.sampling.candidates = 2, request.clip_name = "go";
  asset::Asset asset = rigged_creature();
  asset.clips.emplace_back().name = "its own";
  const AnimatedAsset result = animate_asset(std::move(asset), models_with(prior), request).value();
  EXPECT_EQ(result.first_clip, 1);
  ASSERT_EQ(result.asset.clips.size(), 3u);
  EXPECT_EQ(result.asset.clips[1].name, "go");
  EXPECT_EQ(result.asset.clips[2].name, "go 2");
}

TEST(AnimateAsset, RigsWhatHasNoSkeleton) {
  const auto prior = std::make_shared<StagePrior>();
  Request request = hasty();
  double last = 0;
  std::string first;
  request.progress = [&](std::string_view stage, double fraction) {
    if (first.empty()) first = stage;
    EXPECT_GE(fraction, last - 1e-9) << stage;
    last = fraction;
    return true;
  };
  const AnimatedAsset result = animate_asset(bare_creature(), models_with(prior), request).value();
  EXPECT_TRUE(result.rigged);
  EXPECT_EQ(first, "rigging");
  EXPECT_EQ(result.asset.skins.size(), 1u);
  EXPECT_EQ(result.warnings.at(0).code, "no_reader") << "there was no reader";
}

TEST(AnimateAsset, NamesTheJointsOfANewSkeletonForAnotherProgram) {
  zoo::CreatureSettings person;
  person.plan = zoo::Plan::kBiped, person.seed = 3, person.resolution = 36;
  const asset::Asset bare = zoo::static_asset(zoo::make_creature(person).value());
  Request request = hasty();
  request.prompt = "walk", request.method = Method::kRule, request.sampling.candidates.reset();
  request.names = "mixamo";
  const AnimatedAsset result = animate_asset(bare, {}, request).value();
  EXPECT_GE(result.subject.rig.find("mixamorig:Hips"), 0) << result.subject.rig.joints()[0].name;
  EXPECT_EQ(Json::parse(result.report).at("settings").at("names"), "mixamo");
  // What has names keeps them, and so nothing would come of the wish.
  const auto refused = animate_asset(rigged_creature(), {}, request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  EXPECT_NE(refused.error().what.find("`names`"), std::string::npos);
}

/// A ball of eight triangles, of which nothing tells what it is.
asset::Asset ball() {
  asset::Asset asset;
  asset.name = "ball.glb", asset.scenes = {{"scene", {0}}}, asset.scene = 0;
  asset::Primitive primitive;
  primitive.positions = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  primitive.indices = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  asset.meshes.push_back({"ball", {primitive}, {}});
  asset::Node node;
  node.name = "ball", node.mesh = 0;
  asset.nodes.push_back(node);
  return asset;
}

TEST(AnimateAsset, PassesOnWhatIsDoubtfulOfANewRig) {
  const auto prior = std::make_shared<StagePrior>();
  const AnimatedAsset result = animate_asset(ball(), models_with(prior), hasty()).value();
  const Json report = Json::parse(result.report);
  EXPECT_EQ(report["rig"]["template"], "curve");
  EXPECT_EQ(report["rig"]["doubts"], Json({"front", "unknown kind"}));
  EXPECT_TRUE(report["facing"]["doubtful"]);
  for (const char* field : {"forward", "template"}) {
    const auto names = [&](const Warning& warning) {
      return std::any_of(warning.fields.begin(), warning.fields.end(),
                         [&](const FieldHint& hint) { return hint.field == field; });
    };
    EXPECT_EQ(std::count_if(result.warnings.begin(), result.warnings.end(), names), 1) << field;
    const auto told = [&](const Json& warning) { return warning["fields"].dump().find(field) != std::string::npos; };
    EXPECT_EQ(std::count_if(report["warnings"].begin(), report["warnings"].end(), told), 1) << field;
  }
  const AnimatedAsset rigged = animate_asset(rigged_creature(), models_with(prior), hasty()).value();
  EXPECT_TRUE(Json::parse(rigged.report)["rig"].is_null()) << "it had its own";
}

TEST(AnimateAsset, PlaysInTheFrameOfAFileWhoseUpIsNotY) {
  const auto prior = std::make_shared<StagePrior>();
  Request request = hasty();
  request.finishing.ground = Ground::kNone;  // a hasty fit moves the feet so little that it would stay in place
  const AnimatedAsset usual = animate_asset(rigged_creature(), models_with(prior), request).value();
  request.facing = rig::make_facing({0, 0, 1}, {0, -1, 0}).value();
  const AnimatedAsset lying = animate_asset(laid_down(rigged_creature()), models_with(prior), request).value();
  // The same walk, below the node that turns everything.
  const auto way = [](const AnimatedAsset& result) {
    const auto& roots = result.animation.motion.root_translations;
    return double(result.subject.asset_scale) * (roots.back() - roots.front()).cast<double>();
  };
  const Vec3d expected = way(usual), found = way(lying);
  EXPECT_GT(expected.z, 0.1 * double(usual.subject.asset_scale));
  EXPECT_LT(norm(found - Vec3d{expected.x, -expected.z, expected.y}), 0.03 * norm(expected));
  EXPECT_NEAR(norm(lying.animation.gait.velocity), norm(usual.animation.gait.velocity),
              0.03 * norm(usual.animation.gait.velocity))
      << "measured upright";
}

TEST(AnimateAsset, SaysWhatKindOfErrorItIs) {
  const auto kind = [](const Result<AnimatedAsset>& result) {
    return result.ok() ? "none" : std::string(name(result.error().kind));
  };
  Request request = hasty();
  EXPECT_EQ(kind(animate_asset(rigged_creature(), Models{}, request)), "missing") << "a prompt without a prior";
  request.video = "walk.mp4";
  EXPECT_EQ(kind(animate_asset(rigged_creature(), Models{}, request)), "conflict") << "a prompt and a video";
  request.prompt.clear(), request.sampling.candidates.reset();
  EXPECT_EQ(kind(animate_asset(rigged_creature(), Models{}, request)), "missing") << "the video is not there";
}

TEST(AnimateAsset, LooksForWhatIsNamedBeforeAnythingElse) {
  Request request = hasty();
  request.continued_clip = "walk";
  bool opened = false;
  Models models;
  models.open_prior = [&]() -> Result<std::shared_ptr<prior::VideoPrior>> {
    opened = true;
    return Error{"none", "models"};
  };
  const auto refused = [&] { return animate_asset(rigged_creature(), models, request).error().message(); };
  EXPECT_NE(refused().find("no clips"), std::string::npos) << refused();
  request.continued_clip.clear(), request.keyframes = Keyframes{"nowhere.glb", {}};
  EXPECT_NE(refused().find("nowhere.glb"), std::string::npos) << refused();
  EXPECT_FALSE(opened);
}

TEST(FindModels, SaysWhyThereIsNoPrior) {
  ModelSettings settings;
  settings.prior = "/nowhere";
  const auto prior = find_models(settings).open_prior();
  ASSERT_FALSE(prior.ok());
  EXPECT_EQ(prior.error().kind, ErrorKind::kMissing);
}

}  // namespace
}  // namespace limber::animate
