// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of image_kernels.h on vectors V of kLanes floats, included once per instruction set inside an unnamed
// namespace, after V, kLanes, kSumVectors and square_root. Products and sums are not fused, so that all sets give the
// same bits.

inline V load(const float* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, V v) { __builtin_memcpy(to, &v, sizeof v); }
inline V broadcast(float x) { return x - V{}; }
inline V most(V a, V b) { return a > b ? a : b; }
inline V least(V a, V b) { return a < b ? a : b; }

// --- blur -----------------------------------------------------------------------------------------------------------

/// to[x] = sum over k of taps[k] from[x + k step], for `Vectors` vectors. The sums stay in registers.
template <int Vectors>
inline void convolve(const float* taps, int count, const float* from, int step, float* to) {
  V sums[Vectors];
  for (V& sum : sums) sum = V{};
  for (int k = 0; k < count; ++k, from += step) {
    const V tap = broadcast(taps[k]);
    for (int v = 0; v < Vectors; ++v) sums[v] = sums[v] + tap * load(from + v * kLanes);
  }
  for (int v = 0; v < Vectors; ++v) store(to + v * kLanes, sums[v]);
}

inline void convolve_row(const BlurJob& job, const float* from, int step, float* to) {
  constexpr int kWide = 8;
  const int count = 2 * job.radius + 1;
  int x = 0;
  for (; x + kWide * kLanes <= job.width; x += kWide * kLanes) convolve<kWide>(job.taps, count, from + x, step, to + x);
  for (; x + kLanes <= job.width; x += kLanes) convolve<1>(job.taps, count, from + x, step, to + x);
  for (; x < job.width; ++x) {
    float sum = 0;
    for (int k = 0; k < count; ++k) sum = sum + job.taps[k] * from[x + k * step];
    to[x] = sum;
  }
}

void blur(const BlurJob& job, float* plane) {
  // Rows with nothing above and below them, and one with nothing on its sides.
  const int edge = job.radius * job.width, all = job.height * job.width;
  float *rows = job.beside, *row = rows + all + 2 * edge;
  for (int i = 0; i < edge; ++i) rows[i] = rows[edge + all + i] = 0;
  for (int k = 0; k < job.radius; ++k) row[k] = row[job.radius + job.width + k] = 0;
  for (int y = 0; y < job.height; ++y) {
    for (int x = 0; x < job.width; ++x) row[job.radius + x] = plane[y * job.width + x];
    convolve_row(job, row, 1, rows + edge + y * job.width);
  }
  for (int y = 0; y < job.height; ++y) convolve_row(job, rows + y * job.width, job.width, plane + y * job.width);
}

// --- loss -----------------------------------------------------------------------------------------------------------

/// 1 where a pixel has colour.
inline V coloured(V x, V y, V z, V body_colour) {
  return most(most(x, y), z) - least(least(x, y), z) > body_colour ? broadcast(1) : V{};
}

struct LossSums {
  V value, squares, body;
};

/// kLanes pixels: what they add to the sums, and the gradient instead of the difference.
inline void compare_pixels(const CompareJob& job, const float* drawn, const float* target, float* difference, int plane,
                           LossSums& sums) {
  const V x = load(difference), y = load(difference + plane), z = load(difference + 2 * plane);
  const V square = x * x + y * y + z * z;
  // Pseudo-Huber: c^2 (sqrt(1 + e^2 / c^2) - 1).
  const V root = square_root(broadcast(1) + square / broadcast(job.corner * job.corner));
  const V body_colour = broadcast(job.body_colour);
  const V body = most(coloured(load(drawn), load(drawn + plane), load(drawn + 2 * plane), body_colour),
                      coloured(load(target), load(target + plane), load(target + 2 * plane), body_colour));
  sums.value = sums.value + (root - broadcast(1));
  sums.squares = sums.squares + body * square;
  sums.body = sums.body + body;
  const V slope = broadcast(job.per_pixel) / root;
  store(difference, slope * x), store(difference + plane, slope * y), store(difference + 2 * plane, slope * z);
}

/// The last pixels, fewer than kLanes, beside the rest.
inline void compare_last(const CompareJob& job, int first, int plane, LossSums& sums) {
  float drawn[3 * kLanes] = {}, target[3 * kLanes] = {}, difference[3 * kLanes] = {};
  const int count = plane - first;
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < count; ++i) {
      const int at = c * plane + first + i;
      drawn[c * kLanes + i] = job.drawn[at], target[c * kLanes + i] = job.target[at];
      difference[c * kLanes + i] = job.gradient[at];
    }
  }
  compare_pixels(job, drawn, target, difference, kLanes, sums);
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < count; ++i) job.gradient[c * plane + first + i] = difference[c * kLanes + i];
  }
}

/// Eight sums, one for every eighth pixel, however many lanes there are: added up in one order.
inline void add_lanes(const LossSums* sums, ComparedImage& result) {
  for (int v = 0; v < kSumVectors; ++v) {
    for (int lane = 0; lane < kLanes; ++lane) {
      result.value += double(sums[v].value[lane]);
      result.squares += double(sums[v].squares[lane]);
      result.body += double(sums[v].body[lane]);
    }
  }
}

ComparedImage compare(const CompareJob& job) {
  constexpr int kRun = 512;  // pixels whose sums are in float
  const int plane = job.blur.height * job.blur.width;
  const bool blurs = job.blur.radius > 0;
  for (int i = 0; i < 3 * plane; ++i) job.gradient[i] = job.drawn[i] - job.target[i];
  for (int c = 0; blurs && c < 3; ++c) blur(job.blur, job.gradient + c * plane);
  ComparedImage result{0, 0, 0};
  for (int first = 0; first < plane; first += kRun) {
    LossSums sums[kSumVectors] = {};
    const int end = first + kRun < plane ? first + kRun : plane;
    for (int i = first; i < end; i += kLanes) {
      LossSums& to = sums[(i - first) / kLanes % kSumVectors];
      if (i + kLanes <= end) {
        compare_pixels(job, job.drawn + i, job.target + i, job.gradient + i, plane, to);
      } else {
        compare_last(job, i, plane, to);
      }
    }
    add_lanes(sums, result);
  }
  result.value *= double(job.corner) * double(job.corner);
  // The blur is its own adjoint.
  for (int c = 0; blurs && c < 3; ++c) blur(job.blur, job.gradient + c * plane);
  return result;
}

const ImageKernels kKernels{blur, compare};
