// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/request.h"

#include <gtest/gtest.h>

#include "limber/animate/plan.h"

namespace limber::animate {
namespace {

Request walk() {
  Request request;
  request.prompt = "a fox walks";
  return request;
}

TEST(Request, NamesReadBack) {
  for (const Quality quality : {Quality::kDraft, Quality::kStandard, Quality::kBest}) {
    EXPECT_EQ(quality_named(name(quality)), quality);
  }
  for (const Ground ground : {Ground::kAuto, Ground::kNone, Ground::kLock, Ground::kSimulate}) {
    EXPECT_EQ(ground_named(name(ground)), ground);
  }
  EXPECT_FALSE(quality_named("superb"));
  EXPECT_FALSE(ground_named("off"));
  for (const Start start : {Start::kRest, Start::kSample}) EXPECT_EQ(start_named(name(start)), start);
  EXPECT_FALSE(start_named("nowhere"));
}

TEST(Request, ScenesAreDrawnOnTheGpuThatThePriorIsOn) {
  for (const char* gpu : {"cuda", "cuda:0", "cuda:0,cuda:1"}) EXPECT_EQ(drawing_device(gpu), Device::kCuda) << gpu;
  for (const char* other : {"", "auto", "cpu", "cuda:1", "cuda:1,cuda:0", "cuda:01", "CUDA"}) {
    EXPECT_EQ(drawing_device(other), Device::kCpu) << other;
  }
}

TEST(Request, IsAPromptOrAVideoButNotBoth) {
  EXPECT_TRUE(check_request(walk()).ok());
  Request video;
  video.video = "walk.mp4";
  EXPECT_TRUE(check_request(video).ok());
  EXPECT_FALSE(check_request({}).ok());
  video.prompt = "a fox walks";
  const Status both = check_request(video);
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.error().kind, ErrorKind::kConflict);
  EXPECT_NE(both.error().what.find("prompt"), std::string::npos);
  EXPECT_NE(both.error().what.find("video"), std::string::npos);
}

TEST(Request, NeedsWords) {
  for (const char* prompt : {"   ", "?!...,", "\n\t-"}) {
    Request request;
    request.prompt = prompt;
    const Status status = check_request(request);
    ASSERT_FALSE(status.ok()) << prompt;
    EXPECT_NE(status.error().what.find("needs words"), std::string::npos) << status.error().what;
  }
}

TEST(Request, NamesBothThingsThatContradictEachOther) {
  const auto contradicts = [](const auto& change, const std::string& one, const std::string& other) {
    Request request = walk();
    change(request);
    const Status status = check_request(request);
    ASSERT_FALSE(status.ok()) << one << " and " << other;
    EXPECT_EQ(status.error().kind, ErrorKind::kConflict) << status.error().what;
    EXPECT_NE(status.error().what.find(one), std::string::npos) << status.error().what;
    EXPECT_NE(status.error().what.find(other), std::string::npos) << status.error().what;
  };
  const auto video = [](Request& r) { r.prompt.clear(), r.video = "walk.mp4"; };
  contradicts([&](Request& r) { video(r), r.seconds = 3; }, "seconds", "video");
  contradicts([&](Request& r) { video(r), r.continued_clip = "walk"; }, "continue", "video");
  contradicts([&](Request& r) { video(r), r.keyframes = Keyframes{"poses.glb", {}}; }, "keyframes", "video");
  contradicts([&](Request& r) { video(r), r.method = Method::kPlanar; }, "planar", "video");
  contradicts([](Request& r) { r.method = Method::kAkd, r.seconds = 3; }, "seconds", "akd");
  contradicts([](Request& r) { r.finishing.loop = true, r.continued_clip = "walk"; }, "continue", "loop");
  Request lacking = walk();
  lacking.method = Method::kVideo;
  EXPECT_FALSE(check_request(lacking).ok());
}

TEST(Request, NamesItsMethods) {
  for (const char* text : {"auto", "sample", "akd", "planar", "video", "rule", "native", "library"}) {
    ASSERT_TRUE(method_named(text)) << text;
    EXPECT_EQ(name(*method_named(text)), text);
  }
  EXPECT_FALSE(method_named("magic"));
}

TEST(Request, HasNumbersThatMakeSense) {
  const auto refused = [](const auto& change) {
    Request request = walk();
    change(request);
    return !check_request(request).ok();
  };
  EXPECT_TRUE(refused([](Request& r) { r.sampling.candidates = 0; }));
  EXPECT_TRUE(refused([](Request& r) { r.sampling.steps = 0; }));
  EXPECT_TRUE(refused([](Request& r) { r.sampling.guidance = 0; }));
  EXPECT_TRUE(refused([](Request& r) { r.distilling.iterations = -1; }));
  EXPECT_TRUE(refused([](Request& r) { r.finishing.fps = 0; }));
  EXPECT_TRUE(refused([](Request& r) { r.seconds = 0; }));
  EXPECT_TRUE(refused([](Request& r) { r.seconds = 1e9; }));
  EXPECT_FALSE(refused([](Request& r) { r.distilling.iterations = 0; }));
}

}  // namespace
}  // namespace limber::animate
