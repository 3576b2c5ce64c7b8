// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <type_traits>
#include <utility>

namespace limber {
namespace {

template <class T>
std::string number_text(T value) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), error == std::errc() ? end : text.data());
}

/// The same without an exponent, for a person.
std::string plain_number(double value) {
  std::array<char, 400> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return std::string(text.data(), error == std::errc() ? end : text.data());
}

/// The whole text as a number.
template <class T>
std::optional<T> read_number(std::string_view text) {
  T value{};
  // A person writes "+3", too.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
std::string text_of(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? text_of(*value) : "";
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return number_text(value);
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else {
    return value;
  }
}

template <class T>
bool read(const std::string& text, T& value) {
  if constexpr (IsOptional<T>::value) {
    if (text.empty()) return value.reset(), true;
    return read(text, value.emplace());
  } else if constexpr (std::is_same_v<T, bool>) {
    value = text == "true";
    return value || text == "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    const std::optional<T> number = read_number<T>(text);
    if (number) value = *number;
    return number.has_value();
  } else {
    value = text;
    return true;
  }
}

bool is_allowed(const FieldInfo& field, const std::string& text) {
  const auto within = [&](auto number) {
    return number && double(*number) >= field.least && double(*number) <= field.most;
  };
  switch (field.type) {
    case FieldType::kChoice: {
      const std::vector<std::string> all = split_choices(field.choices);
      return std::find(all.begin(), all.end(), text) != all.end();
    }
    case FieldType::kWhole:
      return within(read_number<std::uint64_t>(text));
    case FieldType::kNumber:
      return within(read_number<double>(text));
    default:
      return true;
  }
}

}  // namespace

std::string field_text(const FieldMember& member) {
  return std::visit(
      [](const auto& at) {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(at)>>) {
          return text_of(*at);
        } else {
          return at.get();
        }
      },
      member);
}

Status set_field(const FieldInfo& field, const FieldMember& member, const std::string& text) {
  const bool read_it = is_allowed(field, text) && std::visit(
                                                      [&](const auto& at) {
                                                        if constexpr (std::is_pointer_v<std::decay_t<decltype(at)>>) {
                                                          return read(text, *at);
                                                        } else {
                                                          return at.set(text);
                                                        }
                                                      },
                                                      member);
  if (read_it) return Done{};
  return Error{"should be " + allowed_values(field) + ", not '" + text + "'", ""};
}

std::string allowed_values(const FieldInfo& field) {
  const auto range = [&](std::string what) {
    return what + " from " + plain_number(field.least) + " to " + plain_number(field.most);
  };
  switch (field.type) {
    case FieldType::kFlag:
      return "true or false";
    case FieldType::kChoice: {
      std::string all;
      for (const std::string& choice : split_choices(field.choices)) all += (all.empty() ? "one of " : ", ") + choice;
      return all;
    }
    case FieldType::kWhole:
      // Numbers that a double cannot count are without an end for a person.
      return field.most < 9e15 ? range("a whole number") : "a whole number, not below " + plain_number(field.least);
    case FieldType::kNumber:
      return range("a number");
    case FieldType::kDirection:
      return "+x, -Z ... or three numbers";
    case FieldType::kFile:
      return "a file";
    case FieldType::kFolder:
      return "a folder";
    case FieldType::kClip:
      return "the name of a clip, or #2 for the third";
    case FieldType::kText:
      break;
  }
  return *field.choices == '\0' ? "a text" : field.choices;
}

std::string in_words(const Refusal& refusal, const FieldWords& words) {
  const std::string one = words(refusal.field, ""), other = words(refusal.other, refusal.value);
  switch (refusal.why) {
    case Refusal::Why::kContradict:
      return one + " and " + other + " contradict each other: " + refusal.reason;
    case Refusal::Why::kNeeds:
      return one + " needs " + (refusal.field == refusal.other ? "" : other + ": ") + refusal.reason;
    case Refusal::Why::kEither:
      return "either " + one + " or " + other + " " + refusal.reason;
  }
  return "";
}

std::string with_words(std::string_view text, const FieldWords& words) {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = text.find('`');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    const std::string_view named = text.substr(begin + 1, end - begin - 1);
    const std::size_t space = std::min(named.find(' '), named.size());
    const std::string value(named.substr(std::min(space + 1, named.size())));
    const std::string said = words(std::string(named.substr(0, space)), value);
    result += text.substr(0, begin);
    result += said.empty() ? text.substr(begin, end + 1 - begin) : std::string_view(said);
    text.remove_prefix(end + 1);
  }
  return result.append(text);
}

Error refused(const Refusal& refusal, std::string where) {
  const auto plain = [](const std::string& field, const std::string& value) {
    return value.empty() ? field : field + " (" + value + ")";
  };
  return Error{in_words(refusal, plain), std::move(where), refusal.kind};
}

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> all;
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find('|'), choices.size());
    all.emplace_back(choices.substr(0, end));
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return all;
}

std::string dashed(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

}  // namespace limber
