// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a request must be before anybody looks at what it asks for. Other pages in the same browser can send requests
/// here, too, and names that lead elsewhere can be made to lead here: hence Host, Origin and the token.
namespace limber::studio {

/// Bytes of a request's body where it is JSON.
inline constexpr std::uint64_t kMostJsonBytes = std::uint64_t{4} << 20;
inline constexpr std::size_t kLongestPath = 200;

/// The parts of a request's head that are judged. Headers that must not be repeated are lists, to see that they are
/// not.
struct RequestHead {
  std::string method, path;
  std::vector<std::string> hosts, origins, tokens, lengths, codings;
  std::string content_type;
};

/// What the server lets in.
struct Gate {
  int port = 0;
  std::string token;
  std::uint64_t most_upload = 0;  ///< bytes
};

/// An answer that is not the one that was asked for.
struct Refusal {
  int status = 400;
  std::string what, where;
  std::string kind = "input";
};

/// Why a request is refused; nothing where it is let in.
std::optional<Refusal> refuse(const RequestHead& head, const Gate& gate);

/// How many bytes the body of a POST to `path` may have.
std::uint64_t most_body(std::string_view path, const Gate& gate);

/// Compares in a time that does not tell where they differ.
bool same_token(std::string_view a, std::string_view b);

/// 32 hexadecimal digits from the system's source of randomness. Empty where there is none.
std::string make_token();

/// A name that a person gave, as a label: no folders, no control characters or quotes, valid UTF-8, not long.
std::string clean_name(std::string_view name);

/// "a12": the letter and up to nine digits.
bool is_id(std::string_view text, char letter);

/// The words between the slashes of a path: "/api/jobs/j1" -> api, jobs, j1.
std::vector<std::string> split_path(std::string_view path);

}  // namespace limber::studio
