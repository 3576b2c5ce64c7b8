// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/request_check.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace limber::studio {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

bool is_own_host(std::string_view host, int port) {
  const std::string ending = ":" + std::to_string(port), asked = lower(host);
  return asked == "127.0.0.1" + ending || asked == "localhost" + ending;
}

bool is_own_origin(std::string_view origin, int port) {
  constexpr std::string_view kScheme = "http://";
  return origin.substr(0, kScheme.size()) == kScheme && is_own_host(origin.substr(kScheme.size()), port);
}

std::optional<Refusal> refuse_sender(const RequestHead& head, const Gate& gate) {
  if (head.hosts.size() != 1 || !is_own_host(head.hosts.front(), gate.port)) {
    return Refusal{421, "this is not the host that was asked for", "Host"};
  }
  for (const std::string& origin : head.origins) {
    if (!is_own_origin(origin, gate.port)) return Refusal{403, "other pages may not ask", "Origin"};
  }
  return std::nullopt;
}

bool has_token(const RequestHead& head, const Gate& gate) {
  if (gate.token.empty() || head.tokens.empty()) return false;
  bool all = true;
  for (const std::string& token : head.tokens) all = same_token(token, gate.token) && all;
  return all;
}

/// The body's length is told once and in one way, and is not more than may be.
std::optional<Refusal> refuse_body(const RequestHead& head, const Gate& gate) {
  if (head.method != "POST") {
    const bool empty = head.codings.empty() && (head.lengths.empty() || head.lengths == std::vector<std::string>{"0"});
    if (empty) return std::nullopt;
    return Refusal{400, "only a POST has a body", "Content-Length"};
  }
  if (lower(head.content_type).find("multipart/") != std::string::npos) {
    return Refusal{415, "the body is the bytes themselves, not a form", "Content-Type", "unsupported"};
  }
  if (head.codings.size() + head.lengths.size() > 1) {
    return Refusal{400, "its length is told in more than one way", "Content-Length"};
  }
  if (!head.codings.empty()) {
    if (lower(head.codings.front()) == "chunked") return std::nullopt;
    return Refusal{400, "should be chunked, if anything", "Transfer-Encoding", "unsupported"};
  }
  if (head.lengths.empty()) return Refusal{411, "does not tell the length of its body", "Content-Length"};
  const std::string& text = head.lengths.front();
  std::uint64_t length = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || failed != std::errc() || end != text.data() + text.size()) {
    return Refusal{400, "is not a number of bytes", "Content-Length"};
  }
  const std::uint64_t most = most_body(head.path, gate);
  if (length > most) return Refusal{413, "is larger than " + std::to_string(most) + " bytes", "body", "out of memory"};
  return std::nullopt;
}

/// Characters that cannot be seen and make a name look like another: the other way round, or of two lines.
bool is_unseen(std::string_view character) {
  constexpr std::string_view kUnseen[] = {
      "\xd8\x9c",     "\xe2\x80\x8b", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9",
      "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa0",
      "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9", "\xef\xbb\xbf"};
  return std::find(std::begin(kUnseen), std::end(kUnseen), character) != std::end(kUnseen);
}

/// Bytes of the UTF-8 character that starts here, 0 where none does or nobody would see it.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x20 || lead == 0x7f) return 0;
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  // Control characters of two bytes; longer forms of short characters, surrogates, and what is beyond Unicode.
  const bool bad = (lead == 0xc2 && second < 0xa0) || (lead == 0xe0 && second < 0xa0) ||
                   (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) ||
                   (lead == 0xf4 && second >= 0x90);
  return bad || is_unseen(text.substr(0, length)) ? 0 : length;
}

}  // namespace

std::optional<Refusal> refuse(const RequestHead& head, const Gate& gate) {
  if (auto refusal = refuse_sender(head, gate)) return refusal;
  constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "DELETE"};  // not a joint: methods of HTTP
  if (std::find(std::begin(kMethods), std::end(kMethods), head.method) == std::end(kMethods)) {
    return Refusal{405, "nothing here answers to this method", "method", "unsupported"};
  }
  if (head.path.size() > kLongestPath) return Refusal{414, "is too long", "path"};
  // httplib takes "xapi/state", too, which must be nobody's way around the token.
  if (head.path.empty() || head.path.front() != '/') return Refusal{400, "should begin with a slash", "path"};
  const bool secret = head.path == "/api" || head.path.substr(0, 5) == "/api/";
  if (secret && !has_token(head, gate)) {
    return Refusal{401, "the token is missing or wrong: open the page by the address that limber printed", "token"};
  }
  return refuse_body(head, gate);
}

std::uint64_t most_body(std::string_view path, const Gate& gate) {
  return path == "/api/assets" ? gate.most_upload : kMostJsonBytes;
}

bool same_token(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) {
    different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]));
  }
  return different == 0;
}

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string token;
  for (const unsigned char byte : bytes) token += "0123456789abcdef"[byte >> 4], token += "0123456789abcdef"[byte & 15];
  return token;
}

std::string clean_name(std::string_view name) {
  constexpr std::size_t kLongest = 120, kLongestEnding = 8;
  const std::size_t slash = name.find_last_of("/\\");
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  // What is cut off is not the ending, which says what the file is.
  const std::size_t dot = name.find_last_of('.');
  const bool ends = name.size() > kLongest && dot != std::string_view::npos && name.size() - dot > 1 &&
                    name.size() - dot <= kLongestEnding;
  const std::string ending = ends ? clean_name(name.substr(dot)) : "";
  if (ends) name.remove_suffix(name.size() - dot);
  std::string result;
  while (!name.empty()) {
    const std::size_t length = character_length(name);
    if (result.size() + std::max<std::size_t>(length, 1) + ending.size() > kLongest) break;
    const bool kept = length > 0 && name.front() != '"' && name.front() != '\\';
    result += kept ? std::string(name.substr(0, length)) : "_";
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  result += ending;
  return result.empty() || result == "." || result == ".." ? "unnamed" : result;
}

bool is_id(std::string_view text, char letter) {
  return text.size() >= 2 && text.size() <= 10 && text.front() == letter &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> words;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = std::min(path.find('/'), path.size());
    words.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return words;
}

}  // namespace limber::studio
