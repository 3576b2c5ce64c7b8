// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// Blending of one tile, forward and backward, included once per instruction set inside an unnamed namespace. The
// including file defines kLanes and the types F (floats) and M (a mask per float) with the operations used below; a
// pixel is open while its transmittance is positive.
//
// A Gaussian is drawn row by row: its ellipse gives the exact run of pixels of each row, and vectors start at the run's
// first pixel, aligned or not, so a Gaussian a few pixels wide costs one vector per row. Lanes past the run fail the
// alpha test by themselves; lanes past the tile find closed pixels in the padding.

constexpr int kStride = kTileWidth + kLanes;
using Plane = float[kTileHeight][kStride];

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

/// The pixels [begin, end) of each tile row from `y_begin` to `y_end` that the Gaussian may touch.
struct Runs {
  alignas(64) int begin[kTileHeight + kLanes];
  alignas(64) int end[kTileHeight + kLanes];
};

/// `mean_x`: relative to the tile; `dy`: mean - pixel centre in row y_begin. A hundredth of a pixel of slack covers the
/// rounding: the alpha test decides.
inline void find_runs(const Record& r, float mean_x, float dy_first, int y_begin, int y_end, float width, Runs& runs) {
  const F slope = broadcast(r.slope), reach = broadcast(r.reach), fall = broadcast(r.fall), mean = broadcast(mean_x);
  const F zero = broadcast(0.0f), limit = broadcast(width);
  F dy = broadcast(dy_first) - iota();
  for (int y = y_begin; y < y_end; y += kLanes) {
    const F disc = max(fma(-(fall * dy), dy, reach), zero);
    const F half = sqrt(disc);
    const F middle = fma(-slope, dy, mean);
    store_as_int(runs.begin + y, min(max((middle - half) + broadcast(0.99f), zero), limit));
    store_as_int(runs.end + y, min(max((middle + half) + broadcast(1.01f), zero), limit));
    dy = dy - broadcast(static_cast<float>(kLanes));
  }
}

/// A record's rows in the tile, and its place relative to the tile's first pixel.
struct Placement {
  int y_begin, y_end;
  float mean_x;    ///< so that dx = mean_x - x
  float whole_x;   ///< the same without the offset: exact
  float dy_first;  ///< in row y_begin
};
inline Placement place(const Record& r, const TileJob& job) {
  Placement p;
  p.y_begin = (r.y0 > job.y0 ? r.y0 : job.y0) - job.y0;
  p.y_end = (r.y1 < job.y1 ? r.y1 : job.y1) - job.y0;
  p.whole_x = r.pixel_x - static_cast<float>(job.x0);
  p.mean_x = p.whole_x + r.offset_x;
  p.dy_first = (r.pixel_y - static_cast<float>(job.y0 + p.y_begin)) + r.offset_y;
  return p;
}

/// Opens the tile's pixels; padding is closed, as is a pixel once its transmittance is negative.
inline void open_pixels(const TileJob& job, Plane& transmittance) {
  const int width = job.x1 - job.x0, height = job.y1 - job.y0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) transmittance[y][x] = 1.0f;
    for (int x = width; x < kStride; ++x) transmittance[y][x] = -1.0f;
  }
}
inline bool all_closed(const TileJob& job, const Plane& transmittance) {
  const int width = job.x1 - job.x0, height = job.y1 - job.y0;
  F highest = broadcast(-1.0f);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; x += kLanes) highest = max(highest, load(&transmittance[y][x]));
  }
  return !any_open(highest);
}
constexpr std::size_t kCloseCheck = 32;  // entries between two looks whether the tile is closed

/// One Gaussian at one run of pixels, up to its effect on transmittance.
struct Blend {
  F raw, alpha, rest, next;  ///< rest = 1 - alpha, next = transmittance * rest
  M drawn, stopped;
};
inline Blend blend(F log2_alpha, F transmittance, const TileJob& job) {
  Blend s;
  const F lowest = broadcast(job.log2_alpha_min);
  const M hit = both(at_least(log2_alpha, lowest), is_open(transmittance));
  s.raw = exp2(max(log2_alpha, lowest - broadcast(1.0f)));
  s.alpha = min(s.raw, broadcast(job.alpha_max));
  s.rest = broadcast(1.0f) - s.alpha;
  s.next = transmittance * s.rest;
  const M open = above(s.next, broadcast(job.min_transmittance));
  s.drawn = both(hit, open);
  s.stopped = and_not(hit, open);
  return s;
}

inline void tile_forward(const TileJob& job) {
  alignas(64) Plane transmittance;
  alignas(64) Plane color[3];
  Runs runs;
  const int width = job.x1 - job.x0, height = job.y1 - job.y0;
  open_pixels(job, transmittance);
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < height; ++y) __builtin_memset(color[c][y], 0, sizeof(color[c][y]));
  }

  for (std::size_t e = 0; e < job.entry_count; ++e) {
    if (e + 8 < job.entry_count) __builtin_prefetch(&job.records[job.entries[e + 8]]);
    if (e % kCloseCheck == kCloseCheck - 1 && all_closed(job, transmittance)) break;
    const Record& r = job.records[job.entries[e]];
    const Placement p = place(r, job);
    find_runs(r, p.mean_x, p.dy_first, p.y_begin, p.y_end, static_cast<float>(width), runs);
    const F a = broadcast(r.a), red = broadcast(r.color[0]), green = broadcast(r.color[1]),
            blue = broadcast(r.color[2]);
    const F offset = broadcast(r.offset_x) - iota();
    float dy = p.dy_first;
    for (int y = p.y_begin; y < p.y_end; ++y, dy -= 1.0f) {
      const F slant = broadcast(r.b * dy), base = broadcast(r.log2_opacity - r.c * dy * dy);
      for (int x = runs.begin[y]; x < runs.end[y]; x += kLanes) {
        const F t = load(&transmittance[y][x]);
        if (!any_open(t)) continue;
        const F dx = broadcast(p.whole_x - static_cast<float>(x)) + offset;
        const Blend s = blend(fma(-dx, fma(a, dx, slant), base), t, job);
        const F weight = keep(s.drawn, s.alpha * t);
        store(&color[0][y][x], fma(weight, red, load(&color[0][y][x])));
        store(&color[1][y][x], fma(weight, green, load(&color[1][y][x])));
        store(&color[2][y][x], fma(weight, blue, load(&color[2][y][x])));
        store(&transmittance[y][x], select(s.drawn, s.next, negate_where(s.stopped, t)));
      }
    }
  }

  for (int y = 0; y < height; ++y) {
    const std::size_t row = static_cast<std::size_t>(job.y0 + y) * static_cast<std::size_t>(job.image_width);
    for (int x = 0; x < width; ++x) {
      const std::size_t pixel = row + static_cast<std::size_t>(job.x0 + x);
      const float t = __builtin_fabsf(transmittance[y][x]);
      const float* background = job.background + pixel * job.background_stride;
      job.image[3 * pixel] = color[0][y][x] + t * background[0];
      job.image[3 * pixel + 1] = color[1][y][x] + t * background[1];
      job.image[3 * pixel + 2] = color[2][y][x] + t * background[2];
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
  for (int y = 0; y < height; ++y) {
    const std::size_t row = static_cast<std::size_t>(job.y0 + y) * static_cast<std::size_t>(job.image_width);
    for (int k = 0; k < 3; ++k) __builtin_memset(c.grad[k][y], 0, sizeof(c.grad[k][y]));
    __builtin_memset(c.left[y], 0, sizeof(c.left[y]));
    for (int x = 0; x < width; ++x) {
      const std::size_t pixel = row + static_cast<std::size_t>(job.x0 + x);
      const float* image = job.image + 3 * pixel;
      float sum = 0;
      if (job.grad_image) {
        const float* grad = job.grad_image + 3 * pixel;
        c.grad[0][y][x] = grad[0];
        c.grad[1][y][x] = grad[1];
        c.grad[2][y][x] = grad[2];
        sum = image[0] * grad[0] + image[1] * grad[1] + image[2] * grad[2];
      }
      if (job.grad_alpha) sum -= job.transmittance[pixel] * job.grad_alpha[pixel];
      c.left[y][x] = sum;
    }
  }
}

/// Replays the forward pass. With L the loss, G = dL/dimage, and `left` what this and later Gaussians and the
/// background contribute to L: dL/dalpha = T (color . G) - left_after / (1 - alpha).
template <bool kAll>
inline void tile_backward(const TileJob& job) {
  constexpr int kSums = kAll ? kAllSums : kPoseSums;
  alignas(64) Plane transmittance;
  Cotangents cot;
  Runs runs;
  const int width = job.x1 - job.x0;
  open_pixels(job, transmittance);
  load_cotangents(job, cot);

  std::size_t e = 0;
  for (; e < job.entry_count; ++e) {
    if (e + 8 < job.entry_count) __builtin_prefetch(&job.records[job.entries[e + 8]]);
    if (e % kCloseCheck == kCloseCheck - 1 && all_closed(job, transmittance)) break;
    const Record& r = job.records[job.entries[e]];
    const Placement p = place(r, job);
    find_runs(r, p.mean_x, p.dy_first, p.y_begin, p.y_end, static_cast<float>(width), runs);
    const F a = broadcast(r.a), red = broadcast(r.color[0]), green = broadcast(r.color[1]),
            blue = broadcast(r.color[2]);
    const F offset = broadcast(r.offset_x) - iota();
    F sums[kSums];
    for (F& sum : sums) sum = broadcast(0.0f);
    float dy = p.dy_first;
    for (int y = p.y_begin; y < p.y_end; ++y, dy -= 1.0f) {
      const F slant = broadcast(r.b * dy), base = broadcast(r.log2_opacity - r.c * dy * dy), row_dy = broadcast(dy);
      for (int x = runs.begin[y]; x < runs.end[y]; x += kLanes) {
        const F t = load(&transmittance[y][x]);
        if (!any_open(t)) continue;
        const F dx = broadcast(p.whole_x - static_cast<float>(x)) + offset;
        const Blend s = blend(fma(-dx, fma(a, dx, slant), base), t, job);
        const F weight = keep(s.drawn, s.alpha * t);
        const F gr = load(&cot.grad[0][y][x]), gg = load(&cot.grad[1][y][x]), gb = load(&cot.grad[2][y][x]);
        const F shade = fma(red, gr, fma(green, gg, blue * gb));
        const F left = fma(-weight, shade, load(&cot.left[y][x]));
        store(&cot.left[y][x], left);
        store(&transmittance[y][x], select(s.drawn, s.next, negate_where(s.stopped, t)));

        const F grad_alpha = fma(t, shade, -(left / s.rest));
        const M free = both(s.drawn, at_least(broadcast(job.alpha_max), s.raw));
        const F v = keep(free, s.alpha * grad_alpha);
        const F vx = v * dx, vy = v * row_dy;
        sums[0] = sums[0] + vx;
        sums[1] = sums[1] + vy;
        sums[2] = fma(vx, dx, sums[2]);
        sums[3] = fma(vx, row_dy, sums[3]);
        sums[4] = fma(vy, row_dy, sums[4]);
        if constexpr (kAll) {
          sums[5] = sums[5] + v;
          sums[8] = fma(weight, gr, sums[8]);
          sums[9] = fma(weight, gg, sums[9]);
          sums[10] = fma(weight, gb, sums[10]);
        }
      }
    }
    float* out = job.entry_grads + e * static_cast<std::size_t>(kSums);
    for (int k = 0; k < kSums; k += 4) sum_lanes(sums + k, out + k);
  }
  // What lies behind a closed tile.
  const std::size_t rest = (job.entry_count - e) * static_cast<std::size_t>(kSums);
  __builtin_memset(job.entry_grads + e * static_cast<std::size_t>(kSums), 0, rest * sizeof(float));
}
