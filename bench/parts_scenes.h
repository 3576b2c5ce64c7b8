// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/base/bitmap.h"
#include "limber/base/rng.h"
#include "limber/parts/surface_pictures.h"
#include "limber/training/part_examples.h"

/// Pictures to show a network of parts: with a body, and without.
namespace limber::bench {

/// A body from all sides at its moments, or at rest; the first camera anywhere around it.
parts::SurfacePictures draw_sides(const training::KnownParts& body, const parts::PartsModel& model, Rng& rng);
/// The first frames of the first view.
std::vector<Bitmap> first_view(const parts::SurfacePictures& pictures, int frames);

/// Kinds of pictures without a subject.
inline constexpr int kEmptyKinds = 4;
inline constexpr const char* kEmptyNames[kEmptyKinds] = {"noise", "text", "gradients", "landscapes"};
Bitmap draw_empty(int kind, int size, Rng& rng);

/// A body at rest from any side in a picture of `size` pixels a side; the square that a camera would frame it with
/// takes `share` of that, anywhere. Black around it, or `behind`, which has the same size.
Bitmap draw_body(const training::KnownParts& body, int size, double share, const Bitmap* behind, Rng& rng);
/// The views of the first frame side by side, a row of them for each list of colours of all pixels.
Bitmap draw_sheet(const parts::SurfacePictures& pictures, const std::vector<std::vector<Vec3>>& rows);
/// What pictures show, and in which parts: `part_of(pixel)`, negative for none.
std::vector<Vec3> seen_colors(const parts::SurfacePictures& pictures);
template <class PartOf>
std::vector<Vec3> colors_of_parts(const parts::SurfacePictures& pictures, const std::vector<Vec3>& palette,
                                  const PartOf& part_of) {
  std::vector<Vec3> colors(pictures.pixels());
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const int part = part_of(i);
    if (part >= 0) colors[i] = palette[static_cast<std::size_t>(part)];
  }
  return colors;
}
/// The colours of a body's true parts.
std::vector<Vec3> true_palette(const training::KnownParts& body, const parts::CodeFrame& frame);

/// Two pictures side by side.
Bitmap beside(const Bitmap& left, const Bitmap& right);

}  // namespace limber::bench
