// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/reader_model.h"

#include <gtest/gtest.h>

#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::anatomy {
namespace {

/// The description of a usual model with one piece of text changed.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = reader_model_to_json({});
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string where(const std::string& text) {
  const auto model = reader_model_from_json(text, "reader.json");
  return model.ok() ? "" : model.error().where;
}

TEST(ReaderModel, IsAsSureOfWholeBodiesAsFoldsAllow) {
  Temperatures fitted{0.8, 0.7, 0.9, 1, 0.6, 0.3, 0.5};
  EXPECT_EQ(calibrated_by(fitted, {}), fitted);
  const std::vector<Temperatures> folds{{1, 1, 1, 1, 2, 1, 1}, {3, 3, 3, 4, 8, 1, 9}};
  const Temperatures calibrated = calibrated_by(fitted, folds);
  EXPECT_EQ(calibrated.regions, 0.8);
  EXPECT_EQ(calibrated.limbs, 0.7);
  EXPECT_EQ(calibrated.sides, 0.9);
  EXPECT_NEAR(calibrated.counts, 2, 1e-12);
  EXPECT_NEAR(calibrated.kinds, 4, 1e-12);
  EXPECT_NEAR(calibrated.up, 1, 1e-12);
  EXPECT_NEAR(calibrated.forward, 3, 1e-12);
}

TEST(ReaderModel, ComesBackAsItWasWritten) {
  ReaderModel model;
  model.points = 300, model.tokens = 40, model.neighbours = 7, model.group_width = 9, model.width = 24;
  model.layers = 3, model.heads = 4, model.regions = 5, model.kinds = 6, model.limbs = 7;
  model.temperatures = {1.5, 2, 0.5, 1.25, 3, 0.75, 4};
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(is_reader_model(folder.path()));
  ASSERT_TRUE(write_file(folder.path() / kReaderModelFile, reader_model_to_json(model)).ok());
  EXPECT_TRUE(is_reader_model(folder.path()));
  const auto back = read_reader_model(folder.path());
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(reader_model_to_json(*back), reader_model_to_json(model));
  EXPECT_EQ(back->neighbours, 7);
  EXPECT_EQ(back->kinds, 6);
  EXPECT_EQ(back->limbs, 7);
  EXPECT_EQ(back->temperatures, model.temperatures);
}

TEST(ReaderModel, RefusesOtherFiles) {
  for (const char* text :
       {"", "{", "[]", "7", "{}", R"({"format": 1})", R"({"format": "limber part prior 1"})", "\xff"})
    EXPECT_EQ(where(text), "reader.json") << text;
  EXPECT_FALSE(read_reader_model("no/such/folder").ok());
}

TEST(ReaderModel, NamesWhatIsMissingOrOutOfRange) {
  EXPECT_EQ(where(changed("\"width\"", "\"girth\"")), "reader.json#/width");
  EXPECT_EQ(where(changed("\"heads\": 6", "\"heads\": \"6\"")), "reader.json#/heads");
  EXPECT_EQ(where(changed("\"heads\": 6", "\"heads\": 0")), "reader.json#/heads");
  EXPECT_EQ(where(changed("\"layers\": 8", "\"layers\": 8.5")), "reader.json#/layers");
  EXPECT_EQ(where(changed("\"tokens\": 512", "\"tokens\": -1")), "reader.json#/tokens");
  // Indices of points have 16 bits.
  EXPECT_EQ(where(changed("\"points\": 2048", "\"points\": 70000")), "reader.json#/points");
  EXPECT_EQ(where(changed("\"points\": 2048", "\"points\": 18446744073709551615")), "reader.json#/points");
}

TEST(ReaderModel, RefusesTemperaturesThatScaleNothingOrEverything) {
  for (const char* bad : {"0.0", "-1", "1e9", "\"1\"", "null"})
    EXPECT_EQ(where(changed("\"counts\": 1.0", std::string("\"counts\": ") + bad)), "reader.json#/temperatures/counts");
  EXPECT_EQ(where(changed("\"temperatures\"", "\"fevers\"")), "reader.json#/temperatures");
}

TEST(ReaderModel, RefusesSizesThatDoNotGoTogether) {
  EXPECT_EQ(where(changed("\"heads\": 6", "\"heads\": 7")), "reader.json");
  EXPECT_EQ(where(changed("\"points\": 2048", "\"points\": 100")), "reader.json");
}

}  // namespace
}  // namespace limber::anatomy
