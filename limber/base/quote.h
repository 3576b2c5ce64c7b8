// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace limber {

/// As much of another's text as a message may quote: a file's name for a joint may be megabytes long.
inline constexpr std::size_t kMostQuoted = 200;

/// The text itself, or its beginning and "...". No character of UTF-8 is cut in two.
inline std::string shortened(std::string_view text, std::size_t most = kMostQuoted) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace limber
