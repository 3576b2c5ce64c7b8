// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/parts/parts_lesson.h"

#include <algorithm>
#include <array>

namespace limber::parts {
namespace {

/// How often each use comes of what does not orbit. Meshes do; one in a few poses is another matter.
constexpr std::array<double, kUseCount> kShares{0.1, 0.15, 0.27, 0.4, 0.08};
/// The first stage has nothing to learn where all colours are known.
constexpr std::array<double, kUseCount> kRgbShares{0, 0, 0.35, 0.45, 0.2};
constexpr double kBackgrounds = 0.5, kShaped = 0.3;
constexpr double kEmpty = 0.08;  // of videos and pictures: they show no body, and none is to be drawn
constexpr double kTemperature = 0.1;
/// Of a patch that a part must take to lend it its features, and of all patches together.
constexpr double kLeastOfPatch = 0.3, kLeastOfPicture = 0.5;

/// Bytes as the network takes them.
Tensor unit(const Tensor& bytes) {
  return at::add(at::full({}, -1, bytes.options().dtype(at::kFloat)), bytes, 1 / 127.5);
}

/// Waves of chance, coarse and fine, of `channels`: [n, channels, S, S].
Tensor draw_waves(std::int64_t count, std::int64_t channels, std::int64_t size, const at::TensorOptions& options) {
  const std::vector<std::int64_t> whole{size, size};
  Tensor sum = at::zeros({count, channels, size, size}, options);
  for (const std::int64_t cells : {std::int64_t{2}, std::int64_t{5}, std::int64_t{16}, size / 2, size}) {
    const Tensor strength = at::rand({count, 1, 1, 1}, options).square() * 0.7;
    const Tensor coarse = at::randn({count, channels, cells, cells}, options) * strength;
    sum = sum + at::upsample_bilinear2d(coarse, whole, /*align_corners=*/false);
  }
  return sum;
}

/// Something like a place out of focus, or shapes of two colours as text and walls have, behind each first view:
/// [n, 1, S, S, 3].
Tensor draw_backgrounds(std::int64_t count, std::int64_t size, const at::TensorOptions& options) {
  const auto color = [&] { return at::rand({count, 3, 1, 1}, options).mul_(2).sub_(1); };
  const Tensor one = color(), other = color(), waves = draw_waves(count, 3, size, options);
  const Tensor field = draw_waves(count, 1, size, options), level = 0.3 * at::randn({count, 1, 1, 1}, options);
  const Tensor shaped = at::rand({count, 1, 1, 1}, options) < kShaped;
  const Tensor all = at::where(shaped, at::where(field > level, one, other), one + waves);
  return all.clamp(-1, 1).permute({0, 2, 3, 1}).unsqueeze(1);
}

/// What is seen where some videos and pictures have a background, and in some of them it is all that there is.
Tensor put_backgrounds(const Tensor& uses, PartsLesson& lesson) {
  const std::int64_t n = uses.size(0), size = lesson.colors.size(2);
  const auto options = lesson.colors.options();
  const Tensor chance = at::rand({n}, options), open = uses >= kVideo;
  const Tensor empty = open.logical_and(chance < kEmpty).view({n, 1, 1, 1, 1});
  const Tensor apart = open.logical_and(chance < kEmpty + kBackgrounds).view({n, 1, 1, 1, 1});
  lesson.body = lesson.body.logical_and(empty.logical_not());
  lesson.labels = lesson.labels.masked_fill(empty.squeeze(-1), 0);
  lesson.colors = lesson.colors.masked_fill(empty, -1), lesson.parts = lesson.parts.masked_fill(empty, -1);
  return at::where(lesson.body.logical_or(apart.logical_not()), lesson.colors, draw_backgrounds(n, size, options));
}

/// Shares of parts in the patches of a picture, [n, tokens, kMostParts]: small ones are left out.
Tensor part_shares(const PartsModel& model, const Tensor& labels) {
  const std::int64_t n = labels.size(0), side = model.side(), p = model.patch;
  const Tensor index = labels.view({n, side, p, side, p}).permute({0, 1, 3, 2, 4}).reshape({n, side * side, p * p});
  const auto options = labels.options().dtype(at::kFloat);
  const Tensor one = at::full({1, 1, 1}, 1.0 / static_cast<double>(p * p), options).expand(index.sizes());
  const Tensor shares = at::zeros({n, side * side, kMostParts + 1}, options).scatter_add(2, index.to(at::kLong), one);
  const Tensor parts = shares.narrow(2, 1, kMostParts);
  return parts * (parts > kLeastOfPatch);
}

void copy_bytes(const Tensor& row, const std::vector<std::uint8_t>& from) {
  std::copy(from.begin(), from.end(), row.data_ptr<std::uint8_t>());
}

}  // namespace

PartsExamples PartsExamples::empty(const PartsModel& model, std::int64_t count) {
  const std::int64_t pictures = model.pictures(), size = model.size;
  const auto layer = [&] { return at::empty({count, pictures, size, size, 3}, at::kByte); };
  return {layer(),
          layer(),
          layer(),
          at::empty({count, pictures, size, size}, at::kByte),
          at::zeros({count, 1 + kMostParts, 3}, at::kByte),
          at::zeros({count}, at::kByte),
          at::zeros({count, model.frames}, at::kFloat),
          at::zeros({count}, at::kBool)};
}

Status PartsExamples::put(std::int64_t at, const PartsExample& example) {
  const SurfacePictures& p = example.pictures;
  const auto pixels = static_cast<std::size_t>(labels[at].numel());
  if (p.colors.size() != 3 * pixels || p.places.size() != 3 * pixels || p.normals.size() != 3 * pixels ||
      p.labels.size() != pixels)
    return Error{"pictures of another size", std::to_string(at)};
  const std::size_t parts = example.colors.size();
  if (parts > static_cast<std::size_t>(kMostParts) || *std::max_element(p.labels.begin(), p.labels.end()) > parts)
    return Error{"too many parts, or too few colours for them", std::to_string(at)};
  copy_bytes(colors[at], p.colors), copy_bytes(places[at], p.places), copy_bytes(normals[at], p.normals);
  copy_bytes(labels[at], p.labels);
  std::uint8_t* color = palette[at].data_ptr<std::uint8_t>() + 3;
  for (const Vec3& c : example.colors) {
    const std::array<std::uint8_t, 3> bytes = color_bytes(c);
    color = std::copy(bytes.begin(), bytes.end(), color);
  }
  counts.data_ptr<std::uint8_t>()[at] = static_cast<std::uint8_t>(parts);
  if (p.elevations.size() != static_cast<std::size_t>(elevations.size(1)))
    return Error{"elevations of another number of frames", std::to_string(at)};
  std::copy(p.elevations.begin(), p.elevations.end(), elevations[at].data_ptr<float>());
  orbits.data_ptr<bool>()[at] = example.orbits;
  return Done{};
}

Tensor draw_uses(const Tensor& orbits, PartsStage stage) {
  const Tensor where = at::rand(orbits.sizes(), orbits.options().dtype(at::kFloat));
  Tensor uses = at::zeros_like(where, at::kLong);
  double passed = 0;
  for (const double share : stage == PartsStage::kRgb ? kRgbShares : kShares) {
    passed += share;
    uses += (where >= passed).to(at::kLong);
  }
  return uses.clamp_max(kUseCount - 1).masked_fill(orbits, kMesh);
}

PartsLesson make_parts_lesson(const PartsModel& model, const PartsExamples& examples, const Tensor& uses,
                              bool backgrounds) {
  const std::int64_t n = examples.colors.size(0), pictures = examples.colors.size(1);
  PartsLesson lesson;
  lesson.labels = examples.labels;
  lesson.body = (examples.labels > 0).unsqueeze(-1);
  lesson.colors = unit(examples.colors);
  const Tensor index = examples.labels.to(at::kLong).view({n, -1, 1}).expand({n, -1, 3});
  lesson.parts = unit(examples.palette).gather(1, index).view(lesson.colors.sizes());

  const Tensor number = at::arange(pictures, uses.options()).unsqueeze(0), use = uses.unsqueeze(1);
  const Tensor video = (use == kVideo).logical_and(number < model.frames);
  const Tensor given = (use <= kPlain).logical_or(video).logical_or((use == kPicture).logical_and(number == 0));
  const Tensor surface = (use == kMesh).expand({n, pictures});
  lesson.given = given.view({n, pictures, 1, 1, 1});
  const Tensor shown = surface.view({n, pictures, 1, 1, 1});

  lesson.known.colors = (backgrounds ? put_backgrounds(uses, lesson) : lesson.colors) * lesson.given;
  lesson.known.places = unit(examples.places) * shown;
  lesson.known.normals = unit(examples.normals) * shown;
  const Tensor elevation = (examples.elevations * kElevationScale).repeat({1, model.views}) * surface;
  lesson.known.bits = at::stack({given.to(at::kFloat), surface.to(at::kFloat), elevation}, -1);
  return lesson;
}

void hide_colors(PartsLesson& lesson) {
  lesson.given = at::zeros_like(lesson.given);
  lesson.known.colors = at::zeros_like(lesson.known.colors);
  lesson.known.bits = lesson.known.bits.clone();
  lesson.known.bits.select(-1, 0).zero_();
}

Tensor contrast_of(const PartsModel& model, const Tensor& features, const Tensor& labels, const Tensor& times,
                   std::int64_t first, std::int64_t second) {
  const std::int64_t n = features.size(0);
  const Tensor by_picture = features.view({n, model.pictures(), model.picture_tokens(), model.width});
  std::array<Tensor, 2> codes, present;
  for (const std::size_t i : {0u, 1u}) {
    const std::int64_t picture = i == 0 ? first : second;
    const Tensor shares = part_shares(model, labels.select(1, picture));
    const Tensor sums = shares.transpose(1, 2).bmm(by_picture.select(1, picture).to(at::kFloat));
    codes[i] = sums / sums.norm(2, -1, /*keepdim=*/true).clamp_min(1e-6);
    present[i] = shares.sum(1) > kLeastOfPicture;
  }
  const Tensor alike = codes[0].bmm(codes[1].transpose(1, 2)) / kTemperature;
  const Tensor among = alike.masked_fill(present[1].logical_not().unsqueeze(1), -1e4);
  const Tensor entropy = -at::log_softmax(among, -1).diagonal(0, 1, 2);
  // Over the number of parts, not the sum of the weights: that would give back what noise takes away.
  const Tensor both = present[0].logical_and(present[1]);
  return (entropy * both * (1 - times).unsqueeze(1)).sum() / both.sum().clamp_min(1);
}

Tensor draw_parts(const PartsNetwork& network, const PartsLesson& lesson, const Tensor& noise, int steps) {
  Tensor colors = noise[0], parts = noise[1];
  for (int i = 0; i < steps; ++i) {
    const double time = 1 - static_cast<double>(i) / steps, next = 1 - static_cast<double>(i + 1) / steps;
    const Tensor times = at::full({colors.size(0)}, time, colors.options());
    const PartsSaid said = network(lesson.known, at::where(lesson.given, lesson.known.colors, colors), parts, times);
    colors = said.colors + next / time * (colors - said.colors);
    parts = said.parts + next / time * (parts - said.parts);
  }
  return parts;
}

PixelCounts count_right(const PartsExamples& examples, const Tensor& parts) {
  const std::int64_t n = parts.size(0), pictures = parts.size(1);
  const Tensor palette = unit(examples.palette).narrow(1, 1, kMostParts);
  const Tensor number = at::arange(kMostParts, examples.counts.options().dtype(at::kLong)).unsqueeze(0);
  const Tensor missing = number >= examples.counts.to(at::kLong).unsqueeze(1);
  const Tensor known = palette.masked_fill(missing.unsqueeze(-1), 100);
  const Tensor truth = examples.labels.view({n, pictures, -1});
  std::vector<Tensor> right;
  for (std::int64_t i = 0; i < n; ++i) {  // one by one: a distance for every pixel and part
    const Tensor apart = at::cdist(parts[i].reshape({-1, 3}), known[i]);
    right.push_back((apart.argmin(-1).view({pictures, -1}) + 1 == truth[i]).logical_and(truth[i] > 0).sum(-1));
  }
  return {(truth > 0).sum(-1), at::stack(right)};
}

}  // namespace limber::parts
