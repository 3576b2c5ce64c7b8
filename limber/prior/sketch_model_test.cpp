// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace limber::prior {
namespace {

SketchModel taught() {
  SketchModel model;
  model.width = 96, model.heads = 3, model.fps = 10;
  model.actions = {{"walk", {"walk", "walks", "walking"}},
                   {"trot", {"trot", "trots", "trotting"}},
                   {"lie-down", {"lie down", "lies down"}}};
  return model;
}

TEST(SketchModel, SurvivesJson) {
  const Result<SketchModel> read = sketch_model_from_json(sketch_model_to_json(taught()), "m.json");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->width, 96);
  EXPECT_EQ(read->fps, 10);
  ASSERT_EQ(read->actions.size(), 3u);
  EXPECT_EQ(read->actions[1].words, taught().actions[1].words);
}

TEST(SketchModel, SaysWhetherItHasAnAdapter) {
  EXPECT_EQ(sketch_model_from_json(sketch_model_to_json(taught()), "m.json")->few_steps.steps, 0);
  SketchModel model = taught();
  model.few_steps = {4, 12};
  const std::string text = sketch_model_to_json(model);
  const Result<SketchModel> read = sketch_model_from_json(text, "m.json");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->few_steps.steps, 4);
  EXPECT_EQ(read->few_steps.rank, 12);
  for (const char* wrong : {"0", "4000000000", "\"12\"", "1.5", "null"}) {
    std::string changed = text;
    changed.replace(changed.find("\"adapter_rank\": 12"), 18, std::string("\"adapter_rank\": ") + wrong);
    const Result<SketchModel> refused = sketch_model_from_json(changed, "m.json");
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_NE(refused.error().message().find("m.json#/adapter_rank"), std::string::npos) << refused.error().message();
  }
}

TEST(SketchModel, SaysHowStepsShareTheNoise) {
  EXPECT_EQ(noise_share(0, 3), 0);
  EXPECT_EQ(noise_share(1, 3), 1);
  EXPECT_EQ(noise_share(0.25, 1), 0.25);
  EXPECT_EQ(noise_share(0.5, 3), 0.75);
  SketchModel model = taught();
  model.few_steps = {4, 12, 3};
  model.shift = 2;
  const std::string text = sketch_model_to_json(model);
  const Result<SketchModel> read = sketch_model_from_json(text, "m.json");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->shift, 2);
  EXPECT_EQ(read->few_steps.shift, 3);
  EXPECT_EQ(sketch_model_from_json(sketch_model_to_json(taught()), "m.json")->shift, 1);
  for (const char* wrong : {"0.5", "1e9", "\"3\"", "null"}) {
    std::string changed = text;
    changed.replace(changed.find("\"few_steps_shift\": 3.0"), 22, std::string("\"few_steps_shift\": ") + wrong);
    const Result<SketchModel> refused = sketch_model_from_json(changed, "m.json");
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_NE(refused.error().message().find("m.json#/few_steps_shift"), std::string::npos);
  }
}

TEST(SketchModel, NamesWhatIsWrongInAFile) {
  EXPECT_FALSE(sketch_model_from_json("{", "m.json").ok());
  EXPECT_FALSE(sketch_model_from_json("[]", "m.json").ok());
  std::string text = sketch_model_to_json(taught());
  text.replace(text.find("\"layers\": 9"), 11, "\"layers\": -9");
  const Result<SketchModel> read = sketch_model_from_json(text, "m.json");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("m.json#/layers"), std::string::npos) << read.error().message();
  text = sketch_model_to_json(taught());
  text.replace(text.find("\"heads\": 3"), 10, "\"heads\": 5");
  EXPECT_FALSE(sketch_model_from_json(text, "m.json").ok()) << "96 cannot be divided by 5";
}

TEST(SketchModel, TheDefaultFitsTwoCores) {
  // 60 GFLOP per guided step, which is two passes.
  EXPECT_LT(2 * SketchModel().flops(), 60e9);
  EXPECT_EQ(SketchModel().tokens(), 768);
}

TEST(SketchModel, FindsTheActionOfAPrompt) {
  const auto named = [](const char* prompt) { return guess_action(taught().actions, prompt).named; };
  EXPECT_EQ(named("A grimlock TROTS!"), std::vector<std::string>{"trot"});
  EXPECT_EQ(named("the cow lies down slowly"), std::vector<std::string>{"lie-down"});
  EXPECT_TRUE(named("down it lies").empty());
  EXPECT_EQ(named("walking, then trotting"), (std::vector<std::string>{"walk", "trot"}));
}

TEST(SketchModel, TellsHowFromWhat) {
  std::vector<ActionWords> actions = taught().actions;
  actions.push_back({"turn", {"turn", "turns", "turning"}});
  actions.push_back({"limp", {"limp", "limps", "limping"}});
  actions.push_back({"lie", {"lie", "lies"}});
  const auto named = [&](const char* prompt) { return guess_action(actions, prompt).named; };
  EXPECT_EQ(named("a fox walks turning left"), std::vector<std::string>{"walk"});
  EXPECT_EQ(named("a limping fox trots"), std::vector<std::string>{"trot"});
  EXPECT_EQ(named("limping, turning left"), std::vector<std::string>{"limp"});
  EXPECT_EQ(named("turning"), std::vector<std::string>{"turn"});
  EXPECT_EQ(named("a fox walks, then turns"), (std::vector<std::string>{"walk", "turn"}));
  EXPECT_EQ(named("a fox lies down"), std::vector<std::string>{"lie-down"}) << "the longer phrase counts";
}

TEST(SketchModel, OfTheFirstVersionKeepsItsFraming) {
  SketchModel model = taught();
  const SketchModel read = sketch_model_from_json(sketch_model_to_json(model), "m.json").value();
  EXPECT_EQ(read.version, 2);
  EXPECT_EQ(read.framing, Framing::kReach);
  // Files of the first version say neither.
  auto json = nlohmann::ordered_json::parse(sketch_model_to_json(model));
  json.erase("version"), json.erase("framing");
  const SketchModel old = sketch_model_from_json(json.dump(), "m.json").value();
  EXPECT_EQ(old.version, 1);
  EXPECT_EQ(old.framing, Framing::kRest);
  json["framing"] = "closer";
  EXPECT_FALSE(sketch_model_from_json(json.dump(), "m.json").ok());
  json.erase("framing"), json["version"] = 3;
  EXPECT_FALSE(sketch_model_from_json(json.dump(), "m.json").ok());
}

TEST(SketchModel, NamesTheNearestActionsOfAPromptWithoutOne) {
  const ActionGuess guess = guess_action(taught().actions, "a fox trottles");
  EXPECT_TRUE(guess.named.empty());
  ASSERT_FALSE(guess.nearest.empty());
  EXPECT_EQ(guess.nearest[0], "trot");
  EXPECT_EQ(guess_action(taught().actions, "").nearest.size(), 3u);
}

TEST(SketchModel, WarnsOfAPromptWithoutAnActionThatWasTaught) {
  const std::optional<Warning> warning = warn_of_prompt(taught().actions, "a fox trottles");
  ASSERT_TRUE(warning);
  EXPECT_NE(in_words(*warning).find("nearest: trot"), std::string::npos) << in_words(*warning);
  EXPECT_FALSE(warn_of_prompt(taught().actions, "a fox trots"));
  const std::optional<Warning> foreign = warn_of_prompt(taught().actions, "ein Fuchs läuft");
  ASSERT_TRUE(foreign);
  EXPECT_NE(in_words(*foreign).find("ein fuchs läuft"), std::string::npos) << in_words(*foreign);
  EXPECT_NE(in_words(*foreign).find("English"), std::string::npos) << in_words(*foreign);
  EXPECT_FALSE(warn_of_prompt({}, "a fox trottles"));
  const std::optional<Warning> negated = warn_of_prompt(taught().actions, "a fox doesn't trot");
  ASSERT_TRUE(negated);
  EXPECT_NE(negated->name("word").find("doesnt"), std::string_view::npos) << in_words(*negated);
  EXPECT_FALSE(warn_of_prompt({}, "a fox does not trot")) << "who knows what others understand";
}

}  // namespace
}  // namespace limber::prior
