// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/triangle_votes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "limber/parts/parts_testing.h"
#include "limber/zoo/creature.h"

namespace limber::parts {
namespace {

zoo::Creature test_creature() {
  zoo::CreatureSettings settings;
  settings.seed = 3, settings.resolution = 32;
  return zoo::make_creature(settings).value();
}

std::vector<int> true_pixels(const SurfacePictures& pictures) {
  std::vector<int> labels;
  for (const std::uint8_t label : pictures.labels) labels.push_back(static_cast<int>(label) - 1);
  return labels;
}

/// The share of the area whose labels are the same up to their names.
double agreement(const rig::Subject& subject, const std::vector<int>& found, const std::vector<int>& truth) {
  std::map<int, std::map<int, double>> shared;
  double total = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& t = subject.triangles[i];
    const double area =
        double(norm(cross(subject.points[t[1]] - subject.points[t[0]], subject.points[t[2]] - subject.points[t[0]])));
    shared[found[i]][truth[i]] += area, total += area;
  }
  double right = 0;
  for (const auto& [label, row] : shared) {
    double most = 0;
    for (const auto& [other, area] : row) most = std::max(most, area);
    right += most;
  }
  return right / total;
}

TEST(TriangleVotes, GiveAMeshThePartsOfItsPictures) {
  const zoo::Creature creature = test_creature();
  const rig::Subject& subject = creature.subject;
  std::vector<std::uint8_t> labels;
  for (const int label : creature.face_labels) labels.push_back(static_cast<std::uint8_t>(label));
  const PicturedBody body{{subject.points}, subject.triangles, {}, labels};
  LabelledPictures view{draw_pictures(body, {}), {}};
  view.labels = true_pixels(view.pictures);
  const std::vector<int> found = vote_triangles(subject.points, subject.triangles, std::span(&view, 1));
  ASSERT_EQ(found.size(), subject.triangles.size());
  EXPECT_GT(agreement(subject, found, creature.face_labels), 0.85);
}

/// A row of squares, each of two triangles, and pictures in which some of them are seen.
struct Row {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  SurfacePictures pictures;
  std::vector<int> labels;

  explicit Row(int squares) {
    for (int i = 0; i <= squares; ++i) {
      const auto x = static_cast<float>(i);
      points.push_back({x, 0, 0}), points.push_back({x, 1, 0});
    }
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(squares); ++i)
      triangles.push_back({2 * i, 2 * i + 2, 2 * i + 3}), triangles.push_back({2 * i, 2 * i + 3, 2 * i + 1});
    pictures.views = pictures.frames = 1, pictures.size = 16;
    pictures.triangles.assign(256, -1), pictures.facings.assign(256, 0);
    labels.assign(256, -1);
  }
  void see(int square, int label) {
    for (int k = 0; k < 2; ++k) {
      const auto pixel = static_cast<std::size_t>(2 * square + k);
      pictures.triangles[pixel] = 2 * square + k, pictures.facings[pixel] = 1, labels[pixel] = label;
    }
  }
  std::vector<int> vote(const VoteSettings& settings = {}) const {
    const LabelledPictures view{pictures, labels};
    return vote_triangles(points, triangles, std::span(&view, 1), settings);
  }
};

TEST(TriangleVotes, SpreadAlongTheSurfaceToWhatNobodySees) {
  Row row(6);
  row.see(0, 4), row.see(5, 9);
  const std::vector<int> found = row.vote();
  EXPECT_EQ(found, (std::vector<int>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(TriangleVotes, SplitPiecesThatLieApartAndAbsorbSmallOnes) {
  Row row(8);
  for (const int i : {0, 1, 2, 6, 7}) row.see(i, 1);
  for (const int i : {3, 4, 5}) row.see(i, 2);
  const std::vector<int> found = row.vote();
  EXPECT_EQ(std::set<int>(found.begin(), found.end()).size(), 3u);
  EXPECT_NE(found.front(), found.back());
  VoteSettings settings;
  settings.least_share = 0.3;  // the two at the end are a quarter
  const std::vector<int> fewer = row.vote(settings);
  EXPECT_EQ(fewer.back(), fewer[8]);
  EXPECT_EQ(std::set<int>(fewer.begin(), fewer.end()).size(), 2u);
}

TEST(TriangleVotes, TakeAnyMesh) {
  Row row(2);
  EXPECT_EQ(row.vote(), (std::vector<int>{0, 0, 0, 0}));  // nobody sees anything
  row.triangles.push_back({0, 0, 1});                     // no area
  row.see(0, 3), row.see(1, 5);
  const std::vector<int> found = row.vote();
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[4], found[0]);
  row.triangles.clear(), row.points.clear();
  row.pictures.triangles.assign(256, -1);
  EXPECT_TRUE(row.vote().empty());
}

}  // namespace
}  // namespace limber::parts
