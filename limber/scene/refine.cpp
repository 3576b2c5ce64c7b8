// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/splat/rasterize.h"
#include "limber/splat/shape.h"

namespace limber::scene {
namespace {

std::span<float> numbers(std::vector<Vec3>& v) { return {reinterpret_cast<float*>(v.data()), 3 * v.size()}; }
std::span<float> numbers(std::vector<Quat>& v) { return {reinterpret_cast<float*>(v.data()), 4 * v.size()}; }

/// Adam (Kingma and Ba 2015) for one array.
class Adam {
 public:
  void step(std::span<float> values, std::span<const float> gradient, double rate, int number) {
    mean_.resize(values.size()), square_.resize(values.size());
    constexpr double kMean = 0.9, kSquare = 0.99;
    // With the corrections for starting from zero folded in.
    const auto step = static_cast<float>(rate / (1 - std::pow(kMean, number)));
    const auto correction = static_cast<float>(1 / std::sqrt(1 - std::pow(kSquare, number)));
    const auto piece = [&](std::size_t begin, std::size_t end) {
      constexpr auto a = static_cast<float>(kMean), b = static_cast<float>(kSquare);
      for (std::size_t i = begin; i < end; ++i) {
        const float g = gradient[i];
        mean_[i] = a * mean_[i] + (1 - a) * g;
        square_[i] = b * square_[i] + (1 - b) * g * g;
        values[i] -= step * mean_[i] / (correction * std::sqrt(square_[i]) + 1e-12f);
      }
    };
    parallel_for(values.size(), 4096, std::ref(piece));
  }

 private:
  std::vector<float> mean_, square_;
};

/// Pictures of one size, in 8 bits: what they lose is far below what Gaussians get wrong.
class Album {
 public:
  Album(std::size_t views, std::size_t pixels) : pixels_(pixels), values_(views * pixels * 4) {}

  void store(std::size_t view, std::span<const Vec3> colors, std::span<const float> alphas) {
    std::uint8_t* to = values_.data() + view * pixels_ * 4;
    const auto round = [](float v) { return static_cast<std::uint8_t>(v > 0 ? std::min(v, 1.0f) * 255 + 0.5f : 0.0f); };
    for (std::size_t p = 0; p < pixels_; ++p, to += 4) {
      for (int k = 0; k < 3; ++k) to[k] = round(colors[p][k]);
      to[3] = round(alphas[p]);
    }
  }

  Vec4 at(std::size_t view, std::size_t pixel) const {
    const std::uint8_t* from = values_.data() + (view * pixels_ + pixel) * 4;
    return {static_cast<float>(from[0]) / 255, static_cast<float>(from[1]) / 255, static_cast<float>(from[2]) / 255,
            static_cast<float>(from[3]) / 255};
  }

 private:
  std::size_t pixels_;
  std::vector<std::uint8_t> values_;
};

float logit(float opacity) {
  const float o = std::clamp(opacity, 1e-3f, 0.995f);
  return std::log(o / (1 - o));
}

/// Typical distance between neighbours: that of the Gaussians' own widths.
double spacing(const splat::Gaussians& gaussians) {
  std::vector<float> widths;
  for (const Vec3& s : gaussians.scales) widths.push_back(std::max({s.x, s.y, s.z}));
  if (widths.empty()) return 1;
  std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2), widths.end());
  return 2 * double(widths[widths.size() / 2]);
}

/// Gaussians with more harmonics than before, the new ones zero; or fewer.
void set_degree(splat::Gaussians& gaussians, int degree) {
  const auto from = static_cast<std::size_t>(splat::harmonic_count(gaussians.degree)),
             to = static_cast<std::size_t>(splat::harmonic_count(degree));
  std::vector<Vec3> harmonics(gaussians.size() * to);
  for (std::size_t i = 0; i < gaussians.size(); ++i) {
    for (std::size_t k = 0; k < std::min(from, to); ++k) harmonics[i * to + k] = gaussians.harmonics[i * from + k];
  }
  gaussians.harmonics = std::move(harmonics);
  gaussians.degree = degree;
}

/// Pictures of Gaussians from a few views, with gradients on everything that they store.
class Easel {
 public:
  explicit Easel(splat::Gaussians& gaussians) : gaussians_(gaussians) {}

  void draw(std::span<const Camera> cameras, std::span<const Vec3> backgrounds) {
    cameras_ = cameras, backgrounds_ = backgrounds;
    const std::size_t count = gaussians_.size();
    covariances_.resize(count);
    splat::covariances_forward(gaussians_.rotations, gaussians_.scales, covariances_);
    colors_.resize(cameras.size() * count);
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      splat::colors_forward(gaussians_.degree, gaussians_.harmonics, gaussians_.means, splat::camera_center(cameras[i]),
                            std::span(colors_).subspan(i * count, count));
    }
    const auto pixels = static_cast<std::size_t>(cameras[0].width) * static_cast<std::size_t>(cameras[0].height);
    images.resize(cameras.size() * pixels), alphas.resize(images.size());
    splat::rasterize_forward(input(), {images, alphas}, workspace_);
  }

  /// From `grad_images` and `grad_alphas`; what was in the gradients is lost.
  void backward() {
    const std::size_t count = gaussians_.size();
    grad_means.assign(count, {}), grad_covariances_.assign(count, {}), grad_opacities.assign(count, 0.0f);
    grad_colors_.assign(colors_.size(), {});
    splat::rasterize_backward(input(), {images, alphas}, {grad_images, grad_alphas},
                              {grad_means, grad_covariances_, grad_opacities, grad_colors_, {}, {}}, workspace_);
    grad_rotations.assign(count, {0, 0, 0, 0}), grad_scales.assign(count, {});
    splat::covariances_backward(gaussians_.rotations, gaussians_.scales, grad_covariances_, grad_rotations,
                                grad_scales);
    grad_harmonics.assign(gaussians_.harmonics.size(), {});
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      splat::colors_backward(gaussians_.degree, gaussians_.harmonics, gaussians_.means,
                             splat::camera_center(cameras_[i]), std::span(grad_colors_).subspan(i * count, count),
                             grad_harmonics, gaussians_.degree > 0 ? std::span(grad_means) : std::span<Vec3>());
    }
  }

  std::vector<Vec3> images, grad_images;
  std::vector<float> alphas, grad_alphas;
  std::vector<Vec3> grad_means, grad_scales, grad_harmonics;
  std::vector<Quat> grad_rotations;
  std::vector<float> grad_opacities;

 private:
  splat::RasterInput input() const {
    splat::RasterInput in;
    in.means = gaussians_.means;
    in.covariances = covariances_;
    in.opacities = gaussians_.opacities;
    in.colors = colors_;
    in.background = backgrounds_;
    in.cameras = cameras_;
    return in;
  }

  splat::Gaussians& gaussians_;
  std::span<const Camera> cameras_;
  std::span<const Vec3> backgrounds_;
  std::vector<Symmetric> covariances_, grad_covariances_;
  std::vector<Vec3> colors_, grad_colors_;
  splat::RasterWorkspace workspace_;
};

/// The unknowns as descent sees them: scales by their logarithms, opacities by their logits.
class Descent {
 public:
  Descent(splat::Gaussians& gaussians, const RefineSettings& settings)
      : gaussians_(gaussians), settings_(settings), spacing_(spacing(gaussians)) {
    for (const Vec3& s : gaussians.scales) {
      log_scales_.push_back(
          {std::log(std::max(s.x, floor())), std::log(std::max(s.y, floor())), std::log(std::max(s.z, floor()))});
    }
    for (const float o : gaussians.opacities) logits_.push_back(logit(o));
    apply();
  }

  void step(Easel& easel, double fall, int number) {
    const auto terms = static_cast<std::size_t>(splat::harmonic_count(gaussians_.degree));
    for (std::size_t i = 0; i < gaussians_.size(); ++i) {
      easel.grad_scales[i] = scaled(easel.grad_scales[i], gaussians_.scales[i]);
      easel.grad_opacities[i] *= gaussians_.opacities[i] * (1 - gaussians_.opacities[i]);
    }
    means_.step(numbers(gaussians_.means), numbers(easel.grad_means), fall * settings_.mean_rate * spacing_, number);
    scales_.step(numbers(log_scales_), numbers(easel.grad_scales), fall * settings_.scale_rate, number);
    rotations_.step(numbers(gaussians_.rotations), numbers(easel.grad_rotations), fall * settings_.rotation_rate,
                    number);
    opacities_.step(logits_, easel.grad_opacities, fall * settings_.opacity_rate, number);
    // The constant term has a rate of its own, so the two are kept apart.
    base_.resize(gaussians_.size()), grad_base_.resize(gaussians_.size());
    for (std::size_t i = 0; i < gaussians_.size(); ++i) {
      base_[i] = gaussians_.harmonics[i * terms], grad_base_[i] = easel.grad_harmonics[i * terms];
    }
    base_steps_.step(numbers(base_), numbers(grad_base_), fall * settings_.color_rate, number);
    if (terms > 1) {
      harmonic_steps_.step(numbers(gaussians_.harmonics), numbers(easel.grad_harmonics), fall * settings_.harmonic_rate,
                           number);
    }
    for (std::size_t i = 0; i < gaussians_.size(); ++i) gaussians_.harmonics[i * terms] = base_[i];
    apply();
  }

 private:
  /// Thinner than this makes no difference.
  float floor() const { return static_cast<float>(1e-3 * spacing_); }

  void apply() {
    const auto low = floor(), high = static_cast<float>(8 * spacing_);
    for (std::size_t i = 0; i < gaussians_.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        gaussians_.scales[i][k] = std::clamp(std::exp(log_scales_[i][k]), low, high);
        log_scales_[i][k] = std::log(gaussians_.scales[i][k]);
      }
      gaussians_.rotations[i] = normalized(gaussians_.rotations[i]);
      gaussians_.opacities[i] = 1 / (1 + std::exp(-logits_[i]));
    }
  }

  splat::Gaussians& gaussians_;
  const RefineSettings& settings_;
  double spacing_;
  std::vector<Vec3> log_scales_, base_, grad_base_;
  std::vector<float> logits_;
  Adam means_, scales_, rotations_, opacities_, base_steps_, harmonic_steps_;
};

/// Fills in the gradient of mean squared errors; returns the sum of squares over colours.
double loss_gradient(Easel& easel, const Album& album, std::span<const std::size_t> views,
                     std::span<const Vec3> backgrounds, double mask) {
  const std::size_t pixels = easel.images.size() / views.size();
  easel.grad_images.resize(easel.images.size()), easel.grad_alphas.resize(easel.images.size());
  const float scale = 2 / static_cast<float>(easel.images.size());
  constexpr std::size_t kPiece = 4096;
  std::vector<double> sums((easel.images.size() + kPiece - 1) / kPiece);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Vec4 target = album.at(views[i / pixels], i % pixels);
      const Vec3 want = Vec3{target.x, target.y, target.z} + (1 - target.w) * backgrounds[i / pixels];
      const Vec3 error = easel.images[i] - want;
      easel.grad_images[i] = scale * error;
      easel.grad_alphas[i] = scale * static_cast<float>(mask) * (easel.alphas[i] - target.w);
      sum += double(squared_norm(error));
    }
    sums[begin / kPiece] = sum;
  };
  parallel_for(easel.images.size(), kPiece, std::ref(piece));
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

double decibels(double mean_square) { return -10 * std::log10(std::max(mean_square, 1e-10)); }

/// Every view once, in random order, then again.
class Deck {
 public:
  Deck(std::size_t count, std::uint64_t seed) : rng_(seed, 11) {
    for (std::size_t i = 0; i < count; ++i) cards_.push_back(i);
    next_ = count;
  }
  std::size_t draw() {
    if (next_ == cards_.size()) {
      for (std::size_t i = cards_.size(); i-- > 1;) {
        std::swap(cards_[i], cards_[rng_.below(static_cast<std::uint32_t>(i + 1))]);
      }
      next_ = 0;
    }
    return cards_[next_++];
  }
  Vec3 color() {
    const double r = rng_.uniform(), g = rng_.uniform(), b = rng_.uniform();
    return Vec3d{r, g, b}.cast<float>();
  }

 private:
  Rng rng_;
  std::vector<std::size_t> cards_;
  std::size_t next_ = 0;
};

}  // namespace

Camera fitted_camera(const Box& box, Vec3 direction, int size, float fill, float vertical_fov) {
  LIMBER_EXPECT(!box.empty() && fill > 0 && fill <= 1, std::to_string(fill));
  const Vec3 middle = 0.5f * (box.low + box.high), up = std::abs(direction.y) > 0.99f ? Vec3{0, 0, -1} : Vec3{0, 1, 0};
  Camera camera = splat::look_at(middle + direction, middle, up, vertical_fov, size, size);
  const Mat3& axes = camera.camera_from_world.linear;
  const float tangent = fill * std::tan(0.5f * vertical_fov);
  float distance = 1e-3f;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 p{corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                 corner & 4 ? box.high.z : box.low.z};
    const Vec3 seen = axes * (p - middle);
    distance = std::max(distance, std::max(std::abs(seen.x), std::abs(seen.y)) / tangent - seen.z);
  }
  return splat::look_at(middle + distance * normalized(direction), middle, up, vertical_fov, size, size);
}

std::vector<Camera> random_views(const Box& box, int count, int size, std::uint64_t seed) {
  Rng rng(seed, 7);
  const double turn = rng.uniform(), lift = rng.uniform();
  std::vector<Camera> cameras;
  for (int i = 0; i < count; ++i) {
    // A spiral over the sphere: golden angles, heights evenly spread.
    const double y = 1 - 2 * (i + lift) / count, angle = 2 * kPi * (turn + 0.6180339887498949 * i);
    const double radius = std::sqrt(std::max(0.0, 1 - y * y));
    cameras.push_back(
        fitted_camera(box, Vec3d{radius * std::sin(angle), y, radius * std::cos(angle)}.cast<float>(), size));
  }
  return cameras;
}

Likeness compare_views(const splat::Gaussians& gaussians, const ViewRenderer& render, std::span<const Camera> cameras) {
  splat::Gaussians copy = gaussians;
  Easel easel(copy);
  std::vector<Vec3> colors;
  std::vector<float> alphas;
  constexpr Vec3 kBackgrounds[] = {{1, 1, 1}, {0, 0, 0}};
  Likeness mean[2];
  for (const Camera& camera : cameras) {
    easel.draw({&camera, 1}, {});
    colors.resize(easel.images.size()), alphas.resize(easel.images.size());
    render(camera, colors, alphas);
    const auto pixels = static_cast<double>(colors.size()), share = 1 / static_cast<double>(cameras.size());
    for (int k = 0; k < 2; ++k) {
      double all = 0, body = 0, body_pixels = 0;
      for (std::size_t p = 0; p < colors.size(); ++p) {
        const Vec3 uncovered = (alphas[p] - easel.alphas[p]) * kBackgrounds[k];
        const double square = squared_norm((easel.images[p] - colors[p] + uncovered).cast<double>()) / 3;
        all += square;
        if (alphas[p] > 0) body += square, body_pixels += 1;
      }
      mean[k].psnr += share * decibels(all / pixels);
      mean[k].body_psnr += share * decibels(body / std::max(body_pixels, 0.01 * pixels));
    }
  }
  return mean[0].psnr < mean[1].psnr ? mean[0] : mean[1];
}

Result<RefineReport> refine(splat::Gaussians& gaussians, const Box& box, const ViewRenderer& render,
                            const RefineSettings& settings, const Progress& progress) {
  LIMBER_EXPECT(settings.views > 0 && settings.size > 0 && settings.batch > 0 && settings.steps >= 0 &&
                    settings.degree >= 0 && settings.degree <= splat::kMaxHarmonicDegree,
                "settings out of range");
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto tell = [&](const std::string& stage, double fraction) { return !progress || progress(stage, fraction); };
  set_degree(gaussians, settings.degree);
  RefineReport report;
  if (gaussians.size() == 0 || settings.steps == 0) return report;

  const std::vector<Camera> cameras = random_views(box, settings.views, settings.size, settings.seed);
  const auto pixels = static_cast<std::size_t>(settings.size) * static_cast<std::size_t>(settings.size);
  Album album(cameras.size(), pixels);
  std::vector<Vec3> colors(pixels);
  std::vector<float> alphas(pixels);
  for (std::size_t v = 0; v < cameras.size(); ++v) {
    if (!tell("drawing views", static_cast<double>(v) / static_cast<double>(cameras.size()))) return cancelled("");
    render(cameras[v], colors, alphas);
    album.store(v, colors, alphas);
  }

  Descent descent(gaussians, settings);
  Easel easel(gaussians);
  Deck deck(cameras.size(), settings.seed);
  const auto batch = static_cast<std::size_t>(settings.batch);
  std::vector<Camera> batch_cameras(batch);
  std::vector<std::size_t> views(batch);
  std::vector<Vec3> backgrounds(batch);
  double error = -1;
  const double drawing = elapsed();
  for (int step = 1; step <= settings.steps; ++step) {
    double done = static_cast<double>(step - 1) / settings.steps;
    if (settings.seconds > 0) done = std::max(done, (elapsed() - drawing) / std::max(settings.seconds - drawing, 1e-3));
    if (done >= 1) break;
    if (!tell(error < 0 ? "refining" : fmt::format("refining, {:.1f} dB", decibels(error)), done)) {
      return cancelled("");
    }
    for (std::size_t i = 0; i < batch; ++i) {
      views[i] = deck.draw(), batch_cameras[i] = cameras[views[i]], backgrounds[i] = deck.color();
    }
    easel.draw(batch_cameras, backgrounds);
    const double square =
        loss_gradient(easel, album, views, backgrounds, settings.mask) / static_cast<double>(3 * easel.images.size());
    error = error < 0 ? square : 0.95 * error + 0.05 * square;
    easel.backward();
    descent.step(easel, std::pow(0.01, done), step);
    report.steps = step;
  }
  report.seconds = elapsed();
  report.final_error = std::sqrt(std::max(error, 0.0));
  return report;
}

}  // namespace limber::scene
