// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/scene/ground_pattern.h"
#include "limber/scene/scene_cuda.h"
#include "limber/splat/raster_pipeline.cuh"

namespace limber::scene {
namespace {

/// What is behind the body, in planes of colours. Shadows are red planes of pictures from below, one per frame.
struct GroundInput {
  GroundSettings settings;
  GroundScale scale;
  std::uint32_t images, frames;
  int width, height;
  const GroundRays* rays;   ///< per image
  const Camera* cameras;    ///< per image
  const ShadowGrid* grids;  ///< per frame
  const float* shadows;     ///< null: none
  std::uint32_t cells;      ///< of a grid
  float* background;
  // Backward:
  const float *alphas, *grad_images;
  float* grad_shadows;
};

/// One thread per pixel (x) of an image (y).
__global__ void __launch_bounds__(256) background_kernel(GroundInput in) {
  const auto pixels = static_cast<std::uint32_t>(in.width) * static_cast<std::uint32_t>(in.height);
  const std::uint32_t image = blockIdx.y, pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;
  const int x = static_cast<int>(pixel) % in.width, y = static_cast<int>(pixel) / in.width;
  const GroundRays rays = in.rays[image];
  const GroundSettings& s = in.settings;
  Vec3 color = ground_color(rays, in.scale, s, x, y);
  if (in.shadows) {
    const Vec3 ray = rays.row(y) + static_cast<float>(x) * rays.right;
    const ShadowGrid grid = in.grids[image % in.frames];
    const ShadowPlace place = shadow_place(rays, grid, ray);
    if (place.inside) {
      const float* values = in.shadows + std::size_t{3} * in.cells * (image % in.frames);
      color *= 1 - s.shadow * rays.share(ray.y) * shadow_value(values, grid, place);
    }
  }
  float* to = in.background + std::size_t{3} * pixels * image + pixel;
  to[0] = color.x, to[pixels] = color.y, to[2 * std::size_t{pixels}] = color.z;
}

constexpr int kGatherLanes = 8;

/// What the pixels of one image that look up a grid point say about it: a lane's share of them.
__device__ inline float gather_shadow(const GroundInput& in, std::uint32_t image, int row, int column) {
  const ShadowGrid grid = in.grids[image % in.frames];
  const GroundRays rays = in.rays[image];
  const std::size_t pixels = static_cast<std::size_t>(in.width) * static_cast<std::size_t>(in.height);
  const float* values = in.shadows + std::size_t{3} * in.cells * (image % in.frames);
  const float *back = in.background + 3 * pixels * image, *grads = in.grad_images + 3 * pixels * image;
  const float x = grid.x0 + grid.cell * static_cast<float>(row), z = grid.z0 + grid.cell * static_cast<float>(column);
  const PixelBox box = pixels_over(in.cameras[image], x - grid.cell, x + grid.cell, z - grid.cell, z + grid.cell);
  const int width = box.x1 - box.x0, count = box.y1 > box.y0 && width > 0 ? width * (box.y1 - box.y0) : 0;
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x % kGatherLanes); i < count; i += kGatherLanes) {
    const int px = box.x0 + i % width, py = box.y0 + i / width;
    const Vec3 ray = rays.row(py) + static_cast<float>(px) * rays.right;
    const ShadowPlace place = shadow_place(rays, grid, ray);
    const int down = row - place.row, right = column - place.column;
    if (!place.inside || down < 0 || down > 1 || right < 0 || right > 1) continue;
    const std::size_t at =
        static_cast<std::size_t>(py) * static_cast<std::size_t>(in.width) + static_cast<std::size_t>(px);
    const float share = in.settings.shadow * rays.share(ray.y);
    const float product =
        back[at] * grads[at] + back[at + pixels] * grads[at + pixels] + back[at + 2 * pixels] * grads[at + 2 * pixels];
    const float grad =
        -share * (1 - in.alphas[pixels * image + at]) * product / (1 - share * shadow_value(values, grid, place));
    sum += (down ? place.u : 1 - place.u) * (right ? place.v : 1 - place.v) * grad;
  }
  return sum;
}

/// Eight lanes per frame and grid point: they gather from all views, so that nobody adds to what is another's.
__global__ void __launch_bounds__(256) shadow_backward_kernel(GroundInput in) {
  const std::uint32_t id = (blockIdx.x * blockDim.x + threadIdx.x) / kGatherLanes;
  const std::uint32_t frame = id / in.cells, cell = id % in.cells;
  float sum = 0;
  if (frame < in.frames) {
    const int columns = in.grids[frame].columns;
    for (std::uint32_t image = frame; image < in.images; image += in.frames) {
      sum += gather_shadow(in, image, static_cast<int>(cell) / columns, static_cast<int>(cell) % columns);
    }
  }
  for (int width = kGatherLanes / 2; width >= 1; width /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, width);
  if (threadIdx.x % kGatherLanes > 0 || frame >= in.frames) return;
  float* to = in.grad_shadows + std::size_t{3} * in.cells * frame + cell;
  to[0] = sum, to[in.cells] = 0, to[2 * std::size_t{in.cells}] = 0;
}

constexpr unsigned kPlaceThreads = 128;

/// Numbers on the GPU that say what room was lacking.
enum Lacking { kBodyEntries, kShadowEntries, kRows, kColumns, kCells };

/// Where shadows fall: what BodyShadow does for `fit_and_place`, with grids of a given size.
struct PlaceInput {
  splat::ProjectInput casters;
  ShadowGrid grid;
  float margin;
  ShadowGrid* grids;             ///< per frame
  splat::KernelCamera* cameras;  ///< per frame: all but where they stand is there
  unsigned long long* lacking;
};

__device__ inline void note_lacking(const PlaceInput& in, Vec3 size) {
  const auto side = [&](float extent) {
    const float with_margin = extent + 2 * in.margin;
    return with_margin < 1e6f ? with_margin : 1e6f;
  };
  const auto points = [&](float extent) {
    constexpr int kStep = BodyShadow::kSideStep, kMost = BodyShadow::kMaxSide + kStep;
    const int needed = (static_cast<int>(side(extent) / in.grid.cell) + 2 + kStep - 1) / kStep * kStep;
    return needed < kMost ? needed : kMost;
  };
  const int rows = points(size.x), columns = points(size.z);
  if (rows > in.grid.rows) atomicMax(in.lacking + kRows, static_cast<unsigned long long>(rows));
  if (columns > in.grid.columns) atomicMax(in.lacking + kColumns, static_cast<unsigned long long>(columns));
  const float widest = side(size.x) > side(size.z) ? side(size.x) : side(size.z);
  if (widest / static_cast<float>(BodyShadow::kMaxSide) > in.grid.cell) atomicMax(in.lacking + kCells, 1ull);
}

/// A posed mean as on the CPU (skinned_cloud.cpp), in float.
__device__ inline Vec3 posed_mean(const splat::ProjectInput& in, std::uint32_t frame, std::uint32_t g) {
  const float* m = in.means + 3 * std::size_t{g};
  const Vec3 rest{m[0], m[1], m[2]};
  Vec3 mean;
  for (int k = 0; k < in.influences; ++k) {
    const std::size_t at = static_cast<std::size_t>(in.influences) * g + static_cast<std::size_t>(k);
    const float weight = in.bone_weights[at];
    if (weight != 0) mean += weight * (in.bones[std::size_t{frame} * in.bone_count + in.bone_indices[at]] * rest);
  }
  return mean;
}

/// One block per frame.
__global__ void __launch_bounds__(kPlaceThreads) place_kernel(PlaceInput in) {
  __shared__ float lows[3][kPlaceThreads], highs[3][kPlaceThreads];
  const std::uint32_t frame = blockIdx.x;
  Vec3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  for (std::uint32_t g = threadIdx.x; g < in.casters.gaussians; g += kPlaceThreads) {
    const Vec3 mean = posed_mean(in.casters, frame, g);
    if (!(mean.x - mean.x == 0 && mean.y - mean.y == 0 && mean.z - mean.z == 0)) continue;
    low = min(low, mean), high = max(high, mean);
  }
  const unsigned t = threadIdx.x;
  for (int k = 0; k < 3; ++k) lows[k][t] = low[k], highs[k][t] = high[k];
  for (unsigned half = kPlaceThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int k = 0; k < 3 && t < half; ++k) {
      lows[k][t] = lows[k][t] < lows[k][t + half] ? lows[k][t] : lows[k][t + half];
      highs[k][t] = highs[k][t] > highs[k][t + half] ? highs[k][t] : highs[k][t + half];
    }
  }
  if (t > 0) return;
  low = {lows[0][0], lows[1][0], lows[2][0]}, high = {highs[0][0], highs[1][0], highs[2][0]};
  const bool empty = low.x > high.x;
  const Vec3 middle = empty ? Vec3{0, 0, 0} : 0.5f * (low + high);
  ShadowGrid grid = in.grid;
  grid.x0 = grid.cell * std::round(middle.x / grid.cell - 0.5f * static_cast<float>(grid.rows));
  grid.z0 = grid.cell * std::round(middle.z / grid.cell - 0.5f * static_cast<float>(grid.columns));
  in.grids[frame] = grid;
  double* shift = in.cameras[frame].translation;
  shift[0] = double(-(grid.z0 + grid.cell * (0.5f * static_cast<float>(grid.columns))));
  shift[1] = double(-(grid.x0 + grid.cell * (0.5f * static_cast<float>(grid.rows))));
  if (!empty) note_lacking(in, high - low);
}

splat::RasterInput cloud_of(const splat::Gaussians& gaussians, std::span<const Symmetric> covariances,
                            std::span<const Vec3> colors, int bone_count, std::size_t frames) {
  splat::RasterInput input;
  input.means = gaussians.means, input.covariances = covariances;
  input.opacities = gaussians.opacities, input.colors = colors;
  input.influences = gaussians.influences;
  input.bone_indices = gaussians.bones, input.bone_weights = gaussians.weights;
  input.bone_count = bone_count;
  input.frame_count = static_cast<int>(frames);
  return input;
}

}  // namespace

bool has_cuda() { return true; }

struct CudaScene::State {
  explicit State(const SceneSettings& s) : settings(s) {}

  void upload_body();
  void upload_cameras(std::span<const Camera> cameras);
  void draw_shadow(std::span<const Affine> bones);
  GroundInput ground_input() const;
  void draw_background();
  splat::RasterPipeline& backward(const float* grad_frames);
  bool place_shadows(int least_rows, int least_columns);

  SceneSettings settings;
  std::shared_ptr<CudaQueue> shared_queue = std::make_shared<CudaQueue>();  ///< the last to go
  CudaQueue& queue = *shared_queue;
  bool open = false, fresh = true;  ///< fresh: the body is not yet there
  const splat::Gaussians* gaussians = nullptr;
  std::span<const Symmetric> covariances;
  std::span<const Vec3> colors;
  BodyShadow* shadow = nullptr;
  int bone_count = 0;
  std::size_t frames = 0;
  std::vector<Camera> cameras;

  splat::RasterPipeline body{queue}, below{queue};
  DeviceArray<GroundRays> rays;
  DeviceArray<Camera> device_cameras;
  DeviceArray<ShadowGrid> grids;
  DeviceArray<float> background, grad_frames, grad_shadows;
  std::size_t cells = 0;
  DeviceArray<std::uint64_t> lacking;
  std::uint64_t least_room = 0;
  int grown = 0;
  BodyShadow::Placing placing;  ///< where nobody waits
};

void CudaScene::State::upload_body() {
  body.set_cloud(cloud_of(*gaussians, covariances, colors, bone_count, frames), {.hide_depth = settings.hide_depth});
  body.set_planes(true);
  if (shadow) {
    const splat::Gaussians& casters = shadow->casters();
    const std::vector<Vec3> red(casters.size(), Vec3{1, 0, 0});
    below.set_cloud(cloud_of(casters, shadow->covariances(), red, bone_count, frames),
                    {.hide_depth = settings.hide_depth, .shade_decay = settings.ground.shadow_decay});
    below.set_planes(true);
  }
  fresh = false;
}

void CudaScene::State::upload_cameras(std::span<const Camera> all) {
  if (std::equal(all.begin(), all.end(), cameras.begin(), cameras.end())) return;
  cameras.assign(all.begin(), all.end());
  body.set_cameras(cameras, settings.raster);
  if (!settings.ground.visible) return;
  std::vector<GroundRays> all_rays;
  for (const Camera& camera : cameras) all_rays.emplace_back(camera);
  rays.upload(queue, all_rays, "cameras");
  device_cameras.upload(queue, cameras, "cameras");
}

GroundInput CudaScene::State::ground_input() const {
  return {settings.ground,
          GroundScale(settings.ground),
          static_cast<std::uint32_t>(cameras.size()),
          static_cast<std::uint32_t>(frames),
          cameras[0].width,
          cameras[0].height,
          rays.data(),
          device_cameras.data(),
          grids.data(),
          shadow ? below.images() : nullptr,
          static_cast<std::uint32_t>(cells),
          background.data(),
          body.alphas(),
          nullptr,
          grad_shadows.data()};
}

void CudaScene::State::draw_background() {
  if (!settings.ground.visible) {
    const float sky[3] = {settings.ground.sky.x, settings.ground.sky.y, settings.ground.sky.z};
    if (background.size() == 0) background.upload(queue, sky, "background");
    body.set_background({background.data(), splat::DeviceBackground::kOne});
    return;
  }
  background.resize(queue, 3 * body.pixels(), "background");
  body.set_background({background.data(), splat::DeviceBackground::kPerPixel});
  const auto pixels = static_cast<unsigned>(cameras[0].width) * static_cast<unsigned>(cameras[0].height);
  queue.launch("ground", dim3((pixels + 255) / 256, static_cast<unsigned>(cameras.size())), 256, &background_kernel,
               ground_input());
}

/// The picture from below.
void CudaScene::State::draw_shadow(std::span<const Affine> bones) {
  shadow->fit_and_place(bones, bone_count);
  const std::vector<Camera>& from_below = shadow->cameras();
  cells = static_cast<std::size_t>(from_below[0].width) * static_cast<std::size_t>(from_below[0].height);
  grids.upload(queue, shadow->grids(), "shadows");
  below.set_cameras(from_below, shadow->raster_settings());
  below.share_bones(body);
  below.forward();
}

/// Returns who has the sums over both.
splat::RasterPipeline& CudaScene::State::backward(const float* grad) {
  body.backward(grad, nullptr, false);
  body.sum_bones();
  if (!shadow) return body;
  grad_shadows.resize(queue, 3 * cells * frames, "gradients on shadows");
  GroundInput input = ground_input();
  input.grad_images = grad;
  queue.launch_each("shadow backward", kGatherLanes * cells * frames, &shadow_backward_kernel, input);
  below.backward(grad_shadows.data(), nullptr, true);
  below.sum_bones(&body);
  return below;
}

/// Grids that are placed there.
bool CudaScene::State::place_shadows(int least_rows, int least_columns) {
  const std::optional<BodyShadow::Placing> found = shadow->placing(least_rows, least_columns);
  if (!found) return false;
  placing = *found;
  cells = static_cast<std::size_t>(placing.grid.rows) * static_cast<std::size_t>(placing.grid.columns);
  below.set_cameras(std::vector<Camera>(frames, placing.camera), shadow->raster_settings());
  below.set_unwaited(lacking.data() + kShadowEntries);
  grids.resize(queue, frames, "shadows");
  return true;
}

CudaScene::CudaScene(const SceneSettings& settings) : state_(std::make_unique<State>(settings)) {}
CudaScene::~CudaScene() = default;

void CudaScene::set_body(const splat::Gaussians& gaussians, std::span<const Symmetric> covariances,
                         std::span<const Vec3> colors, BodyShadow* shadow, int bone_count) {
  State& s = *state_;
  s.gaussians = &gaussians, s.covariances = covariances, s.colors = colors, s.shadow = shadow;
  s.bone_count = bone_count;
  s.fresh = true;
}

Status CudaScene::open() {
  State& s = *state_;
  if (!s.open) LIMBER_CHECK_OK(s.queue.open());
  s.open = true;
  return Done{};
}

Status CudaScene::forward(std::span<const Affine> bones, std::size_t frames, std::span<const Camera> cameras) {
  State& s = *state_;
  LIMBER_CHECK_OK(open());
  s.fresh = s.fresh || s.frames != frames;
  s.frames = frames;
  if (s.fresh) s.upload_body();
  s.upload_cameras(cameras);
  for (splat::RasterPipeline* drawing : {&s.body, &s.below}) drawing->set_unwaited(nullptr);
  s.body.set_bones(bones);
  s.body.prepare();
  if (s.shadow) s.draw_shadow(bones);  // grids are placed here while the GPU prepares
  s.draw_background();
  s.body.blend();
  return s.queue.status();
}

const float* CudaScene::frames() const { return state_->body.images(); }

Status CudaScene::download(std::span<float> values) {
  state_->queue.download(values.data(), state_->body.images(), values.size_bytes());
  return state_->queue.finish();
}

Status CudaScene::backward(const float* grad_frames, std::span<Affine> grad_bones) {
  state_->backward(grad_frames).add_bone_gradient(grad_bones);
  return state_->queue.finish();
}

Status CudaScene::backward_from_host(std::span<const float> grad_frames, std::span<Affine> grad_bones) {
  state_->grad_frames.upload(state_->queue, grad_frames, "gradients on frames");
  return backward(state_->grad_frames.data(), grad_bones);
}

// --- without waiting ----------------------------------------------------------

bool CudaScene::start_unwaited() {
  State& s = *state_;
  s.lacking.resize(s.queue, CudaQueue::kSent, "counts");
  s.queue.clear(s.lacking.data(), CudaQueue::kSent * sizeof(std::uint64_t));
  if (s.shadow && !s.place_shadows(0, 0)) return false;
  s.body.set_unwaited(s.lacking.data() + kBodyEntries);
  if (s.least_room > 0) s.body.grow(s.least_room), s.below.grow(s.least_room);
  return s.queue.ok();
}

void CudaScene::forward_unwaited(const Affine* bones) {
  State& s = *state_;
  s.body.set_bones(bones);
  s.body.prepare();
  if (s.shadow) {
    s.below.share_bones(s.body);
    const PlaceInput place{s.below.input(), s.placing.grid,    s.placing.margin,
                           s.grids.data(),  s.below.cameras(), reinterpret_cast<unsigned long long*>(s.lacking.data())};
    s.queue.launch("place shadows", dim3(static_cast<unsigned>(s.frames)), kPlaceThreads, &place_kernel, place);
    s.below.forward();
  }
  s.draw_background();
  s.body.blend();
}

const Affine* CudaScene::backward_unwaited(const float* grad_frames) {
  return state_->backward(grad_frames).bone_gradient();
}

void CudaScene::ask_room(int place) { state_->queue.send_numbers(place, state_->lacking.data()); }

CudaScene::Room CudaScene::check_room(int place) {
  State& s = *state_;
  const auto lacking = s.queue.wait_numbers(place);
  if (std::all_of(lacking.begin(), lacking.end(), [](std::uint64_t number) { return number == 0; })) {
    return Room::kEnough;
  }
  s.queue.clear(s.lacking.data(), CudaQueue::kSent * sizeof(std::uint64_t));
  if (lacking[kCells] > 0) return Room::kNever;
  ++s.grown;
  s.body.grow(lacking[kBodyEntries]);
  if (s.shadow && (lacking[kRows] > 0 || lacking[kColumns] > 0)) {
    const auto at_least = [](int now, std::uint64_t needed) { return std::max(now, static_cast<int>(needed)); };
    const ShadowGrid& grid = s.placing.grid;
    if (!s.place_shadows(at_least(grid.rows, lacking[kRows]), at_least(grid.columns, lacking[kColumns]))) {
      return Room::kNever;
    }
  }
  s.below.grow(lacking[kShadowEntries]);
  return Room::kGrew;
}

int CudaScene::grown() const { return state_->grown; }
void CudaScene::set_least_room(std::uint64_t entries) { state_->least_room = entries; }
bool CudaScene::ok() const { return state_->queue.ok(); }
Status CudaScene::finish() { return state_->queue.finish(); }

std::shared_ptr<CudaQueue> CudaScene::queue() { return state_->shared_queue; }
std::size_t CudaScene::bytes() const { return state_->queue.bytes(); }
void CudaScene::start_timeline() { state_->queue.start_timeline(); }
std::vector<std::pair<std::string, double>> CudaScene::take_timeline() {
  std::vector<std::pair<std::string, double>> steps;
  for (const QueueStep& step : state_->queue.take_timeline()) steps.emplace_back(step.name, step.milliseconds);
  return steps;
}

}  // namespace limber::scene
