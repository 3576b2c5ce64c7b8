// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// Skinning and projection, forward and backward, four Gaussians at a time in double, included once per instruction set
// inside an unnamed namespace. The including file defines the vector D of four doubles and fma(a, b, c) = a b + c.
//
// With M = R A (camera rotation after skinning), N = J M: the 2D covariance is N S N^T + eps. See splat.md sections 1,
// 3 and 4.

inline D all(double x) { return D{x, x, x, x}; }
inline D select(DMask mask, D a, D b) { return mask ? a : b; }
inline D least(D a, D b) { return a < b ? a : b; }
inline D most(D a, D b) { return a > b ? a : b; }
inline DMask is_finite(D a) { return (a - a) == all(0); }

struct D3 {
  D x, y, z;
};
inline D3 operator+(D3 a, D3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline D3 operator*(D s, D3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline D dot(D3 a, D3 b) { return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z)); }
/// a s + b
inline D3 fma(D3 a, D s, D3 b) { return {fma(a.x, s, b.x), fma(a.y, s, b.y), fma(a.z, s, b.z)}; }

/// Four rows of four to four columns of four.
inline void transpose(D& a, D& b, D& c, D& d) {
  const D ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const D cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/// log2 of normal positive numbers, by the series of atanh: error below 1e-11.
inline D log2(D x) {
  using Bits = std::int64_t __attribute__((vector_size(32)));
  Bits bits;
  __builtin_memcpy(&bits, &x, sizeof(D));
  // Exponent such that the mantissa lies between sqrt(1/2) and sqrt(2).
  const Bits exponent = (bits - 0x3fe6a09e667f3bcdLL) >> 52;
  bits -= exponent << 52;
  D m;
  __builtin_memcpy(&m, &bits, sizeof(D));
  const D s = (m - all(1)) / (m + all(1)), ss = s * s;
  D sum = all(1.0 / 13);
  for (int n = 11; n >= 1; n -= 2) sum = fma(sum, ss, all(1.0 / n));
  return fma(s * sum, all(2.8853900817779268), __builtin_convertvector(exponent, D));
}

/// Four Gaussians at rest.
struct Group {
  std::size_t index[4];
  D3 mean;
  D xx, xy, xz, yy, yz, zz;
};
inline D gather(const float* from, const std::size_t (&index)[4], std::size_t stride, std::size_t offset) {
  return D{double(from[index[0] * stride + offset]), double(from[index[1] * stride + offset]),
           double(from[index[2] * stride + offset]), double(from[index[3] * stride + offset])};
}
inline Group load_group(const ProjectJob& job, const std::size_t (&index)[4]) {
  Group g;
  for (int i = 0; i < 4; ++i) g.index[i] = index[i];
  g.mean = {gather(job.means, index, 3, 0), gather(job.means, index, 3, 1), gather(job.means, index, 3, 2)};
  g.xx = gather(job.covariances, index, 6, 0), g.xy = gather(job.covariances, index, 6, 1);
  g.xz = gather(job.covariances, index, 6, 2), g.yy = gather(job.covariances, index, 6, 3);
  g.yz = gather(job.covariances, index, 6, 4), g.zz = gather(job.covariances, index, 6, 5);
  return g;
}
inline D3 times_covariance(const Group& g, D3 v) {
  return {dot({g.xx, g.xy, g.xz}, v), dot({g.xy, g.yy, g.yz}, v), dot({g.xz, g.yz, g.zz}, v)};
}

using FourFloats = float __attribute__((vector_size(16)));
inline D load_floats(const float* from) {
  FourFloats v;
  __builtin_memcpy(&v, from, sizeof v);
  return __builtin_convertvector(v, D);
}
inline void put(float (&to)[4], D from) {
  const FourFloats v = __builtin_convertvector(from, FourFloats);
  __builtin_memcpy(to, &v, sizeof v);
}
inline D load_row(const double* from) {
  D row;
  __builtin_memcpy(&row, from, sizeof(D));
  return row;
}

/// Rows of M = R A and the camera-space translation: camera = M mean + t.
struct Map {
  D3 row[3];
  D3 t;
};
inline Map load_map(const ProjectJob& job, const Group& g) {
  const double *r = job.camera.linear, *t = job.camera.translation;
  Map map;
  if (job.influences == 0) {
    for (int i = 0; i < 3; ++i) map.row[i] = {all(r[3 * i]), all(r[3 * i + 1]), all(r[3 * i + 2])};
    map.t = {all(t[0]), all(t[1]), all(t[2])};
    return map;
  }
  // Blend each Gaussian's bones row by row, then turn rows of Gaussians into lanes.
  D blended[3][4];
  for (int lane = 0; lane < 4; ++lane) {
    const std::size_t first = g.index[lane] * static_cast<std::size_t>(job.influences);
    D rows[3] = {all(0), all(0), all(0)};
    for (int k = 0; k < job.influences; ++k) {
      const float weight = job.bone_weights[first + static_cast<std::size_t>(k)];
      if (weight == 0) continue;
      const double* bone = job.bones + 12 * std::size_t{job.bone_indices[first + static_cast<std::size_t>(k)]};
      for (int i = 0; i < 3; ++i) rows[i] = fma(all(double(weight)), load_row(bone + 4 * i), rows[i]);
    }
    for (int i = 0; i < 3; ++i) blended[i][lane] = rows[i];
  }
  for (int i = 0; i < 3; ++i) transpose(blended[i][0], blended[i][1], blended[i][2], blended[i][3]);
  const auto a = [&](int column) { return D3{blended[0][column], blended[1][column], blended[2][column]}; };
  D moved[3];
  for (int i = 0; i < 3; ++i) {
    const D3 ri{all(r[3 * i]), all(r[3 * i + 1]), all(r[3 * i + 2])};
    map.row[i] = {dot(ri, a(0)), dot(ri, a(1)), dot(ri, a(2))};
    moved[i] = dot(ri, a(3)) + all(t[i]);
  }
  map.t = {moved[0], moved[1], moved[2]};
  return map;
}

/// Four Gaussians in the camera and on the image.
struct Projection {
  Map map;
  D3 camera;  ///< mean
  D inverse_z;
  D slope_x, slope_y;    ///< x/z and y/z, held inside the guarded field
  DMask x_free, y_free;  ///< not held
  D j00, j02, j11, j12;
  D3 n0, n1;        ///< rows of N
  D3 sn0, sn1;      ///< S n0, S n1
  D s00, s01, s11;  ///< 2D covariance
  D det;
};
inline Projection project_group(const ProjectJob& job, const Group& g) {
  const KernelCamera& c = job.camera;
  Projection p;
  p.map = load_map(job, g);
  p.camera = {dot(p.map.row[0], g.mean) + p.map.t.x, dot(p.map.row[1], g.mean) + p.map.t.y,
              dot(p.map.row[2], g.mean) + p.map.t.z};
  p.inverse_z = all(1) / p.camera.z;
  const D x = p.camera.x * p.inverse_z, y = p.camera.y * p.inverse_z;
  p.slope_x = least(most(x, all(c.low_x)), all(c.high_x));
  p.slope_y = least(most(y, all(c.low_y)), all(c.high_y));
  p.x_free = p.slope_x == x;
  p.y_free = p.slope_y == y;
  p.j00 = all(c.fx) * p.inverse_z;
  p.j11 = all(c.fy) * p.inverse_z;
  p.j02 = -(p.j00 * p.slope_x);
  p.j12 = -(p.j11 * p.slope_y);
  p.n0 = fma(p.map.row[2], p.j02, p.j00 * p.map.row[0]);
  p.n1 = fma(p.map.row[2], p.j12, p.j11 * p.map.row[1]);
  p.sn0 = times_covariance(g, p.n0);
  p.sn1 = times_covariance(g, p.n1);
  p.s00 = dot(p.n0, p.sn0) + all(job.eps2d);
  p.s01 = dot(p.n0, p.sn1);
  p.s11 = dot(p.n1, p.sn1) + all(job.eps2d);
  p.det = p.s00 * p.s11 - p.s01 * p.s01;
  return p;
}

/// Rounds to whole numbers; for magnitudes below 2^51.
inline D round(D x) { return (x + all(6755399441055744.0)) - all(6755399441055744.0); }

/// First and last-plus-one pixel with its centre in centre +- half, inside 0 .. size.
inline void pixel_range(D centre, D half, double size, D& begin, D& end) {
  begin = round(most(least(centre - half - all(1e-3), all(size)), all(0)));
  end = round(most(least(centre + half + all(1e-3), all(size)), all(0)));
}

/// Columns of records: one vector of four floats per field.
struct RecordLanes {
  float field[14][4];
  double x0[4], x1[4], y0[4], y1[4], depth[4];
  std::int64_t visible[4];
};

inline void make_records(const ProjectJob& job, const Group& g, RecordLanes& out) {
  constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453;
  const Projection p = project_group(job, g);
  const D opacity = gather(job.opacities, g.index, 1, 0);
  const D u = fma(all(job.camera.fx) * p.camera.x, p.inverse_z, all(job.camera.cx));
  const D v = fma(all(job.camera.fy) * p.camera.y, p.inverse_z, all(job.camera.cy));
  DMask visible = (p.camera.z >= all(job.near)) & (p.camera.z <= all(job.far)) & (p.det > all(0)) & (p.s00 > all(0)) &
                  is_finite(p.det) & (opacity >= all(job.alpha_min)) & is_finite(opacity) & is_finite(u) & is_finite(v);

  // In powers of two; t: how far below its peak the Gaussian stays visible.
  const D log2_opacity = log2(opacity);
  const D t = log2_opacity - log2(all(job.alpha_min));
  const D scale = all(0.5 * kLog2E) / p.det;
  const D a = p.s11 * scale, b = all(-2) * p.s01 * scale, c = p.s00 * scale;
  const D slope = p.s01 / p.s11;
  const D fall = p.det / (p.s11 * p.s11);
  const D reach = t / a;
  const D doubled = all(2 * kLn2) * most(t, all(0));
  D x0, x1, y0, y1;
  pixel_range(u, sqrt(doubled * p.s00), job.camera.width, x0, x1);
  pixel_range(v, sqrt(doubled * p.s11), job.camera.height, y0, y1);
  visible = visible & (x0 < x1) & (y0 < y1);

  const D pixel_x = round(u - all(0.5)), pixel_y = round(v - all(0.5));
  put(out.field[0], pixel_x), put(out.field[1], pixel_y);
  put(out.field[2], u - all(0.5) - pixel_x), put(out.field[3], v - all(0.5) - pixel_y);
  put(out.field[4], a), put(out.field[5], b), put(out.field[6], c), put(out.field[7], log2_opacity);
  put(out.field[8], slope), put(out.field[9], reach), put(out.field[10], fall);
  for (int lane = 0; lane < 4; ++lane) {
    for (std::size_t k = 0; k < 3; ++k) out.field[11 + k][lane] = job.colors[3 * g.index[lane] + k];
  }
  __builtin_memcpy(out.x0, &x0, sizeof x0), __builtin_memcpy(out.x1, &x1, sizeof x1);
  __builtin_memcpy(out.y0, &y0, sizeof y0), __builtin_memcpy(out.y1, &y1, sizeof y1);
  __builtin_memcpy(out.depth, &p.camera.z, sizeof(D)), __builtin_memcpy(out.visible, &visible, sizeof visible);
}

inline std::size_t project(const ProjectJob& job, const ProjectTargets& targets) {
  std::size_t count = 0;
  RecordLanes lanes;
  for (std::size_t first = job.begin; first < job.end; first += 4) {
    std::size_t index[4];
    for (std::size_t i = 0; i < 4; ++i) index[i] = first + i < job.end ? first + i : job.end - 1;
    make_records(job, load_group(job, index), lanes);
    for (std::size_t lane = 0; lane < 4 && first + lane < job.end; ++lane) {
      if (!lanes.visible[lane]) continue;
      float fields[14], check = 0;
      for (int k = 0; k < 14; ++k) fields[k] = lanes.field[k][lane], check += 0.0f * fields[k];
      if (check != 0) continue;  // something is infinite or not a number
      Record& record = targets.records[count];
      __builtin_memcpy(&record, fields, sizeof fields);
      const Box box{static_cast<std::uint16_t>(lanes.x0[lane]), static_cast<std::uint16_t>(lanes.x1[lane]),
                    static_cast<std::uint16_t>(lanes.y0[lane]), static_cast<std::uint16_t>(lanes.y1[lane])};
      record.y0 = box.y0;
      record.y1 = box.y1;
      targets.boxes[count] = box;
      targets.depths[count] = lanes.depth[lane];
      targets.indices[count] = static_cast<std::uint32_t>(index[lane]);
      ++count;
    }
  }
  return count;
}

/// Sums over a record's tile entries, in tile order, as lanes.
struct ScreenSums {
  D sum[kAllSums];
};
template <int kSums>
inline void load_sums(const ProjectBackwardJob& job, const std::size_t (&record)[4], ScreenSums& out) {
  D rows[kSums / 4][4];  // four sums of one record each
  for (int lane = 0; lane < 4; ++lane) {
    for (auto& row : rows) row[lane] = all(0);
    for (std::uint32_t s = job.slot_begin[record[lane]]; s < job.slot_begin[record[lane] + 1]; ++s) {
      const float* entry = job.entry_grads + std::size_t{job.slots[s]} * std::size_t{kSums};
      for (int k = 0; k < kSums / 4; ++k) rows[k][lane] = rows[k][lane] + load_floats(entry + 4 * k);
    }
  }
  for (int k = 0; k < kSums / 4; ++k) {
    transpose(rows[k][0], rows[k][1], rows[k][2], rows[k][3]);
    for (int i = 0; i < 4; ++i) out.sum[4 * k + i] = rows[k][i];
  }
}

/// Gradients on the map and on the camera-space mean, from those on the image.
struct GroupGradient {
  D3 row[3];        ///< dL/dM
  D3 camera;        ///< dL/dcamera mean
  D v00, v01, v11;  ///< dL/d 2D covariance
};
inline GroupGradient project_group_backward(const ProjectJob& job, const Group& g, const Projection& p,
                                            const ScreenSums& sums) {
  const KernelCamera& c = job.camera;
  const D ca = p.s11 / p.det, cb = -p.s01 / p.det, cc = p.s00 / p.det;
  const D sx = sums.sum[0], sy = sums.sum[1];
  const D grad_u = -fma(ca, sx, cb * sy), grad_v = -fma(cb, sx, cc * sy);
  // Gradient on the conic P: [[ga, gb], [gb, gc]]; on the covariance: -P [..] P.
  const D ga = all(-0.5) * sums.sum[2], gb = all(-0.5) * sums.sum[3], gc = all(-0.5) * sums.sum[4];
  const D m00 = fma(ca, ga, cb * gb), m01 = fma(ca, gb, cb * gc);
  const D m10 = fma(cb, ga, cc * gb), m11 = fma(cb, gb, cc * gc);
  GroupGradient grad;
  grad.v00 = -fma(m00, ca, m01 * cb);
  grad.v01 = -fma(m00, cb, m01 * cc);
  grad.v11 = -fma(m10, cb, m11 * cc);

  // S2 = N S N^T: dL/dN = 2 V N S; then N = J M.
  const D3 q0 = all(2) * fma(p.sn0, grad.v00, grad.v01 * p.sn1);
  const D3 q1 = all(2) * fma(p.sn0, grad.v01, grad.v11 * p.sn1);
  const D grad_j00 = dot(q0, p.map.row[0]), grad_j02 = dot(q0, p.map.row[2]);
  const D grad_j11 = dot(q1, p.map.row[1]), grad_j12 = dot(q1, p.map.row[2]);
  const D iz = p.inverse_z, fx_zz = all(c.fx) * iz * iz, fy_zz = all(c.fy) * iz * iz, zero = all(0);
  grad.camera.x = fma(p.j00, grad_u, -select(p.x_free, fx_zz * grad_j02, zero));
  grad.camera.y = fma(p.j11, grad_v, -select(p.y_free, fy_zz * grad_j12, zero));
  D z = -fma(fx_zz * p.camera.x, grad_u, fy_zz * p.camera.y * grad_v);
  z = z - fma(fx_zz, grad_j00, fy_zz * grad_j11);
  z = fma(select(p.x_free, all(2), all(1)) * fx_zz * p.slope_x, grad_j02, z);
  grad.camera.z = fma(select(p.y_free, all(2), all(1)) * fy_zz * p.slope_y, grad_j12, z);

  grad.row[0] = fma(g.mean, grad.camera.x, p.j00 * q0);
  grad.row[1] = fma(g.mean, grad.camera.y, p.j11 * q1);
  grad.row[2] = fma(g.mean, grad.camera.z, fma(q0, p.j02, p.j12 * q1));
  return grad;
}

inline void add_to(float* to, D from, const std::size_t (&index)[4], std::size_t stride, std::size_t offset,
                   std::size_t lanes) {
  float values[4];
  put(values, from);
  for (std::size_t i = 0; i < lanes; ++i) to[index[i] * stride + offset] += values[i];
}

/// Adds w_b (R^T dL/dM, R^T dL/dcamera) to every bone b of every Gaussian.
inline void add_to_bones(const ProjectBackwardJob& job, const Group& g, const GroupGradient& grad, std::size_t lanes) {
  const double* r = job.forward.camera.linear;
  D rows[3][4];
  for (int i = 0; i < 3; ++i) {
    const D r0 = all(r[i]), r1 = all(r[3 + i]), r2 = all(r[6 + i]);
    const auto back = [&](D a, D b, D c) { return fma(r0, a, fma(r1, b, r2 * c)); };
    rows[i][0] = back(grad.row[0].x, grad.row[1].x, grad.row[2].x);
    rows[i][1] = back(grad.row[0].y, grad.row[1].y, grad.row[2].y);
    rows[i][2] = back(grad.row[0].z, grad.row[1].z, grad.row[2].z);
    rows[i][3] = back(grad.camera.x, grad.camera.y, grad.camera.z);
    transpose(rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t first = g.index[lane] * static_cast<std::size_t>(job.forward.influences);
    for (int k = 0; k < job.forward.influences; ++k) {
      const float weight = job.forward.bone_weights[first + static_cast<std::size_t>(k)];
      if (weight == 0) continue;
      double* bone = job.grad_bones + 12 * std::size_t{job.forward.bone_indices[first + static_cast<std::size_t>(k)]};
      for (int i = 0; i < 3; ++i) {
        const D sum = fma(all(double(weight)), rows[i][lane], load_row(bone + 4 * i));
        __builtin_memcpy(bone + 4 * i, &sum, sizeof sum);
      }
    }
  }
}

inline void add_to_rest(const ProjectBackwardJob& job, const Group& g, const Projection& p, const GroupGradient& grad,
                        std::size_t lanes) {
  if (job.grad_means) {
    const D3 mean = fma(p.map.row[0], grad.camera.x, fma(p.map.row[1], grad.camera.y, grad.camera.z * p.map.row[2]));
    add_to(job.grad_means, mean.x, g.index, 3, 0, lanes);
    add_to(job.grad_means, mean.y, g.index, 3, 1, lanes);
    add_to(job.grad_means, mean.z, g.index, 3, 2, lanes);
  }
  if (job.grad_covariances) {
    // N^T V N = h0 n0^T + h1 n1^T with h = V N; off-diagonal numbers count both halves.
    const D3 h0 = fma(p.n0, grad.v00, grad.v01 * p.n1), h1 = fma(p.n0, grad.v01, grad.v11 * p.n1);
    const auto entry = [&](D a0, D b0, D a1, D b1) { return fma(a0, b0, a1 * b1); };
    const D xx = entry(h0.x, p.n0.x, h1.x, p.n1.x), yy = entry(h0.y, p.n0.y, h1.y, p.n1.y);
    const D zz = entry(h0.z, p.n0.z, h1.z, p.n1.z);
    const D xy = entry(h0.x, p.n0.y, h1.x, p.n1.y) + entry(h0.y, p.n0.x, h1.y, p.n1.x);
    const D xz = entry(h0.x, p.n0.z, h1.x, p.n1.z) + entry(h0.z, p.n0.x, h1.z, p.n1.x);
    const D yz = entry(h0.y, p.n0.z, h1.y, p.n1.z) + entry(h0.z, p.n0.y, h1.z, p.n1.y);
    const D all_six[6] = {xx, xy, xz, yy, yz, zz};
    for (std::size_t k = 0; k < 6; ++k) add_to(job.grad_covariances, all_six[k], g.index, 6, k, lanes);
  }
}

inline void project_backward(const ProjectBackwardJob& job) {
  const bool geometry = job.grad_bones || job.grad_means || job.grad_covariances;
  for (std::size_t first = job.forward.begin; first < job.forward.end; first += 4) {
    const std::size_t lanes = job.forward.end - first < 4 ? job.forward.end - first : 4;
    // Neighbours here are far apart in the tiles: ask for their sums in good time.
    const std::size_t ahead = first + 20 <= job.forward.end ? first + 16 : first;
    for (std::uint32_t s = job.slot_begin[ahead]; s < job.slot_begin[ahead + lanes]; ++s) {
      __builtin_prefetch(job.entry_grads + std::size_t{job.slots[s]} * static_cast<std::size_t>(job.sums));
    }
    std::size_t record[4], index[4];
    for (std::size_t i = 0; i < 4; ++i) {
      record[i] = first + (i < lanes ? i : lanes - 1);
      index[i] = job.indices[record[i]];
    }
    ScreenSums sums;
    if (job.sums == kAllSums) {
      load_sums<kAllSums>(job, record, sums);
    } else {
      load_sums<kPoseSums>(job, record, sums);
    }
    if (job.grad_opacities) {
      add_to(job.grad_opacities, sums.sum[5] / gather(job.forward.opacities, index, 1, 0), index, 1, 0, lanes);
    }
    if (job.grad_colors) {
      for (std::size_t k = 0; k < 3; ++k) add_to(job.grad_colors, sums.sum[8 + k], index, 3, k, lanes);
    }
    if (!geometry) continue;
    const Group g = load_group(job.forward, index);
    const Projection p = project_group(job.forward, g);
    const GroupGradient grad = project_group_backward(job.forward, g, p, sums);
    add_to_rest(job, g, p, grad, lanes);
    if (job.grad_bones) add_to_bones(job, g, grad, lanes);
  }
}

constexpr RasterKernels kKernels{&project, &project_backward, &tile_forward, &tile_backward<false>,
                                 &tile_backward<true>};
