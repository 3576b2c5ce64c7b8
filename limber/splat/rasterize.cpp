// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/rasterize.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/base/expect.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/splat/raster_kernels.h"
#include "limber/splat/rasterize_cuda.h"
#include "limber/splat/tile_lists.h"

namespace limber::splat {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
constexpr int kMaxImageSize = 16384;
// Images whose tile gradients are held at once: some, or all of small clouds, for which waking threads costs more.
constexpr std::size_t kBackwardGroup = 16, kBackwardGaussians = 65536;
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

struct RasterWorkspace::State {
  std::size_t keep_bytes = 0;
  std::optional<CudaRaster> cuda;        ///< where that is asked for
  Status status{Done{}};                 ///< of the last call
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

/// One call: what it works on. Each step below is one parallel loop over independent pieces; sums across pieces are
/// taken in index order afterwards.
struct Call {
  const RasterInput& input;
  const RasterOutput& output;
  const RasterSettings& settings;
  RasterWorkspace::State& state;
  const Shape& shape;
  const RasterKernels& kernels;
};

std::size_t bone_numbers(const Call& call) { return 12 * call.shape.bones; }
std::size_t frame_of(const Call& call, std::size_t image) { return image % call.shape.frames; }
ImageLists& lists_of(const Call& call, std::size_t image) { return call.state.slots[image % call.state.slots.size()]; }

void reserve(const Call& call) {
  const std::size_t per_image = 128 * call.shape.gaussians + 64 * call.shape.tiles + 1;
  const std::size_t slots = std::clamp(call.state.keep_bytes / per_image, std::size_t{1}, call.shape.images);
  call.state.shape = call.shape;
  call.state.slots.resize(slots);
  for (ImageLists& lists : call.state.slots) lists.resize(call.shape.gaussians, call.shape.tiles);
  call.state.slot_images.assign(slots, kNone);
  call.state.scratch.resize(std::max(call.state.scratch.size(), static_cast<std::size_t>(thread_count())));
  for (SortScratch& scratch : call.state.scratch) scratch.reserve(call.shape.gaussians, call.shape.tiles);
  call.state.transmittance.resize(call.shape.images * call.shape.pixels);
  call.state.bones.resize(call.input.bones.size() * 12);
  double* to = call.state.bones.data();
  for (const Affine& bone : call.input.bones) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) *to++ = double(bone.linear(i, j));
      *to++ = double(bone.translation[i]);
    }
  }
}

ProjectJob project_job(const Call& call, std::size_t image) {
  const std::size_t frame = frame_of(call, image), count = call.shape.gaussians;
  ProjectJob job{};
  job.means = numbers(call.input.means);
  job.covariances = numbers(call.input.covariances);
  job.opacities = call.input.opacities.data() + (call.input.opacities.size() == count ? 0 : frame * count);
  job.colors = numbers(call.input.colors) + (call.input.colors.size() == count ? 0 : 3 * image * count);
  job.influences = call.input.influences;
  job.bone_indices = call.input.bone_indices.data();
  job.bone_weights = call.input.bone_weights.data();
  job.bones = call.state.bones.data() + frame * bone_numbers(call);
  job.camera = kernel_camera(call.input.cameras[image], call.settings);
  job.near = call.settings.near, job.far = call.settings.far;
  job.eps2d = call.settings.eps2d, job.alpha_min = call.settings.alpha_min;
  return job;
}

/// Projects and sorts the images [first, last) that are not prepared yet.
void prepare(const Call& call, std::size_t first, std::size_t last) {
  const auto is_ready = [&](std::size_t image) {
    return call.state.slot_images[image % call.state.slots.size()] == image;
  };
  bool ready = true;
  for (std::size_t image = first; image < last; ++image) ready = ready && is_ready(image);
  if (ready) return;
  const auto project_chunks = [&](std::size_t begin, std::size_t end) {
    for (std::size_t item = begin; item < end; ++item) {
      const std::size_t image = first + item / call.shape.chunks, chunk = item % call.shape.chunks;
      if (is_ready(image)) continue;
      ImageLists& lists = lists_of(call, image);
      ProjectJob job = project_job(call, image);
      job.begin = chunk * kChunk;
      job.end = std::min(job.begin + kChunk, call.shape.gaussians);
      lists.chunk_counts[chunk] = static_cast<std::uint32_t>(
          call.kernels.project(job, {lists.records.data() + job.begin, lists.boxes.data() + job.begin,
                                     lists.depths.data() + job.begin, lists.indices.data() + job.begin}));
    }
  };
  parallel_for((last - first) * call.shape.chunks, 1, std::ref(project_chunks));
  const auto sort_images = [&](std::size_t begin, std::size_t end) {
    for (std::size_t image = first + begin; image < first + end; ++image) {
      if (is_ready(image)) continue;
      make_tile_lists(lists_of(call, image), call.shape.tiles_x,
                      call.state.scratch[static_cast<std::size_t>(thread_index())]);
      call.state.slot_images[image % call.state.slots.size()] = image;
    }
  };
  parallel_for(last - first, 1, std::ref(sort_images));
}

TileJob tile_job(const Call& call, std::size_t image, std::size_t tile) {
  const ImageLists& lists = lists_of(call, image);
  const int tx = static_cast<int>(tile) % call.shape.tiles_x, ty = static_cast<int>(tile) / call.shape.tiles_x;
  static constexpr float kBlack[3] = {0, 0, 0};
  TileJob job{};
  job.records = lists.records.data();
  job.entries = lists.entries.data() + lists.tile_begin[tile];
  job.entry_count = lists.tile_begin[tile + 1] - lists.tile_begin[tile];
  job.x0 = tx * kTileWidth, job.x1 = std::min(job.x0 + kTileWidth, call.shape.width);
  job.y0 = ty * kTileHeight, job.y1 = std::min(job.y0 + kTileHeight, call.shape.height);
  job.image_width = call.shape.width;
  job.log2_alpha_min = static_cast<float>(std::log2(call.settings.alpha_min));
  job.alpha_max = static_cast<float>(call.settings.alpha_max);
  job.min_transmittance = static_cast<float>(call.settings.min_transmittance);
  const std::size_t backgrounds = call.input.background.size();
  job.background = backgrounds ? numbers(call.input.background) : kBlack;
  if (backgrounds == call.shape.images * call.shape.pixels && backgrounds > 1) {
    job.background += 3 * image * call.shape.pixels;
    job.background_stride = 3;
  } else if (backgrounds > 1) {
    job.background += 3 * image;
  }
  job.image = numbers(call.output.images) + 3 * image * call.shape.pixels;
  job.alpha = call.output.alphas.data() + image * call.shape.pixels;
  job.transmittance = call.state.transmittance.data() + image * call.shape.pixels;
  return job;
}

void draw(const Call& call, std::size_t first, std::size_t last) {
  const auto draw_tiles = [&](std::size_t begin, std::size_t end) {
    for (std::size_t item = begin; item < end; ++item) {
      const TileJob job = tile_job(call, first + item / call.shape.tiles, item % call.shape.tiles);
      job.entry_count ? call.kernels.tile_forward(job) : show_background(job);
    }
  };
  parallel_for((last - first) * call.shape.tiles, kTileGrain, std::ref(draw_tiles));
}

void draw_backward(const Call& call, std::size_t first, std::size_t last, const RasterCotangent& cotangent, bool all) {
  const auto sums = static_cast<std::size_t>(all ? kAllSums : kPoseSums);
  for (std::size_t image = first; image < last; ++image) {
    std::vector<float>& grads = call.state.entry_grads[image - first];
    const std::size_t size = lists_of(call, image).entries.size() * sums;
    if (grads.capacity() < size) grads.reserve(size + size / 4);
    grads.resize(size);
  }
  const auto draw_tiles = [&](std::size_t begin, std::size_t end) {
    for (std::size_t item = begin; item < end; ++item) {
      const std::size_t image = first + item / call.shape.tiles, tile = item % call.shape.tiles;
      TileJob job = tile_job(call, image, tile);
      if (job.entry_count == 0) continue;
      if (!cotangent.images.empty()) job.grad_image = numbers(cotangent.images) + 3 * image * call.shape.pixels;
      if (!cotangent.alphas.empty()) job.grad_alpha = cotangent.alphas.data() + image * call.shape.pixels;
      job.entry_grads = call.state.entry_grads[image - first].data() + sums * lists_of(call, image).tile_begin[tile];
      (all ? call.kernels.tile_backward_all : call.kernels.tile_backward_pose)(job);
    }
  };
  parallel_for((last - first) * call.shape.tiles, kTileGrain, std::ref(draw_tiles));
}

void project_chunk_backward(const Call& call, std::size_t first, std::size_t image, std::size_t chunk,
                            const RasterGradient& gradient, bool all) {
  const ImageLists& lists = lists_of(call, image);
  const std::size_t count = call.shape.gaussians;
  ProjectBackwardJob job{};
  job.forward = project_job(call, image);
  job.forward.begin = chunk * kChunk;
  job.forward.end = job.forward.begin + lists.chunk_counts[chunk];
  job.indices = lists.indices.data();
  job.slot_begin = lists.slot_begin.data();
  job.slots = lists.slots.data();
  job.entry_grads = call.state.entry_grads[image - first].data();
  job.sums = all ? kAllSums : kPoseSums;
  job.grad_means = numbers(gradient.means);
  job.grad_covariances = numbers(gradient.covariances);
  job.grad_opacities = gradient.opacities.empty() ? nullptr : gradient.opacities.data();
  if (job.grad_opacities && gradient.opacities.size() != count) job.grad_opacities += frame_of(call, image) * count;
  job.grad_colors = numbers(gradient.colors);
  if (job.grad_colors && gradient.colors.size() != count) job.grad_colors += 3 * image * count;
  if (!gradient.bones.empty()) {
    job.grad_bones = call.state.chunk_bones.data() + ((image - first) * call.shape.chunks + chunk) * bone_numbers(call);
    std::fill_n(job.grad_bones, bone_numbers(call), 0.0);
  }
  call.kernels.project_backward(job);
}

/// Every how many images gradients are added to the same numbers: those of one frame, all, or none.
std::size_t images_apart(const Call& call, const RasterGradient& gradient) {
  const std::size_t count = call.shape.gaussians;
  const auto one_for_all = [&](const auto& values) { return !values.empty() && values.size() == count; };
  if (!gradient.means.empty() || !gradient.covariances.empty() || one_for_all(gradient.opacities) ||
      one_for_all(gradient.colors)) {
    return 1;
  }
  return gradient.opacities.empty() ? call.shape.images : call.shape.frames;
}

void project_backward(const Call& call, std::size_t first, std::size_t last, const RasterGradient& gradient, bool all) {
  // Gradients that images share are added by one thread per chunk, image by image.
  const std::size_t apart = std::min(images_apart(call, gradient), last - first);
  const auto add_chunks = [&](std::size_t begin, std::size_t end) {
    for (std::size_t item = begin; item < end; ++item) {
      for (std::size_t image = first + item / call.shape.chunks; image < last; image += apart) {
        project_chunk_backward(call, first, image, item % call.shape.chunks, gradient, all);
      }
    }
  };
  parallel_for(apart * call.shape.chunks, 1, std::ref(add_chunks));
}

void sum_chunk_bones(const Call& call, std::size_t first, std::size_t last) {
  for (std::size_t image = first; image < last; ++image) {
    double* to = call.state.image_bones.data() + image * bone_numbers(call);
    const double* from = call.state.chunk_bones.data() + (image - first) * call.shape.chunks * bone_numbers(call);
    std::fill_n(to, bone_numbers(call), 0.0);
    for (std::size_t chunk = 0; chunk < call.shape.chunks; ++chunk, from += bone_numbers(call)) {
      for (std::size_t k = 0; k < bone_numbers(call); ++k) to[k] += from[k];
    }
  }
}

void add_bones(const Call& call, std::span<Affine> grad_bones) {
  for (std::size_t bone = 0; bone < grad_bones.size(); ++bone) {
    double sum[12] = {};
    for (std::size_t image = bone / call.shape.bones; image < call.shape.images; image += call.shape.frames) {
      const double* from = call.state.image_bones.data() + image * bone_numbers(call) + 12 * (bone % call.shape.bones);
      for (int k = 0; k < 12; ++k) sum[k] += from[k];
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) grad_bones[bone].linear(i, j) += static_cast<float>(sum[4 * i + j]);
      grad_bones[bone].translation[i] += static_cast<float>(sum[4 * i + 3]);
    }
  }
}

void add_background(const Call& call, std::span<const Vec3> grad_images, std::span<Vec3> grad_background) {
  if (grad_images.empty()) return;
  const auto width = static_cast<std::size_t>(call.shape.width), rows = call.shape.images * call.shape.pixels / width;
  const bool per_pixel = grad_background.size() == call.shape.images * call.shape.pixels;
  call.state.row_sums.resize(rows);
  const auto add_rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      Vec3d sum;
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        if (per_pixel) grad_background[i] += call.state.transmittance[i] * grad_images[i];
        sum += double(call.state.transmittance[i]) * grad_images[i].cast<double>();
      }
      call.state.row_sums[row] = sum;
    }
  };
  parallel_for(rows, 64, std::ref(add_rows));
  if (per_pixel) return;
  const std::size_t rows_each = rows / grad_background.size();
  for (std::size_t k = 0; k < grad_background.size(); ++k) {
    Vec3d sum;
    for (std::size_t row = k * rows_each; row < (k + 1) * rows_each; ++row) sum += call.state.row_sums[row];
    grad_background[k] += sum.cast<float>();
  }
}

void forward(const Call& call) {
  reserve(call);
  for (std::size_t first = 0; first < call.shape.images; first += call.state.slots.size()) {
    const std::size_t last = std::min(first + call.state.slots.size(), call.shape.images);
    prepare(call, first, last);
    draw(call, first, last);
  }
}

void backward(const Call& call, const RasterCotangent& cotangent, const RasterGradient& gradient) {
  const bool all = !gradient.colors.empty();
  const std::size_t group =
      std::min(call.state.slots.size(),
               std::max(kBackwardGroup, kBackwardGaussians / std::max<std::size_t>(call.shape.gaussians, 1)));
  if (call.state.entry_grads.size() < group) call.state.entry_grads.resize(group);
  if (!gradient.bones.empty()) {
    call.state.chunk_bones.resize(group * call.shape.chunks * bone_numbers(call));
    call.state.image_bones.resize(call.shape.images * bone_numbers(call));
  }
  // From the end, where the forward pass left its lists.
  for (std::size_t g = (call.shape.images + group - 1) / group; g-- > 0;) {
    const std::size_t first = g * group, last = std::min(first + group, call.shape.images);
    prepare(call, first, last);
    draw_backward(call, first, last, cotangent, all);
    project_backward(call, first, last, gradient, all);
    if (!gradient.bones.empty()) sum_chunk_bones(call, first, last);
  }
  if (!gradient.bones.empty()) add_bones(call, gradient.bones);
  if (!gradient.background.empty()) add_background(call, cotangent.images, gradient.background);
}

/// Everything goes up and the pictures come down. Where that fails they are black, and the status says why.
void forward_on_gpu(const Call& call) {
  call.state.shape = call.shape;
  if (!call.state.cuda) call.state.cuda.emplace();
  call.state.status = call.state.cuda->forward(call.input, call.output, call.settings);
  if (call.state.status.ok()) return;
  call.state.cuda.reset();
  std::fill(call.output.images.begin(), call.output.images.end(), Vec3{});
  std::fill(call.output.alphas.begin(), call.output.alphas.end(), 0.0f);
}

void backward_on_gpu(const Call& call, const RasterCotangent& cotangent, const RasterGradient& gradient) {
  if (!call.state.cuda) return;  // forward failed, and its status stands
  if (!gradient.background.empty()) call.state.transmittance.resize(call.shape.images * call.shape.pixels);
  call.state.status = call.state.cuda->backward(cotangent, gradient, call.state.transmittance);
  if (!call.state.status.ok()) {
    call.state.cuda.reset();
  } else if (!gradient.background.empty()) {
    add_background(call, cotangent.images, gradient.background);
  }
}

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

const Status& RasterWorkspace::status() const { return state_->status; }

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
  const Call call{input, output, settings, *workspace.state_, shape, current_kernels()};
  settings.device == Device::kCuda ? forward_on_gpu(call) : forward(call);
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
  const Call call{input, output, settings, *workspace.state_, shape, current_kernels()};
  if (settings.device == Device::kCuda) {
    backward_on_gpu(call, cotangent, gradient);
  } else {
    backward(call, cotangent, gradient);
  }
}

}  // namespace limber::splat
