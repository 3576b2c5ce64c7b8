// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The inner loops of render and compare, on one picture, compiled for several instruction sets: the same bits on all
/// of them. Plain data only, see splat/raster_kernels.h. Private to `lift`.
namespace limber::lift {

/// A convolution along rows and columns; nothing is beyond the edges.
struct BlurJob {
  const float* taps;  ///< 2 radius + 1
  int radius;
  int height, width;
  float* beside;  ///< `blur_numbers` that it may write to
};
inline constexpr int blur_numbers(int height, int width, int radius) {
  return (height + 2 * radius) * width + width + 2 * radius;
}

/// Three planes each of what was drawn, of the target, and of the loss's gradient on what was drawn, which is written.
struct CompareJob {
  const float *drawn, *target;
  float* gradient;
  BlurJob blur;  ///< of the difference; no taps: none
  float corner;  ///< errors beyond it count linearly
  float per_pixel;
  float body_colour;  ///< from so much colour on a pixel is of the body
};
struct ComparedImage {
  double value;          ///< before `per_pixel`
  double squares, body;  ///< squared errors over the pixels of either body, and their number
};

struct ImageKernels {
  void (*blur)(const BlurJob& job, float* plane);
  ComparedImage (*compare)(const CompareJob& job);
};

const ImageKernels& portable_image_kernels();
const ImageKernels& avx2_image_kernels();  ///< x86-64 only
/// Those of `simd_level`.
const ImageKernels& image_kernels();

}  // namespace limber::lift
