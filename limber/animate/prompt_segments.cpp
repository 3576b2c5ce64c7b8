// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/prompt_segments.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "limber/actions/words.h"
#include "limber/prior/prompt_words.h"

namespace limber::animate {
namespace {

using Words = std::vector<std::string>;

/// How a stretch of words was parted from the one before.
enum class Break { kNone, kMaybe, kSure };

struct Stretch {
  Words words;
  Break before = Break::kNone;
  std::string joint;  ///< what stood there, for putting it together again: "," or "and"
};

constexpr std::array<std::string_view, 5> kSureBreaks{"then", "afterwards", "afterward", "thereafter", "finally"};
constexpr std::array<std::string_view, 3> kMaybeBreaks{"and", "before", "next"};
constexpr std::array<std::string_view, 6> kPronouns{"it", "he", "she", "they", "who", "which"};
constexpr std::array<std::string_view, 9> kArticles{"a", "an", "the", "this", "that", "one", "my", "some", "our"};

constexpr std::array<std::string_view, 14> kHelpers{"does",  "do",   "is",     "are",  "will",   "can",  "not",
                                                    "never", "dont", "doesnt", "isnt", "cannot", "cant", "wont"};

/// Words that say nothing which would have to be known: those between others, where to, and how fast.
// table: small words
constexpr std::string_view kSmallWords[] = {
    "a",     "about", "again",    "ahead",     "all",  "along", "also", "an",   "and",  "around", "as",    "at",
    "away",  "back",  "backward", "backwards", "be",   "by",    "do",   "does", "down", "fast",   "first", "for",
    "forth", "from",  "forward",  "forwards",  "he",   "her",   "here", "his",  "i",    "in",     "into",  "is",
    "it",    "its",   "just",     "left",      "like", "now",   "of",   "off",  "on",   "or",     "out",   "over",
    "place", "quick", "quickly",  "right",     "s",    "she",   "slow", "some", "spot", "still",  "that",  "slowly",
    "the",   "their", "them",     "there",     "they", "this",  "to",   "up",   "very", "while",  "who",   "with"};

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// --- cutting ---------------------------------------------------------------------------------------------------------

/// Words and marks in order. Marks: ";" for all that end a sentence, "," for commas.
Words tokens_of(const std::string& prompt) {
  Words tokens;
  std::size_t from = 0;
  const auto flush = [&](std::size_t to) {
    for (std::string& word : prior::words_of(std::string_view(prompt).substr(from, to - from))) {
      tokens.push_back(std::move(word));
    }
  };
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    const char c = prompt[i];
    // "2.5" and "e.g" are no ends of sentences.
    const bool dot = c == '.' && (i + 1 == prompt.size() || prompt[i + 1] == ' ' || prompt[i + 1] == '\n');
    if (dot || c == ';' || c == '>' || c == '|' || c == '\n' || c == '!') {
      flush(i), tokens.emplace_back(";"), from = i + 1;
    } else if (c == ',') {
      flush(i), tokens.emplace_back(","), from = i + 1;
    }
  }
  flush(prompt.size());
  return tokens;
}

/// Whether the words from `at` on begin with these.
bool follows(const Words& words, std::size_t at, std::initializer_list<std::string_view> phrase) {
  if (at + phrase.size() > words.size()) return false;
  return std::equal(phrase.begin(), phrase.end(), words.begin() + static_cast<std::ptrdiff_t>(at));
}

struct Cut {
  Break kind = Break::kNone;
  std::size_t length = 0;  ///< tokens that it takes
};

Cut cut_at(const Words& tokens, std::size_t i) {
  if (tokens[i] == ";" || holds(kSureBreaks, tokens[i])) return {Break::kSure, 1};
  if (follows(tokens, i, {"after", "that"}) || follows(tokens, i, {"after", "which"}) ||
      follows(tokens, i, {"followed", "by"})) {
    return {Break::kSure, 2};
  }
  if (follows(tokens, i, {"next", "to"})) return {};
  if (tokens[i] == "," || holds(kMaybeBreaks, tokens[i])) return {Break::kMaybe, 1};
  return {};
}

std::vector<Stretch> stretches_of(const Words& tokens) {
  std::vector<Stretch> all(1);
  Cut pending;  // ", and then" is one break, as sure as its surest word
  std::string joint;
  for (std::size_t i = 0; i < tokens.size();) {
    const Cut cut = cut_at(tokens, i);
    if (cut.kind != Break::kNone) {
      pending.kind = std::max(pending.kind, cut.kind);
      joint += (joint.empty() || tokens[i] == "," ? "" : " ") + tokens[i];
      i += cut.length;
      continue;
    }
    if (pending.kind != Break::kNone && !all.back().words.empty()) all.push_back({{}, pending.kind, joint});
    pending = {}, joint.clear();
    all.back().words.push_back(tokens[i++]);
  }
  return all;
}

// --- understanding ---------------------------------------------------------------------------------------------------

std::vector<std::string> actions_in(const Words& words, std::span<const prior::ActionWords> actions) {
  std::vector<std::string> names;
  for (const actions::Mention& mention : actions::mentions_in(words, actions)) {
    if (!holds(names, mention.action)) names.push_back(mention.action);
  }
  return names;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() || word == "," ? "" : " ") + word;
  return text;
}

/// Stretches that name one thing become one again.
std::vector<Words> things_of(const std::vector<Stretch>& stretches, std::span<const prior::ActionWords> actions) {
  std::vector<Words> things;
  std::vector<std::string> before;  // actions of the last thing
  for (const Stretch& stretch : stretches) {
    const std::vector<std::string> here = actions_in(stretch.words, actions);
    // "trots, limping" is one thing, done in a manner.
    const bool manner = std::any_of(std::begin(prior::kManners), std::end(prior::kManners),
                                    [&](std::string_view word) { return holds(stretch.words, std::string(word)); });
    const bool another = !here.empty() && !before.empty() && here != before && !manner;
    if (things.empty() || stretch.before == Break::kSure || (stretch.before == Break::kMaybe && another)) {
      things.push_back(stretch.words), before = here;
      continue;
    }
    if (!stretch.joint.empty()) things.back().push_back(stretch.joint);
    things.back().insert(things.back().end(), stretch.words.begin(), stretch.words.end());
    // No action is said across a joint: a prompt of many stretches need not be read again for each.
    std::copy_if(here.begin(), here.end(), std::back_inserter(before),
                 [&](const std::string& action) { return !holds(before, action); });
  }
  return things;
}

std::size_t first_action(const Words& words, std::span<const prior::ActionWords> actions) {
  const std::vector<actions::Mention> mentions = actions::mentions_in(words, actions);
  return mentions.empty() ? words.size() : mentions.front().first;
}

/// "a fox" of "a fox walks": what stands before the first action, if it names anything.
Words subject_of(const Words& words, std::span<const prior::ActionWords> actions) {
  const std::size_t end = first_action(words, actions);
  if (end == words.size()) return {};
  Words subject(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end));
  // "a fox does not": what is said of the first thing is not said of the others.
  const auto helper =
      std::find_if(subject.begin(), subject.end(), [](const auto& word) { return holds(kHelpers, word); });
  subject.erase(helper, subject.end());
  const bool names_something = std::any_of(subject.begin(), subject.end(), [](const std::string& word) {
    return !holds(kArticles, word) && !holds(kPronouns, word) && !holds(kSmallWords, word);
  });
  return names_something ? subject : Words{};
}

/// The thing as a sentence of its own.
Words with_subject(Words words, const Words& subject) {
  const bool own = !words.empty() && holds(kArticles, words.front());
  if (subject.empty() || words.empty() || own) return words;
  if (holds(kPronouns, words.front())) words.erase(words.begin());
  words.insert(words.begin(), subject.begin(), subject.end());
  return words;
}

/// What of a sentence the prior hears: where it is longer than that reads, who does it and what from the action on.
/// Otherwise whatever stands first would be heard, and the action perhaps not.
Words heard(Words words, std::span<const prior::ActionWords> actions) {
  constexpr std::size_t kBefore = 4;  // "the small brown fox"
  const auto most = static_cast<std::size_t>(prior::kPromptWords);
  std::erase(words, ",");
  if (words.size() <= most) return words;
  const std::size_t action = first_action(words, actions);
  std::size_t from = action == words.size() ? 0 : action - std::min(action, kBefore);
  if (action != words.size() && action < most - kBefore) from = 0;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(from));
  words.resize(std::min(words.size(), most));
  return words;
}

/// Of what is said to be done, the words that no action and no small word is. Before its action a thing only says who.
std::vector<std::string> unknown_in(const Words& words, const Words& subject,
                                    std::span<const prior::ActionWords> actions) {
  if (actions.empty()) return {};
  const std::vector<actions::Mention> mentions = actions::mentions_in(words, actions);
  std::size_t at = 0;
  if (!mentions.empty()) {
    at = mentions.front().first;
  } else if (!words.empty() && holds(kArticles, words.front())) {
    at = std::min<std::size_t>(2, words.size());  // "the fox"
  }
  std::vector<std::string> unknown;
  for (; at < words.size(); ++at) {
    const auto named = std::find_if(mentions.begin(), mentions.end(), [&](const actions::Mention& mention) {
      return at >= mention.first && at < mention.first + mention.length;
    });
    const std::string& word = words[at];
    if (named != mentions.end() || word == "," || holds(kSmallWords, word) || holds(kPronouns, word)) continue;
    if (!holds(subject, word) && !holds(unknown, word)) unknown.push_back(word);
  }
  return unknown;
}

/// As captions say it.
bool says_in_place(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (follows(words, i, {"in", "place"}) || follows(words, i, {"on", "the", "spot"})) return true;
  }
  return false;
}

}  // namespace

std::vector<PromptSegment> split_prompt(const std::string& prompt, std::span<const prior::ActionWords> actions) {
  std::vector<Words> things = things_of(stretches_of(tokens_of(prompt)), actions);
  // "first it walks": whose turn it is says nothing of what is done.
  if (things.size() > 1 && !things[0].empty() && things[0].front() == "first") things[0].erase(things[0].begin());
  const Words subject = subject_of(things.front(), actions);
  std::vector<PromptSegment> segments;
  for (std::size_t i = 0; i < things.size(); ++i) {
    PromptSegment segment;
    const Words own = i == 0 ? things[i] : with_subject(things[i], subject);
    const bool long_winded =
        !actions.empty() && prior::words_of(joined(own)).size() > static_cast<std::size_t>(prior::kPromptWords);
    segment.prompt = long_winded ? joined(heard(own, actions)) : things.size() == 1 ? prompt : joined(own);
    segment.actions = actions_in(things[i], actions);
    segment.unknown = unknown_in(things[i], subject, actions);
    segment.in_place = says_in_place(things[i]);
    segments.push_back(std::move(segment));
  }
  return segments;
}

std::string with_action(const std::string& prompt, std::span<const prior::ActionWords> actions,
                        const prior::ActionWords& instead) {
  Words words = prior::words_of(prompt);
  const std::vector<actions::Mention> mentions = actions::mentions_in(words, actions);
  if (mentions.empty() || instead.words.empty()) return prompt;
  const actions::Mention& named = mentions.front();
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(named.first);
  const std::string said = joined(Words(first, first + static_cast<std::ptrdiff_t>(named.length)));
  std::size_t form = 0;
  for (const prior::ActionWords& action : actions) {
    const auto found = std::find(action.words.begin(), action.words.end(), said);
    if (found != action.words.end())
      form = static_cast<std::size_t>(found - action.words.begin()) % actions::kVerbForms;
  }
  words[named.first] = instead.words[std::min(form, instead.words.size() - 1)];
  words.erase(first + 1, first + static_cast<std::ptrdiff_t>(named.length));
  return joined(words);
}

std::optional<Warning> warn_of_unread(const PromptSegment& segment) {
  if (segment.actions.empty() || segment.unknown.empty()) return std::nullopt;
  const auto foreign = [](const std::string& word) {
    return std::any_of(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) > 127; });
  };
  const Words words = prior::words_of(segment.prompt);
  // "die Katze rennt": an action in front, and of what follows not a word is known, nor looks like English.
  const bool only_first = segment.unknown.size() >= 2 && words.size() == segment.unknown.size() + 1 &&
                          std::none_of(segment.unknown.begin(), segment.unknown.end(), [](const std::string& word) {
                            return word.ends_with("ly") || word.ends_with("ing");
                          });
  if (!only_first && std::none_of(words.begin(), words.end(), foreign)) return std::nullopt;
  std::string unknown;
  for (const std::string& word : segment.unknown) unknown += (unknown.empty() ? "" : ", ") + word;
  return Warning{"prompt_unread",
                 {},
                 {{"prompt", segment.prompt}, {"understood", short_name(segment)}, {"unknown", unknown}},
                 {{"prompt"}}};
}

std::string short_name(const PromptSegment& segment) {
  std::string text;
  for (const std::string& action : segment.actions) text += (text.empty() ? "" : " + ") + action;
  return text.empty() ? "\"" + segment.prompt + "\"" : text;
}

}  // namespace limber::animate
