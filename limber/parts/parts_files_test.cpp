// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/base/threads.h"
#include "limber/parts/parts_denoiser.h"
#include "limber/parts/parts_sample.h"
#include "limber/parts/parts_testing.h"
#include "limber/testing/shared_data.h"

/// Reading what `train_parts` writes, and drawing with it: runs where there is no LibTorch.
namespace limber::parts {
namespace {

/// Why a folder with these files is refused; empty if it is not.
std::string refusal(const PartsFiles& files) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(files.write(folder.path()).ok());
  const auto opened = PartsDenoiser::open(folder.path());
  return opened.ok() ? "" : opened.error().message();
}

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The description of a usual model with one piece of text changed.
std::string where_refused(const std::string& from, const std::string& to) {
  std::string text = parts_model_to_json({});
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const auto model = parts_model_from_json(text.replace(at, from.size(), to), "parts.json");
  return model.ok() ? "" : model.error().where;
}

PartsDenoiser small_denoiser() {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(PartsFiles().write(folder.path()).ok());
  return PartsDenoiser::open(folder.path()).value();
}

TEST(PartsFiles, OpenAsWrittenAndDrawTheSameForAnyNumberOfThreads) {
  const PartsDenoiser denoiser = small_denoiser();
  const KnownPictures known = known_pictures(small_model(), cross_example(small_model(), 1).pictures);
  const auto draw = [&](int threads, std::uint64_t seed) {
    set_thread_count(threads);
    PartsSampleSettings settings;
    settings.seed = seed, settings.steps = 2;
    const DrawnPictures drawn = sample_parts(denoiser, known, settings).value();
    set_thread_count(0);
    return drawn;
  };
  const DrawnPictures one = draw(1, 4), three = draw(3, 4), other = draw(1, 5);
  EXPECT_EQ(one.parts, three.parts);
  EXPECT_NE(one.parts, other.parts);
  EXPECT_EQ(one.colors, known.colors);  // which are known
  for (const float v : one.parts) ASSERT_TRUE(std::isfinite(v));
}

TEST(PartsDenoiser, ListensToWhatIsKnownAndToNothingElse) {
  const PartsDenoiser denoiser = small_denoiser();
  const PartsModel model = small_model();
  KnownPictures known = known_pictures(model, cross_example(model, 1).pictures);
  DrawnPictures noisy{std::vector<float>(model.numbers(), 0.3f), std::vector<float>(model.numbers(), -0.2f)};
  const auto say = [&](const KnownPictures& of, double time) {
    return denoiser.run(denoiser.encode(of), noisy, time).parts;
  };
  const std::vector<float> all = say(known, 0.5);
  EXPECT_NE(all, say(known, 0.9));
  KnownPictures without = known;
  without.has_surface.assign(without.has_surface.size(), false);
  const std::vector<float> plain = say(without, 0.5);
  EXPECT_NE(all, plain);
  // Numbers that are said not to be known do not matter, nor does noise where colours are known.
  without.places.assign(without.places.size(), 9.0f), without.elevations.assign(4, 3.0f);
  EXPECT_EQ(plain, say(without, 0.5));
  noisy.colors.assign(noisy.colors.size(), -7.0f);
  EXPECT_EQ(all, say(known, 0.5));
  known.has_colors[3] = false;
  EXPECT_NE(all, say(known, 0.5));
}

TEST(PartsDenoiser, OfOneBranchIsNotShownColours) {
  PartsModel one_branch = small_model();
  one_branch.colors = false;
  const PartsFiles files(one_branch);
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(files.write(folder.path()).ok());
  const PartsDenoiser denoiser = PartsDenoiser::open(folder.path()).value();
  const PartsModel model = denoiser.model();
  EXPECT_FALSE(model.colors);
  KnownPictures known = known_pictures(model, cross_example(model, 1).pictures);
  const DrawnPictures noisy{std::vector<float>(model.numbers(), 0.3f), std::vector<float>(model.numbers(), -0.2f)};
  const std::vector<float> said = denoiser.run(denoiser.encode(known), noisy, 0.5).parts;
  known.colors.assign(known.colors.size(), 0.7f);
  EXPECT_EQ(said, denoiser.run(denoiser.encode(known), noisy, 0.5).parts);
  known.places.assign(known.places.size(), 0.7f);
  EXPECT_NE(said, denoiser.run(denoiser.encode(known), noisy, 0.5).parts);
}

TEST(PartsSample, StopsWhenAskedTo) {
  const PartsDenoiser denoiser = small_denoiser();
  PartsSampleSettings settings;
  settings.progress = [](std::string_view, double done) { return done < 0.4; };
  const auto drawn = sample_parts(denoiser, KnownPictures(small_model()), settings);
  ASSERT_FALSE(drawn.ok());
  EXPECT_EQ(drawn.error().kind, ErrorKind::kCancelled);
}

TEST(PartsFiles, AreRefusedWhereOneIsMissingOrCutShort) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(PartsDenoiser::open(folder.path() / "nowhere").ok());
  ASSERT_TRUE(PartsFiles().write(folder.path()).ok());
  const std::filesystem::path weights = folder.path() / kPartsWeightsFile;
  const auto size = std::filesystem::file_size(weights);
  for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{9}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(weights, left);
    EXPECT_FALSE(PartsDenoiser::open(folder.path()).ok()) << left;
  }
}

TEST(PartsFiles, AreRefusedWhereNumbersAreNotFiniteOrShapesOfAnotherModel) {
  PartsFiles files;
  files.arrays["blocks.1.parts.up.weight"].values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(mentions(refusal(files), "blocks.1.parts.up.weight")) << refusal(files);
  files = PartsFiles();
  PartsModel other = small_model();
  other.width = 24;
  files.json = parts_model_to_json(other);
  EXPECT_TRUE(mentions(refusal(files), "instead of")) << refusal(files);
  // As the first stage of a training leaves it.
  files = PartsFiles();
  files.arrays.erase("in.parts.weight");
  EXPECT_TRUE(mentions(refusal(files), "in.parts.weight")) << refusal(files);
}

TEST(PartsFiles, AreRefusedWhereTheDescriptionIsWrong) {
  EXPECT_EQ(where_refused("limber parts 1", "limber parts 1"), "");
  EXPECT_EQ(where_refused("limber parts 1", "limber pose space 1"), "parts.json");
  EXPECT_EQ(where_refused("\"width\": 192", "\"width\": 1920000"), "parts.json#/width");
  EXPECT_EQ(where_refused("\"heads\": 6", "\"heads\": 5"), "parts.json");
  EXPECT_EQ(where_refused("\"patch\": 8", "\"patch\": 7"), "parts.json");
  EXPECT_EQ(where_refused("\"size\": 64", "\"size\": 256"), "parts.json");  // too large
  EXPECT_EQ(where_refused("\"views\"", "\"sides\""), "parts.json#/views");
  EXPECT_EQ(where_refused("\"views\"", "\"colors\": 1, \"views\""), "parts.json");
  EXPECT_EQ(where_refused("\"views\"", "\"colors\": true, \"views\""), "");
}

}  // namespace
}  // namespace limber::parts
