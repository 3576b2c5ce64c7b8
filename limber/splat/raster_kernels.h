// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What rasterize.cpp and its kernels share. The kernels are compiled once per instruction set, so this header and
/// whatever they include must not hold inline functions that another file could end up calling: plain data only.
namespace limber::splat {

struct Camera;
struct RasterSettings;

inline constexpr int kTileWidth = 32, kTileHeight = 32;

/// A Gaussian on the image: one cache line. With d = mean - pixel centre, opacity e^-sigma = 2^(log2_opacity - a dx^2 -
/// b dx dy - c dy^2). The mean is split into a whole pixel and an offset, so that d is exact in float anywhere.
struct alignas(64) Record {
  float pixel_x, pixel_y;    ///< the pixel that holds the mean
  float offset_x, offset_y;  ///< mean - that pixel's centre, -0.5 to 0.5
  float a, b, c;
  float log2_opacity;
  float slope, reach, fall;  ///< visible where |dx - slope dy| <= sqrt(reach - fall dy^2)
  float color[3];
  std::uint16_t y0, y1;  ///< rows that it may touch, y1 excluded
};

/// Pixels that a Gaussian may touch, ends excluded.
struct Box {
  std::uint16_t x0, x1, y0, y1;
};

/// A camera as the kernels need it.
struct KernelCamera {
  double linear[9], translation[3];  ///< camera_from_world, rows
  double fx, fy, cx, cy;
  double low_x, high_x, low_y, high_y;  ///< guarded field of view: bounds of x/z and y/z in the linearisation
  double width, height;
};

KernelCamera kernel_camera(const Camera& camera, const RasterSettings& settings);

/// A run of Gaussians in one image.
struct ProjectJob {
  std::size_t begin, end;
  const float* means;        ///< x, y, z
  const float* covariances;  ///< six numbers
  const float* opacities;
  const float* colors;  ///< r, g, b
  int influences;       ///< 0: not skinned
  const std::uint16_t* bone_indices;
  const float* bone_weights;
  const double* bones;  ///< this frame's: bones x 3 rows x (linear part, translation)
  KernelCamera camera;
  double near, far, eps2d, alpha_min;
};

/// Where the visible ones go, packed, from the start of each array.
struct ProjectTargets {
  Record* records;
  Box* boxes;
  double* depths;
  std::uint32_t* indices;  ///< which Gaussian
};

/// One tile of one image and the Gaussians that may touch it, front to back.
struct TileJob {
  const Record* records;
  const std::uint32_t* entries;
  std::size_t entry_count;
  int x0, y0, x1, y1;  ///< pixels, ends excluded
  int image_width;
  float log2_alpha_min, alpha_max, min_transmittance;
  const float* background;        ///< r, g, b
  std::size_t background_stride;  ///< floats from one pixel's background to the next: 0 or 3
  float* image;                   ///< r, g, b; written forward, read backward
  float* alpha;                   ///< written forward
  float* transmittance;           ///< written forward, read backward
  const float* grad_image;        ///< backward; may be null
  const float* grad_alpha;        ///< backward; may be null
  float* entry_grads;             ///< backward: per entry, kPoseSums or kAllSums numbers
};

/// Sums over pixels that the backward pass keeps per entry: v = alpha dL/dalpha times dx, dy, dx^2, dx dy, dy^2, 1, two
/// unused; then dL/dcolor and one unused.
inline constexpr int kPoseSums = 8, kAllSums = 12;

/// Backward of a run of records.
struct ProjectBackwardJob {
  ProjectJob forward;               ///< begin and end count records here
  const std::uint32_t* indices;     ///< of the records
  const std::uint32_t* slot_begin;  ///< per record, its first entry in `slots`; one more at the end
  const std::uint32_t* slots;       ///< numbers of the record's tile entries, in tile order
  const float* entry_grads;
  int sums;  ///< kPoseSums or kAllSums
  // Added to; null where not wanted.
  float* grad_means;
  float* grad_covariances;
  float* grad_opacities;
  float* grad_colors;
  double* grad_bones;  ///< bones x 3 x 4
};

/// One instruction set's kernels.
struct RasterKernels {
  /// Returns how many are visible.
  std::size_t (*project)(const ProjectJob& job, const ProjectTargets& targets);
  void (*project_backward)(const ProjectBackwardJob& job);
  void (*tile_forward)(const TileJob& job);
  void (*tile_backward_pose)(const TileJob& job);
  void (*tile_backward_all)(const TileJob& job);
};

const RasterKernels& portable_raster_kernels();
const RasterKernels& avx2_raster_kernels();
const RasterKernels& avx512_raster_kernels();

}  // namespace limber::splat
