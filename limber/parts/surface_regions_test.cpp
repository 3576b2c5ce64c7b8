// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/surface_regions.h"

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

/// For colours that tell no places.
RegionSettings by_color_alone() {
  RegionSettings settings;
  settings.middle_weight = 0, settings.mirrored = 1;
  return settings;
}

TEST(SurfaceRegions, GiveAMeshThePartsOfItsPictures) {
  const zoo::Creature creature = test_creature();
  const rig::Subject& subject = creature.subject;
  std::vector<std::uint8_t> labels;
  for (const int label : creature.face_labels) labels.push_back(static_cast<std::uint8_t>(label));
  const PicturedBody body{{subject.points}, subject.triangles, {}, labels};
  PaintedViews view{draw_pictures(body, {}), {}};
  const std::vector<Vec3> codes =
      part_codes(body, view.pictures.frame, 1 + *std::max_element(labels.begin(), labels.end()));
  for (const std::uint8_t label : view.pictures.labels)
    view.colors.push_back(label > 0 ? part_color(codes[label - 1u]) : Vec3{});
  const std::vector<int> found = find_regions(subject.points, subject.triangles, std::span(&view, 1));
  ASSERT_EQ(found.size(), subject.triangles.size());
  EXPECT_GT(agreement(subject, found, creature.face_labels), 0.72);
  const auto by_color = find_regions(subject.points, subject.triangles, std::span(&view, 1), by_color_alone());
  EXPECT_GT(agreement(subject, by_color, creature.face_labels), 0.85);
}

/// A row of squares, each of two triangles, and pictures in which some of them are seen.
struct Row {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  PaintedViews view;

  explicit Row(int squares) {
    for (int i = 0; i <= squares; ++i) {
      const auto x = static_cast<float>(i);
      points.push_back({x, 0, 0}), points.push_back({x, 1, 0});
    }
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(squares); ++i)
      triangles.push_back({2 * i, 2 * i + 2, 2 * i + 3}), triangles.push_back({2 * i, 2 * i + 3, 2 * i + 1});
    view.pictures.views = view.pictures.frames = 1, view.pictures.size = 16;
    view.pictures.triangles.assign(256, -1), view.pictures.facings.assign(256, 0);
    view.colors.assign(256, {});
  }
  void see(int square, float grey) {
    for (int k = 0; k < 2; ++k) {
      const auto pixel = static_cast<std::size_t>(2 * square + k);
      view.pictures.triangles[pixel] = 2 * square + k, view.pictures.facings[pixel] = 1;
      view.colors[pixel] = {grey, grey, grey};
    }
  }
  std::vector<int> regions(const RegionSettings& settings = by_color_alone()) const {
    return find_regions(points, triangles, std::span(&view, 1), settings);
  }
};

TEST(SurfaceRegions, SpreadAlongTheSurfaceToWhatNobodySees) {
  Row row(6);
  row.see(0, 0.3f), row.see(5, 0.9f);
  const std::vector<int> found = row.regions();
  EXPECT_EQ(std::set<int>(found.begin(), found.begin() + 5).size(), 1u);
  EXPECT_EQ(std::set<int>(found.end() - 5, found.end()).size(), 1u);
  EXPECT_NE(found.front(), found.back());
}

TEST(SurfaceRegions, KeepPiecesApartThatLieApartAndAbsorbSmallOnes) {
  Row row(8);
  for (const int i : {0, 1, 2, 6, 7}) row.see(i, 0.3f);
  for (const int i : {3, 4, 5}) row.see(i, 0.8f);
  const std::vector<int> found = row.regions();
  EXPECT_EQ(std::set<int>(found.begin(), found.end()).size(), 3u);
  EXPECT_NE(found.front(), found.back());
  RegionSettings settings = by_color_alone();
  settings.least_share = 0.3;  // the two at the end are a quarter
  const std::vector<int> fewer = row.regions(settings);
  EXPECT_EQ(fewer.back(), fewer[8]);
  EXPECT_EQ(std::set<int>(fewer.begin(), fewer.end()).size(), 2u);
}

TEST(SurfaceRegions, AreOnePartForColoursThatHardlyDiffer) {
  Row row(8);
  for (int i = 0; i < 8; ++i) row.see(i, i % 2 == 0 ? 0.5f : 0.505f);
  const std::vector<int> found = row.regions();
  EXPECT_EQ(std::set<int>(found.begin(), found.end()).size(), 1u);
}

TEST(SurfaceRegions, TakeLeftAndRightForMirrorImagesWhereTheyAre) {
  // Four squares about x = 2; the network is sure of the outer left one alone.
  Row row(4);
  for (Vec3& p : row.points) p.y *= 0.2f;
  row.view.pictures.frame = make_code_frame(row.points, 0);
  const auto color = [&](float x) { return part_color(row.view.pictures.frame.code({x, 0.1f, 0})); };
  const auto paint = [&](int square, Vec3 with) {
    row.see(square, 0);
    row.view.colors[static_cast<std::size_t>(2 * square)] = with;
    row.view.colors[static_cast<std::size_t>(2 * square + 1)] = with;
  };
  paint(0, color(0.5f)), paint(1, color(1.6f)), paint(2, color(2.4f)), paint(3, color(2.4f));
  RegionSettings settings;
  settings.mirrored = 1;
  EXPECT_EQ(row.regions(settings)[4], row.regions(settings)[6]);
  settings.mirrored = 0.7;
  const std::vector<int> found = row.regions(settings);
  EXPECT_NE(found[4], found[6]);
  EXPECT_NE(found[0], found[6]);
  // Not so where the body is no mirror image.
  for (Vec3& p : row.points) p.y *= 1 + 4 * p.x;
  EXPECT_EQ(row.regions(settings)[4], row.regions(settings)[6]);
}

/// The colour of a part tells where its middle is: of two halves, those are one part whose colours say the place
/// between them.
TEST(SurfaceRegions, EndWhereTheirMiddlesAreWhereTheirColoursSay) {
  Row row(8);
  for (Vec3& p : row.points) p.y *= 0.2f;
  row.view.pictures.frame = make_code_frame(row.points, 0);
  for (int i = 0; i < 8; ++i) {
    row.see(i, 0);
    // Both halves of each part are painted a little to their own side.
    const float middle = (i < 4 ? 2.0f : 6.0f) + (i % 4 < 2 ? -0.35f : 0.35f);
    const Vec3 color = part_color(row.view.pictures.frame.code({middle, 0.1f, 0}));
    row.view.colors[static_cast<std::size_t>(2 * i)] = row.view.colors[static_cast<std::size_t>(2 * i + 1)] = color;
  }
  RegionSettings settings;
  settings.mirrored = 1, settings.middle_weight = 0, settings.smoothness = 0;
  const auto count = [&] {
    const std::vector<int> found = row.regions(settings);
    return std::set<int>(found.begin(), found.end()).size();
  };
  EXPECT_EQ(count(), 4u);
  settings.middle_weight = 0.5;
  EXPECT_EQ(count(), 2u);
}

TEST(SurfaceRegions, TakeAnyMesh) {
  Row row(2);
  EXPECT_EQ(row.regions(), (std::vector<int>{0, 0, 0, 0}));  // nobody sees anything
  row.triangles.push_back({0, 0, 1});                        // no area
  row.see(0, 0.3f), row.see(1, 0.9f);
  const std::vector<int> found = row.regions();
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[4], found[0]);
  row.triangles.clear(), row.points.clear();
  row.view.pictures.triangles.assign(256, -1);
  EXPECT_TRUE(row.regions().empty());
}

}  // namespace
}  // namespace limber::parts
