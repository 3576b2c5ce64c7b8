// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/weights_id.h"

#include <gtest/gtest.h>

#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::nn {
namespace {

TEST(WeightsId, TellsModelsApart) {
  const testing::TemporaryFolder a, b;
  std::string weights(3 << 20, 'w');
  const auto id_of = [](const testing::TemporaryFolder& folder, const std::string& text) {
    EXPECT_TRUE(write_file(folder.path() / "w.safetensors", text).ok());
    return weights_id(folder.path());
  };
  const std::string id = id_of(a, weights);
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(id_of(b, weights), id) << "wherever it lies";
  weights.back() = 'x';
  EXPECT_NE(id_of(b, weights), id) << "the last byte";
  weights.back() = 'w', weights.front() = 'x';
  EXPECT_NE(id_of(b, weights), id) << "the first byte";
  weights.front() = 'w';
  EXPECT_NE(id_of(b, weights + "w"), id) << "the size";
  EXPECT_NE(id_of(b, "short"), id_of(b, "shord"));
  EXPECT_EQ(id_of(b, weights), id);
  EXPECT_TRUE(write_file(b.path() / "notes.txt", std::string_view("are no weights")).ok());
  EXPECT_EQ(weights_id(b.path()), id);
}

TEST(WeightsId, OfNothingIsThatOfNothing) { EXPECT_EQ(weights_id("/no/such/folder"), weights_id("/nor/this/one")); }

}  // namespace
}  // namespace limber::nn
