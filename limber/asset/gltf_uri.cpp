// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_uri.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace limber::asset {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::int8_t, 256> make_base64_table() {
  std::array<std::int8_t, 256> table{};
  for (auto& entry : table) entry = -1;
  const std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    table[static_cast<std::size_t>(digits[i])] = static_cast<std::int8_t>(i);
  }
  // The variant for URLs, which some exporters use.
  table['-'] = 62, table['_'] = 63;
  return table;
}
constexpr std::array<std::int8_t, 256> kBase64 = make_base64_table();

Result<Bytes> base64_decoded(std::string_view text, const std::string& where) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  Bytes bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = kBase64[static_cast<unsigned char>(c)];
    if (digit < 0) {
      if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
      return Error{"the data URI is not valid base64", where};
    }
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
    }
  }
  return bytes;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
           return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

}  // namespace

bool is_data_uri(std::string_view uri) { return starts_with_ignoring_case(uri, "data:"); }

Result<DataUri> decode_data_uri(std::string_view uri, const std::string& where) {
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos) return Error{"the data URI has no comma", where};
  const std::string_view head = uri.substr(5, comma - 5), body = uri.substr(comma + 1);
  DataUri result;
  result.mime_type = std::string(head.substr(0, head.find(';')));
  if (head.find(";base64") == std::string_view::npos) {
    const std::string text = percent_decoded(body);
    const auto bytes = as_bytes(text);
    result.bytes.assign(bytes.begin(), bytes.end());
    return result;
  }
  if (body.find('%') != std::string_view::npos) {
    LIMBER_TRY(result.bytes, base64_decoded(percent_decoded(body), where));
  } else {
    LIMBER_TRY(result.bytes, base64_decoded(body, where));
  }
  return result;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      result.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kReserved = " \"#%<>?[\\]^`{|}:";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : path) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f || kReserved.find(c) != std::string_view::npos) {
      result += '%';
      result += kHex[code >> 4];
      result += kHex[code & 15];
    } else {
      result += c;
    }
  }
  return result;
}

Result<std::string> relative_path(std::string_view uri, const std::string& where) {
  std::string path = percent_decoded(uri);
  std::replace(path.begin(), path.end(), '\\', '/');
  const Error outside{"the URI \"" + path.substr(0, 200) + "\" leads outside the file's folder", where};
  if (path.empty() || path.find('\0') != std::string::npos) return Error{"the URI is not a file name", where};
  if (path.front() == '/') return outside;
  // A colon in the first segment makes a scheme (http:, file:) or a drive (C:).
  const std::size_t colon = path.find(':');
  if (colon != std::string::npos && colon < path.find('/')) return outside;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (std::string_view(path).substr(begin, end - begin) == "..") return outside;
    begin = end + 1;
  }
  return path;
}

Result<std::filesystem::path> path_inside(const std::filesystem::path& folder, const std::string& path,
                                          const std::string& where) {
  std::error_code code;
  const auto root = std::filesystem::weakly_canonical(folder, code);
  if (code) return Error{"cannot resolve the folder: " + code.message(), where};
  const auto target = std::filesystem::weakly_canonical(folder / path, code);
  if (code) return Error{"cannot resolve \"" + path + "\": " + code.message(), where};
  const auto [in_root, in_target] = std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (in_root != root.end()) {
    return Error{"the URI \"" + path + "\" leads outside the file's folder through a symbolic link", where};
  }
  return target;
}

std::string image_type(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 16)));
  if (text.substr(0, 4) == "\x89PNG") return "image/png";
  if (text.substr(0, 3) == "\xff\xd8\xff") return "image/jpeg";
  if (text.substr(0, 4) == "RIFF" && text.size() >= 12 && text.substr(8, 4) == "WEBP") return "image/webp";
  if (text.substr(0, 7) == "\xabKTX 20") return "image/ktx2";
  return {};
}

}  // namespace limber::asset
