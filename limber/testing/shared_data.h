// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace limber::testing {

/// The folder of shared test data: $LIMBER_SHARED_DIR, or `../shared` beside the checkout. Empty if it is not there;
/// tests that need it then skip and say so.
std::filesystem::path shared_dir();

/// The checkout that the tests were built from.
std::filesystem::path source_dir();

/// Where outputs of public implementations lie: $LIMBER_PARITY_DIR, or `../shared/parity` beside the checkout, or the
/// small part that the repository carries, tests/data/parity.
std::filesystem::path parity_dir();

/// Files below `shared_dir() / folder` with one of the extensions (".glb"), sorted. Empty if there are none.
std::vector<std::filesystem::path> shared_files(const std::string& folder, const std::vector<std::string>& extensions);

/// A fresh empty folder for this test, removed with everything in it on destruction.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace limber::testing
