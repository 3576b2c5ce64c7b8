// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// The kernels, included once per instruction set inside an unnamed namespace. The including file defines the vector V
// of kWidth floats, whose lanes are frames, and broadcast(float), fma(a, b, c) = a b + c, inverse_root(x) = 1 / sqrt(x)
// or 0 where x is not positive.

constexpr std::size_t kLanes = static_cast<std::size_t>(kWidth);

inline V load(const float* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
inline void store(float* to, V v) { __builtin_memcpy(to, &v, sizeof(V)); }

struct Vec {
  V x, y, z;
};
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator*(V s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
inline V dot(Vec a, Vec b) { return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)); }
inline Vec cross(Vec a, Vec b) {
  return {fma(a.y, b.z, -(a.z * b.y)), fma(a.z, b.x, -(a.x * b.z)), fma(a.x, b.y, -(a.y * b.x))};
}
inline Vec broadcast_vec(const float* v) { return {broadcast(v[0]), broadcast(v[1]), broadcast(v[2])}; }
inline Vec load_vec(const float* rows) { return {load(rows), load(rows + kLanes), load(rows + 2 * kLanes)}; }
inline void store_vec(float* rows, Vec v) {
  store(rows, v.x);
  store(rows + kLanes, v.y);
  store(rows + 2 * kLanes, v.z);
}

/// Columns of a 3x3 matrix, and a translation.
struct Matrix {
  Vec u, v, w, t;
};
inline Vec multiply(const Matrix& a, Vec x) {
  const auto row = [&](V u, V v, V w) { return fma(u, x.x, fma(v, x.y, w * x.z)); };
  return {row(a.u.x, a.v.x, a.w.x), row(a.u.y, a.v.y, a.w.y), row(a.u.z, a.v.z, a.w.z)};
}
inline Vec multiply_transposed(const Matrix& a, Vec x) { return {dot(a.u, x), dot(a.v, x), dot(a.w, x)}; }

struct Symmetric6 {
  V xx, xy, xz, yy, yz, zz;
};
inline Vec multiply(const Symmetric6& s, Vec a) {
  return {dot({s.xx, s.xy, s.xz}, a), dot({s.xy, s.yy, s.yz}, a), dot({s.xz, s.yz, s.zz}, a)};
}
inline Symmetric6 broadcast_symmetric(const float* s) {
  return {broadcast(s[0]), broadcast(s[1]), broadcast(s[2]), broadcast(s[3]), broadcast(s[4]), broadcast(s[5])};
}

// --- tiles: kWidth points x kWidth frames, turned between "frames x points" in memory and lanes that are frames
// -------

template <std::size_t kStep, std::size_t... kLane>
inline void exchange(V& a, V& b, std::index_sequence<kLane...>) {
  const V low = __builtin_shufflevector(a, b, ((kLane & kStep) ? kLane - kStep + kLanes : kLane)...);
  const V high = __builtin_shufflevector(a, b, ((kLane & kStep) ? kLane + kLanes : kLane + kStep)...);
  a = low;
  b = high;
}

/// Transposes kWidth rows in place, by exchanging off-diagonal blocks of 1, 2, 4 ... lanes.
template <std::size_t kStep = 1>
inline void transpose(V* rows) {
  if constexpr (kStep < kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((i & kStep) == 0) exchange<kStep>(rows[i], rows[i + kStep], std::make_index_sequence<kLanes>());
    }
    transpose<2 * kStep>(rows);
  }
}

/// Where number `c` of a tile's vectors of frame 0 starts, and how many of its floats belong to points of the tile.
struct Strip {
  std::size_t offset, frame_stride, count;
};
template <std::size_t kComponents>
inline Strip strip(const SkinJob& job, std::size_t first, std::size_t points, std::size_t c) {
  const std::size_t done = c * kLanes, wanted = points * kComponents;
  const std::size_t left = done < wanted ? wanted - done : 0;
  return {first * kComponents + done, job.point_count * kComponents, left < kLanes ? left : kLanes};
}
inline bool is_whole(const SkinJob& job, const Strip& s) { return s.count == kLanes && job.frames == kWidth; }

/// A tile's rows, (point, component) x frame, go to kComponents numbers per point in each frame.
template <std::size_t kComponents>
inline void store_tile(const float* rows, float* out, const SkinJob& job, std::size_t first, std::size_t points) {
  for (std::size_t c = 0; c < kComponents; ++c) {
    V tile[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) tile[i] = load(rows + (c * kLanes + i) * kLanes);
    transpose(tile);
    const Strip s = strip<kComponents>(job, first, points, c);
    float* to = out + s.offset;
    if (is_whole(job, s)) {
      for (std::size_t f = 0; f < kLanes; ++f) store(to + f * s.frame_stride, tile[f]);
    } else {
      for (std::size_t f = 0; f < kLanes && f < static_cast<std::size_t>(job.frames); ++f) {
        __builtin_memcpy(to + f * s.frame_stride, &tile[f], s.count * sizeof(float));
      }
    }
  }
}

/// The reverse. Rows of missing points and lanes of missing frames become zero.
template <std::size_t kComponents>
inline void load_tile(const float* in, float* rows, const SkinJob& job, std::size_t first, std::size_t points) {
  for (std::size_t c = 0; c < kComponents; ++c) {
    V tile[kLanes] = {};
    const Strip s = strip<kComponents>(job, first, points, c);
    const float* from = in + s.offset;
    if (is_whole(job, s)) {
      for (std::size_t f = 0; f < kLanes; ++f) tile[f] = load(from + f * s.frame_stride);
    } else {
      for (std::size_t f = 0; f < kLanes && f < static_cast<std::size_t>(job.frames); ++f) {
        __builtin_memcpy(&tile[f], from + f * s.frame_stride, s.count * sizeof(float));
      }
    }
    transpose(tile);
    for (std::size_t i = 0; i < kLanes; ++i) store(rows + (c * kLanes + i) * kLanes, tile[i]);
  }
}

/// Rows of the three kinds of geometry for one tile.
struct alignas(64) Tile {
  float points[3 * kLanes * kLanes];
  float normals[3 * kLanes * kLanes];
  float covariances[6 * kLanes * kLanes];
};

/// Calls body(first point, number of points) for each tile of the job.
template <class Body>
inline void for_each_tile(const SkinJob& job, const Body& body) {
  for (std::size_t first = job.begin; first < job.end; first += kLanes) {
    body(first, job.end - first < kLanes ? job.end - first : kLanes);
  }
}

// --- one point, all frames of the group
// -------------------------------------------------------------------------------

inline Matrix blend(const SkinJob& job, std::size_t point) {
  const float* weights = job.weights + point * static_cast<std::size_t>(job.stride);
  const std::uint16_t* indices = job.bone_indices + point * static_cast<std::size_t>(job.stride);
  V sum[12] = {};
  for (int k = 0; k < job.stride; ++k) {
    if (weights[k] == 0) continue;
    const V weight = broadcast(weights[k]);
    const float* bone = job.bones + std::size_t{indices[k]} * 12 * kLanes;
    for (std::size_t e = 0; e < 12; ++e) sum[e] = fma(weight, load(bone + e * kLanes), sum[e]);
  }
  return {{sum[0], sum[3], sum[6]}, {sum[1], sum[4], sum[7]}, {sum[2], sum[5], sum[8]}, {sum[9], sum[10], sum[11]}};
}

inline void add_to_bones(const SkinJob& job, std::size_t point, const Matrix& grad, float* grad_bones) {
  const float* weights = job.weights + point * static_cast<std::size_t>(job.stride);
  const std::uint16_t* indices = job.bone_indices + point * static_cast<std::size_t>(job.stride);
  const V entries[12] = {grad.u.x, grad.v.x, grad.w.x, grad.u.y, grad.v.y, grad.w.y,
                         grad.u.z, grad.v.z, grad.w.z, grad.t.x, grad.t.y, grad.t.z};
  for (int k = 0; k < job.stride; ++k) {
    if (weights[k] == 0) continue;
    const V weight = broadcast(weights[k]);
    float* sum = grad_bones + std::size_t{indices[k]} * 12 * kLanes;
    for (std::size_t e = 0; e < 12; ++e) store(sum + e * kLanes, fma(weight, entries[e], load(sum + e * kLanes)));
  }
}

/// cofactor(A) n
inline Vec cofactor_times(const Matrix& a, Vec n) {
  return n.x * cross(a.v, a.w) + n.y * cross(a.w, a.u) + n.z * cross(a.u, a.v);
}

/// Gradient on m of m / |m|.
inline Vec normalize_backward(Vec m, Vec grad) {
  const V inverse = inverse_root(dot(m, m));
  const Vec unit = inverse * m;
  const V along = dot(unit, grad);
  return inverse * Vec{grad.x - along * unit.x, grad.y - along * unit.y, grad.z - along * unit.z};
}

/// The symmetric matrix V with sum of gradient * stored numbers = <V, S>.
inline Symmetric6 load_spread(const float* rows) {
  const V half = broadcast(0.5f);
  return {load(rows),
          half * load(rows + kLanes),
          half * load(rows + 2 * kLanes),
          load(rows + 3 * kLanes),
          half * load(rows + 4 * kLanes),
          load(rows + 5 * kLanes)};
}

/// A S A^T
inline void store_covariance(const Matrix& a, const Symmetric6& s, float* rows) {
  // Row i of A S is S times row i of A.
  const Vec x = multiply(s, {a.u.x, a.v.x, a.w.x}), y = multiply(s, {a.u.y, a.v.y, a.w.y}),
            z = multiply(s, {a.u.z, a.v.z, a.w.z});
  const Vec row_x{a.u.x, a.v.x, a.w.x}, row_y{a.u.y, a.v.y, a.w.y}, row_z{a.u.z, a.v.z, a.w.z};
  store(rows, dot(x, row_x));
  store(rows + kLanes, dot(x, row_y));
  store(rows + 2 * kLanes, dot(x, row_z));
  store(rows + 3 * kLanes, dot(y, row_y));
  store(rows + 4 * kLanes, dot(y, row_z));
  store(rows + 5 * kLanes, dot(z, row_z));
}

/// Adds the gradient on A of the normal's direction: its columns enter as n.x (v x w) + n.y (w x u) + n.z (u x v).
inline void add_normal_gradient(const Matrix& a, Vec n, Vec grad_output, Matrix& grad) {
  const Vec g = normalize_backward(cofactor_times(a, n), grad_output);
  grad.u = grad.u + n.y * cross(g, a.w) + n.z * cross(a.v, g);
  grad.v = grad.v + n.z * cross(g, a.u) + n.x * cross(a.w, g);
  grad.w = grad.w + n.x * cross(g, a.v) + n.y * cross(a.u, g);
}

/// Adds 2 V A S.
inline void add_covariance_gradient(const Matrix& a, const Symmetric6& s, const Symmetric6& v, Matrix& grad) {
  const V two = broadcast(2.0f);
  const Vec u2 = two * multiply(v, a.u), v2 = two * multiply(v, a.v), w2 = two * multiply(v, a.w);
  grad.u = grad.u + s.xx * u2 + s.xy * v2 + s.xz * w2;
  grad.v = grad.v + s.xy * u2 + s.yy * v2 + s.yz * w2;
  grad.w = grad.w + s.xz * u2 + s.yz * v2 + s.zz * w2;
}

/// The sum of all lanes, always in the same order.
inline float sum_lanes(V v) {
  float lanes[kLanes];
  store(lanes, v);
  for (std::size_t n = kLanes / 2; n > 0; n /= 2) {
    for (std::size_t i = 0; i < n; ++i) lanes[i] += lanes[i + n];
  }
  return lanes[0];
}
inline void add_lanes(float* sum, Vec v) {
  sum[0] += sum_lanes(v.x);
  sum[1] += sum_lanes(v.y);
  sum[2] += sum_lanes(v.z);
}

// --- the three kernels
// ------------------------------------------------------------------------------------------------

void forward(const SkinJob& job, const SkinTargets& out) {
  Tile tile = {};
  for_each_tile(job, [&](std::size_t first, std::size_t points) {
    for (std::size_t i = 0; i < points; ++i) {
      const std::size_t p = first + i;
      const Matrix a = blend(job, p);
      if (job.points) {
        const Vec x = broadcast_vec(job.points + 3 * p);
        const auto row = [&](V u, V v, V w, V t) { return fma(u, x.x, fma(v, x.y, fma(w, x.z, t))); };
        store_vec(tile.points + 3 * i * kLanes,
                  {row(a.u.x, a.v.x, a.w.x, a.t.x), row(a.u.y, a.v.y, a.w.y, a.t.y), row(a.u.z, a.v.z, a.w.z, a.t.z)});
      }
      if (job.normals) {
        const Vec m = cofactor_times(a, broadcast_vec(job.normals + 3 * p));
        store_vec(tile.normals + 3 * i * kLanes, inverse_root(dot(m, m)) * m);
      }
      if (job.covariances) {
        store_covariance(a, broadcast_symmetric(job.covariances + 6 * p), tile.covariances + 6 * i * kLanes);
      }
    }
    if (job.points) store_tile<3>(tile.points, out.points, job, first, points);
    if (job.normals) store_tile<3>(tile.normals, out.normals, job, first, points);
    if (job.covariances) store_tile<6>(tile.covariances, out.covariances, job, first, points);
  });
}

inline void load_tiles(const SkinSources& grad, Tile& tile, const SkinJob& job, std::size_t first, std::size_t points) {
  if (grad.points) load_tile<3>(grad.points, tile.points, job, first, points);
  if (grad.normals) load_tile<3>(grad.normals, tile.normals, job, first, points);
  if (grad.covariances) load_tile<6>(grad.covariances, tile.covariances, job, first, points);
}

void backward_bones(const SkinJob& job, const SkinSources& grad, float* grad_bones) {
  Tile tile;
  for_each_tile(job, [&](std::size_t first, std::size_t points) {
    load_tiles(grad, tile, job, first, points);
    for (std::size_t i = 0; i < points; ++i) {
      const std::size_t p = first + i;
      Matrix grad_a = {};
      if (grad.points) {
        const Vec x = broadcast_vec(job.points + 3 * p), g = load_vec(tile.points + 3 * i * kLanes);
        grad_a = {x.x * g, x.y * g, x.z * g, g};
      }
      if (grad.normals || grad.covariances) {
        const Matrix a = blend(job, p);
        if (grad.normals) {
          add_normal_gradient(a, broadcast_vec(job.normals + 3 * p), load_vec(tile.normals + 3 * i * kLanes), grad_a);
        }
        if (grad.covariances) {
          add_covariance_gradient(a, broadcast_symmetric(job.covariances + 6 * p),
                                  load_spread(tile.covariances + 6 * i * kLanes), grad_a);
        }
      }
      add_to_bones(job, p, grad_a, grad_bones);
    }
  });
}

/// Adds A^T V A, off-diagonal numbers twice.
inline void add_bind_covariance(const Matrix& a, const Symmetric6& v, float* sum) {
  const Vec u2 = multiply(v, a.u), v2 = multiply(v, a.v), w2 = multiply(v, a.w);
  sum[0] += sum_lanes(dot(a.u, u2));
  sum[1] += 2 * sum_lanes(dot(a.u, v2));
  sum[2] += 2 * sum_lanes(dot(a.u, w2));
  sum[3] += sum_lanes(dot(a.v, v2));
  sum[4] += 2 * sum_lanes(dot(a.v, w2));
  sum[5] += sum_lanes(dot(a.w, w2));
}

void backward_bind(const SkinJob& job, const SkinSources& grad, const SkinTargets& grad_bind) {
  Tile tile;
  for_each_tile(job, [&](std::size_t first, std::size_t points) {
    load_tiles(grad, tile, job, first, points);
    for (std::size_t i = 0; i < points; ++i) {
      const std::size_t p = first + i;
      const Matrix a = blend(job, p);
      if (grad.points) {
        add_lanes(grad_bind.points + 3 * p, multiply_transposed(a, load_vec(tile.points + 3 * i * kLanes)));
      }
      if (grad.normals) {
        const Vec m = cofactor_times(a, broadcast_vec(job.normals + 3 * p));
        const Vec g = normalize_backward(m, load_vec(tile.normals + 3 * i * kLanes));
        const Matrix cofactor{cross(a.v, a.w), cross(a.w, a.u), cross(a.u, a.v), {}};
        add_lanes(grad_bind.normals + 3 * p, multiply_transposed(cofactor, g));
      }
      if (grad.covariances) {
        add_bind_covariance(a, load_spread(tile.covariances + 6 * i * kLanes), grad_bind.covariances + 6 * p);
      }
    }
  });
}

constexpr SkinKernels kKernels{kWidth, forward, backward_bones, backward_bind};
