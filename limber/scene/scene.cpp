// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/scene.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/scene/body_shadow.h"
#include "limber/scene/scene_cuda.h"
#include "limber/scene/skinned_cloud.h"
#include "limber/splat/rasterize.h"

namespace limber::scene {
namespace {

template <class T>
std::size_t held(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

void check_body(const rig::Rig& rig, const splat::Gaussians& gaussians) {
  const std::size_t count = gaussians.size();
  const std::size_t skin = count * static_cast<std::size_t>(std::max(gaussians.influences, 0));
  LIMBER_EXPECT(count == 0 || gaussians.influences > 0, "the Gaussians have no skin weights");
  LIMBER_EXPECT(gaussians.bones.size() == skin && gaussians.weights.size() == skin,
                std::to_string(gaussians.weights.size()) + " weights for " + std::to_string(count) + " Gaussians");
  LIMBER_EXPECT(
      gaussians.rotations.size() == count && gaussians.scales.size() == count && gaussians.opacities.size() == count &&
          gaussians.degree >= 0 && gaussians.degree <= splat::kMaxHarmonicDegree &&
          gaussians.harmonics.size() == count * static_cast<std::size_t>(splat::harmonic_count(gaussians.degree)),
      std::to_string(count) + " Gaussians with arrays of other lengths");
  for (const std::uint16_t bone : gaussians.bones) {
    LIMBER_EXPECT(bone < rig.bone_count(), "bone " + std::to_string(bone) + " of " + std::to_string(rig.bone_count()));
  }
}

}  // namespace

/// Frames are drawn in blocks that fit into the memory granted; a block's buffers stay for its backward pass. Within a
/// block images are numbered views x frames, as the rasterizer wants them.
struct Scene::State {
  State(rig::Rig r, splat::Gaussians g, const SceneSettings& s) : rig(std::move(r)), settings(s) {
    set_gaussians(std::move(g));
  }

  rig::Rig rig;
  splat::Gaussians gaussians;
  const SceneSettings settings;
  std::vector<Symmetric> covariances;
  std::vector<Vec3> colors;  ///< per Gaussian; with view-dependent colours images x Gaussians of a block
  std::optional<BodyShadow> shadow;

  std::unique_ptr<CudaScene> cuda;  ///< where it draws there
  Status status{Done{}};

  // The last call's.
  std::size_t views = 0, frames = 0;
  bool drawn = false;                     ///< to its end: there is something to go back from
  std::vector<Affine> bones, grad_bones;  ///< frames x bones

  // The block in hand.
  std::size_t first = 0, count = 0;  ///< frames
  bool some_hidden = false;          ///< a Gaussian is below the ground
  bool some_sinking = false;         ///< ... and not yet hidden entirely
  std::vector<Camera> cameras;
  std::vector<Vec3> background, images, grad_images;
  std::vector<Camera> seen_by;  ///< the background, where there is no shadow on it: empty, or these cameras
  std::vector<float> alphas;
  std::vector<float> heights, opacities;            ///< frames x Gaussians
  std::vector<float> grad_heights, grad_opacities;  ///< frames x Gaussians
  std::vector<float> frame_lowest;                  ///< height of each frame, 0 where nothing is below the ground
  std::vector<std::uint8_t> frame_sinking;          ///< whether something in it is
  std::vector<Vec3> grad_colors;
  std::vector<Affined> grad_frame_bones;
  splat::RasterWorkspace workspace;

  void set_gaussians(splat::Gaussians cloud) {
    gaussians = std::move(cloud);
    covariances = splat::covariances(gaussians);
    colors = gaussians.degree == 0 ? splat::base_colors(gaussians) : std::vector<Vec3>();
    shadow.reset();
    if (has_shadow()) shadow.emplace(gaussians, settings.ground, settings.raster, settings.hide_depth);
    if (cuda) show_cuda();
    drawn = false;
  }

  bool on_device() const { return settings.raster.device == Device::kCuda; }
  void show_cuda() { cuda->set_body(gaussians, covariances, colors, shadow ? &*shadow : nullptr, rig.bone_count()); }
  void need_cuda() {
    if (cuda) return;
    cuda = std::make_unique<CudaScene>(settings);
    show_cuda();
  }
  bool has_ground() const { return settings.ground.visible; }
  bool has_shadow() const { return has_ground() && settings.ground.shadow > 0 && gaussians.size() > 0; }
  bool hides() const { return settings.hide_depth >= 0; }
  bool has_harmonics() const { return gaussians.degree > 0; }
  std::size_t bone_count() const { return static_cast<std::size_t>(rig.bone_count()); }
  std::size_t pixels() const {
    return static_cast<std::size_t>(cameras[0].width) * static_cast<std::size_t>(cameras[0].height);
  }
  std::span<const Affine> block_bones() const {
    return std::span(bones).subspan(first * bone_count(), count * bone_count());
  }
  std::span<Affine> block_grad_bones() {
    return std::span(grad_bones).subspan(first * bone_count(), count * bone_count());
  }
  std::span<const Affine> frame_bones(std::size_t frame) const {
    return block_bones().subspan(frame * bone_count(), bone_count());
  }
  template <class T>
  std::span<T> of_frame(std::vector<T>& values, std::size_t frame) const {
    return values.empty() ? std::span<T>() : std::span(values).subspan(frame * gaussians.size(), gaussians.size());
  }
  template <class T>
  std::span<T> of_image(std::vector<T>& values, std::size_t image) const {
    return std::span(values).subspan(image * pixels(), pixels());
  }

  void start(const kinematics::Motion& motion, std::span<const Camera> all_cameras);
  std::size_t block_length(const Camera& camera) const;

  Status draw_on_device(const kinematics::Motion& motion, std::span<const Camera> all_cameras);
  /// Keeps what went wrong; a GPU that failed is left.
  bool check(Status result) {
    status = std::move(result);
    if (!status.ok()) cuda.reset(), drawn = false;
    return status.ok();
  }

  void take_block(std::size_t first_frame, std::size_t frame_count, std::span<const Camera> all_cameras);
  void pose_block();
  void draw_background();
  void color_block();
  splat::RasterInput raster_input() const;
  void draw_block();
  void copy_block(Frames& result);

  void gather_gradient(const Frames& grad_frames);
  void shadow_gradient();
  void pose_gradient();
  void draw_block_backward(const Frames& grad_frames);
};

// --- calls and blocks ---------------------------------------------------------

void Scene::State::start(const kinematics::Motion& motion, std::span<const Camera> all_cameras) {
  drawn = false;
  frames = static_cast<std::size_t>(std::max(motion.frame_count(), 0));
  LIMBER_EXPECT(frames > 0 && !all_cameras.empty() && all_cameras.size() % frames == 0,
                std::to_string(all_cameras.size()) + " cameras, " + std::to_string(frames) + " frames");
  views = all_cameras.size() / frames;
  const Camera& camera = all_cameras[0];
  LIMBER_EXPECT(camera.width > 0 && camera.height > 0,
                std::to_string(camera.width) + " x " + std::to_string(camera.height));
}

/// Frames whose buffers fit into the memory granted.
std::size_t Scene::State::block_length(const Camera& camera) const {
  const auto size = static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  const std::size_t per_pixel = 3 * sizeof(Vec3) + 2 * sizeof(float);  // images, background, gradient, alpha, T
  const std::size_t per_gaussian = (has_harmonics() ? 2 * views * sizeof(Vec3) : 0) + (hides() ? 4 * sizeof(float) : 0);
  const std::size_t per_frame = views * size * per_pixel + gaussians.size() * per_gaussian + 1;
  const std::size_t longest = std::max<std::size_t>(settings.keep_bytes / per_frame, 1);
  const std::size_t blocks = (frames + longest - 1) / longest;
  return (frames + blocks - 1) / blocks;  // of about equal length
}

void Scene::State::take_block(std::size_t first_frame, std::size_t frame_count, std::span<const Camera> all_cameras) {
  first = first_frame, count = frame_count;
  cameras.resize(views * count);
  for (std::size_t v = 0; v < views; ++v) {
    std::copy_n(all_cameras.begin() + static_cast<std::ptrdiff_t>(v * frames + first), count,
                cameras.begin() + static_cast<std::ptrdiff_t>(v * count));
  }
}

// --- on a GPU -----------------------------------------------------------------

Status Scene::State::draw_on_device(const kinematics::Motion& motion, std::span<const Camera> all_cameras) {
  LIMBER_EXPECT(on_device(), "a scene on the CPU");
  LIMBER_CHECK_OK(status);
  start(motion, all_cameras);
  for (const Camera& camera : all_cameras) {
    LIMBER_EXPECT(camera.width == all_cameras[0].width && camera.height == all_cameras[0].height,
                  "cameras of different sizes");
  }
  if (has_harmonics()) {
    return Error{"colours that depend on the view are drawn on the CPU only", "", ErrorKind::kUnsupported};
  }
  bones.resize(frames * bone_count());
  kinematics::bone_matrices(rig, motion, bones);
  need_cuda();
  LIMBER_CHECK_OK(cuda->forward(bones, frames, all_cameras));
  drawn = true;
  return Done{};
}

// --- forward ------------------------------------------------------------------

/// Heights, and what the ground hides.
void Scene::State::pose_block() {
  some_hidden = some_sinking = false;
  if (!hides()) return;
  heights.resize(count * gaussians.size()), opacities.resize(heights.size());
  frame_lowest.resize(count), frame_sinking.resize(count);
  const auto pose_frames = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      const std::span<float> height = of_frame(heights, f), opacity = of_frame(opacities, f);
      posed_heights_forward(gaussians, frame_bones(f), height);
      float lowest = 0;
      bool sinking = false;
      for (std::size_t i = 0; i < height.size(); ++i) {
        lowest = std::min(lowest, height[i]);
        sinking = sinking || (height[i] < 0 && height[i] > -settings.hide_depth);
        opacity[i] = splat::shown_at(height[i], settings.hide_depth).share * gaussians.opacities[i];
      }
      frame_lowest[f] = lowest, frame_sinking[f] = sinking;
    }
  };
  parallel_for(count, 1, std::ref(pose_frames));
  for (std::size_t f = 0; f < count; ++f) {
    some_hidden = some_hidden || frame_lowest[f] < 0;
    some_sinking = some_sinking || frame_sinking[f] != 0;
  }
}

/// View-dependent colours.
void Scene::State::color_block() {
  if (!has_harmonics()) return;
  colors.resize(cameras.size() * gaussians.size());
  const auto color_images = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      posed_colors_forward(gaussians, frame_bones(i % count), splat::camera_center(cameras[i]), of_frame(colors, i));
    }
  };
  parallel_for(cameras.size(), 1, std::ref(color_images));
}

splat::RasterInput Scene::State::raster_input() const {
  splat::RasterInput input;
  input.means = gaussians.means;
  input.covariances = covariances;
  input.opacities = some_hidden ? opacities : gaussians.opacities;
  input.colors = colors;
  input.background = has_ground() ? std::span<const Vec3>(background) : std::span(&settings.ground.sky, 1);
  input.influences = gaussians.influences;
  input.bone_indices = gaussians.bones;
  input.bone_weights = gaussians.weights;
  input.bone_count = rig.bone_count();
  input.bones = block_bones();
  input.frame_count = static_cast<int>(count);
  input.cameras = cameras;
  return input;
}

void Scene::State::draw_background() {
  // A fit asks for the same cameras again and again.
  if (!has_ground() || (!has_shadow() && seen_by == cameras)) return;
  seen_by.clear();
  background.resize(cameras.size() * pixels());
  if (has_shadow()) shadow->forward(block_bones(), rig.bone_count());
  const auto draw_images = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<Vec3> image = of_image(background, i);
      draw_ground(cameras[i], settings.ground, image);
      if (!has_shadow()) continue;
      const std::size_t f = i % count;
      shadow_forward(cameras[i], shadow->grid(f), shadow->values(f), settings.ground.shadow, image);
    }
  };
  parallel_for(cameras.size(), 1, std::ref(draw_images));
  if (!has_shadow()) seen_by = cameras;
}

void Scene::State::draw_block() {
  pose_block();
  color_block();
  draw_background();
  images.resize(cameras.size() * pixels()), alphas.resize(images.size());
  splat::rasterize_forward(raster_input(), {images, alphas}, workspace, settings.raster);
}

/// Pixels to planes.
void Scene::State::copy_block(Frames& result) {
  const auto copy_images = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Vec3> from = of_image(images, i);
      float* to = result.values.data() + 3 * pixels() * (i / count * frames + first + i % count);
      for (std::size_t p = 0; p < from.size(); ++p) to[p] = from[p].x;
      for (std::size_t p = 0; p < from.size(); ++p) to[from.size() + p] = from[p].y;
      for (std::size_t p = 0; p < from.size(); ++p) to[2 * from.size() + p] = from[p].z;
    }
  };
  parallel_for(cameras.size(), 1, std::ref(copy_images));
}

// --- backward -----------------------------------------------------------------

void Scene::State::gather_gradient(const Frames& grad_frames) {
  grad_images.resize(images.size());
  const auto copy_images = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<Vec3> to = of_image(grad_images, i);
      const float* from = grad_frames.values.data() + 3 * to.size() * (i / count * frames + first + i % count);
      for (std::size_t p = 0; p < to.size(); ++p) to[p] = {from[p], from[to.size() + p], from[2 * to.size() + p]};
    }
  };
  parallel_for(cameras.size(), 1, std::ref(copy_images));
}

/// From the background's pixels through the shadow to the bones.
void Scene::State::shadow_gradient() {
  const auto gather = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      const std::span<float> grad_values = shadow->grad_values(f);
      std::fill(grad_values.begin(), grad_values.end(), 0.0f);
      for (std::size_t i = f; i < cameras.size(); i += count) {
        shadow_backward(cameras[i], shadow->grid(f), shadow->values(f), settings.ground.shadow, of_image(background, i),
                        of_image(grad_images, i), of_image(alphas, i), grad_values);
      }
    }
  };
  parallel_for(count, 1, std::ref(gather));
  shadow->backward(block_bones(), rig.bone_count(), block_grad_bones());
}

/// What reaches the bones beside the rasterizer: by heights and by view directions.
void Scene::State::pose_gradient() {
  grad_frame_bones.assign(count * bone_count(), {Mat3d{}, {}});
  const auto pose_frames = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      const std::span<Affined> grads = std::span(grad_frame_bones).subspan(f * bone_count(), bone_count());
      for (std::size_t i = f * gaussians.size(); some_sinking && i < (f + 1) * gaussians.size(); ++i) {
        const float slope = splat::shown_at(heights[i], settings.hide_depth).slope;
        grad_heights[i] = grad_opacities[i] * gaussians.opacities[i % gaussians.size()] * slope;
      }
      posed_heights_backward(gaussians, of_frame(grad_heights, f), grads);
      for (std::size_t i = f; has_harmonics() && i < cameras.size(); i += count) {
        posed_colors_backward(gaussians, frame_bones(f), splat::camera_center(cameras[i]), of_frame(grad_colors, i),
                              grads);
      }
      add_rounded(grads, block_grad_bones().subspan(f * bone_count(), bone_count()));
    }
  };
  parallel_for(count, 1, std::ref(pose_frames));
}

void Scene::State::draw_block_backward(const Frames& grad_frames) {
  gather_gradient(grad_frames);
  grad_heights.resize(some_sinking ? heights.size() : 0);
  grad_opacities.assign(some_sinking ? heights.size() : 0, 0.0f);
  grad_colors.assign(has_harmonics() ? colors.size() : 0, {});
  splat::RasterGradient gradient;
  gradient.bones = block_grad_bones();
  gradient.opacities = grad_opacities;
  gradient.colors = grad_colors;
  splat::rasterize_backward(raster_input(), {images, alphas}, {grad_images, {}}, gradient, workspace, settings.raster);
  if (has_shadow()) shadow_gradient();
  if (some_sinking || has_harmonics()) pose_gradient();
}

// --- Scene --------------------------------------------------------------------

Scene::Scene(rig::Rig rig, splat::Gaussians gaussians, const SceneSettings& settings) {
  check_body(rig, gaussians);
  LIMBER_EXPECT(settings.ground.shadow >= 0 && settings.ground.shadow < 1, std::to_string(settings.ground.shadow));
  state_ = std::make_unique<State>(std::move(rig), std::move(gaussians), settings);
}
void Scene::set_body(rig::Rig rig, splat::Gaussians gaussians) {
  check_body(rig, gaussians);
  state_->rig = std::move(rig);
  state_->set_gaussians(std::move(gaussians));
}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

const rig::Rig& Scene::rig() const { return state_->rig; }
const splat::Gaussians& Scene::gaussians() const { return state_->gaussians; }

std::vector<Box> Scene::frame_boxes(const kinematics::Motion& motion) const {
  const std::vector<Affine> bones = kinematics::bone_matrices(state_->rig, motion);
  const std::size_t each = state_->bone_count();
  std::vector<Box> boxes(motion.root_translations.size());
  const auto find = [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      boxes[f] = posed_box(state_->gaussians, std::span(bones).subspan(f * each, each), {});
    }
  };
  parallel_for(boxes.size(), 1, std::ref(find));
  return boxes;
}

const Status& Scene::status() const { return state_->status; }
Device Scene::device() const { return state_->settings.raster.device; }
CudaScene* Scene::cuda() { return state_->cuda.get(); }

Status Scene::forward_on_device(const kinematics::Motion& motion, std::span<const Camera> cameras) {
  state_->check(state_->draw_on_device(motion, cameras));
  return state_->status;
}

Status Scene::backward_on_device(const kinematics::Motion& motion, const float* grad_frames,
                                 kinematics::MotionGradient& gradient) {
  State& s = *state_;
  LIMBER_EXPECT(s.drawn && s.cuda && s.frames == motion.root_translations.size(), "nothing was drawn of this motion");
  s.grad_bones.assign(s.bones.size(), {Mat3{}, {}});
  if (s.check(s.cuda->backward(grad_frames, s.grad_bones))) {
    kinematics::motion_backward(s.rig, motion, s.grad_bones, gradient);
  }
  return s.status;
}

Status Scene::open_on_device() {
  LIMBER_EXPECT(state_->on_device(), "a scene on the CPU");
  LIMBER_CHECK_OK(state_->status);
  state_->need_cuda();
  state_->check(state_->cuda->open());
  return state_->status;
}

const Status& Scene::finish_on_device() {
  if (state_->cuda) state_->check(state_->cuda->finish());
  state_->drawn = false;
  return state_->status;
}

void Scene::forward(const kinematics::Motion& motion, std::span<const Camera> cameras, Frames& frames) {
  State& s = *state_;
  s.start(motion, cameras);
  frames.views = static_cast<int>(s.views), frames.frames = static_cast<int>(s.frames);
  frames.height = cameras[0].height, frames.width = cameras[0].width;
  frames.values.resize(frames.size());
  if (s.on_device()) {
    if (!s.check(s.draw_on_device(motion, cameras)) || !s.check(s.cuda->download(frames.values))) {
      std::fill(frames.values.begin(), frames.values.end(), 0.0f);
    }
    return;
  }
  s.bones.resize(s.frames * s.bone_count());
  kinematics::bone_matrices(s.rig, motion, s.bones);
  const std::size_t length = s.block_length(cameras[0]);
  if (s.has_shadow()) s.shadow->fit(s.bones, s.rig.bone_count());
  for (std::size_t first = 0; first < s.frames; first += length) {
    s.take_block(first, std::min(length, s.frames - first), cameras);
    s.draw_block();
    s.copy_block(frames);
  }
  s.drawn = true;
}

void Scene::backward(const kinematics::Motion& motion, std::span<const Camera> cameras, const Frames& grad_frames,
                     kinematics::MotionGradient& gradient) {
  State& s = *state_;
  if (!s.status.ok()) return;
  LIMBER_EXPECT(s.drawn, "nothing was drawn of this body");
  LIMBER_EXPECT(s.frames == motion.root_translations.size() && s.views * s.frames == cameras.size(),
                "the last forward had other sizes");
  LIMBER_EXPECT(grad_frames.views == static_cast<int>(s.views) && grad_frames.frames == static_cast<int>(s.frames) &&
                    grad_frames.width == cameras[0].width && grad_frames.height == cameras[0].height &&
                    grad_frames.values.size() == grad_frames.size(),
                "a gradient of another shape than the frames");
  s.grad_bones.assign(s.bones.size(), {Mat3{}, {}});
  if (s.on_device()) {
    if (s.check(s.cuda->backward_from_host(grad_frames.values, s.grad_bones))) {
      kinematics::motion_backward(s.rig, motion, s.grad_bones, gradient);
    }
    return;
  }
  const std::size_t length = s.block_length(cameras[0]);
  // From the end, where the forward pass left its buffers.
  for (std::size_t block = (s.frames + length - 1) / length; block-- > 0;) {
    if (s.first != block * length) {
      s.take_block(block * length, std::min(length, s.frames - block * length), cameras);
      s.draw_block();
    }
    s.draw_block_backward(grad_frames);
  }
  kinematics::motion_backward(s.rig, motion, s.grad_bones, gradient);
}

std::size_t Scene::bytes() const {
  const State& s = *state_;
  return held(s.covariances) + held(s.colors) + held(s.bones) + held(s.grad_bones) + held(s.cameras) + held(s.seen_by) +
         held(s.background) + held(s.images) + held(s.grad_images) + held(s.alphas) + held(s.heights) +
         held(s.opacities) + held(s.grad_heights) + held(s.grad_opacities) + held(s.grad_colors) +
         held(s.grad_frame_bones) + s.workspace.bytes() + (s.shadow ? s.shadow->bytes() : 0);
}

}  // namespace limber::scene
