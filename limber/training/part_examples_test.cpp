// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/part_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "limber/training/character_testing.h"
#include "limber/training/part_coat.h"

namespace limber::training {
namespace {

PartExampleSettings few() {
  PartExampleSettings settings;
  settings.creatures = 4;
  return settings;
}

/// Every pixel of the body has a part with a colour, and some parts are seen.
void expect_sound(const parts::PartsExample& example, const parts::PartsModel& model) {
  const parts::SurfacePictures& p = example.pictures;
  ASSERT_EQ(p.labels.size(), static_cast<std::size_t>(model.pictures() * model.pixels()));
  ASSERT_EQ(p.colors.size(), 3 * p.labels.size());
  EXPECT_LE(*std::max_element(p.labels.begin(), p.labels.end()), example.colors.size());
  const auto covered = p.labels.size() - static_cast<std::size_t>(std::count(p.labels.begin(), p.labels.end(), 0));
  EXPECT_GT(covered, p.labels.size() / 100);
  EXPECT_LT(covered, p.labels.size() / 2);
  for (const Vec3& c : example.colors) {
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(c[k] >= 0.25f && c[k] <= 1) << c[k];
  }
}

TEST(PartExamples, AreBodiesOfSeveralPartsFromAllSides) {
  const parts::PartsModel model;
  const parts::PartsSource source = part_examples(nullptr, model, few());
  for (std::uint64_t i = 0; i < 6; ++i) {
    const auto example = source(i);
    ASSERT_TRUE(example.ok()) << example.error().message();
    expect_sound(*example, model);
    const std::set<std::uint8_t> seen(example->pictures.labels.begin(), example->pictures.labels.end());
    EXPECT_GE(seen.size(), 4u) << i;
  }
}

TEST(PartExamples, AreAlwaysTheSameAndOthersForValidation) {
  parts::PartsModel model;
  model.frames = 2, model.size = 32;
  const parts::PartsSource first = part_examples(nullptr, model, few()), second = part_examples(nullptr, model, few());
  EXPECT_TRUE(second(9).ok());  // in another order
  EXPECT_EQ(first(3)->pictures.colors, second(3)->pictures.colors);
  EXPECT_EQ(first(3)->pictures.labels, second(3)->pictures.labels);
  EXPECT_NE(first(3)->pictures.colors, first(4)->pictures.colors);
  EXPECT_NE(first(3)->pictures.colors, first(parts::kValidationPictures + 3)->pictures.colors);
}

TEST(PartExamples, KeepStillOrMoveAsAsked) {
  parts::PartsModel model;
  model.frames = 2, model.size = 32;
  const std::size_t each = 3 * static_cast<std::size_t>(model.pixels());
  const auto moves = [&](const parts::PartsExample& e) {
    return !std::equal(e.pictures.colors.begin(), e.pictures.colors.begin() + static_cast<std::ptrdiff_t>(each),
                       e.pictures.colors.begin() + static_cast<std::ptrdiff_t>(each));
  };
  PartExampleSettings settings = few();
  settings.still = 1, settings.orbit = 0;
  const parts::PartsSource still = part_examples(nullptr, model, settings);
  settings.still = 0;
  const parts::PartsSource moving = part_examples(nullptr, model, settings);
  int moved = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_FALSE(moves(still(i).value()));
    moved += moves(moving(i).value()) ? 1 : 0;
  }
  EXPECT_GE(moved, 6);
  settings.orbit = 1;
  const parts::PartsExample orbiting = part_examples(nullptr, model, settings)(0).value();
  EXPECT_TRUE(orbiting.orbits && moves(orbiting));  // from elsewhere
}

TEST(PartExamples, LeaveOutWhatIsAskedFor) {
  auto characters = std::make_shared<std::vector<Character>>();
  characters->push_back(toy_character("corpus/animals/hopper.glb"));
  parts::PartsModel model;
  model.size = 32;
  PartExampleSettings settings = few();
  settings.artists = 1;
  const auto parts_of = [](const parts::PartsExample& e) { return e.colors.size(); };
  const parts::PartsSource taught = part_examples(characters, model, settings);
  for (std::uint64_t i = 0; i < 4; ++i) {
    expect_sound(taught(i).value(), model);
    EXPECT_EQ(parts_of(taught(i).value()), 2u);  // a body and its foot
  }
  settings.leave_out.names = {"hopper"};
  const parts::PartsSource without = part_examples(characters, model, settings);
  EXPECT_GT(parts_of(without(0).value()), 2u);
  EXPECT_EQ(parts_of(without(parts::kValidationPictures).value()), 2u);
}

TEST(PartExamples, OfOtherCreaturesAreThereToMeasureWith) {
  const auto body = creature_with_parts(1);
  ASSERT_TRUE(body.ok()) << body.error().message();
  EXPECT_EQ(body->labels.size(), body->triangles.size());
  EXPECT_EQ(body->colors.size(), body->points.size());
  EXPECT_GE(std::set<int>(body->labels.begin(), body->labels.end()).size(), 2u);
  EXPECT_EQ(body->labels, creature_with_parts(1)->labels);
  EXPECT_NE(body->points, creature_with_parts(2)->points);
}

TEST(PartCoat, GivesEveryPointAColour) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<std::uint8_t> parts{0, 1, 255};
  Rng rng(1), again(1);
  const std::vector<Vec3> coat = draw_coat(points, parts, rng);
  EXPECT_EQ(coat.size(), 3u);
  EXPECT_EQ(coat, draw_coat(points, parts, again));
  EXPECT_TRUE(draw_coat({}, {}, rng).empty());
  EXPECT_EQ(display_colors(std::vector<Vec4>{{0, 1, 5, 1}}), (std::vector<Vec3>{{0, 1, 1}}));
}

}  // namespace
}  // namespace limber::training
