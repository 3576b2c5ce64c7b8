// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/actions/catalogue.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "limber/actions/action_data.h"
#include "limber/base/name_words.h"

namespace limber::actions {
namespace {

bool is_one_word(const Verb& verb) { return verb.base().find(' ') == std::string::npos; }

/// The word that tells, or more where it takes several; none that does is empty.
template <class Tells>
std::pair<std::string, const Verb*> first_verb(const std::vector<Action>& actions,
                                               const std::vector<std::string>& words, const Tells& tells) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    for (const Action& action : actions) {
      for (const Verb& verb : action.verbs) {
        if (!tells(verb)) continue;
        if (is_one_word(verb)) {
          if (is_form_of(words[at], verb)) return {words[at], &verb};
          continue;
        }
        for (const std::string& form : verb.forms) {
          const std::vector<std::string> phrase = words_of(form);
          if (phrase.size() <= words.size() - at &&
              std::equal(phrase.begin(), phrase.end(), words.begin() + static_cast<std::ptrdiff_t>(at))) {
            return {form, &verb};
          }
        }
      }
    }
  }
  return {};
}

/// How much of a word is a form of the verb, at its beginning or its end: letters, 0 for less than three.
std::size_t shared_stem(std::string_view word, const Verb& verb) {
  constexpr std::size_t kLeast = 3;
  std::size_t longest = 0;
  for (const std::string& form : verb.forms) {
    if (form.size() < kLeast || form.find(' ') != std::string::npos) continue;
    if (word.starts_with(form) || word.ends_with(form)) longest = std::max(longest, form.size());
  }
  return longest;
}

}  // namespace

bool is_form_of(std::string_view word, const Verb& verb) {
  if (std::find(verb.forms.begin(), verb.forms.end(), word) != verb.forms.end()) return true;
  const std::string_view base = verb.base();
  const auto ends = [&](std::string_view stem, std::initializer_list<std::string_view> endings) {
    if (!word.starts_with(stem)) return false;
    return std::find(endings.begin(), endings.end(), word.substr(stem.size())) != endings.end();
  };
  const std::string_view short_stem = base.substr(0, base.size() - 1);
  if (ends(base, {"s", "es", "ing", "ed"})) return true;
  if (base.back() == 'e') return ends(short_stem, {"ing", "ed"});
  if (base.back() == 'y') return ends(short_stem, {"ies", "ied"});
  return ends(std::string(base) + base.back(), {"ing", "ed"});
}

Catalogue::Catalogue(std::vector<Action> actions, std::vector<std::string> rivals)
    : actions_(std::move(actions)), rivals_(std::move(rivals)) {
  for (const Action& action : actions_) {
    ActionWords taught{action.name, {}}, understood{action.name, {}};
    for (const Verb& verb : action.verbs) {
      const auto three = verb.forms.begin() + static_cast<std::ptrdiff_t>(kVerbForms);
      if (verb.taught) taught.words.insert(taught.words.end(), verb.forms.begin(), three);
      understood.words.insert(understood.words.end(), verb.forms.begin(), verb.forms.end());
    }
    if (!taught.words.empty()) taught_.push_back(std::move(taught));
    understood_.push_back(std::move(understood));
  }
}

const Action* Catalogue::find(std::string_view name) const {
  const auto found =
      std::find_if(actions_.begin(), actions_.end(), [&](const Action& action) { return action.name == name; });
  return found == actions_.end() ? nullptr : &*found;
}

std::vector<Mention> Catalogue::find_in(std::string_view sentence) const {
  return mentions_in(words_of(sentence), understood_);
}

const Action* Catalogue::nearest(std::string_view word) const {
  constexpr double kFarthest = 0.4;
  const Action *by_stem = nullptr, *by_letters = nullptr;
  std::size_t longest = 0;
  double least = kFarthest;
  for (const Action& action : actions_) {
    for (const Verb& verb : action.verbs) {
      if (is_one_word(verb) && is_form_of(word, verb)) return &action;
      const std::size_t shared = shared_stem(word, verb);
      if (shared > longest) longest = shared, by_stem = &action;
      for (const std::string& form : verb.forms) {
        const double distance = word_distance(word, form);
        if (distance < least) least = distance, by_letters = &action;
      }
    }
  }
  return by_stem != nullptr ? by_stem : by_letters;
}

HabitatHint Catalogue::habitat_hint(std::string_view text) const {
  const std::vector<std::string> words = name_words(text);
  HabitatHint hint;
  for (const Habitat habitat : {Habitat::kFree, Habitat::kGround, Habitat::kCrawl}) {
    const auto [word, verb] = first_verb(actions_, words, [&](const Verb& v) { return v.habitat == habitat; });
    if (verb == nullptr) continue;
    if (hint.habitat) {
      hint.habitat.reset(), hint.word.clear();
      break;
    }
    hint.habitat = habitat, hint.word = word;
  }
  hint.goes = first_verb(actions_, words, [](const Verb& v) { return v.goes; }).second != nullptr;
  return hint;
}

std::vector<const Action*> Catalogue::rivals_of(std::span<const std::string> asked) const {
  const auto is_gait = [](const Action* action) { return action != nullptr && action->gait; };
  const bool gait =
      std::any_of(asked.begin(), asked.end(), [&](const std::string& name) { return is_gait(find(name)); });
  std::vector<const Action*> rivals;
  for (const std::string& name : rivals_) {
    const Action* rival = find(name);
    const bool is_asked = std::find(asked.begin(), asked.end(), name) != asked.end();
    if (!is_asked && !(gait && is_gait(rival))) rivals.push_back(rival);
  }
  return rivals;
}

const Catalogue& built_in() {
  static const Catalogue catalogue = [] {
    const auto& [name, text] = action_data().front();
    return parse_catalogue(std::string(text), std::string(name)).value();
  }();
  return catalogue;
}

std::string sentence(std::string_view noun, const Action& action) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(noun) + " " + action.verbs.front().third();
}

}  // namespace limber::actions
