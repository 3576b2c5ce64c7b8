// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/subject_mask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "limber/base/expect.h"
#include "limber/base/math.h"
#include "limber/base/threads.h"

namespace limber::asset {
namespace {

constexpr int kBins = 16;  // per channel

/// One picture of a video.
struct Picture {
  const float* red;
  const float* green;
  const float* blue;
};

Picture picture(const Frames& video, int frame) {
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  const float* at = video.values.data() + 3 * plane * static_cast<std::size_t>(frame);
  return {at, at + plane, at + 2 * plane};
}

float bin_place(float value) { return std::clamp(value, 0.0f, 1.0f) * kBins - 0.5f; }

/// How common colours are: counts in boxes, shared between neighbouring ones so that nothing hangs on where the walls
/// are.
class ColorCounts {
 public:
  ColorCounts() : counts_(static_cast<std::size_t>(kBins) * kBins * kBins) {}

  void add(float r, float g, float b, double weight) {
    total_ += weight;
    for_corners(r, g, b, [&](std::size_t bin, double share) { counts_[bin] += weight * share; });
  }
  /// Spreads counts over the boxes beside theirs: noise and compression.
  void spread() {
    for (int axis = 0; axis < 3; ++axis) {
      const int stride = axis == 0 ? 1 : (axis == 1 ? kBins : kBins * kBins);
      std::vector<double> next(counts_.size());
      for (int i = 0; i < static_cast<int>(counts_.size()); ++i) {
        const int place = i / stride % kBins;
        const auto at = [&](int k) { return counts_[static_cast<std::size_t>(k)]; };
        next[static_cast<std::size_t>(i)] =
            0.6 * at(i) + 0.2 * at(place > 0 ? i - stride : i) + 0.2 * at(place + 1 < kBins ? i + stride : i);
      }
      counts_ = std::move(next);
    }
  }
  double share(float r, float g, float b) const {
    double sum = 0;
    for_corners(r, g, b, [&](std::size_t bin, double part) { sum += counts_[bin] * part; });
    return total_ > 0 ? sum / total_ : 0;
  }

 private:
  template <class Visit>
  static void for_corners(float r, float g, float b, const Visit& visit) {
    const std::array<float, 3> place{bin_place(r), bin_place(g), bin_place(b)};
    std::array<int, 3> low{};
    std::array<float, 3> part{};
    for (std::size_t k = 0; k < 3; ++k) {
      const float f = std::floor(place[k]);
      low[k] = static_cast<int>(f), part[k] = place[k] - f;
    }
    for (int corner = 0; corner < 8; ++corner) {
      double share = 1;
      std::size_t bin = 0;
      for (int k = 2; k >= 0; --k) {
        const bool up = (corner >> k & 1) != 0;
        const auto i = static_cast<std::size_t>(k);
        share *= static_cast<double>(up ? part[i] : 1 - part[i]);
        bin = bin * kBins + static_cast<std::size_t>(std::clamp(low[i] + (up ? 1 : 0), 0, kBins - 1));
      }
      if (share > 0) visit(bin, share);
    }
  }

  std::vector<double> counts_;
  double total_ = 0;
};

bool on_border(const Frames& video, int x, int y, int border) {
  return x < border || y < border || x >= video.width - border || y >= video.height - border;
}

int border_pixels(const Frames& video, const SegmentSettings& settings) {
  return std::max(
      1, static_cast<int>(std::lround(settings.border * static_cast<float>(std::min(video.width, video.height)))));
}

/// Colours along the border of all frames, with darker shades of them where wanted.
ColorCounts border_colors(const Frames& video, const SegmentSettings& settings, bool shadows) {
  ColorCounts counts;
  const int border = border_pixels(video, settings);
  const int step = std::max(1, video.frames / 16);
  for (int t = 0; t < video.frames; t += step) {
    const Picture p = picture(video, t);
    for (int y = 0; y < video.height; ++y) {
      for (int x = 0; x < video.width; ++x) {
        if (!on_border(video, x, y, border)) continue;
        const std::size_t i =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(video.width) + static_cast<std::size_t>(x);
        counts.add(p.red[i], p.green[i], p.blue[i], 1);
        if (!shadows) continue;
        for (const float shade : {0.95f, 0.9f, 0.85f, 0.8f, 0.75f, 0.7f, 0.65f, 0.6f, 0.55f, 0.5f}) {
          counts.add(shade * p.red[i], shade * p.green[i], shade * p.blue[i], 0.3);
        }
      }
    }
  }
  counts.spread();
  return counts;
}

/// A colour that makes up less of the border than this is not background.
constexpr double kRareColor = 4e-4;

void mask_by_color(const Frames& video, const ColorCounts& background, Segmentation& result) {
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  parallel_for(static_cast<std::size_t>(video.frames), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      const Picture p = picture(video, static_cast<int>(t));
      for (std::size_t i = 0; i < plane; ++i) {
        result.masks[t * plane + i] = background.share(p.red[i], p.green[i], p.blue[i]) < kRareColor ? 1.0f : 0.0f;
      }
    }
  });
}

/// Colours of the border on both sides of some rows, of all frames: each of those that are nearly the same once.
std::vector<Vec3> side_colors(const Frames& video, int border, int first, int last) {
  std::map<std::array<int, 3>, Vec3> colors;
  const int step = std::max(1, video.frames / 16);
  for (int t = 0; t < video.frames; t += step) {
    const Picture p = picture(video, t);
    for (int y = std::max(0, first); y < std::min(video.height, last); ++y) {
      for (int k = 0; k < 2 * border; ++k) {
        const int x = k < border ? k : video.width - 1 - (k - border);
        const auto i = static_cast<std::size_t>(y * video.width + x);
        const auto coarse = [](float value) { return static_cast<int>(64 * value); };
        colors.try_emplace({coarse(p.red[i]), coarse(p.green[i]), coarse(p.blue[i])},
                           Vec3{p.red[i], p.green[i], p.blue[i]});
      }
    }
  }
  std::vector<Vec3> list;
  for (const auto& [key, color] : colors) list.push_back(color);
  return list;
}

void mask_by_rows(const Frames& video, const SegmentSettings& settings, Segmentation& result) {
  constexpr int kBands = 24;  // each with the two beside it
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  const int border = border_pixels(video, settings);
  const auto row = [&](int band) { return band * video.height / kBands; };
  parallel_for(kBands, 1, [&](std::size_t begin, std::size_t end) {
    for (auto band = static_cast<int>(begin); band < static_cast<int>(end); ++band) {
      if (row(band) == row(band + 1)) continue;
      const std::vector<Vec3> sides = side_colors(video, border, row(band - 1), row(band + 2));
      for (int t = 0; t < video.frames; ++t) {
        const Picture p = picture(video, t);
        float* mask = result.masks.data() + plane * static_cast<std::size_t>(t);
        for (int y = row(band); y < row(band + 1); ++y) {
          for (int x = 0; x < video.width; ++x) {
            const auto i = static_cast<std::size_t>(y * video.width + x);
            const bool known = std::any_of(sides.begin(), sides.end(), [&](const Vec3& side) {
              return std::abs(side.x - p.red[i]) < settings.min_difference &&
                     std::abs(side.y - p.green[i]) < settings.min_difference &&
                     std::abs(side.z - p.blue[i]) < settings.min_difference;
            });
            mask[i] = known ? 0.0f : 1.0f;
          }
        }
      }
    }
  });
}

/// Per pixel and channel, what it shows most of the time: the median.
std::vector<float> still_picture(const Frames& video) {
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  std::vector<float> still(3 * plane);
  const int step = std::max(1, video.frames / 48);
  parallel_for(3 * plane, 4096, [&](std::size_t first, std::size_t last) {
    std::vector<float> values;
    for (std::size_t i = first; i < last; ++i) {
      values.clear();
      for (int t = 0; t < video.frames; t += step)
        values.push_back(video.values[3 * plane * static_cast<std::size_t>(t) + i]);
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      still[i] = *middle;
    }
  });
  return still;
}

void mask_by_change(const Frames& video, float min_difference, Segmentation& result) {
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  const std::vector<float> still = still_picture(video);
  parallel_for(static_cast<std::size_t>(video.frames), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      const float* at = video.values.data() + 3 * plane * t;
      // Changes of light change everything alike: the median of all differences is taken off.
      std::array<float, 3> drift{};
      for (std::size_t c = 0; c < 3; ++c) {
        std::vector<float> differences;
        for (std::size_t i = 0; i < plane; i += 7) differences.push_back(at[c * plane + i] - still[c * plane + i]);
        const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
        std::nth_element(differences.begin(), middle, differences.end());
        drift[c] = *middle;
      }
      for (std::size_t i = 0; i < plane; ++i) {
        float most = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          most = std::max(most, std::abs(at[c * plane + i] - still[c * plane + i] - drift[c]));
        }
        result.masks[t * plane + i] = most > min_difference ? 1.0f : 0.0f;
      }
    }
  });
}

/// Majority of 3 x 3: drops specks, closes pinholes.
void smooth_mask(std::span<float> mask, int width, int height) {
  std::vector<float> next(mask.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int count = 0, all = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height) continue;
          ++all, count += mask[static_cast<std::size_t>((y + dy) * width + x + dx)] > 0.5f;
        }
      }
      next[static_cast<std::size_t>(y * width + x)] = 2 * count > all ? 1.0f : 0.0f;
    }
  }
  std::copy(next.begin(), next.end(), mask.begin());
}

/// How much masks look like one subject: of a likely size, in one piece, off the border, much the same size in all
/// frames.
double trust_in(const Frames& video, const SegmentSettings& settings, const std::vector<double>& pieces,
                Segmentation& result) {
  double fit = 0, sum = 0, squares = 0, cut = 0;
  const auto frames = static_cast<double>(video.frames);
  for (std::size_t t = 0; t < result.areas.size(); ++t) {
    const bool likely = result.areas[t] > settings.min_area && result.areas[t] < settings.max_area;
    fit += likely ? pieces[t] / frames : 0;
    sum += result.areas[t], squares += result.areas[t] * result.areas[t];
    cut += result.cut[t] ? 1 / frames : 0;
  }
  const double mean = sum / frames;
  const double spread = mean > 0 ? std::sqrt(std::max(0.0, squares / frames - mean * mean)) / mean : 1;
  return fit * (1 - 0.5 * cut) * std::max(0.0, 1 - spread);
}

Segmentation segment_by(const Frames& video, const SegmentSettings& settings, SegmentMethod method) {
  const std::size_t plane = static_cast<std::size_t>(video.width) * static_cast<std::size_t>(video.height);
  Segmentation result;
  result.method = method;
  result.masks.resize(plane * static_cast<std::size_t>(video.frames));
  if (method == SegmentMethod::kStill) {
    mask_by_change(video, settings.min_difference, result);
  } else if (method == SegmentMethod::kRows) {
    mask_by_rows(video, settings, result);
  } else {
    mask_by_color(video, border_colors(video, settings, method == SegmentMethod::kBorderShadow), result);
  }
  const auto frames = static_cast<std::size_t>(video.frames);
  std::vector<double> pieces(frames);
  std::vector<char> cut(frames);
  result.areas.resize(frames);
  parallel_for(frames, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      const std::span<float> mask = std::span(result.masks).subspan(t * plane, plane);
      smooth_mask(mask, video.width, video.height);
      pieces[t] = keep_large_pieces(mask, video.width, video.height, settings.component_share);
      double area = 0, rim = 0;
      for (int y = 0; y < video.height; ++y) {
        for (int x = 0; x < video.width; ++x) {
          const float m = mask[static_cast<std::size_t>(y * video.width + x)];
          area += static_cast<double>(m);
          if (on_border(video, x, y, 1)) rim += static_cast<double>(m);
        }
      }
      result.areas[t] = area / static_cast<double>(plane);
      cut[t] = rim > 0.01 * static_cast<double>(video.width + video.height);
    }
  });
  result.cut.assign(cut.begin(), cut.end());
  result.trust = trust_in(video, settings, pieces, result);
  return result;
}

}  // namespace

std::string_view name(SegmentMethod method) {
  switch (method) {
    case SegmentMethod::kBorder:
      return "border";
    case SegmentMethod::kBorderShadow:
      return "border and shadows";
    case SegmentMethod::kRows:
      return "rows";
    case SegmentMethod::kStill:
      return "still background";
  }
  return "?";
}

double keep_large_pieces(std::span<float> mask, int width, int height, double share) {
  std::vector<int> label(mask.size(), -1);
  std::vector<std::size_t> sizes, stack;
  std::size_t all = 0;
  for (std::size_t start = 0; start < mask.size(); ++start) {
    if (mask[start] < 0.5f || label[start] >= 0) continue;
    const int piece = static_cast<int>(sizes.size());
    sizes.push_back(0);
    stack.assign(1, start);
    label[start] = piece;
    while (!stack.empty()) {
      const auto at = static_cast<int>(stack.back());
      stack.pop_back();
      ++sizes.back(), ++all;
      const int x = at % width, y = at / width;
      const auto visit = [&](int nx, int ny) {
        if (nx < 0 || ny < 0 || nx >= width || ny >= height) return;
        const auto next = static_cast<std::size_t>(ny * width + nx);
        if (mask[next] < 0.5f || label[next] >= 0) return;
        label[next] = piece;
        stack.push_back(next);
      };
      visit(x - 1, y), visit(x + 1, y), visit(x, y - 1), visit(x, y + 1);
    }
  }
  if (sizes.empty()) return 0;
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const bool keep = label[i] >= 0 && static_cast<double>(sizes[static_cast<std::size_t>(label[i])]) >=
                                           share * static_cast<double>(largest);
    mask[i] = keep ? 1.0f : 0.0f;
  }
  return static_cast<double>(largest) / static_cast<double>(all);
}

std::vector<Segmentation> segment(const Frames& video, const SegmentSettings& settings) {
  LIMBER_EXPECT(video.views == 1 && video.values.size() == video.size(), std::to_string(video.views) + " views");
  std::vector<Segmentation> result;
  if (video.frames == 0 || video.width < 4 || video.height < 4) return result;
  for (const SegmentMethod method :
       {SegmentMethod::kBorder, SegmentMethod::kBorderShadow, SegmentMethod::kRows, SegmentMethod::kStill}) {
    if (method == SegmentMethod::kRows && !settings.by_rows) continue;
    result.push_back(segment_by(video, settings, method));
  }
  std::stable_sort(result.begin(), result.end(), [](const Segmentation& a, const Segmentation& b) {
    // Shadows are only looked for where that makes a difference.
    const auto liking = [](const Segmentation& s) { return s.trust + (s.method == SegmentMethod::kBorder ? 0.03 : 0); };
    return liking(a) > liking(b);
  });
  return result;
}

}  // namespace limber::asset
