// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/shipped_models.h"

#include <gtest/gtest.h>

#include "limber/testing/shared_data.h"

namespace limber::nn {
namespace {

bool is_there(const std::filesystem::path& folder) { return std::filesystem::exists(folder); }

TEST(ShippedModels, AreAlsoLookedForWhereAProgramCarriesThem) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(find_shipped_model("carried", is_there).error().kind, ErrorKind::kMissing);
  std::filesystem::create_directories(folder.path() / "carried");
  add_model_folder(folder.path());
  EXPECT_EQ(find_shipped_model("carried", is_there).value(), folder.path() / "carried");
}

}  // namespace
}  // namespace limber::nn
