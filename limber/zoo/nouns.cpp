// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/nouns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "limber/base/expect.h"
#include "limber/zoo/noun_data.h"

namespace limber::zoo {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kPatternNames[] = {"plain", "spots", "stripes", "patches", "saddle"};

Result<CoatPattern> read_pattern(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kPatternNames); ++i) {
    if (kPatternNames[i] == name) return static_cast<CoatPattern>(i);
  }
  return Error{"\"" + name + "\" is no pattern", ""};
}

Result<Look> read_look(const Json& json, const Nouns& nouns) {
  Look look;
  const Json& coat = json.at("coat");
  if (coat.size() != 3) return Error{"a coat has three colours: back, belly, accent", ""};
  std::vector<Vec3d> colors;
  for (const Json& color : coat) {
    const auto found = nouns.colors.find(color.get<std::string>());
    if (found == nouns.colors.end()) return Error{color.dump() + " is no colour", ""};
    colors.push_back(found->second);
  }
  look.colors = Look::Colors{colors[0], colors[1], colors[2], CoatPattern::kPlain};
  LIMBER_TRY(look.colors->pattern, read_pattern(json.value("pattern", "plain")));
  look.length = json.value("length", 1.0), look.girth = json.value("girth", 1.0), look.head = json.value("head", 1.0);
  for (const double factor : {look.length, look.girth, look.head}) {
    if (!(factor > 0.2 && factor < 5)) return Error{"proportions are 0.2 to 5 times the usual", ""};
  }
  return look;
}

Result<Noun> read_noun(const Json& json, const Nouns& nouns) {
  constexpr std::string_view kKeys[] = {"words", "body", "metres", "coat", "pattern", "length", "girth", "head"};
  for (const auto& [key, value] : json.items()) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) return Error{"\"" + key + "\"", ""};
  }
  Noun noun;
  noun.names = json.at("words").get<std::vector<std::string>>();
  if (noun.names.empty()) return Error{"has no name", ""};
  LIMBER_TRY(noun.body, parse_body(json.at("body").get<std::string>()));
  noun.metres = json.at("metres").get<double>();
  if (!(noun.metres > 0.001 && noun.metres < 100)) return Error{"is 0.001 to 100 metres long", ""};
  LIMBER_TRY(noun.look, read_look(json, nouns));
  return noun;
}

Status read_colors(const Json& json, Nouns& nouns) {
  for (const auto& [name, rgb] : json.at("colors").items()) {
    const auto values = rgb.get<std::vector<double>>();
    if (values.size() != 3) return Error{"three numbers make a colour", name};
    nouns.colors[name] = {values[0], values[1], values[2]};
  }
  for (const auto& [name, same] : json.at("same_colors").items()) {
    const auto found = nouns.colors.find(same.get<std::string>());
    if (found == nouns.colors.end()) return Error{same.dump() + " is no colour", name};
    nouns.colors[name] = found->second;
  }
  return Done{};
}

}  // namespace

Result<Nouns> parse_nouns(const std::string& text, const std::string& name) {
  Nouns nouns;
  try {
    const Json json = Json::parse(text);
    const Status colors = read_colors(json, nouns);
    if (!colors.ok()) return Error{colors.error().what, name + "#/colors/" + colors.error().where};
    std::set<std::string> names;
    for (std::size_t i = 0; i < json.at("nouns").size(); ++i) {
      const std::string where = fmt::format("{}#/nouns/{}", name, i);
      Result<Noun> noun = read_noun(json["nouns"][i], nouns);
      if (!noun.ok()) return Error{noun.error().what, where};
      for (const std::string& word : noun->names) {
        if (!names.insert(word).second) return Error{"\"" + word + "\" is there twice", where};
      }
      nouns.all.push_back(std::move(*noun));
    }
  } catch (const Json::exception& exception) {
    return Error{exception.what(), name};
  }
  return nouns;
}

const Nouns& built_in_nouns() {
  static const Nouns nouns = [] {
    const auto& [name, text] = noun_data().front();
    Result<Nouns> read = parse_nouns(std::string(text), std::string(name));
    LIMBER_EXPECT(read.ok(), read.ok() ? "" : read.error().message());
    return std::move(*read);
  }();
  return nouns;
}

}  // namespace limber::zoo
