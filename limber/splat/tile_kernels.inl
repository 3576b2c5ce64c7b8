// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// Blending of one tile, forward and backward, included once per instruction set inside an unnamed namespace. The
// including file defines kLanes and the types F (floats) and M (a mask per float) with the operations used below; a
// pixel is open while its transmittance is positive.
//
// A Gaussian is drawn row by row: its ellipse gives the exact run of pixels of each row, and vectors start at the run's
// first pixel, aligned or not, so a Gaussian a few pixels wide costs one vector (a block) per row. Lanes past the run
// fail the alpha test by themselves; lanes past the tile find closed pixels in the padding. Blocks of many Gaussians
// are laid out first and blended then: short loops with unpredictable ends would cost more than the arithmetic.

constexpr int kStride = kTileWidth + kLanes;
using Plane = float[kTileHeight * kStride];  // rows of pixels, padded

// 2^x = 2^round(x) p(x - round(x)); p is the minimax polynomial of degree 5, relative error 1e-7.
inline F exp2(F x) {
  const F shifter = broadcast(12582912.0f);  // 1.5 * 2^23: the sum's low bits are round(x)
  const F shifted = x + shifter;
  const F f = x - (shifted - shifter);
  F p = broadcast(0.0013276471519463214f);
  p = fma(p, f, broadcast(0.009675541330688778f));
  p = fma(p, f, broadcast(0.05550713274961959f));
  p = fma(p, f, broadcast(0.2402211972393382f));
  p = fma(p, f, broadcast(0.6931469670638619f));
  p = fma(p, f, broadcast(1.0000000716546555f));
  return add_exponent(p, shifted);
}

/// Blocks of kLanes pixels to blend, in order of their Gaussians. Blocks of one Gaussian do not overlap.
struct Blocks {
  static constexpr int kEnough = 192;                                        ///< blend once there are this many
  static constexpr int kPerEntry = kTileHeight * (kTileWidth / kLanes + 1);  ///< at most
  static constexpr int kCapacity = kEnough + kPerEntry + kLanes;
  int count = 0;
  alignas(64) int pixel[kCapacity];  ///< the first pixel's place in a plane
  alignas(64) float dx[kCapacity];   ///< mean - its centre
  alignas(64) float dy[kCapacity];
  alignas(64) float slant[kCapacity];           ///< b dy
  alignas(64) float base[kCapacity];            ///< log2_opacity - c dy^2
  alignas(64) std::uint32_t record[kCapacity];  ///< whose
};

/// Adds the blocks of one Gaussian: first those where each row's run begins, then the rest of rows longer than a block.
/// A hundredth of a pixel of slack covers the rounding of the runs: the alpha test decides.
inline void add_blocks(const TileJob& job, std::uint32_t record, Blocks& blocks) {
  const Record& r = job.records[record];
  const int y_begin = (r.y0 > job.y0 ? r.y0 : job.y0) - job.y0, y_end = (r.y1 < job.y1 ? r.y1 : job.y1) - job.y0;
  const float whole_x = r.pixel_x - static_cast<float>(job.x0);  // exact, as is adding the offset last
  const float dy_first = (r.pixel_y - static_cast<float>(job.y0 + y_begin)) + r.offset_y;
  const F zero = broadcast(0.0f), limit = broadcast(static_cast<float>(job.x1 - job.x0));
  const int first = blocks.count;
  F longest = zero;
  alignas(64) float ends[kTileHeight + kLanes];
  for (int y = y_begin; y < y_end; y += kLanes) {
    const int at = first + (y - y_begin);
    const F dy = broadcast(dy_first - static_cast<float>(y - y_begin)) - iota();
    const F half = sqrt(max(fma(-(broadcast(r.fall) * dy), dy, broadcast(r.reach)), zero));
    const F middle = fma(broadcast(-r.slope), dy, broadcast(whole_x + r.offset_x));
    const F begin = truncate(min(max((middle - half) + broadcast(0.99f), zero), limit));
    const F end = truncate(min(max((middle + half) + broadcast(1.01f), zero), limit));
    longest = max(longest, end - begin);
    store(ends + (y - y_begin), end);
    store_as_int(blocks.pixel + at, fma(broadcast(static_cast<float>(y)) + iota(), broadcast(kStride), begin));
    store(blocks.dx + at, (broadcast(whole_x) - begin) + broadcast(r.offset_x));
    store(blocks.dy + at, dy);
    store(blocks.slant + at, broadcast(r.b) * dy);
    store(blocks.base + at, fma(-(broadcast(r.c) * dy), dy, broadcast(r.log2_opacity)));
    fill(blocks.record + at, record);
  }
  blocks.count = first + (y_end - y_begin);
  if (!any(above(longest, broadcast(static_cast<float>(kLanes))))) return;
  for (int row = 0; row < y_end - y_begin; ++row) {
    const int from = first + row, start = blocks.pixel[from] - (y_begin + row) * kStride;
    for (int x = start + kLanes; x < static_cast<int>(ends[row]); x += kLanes) {
      const int at = blocks.count++;
      blocks.pixel[at] = blocks.pixel[from] + (x - start);
      blocks.dx[at] = (whole_x - static_cast<float>(x)) + r.offset_x;
      blocks.dy[at] = blocks.dy[from];
      blocks.slant[at] = blocks.slant[from];
      blocks.base[at] = blocks.base[from];
      blocks.record[at] = record;
    }
  }
}

/// Opens the tile's pixels; padding is closed, as is a pixel once its transmittance is negative.
inline void open_pixels(const TileJob& job, Plane& transmittance) {
  const int width = job.x1 - job.x0, height = job.y1 - job.y0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) transmittance[y * kStride + x] = 1.0f;
    for (int x = width; x < kStride; ++x) transmittance[y * kStride + x] = -1.0f;
  }
}
inline bool all_closed(const TileJob& job, const Plane& transmittance) {
  const int width = job.x1 - job.x0, height = job.y1 - job.y0;
  F highest = broadcast(-1.0f);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; x += kLanes) highest = max(highest, load(transmittance + y * kStride + x));
  }
  return !any_open(highest);
}
/// What every block needs.
struct Limits {
  F log2_alpha_min, log2_floor, alpha_max, min_transmittance;
  explicit Limits(const TileJob& job)
      : log2_alpha_min(broadcast(job.log2_alpha_min)),
        log2_floor(broadcast(job.log2_alpha_min - 1.0f)),
        alpha_max(broadcast(job.alpha_max)),
        min_transmittance(broadcast(job.min_transmittance)) {}
};

/// One Gaussian at one block, up to its effect on transmittance.
struct Blend {
  F raw, alpha, rest;  ///< rest = 1 - alpha
  F after;             ///< transmittance behind it; negative once the pixel is closed
  M drawn;
};
inline Blend blend(F log2_alpha, F transmittance, const Limits& limits) {
  Blend s;
  const M hit = at_least(log2_alpha, limits.log2_alpha_min);
  s.raw = exp2(max(log2_alpha, limits.log2_floor));
  s.alpha = min(s.raw, limits.alpha_max);
  s.rest = broadcast(1.0f) - s.alpha;
  const F next = transmittance * s.rest;
  // Never above where the pixel is closed.
  s.drawn = both(hit, above(next, limits.min_transmittance));
  s.after = select(s.drawn, next, negative_where(hit, transmittance));
  return s;
}

inline void blend_blocks(const TileJob& job, const Blocks& blocks, float* transmittance, float* red, float* green,
                         float* blue) {
  const Limits limits(job);
  for (int i = 0; i < blocks.count; ++i) {
    const int at = blocks.pixel[i];
    const F t = load(transmittance + at);
    if (!any_open(t)) continue;
    const Record& r = job.records[blocks.record[i]];
    const F dx = broadcast(blocks.dx[i]) - iota();
    const F log2_alpha = fma(-dx, fma(broadcast(r.a), dx, broadcast(blocks.slant[i])), broadcast(blocks.base[i]));
    const Blend s = blend(log2_alpha, t, limits);
    const F weight = keep(s.drawn, s.alpha * t);
    store(red + at, fma(weight, broadcast(r.color[0]), load(red + at)));
    store(green + at, fma(weight, broadcast(r.color[1]), load(green + at)));
    store(blue + at, fma(weight, broadcast(r.color[2]), load(blue + at)));
    store(transmittance + at, s.after);
  }
}

inline void tile_forward(const TileJob& job) {
  alignas(64) Plane transmittance;
  alignas(64) Plane color[3];
  Blocks blocks;
  const int width = job.x1 - job.x0, height = job.y1 - job.y0;
  open_pixels(job, transmittance);
  for (int c = 0; c < 3; ++c) __builtin_memset(color[c], 0, sizeof(Plane));

  for (std::size_t e = 0; e < job.entry_count;) {
    blocks.count = 0;
    for (; e < job.entry_count && blocks.count < Blocks::kEnough; ++e) {
      if (e + 8 < job.entry_count) __builtin_prefetch(&job.records[job.entries[e + 8]]);
      add_blocks(job, job.entries[e], blocks);
    }
    blend_blocks(job, blocks, transmittance, color[0], color[1], color[2]);
    if (all_closed(job, transmittance)) break;
  }

  for (int y = 0; y < height; ++y) {
    const std::size_t row = static_cast<std::size_t>(job.y0 + y) * static_cast<std::size_t>(job.image_width);
    for (int x = 0; x < width; ++x) {
      const std::size_t pixel = row + static_cast<std::size_t>(job.x0 + x);
      const int at = y * kStride + x;
      const float t = __builtin_fabsf(transmittance[at]);
      const float* background = job.background + pixel * job.background_stride;
      job.image[3 * pixel] = color[0][at] + t * background[0];
      job.image[3 * pixel + 1] = color[1][at] + t * background[1];
      job.image[3 * pixel + 2] = color[2][at] + t * background[2];
      job.alpha[pixel] = 1.0f - t;
      job.transmittance[pixel] = t;
    }
  }
}

/// dL/dimage by colour, and what all Gaussians not yet passed and the background contribute to the loss, per pixel.
struct Cotangents {
  alignas(64) Plane grad[3];
  alignas(64) Plane left;
};
inline void load_cotangents(const TileJob& job, Cotangents& c) {
  const int width = job.x1 - job.x0, height = job.y1 - job.y0;
  const std::size_t bytes = static_cast<std::size_t>(height) * kStride * sizeof(float);
  for (Plane& plane : c.grad) __builtin_memset(plane, 0, bytes);
  __builtin_memset(c.left, 0, bytes);
  for (int y = 0; y < height; ++y) {
    const std::size_t first = static_cast<std::size_t>(job.y0 + y) * static_cast<std::size_t>(job.image_width) +
                              static_cast<std::size_t>(job.x0);
    const int row = y * kStride;
    float *red = c.grad[0] + row, *green = c.grad[1] + row, *blue = c.grad[2] + row, *left = c.left + row;
    if (job.grad_image) {
      const float *grad = job.grad_image + 3 * first, *image = job.image + 3 * first;
      for (int x = 0; x < width; ++x, grad += 3, image += 3) {
        red[x] = grad[0], green[x] = grad[1], blue[x] = grad[2];
        left[x] = image[0] * grad[0] + image[1] * grad[1] + image[2] * grad[2];
      }
    }
    if (job.grad_alpha) {
      for (int x = 0; x < width; ++x) {
        left[x] -= job.transmittance[first + static_cast<std::size_t>(x)] *
                   job.grad_alpha[first + static_cast<std::size_t>(x)];
      }
    }
  }
}

/// Replays the forward pass for the blocks [begin, end) of one Gaussian. With L the loss, G = dL/dimage, and `left`
/// what this and later Gaussians and the background contribute to L: dL/dalpha = T (color . G) - left_after / (1 -
/// alpha).
template <bool kAll>
inline void blend_backward(const TileJob& job, const Limits& limits, const Blocks& blocks, int begin, int end,
                           float* transmittance, Cotangents& cot, float* out) {
  constexpr int kSums = kAll ? kAllSums : kPoseSums;
  const Record& r = job.records[blocks.record[begin]];
  const F a = broadcast(r.a), red = broadcast(r.color[0]), green = broadcast(r.color[1]), blue = broadcast(r.color[2]);
  F sums[kSums];
  for (F& sum : sums) sum = broadcast(0.0f);
  for (int i = begin; i < end; ++i) {
    const int at = blocks.pixel[i];
    const F t = load(transmittance + at);
    if (!any_open(t)) continue;
    const F dx = broadcast(blocks.dx[i]) - iota(), dy = broadcast(blocks.dy[i]);
    const Blend s = blend(fma(-dx, fma(a, dx, broadcast(blocks.slant[i])), broadcast(blocks.base[i])), t, limits);
    const F weight = keep(s.drawn, s.alpha * t);
    const F gr = load(cot.grad[0] + at), gg = load(cot.grad[1] + at), gb = load(cot.grad[2] + at);
    const F shade = fma(red, gr, fma(green, gg, blue * gb));
    const F left = fma(-weight, shade, load(cot.left + at));
    store(cot.left + at, left);
    store(transmittance + at, s.after);

    const F grad_alpha = fma(t, shade, -(left / s.rest));
    const M free = both(s.drawn, at_least(limits.alpha_max, s.raw));
    const F v = keep(free, s.alpha * grad_alpha);
    const F vx = v * dx, vy = v * dy;
    sums[0] = sums[0] + vx;
    sums[1] = sums[1] + vy;
    sums[2] = fma(vx, dx, sums[2]);
    sums[3] = fma(vx, dy, sums[3]);
    sums[4] = fma(vy, dy, sums[4]);
    sums[5] = sums[5] + v;
    if constexpr (kAll) {
      sums[8] = fma(weight, gr, sums[8]);
      sums[9] = fma(weight, gg, sums[9]);
      sums[10] = fma(weight, gb, sums[10]);
    }
  }
  for (int k = 0; k < kSums; k += 4) sum_lanes(sums + k, out + k);
}

template <bool kAll>
inline void tile_backward(const TileJob& job) {
  constexpr std::size_t kSums = kAll ? kAllSums : kPoseSums;
  alignas(64) Plane transmittance;
  Cotangents cot;
  Blocks blocks;
  int ends[Blocks::kEnough];
  const Limits limits(job);
  open_pixels(job, transmittance);
  load_cotangents(job, cot);

  std::size_t e = 0;
  while (e < job.entry_count) {
    // Every Gaussian has at least one block, so `ends` is long enough.
    int entries = 0;
    blocks.count = 0;
    const std::size_t first = e;
    for (; e < job.entry_count && blocks.count < Blocks::kEnough; ++e) {
      if (e + 8 < job.entry_count) __builtin_prefetch(&job.records[job.entries[e + 8]]);
      add_blocks(job, job.entries[e], blocks);
      ends[entries++] = blocks.count;
    }
    int begin = 0;
    for (int k = 0; k < entries; ++k) {
      float* out = job.entry_grads + (first + static_cast<std::size_t>(k)) * kSums;
      blend_backward<kAll>(job, limits, blocks, begin, ends[k], transmittance, cot, out);
      begin = ends[k];
    }
    if (all_closed(job, transmittance)) break;
  }
  // What lies behind a closed tile.
  __builtin_memset(job.entry_grads + e * kSums, 0, (job.entry_count - e) * kSums * sizeof(float));
}
