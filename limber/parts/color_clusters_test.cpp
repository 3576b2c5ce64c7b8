// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/color_clusters.h"

#include <gtest/gtest.h>

#include "limber/base/rng.h"
#include "limber/base/threads.h"

namespace limber::parts {
namespace {

/// Colours around some centres, so many of each.
std::vector<Vec3> around(const std::vector<Vec3>& centers, const std::vector<int>& counts, double spread) {
  Rng rng(1);
  std::vector<Vec3> colors;
  for (std::size_t i = 0; i < centers.size(); ++i) {
    for (int k = 0; k < counts[i]; ++k) {
      const double x = rng.normal(), y = rng.normal(), z = rng.normal();
      colors.push_back(centers[i] + Vec3d{spread * x, spread * y, spread * z}.cast<float>());
    }
  }
  return colors;
}

TEST(ColorClusters, FindAsManyAsThereAre) {
  const std::vector<Vec3> centers{{0.3f, 0.5f, 0.9f}, {0.8f, 0.5f, 0.9f}, {0.5f, 0.9f, 0.4f}};
  const std::vector<int> counts{400, 200, 100};
  const ColorClusters clusters = cluster_colors(around(centers, counts, 0.02));
  ASSERT_EQ(clusters.centers.size(), 3u);
  std::size_t at = 0;
  for (std::size_t i = 0; i < centers.size(); ++i) {  // largest first, as they were made
    EXPECT_LT(norm(clusters.centers[i] - centers[i]), 0.01f);
    for (int k = 0; k < counts[i]; ++k) ASSERT_EQ(clusters.labels[at++], static_cast<int>(i));
  }
}

TEST(ColorClusters, GiveUpWhatIsTooSmallAndKeepTheLargest) {
  const std::vector<Vec3> colors = around({{0.3f, 0.3f, 0.3f}, {0.9f, 0.9f, 0.9f}}, {1000, 3}, 0.01);
  const ColorClusters clusters = cluster_colors(colors);
  EXPECT_EQ(clusters.centers.size(), 1u);
  EXPECT_EQ(clusters.labels.back(), 0);
  ClusterSettings settings;
  settings.least_share = 0;
  EXPECT_EQ(cluster_colors(colors, settings).centers.size(), 2u);
  settings.most = 1;
  EXPECT_EQ(cluster_colors(colors, settings).centers.size(), 1u);
  EXPECT_TRUE(cluster_colors({}).centers.empty());
  EXPECT_EQ(cluster_colors(std::vector<Vec3>{{5, -9, 0}}).centers.size(), 1u);  // whatever a network says
}

TEST(ColorClusters, AreTheSameForAnyNumberOfThreads) {
  const std::vector<Vec3> colors = around({{0.3f, 0.5f, 0.9f}, {0.6f, 0.5f, 0.5f}}, {500, 500}, 0.1);
  set_thread_count(1);
  const ColorClusters one = cluster_colors(colors);
  set_thread_count(3);
  const ColorClusters three = cluster_colors(colors);
  set_thread_count(0);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_EQ(one.centers, three.centers);
}

}  // namespace
}  // namespace limber::parts
