// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/warning.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "limber/base/math.h"

namespace limber {
namespace {

template <class T>
const T* find(const std::vector<std::pair<std::string, T>>& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string decimals(double value, int count) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", count, value);
  return buffer;
}

std::string shortest(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.6g", value);
  return buffer;
}

/// ".1%": see `WarningText`.
std::string number_text(double value, std::string_view form) {
  if (form.size() < 2) return shortest(value);
  const int count = std::atoi(std::string(form.substr(1, 1)).c_str());
  const char unit = form.back();
  if (unit == 'g') {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.*g", count, value);
    return buffer;
  }
  if (unit == '%') return decimals(100 * value, count) + " %";
  return decimals(unit == 'd' ? value * 180 / kPi : value, count);
}

/// What stands in braces: a name, or a number in its form.
std::string value_text(const Warning& warning, std::string_view placeholder) {
  const std::size_t colon = std::min(placeholder.find(':'), placeholder.size());
  const std::string_view name = placeholder.substr(0, colon);
  if (const std::string* text = find(warning.names, name)) return *text;
  const std::string_view form = placeholder.substr(std::min(colon + 1, placeholder.size()));
  if (const double* number = find(warning.numbers, name)) return number_text(*number, form);
  return "{" + std::string(placeholder) + "}";
}

/// Fields first, as texts of persons may have backticks, too.
std::string filled(const Warning& warning, std::string_view text, const FieldWords& words) {
  std::string worded;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_of("`{"), text.size());
    worded += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) break;
    const std::size_t end = text.find(text.front() == '`' ? '`' : '}', 1);
    if (end == std::string_view::npos) break;
    const std::string_view inside = text.substr(1, end - 1);
    if (text.front() == '{') {
      worded += value_text(warning, inside);
    } else {
      const std::string named = filled(warning, inside, plain_words);
      const bool known = std::any_of(warning.fields.begin(), warning.fields.end(), [&](const FieldHint& hint) {
        return named == hint.field || named.substr(0, named.find(' ')) == hint.field;
      });
      worded += known ? with_words("`" + named + "`", words) : "`" + named + "`";
    }
    text.remove_prefix(end + 1);
  }
  return worded.append(text);
}

const WarningText* text_of(const std::string& code) {
  for (const WarningText& row : warning_texts()) {
    if (code == row.code) return &row;
  }
  return nullptr;
}

}  // namespace

double Warning::number(std::string_view name) const {
  const double* found = find(numbers, name);
  return found != nullptr ? *found : 0;
}

std::string_view Warning::name(std::string_view name) const {
  const std::string* found = find(names, name);
  return found != nullptr ? std::string_view(*found) : std::string_view();
}

bool Warning::operator==(const Warning& other) const {
  const auto same_hint = [](const FieldHint& a, const FieldHint& b) {
    return a.field == b.field && a.value == b.value && a.command == b.command;
  };
  return code == other.code && numbers == other.numbers && names == other.names &&
         std::equal(fields.begin(), fields.end(), other.fields.begin(), other.fields.end(), same_hint);
}

std::string plain_words(const std::string& field, const std::string& value) {
  return "`" + field + (value.empty() ? "" : " " + value) + "`";
}

std::string what_of(const Warning& warning, const FieldWords& words) {
  const WarningText* row = text_of(warning.code);
  return row != nullptr ? filled(warning, row->what, words) : warning.code;
}

std::string help_of(const Warning& warning, const FieldWords& words) {
  const WarningText* row = text_of(warning.code);
  return row != nullptr ? filled(warning, row->help, words) : "";
}

std::string in_words(const Warning& warning, const FieldWords& words) {
  const std::string help = help_of(warning, words);
  return what_of(warning, words) + (help.empty() ? "" : "; " + help);
}

bool has_code(std::span<const Warning> warnings, std::string_view code) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const Warning& warning) { return warning.code == code; });
}

}  // namespace limber
