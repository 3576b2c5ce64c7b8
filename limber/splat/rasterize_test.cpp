// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/rasterize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/splat/reference.h"
#include "limber/splat/test_scenes.h"
#include "limber/testing/tensor_file.h"

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

/// A clip of a test scene: what goes in, what comes out, and gradients of everything.
struct Clip {
  TestScene scene;
  std::vector<Affine> bones;
  std::vector<Camera> cameras;
  RasterInput input;
  std::vector<Vec3> images, background;
  std::vector<float> alphas;
  TestCotangent cotangent;

  std::vector<Vec3> grad_means, grad_colors, grad_background;
  std::vector<Symmetric> grad_covariances;
  std::vector<float> grad_opacities;
  std::vector<Affine> grad_bones;

  explicit Clip(TestScene test_scene, int frames = 1, int views = 1, int bone_count = 0)
      : scene(std::move(test_scene)), background{scene.background} {
    for (int f = 0; f < frames; ++f) {
      for (const Affine& bone : random_bones(bone_count, static_cast<std::uint64_t>(f) + 1)) bones.push_back(bone);
    }
    for (int i = 0; i < frames * views; ++i) {
      Camera camera = scene.camera;
      camera.camera_from_world.translation.x += 0.05f * static_cast<float>(i);
      cameras.push_back(camera);
    }
    bind(frames, bone_count);
    const std::size_t pixels = cameras.size() * static_cast<std::size_t>(scene.camera.width * scene.camera.height);
    images.resize(pixels);
    alphas.resize(pixels);
    cotangent = random_cotangent(pixels, 11);
  }

  void bind(int frames, int bone_count) {
    input = {.means = scene.means,
             .covariances = scene.covariances,
             .opacities = scene.opacities,
             .colors = scene.colors,
             .background = background,
             .influences = scene.influences,
             .bone_indices = scene.bones,
             .bone_weights = scene.weights,
             .bone_count = bone_count,
             .bones = bones,
             .frame_count = frames,
             .cameras = cameras};
  }

  void forward(RasterWorkspace& workspace) { rasterize_forward(input, {images, alphas}, workspace); }
  void backward(RasterWorkspace& workspace) {
    const std::size_t count = scene.means.size();
    grad_means.assign(count, {});
    grad_covariances.assign(count, {});
    grad_opacities.assign(input.opacities.size(), 0);
    grad_colors.assign(input.colors.size(), {});
    grad_background.assign(background.size(), {});
    grad_bones.assign(bones.size(), {Mat3{}, Vec3{}});
    rasterize_backward(input, {images, alphas}, {cotangent.image, cotangent.alpha},
                       {grad_means, grad_covariances, grad_opacities, grad_colors, grad_background, grad_bones},
                       workspace);
  }
  void backward_pose(RasterWorkspace& workspace) {
    grad_bones.assign(bones.size(), {Mat3{}, Vec3{}});
    RasterGradient gradient;
    gradient.bones = grad_bones;
    rasterize_backward(input, {images, alphas}, {cotangent.image, cotangent.alpha}, gradient, workspace);
  }
};

std::vector<float> flat(const std::vector<Vec3>& v) {
  std::vector<float> result;
  for (const Vec3& x : v) result.insert(result.end(), {x.x, x.y, x.z});
  return result;
}
std::vector<float> flat(const std::vector<Symmetric>& v) {
  std::vector<float> result;
  for (const Symmetric& s : v) result.insert(result.end(), {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz});
  return result;
}
std::vector<float> flat(const std::vector<Affine>& v) {
  std::vector<float> result;
  for (const Affine& a : v) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) result.push_back(a.linear(i, j));
      result.push_back(a.translation[i]);
    }
  }
  return result;
}

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

void expect_gradients(const Clip& clip, const Expected& e) {
  EXPECT_LE(relative_error(flat(clip.grad_means), flat(e.grad_means)), 1e-5);
  EXPECT_LE(relative_error(flat(clip.grad_covariances), flat(e.grad_covariances)), 1e-5);
  EXPECT_LE(relative_error(clip.grad_opacities, e.grad_opacities), 1e-5);
  EXPECT_LE(relative_error(flat(clip.grad_colors), flat(e.grad_colors)), 1e-5);
  EXPECT_LE(relative_error(flat(clip.grad_background), flat(e.grad_background)), 1e-5);
  if (!e.grad_bones.empty()) {
    EXPECT_LE(relative_error(flat(clip.grad_bones), flat(e.grad_bones)), 1e-5);
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

}  // namespace
}  // namespace limber::splat
