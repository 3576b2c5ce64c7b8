// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/mesh_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "limber/base/threads.h"
#include "limber/parts/parts_testing.h"
#include "limber/testing/shared_data.h"

namespace limber::parts {
namespace {

PartsDenoiser small_denoiser() {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(PartsFiles().write(folder.path()).ok());
  return PartsDenoiser::open(folder.path()).value();
}

/// An untaught network finds some parts of anything.
TEST(MeshParts, AreConsecutiveNumbersForEveryTriangleAndTheSameForAnyNumberOfThreads) {
  const PartsDenoiser denoiser = small_denoiser();
  const Cross cross(1);
  const StaticMesh mesh{cross.frames[0], cross.triangles, cross.colors};
  set_thread_count(1);
  MeshPartsSettings settings;
  settings.view_sets = 2;
  const auto one = find_mesh_parts(denoiser, mesh, settings);
  set_thread_count(3);
  const auto three = find_mesh_parts(denoiser, mesh, settings);
  set_thread_count(0);
  ASSERT_TRUE(one.ok()) << one.error().message();
  EXPECT_EQ(one->triangles.size(), cross.triangles.size());
  EXPECT_EQ(one->triangles, three->triangles);
  EXPECT_EQ(one->views.size(), 2u);
  const int count = *std::max_element(one->triangles.begin(), one->triangles.end()) + 1;
  EXPECT_EQ(one->colors.size(), static_cast<std::size_t>(count));
  for (int part = 0; part < count; ++part)
    EXPECT_NE(std::find(one->triangles.begin(), one->triangles.end(), part), one->triangles.end());
}

TEST(MeshParts, AreRefusedWhereNothingIsSeenOrWhenCancelled) {
  const PartsDenoiser denoiser = small_denoiser();
  EXPECT_FALSE(find_mesh_parts(denoiser, {}).ok());
  const Cross cross(1);
  MeshPartsSettings settings;
  settings.progress = [](std::string_view, double) { return false; };
  const auto stopped = find_mesh_parts(denoiser, {cross.frames[0], cross.triangles, {}}, settings);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace limber::parts
