// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "limber/actions/words.h"
#include "limber/zoo/features.h"
#include "limber/zoo/nouns.h"

namespace limber::zoo {
namespace {

using Words = std::vector<std::string>;

template <std::size_t N>
bool holds(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

constexpr std::string_view kSmallWords[] = {"a",   "an",    "the",   "and", "of",   "its",    "his",
                                            "her", "their", "that",  "is",  "very", "really", "some",
                                            "it",  "who",   "which", "in",  "on"};
constexpr std::string_view kWith[] = {"with", "has", "having", "have", "wearing", "holding", "carrying", "but", "plus"};
constexpr std::string_view kWithout[] = {"without", "no", "minus", "lacking"};
constexpr std::string_view kNumbers[] = {"zero",     "one",      "two",      "three",   "four",    "five",
                                         "six",      "seven",    "eight",    "nine",    "ten",     "eleven",
                                         "twelve",   "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
                                         "eighteen", "nineteen", "twenty"};

/// What a word does to the whole body.
struct Size {
  std::string_view word;
  double metres = 1, length = 1, girth = 1;
};
constexpr Size kSizes[] = {
    {"tiny", 0.2},
    {"mini", 0.35},
    {"little", 0.5},
    {"small", 0.5},
    {"baby", 0.35},
    {"young", 0.6},
    {"big", 1.6},
    {"large", 1.6},
    {"great", 1.6},
    {"huge", 3},
    {"giant", 3},
    {"enormous", 3.5},
    {"gigantic", 5},
    {"colossal", 6},
    {"long", 1, 1.45},
    {"short", 1, 0.7},
    {"tall", 1.2, 1.15, 0.9},
    {"thin", 1, 1, 0.65},
    {"slim", 1, 1, 0.75},
    {"slender", 1, 1, 0.75},
    {"skinny", 1, 1, 0.6},
    {"lean", 1, 1, 0.8},
    {"fat", 1, 1, 1.5},
    {"chubby", 1, 1, 1.4},
    {"plump", 1, 1, 1.35},
    {"thick", 1, 1, 1.3},
    {"stout", 1, 0.9, 1.35},
    {"round", 1, 0.9, 1.4},
    {"heavy", 1, 1, 1.35},
    {"stocky", 1, 0.85, 1.3},
};
const Size* size_of(std::string_view word) {
  const auto found =
      std::find_if(std::begin(kSizes), std::end(kSizes), [&](const Size& size) { return size.word == word; });
  return found == std::end(kSizes) ? nullptr : found;
}

struct Tint {
  std::string_view word;
  double towards_white, by;
};
constexpr Tint kTints[] = {
    {"dark", 0, 0.3}, {"deep", 0, 0.5}, {"light", 0.45, 1}, {"pale", 0.6, 1}, {"bright", 0, 1.3}};

std::optional<CoatPattern> pattern_of(std::string_view word) {
  constexpr std::string_view kSpots[] = {"spots", "spotted", "dots", "dotted", "speckled", "freckled"},
                             kStripes[] = {"stripes", "striped", "stripy", "banded"},
                             kPatches[] = {"patches", "patched", "patchy", "piebald", "pinto"}, kPlain[] = {"plain"};
  if (holds(kSpots, word)) return CoatPattern::kSpots;
  if (holds(kStripes, word)) return CoatPattern::kStripes;
  if (holds(kPatches, word)) return CoatPattern::kPatches;
  if (holds(kPlain, word)) return CoatPattern::kPlain;
  return std::nullopt;
}

constexpr int kMostCounted = 1000;  // nothing has as many of anything

std::optional<int> number_of(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
    if (kNumbers[i] == word) return static_cast<int>(i);
  }
  constexpr std::string_view kTens[] = {"thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"};
  for (std::size_t i = 0; i < std::size(kTens); ++i) {
    if (kTens[i] == word) return static_cast<int>(10 * (i + 3));
  }
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc() ? std::clamp(number, 0, kMostCounted) : kMostCounted;
}

bool is_color(const std::string& word) { return built_in_nouns().colors.count(word) > 0; }
bool is_tint(std::string_view word) {
  return std::any_of(std::begin(kTints), std::end(kTints), [&](const Tint& tint) { return tint.word == word; });
}
/// Whether it says how what follows is.
bool is_adjective(const std::string& word) {
  return is_color(word) || is_tint(word) || is_kind(word) || size_of(word) != nullptr || number_of(word) ||
         pattern_of(word) || word == "pair" || word == "pairs";
}
bool is_known(const std::string& word) {
  return holds(kSmallWords, word) || holds(kWith, word) || holds(kWithout, word) || is_adjective(word) ||
         !feature_of(word).empty();
}

// --- the noun --------------------------------------------------------------------------------------------------------

struct Found {
  const Noun* noun = nullptr;
  std::size_t first = 0, length = 0;
};

/// Whether a word, or its plural, stands there.
bool stands_at(const Words& words, std::size_t at, const Words& name) {
  if (at + name.size() > words.size()) return false;
  for (std::size_t k = 0; k < name.size(); ++k) {
    const std::string& word = words[at + k];
    const bool last = k + 1 == name.size();
    if (word != name[k] && !(last && (word == name[k] + "s" || word == name[k] + "es"))) return false;
  }
  return true;
}

struct Named {
  Words name;
  const Noun* noun = nullptr;
};

/// All names in words, split once: a text has hundreds of words, each of which may begin one.
const std::vector<Named>& names_in_words() {
  static const std::vector<Named> names = [] {
    std::vector<Named> split;
    for (const Noun& noun : built_in_nouns().all) {
      for (const std::string& said : noun.names) split.push_back({actions::words_of(said), &noun});
    }
    return split;
  }();
  return names;
}

/// The last one before "with": "a robot spider with dog ears" is a spider. Longer names count first.
Found find_noun(const Words& words) {
  const auto phrase = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return holds(kWith, word) || holds(kWithout, word) || word == "that";
  });
  const auto end = static_cast<std::size_t>(phrase - words.begin());
  Found found;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at >= end && found.noun != nullptr) break;
    for (const auto& [name, noun] : names_in_words()) {
      if (!stands_at(words, at, name)) continue;
      const bool inside = at < found.first + found.length;
      if (found.noun == nullptr || !inside || name.size() > found.length) found = {noun, at, name.size()};
    }
  }
  return found;
}

/// The nearest names, by letters.
Error unknown_noun(const Words& words) {
  std::string unknown;
  for (const std::string& word : words) {
    if (holds(kWith, word) || holds(kWithout, word)) break;
    if (!is_known(word)) unknown = word;
  }
  if (unknown.empty()) return Error{"the words name no body: say one, as in \"a small red dragon\"", "words"};
  std::vector<std::pair<double, std::string>> near;
  for (const std::string& noun : known_nouns()) near.emplace_back(actions::word_distance(unknown, noun), noun);
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return Error{fmt::format("no body is known by the name \"{}\"; the nearest names are {}, {} and {}", unknown,
                           near[0].second, near[1].second, near[2].second),
               "words"};
}

// --- what is said of it ----------------------------------------------------------------------------------------------

class Reader {
 public:
  Reader(const Words& words, const Found& found) : words_(words), found_(found) {
    result_.noun = found.noun->names.front();
    result_.body = found.noun->body, result_.look = found.noun->look, result_.metres = found.noun->metres;
  }

  Result<Described> read() {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      if (at == found_.first) LIMBER_CHECK_OK(end_of_phrase());
      if (at >= found_.first && at < found_.first + found_.length) continue;
      LIMBER_CHECK_OK(read_word(at));
    }
    paint_body();
    bound_size();
    const Result<BodySpec> checked = parse_body(to_text(result_.body));
    if (!checked.ok()) return Error{"such a body cannot be made: " + checked.error().what, "words"};
    result_.body = *checked;
    return result_;
  }

 private:
  Status read_word(std::size_t at);
  bool read_sign(const std::string& word);
  bool read_color(std::size_t at);
  bool belongs_to_feature(std::size_t at) const;
  bool belongs_to_unknown(std::size_t at) const;
  Status read_feature(const std::string& word);
  Status end_of_phrase();
  void paint_body();
  void bound_size();

  const Words& words_;
  const Found& found_;
  Described result_;
  Wish wish_;
  std::vector<Vec3d> colors_;  // said, and not used up
  std::vector<std::string> color_names_;
  const Tint* tint_ = nullptr;
  bool without_ = false, only_once_ = false;
};

/// "with", "without", "no" and numbers.
bool Reader::read_sign(const std::string& word) {
  if (holds(kSmallWords, word)) return true;
  if (holds(kWith, word)) return without_ = false, true;
  if (holds(kWithout, word)) return without_ = true, only_once_ = word == "no", true;
  if (word == "pair" || word == "pairs") return wish_.count = 2 * std::min(wish_.count.value_or(1), kMostCounted), true;
  const std::optional<int> number = number_of(word);
  if (number) wish_.count = number;
  return number.has_value();
}

bool Reader::read_color(std::size_t at) {
  const std::string& word = words_[at];
  for (const Tint& tint : kTints) {
    const bool before_color = at + 1 < words_.size() && is_color(words_[at + 1]);
    if (tint.word == word && before_color) return tint_ = &tint, true;
  }
  if (!is_color(word)) return false;
  Vec3d color = built_in_nouns().colors.find(word)->second;
  if (tint_ != nullptr) color = tint_->by * lerp(color, Vec3d{0.9, 0.9, 0.9}, tint_->towards_white);
  tint_ = nullptr;
  colors_.push_back(color), color_names_.push_back(word);
  return true;
}

/// Whether a feature is what the adjectives from here on are about.
bool Reader::belongs_to_feature(std::size_t at) const {
  while (at < words_.size() && at != found_.first && is_adjective(words_[at])) ++at;
  return at < words_.size() && at != found_.first && !feature_of(words_[at]).empty();
}

/// Whether something that is not known is what the adjectives from here on are about: "with big eyes".
bool Reader::belongs_to_unknown(std::size_t at) const {
  if (at < found_.first) return false;
  while (at < words_.size() && is_adjective(words_[at])) ++at;
  return at < words_.size() && !is_known(words_[at]) && words_[at] != "belly" && words_[at] != "underside";
}

Status Reader::read_feature(const std::string& word) {
  wish_.without = without_ || word.ends_with("less");
  if (word == "horn" && !wish_.count) wish_.count = 1;
  const std::string feature = feature_of(word);
  LIMBER_CHECK_OK(give_feature(feature, wish_, result_.body));
  // Only whole bodies, bellies and patterns have colours of their own.
  for (const std::string& color : color_names_) result_.unknown.push_back(color + " " + feature);
  colors_.clear(), color_names_.clear();
  if (only_once_) without_ = only_once_ = false;
  wish_ = {};
  return Done{};
}

Status Reader::read_word(std::size_t at) {
  const std::string& word = words_[at];
  if (read_sign(word) || read_color(at)) return Done{};
  Look::Colors& coat = *result_.look.colors;
  if (const auto pattern = pattern_of(word)) {
    coat.pattern = without_ ? CoatPattern::kPlain : *pattern;
    // "black stripes": those are what is black.
    const bool noun_follows = at < found_.first;
    if (!colors_.empty() && !noun_follows) coat.accent = colors_.back(), colors_.clear(), color_names_.clear();
    return Done{};
  }
  if ((word == "belly" || word == "underside") && !colors_.empty()) {
    coat.belly = colors_.back(), colors_.clear(), color_names_.clear();
    return Done{};
  }
  if (!feature_of(word).empty()) return read_feature(word);
  if (is_kind(word) && belongs_to_feature(at)) return wish_.kinds.insert(word), Done{};
  if (const Size* size = size_of(word)) {
    if (belongs_to_unknown(at)) return Done{};
    result_.metres *= size->metres, result_.look.length *= size->length, result_.look.girth *= size->girth;
    if (word == "tall" && result_.body.leg_pairs > 0) result_.body.leg_length = Length::kLong;
    return Done{};
  }
  if (at < found_.first) return result_.unknown.push_back(word), Done{};
  // "with green eyes": what was said of them is not said of the body, nor of what comes next.
  std::string unknown;
  for (const std::string& color : color_names_) unknown += color + " ";
  result_.unknown.push_back(unknown + word);
  colors_.clear(), color_names_.clear();
  tint_ = nullptr, wish_ = {};
  return Done{};
}

/// All that was said up to the noun is about the body.
Status Reader::end_of_phrase() {
  if (wish_.count && *wish_.count != 1) return Error{"one body is made at a time", "words"};
  wish_ = {};
  paint_body();
  return Done{};
}

/// "tiny" said a hundred times would be no size at all.
void Reader::bound_size() {
  constexpr double kMostScaled = 50, kMostStretched = 4;
  const double usual = found_.noun->metres;
  result_.metres = std::clamp(result_.metres, usual / kMostScaled, usual * kMostScaled);
  for (double* factor : {&result_.look.length, &result_.look.girth}) {
    *factor = std::clamp(*factor, 1 / kMostStretched, kMostStretched);
  }
}

void Reader::paint_body() {
  if (colors_.empty()) return;
  Look::Colors& coat = *result_.look.colors;
  coat.back = colors_.front(), coat.belly = lerp(coat.back, Vec3d{0.86, 0.8, 0.7}, 0.35);
  if (colors_.size() > 1) {
    coat.accent = coat.belly = colors_[1];
    if (coat.pattern == CoatPattern::kPlain || coat.pattern == CoatPattern::kSaddle)
      coat.pattern = CoatPattern::kPatches;
  } else if (norm(coat.accent - coat.back) < 0.1) {
    coat.accent = 0.25 * coat.back;
  }
  colors_.clear(), color_names_.clear();
}

}  // namespace

Result<Described> describe_body(std::string_view text) {
  constexpr std::size_t kLongest = 1000;
  if (text.size() > kLongest) return Error{fmt::format("are longer than {} bytes", kLongest), "words"};
  const Words words = actions::words_of(text);
  const Found found = find_noun(words);
  if (found.noun == nullptr) return unknown_noun(words);
  return Reader(words, found).read();
}

std::vector<std::string> known_nouns() {
  std::vector<std::string> names;
  for (const Noun& noun : built_in_nouns().all) names.insert(names.end(), noun.names.begin(), noun.names.end());
  return names;
}

std::vector<std::string> known_colors() {
  std::vector<std::string> names;
  for (const auto& [name, color] : built_in_nouns().colors) names.push_back(name);
  return names;
}

Result<Creature> make_described(const Described& described, std::uint64_t seed, int resolution) {
  CreatureSettings settings;
  settings.seed = seed, settings.resolution = resolution;
  settings.body = described.body, settings.look = described.look;
  LIMBER_TRY(Creature creature, make_creature(settings));
  creature.name = described.noun;
  Vec3 lower = creature.surface.positions.front(), upper = lower;
  for (const Vec3& p : creature.surface.positions) lower = min(lower, p), upper = max(upper, p);
  const Vec3 extent = upper - lower;
  const float scale = static_cast<float>(described.metres) / std::max({extent.x, extent.y, extent.z});
  for (Vec3& p : creature.surface.positions) p = scale * p;
  creature.subject.asset_scale = scale;
  return creature;
}

}  // namespace limber::zoo
