// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/job_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/animate/fields.h"

namespace limber::studio {
namespace {

Asset fox() {
  Asset asset;
  asset.id = "a1", asset.name = "fox.glb", asset.file = "/shelf/a1/file.glb";
  return asset;
}

std::optional<Asset> find(const std::string& id) {
  if (id != "a2") return std::nullopt;
  Asset video;
  video.id = "a2", video.name = "dog.mp4", video.kind = AssetKind::kVideo, video.file = "/shelf/a2/file.mp4";
  return video;
}

Result<JobPlan> plan(const std::string& task, const Json& options) {
  return plan_job({task, fox(), options}, "/job", find);
}

bool has(const JobPlan& plan, const std::string& word) {
  return std::find(plan.arguments.begin(), plan.arguments.end(), word) != plan.arguments.end();
}

std::string refused(const std::string& task, const Json& options) {
  const Result<JobPlan> made = plan(task, options);
  return made.ok() ? "taken" : made.error().where;
}

TEST(JobPlan, SaysOptionsAsTheCommandLineHasThem) {
  const JobPlan made = plan("animate", {{"prompt", "-o /etc/passwd"},
                                        {"quality", "draft"},
                                        {"seed", 7},
                                        {"loop", true},
                                        {"in_place", false},
                                        {"seconds", 2.5}})
                           .value();
  EXPECT_EQ(made.arguments[0], "animate");
  EXPECT_EQ(made.arguments[1], "/shelf/a1/file.glb");
  for (const char* word : {"--prompt=-o /etc/passwd", "--quality=draft", "--seed=7", "--loop", "--seconds=2.5",
                           "--json", "--progress=json", "--samples=/job/sample.glb"}) {
    EXPECT_TRUE(has(made, word)) << word;
  }
  EXPECT_FALSE(has(made, "--in-place"));
  EXPECT_EQ(made.label, "-o /etc/passwd");
}

TEST(JobPlan, TakesEveryFieldOfAnimateButPathsAndWhatTheServerKeeps) {
  for (const animate::Field& field : animate::fields()) {
    Json value = "another";
    if (field.type == FieldType::kFlag) value = true;
    if (field.type == FieldType::kWhole || field.type == FieldType::kNumber) value = 5;
    if (field.type == FieldType::kDirection) value = "+z";
    if (field.type == FieldType::kChoice) value = split_choices(field.choices).back();
    const bool sent = field.name == std::string("video") || field.name == std::string("keyframes");
    if (sent) value = field.name == std::string("video") ? "a2" : "sent beside";
    const bool path = field.type == FieldType::kFile || field.type == FieldType::kFolder;
    const bool own = field.owner == animate::FieldOwner::kRun || field.owner == animate::FieldOwner::kFiles;
    const bool taken = refused("animate", {{field.name, value}}) == "taken";
    EXPECT_EQ(taken, !own && (!path || sent)) << field.name;
    if (!taken || sent) continue;
    const std::vector<std::string> words = plan("animate", {{field.name, value}}).value().arguments;
    const std::string flag = "--" + dashed(field.name);
    EXPECT_TRUE(std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word.rfind(flag, 0) == 0;
    })) << flag;
  }
}

TEST(JobPlan, ShowsSamplesWhereThereAreAny) {
  EXPECT_TRUE(has(plan("animate", {{"prompt", "it walks"}, {"method", "auto"}}).value(), "--samples=/job/sample.glb"));
  EXPECT_FALSE(has(plan("animate", {{"prompt", "it walks"}, {"method", "akd"}}).value(), "--samples=/job/sample.glb"));
  EXPECT_FALSE(has(plan("animate", {{"video", "a2"}}).value(), "--samples=/job/sample.glb"));
}

TEST(JobPlan, TakesPacksAsATextOrAList) {
  const JobPlan made = plan("animate", {{"clips", {"walk", "walks, then sits"}}}).value();
  EXPECT_TRUE(has(made, "--clips=walk"));
  EXPECT_TRUE(has(made, "--clips=walks, then sits;")) << "the list has its own separators";
  EXPECT_FALSE(has(made, "--samples=/job/sample.glb")) << "that is a file of one motion";
  EXPECT_TRUE(has(plan("animate", {{"clips", "walk,run"}}).value(), "--clips=walk,run"));
  EXPECT_EQ(refused("animate", {{"clips", {"walk", 5}}}), "options.clips");
  EXPECT_EQ(refused("animate", {{"prompt", {"walk", "run"}}}), "options.prompt");
}

TEST(JobPlan, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refused("animate", {{"output", "/etc/passwd"}}), "options.output");
  EXPECT_EQ(refused("inspect", {{"up", "+z"}}), "options.up");
  EXPECT_EQ(refused("rig", {{"--up", "+z"}}), "options.--up");
  EXPECT_EQ(refused("nothing", Json::object()), "do");
  EXPECT_EQ(refused("rig", Json::array()), "options");
}

TEST(JobPlan, RefusesValuesOfAnotherTypeOrRange) {
  EXPECT_EQ(refused("animate", {{"prompt", 5}}), "options.prompt");
  EXPECT_EQ(refused("animate", {{"prompt", ""}}), "options.prompt");
  EXPECT_EQ(refused("animate", {{"prompt", std::string("a\0b", 3)}}), "options.prompt");
  EXPECT_EQ(refused("animate", {{"prompt", std::string(2000, 'a')}}), "options.prompt");
  EXPECT_EQ(refused("animate", {{"seed", 1.5}}), "options.seed");
  EXPECT_EQ(refused("animate", {{"seed", -1}}), "options.seed");
  EXPECT_EQ(refused("animate", {{"seconds", 1e9}}), "options.seconds");
  EXPECT_EQ(refused("animate", {{"quality", "perfect"}}), "options.quality");
  EXPECT_EQ(refused("animate", {{"loop", "yes"}}), "options.loop");
  EXPECT_EQ(refused("animate", {{"video", "a9"}}), "options.video");
  EXPECT_EQ(refused("animate", {{"video", "/etc/passwd"}}), "options.video");
  EXPECT_EQ(refused("rig", {{"up", "sideways"}}), "options.up");
  EXPECT_EQ(refused("rig", {{"up", {0, 0, 0}}}), "options.up");
  EXPECT_EQ(refused("rig", {{"template", "../x"}}), "options.template");
  EXPECT_EQ(refused("clip", {{"trim", {1}}}), "options.trim");
  EXPECT_EQ(refused("export", Json::object()), "options.format");
  EXPECT_EQ(refused("export", {{"format", "exe"}}), "options.format");
}

TEST(JobPlan, FindsVideosById) {
  const JobPlan made = plan("animate", {{"video", "a2"}}).value();
  EXPECT_TRUE(has(made, "--video=/shelf/a2/file.mp4"));
}

TEST(JobPlan, TakesDirectionsAsWordsOrNumbers) {
  EXPECT_TRUE(has(plan("rig", {{"up", "+z"}}).value(), "--up=+z"));
  EXPECT_TRUE(has(plan("rig", {{"forward", {0, 0, -1}}}).value(), "--forward=0.0,0.0,-1.0"));
}

TEST(JobPlan, NeedsAModelThatIsReady) {
  JobRequest request{"rig", fox(), Json::object()};
  request.asset->ready = false;
  EXPECT_EQ(plan_job(request, "/job", find).error().kind, ErrorKind::kConflict);
  request.asset->ready = true, request.asset->kind = AssetKind::kVideo;
  EXPECT_FALSE(plan_job(request, "/job", find).ok());
  request.asset.reset();
  EXPECT_EQ(plan_job(request, "/job", find).error().kind, ErrorKind::kMissing);
}

TEST(JobPlan, BodiesAreJsonThatAMachineHolds) {
  EXPECT_EQ(parse_body(R"({"do": "zoo", "options": {"seed": 3}})").value()["options"]["seed"], 3);
  for (const char* text : {"", "{", "{\"seed\": 1e999}", "{\"seed\": -1e999}", "[1e400]"}) {
    const Result<Json> body = parse_body(text);
    ASSERT_FALSE(body.ok()) << text;
    EXPECT_EQ(body.error().kind, ErrorKind::kInput);
  }
  EXPECT_EQ(parse_body(R"({"seed": 1e999})").error().what, "has a number that is too large");
  EXPECT_FALSE(parse_body(std::string(100'000, '[')).ok());
}

TEST(JobPlan, EveryExampleIsACreature) {
  for (const Example& example : examples()) {
    const JobRequest request{"zoo", std::nullopt, {{"body", example.body}, {"action", example.action}}};
    EXPECT_TRUE(plan_job(request, "/job", find).ok()) << example.name;
  }
  EXPECT_FALSE(plan_job({"zoo", std::nullopt, {{"body", "nonsense"}}}, "/job", find).ok());
}

TEST(JobPlan, CarriesAClipOverFromAnotherModelThatTheServerHas) {
  const auto find_dog = [](const std::string& id) -> std::optional<Asset> {
    if (id != "a3" && id != "a4") return find(id);
    Asset dog;
    dog.id = id, dog.name = "dog walks.bvh", dog.file = "/shelf/" + id + "/file.glb", dog.ready = id == "a3";
    return dog;
  };
  const auto carry = [&](const Json& options) { return plan_job({"retarget", fox(), options}, "/job", find_dog); };
  const JobPlan made = carry({{"source", "a3"}, {"clip", "Walk"}, {"name", "Stroll"}, {"loop", true}}).value();
  EXPECT_EQ(made.arguments[0], "retarget");
  EXPECT_EQ(made.arguments[1], "/shelf/a3/file.glb");
  EXPECT_EQ(made.arguments[2], "/shelf/a1/file.glb");
  for (const char* word : {"--clip=Walk", "--name=Stroll", "--loop", "-o", "/job/result.glb"}) {
    EXPECT_TRUE(has(made, word)) << word;
  }
  EXPECT_EQ(made.label, "dog walks");
  EXPECT_EQ(carry({{"source", "a4"}}).error().kind, ErrorKind::kConflict);
  for (const Json& source : {Json("a2"), Json("/etc/passwd"), Json(3), Json()}) {
    EXPECT_EQ(carry({{"source", source}}).error().where, "options.source") << source;
  }
}

TEST(JobPlan, ChecksAndMendsAClip) {
  const JobPlan score = plan("score", {{"clip", "Walk"}, {"up", "+z"}}).value();
  EXPECT_EQ(score.arguments[0], "score");
  EXPECT_TRUE(has(score, "--clip=Walk"));
  EXPECT_TRUE(has(score, "--up=+z"));
  EXPECT_FALSE(has(score, "-o"));
  const JobPlan mend = plan("mend", {{"clip", "Walk"}, {"loop", true}, {"floor", true}, {"flips", false}}).value();
  EXPECT_EQ(mend.arguments[0], "mend");
  EXPECT_EQ(mend.label, "mended");
  for (const char* word : {"--clip=Walk", "--loop", "--floor", "-o", "/job/result.glb"}) {
    EXPECT_TRUE(has(mend, word)) << word;
  }
  EXPECT_FALSE(has(mend, "--flips"));
  EXPECT_EQ(refused("mend", {{"clip", "Walk"}, {"loop", false}}), "options");
  EXPECT_EQ(refused("mend", {{"loop", "yes"}}), "options.loop");
  EXPECT_EQ(refused("score", {{"loop", true}}), "options.loop");
}

TEST(JobPlan, EveryFormatHasItsCommand) {
  for (const char* format : {"glb", "fbx", "bvh"}) {
    EXPECT_EQ(plan("export", {{"format", format}}).value().arguments[0], "convert") << format;
  }
  for (const char* format : {"mp4", "gif", "webp", "png"}) {
    const JobPlan made = plan("export", {{"format", format}, {"clip", "#0"}, {"width", 320}, {"height", 240}}).value();
    EXPECT_EQ(made.arguments[0], "render");
    EXPECT_TRUE(has(made, "--size=320x240"));
  }
  EXPECT_EQ(plan("export", {{"format", "mjcf"}}).value().result_file, "export.xml");
}

}  // namespace
}  // namespace limber::studio
