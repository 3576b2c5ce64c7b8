// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "limber/base/files.h"
#include "limber/base/result.h"

namespace limber::asset {

bool is_data_uri(std::string_view uri);

struct DataUri {
  std::string mime_type;
  Bytes bytes;
};
Result<DataUri> decode_data_uri(std::string_view uri, const std::string& where);

/// "%20" to " "; a stray percent sign stays as it is.
std::string percent_decoded(std::string_view text);
/// A file name as a URI: what a URI may not hold is percent-encoded, UTF-8 stays.
std::string percent_encoded(std::string_view path);

/// The relative path a URI means, with forward slashes. An error for everything that is no plain path downwards: other
/// schemes, absolute paths and "..", however encoded.
Result<std::string> relative_path(std::string_view uri, const std::string& where);

/// `folder / path`, unless a symbolic link leads out of the folder. The file need not exist.
Result<std::filesystem::path> path_inside(const std::filesystem::path& folder, const std::string& path,
                                          const std::string& where);

/// The type of an encoded image by its first bytes; empty if it is none we know.
std::string image_type(std::span<const std::byte> bytes);

}  // namespace limber::asset
