// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/weights_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <vector>

#include "limber/base/checksum.h"
#include "limber/base/files.h"

namespace limber::nn {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPieces = 16, kPieceBytes = 1 << 16;

std::vector<fs::path> weight_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    const std::string ending = lower_extension(entry->path());
    const bool holds_weights = ending == ".safetensors" || ending == ".bin" || ending == ".json";
    if (holds_weights && entry->is_regular_file(unknown)) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void add_pieces(const fs::path& path, std::uint64_t size, Checksum& sum) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(kPieceBytes);
  const std::uint64_t last = size > kPieceBytes ? size - kPieceBytes : 0;
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    file.clear();
    file.seekg(static_cast<std::streamoff>(last / (kPieces - 1) * i + (i + 1 == kPieces ? last % (kPieces - 1) : 0)));
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum.add(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
    if (last == 0) return;
  }
}

}  // namespace

std::string weights_id(const fs::path& folder) {
  Checksum sum;
  for (const fs::path& path : weight_files(folder)) {
    std::error_code failed;
    const std::uint64_t size = fs::file_size(path, failed);
    sum.add(fmt::format("{}:{};", path.lexically_relative(folder).generic_string(), size));
    add_pieces(path, size, sum);
  }
  return fmt::format("{:016x}", sum.value());
}

}  // namespace limber::nn
