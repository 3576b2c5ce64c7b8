// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/asset/read.h"
#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::asset {
namespace {

TEST(ReadGltf, DecodesEverySharedFile) {
  auto files = testing::shared_files("assets", {".glb", ".gltf"});
  const auto corpus = testing::shared_files("corpus", {".glb", ".gltf"});
  files.insert(files.end(), corpus.begin(), corpus.end());
  if (files.empty()) GTEST_SKIP() << "no shared assets";
  for (const auto& path : files) {
    const auto bytes = read_file(path);
    ASSERT_TRUE(bytes.ok());
    const auto asset = read_gltf(*bytes, path.filename().string(), path.parent_path());
    EXPECT_TRUE(asset.ok()) << path << ": " << asset.error().message();
    if (asset.ok())
      for (const auto& warning : asset->warnings) std::cout << warning << "\n";
  }
}

}  // namespace
}  // namespace limber::asset
