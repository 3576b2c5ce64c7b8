// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/parts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/scene/cameras.h"

namespace limber::scene {
namespace {

constexpr Vec3 kNoPart{0.5f, 0.5f, 0.5f};

std::vector<Vec3> rest_points(const rig::Subject& subject) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, kinematics::rest_pose(subject.rig));
  std::vector<Vec3> posed(subject.points.size());
  kinematics::SkinInput input;
  input.weights = &subject.weights;
  input.points = subject.points;
  input.bone_count = subject.rig.bone_count();
  input.frame_count = 1;
  input.bones = bones;
  kinematics::skin_forward(input, {posed, {}, {}});
  return posed;
}

/// Surface that follows one joint.
struct JointSurface {
  double area = 0;
  Vec3d moment;  ///< integral of the position
};

/// Every triangle's area, spread over the joints by the weights of its corners.
std::vector<JointSurface> joint_surfaces(const rig::Subject& subject, const std::vector<Vec3>& points) {
  std::vector<JointSurface> surfaces(at(subject.rig.joint_count()));
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (const auto& triangle : subject.triangles) {
    const Vec3d a = points[triangle[0]].cast<double>(), b = points[triangle[1]].cast<double>(),
                c = points[triangle[2]].cast<double>();
    const double area = 0.5 * norm(cross(b - a, c - a));
    if (!(area > 0) || !std::isfinite(area)) continue;
    const Vec3d center = (a + b + c) / 3.0;
    for (const std::uint32_t corner : triangle) {
      for (std::size_t k = corner * stride; k < (corner + 1) * stride; ++k) {
        if (!(subject.weights.weights[k] > 0)) continue;
        JointSurface& surface = surfaces[at(subject.rig.bones()[subject.weights.bones[k]].joint)];
        const double share = area / 3 * double(subject.weights.weights[k]);
        surface.area += share;
        surface.moment += share * center;
      }
    }
  }
  return surfaces;
}

/// Which joints lead a part. From the leaves to the root, a joint gathers its own surface and that of the children that
/// are too small by themselves: `gathered`.
std::vector<bool> find_leaders(const rig::Rig& rig, const std::vector<JointSurface>& surfaces, double min_area,
                               std::vector<double>& gathered) {
  for (const JointSurface& surface : surfaces) gathered.push_back(surface.area);
  std::vector<bool> leads(surfaces.size(), false);
  for (int j = rig.joint_count() - 1; j >= 0; --j) {
    const int parent = rig.joints()[at(j)].parent;
    if (gathered[at(j)] > 0 && gathered[at(j)] >= min_area) {
      leads[at(j)] = true;
    } else if (parent >= 0) {
      gathered[at(parent)] += gathered[at(j)];
    }
  }
  // A body of which nothing is large enough is still one part.
  if (std::none_of(leads.begin(), leads.end(), [](bool b) { return b; }) && gathered[0] > 0) leads[0] = true;
  return leads;
}

/// Per joint, its own part or the largest of those that begin next below it, or -1.
std::vector<int> largest_part_below(const rig::Rig& rig, const std::vector<bool>& leads, const Parts& parts,
                                    const std::vector<double>& gathered) {
  std::vector<int> best(at(rig.joint_count()), -1);
  for (std::size_t p = 0; p < parts.joints.size(); ++p) best[at(parts.joints[p])] = static_cast<int>(p);
  const auto area = [&](int part) { return gathered[at(parts.joints[at(part)])]; };
  for (int j = rig.joint_count() - 1; j > 0; --j) {
    const int mine = best[at(j)], parent = rig.joints()[at(j)].parent;
    int& above = best[at(parent)];
    if (mine >= 0 && !leads[at(parent)] && (above < 0 || area(mine) > area(above))) above = mine;
  }
  return best;
}

/// Where a part is in the body's box, as a colour.
Vec3 place_color(Vec3 center, const Box& box) {
  Vec3 color;
  for (int k = 0; k < 3; ++k) {
    const float size = box.size()[k];
    color[k] = 0.1f + 0.9f * (size > 0 ? std::clamp((center[k] - box.low[k]) / size, 0.0f, 1.0f) : 0.5f);
  }
  return color;
}

}  // namespace

std::vector<Vec3> label_colors(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 3>> triangles,
                               std::span<const int> labels) {
  LIMBER_EXPECT(labels.size() == triangles.size(), "labels of another surface");
  Box box;
  for (const Vec3& point : points) {
    if (is_finite(point)) box.add(point);
  }
  std::map<int, JointSurface> surfaces;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Vec3d a = points[triangles[t][0]].cast<double>(), b = points[triangles[t][1]].cast<double>(),
                c = points[triangles[t][2]].cast<double>();
    const double area = 0.5 * norm(cross(b - a, c - a));
    if (labels[t] < 0 || !(area > 0) || !std::isfinite(area)) continue;
    JointSurface& surface = surfaces[labels[t]];
    surface.area += area, surface.moment += area / 3 * (a + b + c);
  }
  std::vector<Vec3> colors;
  for (const int label : labels) {
    const auto found = surfaces.find(label);
    const bool seen = found != surfaces.end();
    colors.push_back(seen ? place_color((found->second.moment / found->second.area).cast<float>(), box) : kNoPart);
  }
  return colors;
}

Parts find_parts(const rig::Subject& subject, const PartSettings& settings) {
  const rig::Rig& rig = subject.rig;
  const std::vector<Vec3> points = rest_points(subject);
  const std::vector<JointSurface> surfaces = joint_surfaces(subject, points);
  double total = 0;
  for (const JointSurface& surface : surfaces) total += surface.area;
  std::vector<double> gathered;
  const std::vector<bool> leads = find_leaders(rig, surfaces, settings.min_area * total, gathered);

  Parts parts;
  parts.part_of_joint.assign(surfaces.size(), -1);
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int parent = rig.joints()[at(j)].parent;
    if (leads[at(j)]) {
      parts.part_of_joint[at(j)] = static_cast<int>(parts.joints.size());
      parts.joints.push_back(j);
    } else if (parent >= 0) {
      parts.part_of_joint[at(j)] = parts.part_of_joint[at(parent)];
    }
  }
  // What is left has no part above it.
  const std::vector<int> below = largest_part_below(rig, leads, parts, gathered);
  for (std::size_t j = 0; j < surfaces.size(); ++j) {
    int& part = parts.part_of_joint[j];
    if (part < 0) part = below[j];
    if (part < 0 && j > 0) part = parts.part_of_joint[at(rig.joints()[j].parent)];
  }

  std::vector<JointSurface> merged(parts.joints.size());
  for (std::size_t j = 0; j < surfaces.size(); ++j) {
    if (parts.part_of_joint[j] < 0) continue;
    JointSurface& part = merged[at(parts.part_of_joint[j])];
    part.area += surfaces[j].area;
    part.moment += surfaces[j].moment;
  }
  Box box;
  for (const Vec3& point : points) {
    if (is_finite(point)) box.add(point);
  }
  for (const JointSurface& part : merged) {
    const Vec3 center = (part.moment / part.area).cast<float>();
    const Vec3 color = place_color(center, box);
    parts.centers.push_back(center);
    parts.colors.push_back(color);
  }
  return parts;
}

std::vector<int> point_parts(const rig::Subject& subject, const Parts& parts) {
  LIMBER_EXPECT(parts.part_of_joint.size() == at(subject.rig.joint_count()), "parts of another rig");
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  std::vector<int> result(subject.points.size(), -1);
  std::vector<float> shares(parts.joints.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    // The weights of a part's bones count together.
    float best = 0;
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
      const int part = parts.part_of_bone(subject.rig, subject.weights.bones[k]);
      if (part < 0 || !(subject.weights.weights[k] > 0)) continue;
      shares[at(part)] += subject.weights.weights[k];
      if (shares[at(part)] > best) best = shares[at(part)], result[i] = part;
    }
    for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
      const int part = parts.part_of_bone(subject.rig, subject.weights.bones[k]);
      if (part >= 0) shares[at(part)] = 0;
    }
  }
  return result;
}

}  // namespace limber::scene
