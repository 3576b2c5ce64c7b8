// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/picture_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/parts/color_clusters.h"
#include "limber/parts/joined_regions.h"
#include "limber/parts/picture_subject.h"

namespace limber::parts {
namespace {

/// Parts are brighter than this, the mean of their channels, and what is no body is black.
constexpr float kBody = 0.2f;
constexpr int kGaps = 48;            // what is nearer than this share of a picture hangs together
constexpr double kNothing = 0.0005;  // of a picture
constexpr double kUnseen = 0.003;    // of one in which the background is not known

/// The given pictures as the network sees them.
struct Shown {
  std::span<const Bitmap> moments;
  std::vector<Mask> masks;  ///< of what is known, or likely, to be the subject, one per moment; or none
  PictureWindow window;
  bool empty = false;  ///< nothing has colours that the edge does not have

  Shown(std::span<const Bitmap> given, double least_trust) : moments(given) {
    window = whole_window(given.front().width, given.front().height);
    for (const Bitmap& moment : given) {
      std::optional<Mask> mask = known_subject(moment);
      if (!mask) break;
      masks.push_back(std::move(*mask));
    }
    if (masks.size() == given.size()) return;
    masks.clear();
    LikelySubject likely = likely_subject(given);
    empty = likely.area < kUnseen;
    if (likely.trust >= least_trust) masks = std::move(likely.masks);
  }
  Bitmap square(std::size_t moment, int size) const {
    const std::size_t i = std::min(moment, moments.size() - 1);
    return cut_square(moments[i], window, masks.empty() ? nullptr : &masks[i], size);
  }
};

/// What is known of a group: its frames from the first side, or one picture alone.
KnownPictures known_moments(const PartsModel& model, const Shown& shown, std::size_t first) {
  KnownPictures known(model);
  const std::size_t each = 3 * at(model.pixels()), count = shown.moments.size() > 1 ? at(model.frames) : 1;
  for (std::size_t f = 0; f < count; ++f) {
    const Bitmap square = shown.square(first + f, model.size);
    std::transform(square.pixels.begin(), square.pixels.end(),
                   known.colors.begin() + static_cast<std::ptrdiff_t>(f * each),
                   [](std::uint8_t b) { return static_cast<float>(b) / 127.5f - 1; });
    known.has_colors[f] = true;
  }
  return known;
}

/// The largest step of a channel between neighbours, within two pixels of each pixel.
std::vector<float> edges_near(const Bitmap& picture) {
  const int size = picture.width;
  const auto widest = [size](const std::vector<float>& from) {
    constexpr int kReach = 2;
    std::vector<float> across(from.size()), both(from.size());
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        const auto row = from.begin() + y * size;
        across[at(y * size + x)] =
            *std::max_element(row + std::max(0, x - kReach), row + std::min(size, x + kReach + 1));
      }
    }
    for (int i = 0; i < size * size; ++i) {
      for (int y = std::max(0, i / size - kReach); y <= std::min(size - 1, i / size + kReach); ++y) {
        both[at(i)] = std::max(both[at(i)], across[at(y * size + i % size)]);
      }
    }
    return both;
  };
  std::vector<float> steps(at(size) * at(size));
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      for (int k = 0; k < 3; ++k) {
        const int here = picture.at(x, y)[k];
        const int right = std::abs(here - picture.at(std::min(x + 1, size - 1), y)[k]);
        const int below = std::abs(here - picture.at(x, std::min(y + 1, size - 1))[k]);
        steps[at(y * size + x)] = std::max(steps[at(y * size + x)], static_cast<float>(std::max(right, below)) / 255);
      }
    }
  }
  return widest(steps);
}

/// How much sharper the picture's edges are along the outline of what was found than all over it: about 1 where a body
/// was made up.
double outline_sharpness(const Bitmap& picture, std::span<const int> labels) {
  constexpr double kFaint = 0.02;  // steps that no eye sees
  const int size = picture.width;
  const std::vector<float> edges = edges_near(picture);
  double outline = 0, all = 0;
  int count = 0;
  for (int i = 0; i < size * size; ++i) {
    all += double{edges[at(i)]};
    const bool right = i % size + 1 < size && (labels[at(i)] < 0) != (labels[at(i + 1)] < 0);
    const bool below = i + size < size * size && (labels[at(i)] < 0) != (labels[at(i + size)] < 0);
    if (right || below) outline += double{edges[at(i)]}, ++count;
  }
  return count == 0 ? 0 : (outline / count) / (all / (size * size) + kFaint);
}

/// What was painted of a given picture.
Mask mask_of(const PictureParts& parts, int moment) {
  Mask mask{parts.size, parts.size, {}};
  for (const int label : parts.given(moment)) mask.body.push_back(label >= 0);
  return mask;
}

Status refuse_pieces(const Extent& extent, const PicturePartsSettings& settings) {
  if (extent.largest < settings.least_whole || extent.second > settings.most_second)
    return Error{"shows several things, or none that hangs together", ""};
  return Done{};
}

/// Before a background that is known, several things can be told without a network.
Status refuse_several(const Mask& mask, const PicturePartsSettings& settings) {
  const Extent extent = extent_of(mask, std::max(1, std::max(mask.width, mask.height) / kGaps));
  if (extent.body < kNothing) return Error{"shows nothing but its background", ""};
  return refuse_pieces(extent, settings);
}

Status refuse_no_body(const PictureParts& parts, const Bitmap& picture, const PicturePartsSettings& settings) {
  const Extent extent = extent_of(mask_of(parts, 0));
  if (extent.body < settings.least_body) return Error{"shows no body that could have parts", ""};
  if (extent.body > settings.most_body) return Error{"shows no body before a background", ""};
  if (extent.edge > settings.most_edge) return Error{"shows a place rather than a body in it", ""};
  LIMBER_CHECK_OK(refuse_pieces(extent, settings));
  if (outline_sharpness(picture, parts.given(0)) < settings.least_outline) {
    return Error{"shows nothing that stands out from its background", ""};
  }
  return Done{};
}

Vec3 painted_color(const DrawnPictures& drawn, std::size_t pixel) {
  const float* said = drawn.parts.data() + 3 * pixel;
  return 0.5f * (Vec3{said[0], said[1], said[2]} + Vec3{1, 1, 1});
}

/// Which pixels were painted, 0 for those and -1 for the others.
void add_labels(const DrawnPictures& drawn, std::vector<int>& labels) {
  for (std::size_t i = 0; i < drawn.parts.size() / 3; ++i) {
    const Vec3 color = painted_color(drawn, i);
    labels.push_back((color.x + color.y + color.z) / 3 > kBody ? 0 : -1);
  }
}

/// The painted pixels of the given pictures as pieces.
class GivenPixels {
 public:
  explicit GivenPixels(const PictureParts& parts) : parts_(parts), number_(parts.labels.size(), kNone) {
    for (int moment = 0; moment < parts.moments; ++moment) {
      for (std::size_t i = 0; i < each(); ++i) {
        const std::size_t place = first(moment) + i;
        if (parts.labels[place] >= 0) number_[place] = places_.size(), places_.push_back(place);
      }
    }
  }
  const std::vector<std::size_t>& places() const { return places_; }

  RegionPieces pieces() const {
    RegionPieces pieces;
    pieces.shares.assign(places_.size(), 1 / static_cast<double>(places_.size()));
    pieces.neighbors.resize(places_.size());
    const std::size_t drawn = parts_.labels.size() / at(parts_.groups);
    for (const std::size_t place : places_)
      pieces.colors.push_back(painted_color(parts_.drawn[place / drawn], place % drawn).cast<double>());
    pieces.due = pieces.colors;  // how near a place is nobody sees
    for (int moment = 0; moment < parts_.moments; ++moment) join_neighbors(moment, pieces);
    set_loose(pieces);
    return pieces;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t each() const { return at(parts_.size) * at(parts_.size); }
  std::size_t first(int moment) const {
    return static_cast<std::size_t>(parts_.given(moment).data() - parts_.labels.data());
  }

  void join_neighbors(int moment, RegionPieces& pieces) const {
    const auto touch = [&](std::size_t a, std::size_t b) {
      if (a == kNone || b == kNone) return;
      pieces.neighbors[a].push_back(b), pieces.neighbors[b].push_back(a);
    };
    const std::size_t size = at(parts_.size);
    for (std::size_t i = 0; i < each(); ++i) {
      const std::size_t here = number_[first(moment) + i];
      if (i % size + 1 < size) touch(here, number_[first(moment) + i + 1]);
      if (i + size < each()) touch(here, number_[first(moment) + i + size]);
      if (moment + 1 < parts_.moments) touch(here, number_[first(moment + 1) + i]);
    }
  }

  static void set_loose(RegionPieces& pieces) {
    pieces.loose.assign(pieces.colors.size(), -1);
    int count = 0;
    for (std::size_t i = 0; i < pieces.loose.size(); ++i) {
      if (pieces.loose[i] >= 0) continue;
      std::vector<std::size_t> open{i};
      pieces.loose[i] = count;
      while (!open.empty()) {
        const std::size_t piece = open.back();
        open.pop_back();
        for (const std::size_t n : pieces.neighbors[piece]) {
          if (pieces.loose[n] < 0) pieces.loose[n] = count, open.push_back(n);
        }
      }
      ++count;
    }
  }

  const PictureParts& parts_;
  std::vector<std::size_t> number_, places_;  ///< piece of a pixel of `labels`, and the other way round
};

/// Around what was painted in the given pictures of the first group.
PictureWindow closer_to_painted(const PictureParts& parts, const Shown& shown) {
  const double scale = static_cast<double>(shown.window.side) / parts.size;
  std::vector<Mask> masks;
  for (std::size_t i = 0; i < std::min(shown.moments.size(), at(parts.frames)); ++i)
    masks.push_back(mask_of(parts, static_cast<int>(i)));
  const PictureWindow all{0, 0, parts.size}, closer = closer_window(masks, all);
  if (closer == all) return shown.window;
  const auto scaled = [&](int v) { return static_cast<int>(std::lround(scale * v)); };
  return {shown.window.left + scaled(closer.left), shown.window.top + scaled(closer.top),
          std::max(1, scaled(closer.side))};
}

}  // namespace

PictureWindow whole_window(int width, int height) {
  const int side = std::max({width, height, 1});
  return {(width - side) / 2, (height - side) / 2, side};
}

std::span<const int> PictureParts::given(int moment) const {
  LIMBER_EXPECT(moment >= 0 && moment < groups * frames, std::to_string(moment));
  const std::size_t each = at(size) * at(size);
  const std::size_t picture = at(moment / frames) * at(views * frames) + at(moment % frames);
  return std::span(labels).subspan(picture * each, each);
}

void label_pictures(PictureParts& parts, const RegionSettings& settings) {
  parts.labels.clear(), parts.clusters.clear();
  for (const DrawnPictures& drawn : parts.drawn) add_labels(drawn, parts.labels);
  const GivenPixels given(parts);
  const JoinedRegions joined = join_regions(given.pieces(), settings);
  for (const Vec3d& color : joined.colors) parts.clusters.push_back(color.cast<float>());
  std::vector<int> of_given(parts.labels.size(), -1);
  for (std::size_t i = 0; i < given.places().size(); ++i) of_given[given.places()[i]] = joined.parts[i];
  const std::size_t each = parts.labels.size() / at(parts.groups);
  for (std::size_t i = 0; i < parts.labels.size(); ++i) {
    if (parts.labels[i] < 0) continue;
    parts.labels[i] = of_given[i];
    if (of_given[i] < 0 && !parts.clusters.empty())
      parts.labels[i] = nearest_center(parts.clusters, painted_color(parts.drawn[i / each], i % each));
  }
}

Result<PictureParts> find_picture_parts(const PartsDenoiser& denoiser, std::span<const Bitmap> moments,
                                        const PicturePartsSettings& settings) {
  LIMBER_EXPECT(!moments.empty(), "no picture");
  for (const Bitmap& moment : moments)
    LIMBER_EXPECT(moment.width == moments[0].width && moment.height == moments[0].height, "pictures of several sizes");
  const PartsModel& model = denoiser.model();
  Shown shown(moments, settings.least_trust);
  if (shown.empty) return Error{"shows nothing that stands out from what is at its edge", ""};
  if (!shown.masks.empty()) {
    LIMBER_CHECK_OK(refuse_several(shown.masks.front(), settings));
    if (settings.closer) shown.window = closer_window(shown.masks, shown.window);
  }
  const std::size_t frames = at(model.frames), groups = (moments.size() + frames - 1) / frames;
  const auto draw = [&](std::size_t g) {
    PartsSampleSettings sampling;
    sampling.steps = settings.steps, sampling.seed = settings.seed;  // one for all, so that groups are alike
    sampling.progress = [&settings, g, groups](std::string_view stage, double done) {
      return !settings.progress ||
             settings.progress(stage, (static_cast<double>(g) + done) / static_cast<double>(groups));
    };
    return settings.draw(denoiser, known_moments(model, shown, g * frames), sampling);
  };

  PictureParts parts;
  parts.views = model.views, parts.frames = model.frames, parts.size = model.size, parts.groups = 1;
  LIMBER_TRY(DrawnPictures first, draw(0));
  add_labels(first, parts.labels);
  // Of a longer video only the first moments are painted yet: the body may walk out of what is around them.
  if (settings.closer && shown.masks.empty() && groups == 1) {
    const PictureWindow closer = closer_to_painted(parts, shown);
    if (closer != shown.window) {
      shown.window = closer;
      LIMBER_TRY(first, draw(0));
      parts.labels.clear();
      add_labels(first, parts.labels);
    }
  }
  LIMBER_CHECK_OK(refuse_no_body(parts, shown.square(0, model.size), settings));
  parts.window = shown.window, parts.groups = static_cast<int>(groups);
  parts.moments = static_cast<int>(moments.size());
  parts.drawn.push_back(std::move(first));
  for (std::size_t g = 1; g < groups; ++g) {
    LIMBER_TRY(DrawnPictures drawn, draw(g));
    parts.drawn.push_back(std::move(drawn));
  }
  label_pictures(parts, settings.regions);
  return parts;
}

}  // namespace limber::parts
