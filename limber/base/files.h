// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/base/result.h"

namespace limber {

using Bytes = std::vector<std::byte>;

/// The whole file, unless it is larger than `max_bytes` (kOutOfMemory). Directories, pipes and devices are refused.
Result<Bytes> read_file(const std::filesystem::path& path, std::uint64_t max_bytes = std::uint64_t{4} << 30);

/// Writes to a temporary file beside `path`, then renames: `path` holds either its old content or all of the new.
Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
Status write_file(const std::filesystem::path& path, std::string_view text);

/// Several files that belong together (a .gltf and its .bin): all are written beside their targets first, then renamed
/// in order, the one that refers to the others last. Where one cannot be, those before it are put back as they were.
struct PendingFile {
  std::filesystem::path path;
  std::span<const std::byte> bytes;
};
Status write_files(std::span<const PendingFile> files);

/// A file under a temporary name beside its target, which only `commit` gives it; removed on destruction otherwise. For
/// what is written piece by piece, or by another program.
class UnfinishedFile {
 public:
  static Result<UnfinishedFile> create(const std::filesystem::path& target);
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;

  int descriptor() const { return file_; }  ///< open for reading and writing until `flush`
  Status write(std::span<const std::byte> bytes);
  Status flush();   ///< to the disk; nothing can be written afterwards
  Status commit();  ///< flushes if that was not done, and renames

 private:
  explicit UnfinishedFile(std::filesystem::path target) : target_(std::move(target)) {}
  void remember();
  void forget();

  std::filesystem::path target_;
  std::string name_;  // empty once it is the target's
  int file_ = -1;
  void* slot_ = nullptr;  // in the list for signal handlers
};

/// Removes the temporary files of writes that are under way. Async-signal-safe: for a program's SIGINT handler.
void remove_unfinished_files() noexcept;

/// Whether finished files are being renamed right now: a moment during which a program should not exit.
/// Async-signal-safe.
bool renaming_files() noexcept;

/// The extension in lower case, with its dot: ".glb" of "Fox.GLB". Letters beyond ASCII stay as they are.
std::string lower_extension(const std::filesystem::path& path);

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace limber
