// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/motion_kernels.cuh"

// Energies and Adam: one block for all unknowns, a few thousand numbers, because every one of them must be known to be
// finite before any moves.
namespace limber::kinematics {

inline constexpr unsigned kStepThreads = 512;
inline constexpr int kMostPulls = 4, kMostTerms = 3 + kMostPulls;

/// See EnergyForm. `weight` is zero where there is none.
struct SmoothTerm {
  double weight = 0, corner = 0, share = 0;
  bool loops = false;
};
struct LimitTerm {
  double weight = 0, share = 0;
  const float *lower = nullptr, *upper = nullptr;  ///< joints x 3
};
struct PullTerm {
  double weight = 0;
  const float* to = nullptr;        ///< numbers as in the unknowns
  const double* weights = nullptr;  ///< a third as many
};
struct StepTerms {
  SmoothTerm smooth;
  LimitTerm limits;
  double ground_share = 0;  ///< 0: none
  PullTerm pulls[kMostPulls];
  int pull_count = 0;
};

/// One unknown over time.
struct Track {
  const float* values;
  std::size_t stride;
  int frames;
  bool lap, angle;
  __device__ double operator[](int frame) const { return double(values[static_cast<std::size_t>(frame) * stride]); }
};

/// Where a number of the unknowns belongs.
struct Place {
  int frame, axis;
  std::uint32_t joint;
  bool root;  ///< a place, not an angle
};
__device__ inline Place place_of(const Unknowns& shape, std::uint32_t number) {
  const std::uint32_t vector = number / 3, axis = number % 3;
  if (vector < shape.frames) return {static_cast<int>(vector), static_cast<int>(axis), 0, true};
  const std::uint32_t angle = vector - shape.frames;
  return {static_cast<int>(angle / shape.joints), static_cast<int>(axis), angle % shape.joints, false};
}
__device__ inline Track track_of(const Unknowns& shape, const float* unknowns, const Place& place, bool loops) {
  const auto frames = static_cast<int>(shape.frames);
  if (place.root) return {unknowns + place.axis, 3, frames, loops && place.axis != 1, false};
  return {unknowns + shape.angles(0, place.joint) + place.axis, std::size_t{3} * shape.joints, frames, false, true};
}

/// The second difference around a frame, and how much of it the value in `of` makes up: see motion_energy.cpp.
struct Bend {
  double value, share;
};
__device__ inline Bend bend_at(const Track& track, int frame, int of) {
  const int last = track.frames - 1;
  const double pace = track.lap ? 1.0 / last : 0;
  int frames[3] = {frame - 1, frame, frame + 1};
  double weights[3] = {1, -2, 1};
  if (frame == 0) frames[0] = last, weights[0] = track.lap ? -pace : 1, weights[1] = track.lap ? pace - 1 : -2;
  if (frame == last) frames[2] = 0, weights[2] = track.lap ? -pace : 1, weights[1] = track.lap ? pace - 1 : -2;
  Bend bend{0, 0};
  for (int k = 0; k < 3; ++k) {
    bend.value += weights[k] * track[frames[k]];
    if (frames[k] == of) bend.share += weights[k];
  }
  if (track.angle && (frame == 0 || frame == last)) {
    const double way = track[last] - track[0], turns = way - ::remainder(way, 2 * kPi);
    if (frame == 0) bend.value -= turns;
    if (frame == last) bend.value += turns;
  }
  return bend;
}

/// Slope of the sum of the rounded second differences, of those that a value is part of; adds the one around its own
/// frame to `value`.
__device__ inline double smooth_slope(const SmoothTerm& term, const Track& track, int frame, double& value) {
  double slope = 0;
  for (int k = -1; k <= 1; ++k) {
    int at = frame + k;
    if (term.loops) {
      if (k == 1 && track.frames == 2) continue;  // the same as the one before
      at = at < 0 ? at + track.frames : (at >= track.frames ? at - track.frames : at);
    } else if (at < 1 || at > track.frames - 2) {
      continue;
    }
    const Bend bend = bend_at(track, at, frame);
    const double length = ::hypot(bend.value, term.corner);
    if (k == 0) value += length - term.corner;
    if (length > 0) slope += bend.share * bend.value / length;
  }
  return slope;
}

/// Slope of all terms but the ground's; adds what this number adds to each of them to `values`.
__device__ inline double term_slope(const StepTerms& terms, const Unknowns& shape, const float* unknowns,
                                    std::uint32_t number, double (&values)[kMostTerms]) {
  const Place place = place_of(shape, number);
  double slope = 0;
  if (terms.smooth.share != 0) {
    const Track track = track_of(shape, unknowns, place, terms.smooth.loops);
    slope += terms.smooth.weight * terms.smooth.share * smooth_slope(terms.smooth, track, place.frame, values[0]);
  }
  if (terms.limits.share != 0 && !place.root && place.joint > 0) {
    const auto angle = double(unknowns[number]);
    const std::size_t at = std::size_t{3} * place.joint + static_cast<std::size_t>(place.axis);
    const auto low = double(terms.limits.lower[at]), high = double(terms.limits.upper[at]);
    const double beyond = angle - (angle < low ? low : (angle > high ? high : angle));
    values[1] += beyond * beyond;
    slope += terms.limits.weight * terms.limits.share * 2 * beyond;
  }
#pragma unroll
  for (int k = 0; k < kMostPulls; ++k) {
    if (k >= terms.pull_count) continue;
    const PullTerm& pull = terms.pulls[k];
    const double way = double(unknowns[number]) - double(pull.to[number]), weight = pull.weights[number / 3];
    values[3 + k] += weight * way * way;
    slope += pull.weight * 2 * weight * way;
  }
  return slope;
}

/// In words after the unknowns and moments.
struct StepCounts {
  std::uint32_t steps, not_finite, stopped, unused;
};

/// One step, as kernels see it.
struct StepInput {
  Unknowns shape;
  StepTerms terms;
  float *unknowns, *first, *second;
  StepCounts* counts;
  const std::uint8_t* free;        ///< joints; null: all
  const float *pictures, *ground;  ///< gradients; the second may be null
  const double* depths;
  float* gradient;
  double* notes;  ///< kMostTerms values, two squared norms; null: not wanted
  double picture_scale, angle_rate, root_rate;
  double beta_1, beta_2, epsilon;
  bool stop;
};

/// A sum over the block, by everybody; in an order that does not change.
__device__ inline double block_sum(double value, double* all) {
  __syncthreads();
  all[threadIdx.x] = value;
  for (unsigned half = kStepThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
  }
  __syncthreads();
  return all[0];
}

__device__ inline bool is_number(float v) { return v - v == 0; }

/// A thread's share of what is noted.
struct NoteSums {
  double values[kMostTerms], pictures, energies;
};

__device__ inline void write_notes(const StepInput& in, NoteSums& sums) {
  __shared__ double all[kStepThreads];
  if (in.terms.ground_share != 0) {
    for (std::uint32_t i = threadIdx.x; i < in.shape.frames * in.shape.joints; i += kStepThreads) {
      sums.values[2] += in.depths[i];
    }
  }
  const double shares[3] = {in.terms.smooth.share, in.terms.limits.share, in.terms.ground_share};
#pragma unroll
  for (int k = 0; k < kMostTerms; ++k) {
    const double sum = block_sum(sums.values[k], all);
    if (threadIdx.x == 0) in.notes[k] = k < 3 ? shares[k] * sum : sum;
  }
  const double pictures = block_sum(sums.pictures, all), energies = block_sum(sums.energies, all);
  if (threadIdx.x == 0) in.notes[kMostTerms] = pictures, in.notes[kMostTerms + 1] = energies;
}

/// As MotionAdam moves one number.
__device__ inline void move_number(const StepInput& in, std::uint32_t number, double bias_1, double bias_2) {
  const Place place = place_of(in.shape, number);
  const float slope = in.gradient[number];
  if (!is_number(slope) || (!place.root && in.free != nullptr && in.free[place.joint] == 0)) return;
  const auto m = static_cast<float>(in.beta_1 * double(in.first[number]) + (1 - in.beta_1) * double(slope));
  const auto v =
      static_cast<float>(in.beta_2 * double(in.second[number]) + (1 - in.beta_2) * double(slope) * double(slope));
  in.first[number] = m, in.second[number] = v;
  const double rate = place.root ? in.root_rate : in.angle_rate;
  in.unknowns[number] -= static_cast<float>(rate * (double(m) / bias_1) / (std::sqrt(double(v) / bias_2) + in.epsilon));
}

/// One block.
static __global__ void __launch_bounds__(kStepThreads) step_kernel(StepInput in) {
  const std::uint32_t numbers = in.shape.numbers();
  const StepCounts before = *in.counts;
  NoteSums sums{};
  bool finite = true;
  for (std::uint32_t i = threadIdx.x; i < numbers; i += kStepThreads) {
    double slope = term_slope(in.terms, in.shape, in.unknowns, i, sums.values);
    if (in.ground != nullptr) slope += double(in.ground[i]);
    const auto picture = static_cast<float>(double(in.pictures[i]) * in.picture_scale);
    const auto energy = static_cast<float>(slope);
    const float gradient = picture + energy;
    finite = finite && is_number(gradient);
    in.gradient[i] = gradient;
    sums.pictures += double(picture) * double(picture), sums.energies += double(energy) * double(energy);
  }
  // Everybody has read the unknowns and counts by now.
  const bool fine = __syncthreads_and(finite) != 0 && before.stopped == 0;
  if (in.notes != nullptr) write_notes(in, sums);
  if (fine) {
    const double steps = before.steps + 1.0;
    const double bias_1 = 1 - std::pow(in.beta_1, steps), bias_2 = 1 - std::pow(in.beta_2, steps);
    for (std::uint32_t i = threadIdx.x; i < numbers; i += kStepThreads) move_number(in, i, bias_1, bias_2);
  }
  if (threadIdx.x > 0) return;
  if (fine) {
    in.counts->steps = before.steps + 1;
  } else if (before.stopped == 0) {
    in.counts->not_finite = before.not_finite + 1;
    in.counts->stopped = in.stop ? 1 : 0;
  }
}

}  // namespace limber::kinematics
