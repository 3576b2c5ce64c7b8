// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "limber/actions/catalogue.h"

namespace limber::actions {
namespace {

using Json = nlohmann::json;

/// An object of the file, and where it stands.
struct Entry {
  const Json& json;
  std::string where;

  const Json* find(const char* key) const {
    const auto found = json.find(key);
    return found == json.end() ? nullptr : &*found;
  }
  std::string at(const char* key) const { return where + "/" + key; }
};

/// Whether it is an object that has no other keys: a slip of the pen would be a fact that nobody reads.
Status check_keys(const Entry& entry, std::initializer_list<std::string_view> known) {
  if (!entry.json.is_object()) return Error{"is not an object", entry.where};
  for (const auto& [key, value] : entry.json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) return Error{"is not known", entry.at(key.c_str())};
  }
  return Done{};
}

Result<std::string> read_text(const Entry& entry, const char* key) {
  const Json* text = entry.find(key);
  if (text == nullptr || !text->is_string() || text->get_ref<const std::string&>().empty()) {
    return Error{"needs a text", entry.at(key)};
  }
  return text->get<std::string>();
}

Result<bool> read_flag(const Entry& entry, const char* key, bool otherwise) {
  const Json* flag = entry.find(key);
  if (flag == nullptr) return otherwise;
  if (!flag->is_boolean()) return Error{"is neither true nor false", entry.at(key)};
  return flag->get<bool>();
}

bool is_amount(const Json& json) {
  return json.is_number() && std::isfinite(json.get<double>()) && json.get<double>() >= 0;
}

Result<std::optional<Range>> read_range(const Entry& entry, const char* key) {
  const Json* range = entry.find(key);
  if (range == nullptr) return std::optional<Range>();
  if (!range->is_array() || range->size() != 2 || !is_amount((*range)[0]) || !is_amount((*range)[1])) {
    return Error{"needs two numbers, the least and the most", entry.at(key)};
  }
  return std::optional<Range>(Range{(*range)[0].get<double>(), (*range)[1].get<double>()});
}

/// "any" is none; without a word it is that of the action.
Result<std::optional<Habitat>> read_habitat(const Entry& entry, std::optional<Habitat> otherwise) {
  if (entry.find("habitat") == nullptr) return otherwise;
  LIMBER_TRY(const std::string name, read_text(entry, "habitat"));
  const std::optional<Habitat> habitat = habitat_named(name);
  if (!habitat && name != "any") return Error{"is none of ground, crawl, free and any", entry.at("habitat")};
  return habitat;
}

/// Either the forms alone, or an object with what differs from the action.
Result<Verb> read_verb(const Entry& entry, const Action& action, bool goes) {
  Verb verb;
  verb.habitat = action.habitat, verb.goes = goes;
  const Json* forms = &entry.json;
  if (!entry.json.is_array()) {
    LIMBER_CHECK_OK(check_keys(entry, {"forms", "taught", "habitat", "goes"}));
    forms = entry.find("forms");
    LIMBER_TRY(verb.taught, read_flag(entry, "taught", true));
    LIMBER_TRY(verb.habitat, read_habitat(entry, action.habitat));
    LIMBER_TRY(verb.goes, read_flag(entry, "goes", goes));
  }
  const bool enough = forms != nullptr && forms->is_array() && forms->size() >= kVerbForms;
  if (!enough) return Error{"needs its forms: \"fly\", \"flies\", \"flying\"", entry.where};
  for (const Json& form : *forms) {
    if (!form.is_string() || words_of(form.get<std::string>()).empty()) return Error{"has no word", entry.where};
    verb.forms.push_back(form.get<std::string>());
  }
  return verb;
}

Status read_verbs(const Entry& entry, Action& action) {
  LIMBER_TRY(action.habitat, read_habitat(entry, std::nullopt));
  LIMBER_TRY(const bool goes, read_flag(entry, "goes", false));
  const Json* verbs = entry.find("verbs");
  if (verbs == nullptr || !verbs->is_array() || verbs->empty()) return Error{"needs a verb", entry.at("verbs")};
  for (std::size_t i = 0; i < verbs->size(); ++i) {
    LIMBER_TRY(Verb verb, read_verb({(*verbs)[i], entry.at("verbs") + "/" + std::to_string(i)}, action, goes));
    action.verbs.push_back(std::move(verb));
  }
  return Done{};
}

Status read_limbs(const Entry& entry, Limbs& limbs) {
  LIMBER_CHECK_OK(check_keys(entry, {"kind", "least", "called"}));
  LIMBER_TRY(limbs.kind, read_text(entry, "kind"));
  LIMBER_TRY(limbs.called, read_text(entry, "called"));
  const Json* least = entry.find("least");
  const std::uint64_t count = least != nullptr && least->is_number_unsigned() ? least->get<std::uint64_t>() : 0;
  if (count < 1 || count > 1000) return Error{"needs how many, from 1 on", entry.at("least")};
  limbs.least = static_cast<int>(count);
  return Done{};
}

Status read_usual(const Entry& entry, Usual& usual) {
  LIMBER_CHECK_OK(check_keys(
      entry, {"movement_heights", "legged_legs_per_s", "legless_sizes_per_s", "clearance_legs", "legs_in_air"}));
  LIMBER_TRY(usual.movement, read_range(entry, "movement_heights"));
  LIMBER_TRY(usual.legged_speed, read_range(entry, "legged_legs_per_s"));
  LIMBER_TRY(usual.legless_speed, read_range(entry, "legless_sizes_per_s"));
  LIMBER_TRY(usual.legs_in_air, read_flag(entry, "legs_in_air", false));
  if (const Json* clearance = entry.find("clearance_legs")) {
    if (!is_amount(*clearance)) return Error{"needs a number", entry.at("clearance_legs")};
    usual.clearance = clearance->get<double>();
  }
  return Done{};
}

Result<OtherName> read_other_name(const Entry& entry) {
  OtherName name;
  if (entry.json.is_string()) {
    name.word = entry.json.get<std::string>();
    return name;
  }
  LIMBER_CHECK_OK(check_keys(entry, {"word", "second", "fast", "slow", "backward"}));
  LIMBER_TRY(name.word, read_text(entry, "word"));
  if (entry.find("second") != nullptr) {
    LIMBER_TRY(name.second, read_text(entry, "second"));
  }
  LIMBER_TRY(name.fast, read_flag(entry, "fast", false));
  LIMBER_TRY(name.slow, read_flag(entry, "slow", false));
  LIMBER_TRY(name.backward, read_flag(entry, "backward", false));
  return name;
}

/// What they call so is done once where the action is, unless they do it otherwise.
Status read_other_names(const Entry& entry, bool once, OtherNames& names) {
  LIMBER_CHECK_OK(check_keys(entry, {"words", "once", "order"}));
  LIMBER_TRY(names.once, read_flag(entry, "once", once));
  if (const Json* order = entry.find("order")) {
    if (!order->is_number_integer()) return Error{"needs a whole number", entry.at("order")};
    names.order = order->get<int>();
  }
  const Json* words = entry.find("words");
  if (words == nullptr) return Done{};
  if (!words->is_array()) return Error{"needs a list", entry.at("words")};
  for (std::size_t i = 0; i < words->size(); ++i) {
    LIMBER_TRY(OtherName name, read_other_name({(*words)[i], entry.at("words") + "/" + std::to_string(i)}));
    names.words.push_back(std::move(name));
  }
  return Done{};
}

/// In indices of recordings an action has its own name at least, unless they never mean it: `"recordings": false`.
Status read_recordings(const Entry& entry, Action& action) {
  const Json* recordings = entry.find("recordings");
  if (recordings != nullptr && recordings->is_boolean() && !recordings->get<bool>()) return Done{};
  std::string own = action.name;
  std::replace(own.begin(), own.end(), '-', '_');
  action.recordings.once = !action.cyclic;
  action.recordings.words.push_back({own, {}});
  if (recordings == nullptr) return Done{};
  return read_other_names({*recordings, entry.at("recordings")}, !action.cyclic, action.recordings);
}

Result<Travels> read_travels(const Entry& entry) {
  if (entry.find("travels") == nullptr) return Travels::kNo;
  LIMBER_TRY(const std::string how, read_text(entry, "travels"));
  if (how == "feet") return Travels::kOnFeet;  // not a joint: how it gets on
  if (how == "freely") return Travels::kFreely;
  return Error{"is neither feet nor freely", entry.at("travels")};
}

Result<Action> read_action(const Entry& entry) {
  LIMBER_CHECK_OK(check_keys(entry, {"name", "verbs", "cyclic", "travels", "gait", "suggested", "habitat", "goes",
                                     "limbs", "usual", "clips", "recordings"}));
  Action action;
  LIMBER_TRY(action.name, read_text(entry, "name"));
  LIMBER_TRY(action.cyclic, read_flag(entry, "cyclic", false));
  LIMBER_TRY(action.travels, read_travels(entry));
  LIMBER_TRY(action.gait, read_flag(entry, "gait", false));
  LIMBER_TRY(action.suggested, read_flag(entry, "suggested", false));
  LIMBER_CHECK_OK(read_verbs(entry, action));
  if (const Json* limbs = entry.find("limbs")) {
    LIMBER_CHECK_OK(read_limbs({*limbs, entry.at("limbs")}, action.limbs));
  }
  if (const Json* usual = entry.find("usual")) {
    LIMBER_CHECK_OK(read_usual({*usual, entry.at("usual")}, action.usual));
  }
  if (const Json* clips = entry.find("clips")) {
    LIMBER_CHECK_OK(read_other_names({*clips, entry.at("clips")}, !action.cyclic, action.clips));
  }
  LIMBER_CHECK_OK(read_recordings(entry, action));
  return action;
}

/// No word stands for two actions, and every name that is mentioned is that of one.
Status check_words(const std::vector<Action>& actions, const std::vector<std::string>& rivals,
                   const std::string& where) {
  std::map<std::string, std::string> owners, names;
  for (const Action& action : actions) {
    if (!names.emplace(action.name, "").second) return Error{"there are two actions '" + action.name + "'", where};
    for (const Verb& verb : action.verbs) {
      for (const std::string& form : verb.forms) {
        const auto [owner, is_new] = owners.emplace(form, action.name);
        if (is_new) continue;
        return Error{"'" + form + "' stands for '" + owner->second + "' and '" + action.name + "'", where};
      }
    }
  }
  const auto check = [&](const std::string& name) -> Status {
    if (name.empty() || names.count(name) > 0) return Done{};
    return Error{"there is no action '" + name + "'", where};
  };
  for (const std::string& rival : rivals) LIMBER_CHECK_OK(check(rival));
  for (const Action& action : actions) {
    for (const OtherName& other : action.clips.words) LIMBER_CHECK_OK(check(other.second));
  }
  return Done{};
}

}  // namespace

Result<Catalogue> parse_catalogue(const std::string& text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{"is not JSON", name};
  const Entry all{json, name + "#"};
  LIMBER_CHECK_OK(check_keys(all, {"rivals", "actions"}));
  const Json *list = all.find("actions"), *compared = all.find("rivals");
  if (list == nullptr || !list->is_array()) return Error{"needs a list", all.at("actions")};
  std::vector<Action> actions;
  for (std::size_t i = 0; i < list->size(); ++i) {
    LIMBER_TRY(Action action, read_action({(*list)[i], all.at("actions") + "/" + std::to_string(i)}));
    actions.push_back(std::move(action));
  }
  std::vector<std::string> rivals;
  if (compared != nullptr) {
    if (!compared->is_array()) return Error{"needs a list", all.at("rivals")};
    for (const Json& rival : *compared) {
      if (!rival.is_string()) return Error{"is not a text", all.at("rivals")};
      rivals.push_back(rival.get<std::string>());
    }
  }
  LIMBER_CHECK_OK(check_words(actions, rivals, name));
  return Catalogue(std::move(actions), std::move(rivals));
}

}  // namespace limber::actions
