// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "limber/nn/model_fields.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

/// What the first files said, and all others say since: no name to read, but how they are told.
constexpr const char* kFormat = "limber part prior";

constexpr nn::ModelField<SketchModel> kFields[] = {{"views", &SketchModel::views, 1, 8},
                                                   {"frames", &SketchModel::frames, 1, 256},
                                                   {"size", &SketchModel::size, 8, 512},
                                                   {"patch", &SketchModel::patch, 1, 64},
                                                   {"patch_frames", &SketchModel::patch_frames, 1, 64},
                                                   {"width", &SketchModel::width, 8, 4096},
                                                   {"layers", &SketchModel::layers, 1, 64},
                                                   {"heads", &SketchModel::heads, 1, 64},
                                                   {"buckets", &SketchModel::buckets, 2, 32767},
                                                   {"word_width", &SketchModel::word_width, 1, 1024},
                                                   {"word_heads", &SketchModel::word_heads, 1, 64}};

// What descriptions call framings. The first version had no such field, and no version either.
constexpr std::array<std::pair<std::string_view, Framing>, 2> kFramings{
    {{"rest", Framing::kRest}, {"reach", Framing::kReach}}};
constexpr int kNewestVersion = 2;
constexpr int kMostFewSteps = 64, kHighestRank = 256;

Status read_version(const nlohmann::ordered_json& json, const std::string& name, SketchModel& model) {
  model.version = 1, model.framing = Framing::kRest;
  if (json.contains("version")) {
    LIMBER_TRY(model.version, nn::read_field(json, "version", 1, kNewestVersion, name));
  }
  const auto said = json.find("framing");
  if (said == json.end()) return Done{};
  for (const auto& [word, framing] : kFramings) {
    if (!said->is_string() || said->get<std::string>() != word) continue;
    model.framing = framing;
    return Done{};
  }
  return Error{"not a framing that is known: rest, reach", name + "#/framing"};
}

Result<double> read_fps(const nlohmann::ordered_json& json, const std::string& name) {
  const auto fps = json.find("fps");
  if (fps == json.end() || !fps->is_number() || !(fps->get<double>() > 0 && fps->get<double>() <= 240)) {
    return Error{"not in 0 .. 240", name + "#/fps"};
  }
  return fps->get<double>();
}

/// Shares of noise fall evenly where nothing is said.
Result<double> read_shift(const nlohmann::ordered_json& json, const char* key, const std::string& name) {
  const auto shift = json.find(key);
  if (shift == json.end()) return 1.0;
  if (!shift->is_number() || !(shift->get<double>() >= 1 && shift->get<double>() <= kMostShift)) {
    return Error{fmt::format("not in 1 .. {}", kMostShift), fmt::format("{}#/{}", name, key)};
  }
  return shift->get<double>();
}

Result<std::vector<ActionWords>> read_actions(const nlohmann::ordered_json& json, const std::string& name) {
  const auto actions = json.find("actions");
  if (actions == json.end() || !actions->is_object()) return Error{"missing", name + "#/actions"};
  std::vector<ActionWords> all;
  for (const auto& [action, words] : actions->items()) {
    ActionWords entry{action, {}};
    if (!words.is_array()) return Error{"not a list of words", name + "#/actions/" + action};
    for (const auto& word : words) {
      if (!word.is_string()) return Error{"not a list of words", name + "#/actions/" + action};
      entry.words.push_back(word.get<std::string>());
    }
    all.push_back(std::move(entry));
  }
  return all;
}

Result<FewSteps> read_few_steps(const nlohmann::ordered_json& json, const std::string& name) {
  FewSteps few;
  if (!json.contains("few_steps")) return few;
  LIMBER_TRY(few.steps, nn::read_field(json, "few_steps", 1, kMostFewSteps, name));
  LIMBER_TRY(few.rank, nn::read_field(json, "adapter_rank", 1, kHighestRank, name));
  LIMBER_TRY(few.shift, read_shift(json, "few_steps_shift", name));
  return few;
}

/// Where an action is named: words `begin` .. `end` - 1.
struct Mention {
  std::size_t begin, end, action;
  bool within(const Mention& other) const {
    return begin >= other.begin && end <= other.end && end - begin < other.end - other.begin;
  }
};

std::vector<Mention> find_mentions(std::span<const ActionWords> actions, const std::vector<std::string>& words) {
  std::vector<Mention> mentions;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    for (const std::string& known : actions[i].words) {
      // A phrase counts where its words follow each other.
      const std::vector<std::string> phrase = words_of(known);
      if (phrase.empty()) continue;
      auto at = std::search(words.begin(), words.end(), phrase.begin(), phrase.end());
      for (; at != words.end(); at = std::search(at + 1, words.end(), phrase.begin(), phrase.end())) {
        const auto begin = static_cast<std::size_t>(at - words.begin());
        mentions.push_back({begin, begin + phrase.size(), i});
      }
    }
  }
  return mentions;
}

/// Actions that words name; "falls over" is one thing, not a fall beside it.
std::vector<std::string> find_named(std::span<const ActionWords> actions, const std::vector<std::string>& words) {
  const std::vector<Mention> mentions = find_mentions(actions, words);
  std::vector<std::string> named;
  for (const Mention& mention : mentions) {
    const bool hidden =
        std::any_of(mentions.begin(), mentions.end(), [&](const Mention& other) { return mention.within(other); });
    const std::string& action = actions[mention.action].name;
    if (!hidden && std::find(named.begin(), named.end(), action) == named.end()) named.push_back(action);
  }
  return named;
}

}  // namespace

double SketchModel::flops() const {
  const double n = tokens(), d = width;
  return layers * (24.0 * n * d * d + 4.0 * n * n * d) + 2.0 * n * d * 6 * patch * patch * patch_frames;
}

std::string sketch_model_to_json(const SketchModel& model) {
  nlohmann::ordered_json json = nn::description_of(kFormat, kFields, model);
  json["version"] = model.version;
  for (const auto& [word, framing] : kFramings) {
    if (framing == model.framing) json["framing"] = std::string(word);
  }
  json["fps"] = model.fps;
  json["actions"] = nlohmann::ordered_json::object();
  for (const ActionWords& action : model.actions) json["actions"][action.name] = action.words;
  if (model.shift != 1) json["shift"] = model.shift;
  if (model.few_steps.steps > 0) {
    json["few_steps"] = model.few_steps.steps, json["adapter_rank"] = model.few_steps.rank;
    if (model.few_steps.shift != 1) json["few_steps_shift"] = model.few_steps.shift;
  }
  return json.dump(1) + "\n";
}

Result<SketchModel> sketch_model_from_json(const std::string& text, const std::string& name) {
  LIMBER_TRY(const auto json, nn::parse_description(text, kFormat, "a built-in prior", name));
  SketchModel model;
  LIMBER_CHECK_OK(nn::read_fields(json, kFields, name, model));
  if (model.frames % model.patch_frames != 0 || model.size % model.patch != 0 || model.width % model.heads != 0) {
    return Error{"frames, size or width cannot be divided evenly", name};
  }
  LIMBER_CHECK_OK(read_version(json, name, model));
  LIMBER_TRY(model.fps, read_fps(json, name));
  LIMBER_TRY(model.actions, read_actions(json, name));
  LIMBER_TRY(model.shift, read_shift(json, "shift", name));
  LIMBER_TRY(model.few_steps, read_few_steps(json, name));
  return model;
}

std::filesystem::path sketch_weights_file(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error) ? file : std::filesystem::path(file.string() + ".index.json");
}

bool is_sketch_model(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / kSketchModelFile, error);
}

Result<SketchModel> read_sketch_model(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kSketchModelFile;
  LIMBER_TRY(const std::string text, nn::read_description(path));
  return sketch_model_from_json(text, path.string());
}

ActionGuess guess_action(std::span<const ActionWords> actions, const std::string& prompt) {
  std::vector<std::string> words = words_of(prompt);
  ActionGuess guess{find_named(actions, words), {}};
  // "trots, limping": how it is done, not something else that is done.
  for (const std::string_view manner : kManners) {
    if (guess.named.size() < 2) break;
    words.erase(std::remove(words.begin(), words.end(), manner), words.end());
    std::vector<std::string> rest = find_named(actions, words);
    if (!rest.empty()) guess.named = std::move(rest);
  }
  if (!guess.named.empty()) return guess;

  std::vector<std::pair<double, std::string>> by_distance;
  for (const ActionWords& action : actions) {
    double nearest = 1;
    for (const std::string& known : action.words) {
      for (const std::string& word : words) nearest = std::min(nearest, actions::word_distance(word, known));
    }
    by_distance.emplace_back(nearest, action.name);
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < std::min<std::size_t>(3, by_distance.size()); ++i) {
    guess.nearest.push_back(by_distance[i].second);
  }
  return guess;
}

namespace {
constexpr std::string_view kNegations[] = {"not",  "no",     "never",  "without", "neither", "nor",
                                           "dont", "doesnt", "cannot", "cant",    "wont",    "isnt"};
}  // namespace

namespace {
/// The first words of a long text; whole characters.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
  return text.substr(0, end) + " ...";
}
}  // namespace

std::optional<Warning> warn_of_prompt(std::span<const ActionWords> taught, const std::string& prompt) {
  if (taught.empty()) return std::nullopt;
  const ActionGuess guess = guess_action(taught, prompt);
  if (!guess.named.empty()) {
    // Captions say what is done, never what is not.
    for (const std::string& word : words_of(prompt)) {
      if (std::find(std::begin(kNegations), std::end(kNegations), word) == std::end(kNegations)) continue;
      return Warning{"prompt_negated", {}, {{"word", word}}, {{"prompt"}}};
    }
    return std::nullopt;
  }
  std::string nearest;
  for (const std::string& action : guess.nearest) nearest += (nearest.empty() ? "" : ", ") + action;
  std::string read;
  for (const std::string& word : words_of(prompt)) read += (read.empty() ? "" : " ") + word;
  return Warning{"prompt_unknown", {}, {{"read", shortened(read)}, {"nearest", nearest}}, {{"prompt"}}};
}

}  // namespace limber::prior
