// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a file of part labels holds, reading it ends in labels from which a skeleton can be made, or in an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "limber/body/body_shape.h"
#include "limber/skeleton/from_parts.h"

namespace {

using namespace limber;

/// A strip of triangles that is closed to a wedge: something with a few borders.
struct Wedge {
  std::size_t triangles = 0;
  body::BodyShape shape;
};

Wedge make_wedge() {
  std::vector<Vec3> points;
  std::vector<body::Triangle> triangles;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const auto x = static_cast<float>(i);
    points.insert(points.end(), {{x, 0, 0}, {x, 1, 0}, {x, 0.5f, 1}});
    if (i == 0) continue;
    const std::uint32_t a = 3 * (i - 1), b = 3 * i;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t next = (k + 1) % 3;
      triangles.push_back({a + k, b + k, b + next}), triangles.push_back({a + k, b + next, a + next});
    }
  }
  triangles.push_back({0, 1, 2}), triangles.push_back({15, 17, 16});
  return {triangles.size(), body::study_body(points, triangles, {24, 100000, 3})};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Wedge wedge = make_wedge();
  auto labels = skeleton::parse_labels({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!labels.ok()) {
    if (labels.error().what.empty()) std::abort();
    return 0;
  }
  labels->faces.resize(wedge.triangles, -1);
  const auto plan = skeleton::rig_from_parts(wedge.shape, wedge.triangles, *labels);
  if (!plan.ok() || plan->plan.joints.empty() || plan->parts.size() != wedge.shape.surface.points.size()) std::abort();
  return 0;
}
