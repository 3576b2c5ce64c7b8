// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_subject.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "limber/asset/picture.h"
#include "limber/asset/subject_mask.h"
#include "limber/base/at.h"

namespace limber::parts {
namespace {

/// Of the square picture that a subject fills along its longer side: smaller ones are looked at more closely, so that
/// they fill the other. Bodies that the network was taught with fill between these, as seen from most sides.
constexpr double kSmall = 0.5, kFilled = 0.75;
/// Colours of a plain background: steps of a byte along the edge, and within it.
constexpr int kPlainStep = 12, kFloodStep = 24;
constexpr double kPlainShare = 0.97;  // of the edge: the subject may reach beyond it
constexpr int kClear = 128;           // of alpha
constexpr double kSmallHole = 0.05;   // of a body: smaller ones are of the background's colour and of the body
/// What is found row by row completes a subject where it is trusted, larger by so much, and beyond it by no more than
/// this share of the picture.
constexpr double kRowsTrust = 0.7, kMoreArea = 1.2, kReach = 0.12;
constexpr int kLongest = 192;  // pixels a side, in which a likely subject is looked for

using Color = std::array<int, 3>;

int alpha_of(const Bitmap& picture, int x, int y) {
  const int channels = picture.channels;
  return channels == 2 || channels == 4 ? picture.at(x, y)[channels - 1] : 255;
}

Color color_at(const Bitmap& picture, int x, int y) {
  const std::uint8_t* from = picture.at(x, y);
  return picture.channels >= 3 ? Color{from[0], from[1], from[2]} : Color{from[0], from[0], from[0]};
}

int apart(const Color& a, const Color& b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

/// Pixels along the edge, each once.
std::vector<int> edge_of(const Bitmap& picture) {
  std::vector<int> edge;
  const int w = picture.width, h = picture.height;
  for (int x = 0; x < w; ++x) edge.push_back(x);
  for (int x = 0; x < w && h > 1; ++x) edge.push_back((h - 1) * w + x);
  for (int y = 1; y + 1 < h; ++y) edge.push_back(y * w);
  for (int y = 1; y + 1 < h && w > 1; ++y) edge.push_back(y * w + w - 1);
  return edge;
}

/// The middle value of each channel.
Color median_color(const Bitmap& picture, const std::vector<int>& pixels) {
  Color color{};
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<int> values;
    for (const int i : pixels) values.push_back(color_at(picture, i % picture.width, i / picture.width)[k]);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    color[k] = values[values.size() / 2];
  }
  return color;
}

/// Calls `next` for the four neighbours of a pixel.
template <class Next>
void for_neighbors(int pixel, int width, int height, const Next& next) {
  const int x = pixel % width, y = pixel / width;
  if (x > 0) next(pixel - 1);
  if (x + 1 < width) next(pixel + 1);
  if (y > 0) next(pixel - width);
  if (y + 1 < height) next(pixel + width);
}

/// All but what has the edge's colour and hangs together with it.
Mask without_plain(const Bitmap& picture, const std::vector<int>& edge, const Color& plain) {
  const int w = picture.width, h = picture.height;
  Mask mask{w, h, std::vector<bool>(at(w) * at(h), true)};
  std::vector<int> open;
  const auto reach = [&](int i) {
    if (!mask.body[at(i)] || apart(color_at(picture, i % w, i / w), plain) > kFloodStep) return;
    mask.body[at(i)] = false, open.push_back(i);
  };
  for (const int i : edge) reach(i);
  while (!open.empty()) {
    const int from = open.back();
    open.pop_back();
    for_neighbors(from, w, h, reach);
  }
  return mask;
}

/// A mask in which what is nearly together is together: cells of `gap` pixels that show any of it.
Mask coarser(const Mask& mask, int gap) {
  const int w = (mask.width + gap - 1) / gap, h = (mask.height + gap - 1) / gap;
  Mask coarse{w, h, std::vector<bool>(at(w) * at(h), false)};
  for (int y = 0; y < mask.height; ++y) {
    for (int x = 0; x < mask.width; ++x) {
      if (mask.at(x, y)) coarse.body[at(y / gap * w + x / gap)] = true;
    }
  }
  return coarse;
}

/// Holes that are small beside a body belong to it.
void fill_holes(Mask& mask) {
  const int w = mask.width, h = mask.height;
  const auto most =
      static_cast<std::size_t>(kSmallHole * static_cast<double>(std::count(mask.body.begin(), mask.body.end(), true)));
  std::vector<bool> seen = mask.body;
  std::vector<int> hole;
  for (int start = 0; start < w * h; ++start) {
    if (seen[at(start)]) continue;
    bool outside = false;
    hole.assign(1, start), seen[at(start)] = true;
    for (std::size_t i = 0; i < hole.size(); ++i) {
      const int x = hole[i] % w, y = hole[i] / w;
      outside = outside || x == 0 || y == 0 || x + 1 == w || y + 1 == h;
      for_neighbors(hole[i], w, h, [&](int next) {
        if (!seen[at(next)]) seen[at(next)] = true, hole.push_back(next);
      });
    }
    if (outside || hole.size() > most) continue;
    for (const int i : hole) mask.body[at(i)] = true;
  }
}

/// Where masks of one size show something.
struct Around {
  int left = 1 << 30, top = 1 << 30, right = -1, bottom = -1;

  explicit Around(std::span<const Mask> masks) {
    for (const Mask& mask : masks) {
      for (int i = 0; i < mask.width * mask.height; ++i) {
        if (!mask.body[at(i)]) continue;
        left = std::min(left, i % mask.width), right = std::max(right, i % mask.width);
        top = std::min(top, i / mask.width), bottom = std::max(bottom, i / mask.width);
      }
    }
  }
};

std::vector<Mask> masks_of(const Frames& frames, const asset::Segmentation& way) {
  std::vector<Mask> masks;
  const float* from = way.masks.data();
  for (int t = 0; t < frames.frames; ++t) {
    Mask& mask = masks.emplace_back(Mask{frames.width, frames.height, {}});
    for (int i = 0; i < frames.width * frames.height; ++i) mask.body.push_back(*from++ > 0.5f);
  }
  return masks;
}

/// Whether looking row by row shows more of what was found, in the same place: of a white body before a grey ground and
/// a white sky, say. In other places it may be a hill.
bool completes(const Frames& frames, const asset::Segmentation& rows, const asset::Segmentation& found) {
  if (rows.trust < kRowsTrust || rows.areas.front() < kMoreArea * found.areas.front()) return false;
  const Around more(masks_of(frames, rows)), some(masks_of(frames, found));
  const int reach = std::max(1, static_cast<int>(kReach * std::max(frames.width, frames.height)));
  return more.left >= some.left - reach && more.right <= some.right + reach && more.top >= some.top - reach &&
         more.bottom <= some.bottom + reach;
}

/// Pictures of one size as one view of a video, not larger than it takes to find something.
Frames small_frames(std::span<const Bitmap> pictures) {
  const Bitmap& first = pictures.front();
  const double scale = std::min(1.0, static_cast<double>(kLongest) / std::max({first.width, first.height, 1}));
  const auto scaled = [scale](int side) { return std::max(1, static_cast<int>(std::lround(scale * side))); };
  Frames frames(1, static_cast<int>(pictures.size()), scaled(first.height), scaled(first.width));
  const std::size_t plane = at(frames.width) * at(frames.height);
  float* to = frames.values.data();
  for (const Bitmap& picture : pictures) {
    const Bitmap small = asset::scaled_to_fill(picture, frames.width, frames.height);
    for (std::size_t i = 0; i < plane; ++i) {
      const Color color = color_at(small, static_cast<int>(i) % small.width, static_cast<int>(i) / small.width);
      for (std::size_t k = 0; k < 3; ++k) to[k * plane + i] = static_cast<float>(color[k]) / 255;
    }
    to += 3 * plane;
  }
  return frames;
}

}  // namespace

LikelySubject likely_subject(std::span<const Bitmap> pictures) {
  LikelySubject subject;
  if (pictures.empty() || pictures.front().pixels.empty()) return subject;
  const Frames frames = small_frames(pictures);
  asset::SegmentSettings settings;
  settings.by_rows = true;
  const std::vector<asset::Segmentation> ways = asset::segment(frames, settings);
  const asset::Segmentation *best = nullptr, *rows = nullptr;
  for (const asset::Segmentation& way : ways) {
    if (way.method == asset::SegmentMethod::kRows) {
      rows = &way;
      continue;
    }
    if (best == nullptr) best = &way;  // the best trusted is the first
    subject.area = std::max(subject.area, way.areas.front());
  }
  if (best == nullptr) return subject;
  if (rows != nullptr && completes(frames, *rows, *best)) best = rows;
  subject.trust = best->trust;
  std::vector<Mask> small = masks_of(frames, *best);
  for (std::size_t p = 0; p < pictures.size(); ++p) {
    fill_holes(small[p]);
    const int width = pictures[p].width, height = pictures[p].height;
    Mask& mask = subject.masks.emplace_back(Mask{width, height, {}});
    for (int i = 0; i < width * height; ++i)
      mask.body.push_back(small[p].at(i % width * frames.width / width, i / width * frames.height / height));
  }
  return subject;
}

std::optional<Mask> known_subject(const Bitmap& picture) {
  const int w = picture.width, h = picture.height;
  if (w < 1 || h < 1) return std::nullopt;
  Mask mask{w, h, std::vector<bool>(at(w) * at(h), true)};
  bool clear = false;
  for (int i = 0; i < w * h; ++i) {
    mask.body[at(i)] = alpha_of(picture, i % w, i / w) >= kClear;
    clear = clear || !mask.body[at(i)];
  }
  if (clear) return mask;
  const std::vector<int> edge = edge_of(picture);
  const Color plain = median_color(picture, edge);
  const auto alike = std::count_if(edge.begin(), edge.end(),
                                   [&](int i) { return apart(color_at(picture, i % w, i / w), plain) <= kPlainStep; });
  if (static_cast<double>(alike) < kPlainShare * static_cast<double>(edge.size())) return std::nullopt;
  return without_plain(picture, edge, plain);
}

Extent extent_of(const Mask& fine, int gap) {
  const Mask mask = coarser(fine, std::max(gap, 1));
  const int all = mask.width * mask.height;
  std::vector<bool> seen(mask.body.size(), false);
  std::vector<int> open;
  int body = 0, largest = 0, second = 0, edge = 0;
  for (int i = 0; i < all; ++i) {
    if (!mask.body[at(i)]) continue;
    const int x = i % mask.width, y = i / mask.width;
    ++body, edge += x == 0 || y == 0 || x + 1 == mask.width || y + 1 == mask.height ? 1 : 0;
    if (seen[at(i)]) continue;
    int piece = 0;
    open.assign(1, i), seen[at(i)] = true;
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      ++piece;
      for_neighbors(from, mask.width, mask.height, [&](int next) {
        if (seen[at(next)] || !mask.body[at(next)]) return;
        seen[at(next)] = true, open.push_back(next);
      });
    }
    second = std::max(second, std::min(piece, largest)), largest = std::max(largest, piece);
  }
  const double of_body = 1.0 / std::max(body, 1), around = std::max(1, 2 * (mask.width + mask.height) - 4);
  return {static_cast<double>(body) / std::max(all, 1), largest * of_body, second * of_body, edge / around};
}

PictureWindow closer_window(std::span<const Mask> masks, const PictureWindow& whole) {
  const auto [left, top, right, bottom] = Around(masks);
  const int longest = std::max(right - left, bottom - top) + 1;
  if (right < 0 || longest >= kSmall * whole.side) return whole;
  const int side = std::max(1, static_cast<int>(std::lround(longest / kFilled)));
  return {(left + right + 1 - side) / 2, (top + bottom + 1 - side) / 2, side};
}

Bitmap cut_square(const Bitmap& picture, const PictureWindow& window, const Mask* mask, int size) {
  const int channels = picture.channels;
  Bitmap square(window.side, window.side, 3);
  for (int y = std::max(0, window.top); y < std::min(picture.height, window.top + window.side); ++y) {
    for (int x = std::max(0, window.left); x < std::min(picture.width, window.left + window.side); ++x) {
      if (mask != nullptr && !mask->at(x, y)) continue;
      const std::uint8_t* from = picture.at(x, y);
      const int alpha = alpha_of(picture, x, y);
      for (int k = 0; k < 3; ++k)
        square.at(x - window.left, y - window.top)[k] =
            static_cast<std::uint8_t>(from[channels >= 3 ? k : 0] * alpha / 255);
    }
  }
  return asset::scaled_to_fill(square, size, size);
}

}  // namespace limber::parts
