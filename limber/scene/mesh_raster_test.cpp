// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/mesh_raster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"

namespace limber::scene {
namespace {

using splat::Camera;
using Triangle = std::array<std::uint32_t, 3>;

struct Fragment {
  std::uint32_t triangle = 0;
  float coverage = 0, depth = 0;
  Vec3 b;
  Vec2 b1_slope;
  std::uint8_t flags = 0;
  bool operator==(const Fragment&) const = default;
};

/// All fragments of an image, per pixel.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::vector<Fragment>> pixels;
  const std::vector<Fragment>& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
  }
  float coverage(int x, int y) const {
    float sum = 0;
    for (const Fragment& f : at(x, y)) sum += f.coverage;
    return sum;
  }
};

Picture draw(const RasterInput& input, const Camera& camera) {
  Picture picture{camera.width, camera.height, {}};
  picture.pixels.resize(static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height));
  MeshRaster raster;
  std::mutex mutex;
  raster.draw(input, camera, [&](const Tile& tile) {
    std::lock_guard lock(mutex);
    ASSERT_EQ(tile.first.size(), static_cast<std::size_t>(tile.width * tile.height) + 1);
    for (int k = 0; k < tile.width * tile.height; ++k) {
      const int x = tile.x + k % tile.width, y = tile.y + k / tile.width;
      const std::size_t pixel =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(x);
      for (std::size_t i = tile.first[static_cast<std::size_t>(k)]; i < tile.first[static_cast<std::size_t>(k) + 1];
           ++i) {
        picture.pixels[pixel].push_back({tile.triangle[i],
                                         tile.coverage[i],
                                         tile.depth[i],
                                         {1 - tile.b1[i] - tile.b2[i], tile.b1[i], tile.b2[i]},
                                         {tile.b1_dx[i], tile.b1_dy[i]},
                                         tile.flags[i]});
      }
    }
  });
  return picture;
}

Camera camera_at(Vec3 eye, int width, int height) {
  return splat::look_at(eye, {0, 0, 0}, {0, 1, 0}, 0.8f, width, height);
}

struct Soup {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  RasterInput input() const {
    RasterInput in;
    in.points = points, in.triangles = triangles;
    return in;
  }
};

Soup random_soup(int count, float size, std::uint64_t seed) {
  Rng rng(seed);
  Soup soup;
  const auto draw_vector = [&](float scale) {
    return scale *
           Vec3{static_cast<float>(rng.normal()), static_cast<float>(rng.normal()), static_cast<float>(rng.normal())};
  };
  for (int i = 0; i < count; ++i) {
    const Vec3 middle = draw_vector(0.7f);
    const auto first = static_cast<std::uint32_t>(soup.points.size());
    for (int k = 0; k < 3; ++k) soup.points.push_back(middle + draw_vector(size));
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  return soup;
}

/// A wavy sheet of small triangles without holes.
Soup sheet(int side, std::uint64_t seed) {
  Rng rng(seed);
  Soup soup;
  for (int y = 0; y <= side; ++y) {
    for (int x = 0; x <= side; ++x) {
      const auto jitter = [&] { return static_cast<float>(0.3 * rng.uniform() / side); };
      soup.points.push_back({2.0f * static_cast<float>(x) / static_cast<float>(side) - 1 + jitter(),
                             2.0f * static_cast<float>(y) / static_cast<float>(side) - 1 + jitter(), jitter()});
    }
  }
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const auto a = static_cast<std::uint32_t>(y * (side + 1) + x), b = a + static_cast<std::uint32_t>(side) + 1;
      soup.triangles.push_back({a, a + 1, b});
      soup.triangles.push_back({b, a + 1, b + 1});
    }
  }
  return soup;
}

// --- the plain reference: a ray per sample against every triangle, in double ----------------------------------------

struct Hit {
  int triangle = -1;
  double depth = std::numeric_limits<double>::infinity();
  Vec3d b;
  double margin = 1;  ///< how far the sample is from any doubt: smallest |barycentric|, relative depth to the next
};

Hit cast(const Soup& soup, const Camera& camera, double x, double y, double near) {
  const Affined view = camera.camera_from_world.cast<double>();
  const Vec3d ray{(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, 1};
  Hit nearest;
  double second = std::numeric_limits<double>::infinity(), doubt = 1;
  for (std::size_t i = 0; i < soup.triangles.size(); ++i) {
    const Triangle& t = soup.triangles[i];
    const Vec3d a = view * soup.points[t[0]].cast<double>(), b = view * soup.points[t[1]].cast<double>(),
                c = view * soup.points[t[2]].cast<double>();
    const Vec3d u = b - a, v = c - a, p = cross(ray, v);
    const double det = dot(u, p);
    if (det == 0) continue;
    const double b1 = dot(-a, p) / det, b2 = dot(ray, cross(-a, u)) / det, z = dot(v, cross(-a, u)) / det;
    const double inside = std::min({b1, b2, 1 - b1 - b2});
    if (z >= near && std::abs(inside) < 1e-3) doubt = std::min(doubt, std::abs(inside));
    if (std::abs(z - near) < 1e-4) doubt = 0;
    if (inside < 0 || z < near) continue;
    if (z < nearest.depth) {
      second = nearest.depth;
      nearest = {static_cast<int>(i), z, {1 - b1 - b2, b1, b2}, 1};
    } else {
      second = std::min(second, z);
    }
  }
  nearest.margin = std::min(doubt, (second - nearest.depth) / std::max(nearest.depth, 1e-9));
  if (nearest.triangle < 0) nearest.margin = doubt;
  return nearest;
}

/// Compares with the reference; samples in doubt are left out of the count.
void expect_agreement(const Soup& soup, const Camera& camera, float near) {
  RasterInput input = soup.input();
  input.near = near;
  const Picture picture = draw(input, camera);
  int checked = 0;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      std::map<std::uint32_t, int> samples;
      std::map<std::uint32_t, Vec2> middles;
      bool clear = true;
      for (std::size_t s = 0; s < 8; ++s) {
        const double sx = x + 0.5 + double(kSampleX[s]), sy = y + 0.5 + double(kSampleY[s]);
        const Hit hit = cast(soup, camera, sx, sy, double(near));
        if (hit.margin < 1e-4) clear = false;
        if (hit.triangle < 0) continue;
        const auto id = static_cast<std::uint32_t>(hit.triangle);
        ++samples[id];
        middles[id].x += static_cast<float>(sx), middles[id].y += static_cast<float>(sy);
      }
      if (!clear) continue;
      ++checked;
      // A triangle that the near plane cuts into two pieces may have two fragments.
      std::map<std::uint32_t, std::vector<Fragment>> fragments;
      for (const Fragment& f : picture.at(x, y)) fragments[f.triangle].push_back(f);
      ASSERT_EQ(fragments.size(), samples.size()) << x << ", " << y;
      for (const auto& [triangle, pieces] : fragments) {
        const int count = samples[triangle];
        float coverage = 0;
        for (const Fragment& f : pieces) coverage += f.coverage;
        ASSERT_EQ(coverage * 8, static_cast<float>(count)) << x << ", " << y;
        if (pieces.size() > 1) continue;
        const Fragment& f = pieces[0];
        // Place, at the middle of the samples.
        Soup alone;
        alone.points = soup.points, alone.triangles = {soup.triangles[f.triangle]};
        const double px = double(middles[f.triangle].x) / count, py = double(middles[f.triangle].y) / count;
        const Hit hit = cast(alone, camera, px, py, 0);
        ASSERT_EQ(hit.triangle, 0);
        ASSERT_NEAR(f.depth, hit.depth, 2e-3 * hit.depth);
        for (int k = 0; k < 3; ++k) ASSERT_NEAR(f.b[k], hit.b[k], 2e-3);
      }
    }
  }
  EXPECT_GT(checked, camera.width * camera.height / 2);
}

TEST(MeshRaster, AgreesWithRaysThroughEverySample) {
  for (const SimdLevel level : available_simd_levels()) {
    set_simd_level(level);
    expect_agreement(random_soup(60, 0.3f, 1), camera_at({0.5f, 1, 3}, 97, 61), 0.01f);
    expect_agreement(random_soup(300, 0.05f, 2), camera_at({-2, 0.5f, 1}, 40, 70), 0.01f);
    expect_agreement(random_soup(12, 2.0f, 3), camera_at({0.5f, 1, 2}, 50, 33), 0.01f);
  }
  set_simd_level(available_simd_levels().back());
}

TEST(MeshRaster, CutsTrianglesAtTheNearPlane) {
  // The camera stands in the middle of the triangles.
  for (std::uint64_t seed = 4; seed < 10; ++seed) {
    expect_agreement(random_soup(20, 1.5f, seed), camera_at({0.1f, 0.2f, 0.4f}, 48, 36), 0.05f);
  }
}

TEST(MeshRaster, LeavesNoGapsAndNoOverlapsAlongSharedEdges) {
  const Soup soup = sheet(40, 1);
  RasterInput input = soup.input();
  // Blended triangles report every hit: on a sheet each sample must be hit exactly once.
  const std::vector<std::uint8_t> kinds(soup.triangles.size(), kBlended);
  input.kinds = kinds;
  for (const Vec3 eye : {Vec3{0, 0, 0.5f}, Vec3{0.03f, 0.05f, 0.9f}, Vec3{0.3f, -0.2f, 0.5f}}) {
    Camera camera = camera_at(eye, 150, 130);
    const Picture picture = draw(input, camera);
    for (int y = 10; y < 120; ++y) {
      for (int x = 10; x < 140; ++x) ASSERT_EQ(picture.coverage(x, y), 1.0f) << x << ", " << y;
    }
  }
}

TEST(MeshRaster, InterpolatesSlopesOfBarycentricCoordinates) {
  Soup soup;
  soup.points = {{-3, -2, 0.5f}, {3, -2, -1}, {0, 3, -2}};
  soup.triangles = {{0, 1, 2}};
  const Picture picture = draw(soup.input(), camera_at({0.3f, 0.2f, 4}, 64, 64));
  for (int y = 20; y < 40; ++y) {
    for (int x = 20; x < 40; ++x) {
      const Fragment &here = picture.at(x, y)[0], &right = picture.at(x + 1, y)[0], &left = picture.at(x - 1, y)[0];
      const Fragment &below = picture.at(x, y + 1)[0], &above = picture.at(x, y - 1)[0];
      EXPECT_NEAR(here.b1_slope.x, 0.5f * (right.b.y - left.b.y), 2e-5f);
      EXPECT_NEAR(here.b1_slope.y, 0.5f * (below.b.y - above.b.y), 2e-5f);
    }
  }
}

TEST(MeshRaster, GivesTheSameBitsForAnyNumberOfThreads) {
  const Soup soup = random_soup(5000, 0.1f, 5);
  const Camera camera = camera_at({0, 1, 3}, 200, 150);
  RasterInput input = soup.input();
  std::vector<std::uint8_t> kinds(soup.triangles.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = i % 5 == 0 ? kBlended : 0;
  input.kinds = kinds;
  const int before = thread_count();
  set_thread_count(1);
  const Picture one = draw(input, camera);
  for (const int threads : {2, 5}) {
    set_thread_count(threads);
    EXPECT_EQ(draw(input, camera).pixels, one.pixels);
  }
  set_thread_count(before);
}

TEST(MeshRaster, HidesBackSidesOfOneSidedTrianglesOnly) {
  Soup soup;
  soup.points = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  soup.triangles = {{0, 1, 2}};
  RasterInput input = soup.input();
  const std::vector<std::uint8_t> one_sided{kOneSided};
  const Camera front = camera_at({0, 0, 3}, 32, 32), back = camera_at({0, 0, -3}, 32, 32);
  EXPECT_EQ(draw(input, front).at(16, 16).at(0).flags, 0) << "counter-clockwise is the front";
  EXPECT_EQ(draw(input, back).at(16, 16).at(0).flags, kBackSide);
  input.kinds = one_sided;
  EXPECT_EQ(draw(input, front).at(16, 16).size(), 1u);
  EXPECT_TRUE(draw(input, back).at(16, 16).empty());
}

TEST(MeshRaster, CutsOutWhatIsNotThere) {
  Soup soup;
  soup.points = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {-1, -1, -0.5f}, {1, -1, -0.5f}, {0, 1, -0.5f}};
  soup.triangles = {{0, 1, 2}, {3, 4, 5}};
  RasterInput input = soup.input();
  const std::vector<std::uint8_t> kinds{kCutout, 0};
  input.kinds = kinds;
  input.inside = [](std::uint32_t triangle, Vec3 b) {
    EXPECT_EQ(triangle, 0u);
    return b.x > b.y;  // the left half
  };
  const Picture picture = draw(input, camera_at({0, 0, 3}, 64, 64));
  EXPECT_EQ(picture.at(28, 40).at(0).triangle, 0u);
  EXPECT_EQ(picture.at(36, 40).at(0).triangle, 1u) << "through the hole";
}

TEST(MeshRaster, ReportsBlendedTrianglesFromFrontToBackUpToTheFirstOpaqueOne) {
  Soup soup;
  for (int layer = 0; layer < 5; ++layer) {
    const auto z = static_cast<float>((layer * 2) % 5);  // 0 2 4 1 3
    for (const Vec3 p : {Vec3{-9, -9, z}, Vec3{9, -9, z}, Vec3{0, 9, z}}) soup.points.push_back(p);
    const auto first = static_cast<std::uint32_t>(3 * layer);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  RasterInput input = soup.input();
  const std::vector<std::uint8_t> kinds{kBlended, kBlended, kBlended, 0, kBlended};
  input.kinds = kinds;
  const std::vector<Fragment> seen = draw(input, camera_at({0, 0, 9}, 32, 32)).at(16, 16);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].triangle, 2u);
  EXPECT_EQ(seen[1].triangle, 4u);
  EXPECT_EQ(seen[2].triangle, 1u);
  EXPECT_EQ(seen[3].triangle, 3u);
  EXPECT_EQ(seen[3].flags & kSeeThrough, 0);
}

TEST(MeshRaster, KeepsTheNearestOfVeryManyBlendedLayers) {
  Soup soup;
  for (int layer = 0; layer < 500; ++layer) {
    const float z = -0.01f * static_cast<float>((layer * 7) % 500);
    for (const Vec3 p : {Vec3{-9, -9, z}, Vec3{9, -9, z}, Vec3{0, 9, z}}) soup.points.push_back(p);
    const auto first = static_cast<std::uint32_t>(3 * layer);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  RasterInput input = soup.input();
  const std::vector<std::uint8_t> kinds(500, kBlended);
  input.kinds = kinds;
  const std::vector<Fragment> seen = draw(input, camera_at({0, 0, 4}, 33, 33)).at(16, 16);
  ASSERT_GE(seen.size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(seen[i].triangle * 7 % 500, i);
}

TEST(MeshRaster, SurvivesBrokenAndExtremeInput) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity(), big = 3e38f;
  Soup soup;
  soup.points = {{nan, 0, 0},    {0, inf, 0},    {0, 0, -inf}, {big, 0, 0}, {0, -big, big}, {1e20f, 1, 1}, {0, 0, 0},
                 {1e-30f, 0, 0}, {0, 1e-30f, 0}, {1, 0, 0},    {0, 1, 0},   {0, 0, 9},      {-1, 0, 0}};
  for (std::uint32_t a = 0; a < soup.points.size(); ++a) {
    for (std::uint32_t b = 0; b < soup.points.size(); ++b) {
      for (std::uint32_t c = 0; c < soup.points.size(); ++c) soup.triangles.push_back({a, b, c});
    }
  }
  for (const int size : {1, 2, 33}) {
    const Picture picture = draw(soup.input(), camera_at({0.3f, 0.4f, 5}, size, size));
    for (const auto& pixel : picture.pixels) {
      float sum = 0;
      for (const Fragment& f : pixel) {
        sum += f.coverage;
        EXPECT_TRUE(std::isfinite(f.depth) && f.depth > 0);
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(f.b[k] >= -1e-5f && f.b[k] <= 1 + 1e-5f);
      }
      EXPECT_LE(sum, 1.0f);
    }
  }
}

TEST(MeshRaster, DrawsNothingOfNothing) {
  const Picture picture = draw({}, camera_at({0, 0, 3}, 50, 40));
  for (const auto& pixel : picture.pixels) EXPECT_TRUE(pixel.empty());
  const Soup behind{{{-1, -1, 9}, {1, -1, 9}, {0, 1, 9}}, {{0, 1, 2}}};
  for (const auto& pixel : draw(behind.input(), camera_at({0, 0, 3}, 50, 40)).pixels) EXPECT_TRUE(pixel.empty());
  RasterInput bad;
  bad.near = 0;
  EXPECT_THROW(draw(bad, camera_at({0, 0, 3}, 5, 5)), ContractError);
}

TEST(MeshRaster, LetsTheFirstOfEqualTrianglesWinWhateverTheirSize) {
  // Small ones are listed in their tiles, large ones are not.
  for (const float size : {0.1f, 90.0f}) {
    Soup soup;
    soup.points = {{-size, -size, 0}, {size, -size, 0}, {0, size, 0}};
    soup.triangles.assign(100, {0, 1, 2});
    const Picture picture = draw(soup.input(), camera_at({0, 0, 3}, 192, 192));
    ASSERT_EQ(picture.at(96, 96).size(), 1u);
    for (const auto& pixel : picture.pixels) {
      for (const Fragment& f : pixel) ASSERT_EQ(f.triangle, 0u);
    }
  }
}

TEST(MeshRaster, DrawsLargeImagesOfOneTriangle) {
  const Soup soup{{{-9, -9, 0}, {9, -9, 0}, {0, 30, 0}}, {{0, 1, 2}}};
  MeshRaster raster;
  std::mutex mutex;
  double covered = 0;
  raster.draw(soup.input(), camera_at({0, 0, 3}, 4096, 4096), [&](const Tile& tile) {
    double sum = 0;
    for (const float c : tile.coverage) sum += double(c);
    std::lock_guard lock(mutex);
    covered += sum;
  });
  EXPECT_EQ(covered, 4096.0 * 4096.0);
}

}  // namespace
}  // namespace limber::scene
