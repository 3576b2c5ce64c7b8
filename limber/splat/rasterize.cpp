// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/rasterize.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "limber/base/expect.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/splat/raster_kernels.h"
#include "limber/splat/tile_lists.h"

namespace limber::splat {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
constexpr int kMaxImageSize = 16384;
constexpr std::size_t kBackwardGroup = 16;  // images whose tile gradients are held at once
constexpr std::size_t kTileGrain = 4;

// The kernels see vectors and matrices as plain numbers.
static_assert(sizeof(Vec3) == 3 * sizeof(float) && sizeof(Symmetric) == 6 * sizeof(float));
static_assert(sizeof(Record) == 64);

const float* numbers(std::span<const Vec3> v) { return reinterpret_cast<const float*>(v.data()); }
const float* numbers(std::span<const Symmetric> v) { return reinterpret_cast<const float*>(v.data()); }
float* numbers(std::span<Vec3> v) { return v.empty() ? nullptr : reinterpret_cast<float*>(v.data()); }
float* numbers(std::span<Symmetric> v) { return v.empty() ? nullptr : reinterpret_cast<float*>(v.data()); }

const RasterKernels& current_kernels() {
#if defined(__x86_64__)
  switch (simd_level()) {
    case SimdLevel::kPortable:
      return portable_raster_kernels();
    case SimdLevel::kAvx2:
      return avx2_raster_kernels();
    case SimdLevel::kAvx512:
      return avx512_raster_kernels();
  }
#endif
  return portable_raster_kernels();
}

/// Sizes of a call.
struct Shape {
  std::size_t gaussians = 0, images = 0, frames = 0, bones = 0, chunks = 0;
  int width = 0, height = 0, tiles_x = 0, tiles_y = 0;
  std::size_t pixels = 0, tiles = 0;
  bool operator==(const Shape&) const = default;
};

std::string sizes(std::size_t actual, std::size_t expected) {
  return std::to_string(actual) + " given, " + std::to_string(expected) + " expected";
}

void expect_skin(const RasterInput& input, const Shape& shape) {
  const std::size_t influences = shape.gaussians * static_cast<std::size_t>(input.influences);
  LIMBER_EXPECT(input.bone_indices.size() == influences, sizes(input.bone_indices.size(), influences));
  LIMBER_EXPECT(input.bone_weights.size() == influences, sizes(input.bone_weights.size(), influences));
  if (input.influences == 0) return;
  LIMBER_EXPECT(input.bones.size() == shape.frames * shape.bones,
                sizes(input.bones.size(), shape.frames * shape.bones));
  std::uint16_t highest = 0;
  for (const std::uint16_t bone : input.bone_indices) highest = std::max(highest, bone);
  LIMBER_EXPECT(input.bone_indices.empty() || highest < shape.bones,
                "bone " + std::to_string(highest) + " of " + std::to_string(shape.bones));
}

Shape check_input(const RasterInput& input, const RasterSettings& settings) {
  Shape s;
  LIMBER_EXPECT(input.frame_count >= 1, std::to_string(input.frame_count));
  LIMBER_EXPECT(input.influences >= 0 && input.bone_count >= 0, std::to_string(input.influences));
  s.gaussians = input.means.size();
  s.images = input.cameras.size();
  s.frames = static_cast<std::size_t>(input.frame_count);
  s.bones = static_cast<std::size_t>(input.bone_count);
  s.chunks = (s.gaussians + kChunk - 1) / kChunk;
  LIMBER_EXPECT(s.images > 0 && s.images % s.frames == 0,
                std::to_string(s.images) + " cameras, " + std::to_string(s.frames) + " frames");
  LIMBER_EXPECT(input.covariances.size() == s.gaussians, sizes(input.covariances.size(), s.gaussians));
  LIMBER_EXPECT(input.opacities.size() == s.gaussians || input.opacities.size() == s.gaussians * s.frames,
                sizes(input.opacities.size(), s.gaussians));
  LIMBER_EXPECT(input.colors.size() == s.gaussians || input.colors.size() == s.gaussians * s.images,
                sizes(input.colors.size(), s.gaussians));
  s.width = input.cameras[0].width;
  s.height = input.cameras[0].height;
  LIMBER_EXPECT(s.width > 0 && s.height > 0 && s.width <= kMaxImageSize && s.height <= kMaxImageSize,
                std::to_string(s.width) + " x " + std::to_string(s.height));
  for (const Camera& c : input.cameras) {
    LIMBER_EXPECT(c.width == s.width && c.height == s.height, "cameras of different sizes");
    LIMBER_EXPECT(c.fx > 0 && c.fy > 0, std::to_string(c.fx) + ", " + std::to_string(c.fy));
  }
  s.tiles_x = (s.width + kTileWidth - 1) / kTileWidth;
  s.tiles_y = (s.height + kTileHeight - 1) / kTileHeight;
  s.tiles = static_cast<std::size_t>(s.tiles_x * s.tiles_y);
  s.pixels = static_cast<std::size_t>(s.width) * static_cast<std::size_t>(s.height);
  LIMBER_EXPECT(input.background.size() <= 1 || input.background.size() == s.images ||
                    input.background.size() == s.images * s.pixels,
                sizes(input.background.size(), 1));
  expect_skin(input, s);
  LIMBER_EXPECT(settings.near > 0 && settings.alpha_min >= 1e-6 && settings.alpha_max < 1 &&
                    settings.alpha_min < settings.alpha_max && settings.min_transmittance > 0 && settings.eps2d >= 0,
                "settings out of range");
  return s;
}

void expect_output(const RasterOutput& output, const Shape& shape) {
  LIMBER_EXPECT(output.images.size() == shape.images * shape.pixels,
                sizes(output.images.size(), shape.images * shape.pixels));
  LIMBER_EXPECT(output.alphas.size() == shape.images * shape.pixels,
                sizes(output.alphas.size(), shape.images * shape.pixels));
}

KernelCamera kernel_camera(const Camera& camera, const RasterSettings& settings) {
  KernelCamera k{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) k.linear[3 * i + j] = double(camera.camera_from_world.linear(i, j));
    k.translation[i] = double(camera.camera_from_world.translation[i]);
  }
  k.fx = double(camera.fx), k.fy = double(camera.fy), k.cx = double(camera.cx), k.cy = double(camera.cy);
  k.width = camera.width, k.height = camera.height;
  const double margin_x = settings.fov_guard * 0.5 * k.width / k.fx,
               margin_y = settings.fov_guard * 0.5 * k.height / k.fy;
  k.low_x = -(k.cx / k.fx + margin_x), k.high_x = (k.width - k.cx) / k.fx + margin_x;
  k.low_y = -(k.cy / k.fy + margin_y), k.high_y = (k.height - k.cy) / k.fy + margin_y;
  return k;
}

/// A tile that no Gaussian touches.
void show_background(const TileJob& job) {
  const auto width = static_cast<std::size_t>(job.x1 - job.x0);
  for (int y = job.y0; y < job.y1; ++y) {
    const std::size_t first =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(job.image_width) + static_cast<std::size_t>(job.x0);
    if (job.background_stride) {
      std::copy_n(job.background + 3 * first, 3 * width, job.image + 3 * first);
    } else {
      float* to = job.image + 3 * first;
      for (std::size_t x = 0; x < width; ++x, to += 3) {
        to[0] = job.background[0], to[1] = job.background[1], to[2] = job.background[2];
      }
    }
    std::fill_n(job.alpha + first, width, 0.0f);
    std::fill_n(job.transmittance + first, width, 1.0f);
  }
}

template <class T>
std::size_t held(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

}  // namespace

struct RasterWorkspace::State {
  std::size_t keep_bytes = 0;
  Shape shape;                           ///< of the last forward
  std::vector<ImageLists> slots;         ///< image i is prepared in slot i % slots.size()
  std::vector<std::size_t> slot_images;  ///< which image a slot holds
  std::vector<SortScratch> scratch;      ///< per thread
  std::vector<double> bones;             ///< frames x bones x 12
  std::vector<float> transmittance;      ///< images x pixels
  // Backward:
  std::vector<std::vector<float>> entry_grads;  ///< per image of a group
  std::vector<double> chunk_bones;              ///< images of a group x chunks x bones x 12
  std::vector<double> image_bones;              ///< images x bones x 12
  std::vector<Vec3d> row_sums;                  ///< images x rows, of the background's gradient
};

namespace {

/// One call: what it works on, and the steps it is made of. Each step is one parallel loop over independent pieces;
/// sums across pieces are taken in index order afterwards.
class Call {
 public:
  Call(const RasterInput& input, const RasterOutput& output, const RasterSettings& settings,
       RasterWorkspace::State& state, const Shape& shape)
      : input_(input),
        output_(output),
        settings_(settings),
        state_(state),
        shape_(shape),
        kernels_(current_kernels()) {}

  void forward() {
    reserve();
    for (std::size_t first = 0; first < shape_.images; first += state_.slots.size()) {
      const std::size_t last = std::min(first + state_.slots.size(), shape_.images);
      prepare(first, last);
      draw(first, last);
    }
  }

  void backward(const RasterCotangent& cotangent, const RasterGradient& gradient) {
    const bool all = !gradient.opacities.empty() || !gradient.colors.empty();
    const std::size_t group = std::min(state_.slots.size(), kBackwardGroup);
    if (state_.entry_grads.size() < group) state_.entry_grads.resize(group);
    if (!gradient.bones.empty()) {
      state_.chunk_bones.resize(group * shape_.chunks * bone_numbers());
      state_.image_bones.resize(shape_.images * bone_numbers());
    }
    // From the end, where the forward pass left its lists.
    for (std::size_t g = (shape_.images + group - 1) / group; g-- > 0;) {
      const std::size_t first = g * group, last = std::min(first + group, shape_.images);
      prepare(first, last);
      draw_backward(first, last, cotangent, all);
      project_backward(first, last, gradient, all);
      if (!gradient.bones.empty()) sum_chunk_bones(first, last);
    }
    if (!gradient.bones.empty()) add_bones(gradient.bones);
    if (!gradient.background.empty()) add_background(cotangent.images, gradient.background);
  }

 private:
  std::size_t bone_numbers() const { return 12 * shape_.bones; }
  std::size_t frame_of(std::size_t image) const { return image % shape_.frames; }
  ImageLists& lists_of(std::size_t image) const { return state_.slots[image % state_.slots.size()]; }

  void reserve() {
    const std::size_t per_image = 128 * shape_.gaussians + 64 * shape_.tiles + 1;
    const std::size_t slots = std::clamp(state_.keep_bytes / per_image, std::size_t{1}, shape_.images);
    state_.shape = shape_;
    state_.slots.resize(slots);
    for (ImageLists& lists : state_.slots) lists.resize(shape_.gaussians, shape_.tiles);
    state_.slot_images.assign(slots, kNone);
    state_.scratch.resize(std::max(state_.scratch.size(), static_cast<std::size_t>(thread_count())));
    for (SortScratch& scratch : state_.scratch) scratch.reserve(shape_.gaussians, shape_.tiles);
    state_.transmittance.resize(shape_.images * shape_.pixels);
    state_.bones.resize(input_.bones.size() * 12);
    double* to = state_.bones.data();
    for (const Affine& bone : input_.bones) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) *to++ = double(bone.linear(i, j));
        *to++ = double(bone.translation[i]);
      }
    }
  }

  ProjectJob project_job(std::size_t image) const {
    const std::size_t frame = frame_of(image), count = shape_.gaussians;
    ProjectJob job{};
    job.means = numbers(input_.means);
    job.covariances = numbers(input_.covariances);
    job.opacities = input_.opacities.data() + (input_.opacities.size() == count ? 0 : frame * count);
    job.colors = numbers(input_.colors) + (input_.colors.size() == count ? 0 : 3 * image * count);
    job.influences = input_.influences;
    job.bone_indices = input_.bone_indices.data();
    job.bone_weights = input_.bone_weights.data();
    job.bones = state_.bones.data() + frame * bone_numbers();
    job.camera = kernel_camera(input_.cameras[image], settings_);
    job.near = settings_.near, job.far = settings_.far;
    job.eps2d = settings_.eps2d, job.alpha_min = settings_.alpha_min;
    return job;
  }

  /// Projects and sorts the images [first, last) that are not prepared yet.
  void prepare(std::size_t first, std::size_t last) {
    const auto is_ready = [&](std::size_t image) { return state_.slot_images[image % state_.slots.size()] == image; };
    const auto project_chunks = [&](std::size_t begin, std::size_t end) {
      for (std::size_t item = begin; item < end; ++item) {
        const std::size_t image = first + item / shape_.chunks, chunk = item % shape_.chunks;
        if (is_ready(image)) continue;
        ImageLists& lists = lists_of(image);
        ProjectJob job = project_job(image);
        job.begin = chunk * kChunk;
        job.end = std::min(job.begin + kChunk, shape_.gaussians);
        lists.chunk_counts[chunk] = static_cast<std::uint32_t>(
            kernels_.project(job, {lists.records.data() + job.begin, lists.boxes.data() + job.begin,
                                   lists.depths.data() + job.begin, lists.indices.data() + job.begin}));
      }
    };
    parallel_for((last - first) * shape_.chunks, 1, std::ref(project_chunks));
    const auto sort_images = [&](std::size_t begin, std::size_t end) {
      for (std::size_t image = first + begin; image < first + end; ++image) {
        if (is_ready(image)) continue;
        make_tile_lists(lists_of(image), shape_.tiles_x, state_.scratch[static_cast<std::size_t>(thread_index())]);
        state_.slot_images[image % state_.slots.size()] = image;
      }
    };
    parallel_for(last - first, 1, std::ref(sort_images));
  }

  TileJob tile_job(std::size_t image, std::size_t tile) const {
    const ImageLists& lists = lists_of(image);
    const int tx = static_cast<int>(tile) % shape_.tiles_x, ty = static_cast<int>(tile) / shape_.tiles_x;
    static constexpr float kBlack[3] = {0, 0, 0};
    TileJob job{};
    job.records = lists.records.data();
    job.entries = lists.entries.data() + lists.tile_begin[tile];
    job.entry_count = lists.tile_begin[tile + 1] - lists.tile_begin[tile];
    job.x0 = tx * kTileWidth, job.x1 = std::min(job.x0 + kTileWidth, shape_.width);
    job.y0 = ty * kTileHeight, job.y1 = std::min(job.y0 + kTileHeight, shape_.height);
    job.image_width = shape_.width;
    job.log2_alpha_min = static_cast<float>(std::log2(settings_.alpha_min));
    job.alpha_max = static_cast<float>(settings_.alpha_max);
    job.min_transmittance = static_cast<float>(settings_.min_transmittance);
    const std::size_t backgrounds = input_.background.size();
    job.background = backgrounds ? numbers(input_.background) : kBlack;
    if (backgrounds == shape_.images * shape_.pixels && backgrounds > 1) {
      job.background += 3 * image * shape_.pixels;
      job.background_stride = 3;
    } else if (backgrounds > 1) {
      job.background += 3 * image;
    }
    job.image = numbers(output_.images) + 3 * image * shape_.pixels;
    job.alpha = output_.alphas.data() + image * shape_.pixels;
    job.transmittance = state_.transmittance.data() + image * shape_.pixels;
    return job;
  }

  void draw(std::size_t first, std::size_t last) {
    const auto draw_tiles = [&](std::size_t begin, std::size_t end) {
      for (std::size_t item = begin; item < end; ++item) {
        const TileJob job = tile_job(first + item / shape_.tiles, item % shape_.tiles);
        job.entry_count ? kernels_.tile_forward(job) : show_background(job);
      }
    };
    parallel_for((last - first) * shape_.tiles, kTileGrain, std::ref(draw_tiles));
  }

  void draw_backward(std::size_t first, std::size_t last, const RasterCotangent& cotangent, bool all) {
    const auto sums = static_cast<std::size_t>(all ? kAllSums : kPoseSums);
    for (std::size_t image = first; image < last; ++image) {
      std::vector<float>& grads = state_.entry_grads[image - first];
      const std::size_t size = lists_of(image).entries.size() * sums;
      if (grads.capacity() < size) grads.reserve(size + size / 4);
      grads.resize(size);
    }
    const auto draw_tiles = [&](std::size_t begin, std::size_t end) {
      for (std::size_t item = begin; item < end; ++item) {
        const std::size_t image = first + item / shape_.tiles, tile = item % shape_.tiles;
        TileJob job = tile_job(image, tile);
        if (job.entry_count == 0) continue;
        if (!cotangent.images.empty()) job.grad_image = numbers(cotangent.images) + 3 * image * shape_.pixels;
        if (!cotangent.alphas.empty()) job.grad_alpha = cotangent.alphas.data() + image * shape_.pixels;
        job.entry_grads = state_.entry_grads[image - first].data() + sums * lists_of(image).tile_begin[tile];
        (all ? kernels_.tile_backward_all : kernels_.tile_backward_pose)(job);
      }
    };
    parallel_for((last - first) * shape_.tiles, kTileGrain, std::ref(draw_tiles));
  }

  void project_chunk_backward(std::size_t first, std::size_t image, std::size_t chunk, const RasterGradient& gradient,
                              bool all) {
    const ImageLists& lists = lists_of(image);
    const std::size_t count = shape_.gaussians;
    ProjectBackwardJob job{};
    job.forward = project_job(image);
    job.forward.begin = chunk * kChunk;
    job.forward.end = job.forward.begin + lists.chunk_counts[chunk];
    job.indices = lists.indices.data();
    job.slot_begin = lists.slot_begin.data();
    job.slots = lists.slots.data();
    job.entry_grads = state_.entry_grads[image - first].data();
    job.sums = all ? kAllSums : kPoseSums;
    job.grad_means = numbers(gradient.means);
    job.grad_covariances = numbers(gradient.covariances);
    job.grad_opacities = gradient.opacities.empty() ? nullptr : gradient.opacities.data();
    if (job.grad_opacities && gradient.opacities.size() != count) job.grad_opacities += frame_of(image) * count;
    job.grad_colors = numbers(gradient.colors);
    if (job.grad_colors && gradient.colors.size() != count) job.grad_colors += 3 * image * count;
    if (!gradient.bones.empty()) {
      job.grad_bones = state_.chunk_bones.data() + ((image - first) * shape_.chunks + chunk) * bone_numbers();
      std::fill_n(job.grad_bones, bone_numbers(), 0.0);
    }
    kernels_.project_backward(job);
  }

  void project_backward(std::size_t first, std::size_t last, const RasterGradient& gradient, bool all) {
    const bool shared = all || !gradient.means.empty() || !gradient.covariances.empty();
    const std::size_t images = last - first;
    // Gradients that images share are added by one thread per chunk, image by image.
    const auto by_chunk = [&](std::size_t begin, std::size_t end) {
      for (std::size_t chunk = begin; chunk < end; ++chunk) {
        for (std::size_t i = 0; i < images; ++i) project_chunk_backward(first, first + i, chunk, gradient, all);
      }
    };
    const auto by_image = [&](std::size_t begin, std::size_t end) {
      for (std::size_t item = begin; item < end; ++item) {
        project_chunk_backward(first, first + item / shape_.chunks, item % shape_.chunks, gradient, all);
      }
    };
    if (shared) {
      parallel_for(shape_.chunks, 1, std::ref(by_chunk));
    } else {
      parallel_for(images * shape_.chunks, 1, std::ref(by_image));
    }
  }

  void sum_chunk_bones(std::size_t first, std::size_t last) {
    for (std::size_t image = first; image < last; ++image) {
      double* to = state_.image_bones.data() + image * bone_numbers();
      const double* from = state_.chunk_bones.data() + (image - first) * shape_.chunks * bone_numbers();
      std::fill_n(to, bone_numbers(), 0.0);
      for (std::size_t chunk = 0; chunk < shape_.chunks; ++chunk, from += bone_numbers()) {
        for (std::size_t k = 0; k < bone_numbers(); ++k) to[k] += from[k];
      }
    }
  }

  void add_bones(std::span<Affine> grad_bones) {
    for (std::size_t bone = 0; bone < grad_bones.size(); ++bone) {
      double sum[12] = {};
      for (std::size_t image = bone / shape_.bones; image < shape_.images; image += shape_.frames) {
        const double* from = state_.image_bones.data() + image * bone_numbers() + 12 * (bone % shape_.bones);
        for (int k = 0; k < 12; ++k) sum[k] += from[k];
      }
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) grad_bones[bone].linear(i, j) += static_cast<float>(sum[4 * i + j]);
        grad_bones[bone].translation[i] += static_cast<float>(sum[4 * i + 3]);
      }
    }
  }

  void add_background(std::span<const Vec3> grad_images, std::span<Vec3> grad_background) {
    if (grad_images.empty()) return;
    const auto width = static_cast<std::size_t>(shape_.width), rows = shape_.images * shape_.pixels / width;
    const bool per_pixel = grad_background.size() == shape_.images * shape_.pixels;
    state_.row_sums.resize(rows);
    const auto add_rows = [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        Vec3d sum;
        for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
          if (per_pixel) grad_background[i] += state_.transmittance[i] * grad_images[i];
          sum += double(state_.transmittance[i]) * grad_images[i].cast<double>();
        }
        state_.row_sums[row] = sum;
      }
    };
    parallel_for(rows, 64, std::ref(add_rows));
    if (per_pixel) return;
    const std::size_t rows_each = rows / grad_background.size();
    for (std::size_t k = 0; k < grad_background.size(); ++k) {
      Vec3d sum;
      for (std::size_t row = k * rows_each; row < (k + 1) * rows_each; ++row) sum += state_.row_sums[row];
      grad_background[k] += sum.cast<float>();
    }
  }

  const RasterInput& input_;
  const RasterOutput& output_;
  const RasterSettings& settings_;
  RasterWorkspace::State& state_;
  const Shape shape_;
  const RasterKernels& kernels_;
};

template <class T, class U>
void expect_like(std::span<T> gradient, std::span<const U> input) {
  LIMBER_EXPECT(gradient.empty() || gradient.size() == input.size(), sizes(gradient.size(), input.size()));
}

}  // namespace

RasterWorkspace::RasterWorkspace(std::size_t keep_bytes) : state_(std::make_unique<State>()) {
  state_->keep_bytes = keep_bytes;
}
RasterWorkspace::~RasterWorkspace() = default;
RasterWorkspace::RasterWorkspace(RasterWorkspace&&) noexcept = default;
RasterWorkspace& RasterWorkspace::operator=(RasterWorkspace&&) noexcept = default;

std::size_t RasterWorkspace::bytes() const {
  std::size_t sum = held(state_->bones) + held(state_->transmittance) + held(state_->chunk_bones) +
                    held(state_->image_bones) + held(state_->row_sums);
  for (const ImageLists& lists : state_->slots) sum += lists.bytes();
  for (const SortScratch& scratch : state_->scratch) sum += scratch.bytes();
  for (const std::vector<float>& grads : state_->entry_grads) sum += held(grads);
  return sum;
}

void rasterize_forward(const RasterInput& input, const RasterOutput& output, RasterWorkspace& workspace,
                       const RasterSettings& settings) {
  const Shape shape = check_input(input, settings);
  expect_output(output, shape);
  Call(input, output, settings, *workspace.state_, shape).forward();
}

void rasterize_backward(const RasterInput& input, const RasterOutput& output, const RasterCotangent& cotangent,
                        const RasterGradient& gradient, RasterWorkspace& workspace, const RasterSettings& settings) {
  const Shape shape = check_input(input, settings);
  expect_output(output, shape);
  LIMBER_EXPECT(shape == workspace.state_->shape, "the last forward had other sizes");
  expect_like(cotangent.images, std::span<const Vec3>(output.images));
  expect_like(cotangent.alphas, std::span<const float>(output.alphas));
  expect_like(gradient.means, input.means);
  expect_like(gradient.covariances, input.covariances);
  expect_like(gradient.opacities, input.opacities);
  expect_like(gradient.colors, input.colors);
  expect_like(gradient.background, input.background);
  expect_like(gradient.bones, input.bones);
  Call(input, output, settings, *workspace.state_, shape).backward(cotangent, gradient);
}

}  // namespace limber::splat
