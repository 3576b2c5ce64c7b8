// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "limber/batch/item.h"

namespace limber::batch {

/// A test with a scratch folder and, instead of limber, a script.
class BatchTest : public testing::Test {
 protected:
  BatchTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("limber-batch-") + test->name() + "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~BatchTest() override {
    std::error_code failed;
    std::filesystem::remove_all(folder_, failed);
  }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  /// A program in the language of the shell. $1 is what an item does.
  std::string script(const std::string& body) const {
    const std::filesystem::path path = write("program.sh", "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
  /// An item that runs the script with one word.
  static Item item(std::uint64_t number, const std::string& word) {
    return {make_id(number << 8), static_cast<int>(number), "rig", "/models/" + word, "", {word}, "result.glb", "", 0};
  }

  std::filesystem::path folder_;
};

}  // namespace limber::batch
