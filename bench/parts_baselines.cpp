// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "bench/parts.h"
#include "limber/body/body_shape.h"
#include "limber/body/weld.h"
#include "limber/parts/color_clusters.h"

namespace limber::bench {
namespace {

constexpr double kColorWeight = 0.3;  // against places, which are of the size of the body

/// A middle and a colour as one point.
struct Feature {
  Vec3d place, color;
  Feature() = default;
  Feature(Vec3d at, Vec3d of) : place(at), color(of) {}
};

double apart(const Feature& a, const Feature& b) {
  return squared_norm(a.place - b.place) + squared_norm(a.color - b.color);
}

std::vector<Feature> features_of(const training::KnownParts& body) {
  std::vector<Feature> features;
  for (const parts::Triangle& t : body.triangles) {
    Feature f;
    for (const std::uint32_t corner : t) {
      f.place += body.points[corner].cast<double>() / 3.0;
      if (!body.colors.empty()) f.color += kColorWeight / 3.0 * body.colors[corner].cast<double>();
    }
    features.push_back(f);
  }
  return features;
}

std::vector<int> k_means(const std::vector<Feature>& features, int count) {
  if (features.empty()) return {};
  // Lloyd's algorithm from centres that lie far apart.
  std::vector<Feature> centers{features.front()};
  std::vector<double> nearest(features.size(), std::numeric_limits<double>::max());
  while (static_cast<int>(centers.size()) < count) {
    for (std::size_t i = 0; i < features.size(); ++i)
      nearest[i] = std::min(nearest[i], apart(features[i], centers.back()));
    centers.push_back(
        features[static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin())]);
  }
  std::vector<int> labels(features.size());
  for (int round = 0; round < 20; ++round) {
    std::vector<Feature> sums(centers.size());
    std::vector<double> counts(centers.size());
    for (std::size_t i = 0; i < features.size(); ++i) {
      const auto best = std::min_element(centers.begin(), centers.end(), [&](const Feature& a, const Feature& b) {
        return apart(features[i], a) < apart(features[i], b);
      });
      const auto k = static_cast<std::size_t>(best - centers.begin());
      labels[i] = static_cast<int>(k), counts[k] += 1;
      sums[k].place += features[i].place, sums[k].color += features[i].color;
    }
    for (std::size_t k = 0; k < centers.size(); ++k) {
      if (counts[k] > 0) centers[k] = {sums[k].place / counts[k], sums[k].color / counts[k]};
    }
  }
  return labels;
}

}  // namespace

std::vector<int> means_of_triangles(const training::KnownParts& body, int count) {
  return k_means(features_of(body), count);
}

std::vector<int> means_of_pixels(const Bitmap& picture, const std::vector<int>& truth, int count) {
  std::vector<Feature> features;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const int x = static_cast<int>(i) % picture.width, y = static_cast<int>(i) / picture.width;
    const std::uint8_t* c = picture.at(x, y);
    if (truth[i] >= 0)
      features.push_back({Vec3d{double(x), double(y), 0} / double(picture.width),
                          kColorWeight / 255 * Vec3d{double(c[0]), double(c[1]), double(c[2])}});
  }
  const std::vector<int> means = k_means(features, count);
  std::vector<int> labels;
  std::size_t next = 0;
  for (const int label : truth) labels.push_back(label >= 0 ? means[next++] : -1);
  return labels;
}

std::vector<int> connected_pieces(const training::KnownParts& body) {
  const body::WeldedSurface surface = body::weld(body.points, body.triangles);
  std::vector<int> labels;
  for (const parts::Triangle& t : body.triangles) labels.push_back(surface.component[surface.welded[t[0]]]);
  return labels;
}

std::vector<int> read_parts(const training::KnownParts& body, const anatomy::ReadBody& reader) {
  if (!reader) return {};
  const body::BodyShape shape = body::study_body(body.points, body.triangles);
  const anatomy::BodyReading reading = reader(shape);
  if (reading.points.empty()) return {};
  // The joints that start parts, in the body's box, are clustered as colours of parts are.
  const parts::CodeFrame frame = parts::make_code_frame(body.points, 0);
  std::vector<Vec3> codes;
  for (const Vec3d& start : reading.starts) codes.push_back(frame.code(start.cast<float>()));
  const std::vector<int> parts_of_points = parts::cluster_colors(codes).labels;
  std::vector<int> labels;
  for (const parts::Triangle& t : body.triangles) {
    const Vec3d middle = (body.points[t[0]] + body.points[t[1]] + body.points[t[2]]).cast<double>() / 3.0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < reading.points.size(); ++i) {
      if (squared_norm(reading.points[i] - middle) < squared_norm(reading.points[best] - middle)) best = i;
    }
    labels.push_back(parts_of_points[best]);
  }
  return labels;
}

}  // namespace limber::bench
