// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/limbs.h"

#include <algorithm>
#include <cmath>

#include "limber/body/polyline.h"

namespace limber::body {
namespace {

constexpr int kMostSteps = 1024;  // to the skin, half a cell each: more than any grid is wide

}  // namespace

double TracedLimb::length() const { return polyline_length(line); }

void TracedLimb::make_even(int pieces, int rounds) {
  line = resample(line, pieces);
  smooth(line, rounds);
}

Vec3d limb_end(const BodyShape& body, int last, int before) {
  const MedialSphere& sphere = body.sphere(last);
  return sphere.centre + kLimbEnd * sphere.radius * normalized(sphere.centre - body.sphere(before).centre);
}

TracedLimb trace_limb(const BodyShape& body, std::span<const int> path, LimbEnd end, std::size_t begin) {
  TracedLimb limb;
  limb.line.reserve(path.size() - begin + 1);
  for (const int s : path.subspan(begin)) limb.spheres.push_back(s), limb.line.push_back(body.sphere(s).centre);
  if (end == LimbEnd::kInFlesh && path.size() > 1)
    limb.line.push_back(limb_end(body, path.back(), path[path.size() - 2]));
  return limb;
}

void reach_skin(const BodyShape& body, std::vector<Vec3d>& line) {
  if (line.size() < 2) return;
  const Vec3d step = 0.5 * body.solid.grid.cell * normalized(line.back() - line[line.size() - 2], Vec3d{});
  if (!(squared_norm(step) > 0)) return;
  Vec3d end = line.back();
  for (int k = 0; k < kMostSteps && body.field.depth(end + step) > 0; ++k) end = end + step;
  line.push_back(end);
}

LimbCover::LimbCover(const BodyShape& body, std::span<const std::vector<int>> limbs) : LimbCover(body) {
  for (const std::vector<int>& spheres : limbs) add(spheres);
}

void LimbCover::add(std::span<const int> spheres) {
  for (const int s : spheres) traced_[static_cast<std::size_t>(s)] = true;
}

int LimbCover::covering(int sphere, double flesh) const {
  if (runs_through(sphere)) return sphere;
  for (const SphereGraph::Edge& edge : body_->graph.edges[static_cast<std::size_t>(sphere)]) {
    if (runs_through(edge.to) && edge.length < flesh * body_->sphere(edge.to).radius) return edge.to;
  }
  return -1;
}

bool LimbCover::covers(Vec3d point, double flesh) const {
  for (int s = 0; s < body_->graph.count(); ++s) {
    if (runs_through(s) && norm(point - body_->sphere(s).centre) < flesh * body_->sphere(s).radius) return true;
  }
  return false;
}

int find_partner(std::span<const Vec3d> ends, Vec3d end, const MirrorPlane& plane, double apart,
                 const std::vector<bool>& free) {
  const Vec3d image = plane.mirror(end);
  int partner = -1;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const double off = norm(image - ends[k]);
    if ((free.empty() || free[k]) && off < apart) apart = off, partner = static_cast<int>(k);
  }
  return partner;
}

std::vector<int> pair_limbs(const BodyShape& body, std::span<const Vec3d> ends, const MirrorPlane& plane,
                            double apart) {
  std::vector<int> partners(ends.size(), -1);
  std::vector<bool> free(ends.size(), true);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!free[i]) continue;
    free[i] = false;
    if (std::abs(plane.side(ends[i])) < kInMiddle * body.size) continue;
    const int partner = find_partner(ends, ends[i], plane, apart * body.size, free);
    if (partner < 0) continue;
    partners[i] = partner, partners[static_cast<std::size_t>(partner)] = static_cast<int>(i);
    free[static_cast<std::size_t>(partner)] = false;
  }
  return partners;
}

}  // namespace limber::body
