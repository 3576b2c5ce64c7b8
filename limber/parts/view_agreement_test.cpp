// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/view_agreement.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"
#include "limber/parts/parts_testing.h"

namespace limber::parts {
namespace {

/// A cross from eight sides, with the labels that `say(part, picture)` gives.
template <class Say>
double agreement_of(const Say& say) {
  const Cross cross(1);
  PicturedBody body = cross.body();
  body.frames.assign(2, cross.frames[0]);
  PictureSettings settings;
  settings.size = 32, settings.orbit = mesh_orbit(2, 0.25f);
  LabelledPictures view{draw_pictures(body, settings), {}};
  const std::size_t each = view.pictures.pixels() / 8;
  for (std::size_t i = 0; i < view.pictures.pixels(); ++i) {
    const int part = view.pictures.labels[i];
    view.labels.push_back(part > 0 ? say(part, i / each) : -1);
  }
  return view_agreement(std::vector<LabelledPictures>{view});
}

TEST(ViewAgreement, IsOneWhereAllPicturesSayTheSameAndLowWhereTheyGuess) {
  EXPECT_GT(agreement_of([](int part, std::size_t) { return part; }), 0.9);  // but for places on the border
  Rng rng(3);
  EXPECT_LT(agreement_of([&](int, std::size_t) { return static_cast<int>(rng.below(4)); }), 0.1);
  EXPECT_EQ(view_agreement({}), 1);
}

}  // namespace
}  // namespace limber::parts
