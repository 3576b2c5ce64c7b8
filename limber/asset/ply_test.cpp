// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/ply.h"

#include <gtest/gtest.h>

#include <string>

namespace limber::asset {
namespace {

Result<PlyVertices> read(const std::string& text) { return read_ply_vertices(as_bytes(text), "cloud.ply"); }

const std::string kHeader =
    "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty uchar red\nend_header\n";

TEST(Ply, KeepsEveryNumberOfATableItWrote) {
  const PlyVertices table{{"x", "opacity"}, {{1.5f, -2, 3e-20f}, {0, 1, -1e30f}}};
  const auto back = read_ply_vertices(write_ply_vertices(table), "cloud.ply");
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->names, table.names);
  EXPECT_EQ(back->columns, table.columns);
  EXPECT_EQ(*back->find("opacity"), table.columns[1]);
  EXPECT_EQ(back->find("z"), nullptr);
}

TEST(Ply, WritesAndReadsAnEmptyTable) {
  const auto back = read_ply_vertices(write_ply_vertices({{"x"}, {{}}}), "cloud.ply");
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->rows(), 0u);
}

TEST(Ply, ReadsTextWithCommentsAndSkipsOtherElementsAndLists) {
  const auto table = read(
      "ply\r\nformat ascii 1.0\r\ncomment hello\r\nelement face 2\nproperty list uchar int vertex_indices\n"
      "element vertex 2\nproperty double x\nproperty list uchar float extra\nproperty short y\nend_header\n"
      "3 0 1 2\n0\n1.5 2 9 9 -7\n2.5 0 8\n");
  ASSERT_TRUE(table.ok()) << table.error().message();
  EXPECT_EQ(table->names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table->columns, (std::vector<std::vector<float>>{{1.5f, 2.5f}, {-7, 8}}));
}

TEST(Ply, ReadsBothByteOrders) {
  for (const bool big : {false, true}) {
    std::string text = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                       "_endian 1.0\nelement vertex 1\nproperty ushort a\nproperty float b\nend_header\n";
    std::string a{'\x02', '\x01'}, b{'\x00', '\x00', '\xc0', '\x3f'};  // 258 and 1.5, little-endian
    if (big) a = {a.rbegin(), a.rend()}, b = {b.rbegin(), b.rend()};
    const auto table = read(text + a + b);
    ASSERT_TRUE(table.ok()) << table.error().message();
    EXPECT_EQ(table->columns, (std::vector<std::vector<float>>{{258}, {1.5f}}));
  }
}

TEST(Ply, SaysWhatIsWrongWithBrokenFiles) {
  const std::string broken[] = {
      "",
      "plx\n",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n",
      "ply\nelement vertex 0\nend_header\n",
      "ply\nformat morse 1.0\nend_header\n",
      "ply\nformat ascii 1.0\nend_header\n",
      "ply\nformat ascii 1.0\nproperty float x\nend_header\n",
      "ply\nformat ascii 1.0\nelement vertex -1\nproperty float x\nend_header\n1\n",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n1\n",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\nend_header\n1 1\n",
      "ply\nformat ascii 1.0\nelement vertex 18446744073709551615\nproperty float x\nend_header\n1\n",
      "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty double x\nend_header\n1234",
      "ply\nformat binary_little_endian 1.0\nelement f 1\nproperty list float int i\nelement vertex "
      "0\nend_header\n\xff\xff\xff\x7f",
      kHeader + "1 2 3",
      kHeader + "1 2 x 4",
      kHeader + "1 2 3.5x 4",
  };
  for (const std::string& text : broken) {
    const auto table = read(text);
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_EQ(table.error().where.rfind("cloud.ply#/", 0), 0u) << table.error().message();
  }
  EXPECT_TRUE(read(kHeader + "1 2 3 4").ok());
}

}  // namespace
}  // namespace limber::asset
