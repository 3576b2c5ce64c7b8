// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/testing/shared_data.h"

#include <ftw.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace limber::testing {

std::filesystem::path source_dir() { return LIMBER_SOURCE_DIR; }

std::filesystem::path shared_dir() {
  std::error_code ignored;
  if (const char* folder = std::getenv("LIMBER_SHARED_DIR")) return folder;
  const std::filesystem::path beside = source_dir().parent_path() / "shared";
  return std::filesystem::is_directory(beside, ignored) ? beside : std::filesystem::path();
}

std::filesystem::path parity_dir() {
  if (const char* folder = std::getenv("LIMBER_PARITY_DIR")) return folder;
  std::error_code ignored;
  const std::filesystem::path shared = shared_dir() / "parity";
  if (std::filesystem::is_directory(shared, ignored)) return shared;
  return source_dir() / "tests" / "data" / "parity";
}

std::vector<std::filesystem::path> shared_files(const std::string& folder, const std::vector<std::string>& extensions) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = shared_dir();
  std::error_code error;
  if (root.empty() || !std::filesystem::is_directory(root / folder, error)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "limber-test-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  // Not std::filesystem::remove_all: some builds of LibTorch export a broken one of their own.
  ::nftw(
      path_.c_str(), [](const char* file, const struct stat*, int, struct FTW*) { return ::remove(file); }, 16,
      FTW_DEPTH | FTW_PHYS);
}

}  // namespace limber::testing
