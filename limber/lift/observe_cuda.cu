// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "limber/base/cuda_queue.cuh"
#include "limber/lift/observe_cuda.h"

namespace limber::lift {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kMostBytes = std::size_t{128} << 20;  ///< of derivatives at once

/// A Gaussian in a picture.
struct Splat {
  Projection place;
  double radius;
};
/// How its place changes with an unknown.
struct Shift {
  double x, y;
};

/// Some frames, in all views; images are views x frames, those in hand views x count.
struct Observing {
  std::uint32_t first, count, frames, views, points, bones, joints;  ///< joints: free ones
  int width, height;
  const scene::Camera* cameras;
  const float* pictures;
  const SkinTerm* terms;
  const std::uint32_t* first_terms;  ///< points + 1
  const double* radii;
  const Affined* poses;          ///< frames x bones
  const PoseModel::Turn* turns;  ///< frames x joints
  const std::uint8_t* hangs;     ///< bones x joints: whether a bone hangs on a joint
  Splat* splats;
  std::int32_t* nearest;
  Slopes* slopes;
  Shift* shifts;  ///< images x points x unknowns
  double per_fact;
  double* information;  ///< frames x unknowns x unknowns

  LIMBER_HOST_DEVICE std::uint32_t unknowns() const { return 3 + 3 * joints; }
  LIMBER_HOST_DEVICE std::uint32_t pixels() const { return static_cast<std::uint32_t>(width * height); }
  LIMBER_HOST_DEVICE std::uint32_t images() const { return views * count; }
  /// Of an image in hand.
  LIMBER_HOST_DEVICE std::uint32_t frame(std::uint32_t image) const { return first + image % count; }
  LIMBER_HOST_DEVICE std::size_t all_images(std::uint32_t image) const {
    return static_cast<std::size_t>(image / count) * frames + frame(image);
  }
};

__device__ inline std::size_t this_thread() { return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

/// A thread per image and Gaussian.
__global__ void place_splats(const Observing in) {
  const std::size_t i = this_thread();
  if (i >= static_cast<std::size_t>(in.images()) * in.points) return;
  const auto image = static_cast<std::uint32_t>(i / in.points), point = static_cast<std::uint32_t>(i % in.points);
  Vec3d sum;
  for (std::uint32_t t = in.first_terms[point]; t < in.first_terms[point + 1]; ++t) {
    sum += posed_term(in.poses[static_cast<std::size_t>(in.frame(image)) * in.bones + in.terms[t].bone], in.terms[t]);
  }
  const scene::Camera camera = in.cameras[in.all_images(image)];
  Splat splat{project_point(camera, sum), 0};
  const double depth = splat.place.depth > 1e-6 ? splat.place.depth : 1e-6;
  const double radius = static_cast<double>(camera.fy) / depth * in.radii[point];
  splat.radius = radius < kLeastRadius ? kLeastRadius : radius > kMostRadius ? kMostRadius : radius;
  in.splats[i] = splat;
}

/// A thread per pixel: which Gaussian is nearest there; -1 for none.
__global__ void __launch_bounds__(kThreads) find_nearest(const Observing in) {
  __shared__ double xs[kThreads], ys[kThreads], depths[kThreads], squares[kThreads];
  const std::uint32_t image = blockIdx.y, pixel = blockIdx.x * kThreads + threadIdx.x;
  const double x = pixel % static_cast<std::uint32_t>(in.width) + 0.5;
  const double y = pixel / static_cast<std::uint32_t>(in.width) + 0.5;
  double depth = 1e30;
  std::int32_t nearest = -1;
  for (std::uint32_t begin = 0; begin < in.points; begin += kThreads) {
    const std::uint32_t own = begin + threadIdx.x;
    __syncthreads();
    if (own < in.points) {
      const Splat splat = in.splats[static_cast<std::size_t>(image) * in.points + own];
      xs[threadIdx.x] = splat.place.x, ys[threadIdx.x] = splat.place.y, depths[threadIdx.x] = splat.place.depth;
      squares[threadIdx.x] = splat.radius * splat.radius;
    }
    __syncthreads();
    const std::uint32_t end = in.points - begin < kThreads ? in.points - begin : kThreads;
    for (std::uint32_t k = 0; k < end; ++k) {
      const double dx = x - xs[k], dy = y - ys[k];
      if (!(depths[k] > 0) || depths[k] >= depth || dx * dx + dy * dy > squares[k]) continue;
      depth = depths[k], nearest = static_cast<std::int32_t>(begin + k);
    }
  }
  if (pixel < in.pixels()) in.nearest[static_cast<std::size_t>(image) * in.pixels() + pixel] = nearest;
}

/// A thread per image and Gaussian: over the pixels that show it, row by row.
__global__ void add_slopes(const Observing in) {
  const std::size_t i = this_thread();
  if (i >= static_cast<std::size_t>(in.images()) * in.points) return;
  const auto image = static_cast<std::uint32_t>(i / in.points);
  const auto point = static_cast<std::int32_t>(i % in.points);
  const Splat splat = in.splats[i];
  Slopes sum;
  if (splat.place.depth > 0 && in.width > 2 && in.height > 2) {
    const auto inside = [](double value, int most) {
      return static_cast<int>(value < 1 ? 1 : value > most ? most : value);
    };
    const int x0 = inside(splat.place.x - splat.radius - 1, in.width - 1),
              x1 = inside(splat.place.x + splat.radius + 1, in.width - 2),
              y0 = inside(splat.place.y - splat.radius - 1, in.height - 1),
              y1 = inside(splat.place.y + splat.radius + 1, in.height - 2);
    const std::int32_t* nearest = in.nearest + static_cast<std::size_t>(image) * in.pixels();
    const float* picture = in.pictures + in.all_images(image) * 3 * in.pixels();
    for (int y = y0; y <= y1; ++y) {
      for (int x = x0; x <= x1; ++x) {
        const int at = y * in.width + x;
        if (nearest[at] != point) continue;
        for (std::uint32_t c = 0; c < 3; ++c) sum.add(picture + c * in.pixels() + at, in.width);
      }
    }
  }
  in.slopes[i] = sum;
}

/// A thread per image, Gaussian and, after the root's place, free joint.
__global__ void find_shifts(const Observing in) {
  const std::size_t i = this_thread();
  const std::size_t splat = i / (in.joints + 1);
  if (splat >= static_cast<std::size_t>(in.images()) * in.points) return;
  const auto image = static_cast<std::uint32_t>(splat / in.points),
             point = static_cast<std::uint32_t>(splat % in.points);
  const auto joint = static_cast<std::uint32_t>(i % (in.joints + 1));
  if (in.slopes[splat].xx + in.slopes[splat].yy == 0) return;
  const Projection place = in.splats[splat].place;
  Shift* to = in.shifts + splat * in.unknowns() + 3 * joint;
  // What hangs below the joint: the sum of its terms, and of their weights.
  Vec3d sum;
  double weight = 0;
  for (std::uint32_t t = in.first_terms[point]; t < in.first_terms[point + 1]; ++t) {
    const SkinTerm term = in.terms[t];
    if (joint > 0 && in.hangs[static_cast<std::size_t>(term.bone) * in.joints + joint - 1] == 0) continue;
    sum += posed_term(in.poses[static_cast<std::size_t>(in.frame(image)) * in.bones + term.bone], term);
    weight += term.weight;
  }
  for (int k = 0; k < 3; ++k) {
    Vec3d motion;
    if (joint == 0) {
      motion[k] = weight;
    } else {
      const PoseModel::Turn& turn = in.turns[static_cast<std::size_t>(in.frame(image)) * in.joints + joint - 1];
      motion = turn.generator[k] * (sum - weight * turn.center);
    }
    to[k] = {dot(place.dx, motion), dot(place.dy, motion)};
  }
}

/// A thread per frame (y) and pair of unknowns: one view after the other, one Gaussian after the other.
__global__ void add_information(const Observing in) {
  const auto i = static_cast<std::uint32_t>(this_thread());
  const std::uint32_t unknowns = in.unknowns(), a = i / unknowns, b = i % unknowns;
  if (a >= unknowns || b > a) return;
  double sum = 0;
  for (std::uint32_t view = 0; view < in.views; ++view) {
    const std::size_t first = static_cast<std::size_t>(view * in.count + blockIdx.y) * in.points;
    for (std::size_t splat = first; splat < first + in.points; ++splat) {
      const Slopes s = in.slopes[splat];
      if (s.xx + s.yy == 0) continue;
      const Shift of_a = in.shifts[splat * unknowns + a], of_b = in.shifts[splat * unknowns + b];
      const double along_x = in.per_fact * (s.xx * of_a.x + s.xy * of_a.y);
      const double along_y = in.per_fact * (s.xy * of_a.x + s.yy * of_a.y);
      sum += along_x * of_b.x + along_y * of_b.y;
    }
  }
  const std::size_t frame = in.first + blockIdx.y;
  in.information[(frame * unknowns + a) * unknowns + b] = sum;
}

}  // namespace

struct CudaObserver::State {
  std::shared_ptr<CudaQueue> queue;  ///< first: arrays go before it
  Observing input{};
  std::vector<Affined> poses;
  std::vector<PoseModel::Turn> turns;
  DeviceArray<scene::Camera> cameras;
  DeviceArray<SkinTerm> terms;
  DeviceArray<std::uint32_t> first_terms;
  DeviceArray<double> radii, information;
  DeviceArray<Affined> device_poses;
  DeviceArray<PoseModel::Turn> device_turns;
  DeviceArray<std::uint8_t> hangs;
  DeviceArray<Splat> splats;
  DeviceArray<std::int32_t> nearest;
  DeviceArray<Slopes> slopes;
  DeviceArray<Shift> shifts;

  void upload_cloud(const ObservedCloud& cloud);
  void upload_joints(const PoseModel& model);
  std::uint32_t frames_at_once() const;
  void observe(std::uint32_t first, std::uint32_t count);
};

void CudaObserver::State::upload_cloud(const ObservedCloud& cloud) {
  std::vector<SkinTerm> all;
  std::vector<std::uint32_t> firsts{0};
  for (const SkinPoint& point : cloud.points) {
    all.insert(all.end(), point.begin(), point.end());
    firsts.push_back(static_cast<std::uint32_t>(all.size()));
  }
  terms.upload(*queue, all, "a skin"), first_terms.upload(*queue, firsts, "a skin");
  radii.upload(*queue, cloud.radii, "a skin");
  input.points = static_cast<std::uint32_t>(cloud.points.size());
  input.terms = terms.data(), input.first_terms = first_terms.data(), input.radii = radii.data();
}

void CudaObserver::State::upload_joints(const PoseModel& model) {
  const auto joints = model.rig().joints();
  const auto bones = model.rig().bones();
  input.bones = static_cast<std::uint32_t>(bones.size());
  input.joints = static_cast<std::uint32_t>(model.free_joints().size());
  std::vector<std::uint8_t> all(bones.size() * input.joints);
  for (std::size_t bone = 0; bone < bones.size(); ++bone) {
    for (int joint = bones[bone].joint; joint >= 0; joint = joints[static_cast<std::size_t>(joint)].parent) {
      const int unknown = model.first_unknown(joint);
      if (unknown >= 0) all[bone * input.joints + static_cast<std::size_t>(unknown / 3 - 1)] = 1;
    }
  }
  hangs.upload(*queue, all, "joints");
  input.hangs = hangs.data();
}

std::uint32_t CudaObserver::State::frames_at_once() const {
  const std::size_t each = std::size_t{input.views} * input.points * input.unknowns() * sizeof(Shift);
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kMostBytes / std::max<std::size_t>(each, 1), 1, input.frames));
}

void CudaObserver::State::observe(std::uint32_t first, std::uint32_t count) {
  Observing in = input;
  in.first = first, in.count = count;
  const std::size_t all = std::size_t{in.images()} * in.points;
  queue->launch_each("place splats", all, &place_splats, in);
  queue->launch("nearest", dim3((in.pixels() + kThreads - 1) / kThreads, in.images()), kThreads, &find_nearest, in);
  queue->launch_each("slopes", all, &add_slopes, in);
  queue->launch_each("shifts", all * (in.joints + 1), &find_shifts, in);
  queue->launch("information", dim3((in.unknowns() * in.unknowns() + kThreads - 1) / kThreads, count), kThreads,
                &add_information, in);
}

CudaObserver::CudaObserver(scene::CudaScene& scene, const ObservedCloud& cloud, const PoseModel& model,
                           std::span<const scene::Camera> cameras)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.queue = scene.queue();
  s.upload_cloud(cloud);
  s.upload_joints(model);
  s.cameras.upload(*s.queue, cameras, "cameras");
  s.input.cameras = s.cameras.data(), s.input.pictures = scene.frames();
  s.input.width = cameras[0].width, s.input.height = cameras[0].height;
}
CudaObserver::~CudaObserver() = default;

void CudaObserver::add_pose(const PoseModel& model) {
  state_->poses.insert(state_->poses.end(), model.posed_from_bind().begin(), model.posed_from_bind().end());
  state_->turns.insert(state_->turns.end(), model.turns().begin(), model.turns().end());
  ++state_->input.frames;
}

std::vector<DenseSymmetric> CudaObserver::information(double per_fact) {
  State& s = *state_;
  Observing& in = s.input;
  in.views = static_cast<std::uint32_t>(s.cameras.size()) / in.frames, in.per_fact = per_fact;
  const std::size_t unknowns = in.unknowns(), count = s.frames_at_once(), images = in.views * count;
  s.device_poses.upload(*s.queue, s.poses, "poses"), s.device_turns.upload(*s.queue, s.turns, "poses");
  s.splats.resize(*s.queue, images * in.points, "splats"), s.slopes.resize(*s.queue, images * in.points, "splats");
  s.nearest.resize(*s.queue, images * in.pixels(), "splats");
  s.shifts.resize(*s.queue, images * in.points * unknowns, "derivatives");
  s.information.resize(*s.queue, in.frames * unknowns * unknowns, "information");
  if (!s.queue->ok()) return {};
  in.poses = s.device_poses.data(), in.turns = s.device_turns.data();
  in.splats = s.splats.data(), in.slopes = s.slopes.data(), in.nearest = s.nearest.data();
  in.shifts = s.shifts.data(), in.information = s.information.data();
  s.queue->clear(in.information, s.information.size() * sizeof(double));
  for (std::uint32_t first = 0; first < in.frames; first += static_cast<std::uint32_t>(count)) {
    s.observe(first, std::min(in.frames - first, static_cast<std::uint32_t>(count)));
  }
  const std::vector<double> found = s.information.download(*s.queue);
  std::vector<DenseSymmetric> all;
  for (std::size_t frame = 0; s.queue->ok() && frame < in.frames; ++frame) {
    const auto begin = found.begin() + static_cast<std::ptrdiff_t>(frame * unknowns * unknowns);
    all.emplace_back(static_cast<int>(unknowns));
    std::copy_n(begin, unknowns * unknowns, all.back().values.begin());
  }
  return all;
}

}  // namespace limber::lift
