// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// An action is one entry of actions.json: all who ask know one that is added there, and nothing else says what it is.
#include <gtest/gtest.h>

#include <set>

#include "limber/actions/catalogue.h"
#include "limber/animate/able.h"
#include "limber/physics/habitat.h"
#include "limber/prior/sketch_model.h"
#include "limber/training/captions.h"
#include "limber/zoo/creature.h"

namespace limber {
namespace {

constexpr const char* kEntry = R"({"actions": [
  {"name": "drift",
   "verbs": [["drift", "drifts", "drifting"], ["float about", "floats about", "floating about"]],
   "cyclic": true, "travels": "freely", "habitat": "free", "limbs": {"kind": "fin", "least": 2, "called": "two fins"}}
]})";

/// What is built in, and the entry.
actions::Catalogue with_entry() {
  std::vector<actions::Action> all = actions::built_in().all();
  all.push_back(actions::parse_catalogue(kEntry, "entry").value().all().at(0));
  return {std::move(all), {}};
}

rig::Rig rig_of(zoo::Plan plan) { return zoo::make_creature({plan, 7, 24}).value().subject.rig; }

TEST(OneEntry, IsSaidByCaptions) {
  const actions::Catalogue known = with_entry();
  training::ClipFacts facts;
  facts.action = "drift";
  std::set<std::string> said;
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    const std::string caption = training::caption(facts, rng, known);
    EXPECT_EQ(prior::guess_action(known.taught(), caption).named, std::vector<std::string>{"drift"}) << caption;
    said.insert(caption);
  }
  EXPECT_GT(said.size(), 30u);
  EXPECT_EQ(known.taught().back().name, "drift") << "after all that were taught before";
}

TEST(OneEntry, TellsWhoIsAble) {
  const actions::Catalogue known = with_entry();
  const animate::PromptSegment part{"it drifts", {"drift"}, {}};
  EXPECT_FALSE(animate::warn_of_limbs(part, rig_of(zoo::Plan::kFish), known));
  const std::optional<Warning> warning = animate::warn_of_limbs(part, rig_of(zoo::Plan::kQuadruped), known);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->name("limbs"), "two fins");
}

TEST(OneEntry, TellsTheHabitat) {
  const HabitatHint hint = with_entry().habitat_hint("a jellyfish floats about");
  EXPECT_EQ(hint.habitat, Habitat::kFree);
  EXPECT_EQ(physics::choose_habitat(rig_of(zoo::Plan::kQuadruped), hint, {}).habitat, Habitat::kFree);
  EXPECT_FALSE(actions::built_in().habitat_hint("a jellyfish floats about").habitat);
}

TEST(OneEntry, IsFoundAndIsTheNearest) {
  const actions::Catalogue known = with_entry();
  EXPECT_EQ(known.find_in("a jellyfish is drifting").at(0).action, "drift");
  EXPECT_EQ(known.nearest("drifter"), &known.all().back());
  EXPECT_EQ(known.nearest("dirfts"), &known.all().back());
}

/// Words that this room cannot check by itself.
TEST(OneEntry, NamesLimbsThatThereAre) {
  for (const actions::Action& action : actions::built_in().all()) {
    const bool none = action.limbs.kind.empty();
    EXPECT_TRUE(none || rig::limb_kind_named(action.limbs.kind)) << action.name;
  }
}

}  // namespace
}  // namespace limber
