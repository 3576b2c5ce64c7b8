// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace limber {

/// The caller broke a contract: a bug in the calling program, never a bad file.
class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] inline void contract_failed(const char* condition, const char* file, int line, const std::string& text) {
  throw ContractError(std::string(file) + ":" + std::to_string(line) + ": expected " + condition +
                      (text.empty() ? "" : ": " + text));
}
}  // namespace detail

}  // namespace limber

/// Throws ContractError unless `condition` holds. The text (any expression that makes a std::string) should tell the
/// offending values; it is only evaluated on failure.
#define LIMBER_EXPECT(condition, text)                                                           \
  do {                                                                                           \
    if (!(condition)) ::limber::detail::contract_failed(#condition, __FILE__, __LINE__, (text)); \
  } while (false)
