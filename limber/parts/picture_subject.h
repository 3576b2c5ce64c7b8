// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "limber/base/bitmap.h"
#include "limber/parts/picture_parts.h"

/// Where the subject of a picture is. Private to `picture_parts`.
namespace limber::parts {

/// Which pixels of a picture show something.
struct Mask {
  int width = 0, height = 0;
  std::vector<bool> body;

  bool at(int x, int y) const { return body[static_cast<std::size_t>(y * width + x)]; }
};

/// What lies before a background that is known: one that is transparent, or of one colour all along the picture's edge.
/// None where it is neither.
std::optional<Mask> known_subject(const Bitmap& picture);

/// What differs from what is seen along the edge of the pictures or, in a video, moves before what stays where it is.
struct LikelySubject {
  std::vector<Mask> masks;  ///< one per picture, of their sizes
  double trust = 0;         ///< 0 to 1
  double area = 0;          ///< of the first picture, by whichever way shows most
};
LikelySubject likely_subject(std::span<const Bitmap> pictures);

/// How a mask lies in its picture; what is less than `gap` pixels apart hangs together.
struct Extent {
  double body = 0;     ///< its share of all pixels
  double largest = 0;  ///< that of its largest piece in it
  double second = 0;   ///< and of the next
  double edge = 0;     ///< the share of the picture's edge that it covers
};
Extent extent_of(const Mask& mask, int gap = 1);

/// A square around what masks of pictures of one size show together, where that is small in `whole`, the square around
/// the pictures; else that.
PictureWindow closer_window(std::span<const Mask> masks, const PictureWindow& whole);

/// What a window shows, black beside the picture and where it is transparent or, given a mask, no body.
Bitmap cut_square(const Bitmap& picture, const PictureWindow& window, const Mask* mask, int size);

}  // namespace limber::parts
