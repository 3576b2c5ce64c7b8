// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/skinning.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/kinematics/skinning_kernels.h"

namespace limber::kinematics {
namespace {

static_assert(sizeof(Vec3) == 3 * sizeof(float) && sizeof(Symmetric) == 6 * sizeof(float) &&
              sizeof(Affine) == 12 * sizeof(float));

const SkinKernels& kernels() {
#if defined(__x86_64__)
  switch (simd_level()) {
    case SimdLevel::kAvx512:
      return avx512_skin_kernels();
    case SimdLevel::kAvx2:
      return avx2_skin_kernels();
    case SimdLevel::kPortable:
      break;
  }
#endif
  return portable_skin_kernels();
}

// --- contracts
// --------------------------------------------------------------------------------------------------------

void expect_size(const char* name, std::size_t size, std::size_t expected) {
  LIMBER_EXPECT(size == expected,
                std::string(name) + ": " + std::to_string(size) + " entries, not " + std::to_string(expected));
}

template <class Span>
void expect_none_or(const char* name, const Span& span, std::size_t expected) {
  if (!span.empty()) expect_size(name, span.size(), expected);
}

void check_input(const SkinInput& input) {
  LIMBER_EXPECT(input.weights != nullptr, "no weights");
  const rig::SkinWeights& weights = *input.weights;
  LIMBER_EXPECT(weights.stride == 4 || weights.stride == 8, "stride " + std::to_string(weights.stride));
  LIMBER_EXPECT(input.frame_count >= 0 && input.bone_count >= 0,
                std::to_string(input.frame_count) + " frames, " + std::to_string(input.bone_count) + " bones");
  const std::size_t points = weights.points();
  expect_size("weights", weights.weights.size(), points * static_cast<std::size_t>(weights.stride));
  expect_size("weights' bones", weights.bones.size(), weights.weights.size());
  expect_none_or("points", input.points, points);
  expect_none_or("normals", input.normals, points);
  expect_none_or("covariances", input.covariances, points);
  expect_size("bones", input.bones.size(),
              static_cast<std::size_t>(input.frame_count) * static_cast<std::size_t>(input.bone_count));
  std::uint16_t largest = 0;
  for (const std::uint16_t bone : weights.bones) largest = std::max(largest, bone);
  LIMBER_EXPECT(points == 0 || largest < input.bone_count,
                "bone " + std::to_string(largest) + " of " + std::to_string(input.bone_count));
}

// --- frames in groups of one vector
// -----------------------------------------------------------------------------------

/// Zeroed floats, aligned for any vector.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::size_t size)
      : data_(static_cast<float*>(::operator new(std::max<std::size_t>(size, 1) * sizeof(float), kAlignment))) {
    std::fill_n(data_.get(), size, 0.0f);
  }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(float* p) const { ::operator delete(p, kAlignment); }
  };
  std::unique_ptr<float, Free> data_;
};

/// How a call is cut up: groups of `width` frames, blocks of points. Depends on the sizes alone, never on the threads.
struct Plan {
  const SkinKernels& kernel;
  std::size_t width, frames, bones, points, groups;

  explicit Plan(const SkinInput& input)
      : kernel(kernels()),
        width(static_cast<std::size_t>(kernel.width)),
        frames(static_cast<std::size_t>(input.frame_count)),
        bones(static_cast<std::size_t>(input.bone_count)),
        points(input.weights->points()),
        groups((frames + width - 1) / width) {}

  std::size_t group_floats() const { return bones * 12 * width; }
  std::size_t group_frames(std::size_t group) const { return std::min(width, frames - group * width); }
};

/// Bone matrices, groups x bones x 12 x width.
AlignedFloats pack_bones(const SkinInput& input, const Plan& plan) {
  AlignedFloats packed(plan.groups * plan.group_floats());
  for (std::size_t f = 0; f < plan.frames; ++f) {
    const float* from = &input.bones[f * plan.bones].linear.m[0][0];
    float* to = packed.data() + f / plan.width * plan.group_floats() + f % plan.width;
    for (std::size_t e = 0; e < plan.bones * 12; ++e) to[e * plan.width] = from[e];
  }
  return packed;
}

const float* data_or_null(std::span<const Vec3> span) { return span.empty() ? nullptr : &span.data()->x; }
float* data_or_null(std::span<Vec3> span) { return span.empty() ? nullptr : &span.data()->x; }
const float* data_or_null(std::span<const Symmetric> span) { return span.empty() ? nullptr : &span.data()->xx; }
float* data_or_null(std::span<Symmetric> span) { return span.empty() ? nullptr : &span.data()->xx; }

SkinJob make_job(const SkinInput& input, const Plan& plan, const AlignedFloats& packed, std::size_t group,
                 std::size_t begin, std::size_t end) {
  SkinJob job;
  job.weights = input.weights->weights.data();
  job.bone_indices = input.weights->bones.data();
  job.stride = input.weights->stride;
  job.begin = begin;
  job.end = end;
  job.point_count = plan.points;
  job.frames = static_cast<int>(plan.group_frames(group));
  job.bones = packed.data() + group * plan.group_floats();
  job.points = data_or_null(input.points);
  job.normals = data_or_null(input.normals);
  job.covariances = data_or_null(input.covariances);
  return job;
}

/// `arrays` (targets or sources) moved on to the group's first frame.
template <class Arrays>
Arrays at_group(Arrays arrays, const Plan& plan, std::size_t group) {
  const std::size_t first = group * plan.width * plan.points;
  if (arrays.points) arrays.points += 3 * first;
  if (arrays.normals) arrays.normals += 3 * first;
  if (arrays.covariances) arrays.covariances += 6 * first;
  return arrays;
}

/// Calls body(group, begin, end) for every group of frames and block of points, on all threads.
template <class Body>
void for_each_block(std::size_t groups, std::size_t points, std::size_t block, const Body& body) {
  const std::size_t blocks = (points + block - 1) / block;
  parallel_for(groups * blocks, 1, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task % blocks * block;
    body(task / blocks, begin, std::min(begin + block, points));
  });
}

// --- backward
// ---------------------------------------------------------------------------------------------------------

/// Points whose bone gradients are summed in one go, in first-level cache: enough that adding up the sums costs little,
/// few enough that float keeps its digits.
std::size_t run_length(const Plan& plan) { return std::max<std::size_t>(1024, 8 * plan.bones); }

/// Points per task of the bone gradients: some tens of tasks whatever the sizes, each with sums of its own.
std::size_t block_length(const Plan& plan) {
  constexpr std::size_t kTasks = 64;
  const std::size_t blocks = std::max<std::size_t>(1, kTasks / plan.groups), run = run_length(plan);
  const std::size_t runs = (plan.points + run - 1) / run;
  return run * std::max<std::size_t>(1, (runs + blocks - 1) / blocks);
}

void add(float* sum, const float* term, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += term[i];
}

void backward_bones(const SkinInput& input, const Plan& plan, const AlignedFloats& packed, const SkinSources& grad,
                    std::span<Affine> result) {
  // Three levels of sums, each in index order: runs, blocks, all points.
  const std::size_t block = block_length(plan), blocks = (plan.points + block - 1) / block;
  const std::size_t floats = plan.group_floats();
  AlignedFloats partial(plan.groups * blocks * floats);
  for_each_block(plan.groups, plan.points, block, [&](std::size_t group, std::size_t begin, std::size_t end) {
    float* sum = partial.data() + (group * blocks + begin / block) * floats;
    AlignedFloats run_sum(floats);
    for (std::size_t first = begin; first < end; first += run_length(plan)) {
      if (first > begin) std::fill_n(run_sum.data(), floats, 0.0f);
      const SkinJob job = make_job(input, plan, packed, group, first, std::min(first + run_length(plan), end));
      plan.kernel.backward_bones(job, at_group(grad, plan, group), run_sum.data());
      add(sum, run_sum.data(), floats);
    }
  });
  for (std::size_t group = 0; group < plan.groups; ++group) {
    float* sum = partial.data() + group * blocks * floats;
    for (std::size_t b = 1; b < blocks; ++b) add(sum, sum + b * floats, floats);
    for (std::size_t f = 0; f < plan.group_frames(group); ++f) {
      float* to = &result[(group * plan.width + f) * plan.bones].linear.m[0][0];
      for (std::size_t e = 0; e < plan.bones * 12; ++e) to[e] += sum[e * plan.width + f];
    }
  }
}

void backward_bind(const SkinInput& input, const Plan& plan, const AlignedFloats& packed, const SkinSources& grad,
                   const SkinTargets& result) {
  // A thread owns its points and adds up the groups in order.
  constexpr std::size_t kBlock = 1024;
  for_each_block(1, plan.points, kBlock, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t group = 0; group < plan.groups; ++group) {
      plan.kernel.backward_bind(make_job(input, plan, packed, group, begin, end), at_group(grad, plan, group), result);
    }
  });
}

}  // namespace

void skin_forward(const SkinInput& input, const SkinOutput& output) {
  check_input(input);
  const Plan plan(input);
  expect_size("output points", output.points.size(), plan.frames * input.points.size());
  expect_size("output normals", output.normals.size(), plan.frames * input.normals.size());
  expect_size("output covariances", output.covariances.size(), plan.frames * input.covariances.size());
  if (plan.frames == 0 || plan.points == 0) return;
  const AlignedFloats packed = pack_bones(input, plan);
  const SkinTargets targets{data_or_null(output.points), data_or_null(output.normals),
                            data_or_null(output.covariances)};
  constexpr std::size_t kBlock = 2048;
  for_each_block(plan.groups, plan.points, kBlock, [&](std::size_t group, std::size_t begin, std::size_t end) {
    plan.kernel.forward(make_job(input, plan, packed, group, begin, end), at_group(targets, plan, group));
  });
}

void skin_backward(const SkinInput& input, const SkinGradient& gradient, const SkinInputGradient& result) {
  check_input(input);
  const Plan plan(input);
  expect_none_or("gradient on points", gradient.points, plan.frames * input.points.size());
  expect_none_or("gradient on normals", gradient.normals, plan.frames * input.normals.size());
  expect_none_or("gradient on covariances", gradient.covariances, plan.frames * input.covariances.size());
  expect_none_or("gradient on bones", result.bones, plan.frames * plan.bones);
  expect_none_or("gradient on bind points", result.points, input.points.size());
  expect_none_or("gradient on bind normals", result.normals, input.normals.size());
  expect_none_or("gradient on bind covariances", result.covariances, input.covariances.size());
  if (plan.frames == 0 || plan.points == 0) return;
  const AlignedFloats packed = pack_bones(input, plan);
  SkinSources sources{data_or_null(gradient.points), data_or_null(gradient.normals),
                      data_or_null(gradient.covariances)};
  if (!result.bones.empty()) backward_bones(input, plan, packed, sources, result.bones);

  // Bind geometry: only where a gradient comes in and is asked for.
  const SkinTargets targets{data_or_null(result.points), data_or_null(result.normals),
                            data_or_null(result.covariances)};
  if (!targets.points) sources.points = nullptr;
  if (!targets.normals) sources.normals = nullptr;
  if (!targets.covariances) sources.covariances = nullptr;
  if (sources.points || sources.normals || sources.covariances) {
    backward_bind(input, plan, packed, sources, targets);
  }
}

}  // namespace limber::kinematics
