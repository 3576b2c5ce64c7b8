// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/model_fields.h"

#include <gtest/gtest.h>

#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::nn {
namespace {

struct Model {
  int width = 8, heads = 2;
};
constexpr const char* kFormat = "a toy";
constexpr ModelField<Model> kFields[] = {{"width", &Model::width, 4, 16}, {"heads", &Model::heads, 1, 4}};

Result<Model> read(const std::string& text) {
  LIMBER_TRY(const auto json, parse_description(text, kFormat, "a toy model", "toy.json"));
  Model model;
  LIMBER_CHECK_OK(read_fields(json, kFields, "toy.json", model));
  return model;
}

std::string where(const std::string& text) {
  const Result<Model> model = read(text);
  return model.ok() ? "" : model.error().where;
}

TEST(ModelFields, ComeBackAsTheyWereWrittenInTheirOrder) {
  const std::string text = description_of(kFormat, kFields, Model{12, 3}).dump();
  EXPECT_EQ(text, R"({"format":"a toy","width":12,"heads":3})");
  const Result<Model> back = read(text);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->width, 12);
  EXPECT_EQ(back->heads, 3);
}

TEST(ModelFields, AreRefusedInFilesOfAnotherFormat) {
  for (const char* text : {"", "{", "[]", "7", "{}", R"({"format": 1})", R"({"format": "a toy 2"})", "\xff"}) {
    EXPECT_EQ(where(text), "toy.json") << text;
  }
  EXPECT_EQ(read("{}").error().what, "not the description of a toy model");
}

TEST(ModelFields, AreNamedWhereTheyAreMissingOrOutOfRange) {
  EXPECT_EQ(where(R"({"format": "a toy", "width": 8})"), "toy.json#/heads");
  EXPECT_EQ(where(R"({"format": "a toy", "width": "8", "heads": 1})"), "toy.json#/width");
  EXPECT_EQ(where(R"({"format": "a toy", "width": 8.5, "heads": 1})"), "toy.json#/width");
  EXPECT_EQ(where(R"({"format": "a toy", "width": 3, "heads": 1})"), "toy.json#/width");
  EXPECT_EQ(where(R"({"format": "a toy", "width": 17, "heads": 1})"), "toy.json#/width");
  EXPECT_EQ(where(R"({"format": "a toy", "width": 18446744073709551615, "heads": 1})"), "toy.json#/width");
  EXPECT_EQ(where(R"({"format": "a toy", "width": 4, "heads": 4})"), "");
}

TEST(ModelFields, AreReadFromSmallFilesOnly) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "toy.json", "{}").ok());
  EXPECT_EQ(read_description(folder.path() / "toy.json").value(), "{}");
  ASSERT_TRUE(write_file(folder.path() / "large.json", std::string((std::size_t{1} << 20) + 1, ' ')).ok());
  EXPECT_FALSE(read_description(folder.path() / "large.json").ok());
  EXPECT_FALSE(read_description(folder.path() / "none.json").ok());
}

}  // namespace
}  // namespace limber::nn
