// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/rasterize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/splat/reference.h"
#include "limber/splat/test_clips.h"
#include "limber/testing/tensor_file.h"

// Counts allocations of the whole program, for the test that there are none. Inlined, they would confuse GCC's
// warnings.
static std::atomic<std::size_t> g_allocations{0};
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++g_allocations;
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace limber::splat {
namespace {

using testing::relative_error;

/// Runs a test at every SIMD level of this machine, and puts the level and thread count back.
class Rasterize : public ::testing::Test {
 protected:
  ~Rasterize() override {
    set_simd_level(level_);
    set_thread_count(threads_);
  }
  template <class Body>
  void at_every_level(const Body& body) {
    for (const SimdLevel level : available_simd_levels()) {
      SCOPED_TRACE(std::string(simd_level_name(level)));
      set_simd_level(level);
      body();
    }
  }

 private:
  SimdLevel level_ = simd_level();
  int threads_ = thread_count();
};

/// What the reference makes of a clip, summed over images as the fast path does.
struct Expected {
  std::vector<Vec3> images;
  std::vector<float> alphas;
  std::vector<Vec3> grad_means, grad_colors, grad_background;
  std::vector<Symmetric> grad_covariances;
  std::vector<float> grad_opacities;
  std::vector<Affine> grad_bones;
};

Expected expected_of(const Clip& clip) {
  const ReferenceGaussians rest = to_reference(clip.scene);
  const ReferenceSkin skin = to_reference_skin(clip.scene);
  const std::size_t count = rest.means.size(), frames = static_cast<std::size_t>(clip.input.frame_count);
  const std::size_t bone_count = static_cast<std::size_t>(clip.input.bone_count);
  ReferenceGradient sum{std::vector<Vec3d>(count),
                        std::vector<Symmetricd>(count),
                        std::vector<double>(count),
                        std::vector<Vec3d>(count),
                        {}};
  std::vector<Affined> bone_sum(clip.bones.size(), {Mat3d{}, Vec3d{}});
  Expected e;
  for (std::size_t i = 0; i < clip.cameras.size(); ++i) {
    std::vector<Affined> bones;
    for (std::size_t b = 0; b < bone_count; ++b)
      bones.push_back(clip.bones[i % frames * bone_count + b].cast<double>());
    const bool skinned = skin.influences > 0;
    const ReferenceGaussians posed = skinned ? reference_pose_forward(rest, skin, bones) : rest;
    const ReferenceImage image = reference_forward(posed, clip.cameras[i]);
    const std::size_t pixels = image.color.size();
    std::vector<Vec3d> grad_color(pixels);
    std::vector<double> grad_alpha(pixels);
    for (std::size_t p = 0; p < pixels; ++p) {
      e.images.push_back(image.color[p].cast<float>());
      e.alphas.push_back(static_cast<float>(1 - image.transmittance[p]));
      grad_color[p] = clip.cotangent.image[i * pixels + p].cast<double>();
      grad_alpha[p] = double(clip.cotangent.alpha[i * pixels + p]);
    }
    const ReferenceGradient grad = reference_backward(posed, clip.cameras[i], image, grad_color, grad_alpha);
    ReferencePoseGradient pose{{}, grad.means, grad.covariances};
    if (skinned) pose = reference_pose_backward(rest, skin, bones, grad);
    for (std::size_t g = 0; g < count; ++g) {
      sum.means[g] += pose.means[g];
      sum.covariances[g] += pose.covariances[g];
      sum.opacities[g] += grad.opacities[g];
      sum.colors[g] += grad.colors[g];
    }
    sum.background += grad.background;
    for (std::size_t b = 0; b < pose.bones.size(); ++b) {
      bone_sum[i % frames * bone_count + b].linear += pose.bones[b].linear;
      bone_sum[i % frames * bone_count + b].translation += pose.bones[b].translation;
    }
  }
  for (std::size_t g = 0; g < count; ++g) {
    e.grad_means.push_back(sum.means[g].cast<float>());
    e.grad_covariances.push_back(sum.covariances[g].cast<float>());
    e.grad_opacities.push_back(static_cast<float>(sum.opacities[g]));
    e.grad_colors.push_back(sum.colors[g].cast<float>());
  }
  e.grad_background.push_back(sum.background.cast<float>());
  for (const Affined& bone : bone_sum) e.grad_bones.push_back(bone.cast<float>());
  return e;
}

void expect_images(const Clip& clip, const Expected& e) {
  const std::vector<float> found = flat(clip.images), wanted = flat(e.images);
  ASSERT_EQ(found.size(), wanted.size());
  std::size_t flipped = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float difference = std::abs(found[i] - wanted[i]);
    ASSERT_LE(difference, 1.0f / 255) << "at " << i;
    if (difference > 2e-6f) ++flipped;
  }
  EXPECT_LE(flipped, found.size() / 10000);
  EXPECT_LE(relative_error(clip.alphas, e.alphas), 1e-5);
}

void expect_gradients(const Clip& clip, const Expected& e, double tolerance = 1e-5) {
  EXPECT_LE(relative_error(flat(clip.grad_means), flat(e.grad_means)), tolerance);
  EXPECT_LE(relative_error(flat(clip.grad_covariances), flat(e.grad_covariances)), tolerance);
  EXPECT_LE(relative_error(clip.grad_opacities, e.grad_opacities), tolerance);
  EXPECT_LE(relative_error(flat(clip.grad_colors), flat(e.grad_colors)), tolerance);
  EXPECT_LE(relative_error(flat(clip.grad_background), flat(e.grad_background)), tolerance);
  if (!e.grad_bones.empty()) {
    EXPECT_LE(relative_error(flat(clip.grad_bones), flat(e.grad_bones)), tolerance);
  }
}

TEST_F(Rasterize, GivesTheImagesAndGradientsOfTheReference) {
  // Few large, many small, opaque, and an image that is no multiple of a tile.
  const TestSceneSettings scenes[] = {
      {.count = 60, .width = 48, .height = 40},
      {.count = 3000, .width = 157, .height = 83, .size = 0.02, .seed = 2},
      {.count = 400, .width = 70, .height = 70, .size = 0.1, .opacity_low = 0.9, .opacity_high = 1.2, .seed = 3},
      {.count = 30, .width = 200, .height = 10, .size = 0.5, .seed = 4},
  };
  for (const TestSceneSettings& settings : scenes) {
    SCOPED_TRACE(std::to_string(settings.count) + " Gaussians");
    Clip clip(make_test_scene(settings));
    const Expected e = expected_of(clip);
    at_every_level([&] {
      RasterWorkspace workspace;
      clip.forward(workspace);
      expect_images(clip, e);
      clip.backward(workspace);
      expect_gradients(clip, e);
    });
  }
}

TEST_F(Rasterize, SkinsProjectsAndSumsOverFramesAndViewsAsTheReferenceDoes) {
  Clip clip(make_test_scene({.count = 1500, .width = 64, .height = 48, .size = 0.04, .bones = 5, .influences = 4}), 3,
            2, 5);
  const Expected e = expected_of(clip);
  at_every_level([&] {
    RasterWorkspace workspace;
    clip.forward(workspace);
    expect_images(clip, e);
    clip.backward(workspace);
    expect_gradients(clip, e);
    // The pose-only backward gives the same as the full one.
    clip.backward_pose(workspace);
    EXPECT_LE(relative_error(flat(clip.grad_bones), flat(e.grad_bones)), 1e-5);
  });
}

TEST_F(Rasterize, GivesTheSameBitsForAnyNumberOfThreadsAndAnyMemory) {
  Clip clip(make_test_scene({.count = 5000, .width = 150, .height = 90, .size = 0.03, .bones = 6, .influences = 4}), 4,
            2, 6);
  at_every_level([&] {
    std::vector<std::vector<float>> first;
    for (const int threads : {1, 2, 3, 8}) {
      for (const std::size_t keep : {std::size_t{128} << 20, std::size_t{1} << 21}) {
        set_thread_count(threads);
        RasterWorkspace workspace(keep);
        clip.forward(workspace);
        clip.backward(workspace);
        const std::vector<float> full_bones = flat(clip.grad_bones);
        clip.backward_pose(workspace);
        const std::vector<std::vector<float>> found{
            flat(clip.images),           clip.alphas,         flat(clip.grad_means),
            flat(clip.grad_covariances), clip.grad_opacities, flat(clip.grad_colors),
            flat(clip.grad_background),  full_bones,          flat(clip.grad_bones)};
        if (first.empty()) first = found;
        for (std::size_t k = 0; k < found.size(); ++k) {
          // Gradients that images share are added in groups whose size depends on the memory.
          if (keep != std::size_t{128} << 20 && k >= 2 && k <= 5) continue;
          ASSERT_EQ(0, std::memcmp(found[k].data(), first[k].data(), found[k].size() * sizeof(float)))
              << "result " << k << ", " << threads << " threads";
        }
      }
    }
  });
}

TEST_F(Rasterize, SimdLevelsAgree) {
  Clip clip(make_test_scene({.count = 5000, .width = 150, .height = 90, .size = 0.03, .bones = 6, .influences = 8}), 2,
            1, 6);
  std::vector<float> images, bones;
  at_every_level([&] {
    RasterWorkspace workspace;
    clip.forward(workspace);
    clip.backward_pose(workspace);
    if (images.empty()) images = flat(clip.images), bones = flat(clip.grad_bones);
    EXPECT_LE(relative_error(flat(clip.images), images), 1e-5);
    EXPECT_LE(relative_error(flat(clip.grad_bones), bones), 1e-5);
  });
}

/// The reference's image of a scene, for odd scenes.
void expect_like_reference(const TestScene& scene, double tolerance = 1e-5) {
  Clip clip(scene);
  const Expected e = expected_of(clip);
  RasterWorkspace workspace;
  clip.forward(workspace);
  expect_images(clip, e);
  clip.backward(workspace);
  expect_gradients(clip, e, tolerance);
}

TEST_F(Rasterize, GuardsTheFieldOfViewAndTheNearPlaneAsTheReferenceDoes) {
  TestScene scene = make_test_scene({.count = 40, .width = 32, .height = 32, .size = 0.6, .seed = 4});
  for (std::size_t i = 0; i < scene.means.size(); ++i) {
    const float side = i % 2 ? 1.0f : -1.0f;
    if (i % 4 < 2) scene.means[i].x = side * (2 + 0.1f * static_cast<float>(i));
    if (i % 4 == 2) scene.means[i].y = side * 3;
    if (i % 4 == 3) scene.means[i] = {0.4f, 0.7f, 2.6f - 0.001f * static_cast<float>(i)};  // at the camera
  }
  // Gaussians thousands of pixels wide, seen far from their mean, leave float fewer digits.
  at_every_level([&] { expect_like_reference(scene, 1e-4); });
}

TEST_F(Rasterize, BreaksTiesOfDepthByIndex) {
  TestScene scene = make_test_scene({.count = 300, .width = 40, .height = 40, .size = 0.2, .seed = 5});
  scene.camera.camera_from_world = {Mat3::diagonal({1, -1, -1}), {0, 0, 3}};
  for (std::size_t i = 0; i < scene.means.size(); ++i) scene.means[i].z = static_cast<float>(i % 3) * 0.25f;
  at_every_level([&] { expect_like_reference(scene); });
}

TEST_F(Rasterize, SortsDepthsThatFloatCannotTellApart) {
  TestScene scene = make_test_scene({.count = 200, .width = 24, .height = 24, .size = 0.3, .seed = 6});
  scene.camera.camera_from_world = {Mat3::diagonal({1, -1, -1}), {0, 0, 1000}};
  scene.camera.fx = scene.camera.fy = 9000;
  // Depths differ by 1e-7: a hundredth of what a float near 1000 resolves.
  for (std::size_t i = 0; i < scene.means.size(); ++i) scene.means[i].z = 1e-7f * static_cast<float>((i * 7919) % 200);
  // One far behind, so that the range of depths is wide.
  scene.means[0].z = -1e7f;
  at_every_level([&] { expect_like_reference(scene); });
}

TEST_F(Rasterize, DrawsTheBackgroundWhereThereIsNothingElse) {
  TestScene empty = make_test_scene({.count = 0, .width = 33, .height = 5});
  TestScene behind = make_test_scene({.count = 50, .width = 33, .height = 5});
  for (Vec3& mean : behind.means) mean.z += 10;
  at_every_level([&] {
    for (const TestScene& scene : {empty, behind}) {
      Clip clip(scene);
      RasterWorkspace workspace;
      clip.forward(workspace);
      for (const Vec3& color : clip.images) ASSERT_EQ(color, scene.background);
      for (const float alpha : clip.alphas) ASSERT_EQ(alpha, 0);
      clip.backward(workspace);
      for (const Vec3& grad : clip.grad_means) ASSERT_EQ(grad, Vec3{});
      for (const float grad : clip.grad_opacities) ASSERT_EQ(grad, 0);
    }
  });
}

TEST_F(Rasterize, LeavesOutWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  TestScene good = make_test_scene({.count = 30, .width = 40, .height = 40, .seed = 8});
  at_every_level([&] {
    Clip expected(good);
    RasterWorkspace workspace;
    expected.forward(workspace);
    for (const float bad : {nan, infinite, -infinite, 1e38f, -1e38f}) {
      for (int field = 0; field < 6; ++field) {
        SCOPED_TRACE("field " + std::to_string(field) + " = " + std::to_string(bad));
        TestScene scene = good;
        scene.means.push_back({0, 0, 0});
        scene.covariances.push_back({0.01f, 0, 0, 0.01f, 0, 0.01f});
        scene.opacities.push_back(0.5f);
        scene.colors.push_back({1, 1, 1});
        if (field == 0) scene.means.back().x = bad;
        if (field == 1) scene.means.back().z = bad;
        if (field == 2) scene.covariances.back().xx = bad;
        if (field == 3) scene.covariances.back().xy = bad;
        if (field == 4) scene.opacities.back() = bad;
        if (field == 5) scene.colors.back().y = bad;
        Clip clip(scene);
        clip.forward(workspace);
        clip.backward(workspace);
        const bool drawn = std::isfinite(bad);  // absurd but finite numbers may be drawn
        for (std::size_t i = 0; i < clip.images.size(); ++i) {
          ASSERT_TRUE(is_finite(clip.images[i]));
          if (!drawn) {
            ASSERT_EQ(clip.images[i], expected.images[i]);
          }
        }
        for (std::size_t i = 0; i < good.means.size(); ++i) {
          ASSERT_TRUE(drawn || is_finite(clip.grad_means[i]));
        }
      }
    }
  });
}

TEST_F(Rasterize, DrawsPointsDiscsAndHugeGaussians) {
  TestScene scene = make_test_scene({.count = 12, .width = 60, .height = 50, .seed = 9});
  const float sizes[] = {0, 1e-12f, 1e-3f, 0.1f, 10, 1e3f};
  for (std::size_t i = 0; i < 12; ++i) {
    const float a = sizes[i / 2], b = i % 2 ? 0.0f : a;
    scene.covariances[i] = {a * a, 0, 0, b * b, 0, a * a};
    scene.opacities[i] = 0.3f;
  }
  at_every_level([&] { expect_like_reference(scene); });
}

TEST_F(Rasterize, DrawsASinglePixel) {
  TestScene scene = make_test_scene({.count = 20, .width = 1, .height = 1, .size = 0.4});
  scene.camera.fx = scene.camera.fy = 2;
  scene.camera.cx = scene.camera.cy = 0.5f;
  at_every_level([&] { expect_like_reference(scene); });
}

TEST_F(Rasterize, DrawsAMillionGaussians) {
  set_thread_count(2);  // scratch, and so the bound below, grows with the threads
  Clip clip(make_test_scene({.count = 1000000, .width = 256, .height = 256, .size = 0.004}));
  RasterWorkspace workspace;
  clip.forward(workspace);
  clip.backward(workspace);
  double covered = 0;
  for (std::size_t i = 0; i < clip.images.size(); ++i) {
    ASSERT_TRUE(is_finite(clip.images[i]));
    covered += double(clip.alphas[i]);
  }
  EXPECT_GT(covered, 0.2 * double(clip.alphas.size()));
  for (const Vec3& grad : clip.grad_means) ASSERT_TRUE(is_finite(grad));
  EXPECT_LT(workspace.bytes(), std::size_t{400} << 20);
}

TEST_F(Rasterize, DrawsALargeImage) {
  const TestScene scene = make_test_scene({.count = 40, .width = 4096, .height = 4096, .size = 0.01, .seed = 3});
  RasterInput input;
  input.means = scene.means;
  input.covariances = scene.covariances;
  input.opacities = scene.opacities;
  input.colors = scene.colors;
  input.cameras = {&scene.camera, 1};
  std::vector<Vec3> image(4096 * 4096);
  std::vector<float> alpha(image.size()), grad_alpha(image.size(), 1.0f), grad_opacities(scene.means.size());
  RasterWorkspace workspace;
  rasterize_forward(input, {image, alpha}, workspace);
  RasterGradient gradient;
  gradient.opacities = grad_opacities;
  rasterize_backward(input, {image, alpha}, {{}, grad_alpha}, gradient, workspace);

  // The same as the reference near every Gaussian that is seen alone.
  const ReferenceGaussians gaussians = to_reference(scene);
  ReferenceGaussians one{{gaussians.means[7]}, {gaussians.covariances[7]}, {gaussians.opacities[7]}, {{1, 1, 1}}, {}};
  const ReferenceImage reference = reference_forward(one, scene.camera);
  std::size_t inside = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (reference.transmittance[i] > 0.999) continue;
    ++inside;
    ASSERT_GE(double(alpha[i]), 1 - reference.transmittance[i] - 1e-5);
  }
  EXPECT_GT(inside, 100u);
  for (const float grad : grad_opacities) EXPECT_GT(grad, 0);
}

TEST_F(Rasterize, TakesColoursPerImageOpacitiesPerFrameAndBackgroundPerPixel) {
  Clip clip(make_test_scene({.count = 50, .width = 40, .height = 30, .bones = 2, .influences = 1}), 2, 2, 2);
  const std::size_t count = clip.scene.means.size(), pixels = 40 * 30;
  // Four images, each with its own everything, one call each ...
  std::vector<Vec3> colors, background;
  std::vector<float> opacities;
  for (std::size_t k = 0; k < 4 * count; ++k) colors.push_back({0.01f * static_cast<float>(k % 100), 0.5f, 1});
  for (std::size_t k = 0; k < 2 * count; ++k) opacities.push_back(0.1f + 0.008f * static_cast<float>(k % 100));
  for (std::size_t k = 0; k < 4 * pixels; ++k) background.push_back({0.001f * static_cast<float>(k % 977), 0, 0.3f});
  std::vector<Vec3> images, grad_colors, grad_background;
  std::vector<float> grad_opacities(2 * count);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t frame = i % 2;
    RasterInput input = clip.input;
    input.colors = std::span(colors).subspan(i * count, count);
    input.opacities = std::span(opacities).subspan(frame * count, count);
    input.background = std::span(background).subspan(i * pixels, pixels);
    input.bones = input.bones.subspan(frame * 2, 2);
    input.cameras = input.cameras.subspan(i, 1);
    input.frame_count = 1;
    std::vector<Vec3> image(pixels), grad_color(count), grad_pixel(pixels);
    std::vector<float> alpha(pixels);
    RasterWorkspace workspace;
    rasterize_forward(input, {image, alpha}, workspace);
    RasterGradient gradient;
    gradient.colors = grad_color;
    gradient.opacities = std::span(grad_opacities).subspan(frame * count, count);
    gradient.background = grad_pixel;
    rasterize_backward(input, {image, alpha}, {std::span(clip.cotangent.image).subspan(i * pixels, pixels), {}},
                       gradient, workspace);
    images.insert(images.end(), image.begin(), image.end());
    grad_colors.insert(grad_colors.end(), grad_color.begin(), grad_color.end());
    grad_background.insert(grad_background.end(), grad_pixel.begin(), grad_pixel.end());
  }
  // ... are the same as all in one.
  clip.input.colors = colors;
  clip.input.opacities = opacities;
  clip.input.background = background;
  clip.background = background;
  clip.cotangent.alpha.assign(clip.cotangent.alpha.size(), 0);
  RasterWorkspace workspace;
  clip.forward(workspace);
  clip.backward(workspace);
  EXPECT_EQ(flat(clip.images), flat(images));
  EXPECT_EQ(flat(clip.grad_colors), flat(grad_colors));
  EXPECT_EQ(flat(clip.grad_background), flat(grad_background));
  EXPECT_LE(relative_error(clip.grad_opacities, grad_opacities), 1e-6);
}

TEST_F(Rasterize, GivesTheSameGradientsOfOpacitiesWithoutThoseOfColours) {
  Clip clip(make_test_scene({.count = 1300, .width = 70, .height = 50, .size = 0.04, .bones = 3, .influences = 2}), 3,
            2, 3);
  const std::size_t count = clip.scene.means.size();
  std::vector<float> of_frames;
  for (std::size_t k = 0; k < 3 * count; ++k) of_frames.push_back(0.1f + 0.008f * static_cast<float>(k % 100));
  for (const std::span<const float> opacities : {std::span<const float>(clip.scene.opacities), {of_frames}}) {
    clip.input.opacities = opacities;
    at_every_level([&] {
      std::vector<std::vector<float>> found;
      for (const int threads : {1, 3}) {
        set_thread_count(threads);
        for (const bool colors : {true, false}) {
          RasterWorkspace workspace;
          clip.forward(workspace);
          std::vector<float> grad_opacities(opacities.size());
          std::vector<Vec3> grad_colors(colors ? count : 0);
          RasterGradient gradient;
          gradient.opacities = grad_opacities, gradient.colors = grad_colors;
          rasterize_backward(clip.input, {clip.images, clip.alphas}, {clip.cotangent.image, clip.cotangent.alpha},
                             gradient, workspace);
          found.push_back(grad_opacities);
        }
      }
      EXPECT_NE(found[0], std::vector<float>(opacities.size()));
      for (const std::vector<float>& other : found) EXPECT_EQ(other, found[0]);
    });
  }
}

TEST_F(Rasterize, AllocatesNothingAfterTheFirstCall) {
  Clip clip(make_test_scene({.count = 3000, .width = 100, .height = 80, .size = 0.03, .bones = 4, .influences = 4}), 3,
            2, 4);
  set_thread_count(3);
  for (const std::size_t keep : {std::size_t{128} << 20, std::size_t{1} << 20}) {
    RasterWorkspace workspace(keep);
    clip.forward(workspace);
    clip.backward(workspace);
    clip.backward_pose(workspace);
    RasterGradient gradient;
    gradient.bones = clip.grad_bones;
    const std::size_t before = g_allocations, bytes = workspace.bytes();
    for (int i = 0; i < 5; ++i) {
      clip.forward(workspace);
      rasterize_backward(clip.input, {clip.images, clip.alphas}, {clip.cotangent.image, clip.cotangent.alpha}, gradient,
                         workspace);
    }
    EXPECT_EQ(g_allocations, before);
    EXPECT_EQ(workspace.bytes(), bytes);
  }
}

TEST_F(Rasterize, RefusesInputsThatDoNotFitTogether) {
  Clip clip(make_test_scene({.count = 10, .width = 20, .height = 20, .bones = 2, .influences = 2}), 2, 1, 2);
  RasterWorkspace workspace;
  EXPECT_THROW(clip.backward(workspace), ContractError);  // no forward yet
  const auto refuses = [&](auto change) {
    RasterInput input = clip.input;
    change(input);
    EXPECT_THROW(rasterize_forward(input, {clip.images, clip.alphas}, workspace), ContractError);
  };
  refuses([](RasterInput& i) { i.means = i.means.first(9); });
  refuses([](RasterInput& i) { i.colors = i.colors.first(9); });
  refuses([](RasterInput& i) { i.opacities = i.opacities.first(9); });
  refuses([](RasterInput& i) { i.bones = i.bones.first(3); });
  refuses([](RasterInput& i) { i.bone_weights = i.bone_weights.first(3); });
  refuses([](RasterInput& i) { i.cameras = {}; });
  refuses([](RasterInput& i) { i.frame_count = 3; });
  refuses([](RasterInput& i) { i.bone_count = 1; });
  Camera other = clip.cameras[1];
  other.width = 21;
  const std::vector<Camera> mixed{clip.cameras[0], other};
  refuses([&](RasterInput& i) { i.cameras = mixed; });
  EXPECT_THROW(rasterize_forward(clip.input, {std::span(clip.images).first(5), clip.alphas}, workspace), ContractError);
}

}  // namespace
}  // namespace limber::splat
