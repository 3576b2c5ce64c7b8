// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/film.h"

#include <gtest/gtest.h>

#include "limber/asset/surface.h"
#include "limber/zoo/creature.h"

namespace limber::scene {
namespace {

asset::Asset statue() {
  zoo::CreatureSettings settings;
  settings.resolution = 24;
  return zoo::static_asset(zoo::make_creature(settings).value());
}

FilmSettings small() {
  FilmSettings settings;
  settings.layer = Layer::kMask, settings.orbit.width = 40, settings.orbit.height = 30;
  return settings;
}

TEST(Film, HasEveryTimeAndViewOneBehindTheOther) {
  FilmSettings settings = small();
  settings.times = {0, 1, 2}, settings.orbit.views = 2;
  const Film film = film_asset(statue(), settings).value();
  ASSERT_EQ(film.pixels.size(), 3u * 2 * 30 * 40 * 3);
  const std::size_t picture = 30 * 40 * 3;
  const auto at = [&](std::size_t i) { return film.pixels.begin() + static_cast<std::ptrdiff_t>(i * picture); };
  EXPECT_TRUE(std::equal(at(0), at(1), at(2)));   // nothing moves
  EXPECT_FALSE(std::equal(at(0), at(1), at(1)));  // from the other side
}

TEST(Film, ShowsABodyThatLiesLikeOneThatStandsWhereItsFacingIsKnown) {
  const Film standing = film_asset(statue(), small()).value();
  asset::Asset lying = statue();
  asset::turn_scene(lying, axis_angle(Vec3{1, 0, 0}, static_cast<float>(kPi / 2)));
  FilmSettings settings = small();
  settings.facing = rig::make_facing({0, 0, 1}, {0, -1, 0}).value();
  const Film turned = film_asset(lying, settings).value();
  std::size_t differ = 0;
  for (std::size_t i = 0; i < turned.pixels.size(); ++i) differ += turned.pixels[i] != standing.pixels[i] ? 1 : 0;
  EXPECT_LT(differ, turned.pixels.size() / 50);
}

TEST(Film, RefusesWhatCannotBeDrawnAndStopsWhenAsked) {
  FilmSettings settings = small();
  settings.clip = 0;
  EXPECT_FALSE(film_asset(statue(), settings).ok());
  settings = small(), settings.layer = Layer::kSkeleton;
  EXPECT_FALSE(film_asset(statue(), settings).ok());
  settings = small(), settings.times.assign(1 << 22, 0);
  EXPECT_EQ(film_asset(statue(), settings).error().kind, ErrorKind::kOutOfMemory);
  settings = small(), settings.progress = [](std::string_view, double) { return false; };
  EXPECT_EQ(film_asset(statue(), settings).error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace limber::scene
