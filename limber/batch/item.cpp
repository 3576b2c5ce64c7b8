// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "limber/asset/formats.h"
#include "limber/base/nesting.h"
#include "limber/base/quote.h"
#include "limber/batch/item_json.h"

namespace limber::batch {

Json item_to_json(const Item& item) {
  return {{"id", item.id},         {"line", item.line},     {"do", item.verb},
          {"input", item.input},   {"prompt", item.prompt}, {"arguments", item.arguments},
          {"result", item.result}, {"output", item.output}, {"tried", item.tried}};
}

Result<Item> item_from_json(const Json& json, const std::string& where) {
  Item item;
  try {
    item.id = json.at("id").get<std::string>();
    item.line = json.at("line").get<int>();
    item.verb = json.at("do").get<std::string>();
    item.input = json.at("input").get<std::string>();
    item.prompt = json.at("prompt").get<std::string>();
    item.arguments = json.at("arguments").get<std::vector<std::string>>();
    item.result = json.at("result").get<std::string>();
    item.output = json.at("output").get<std::string>();
    item.tried = json.at("tried").get<int>();
  } catch (const Json::exception& exception) {
    return Error{fmt::format("is no item of a batch: {}", shortened(exception.what())), where};
  }
  const std::filesystem::path result = item.result, output = std::filesystem::path(item.output).lexically_normal();
  const bool is_name = !result.empty() && !result.has_parent_path() && result != "." && result != "..";
  const bool is_below = output.empty() || (output.is_relative() && *output.begin() != ".." && *output.begin() != "." &&
                                           output.has_filename());
  if (!is_id(item.id) || !is_name || !is_below) return Error{"is no item of a batch", where};
  return item;
}

bool is_drawable(const Item& item) {
  const asset::Format* format = asset::find_format(std::filesystem::path(item.result));
  return format != nullptr && format->clips && format->one_file;
}

std::string shell_quoted(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=:,+%@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line(const std::string& program, const Item& item) {
  std::string line = shell_quoted(program);
  for (const std::string& argument : item.arguments) line.append(" ").append(shell_quoted(argument));
  return line;
}

std::string items_to_text(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += json_line(item_to_json(item)) + "\n";
  return text;
}

Result<std::vector<Item>> items_from_text(std::string_view text, const std::string& where) {
  std::vector<Item> items;
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view first = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    const Json json = nested_deeper(first) ? Json() : Json::parse(first, nullptr, false);
    LIMBER_TRY(Item item, item_from_json(json, fmt::format("{}:{}", where, line)));
    items.push_back(std::move(item));
  }
  return items;
}

bool is_id(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string make_id(std::uint64_t checksum) { return fmt::format("{:016x}", checksum); }

std::uint64_t id_number(std::string_view id) {
  LIMBER_EXPECT(is_id(id), std::string(id));
  return std::stoull(std::string(id), nullptr, 16);
}

}  // namespace limber::batch
