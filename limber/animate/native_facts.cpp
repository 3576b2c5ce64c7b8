// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/native_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "limber/actions/catalogue.h"
#include "limber/animate/manners.h"

namespace limber::animate {
namespace {

using motion_space::Fact;
using motion_space::MotionModel;

// Choices as `motion_examples` teaches them.
constexpr int kOnce = 0, kOverAndOver = 1, kByRules = 0, kByArtists = 1;
constexpr int kUsualPace = 0, kFast = 1, kSlow = 2;
constexpr int kAhead = 0, kBack = 1, kLeft = 2, kRight = 3;

constexpr std::array<std::string_view, 5> kFastWords{"faster", "quick", "rapidly", "swiftly", "hurriedly"};
constexpr std::array<std::string_view, 4> kSlowWords{"slower", "lazily", "wearily", "sluggishly"};
constexpr std::array<std::string_view, 9> kTurnWords{"turn",   "turns", "turning", "circle",  "circles",
                                                     "around", "left",  "right",   "sideways"};
constexpr std::size_t kShortWord = 3;  // shorter ones are near to everything

template <class List>
bool says(const std::vector<std::string>& words, const List& list) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return std::find(list.begin(), list.end(), word) != list.end(); });
}

int pace_of(const std::vector<std::string>& words, const zoo::ActionSettings& manner) {
  if (manner.haste > 0 || says(words, kFastWords)) return kFast;
  return manner.haste < 0 || manner.fatigue > 0 || says(words, kSlowWords) ? kSlow : kUsualPace;
}

int heading_of(const std::vector<std::string>& words, const zoo::ActionSettings& manner) {
  if (manner.backward) return kBack;
  if (says(words, std::array<std::string_view, 1>{"left"})) return kLeft;
  return says(words, std::array<std::string_view, 1>{"right"}) ? kRight : kAhead;
}

/// The first of the segment's actions that the network knows.
const actions::Action* known_action(const MotionModel& model, const PromptSegment& segment) {
  for (const std::string& name : segment.actions) {
    if (model.find_action(name) >= 0) return actions::built_in().find(name);
  }
  return nullptr;
}

}  // namespace

std::vector<prior::ActionWords> native_actions(const MotionModel& model) {
  std::vector<prior::ActionWords> known;
  for (const prior::ActionWords& words : actions::built_in().taught()) {
    if (model.find_action(words.name) >= 0) known.push_back(words);
  }
  return known;
}

std::vector<Warning> find_nearest_actions(const MotionModel& model, std::span<PromptSegment> segments) {
  std::vector<Warning> notes;
  for (PromptSegment& segment : segments) {
    if (known_action(model, segment) != nullptr) continue;
    for (const std::string& word : actions::words_of(segment.prompt)) {
      const actions::Action* nearest = word.size() > kShortWord ? actions::built_in().nearest(word) : nullptr;
      if (nearest == nullptr || model.find_action(nearest->name) < 0) continue;
      segment.actions = {nearest->name};
      notes.push_back({"action_taken_for", {}, {{"word", word}, {"action", nearest->name}}, {{"prompt"}}});
      break;
    }
  }
  return notes;
}

motion_space::MotionFacts native_facts(const MotionModel& model, const PromptSegment& segment, int candidate) {
  const std::vector<std::string> words = actions::words_of(segment.prompt);
  zoo::ActionSettings manner;
  follow_manners(words, manner);
  motion_space::MotionFacts facts;
  const auto say = [&](Fact fact, int choice) { facts.facts[static_cast<int>(fact)] = choice; };
  if (const actions::Action* action = known_action(model, segment)) {
    facts.action = model.find_action(action->name);
    say(Fact::kLoop, action->cyclic ? kOverAndOver : kOnce);
  }
  say(Fact::kSource, candidate % 2 == 0 ? kByArtists : kByRules);
  say(Fact::kPace, pace_of(words, manner));
  say(Fact::kHeading, heading_of(words, manner));
  return facts;
}

bool goes_straight(const PromptSegment& segment) {
  if (segment.actions.empty() || says(actions::words_of(segment.prompt), kTurnWords)) return false;
  return std::all_of(segment.actions.begin(), segment.actions.end(), [](const std::string& name) {
    const actions::Action* action = actions::built_in().find(name);
    return action != nullptr && action->travels != actions::Travels::kNo;
  });
}

}  // namespace limber::animate
