// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/nn/model_fields.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

constexpr const char* kFormat = "limber part prior";

constexpr nn::ModelField<PartModel> kFields[] = {{"views", &PartModel::views, 1, 8},
                                                 {"frames", &PartModel::frames, 1, 256},
                                                 {"size", &PartModel::size, 8, 512},
                                                 {"patch", &PartModel::patch, 1, 64},
                                                 {"patch_frames", &PartModel::patch_frames, 1, 64},
                                                 {"width", &PartModel::width, 8, 4096},
                                                 {"layers", &PartModel::layers, 1, 64},
                                                 {"heads", &PartModel::heads, 1, 64},
                                                 {"buckets", &PartModel::buckets, 2, 32767},
                                                 {"word_width", &PartModel::word_width, 1, 1024},
                                                 {"word_heads", &PartModel::word_heads, 1, 64}};

Result<double> read_fps(const nlohmann::ordered_json& json, const std::string& name) {
  const auto fps = json.find("fps");
  if (fps == json.end() || !fps->is_number() || !(fps->get<double>() > 0 && fps->get<double>() <= 240)) {
    return Error{"not in 0 .. 240", name + "#/fps"};
  }
  return fps->get<double>();
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

}  // namespace

double PartModel::flops() const {
  const double n = tokens(), d = width;
  return layers * (24.0 * n * d * d + 4.0 * n * n * d) + 2.0 * n * d * 6 * patch * patch * patch_frames;
}

std::string part_model_to_json(const PartModel& model) {
  nlohmann::ordered_json json = nn::description_of(kFormat, kFields, model);
  json["fps"] = model.fps;
  json["actions"] = nlohmann::ordered_json::object();
  for (const ActionWords& action : model.actions) json["actions"][action.name] = action.words;
  return json.dump(1) + "\n";
}

Result<PartModel> part_model_from_json(const std::string& text, const std::string& name) {
  LIMBER_TRY(const auto json, nn::parse_description(text, kFormat, "a built-in prior", name));
  PartModel model;
  LIMBER_CHECK_OK(nn::read_fields(json, kFields, name, model));
  if (model.frames % model.patch_frames != 0 || model.size % model.patch != 0 || model.width % model.heads != 0) {
    return Error{"frames, size or width cannot be divided evenly", name};
  }
  LIMBER_TRY(model.fps, read_fps(json, name));
  LIMBER_TRY(model.actions, read_actions(json, name));
  return model;
}

bool is_part_model(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / kPartModelFile, error);
}

Result<PartModel> read_part_model(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kPartModelFile;
  LIMBER_TRY(const std::string text, nn::read_description(path));
  return part_model_from_json(text, path.string());
}

ActionGuess guess_action(std::span<const ActionWords> actions, const std::string& prompt) {
  const std::vector<std::string> words = words_of(prompt);
  ActionGuess guess;
  std::vector<std::pair<double, std::string>> by_distance;
  for (const ActionWords& action : actions) {
    double nearest = 1;
    for (const std::string& known : action.words) {
      // A phrase counts where its words follow each other.
      const std::vector<std::string> phrase = words_of(known);
      if (std::search(words.begin(), words.end(), phrase.begin(), phrase.end()) != words.end() && !phrase.empty()) {
        nearest = 0;
        break;
      }
      for (const std::string& word : words) nearest = std::min(nearest, word_distance(word, known));
    }
    if (nearest == 0) guess.named.push_back(action.name);
    by_distance.emplace_back(nearest, action.name);
  }
  if (!guess.named.empty()) return guess;
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < std::min<std::size_t>(3, by_distance.size()); ++i) {
    guess.nearest.push_back(by_distance[i].second);
  }
  return guess;
}

std::optional<std::string> warn_of_prompt(std::span<const ActionWords> taught, const std::string& prompt) {
  const ActionGuess guess = guess_action(taught, prompt);
  if (!guess.named.empty() || taught.empty()) return std::nullopt;
  std::string nearest;
  for (const std::string& action : guess.nearest) nearest += (nearest.empty() ? "" : ", ") + action;
  return fmt::format("the prompt names no action that the prior was taught; nearest: {}; the motion may be anything",
                     nearest);
}

}  // namespace limber::prior
