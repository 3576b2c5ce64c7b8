// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace limber {

/// Deeper than anything that limber reads as JSON, but for glTF, which has a reader of its own.
inline constexpr int kDeepestJson = 64;

/// Whether JSON text has more brackets within brackets. To be asked before parsing what others wrote: a document that
/// is nested a hundred thousand deep ends the stack where it is copied, compared or printed. Text that is no JSON may
/// get any answer.
inline bool nested_deeper(std::string_view json, int most = kDeepestJson) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > most) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

}  // namespace limber
