// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/animate/ask_motion.h"
#include "limber/animate/made_testing.h"
#include "limber/animate/models.h"
#include "limber/animate/sketch_task.h"
#include "limber/zoo/action.h"

/// The built-in prior as a witness, on creatures that it has not seen, whose performances are known.
namespace limber::animate {
namespace {

constexpr std::uint64_t kUnseen = 970000;

struct Case {
  zoo::Plan plan;
  zoo::Action shown;
  const char* prompt;
  bool told;
};

TEST(ToldByTheBuiltInPrior, FindsOutWhatCreaturesDo) {
  const Models models = find_models();
  const auto opened = models.open_prior();
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  prior::VideoPrior& prior = **opened;
  const Case cases[] = {{zoo::Plan::kQuadruped, zoo::Action::kWalk, "a dog walks", true},
                        {zoo::Plan::kQuadruped, zoo::Action::kIdle, "a dog walks", false},
                        {zoo::Plan::kBiped, zoo::Action::kRun, "a man runs", true},
                        {zoo::Plan::kQuadruped, zoo::Action::kWalk, "a dog sits down", false}};
  for (const Case& c : cases) {
    const zoo::Creature creature = zoo::make_creature({c.plan, kUnseen + 40, 36}).value();
    zoo::ActionSettings action;
    action.action = c.shown, action.fps = prior.info().fps, action.frames = prior.info().native.frames;
    const kinematics::Motion motion = zoo::perform(creature, action).value().motion;
    Request request;
    request.prompt = c.prompt;
    SketchTask task = make_sketch_task(creature.subject, prior, request).value();
    const Told told = explain(task, {task.view.draw(motion), {}}, true).value().told.value();
    EXPECT_EQ(told.asked <= (1 + kToldMargin) * told.other, c.told)
        << zoo::name(c.shown) << " as \"" << c.prompt << "\": " << told.asked << " against " << told.other << " of "
        << told.looks_like;
  }
}

}  // namespace
}  // namespace limber::animate
