// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/base/rng.h"

namespace limber::splat {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

/// A place on the surface.
struct Sample {
  std::uint32_t triangle = 0;
  Vec3 barycentric;
  Vec3 point, normal;
};

Vec3 interpolate(const Surface& surface, const Triangle& t, Vec3 b) {
  return b.x * surface.points[t[0]] + b.y * surface.points[t[1]] + b.z * surface.points[t[2]];
}

/// Running sums of the triangles' areas; triangles that are not finite have none.
std::vector<double> cumulative_areas(const Surface& surface) {
  std::vector<double> sums;
  double sum = 0;
  for (const Triangle& t : surface.triangles) {
    for (const std::uint32_t corner : t) {
      LIMBER_EXPECT(corner < surface.points.size(), std::to_string(corner));
    }
    const Vec3d a = surface.points[t[0]].cast<double>(), b = surface.points[t[1]].cast<double>(),
                c = surface.points[t[2]].cast<double>();
    const double area = 0.5 * norm(cross(b - a, c - a));
    if (std::isfinite(area)) sum += area;
    sums.push_back(sum);
  }
  return sums;
}

/// One sample in each of `count` equal shares of the area.
std::vector<Sample> stratified_samples(const Surface& surface, std::span<const double> areas, std::size_t count,
                                       Rng& rng) {
  std::vector<Sample> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double at = (static_cast<double>(i) + rng.uniform()) / static_cast<double>(count) * areas.back();
    const auto found = std::upper_bound(areas.begin(), areas.end() - 1, at);
    Sample s;
    s.triangle = static_cast<std::uint32_t>(found - areas.begin());
    // Uniform in the triangle (Osada et al. 2002).
    const double root = std::sqrt(rng.uniform()), other = rng.uniform();
    s.barycentric = Vec3d{1 - root, root * (1 - other), root * other}.cast<float>();
    const Triangle& t = surface.triangles[s.triangle];
    s.point = interpolate(surface, t, s.barycentric);
    const Vec3d a = surface.points[t[0]].cast<double>();
    s.normal = normalized(cross(surface.points[t[1]].cast<double>() - a, surface.points[t[2]].cast<double>() - a))
                   .cast<float>();
    samples.push_back(s);
  }
  return samples;
}

constexpr float kOppositeSide = -0.3f;  // cosine between normals of the two faces of a thin part

/// Thins samples out to `count` by always dropping the one with the closest neighbours (Yuksel 2015).
class Eliminator {
 public:
  Eliminator(std::span<const Sample> samples, double reach) : samples_(samples), reach_(reach) {
    make_cells();
    weights_.assign(samples.size(), 0);
    for (std::uint32_t i = 0; i < samples.size(); ++i) {
      for_each_neighbour(i, [&](std::uint32_t, double weight) { weights_[i] += weight; });
    }
  }

  /// The samples that stay, in order.
  std::vector<std::uint32_t> thin_out(std::size_t count) {
    using Entry = std::pair<double, std::uint32_t>;
    std::vector<Entry> heap;
    for (std::uint32_t i = 0; i < samples_.size(); ++i) heap.emplace_back(weights_[i], i);
    std::make_heap(heap.begin(), heap.end());
    std::vector<bool> gone(samples_.size(), false);
    std::size_t left = samples_.size();
    // Entries hold upper bounds: a weight only falls as neighbours go.
    while (left > count) {
      std::pop_heap(heap.begin(), heap.end());
      const Entry top = heap.back();
      heap.pop_back();
      const std::uint32_t i = top.second;
      if (top.first > weights_[i]) {
        heap.emplace_back(weights_[i], i);
        std::push_heap(heap.begin(), heap.end());
        continue;
      }
      gone[i] = true;
      --left;
      for_each_neighbour(i, [&](std::uint32_t j, double weight) { weights_[j] -= weight; });
    }
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < samples_.size(); ++i) {
      if (!gone[i]) kept.push_back(i);
    }
    return kept;
  }

 private:
  std::array<std::int64_t, 3> cell_of(Vec3 p) const {
    std::array<std::int64_t, 3> cell;
    for (int k = 0; k < 3; ++k)
      cell[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(std::floor(double(p[k]) / reach_));
    return cell;
  }
  std::size_t bucket_of(const std::array<std::int64_t, 3>& cell) const {
    const std::uint64_t hash = static_cast<std::uint64_t>(cell[0]) * 73856093u ^
                               static_cast<std::uint64_t>(cell[1]) * 19349663u ^
                               static_cast<std::uint64_t>(cell[2]) * 83492791u;
    return hash & (starts_.size() - 2);
  }

  /// Samples by hashed grid cell.
  void make_cells() {
    std::size_t buckets = 1;
    while (buckets < samples_.size()) buckets *= 2;
    starts_.assign(buckets + 1, 0);
    for (const Sample& s : samples_) ++starts_[bucket_of(cell_of(s.point)) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    members_.resize(samples_.size());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t i = 0; i < samples_.size(); ++i) members_[next[bucket_of(cell_of(samples_[i].point))]++] = i;
  }

  /// Neighbours on the same side of the surface, and how much they press.
  template <class Body>
  void for_each_neighbour(std::uint32_t i, const Body& body) const {
    const Sample& s = samples_[i];
    const std::array<std::int64_t, 3> cell = cell_of(s.point);
    std::array<std::size_t, 27> seen;
    std::size_t seen_count = 0;
    for (int k = 0; k < 27; ++k) {
      const std::size_t bucket = bucket_of({cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1});
      // Two cells may share a bucket.
      if (std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(seen_count), bucket) !=
          seen.begin() + static_cast<std::ptrdiff_t>(seen_count)) {
        continue;
      }
      seen[seen_count++] = bucket;
      for (std::uint32_t m = starts_[bucket]; m < starts_[bucket + 1]; ++m) {
        const std::uint32_t j = members_[m];
        const double distance = double(norm(samples_[j].point - s.point));
        if (j == i || distance >= reach_ || dot(samples_[j].normal, s.normal) < kOppositeSide) continue;
        const double near = 1 - distance / reach_, squared = near * near;
        body(j, squared * squared * squared * squared);
      }
    }
  }

  std::span<const Sample> samples_;
  double reach_;
  std::vector<std::uint32_t> starts_, members_;
  std::vector<double> weights_;
};

/// Evenly spread samples: every further candidate makes the spread a little more even and takes longer.
std::vector<Sample> even_samples(const Surface& surface, std::span<const double> areas, std::size_t count, Rng& rng) {
  constexpr std::size_t kCandidates = 4;
  const std::vector<Sample> candidates = stratified_samples(surface, areas, kCandidates * count, rng);
  // Twice the largest distance that `count` samples of the plane can keep.
  const double reach = 2 * std::sqrt(areas.back() / (2 * std::sqrt(3.0) * static_cast<double>(count)));
  std::vector<Sample> samples;
  for (const std::uint32_t i : Eliminator(candidates, reach).thin_out(count)) samples.push_back(candidates[i]);
  return samples;
}

/// The mean colour of the sample's surroundings, as far as they lie in its triangle.
Vec4 color_around(const Surface& surface, const Sample& s, float radius) {
  if (!surface.color) return {0.6f, 0.6f, 0.6f, 1};
  const Triangle& t = surface.triangles[s.triangle];
  const Vec3 u = surface.points[t[1]] - surface.points[t[0]], v = surface.points[t[2]] - surface.points[t[0]];
  // Steps of `radius` along both sides, as barycentric coordinates.
  const float step_u = radius / std::max(norm(u), 1e-30f), step_v = radius / std::max(norm(v), 1e-30f);
  const Vec3 offsets[] = {
      {0, 0, 0}, {-step_u, step_u, 0}, {step_u, -step_u, 0}, {-step_v, 0, step_v}, {step_v, 0, -step_v}};
  Vec4 sum;
  for (const Vec3& offset : offsets) {
    Vec3 b = max(s.barycentric + offset, Vec3{0, 0, 0});
    b = b / (b.x + b.y + b.z);
    const Vec4 c = surface.color(s.triangle, b);
    for (int k = 0; k < 4; ++k) sum[k] += c[k] / 5;
  }
  return sum;
}

/// Adds the blended weights of a sample's triangle, heaviest first, summing to one.
void add_skin(const Surface& surface, const Sample& s, int influences, Gaussians& out) {
  std::array<std::pair<float, std::uint16_t>, 64> blended;
  std::size_t count = 0;
  const auto stride = static_cast<std::size_t>(surface.influences);
  for (int corner = 0; corner < 3; ++corner) {
    const std::size_t first = surface.triangles[s.triangle][static_cast<std::size_t>(corner)] * stride;
    for (std::size_t k = first; k < first + stride; ++k) {
      const float weight = s.barycentric[corner] * surface.weights[k];
      if (!(weight > 0)) continue;
      const auto end = blended.begin() + static_cast<std::ptrdiff_t>(count);
      const auto found =
          std::find_if(blended.begin(), end, [&](const auto& b) { return b.second == surface.bones[k]; });
      if (found != end) {
        found->first += weight;
      } else if (count < blended.size()) {
        blended[count++] = {weight, surface.bones[k]};
      }
    }
  }
  std::sort(blended.begin(), blended.begin() + static_cast<std::ptrdiff_t>(count),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  const std::size_t kept = std::min(count, static_cast<std::size_t>(influences));
  float total = 0;
  for (std::size_t k = 0; k < kept; ++k) total += blended[k].first;
  for (std::size_t k = 0; k < static_cast<std::size_t>(influences); ++k) {
    out.bones.push_back(k < kept ? blended[k].second : std::uint16_t{0});
    out.weights.push_back(k < kept ? blended[k].first / total : 0.0f);
  }
}

}  // namespace

Gaussians sample_surface(const Surface& surface, const SampleSettings& settings) {
  LIMBER_EXPECT(settings.influences >= 1 && settings.influences <= 8, std::to_string(settings.influences));
  LIMBER_EXPECT(settings.width > 0 && settings.thickness >= 0, std::to_string(settings.width));
  const std::size_t skin = surface.points.size() * static_cast<std::size_t>(surface.influences);
  LIMBER_EXPECT(surface.influences >= 0 && surface.influences <= 16 && surface.bones.size() == skin &&
                    surface.weights.size() == skin,
                std::to_string(surface.weights.size()) + " weights");
  Gaussians out;
  if (surface.influences > 0) out.influences = settings.influences;
  const std::vector<double> areas = cumulative_areas(surface);
  if (settings.count == 0 || areas.empty() || !(areas.back() > 0)) return out;

  Rng rng(settings.seed);
  const auto spacing = static_cast<float>(std::sqrt(areas.back() / static_cast<double>(settings.count)));
  for (const Sample& s : even_samples(surface, areas, settings.count, rng)) {
    const Vec4 color = color_around(surface, s, 0.35f * spacing);
    if (!(color.w >= settings.alpha_cutoff)) continue;
    out.means.push_back(s.point);
    out.rotations.push_back(rotation_between(Vec3{0, 0, 1}, s.normal));
    out.scales.push_back({settings.width * spacing, settings.width * spacing, settings.thickness * spacing});
    out.opacities.push_back(settings.opacity * std::min(color.w, 1.0f));
    out.harmonics.push_back(
        harmonic_from_color({srgb_from_linear(color.x), srgb_from_linear(color.y), srgb_from_linear(color.z)}));
    if (surface.influences > 0) add_skin(surface, s, settings.influences, out);
  }
  return out;
}

SurfaceColor primitive_color(const asset::Asset& asset, const asset::Primitive& primitive, TextureLookup lookup) {
  const asset::Material plain;
  const bool has_material =
      primitive.material >= 0 && static_cast<std::size_t>(primitive.material) < asset.materials.size();
  const asset::Material material = has_material ? asset.materials[static_cast<std::size_t>(primitive.material)] : plain;
  return [&primitive, material, triangles = asset::triangles(primitive), lookup = std::move(lookup)](
             std::size_t triangle, Vec3 barycentric) {
    const Triangle& t = triangles[triangle];
    Vec4 color = material.base_color;
    const auto blend = [&](const auto& values, auto& sum) {
      for (int corner = 0; corner < 3; ++corner) {
        const auto& value = values[t[static_cast<std::size_t>(corner)]];
        sum.x += barycentric[corner] * value.x, sum.y += barycentric[corner] * value.y;
        if constexpr (requires { sum.w; })
          sum.z += barycentric[corner] * value.z, sum.w += barycentric[corner] * value.w;
      }
    };
    if (!primitive.colors.empty() && primitive.colors[0].size() == primitive.positions.size()) {
      Vec4 vertex;
      blend(primitive.colors[0], vertex);
      for (int k = 0; k < 4; ++k) color[k] *= vertex[k];
    }
    const auto textured = [&](const asset::TextureUse& use) {
      if (!lookup || use.texture < 0 || static_cast<std::size_t>(use.texcoord) >= primitive.texcoords.size()) {
        return Vec4{1, 1, 1, 1};
      }
      Vec2 uv;
      blend(primitive.texcoords[static_cast<std::size_t>(use.texcoord)], uv);
      // KHR_texture_transform
      const float c = std::cos(use.rotation), s = std::sin(use.rotation);
      const Vec2 scaled_uv{use.scale.x * uv.x, use.scale.y * uv.y};
      return lookup(use.texture, {use.offset.x + c * scaled_uv.x + s * scaled_uv.y,
                                  use.offset.y - s * scaled_uv.x + c * scaled_uv.y});
    };
    const Vec4 base = textured(material.base_color_texture), glow = textured(material.emissive_texture);
    for (int k = 0; k < 4; ++k) color[k] *= base[k];
    for (int k = 0; k < 3; ++k) color[k] += material.emissive[k] * glow[k];
    if (material.alpha_mode == asset::AlphaMode::kOpaque) color.w = 1;
    if (material.alpha_mode == asset::AlphaMode::kMask) color.w = color.w >= material.alpha_cutoff ? 1.0f : 0.0f;
    return color;
  };
}

float srgb_from_linear(float value) {
  const float v = std::clamp(value, 0.0f, 1.0f);
  return v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
}

float linear_from_srgb(float value) {
  const float v = std::clamp(value, 0.0f, 1.0f);
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

}  // namespace limber::splat
