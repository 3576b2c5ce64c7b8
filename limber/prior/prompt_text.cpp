// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/prompt_text.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace limber::prior {
namespace {

/// The named references that occur in prose.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kEntities{{
    {"amp", "&"},         {"lt", "<"},         {"gt", ">"},         {"quot", "\""},      {"apos", "'"},
    {"nbsp", "\u00a0"},   {"copy", "\u00a9"},  {"reg", "\u00ae"},   {"deg", "\u00b0"},   {"times", "\u00d7"},
    {"middot", "\u00b7"}, {"laquo", "\u00ab"}, {"raquo", "\u00bb"}, {"ndash", "\u2013"}, {"mdash", "\u2014"},
    {"lsquo", "\u2018"},  {"rsquo", "\u2019"}, {"ldquo", "\u201c"}, {"rdquo", "\u201d"}, {"bull", "\u2022"},
    {"hellip", "\u2026"}, {"trade", "\u2122"},
}};

std::string utf8(std::uint32_t code) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

/// The character of `#233` or `#xe9`.
std::optional<std::string> numeric_reference(std::string_view name) {
  const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  std::uint32_t code = 0;
  const std::string_view digits = name.substr(hex ? 2 : 1);
  if (digits.empty() || digits.size() > 8) return std::nullopt;
  for (const char c : digits) {
    const int lower = c | 0x20;
    const int digit = c >= '0' && c <= '9' ? c - '0' : hex && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    code = code * (hex ? 16u : 10u) + static_cast<std::uint32_t>(digit);
    if (code > 0x10ffff) return utf8(0xfffd);
  }
  return utf8(code == 0 || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code);
}

std::string unescape_html(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.substr(0, 12).find(';') : std::string_view::npos;
    std::optional<std::string> character;
    if (end != std::string_view::npos && end > 1) {
      const std::string_view name = text.substr(1, end - 1);
      if (name.front() == '#') character = numeric_reference(name);
      for (const auto& [entity, value] : kEntities) {
        if (entity == name) character = std::string(value);
      }
    }
    if (character) {
      result += *character;
      text.remove_prefix(end + 1);
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 1;
};

/// The first character; a broken byte stands for itself (a code that no rule below knows).
Character front_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (size == 1) return {first, 1};
  if (size == 0 || size > text.size()) return {0xfffd, 1};
  std::uint32_t code = first & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return {code, size};
}

bool is_space(std::uint32_t code) {
  return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20) || code == 0x85 || code == 0xa0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f ||
         code == 0x205f || code == 0x3000;
}

bool is_control(std::uint32_t code) { return code < 0x20 || code == 0x7f || code == 0xfeff; }

}  // namespace

std::string clean_prompt(std::string_view prompt) {
  const std::string text = unescape_html(unescape_html(prompt));
  std::string result;
  bool space = false;
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = front_character(rest);
    const std::string_view bytes = rest.substr(0, character.size);
    rest.remove_prefix(character.size);
    if (is_space(character.code)) {
      space = true;
      continue;
    }
    if (is_control(character.code)) continue;
    if (space && !result.empty()) result += ' ';
    space = false;
    if (character.code >= 0x2018 && character.code <= 0x201b) {
      result += '\'';
    } else if (character.code >= 0x201c && character.code <= 0x201f) {
      result += '"';
    } else {
      result += bytes;
    }
  }
  return result;
}

}  // namespace limber::prior
