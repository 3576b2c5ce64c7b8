// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "limber/splat/blend_backward_kernels.cuh"
#include "limber/splat/blend_kernels.cuh"
#include "limber/splat/gradient_kernels.cuh"
#include "limber/splat/list_kernels.cuh"
#include "limber/splat/raster_pipeline.cuh"
#include "limber/splat/sort_kernels.cuh"

namespace limber::splat {
namespace {

template <class T>
std::span<const float> numbers(std::span<const T> from) {
  return {reinterpret_cast<const float*>(from.data()), from.size() * (sizeof(T) / sizeof(float))};
}

/// Room for what there is now and what may come; never none.
std::size_t roomy(std::size_t entries) { return entries + entries / 4 + 64; }

int bits_for(std::uint64_t largest) { return std::max(1, static_cast<int>(std::bit_width(largest))); }

/// Adds what a GPU summed up to numbers here.
template <class T>
void add(CudaQueue& queue, const DeviceArray<float>& from, std::span<T> to) {
  const std::vector<float> values = from.download(queue);
  if (!queue.ok()) return;
  auto* numbers = reinterpret_cast<float*>(to.data());
  for (std::size_t i = 0; i < values.size(); ++i) numbers[i] += values[i];
}

}  // namespace

struct RasterPipeline::State {
  explicit State(CudaQueue& q) : queue_(q) {}

  std::size_t pixel_count() const {
    return static_cast<std::size_t>(blend_.width) * static_cast<std::size_t>(blend_.height);
  }
  void set_cloud(const RasterInput& input, const HeightRules& heights);
  void set_cameras(std::span<const Camera> cameras, const RasterSettings& settings);
  bool skinned() const { return input_.influences > 0 && input_.frames > 0 && input_.bone_count > 0; }
  void prepare();
  void blend();
  void backward(const float* grad_images, const float* grad_alphas, bool colors);
  void sum_bones(const State* before);
  void add_bone_gradient(std::span<Affine> to);
  void add_rest_gradient(const RasterGradient& to);

  void reverse_skin(const RasterInput& input);
  bool fits();
  void project_records();
  void sort_records();
  void sort_all_images();
  void sort_by_image(std::uint32_t chunks);
  void check_entries(std::uint64_t total);
  void count_entries();
  void make_room(std::size_t entries);
  ListRoom list_room() const;
  void list_entries();
  RecordSums record_sums() const;

  CudaQueue& queue_;
  ProjectInput input_;
  BlendInput blend_{};
  DepthKeys depths_;
  bool planes_ = false;

  // The cloud.
  DeviceArray<float> means_, covariances_, opacities_, colors_, weights_;
  DeviceArray<std::uint16_t> indices_;
  DeviceArray<Affine> bones_;
  DeviceArray<KernelCamera> cameras_;
  DeviceArray<BoneChunk> chunks_;
  DeviceArray<BoneItem> items_;
  DeviceArray<std::uint32_t> bone_chunks_;

  // Records.
  DeviceArray<Record> records_;
  DeviceArray<Box> boxes_;
  DeviceArray<std::uint64_t> depth_keys_[2], begins_, chunk_keys_;
  DeviceArray<std::uint32_t> orders_[2], counts_, ordered_counts_, first_entries_;
  const std::uint32_t* order_ = nullptr;

  // Entries.
  std::size_t entry_count_ = 0;       ///< or for how many there is room, where nobody waits
  std::uint64_t* lacking_ = nullptr;  ///< there, where nobody waits
  DeviceArray<std::uint32_t> tile_keys_[2], entries_[2], entry_records_, listed_records_;
  DeviceArray<std::uint64_t> tile_ranges_;  ///< how many entries there are; where tiles begin; where they end

  // Pictures and gradients.
  DeviceArray<float> images_, alphas_, transmittances_, entry_grads_, pose_grads_;
  bool colors_wanted_ = false;
  DeviceArray<double> parts_;
  DeviceArray<Affine> grad_bones_;
};

RasterPipeline::RasterPipeline(CudaQueue& queue) : state_(std::make_unique<State>(queue)) {}
RasterPipeline::~RasterPipeline() = default;

void RasterPipeline::set_cloud(const RasterInput& input, const HeightRules& heights) {
  state_->set_cloud(input, heights);
}
void RasterPipeline::set_cameras(std::span<const Camera> cameras, const RasterSettings& settings) {
  state_->set_cameras(cameras, settings);
}
void RasterPipeline::set_bones(std::span<const Affine> bones) {
  state_->bones_.upload(state_->queue_, bones, "bones");
  state_->input_.bones = state_->bones_.data();
}
void RasterPipeline::set_bones(const Affine* bones) { state_->input_.bones = bones; }
KernelCamera* RasterPipeline::cameras() const { return state_->cameras_.data(); }
void RasterPipeline::share_bones(const RasterPipeline& other) { state_->input_.bones = other.state_->input_.bones; }
void RasterPipeline::set_background(const DeviceBackground& background) { state_->blend_.background = background; }
void RasterPipeline::set_planes(bool planes) { state_->planes_ = planes; }
void RasterPipeline::prepare() { state_->prepare(); }
void RasterPipeline::blend() { state_->blend(); }
void RasterPipeline::set_unwaited(std::uint64_t* lacking) {
  const bool waited = state_->lacking_ == nullptr;
  state_->lacking_ = lacking;
  if (waited && lacking != nullptr) state_->make_room(roomy(state_->entry_count_));
}
void RasterPipeline::grow(std::uint64_t entries) {
  state_->check_entries(entries);
  if (entries > state_->entry_count_) state_->make_room(roomy(static_cast<std::size_t>(entries)));
}
const ProjectInput& RasterPipeline::input() const { return state_->input_; }
std::size_t RasterPipeline::pixels() const { return state_->pixel_count() * state_->input_.images; }
float* RasterPipeline::images() const { return state_->images_.data(); }
float* RasterPipeline::alphas() const { return state_->alphas_.data(); }
float* RasterPipeline::transmittances() const { return state_->transmittances_.data(); }
void RasterPipeline::backward(const float* grad_images, const float* grad_alphas, bool colors) {
  state_->backward(grad_images, grad_alphas, colors);
}
void RasterPipeline::sum_bones(const RasterPipeline* before) {
  state_->sum_bones(before ? before->state_.get() : nullptr);
}
const Affine* RasterPipeline::bone_gradient() const { return state_->grad_bones_.data(); }
void RasterPipeline::add_bone_gradient(std::span<Affine> to) { state_->add_bone_gradient(to); }
void RasterPipeline::add_rest_gradient(const RasterGradient& to) { state_->add_rest_gradient(to); }

// --- what goes up -------------------------------------------------------------

void RasterPipeline::State::set_cloud(const RasterInput& input, const HeightRules& heights) {
  input_.gaussians = static_cast<std::uint32_t>(input.means.size());
  input_.frames = static_cast<std::uint32_t>(input.frame_count);
  input_.bone_count = static_cast<std::uint32_t>(input.bone_count);
  input_.influences = input.influences;
  input_.opacity_frames = input.opacities.size() > input.means.size() ? input_.frames : 1;
  input_.color_images = input.colors.size() > input.means.size() ? 2 : 1;
  input_.heights = heights;
  means_.upload(queue_, numbers(input.means), "means");
  covariances_.upload(queue_, numbers(input.covariances), "covariances");
  opacities_.upload(queue_, input.opacities, "opacities");
  colors_.upload(queue_, numbers(input.colors), "colours");
  indices_.upload(queue_, input.bone_indices, "skin");
  weights_.upload(queue_, input.bone_weights, "skin");
  input_.means = means_.data(), input_.covariances = covariances_.data();
  input_.opacities = opacities_.data(), input_.colors = colors_.data();
  input_.bone_indices = indices_.data(), input_.bone_weights = weights_.data();
  if (input.influences > 0) reverse_skin(input);
}

/// Lists of Gaussians per bone, cut into chunks that never mix bones.
void RasterPipeline::State::reverse_skin(const RasterInput& input) {
  const auto bones = static_cast<std::size_t>(input.bone_count);
  std::vector<std::vector<BoneItem>> lists(bones);
  for (std::size_t k = 0; k < input.bone_weights.size(); ++k) {
    if (input.bone_weights[k] == 0) continue;
    const auto gaussian = static_cast<std::uint32_t>(k / static_cast<std::size_t>(input.influences));
    lists[input.bone_indices[k]].push_back({gaussian, input.bone_weights[k]});
  }
  std::vector<BoneItem> items;
  std::vector<BoneChunk> chunks;
  std::vector<std::uint32_t> first_chunks;
  for (const std::vector<BoneItem>& list : lists) {
    first_chunks.push_back(static_cast<std::uint32_t>(chunks.size()));
    const auto begin = static_cast<std::uint32_t>(items.size()), end = begin + static_cast<std::uint32_t>(list.size());
    for (std::uint32_t at = begin; at < end; at += kChunkItems) {
      chunks.push_back({at, std::min(at + kChunkItems, end)});
    }
    items.insert(items.end(), list.begin(), list.end());
  }
  first_chunks.push_back(static_cast<std::uint32_t>(chunks.size()));
  items_.upload(queue_, items, "skin by bones");
  chunks_.upload(queue_, chunks, "skin by bones");
  bone_chunks_.upload(queue_, first_chunks, "skin by bones");
}

void RasterPipeline::State::set_cameras(std::span<const Camera> cameras, const RasterSettings& settings) {
  std::vector<KernelCamera> kernel_cameras;
  for (const Camera& camera : cameras) kernel_cameras.push_back(kernel_camera(camera, settings));
  cameras_.upload(queue_, kernel_cameras, "cameras");
  lacking_ = nullptr;
  input_.cameras = cameras_.data();
  input_.images = static_cast<std::uint32_t>(cameras.size());
  input_.near = settings.near, input_.far = settings.far;
  input_.eps2d = settings.eps2d, input_.alpha_min = settings.alpha_min;
  input_.log2_alpha_min = std::log2(settings.alpha_min);
  const auto nearest = std::bit_cast<std::uint64_t>(settings.near),
             farthest = std::bit_cast<std::uint64_t>(settings.far);
  depths_ = {nearest, farthest > nearest ? std::max(0, bits_for(farthest - nearest + 1) - kDepthBits) : 0};

  blend_.width = cameras[0].width, blend_.height = cameras[0].height;
  const auto tiles = [](int size) { return static_cast<std::uint32_t>((size + kCudaTile - 1) / kCudaTile); };
  blend_.shape = {input_.gaussians, input_.images, tiles(blend_.width), tiles(blend_.width) * tiles(blend_.height)};
  blend_.log2_alpha_min = static_cast<float>(input_.log2_alpha_min);
  blend_.alpha_max = static_cast<float>(settings.alpha_max);
  blend_.min_transmittance = static_cast<float>(settings.min_transmittance);
}

// --- forward ------------------------------------------------------------------

/// Numbers of records, tiles and images must fit into those of the kernels.
bool RasterPipeline::State::fits() {
  const std::uint64_t records = std::uint64_t{input_.gaussians} * input_.images;
  const std::uint64_t tiles = std::uint64_t{blend_.shape.tiles} * input_.images;
  if (records < (1u << 31) && tiles < (1u << 31) && input_.images < 65536) return true;
  queue_.fail({std::to_string(input_.gaussians) + " Gaussians in " + std::to_string(input_.images) + " images of " +
                   std::to_string(blend_.width) + " x " + std::to_string(blend_.height) +
                   " are too many for one call on a GPU: draw fewer frames at once",
               "", ErrorKind::kOutOfMemory});
  return false;
}

void RasterPipeline::State::prepare() {
  if (!queue_.ok() || !fits()) return;
  project_records();
  sort_records();
  list_entries();
}

void RasterPipeline::State::blend() {
  if (!queue_.ok()) return;
  const std::size_t pixels = pixel_count() * input_.images;
  images_.resize(queue_, 3 * pixels, "pictures");
  alphas_.resize(queue_, pixels, "pictures");
  transmittances_.resize(queue_, pixels, "pictures");
  blend_.records = records_.data();
  blend_.listed_records = listed_records_.data();
  if (planes_) {
    blend_.layout = {1, static_cast<std::uint32_t>(pixel_count())};
  } else {
    blend_.layout = {3, 1};
  }
  blend_.images = images_.data(), blend_.alphas = alphas_.data(), blend_.transmittances = transmittances_.data();
  queue_.launch("blend", dim3(blend_.shape.tiles * input_.images), kBlendThreads, &blend_kernel, blend_);
}

/// Records, and how many entries they will have, which comes here while records are sorted.
void RasterPipeline::State::project_records() {
  const std::size_t count = std::size_t{input_.gaussians} * input_.images;
  const std::size_t tiles = std::size_t{blend_.shape.tiles} * input_.images;
  records_.resize(queue_, count, "records");
  boxes_.resize(queue_, count, "records");
  counts_.resize(queue_, count, "records");
  depth_keys_[0].resize(queue_, count, "sorting records");
  orders_[0].resize(queue_, count, "sorting records");
  tile_ranges_.resize(queue_, 1 + tiles, "tile lists");
  blend_.tile_begins = reinterpret_cast<std::uint32_t*>(tile_ranges_.data() + 1);
  blend_.tile_ends = blend_.tile_begins + tiles;
  queue_.clear(tile_ranges_.data(), (1 + tiles) * sizeof(std::uint64_t));
  blend_.shape.gaussians = input_.gaussians;
  queue_.launch_each("project", count, &project_kernel, input_, blend_.shape, depths_, records_.data(), boxes_.data(),
                     depth_keys_[0].data(), orders_[0].data(), counts_.data(), tile_ranges_.data(), list_room());
  if (lacking_ == nullptr) queue_.send_number(tile_ranges_.data());
}

/// Records by image and depth.
void RasterPipeline::State::sort_records() {
  const std::size_t count = std::size_t{input_.gaussians} * input_.images;
  ordered_counts_.resize(queue_, count, "records");
  begins_.resize(queue_, count, "records");
  first_entries_.resize(queue_, count, "records");
  const std::uint32_t chunks = (input_.gaussians + kSortChunk - 1) / kSortChunk;
  if (chunks <= kMaxSortChunks) {
    sort_by_image(chunks);
  } else {
    sort_all_images();
  }
  queue_.exclusive_sum(ordered_counts_.data(), begins_.data(), count);
}

void RasterPipeline::State::sort_by_image(std::uint32_t chunks) {
  chunk_keys_.resize(queue_, std::size_t{chunks} * kSortChunk * input_.images, "sorting records");
  queue_.launch("sort chunks", dim3(chunks, input_.images), kSortChunk / 2, &sort_chunk_kernel, blend_.shape,
                depth_keys_[0].data(), chunk_keys_.data());
  queue_.launch("merge", dim3(chunks * (kSortChunk / 256), input_.images), 256, &merge_chunks_kernel, blend_.shape,
                chunks, chunk_keys_.data(), counts_.data(), orders_[0].data(), ordered_counts_.data());
  order_ = orders_[0].data();
}

void RasterPipeline::State::sort_all_images() {
  const std::size_t count = std::size_t{input_.gaussians} * input_.images;
  depth_keys_[1].resize(queue_, count, "sorting records");
  orders_[1].resize(queue_, count, "sorting records");
  std::pair keys{depth_keys_[0].data(), depth_keys_[1].data()};
  std::pair order{orders_[0].data(), orders_[1].data()};
  queue_.sort_pairs(keys, order, count, kDepthBits + bits_for(input_.images - 1));
  order_ = order.first;
  queue_.launch_each("count", count, &order_counts_kernel, counts_.data(), order_, static_cast<std::uint32_t>(count),
                     ordered_counts_.data());
}

/// How many there are: waits.
void RasterPipeline::State::check_entries(std::uint64_t total) {
  if (total < (std::uint64_t{1} << 31)) return;
  queue_.fail(
      {std::to_string(total) + " tiles to draw: fewer or smaller Gaussians, please", "", ErrorKind::kOutOfMemory});
}

void RasterPipeline::State::count_entries() {
  const std::uint64_t total = queue_.wait_number();
  check_entries(total);
  make_room(queue_.ok() ? static_cast<std::size_t>(total) : 0);
}

void RasterPipeline::State::make_room(std::size_t entries) {
  entry_count_ = std::min(entries, (std::size_t{1} << 31) - 1);
  for (int k = 0; k < 2; ++k) {
    tile_keys_[k].resize(queue_, entry_count_, "tile lists", true);
    entries_[k].resize(queue_, entry_count_, "tile lists", true);
  }
  entry_records_.resize(queue_, entry_count_, "tile lists", true);
  listed_records_.resize(queue_, entry_count_, "tile lists", true);
}

ListRoom RasterPipeline::State::list_room() const {
  if (lacking_ == nullptr) return {};
  return {static_cast<std::uint32_t>(entry_count_), tile_keys_[0].data(), lacking_};
}

/// Entries by image, tile and depth.
void RasterPipeline::State::list_entries() {
  const std::size_t records = std::size_t{input_.gaussians} * input_.images;
  const std::size_t tiles = std::size_t{blend_.shape.tiles} * input_.images;
  if (lacking_ == nullptr) count_entries();
  queue_.launch_each("list", records, &list_kernel, blend_.shape, records_.data(), boxes_.data(), order_,
                     counts_.data(), begins_.data(), first_entries_.data(), tile_keys_[0].data(), entries_[0].data(),
                     entry_records_.data(), tile_ranges_.data(), list_room());
  std::pair keys{tile_keys_[0].data(), tile_keys_[1].data()};
  std::pair entries{entries_[0].data(), entries_[1].data()};
  queue_.sort_pairs(keys, entries, entry_count_, bits_for(lacking_ ? tiles : tiles - 1));
  auto* begins = reinterpret_cast<std::uint32_t*>(tile_ranges_.data() + 1);
  queue_.launch_each("find tiles", entry_count_, &find_tiles_kernel, keys.first, entries.first, entry_records_.data(),
                     static_cast<std::uint32_t>(entry_count_), static_cast<std::uint32_t>(tiles), begins,
                     begins + tiles, listed_records_.data());
  blend_.entries = entries.first;
}

// --- backward -----------------------------------------------------------------

void RasterPipeline::State::backward(const float* grad_images, const float* grad_alphas, bool colors) {
  colors_wanted_ = colors;
  entry_grads_.resize(queue_, entry_count_ * static_cast<std::size_t>(colors ? kAllSums : kPoseSums), "gradients",
                      true);
  blend_.grad_images = grad_images, blend_.grad_alphas = grad_alphas;
  blend_.entry_grads = entry_grads_.data();
  const dim3 tiles(entry_count_ > 0 ? blend_.shape.tiles * input_.images : 0);
  queue_.launch("blend backward", tiles, kBlendThreads,
                colors ? &blend_backward_kernel<true> : &blend_backward_kernel<false>, blend_);
}

RecordSums RasterPipeline::State::record_sums() const {
  return {first_entries_.data(), counts_.data(), entry_grads_.data()};
}

void RasterPipeline::State::sum_bones(const State* before) {
  if (!skinned()) return;
  const std::size_t records = std::size_t{input_.gaussians} * input_.images;
  const std::size_t bones = std::size_t{input_.frames} * input_.bone_count;
  pose_grads_.resize(queue_, records * kPoseNumbers, "gradients");
  parts_.resize(queue_, chunks_.size() * input_.frames * kPoseNumbers, "gradients");
  grad_bones_.resize(queue_, bones, "gradients");
  queue_.launch_each("pose gradient", records,
                     colors_wanted_ ? &pose_gradient_kernel<true> : &pose_gradient_kernel<false>, input_, record_sums(),
                     pose_grads_.data());
  queue_.launch("bone chunks", dim3(static_cast<unsigned>(chunks_.size()), input_.frames), kChunkThreads,
                &bone_chunk_kernel, input_, chunks_.data(), items_.data(), pose_grads_.data(), parts_.data());
  queue_.launch_each("bones", bones * kPoseNumbers, &bone_kernel, bone_chunks_.data(), input_.bone_count, input_.frames,
                     parts_.data(), before ? before->grad_bones_.data() : nullptr, grad_bones_.data());
}

void RasterPipeline::State::add_bone_gradient(std::span<Affine> to) {
  if (to.empty() || !skinned()) return;
  const std::vector<Affine> found = grad_bones_.download(queue_);
  if (!queue_.ok()) return;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].linear += found[i].linear;
    to[i].translation += found[i].translation;
  }
}

void RasterPipeline::State::add_rest_gradient(const RasterGradient& to) {
  if (entry_count_ == 0) return;
  DeviceArray<float> sums[4];
  const std::size_t sizes[4] = {3 * to.means.size(), 6 * to.covariances.size(), to.opacities.size(),
                                3 * to.colors.size()};
  for (int k = 0; k < 4; ++k) {
    sums[k].resize(queue_, sizes[k], "gradients");
    queue_.clear(sums[k].data(), sizes[k] * sizeof(float));
  }
  constexpr unsigned kThreads = 128;
  const RestGradient rest{sums[0].data(), sums[1].data(), sums[2].data(), sums[3].data()};
  queue_.launch("rest gradient", dim3((input_.gaussians + kThreads - 1) / kThreads), kThreads,
                colors_wanted_ ? &rest_gradient_kernel<true> : &rest_gradient_kernel<false>, input_, record_sums(),
                rest);
  add(queue_, sums[0], to.means);
  add(queue_, sums[1], to.covariances);
  add(queue_, sums[2], to.opacities);
  add(queue_, sums[3], to.colors);
}

}  // namespace limber::splat
