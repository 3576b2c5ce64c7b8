// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/humanoid.h"

#include <cmath>
#include <vector>

#include "limber/physics/spatial.h"

namespace limber::bench {
namespace {

using physics::BodyT;
using physics::HingeT;
using physics::Model;

/// A capsule from `a` to `b`; a sphere where they are one. In its body's MuJoCo frame, +Z up.
struct Capsule {
  Vec3d a, b;
  double radius;
};
struct Axis {
  Vec3d axis, place;
  double stiffness, damping;
};
struct Part {
  int parent;
  Vec3d place;  ///< from the parent's frame
  std::vector<Axis> axes;
  std::vector<Capsule> capsules;
};

/// humanoid.xml; head and hands, which have no joint, belong to the torso and the lower arms.
std::vector<Part> humanoid_parts() {
  std::vector<Part> parts;
  parts.push_back({-1,
                   {},
                   {},
                   {{{0, -.07, 0}, {0, .07, 0}, .07},
                    {{-.01, -.06, -.12}, {-.01, .06, -.12}, .06},
                    {{0, 0, .19}, {0, 0, .19}, .09}}});
  parts.push_back({0,
                   {-.01, 0, -.26},
                   {{{0, 0, 1}, {0, 0, .065}, 20, 5}, {{0, 1, 0}, {0, 0, .065}, 10, 5}},
                   {{{0, -.06, 0}, {0, .06, 0}, .06}}});
  parts.push_back({1, {0, 0, -.165}, {{{1, 0, 0}, {0, 0, .1}, 10, 5}}, {{{-.02, -.07, 0}, {-.02, .07, 0}, .09}}});
  for (const double side : {-1.0, 1.0}) {
    const int thigh = static_cast<int>(parts.size());
    parts.push_back({2,
                     {0, side * .1, -.04},
                     {{{-side, 0, 0}, {}, 10, 5}, {{0, 0, -side}, {}, 10, 5}, {{0, 1, 0}, {}, 20, 5}},
                     {{{0, 0, 0}, {0, -side * .01, -.34}, .06}}});
    parts.push_back({thigh, {0, -side * .01, -.403}, {{{0, -1, 0}, {0, 0, .02}, 1, .2}}, {{{}, {0, 0, -.3}, .049}}});
    parts.push_back(
        {thigh + 1,
         {0, 0, -.39},
         {{{0, 1, 0}, {0, 0, .08}, 6, .2}, {{1, 0, .5}, {0, 0, .04}, 3, .2}},
         {{{-.07, side * .02, 0}, {.14, side * .04, 0}, .027}, {{-.07, 0, 0}, {.14, -side * .02, 0}, .027}}});
  }
  for (const double side : {-1.0, 1.0}) {
    const int arm = static_cast<int>(parts.size());
    parts.push_back({0,
                     {0, side * .17, .06},
                     {{{2, -side, 1}, {}, 1, .2}, {{0, side, 1}, {}, 1, .2}},
                     {{{}, {.16, side * .16, -.16}, .04}}});
    parts.push_back({arm,
                     {.18, side * .18, -.18},
                     {{{0, -1, -side}, {}, 0, .2}},
                     {{{.01, -side * .01, .01}, {.17, -side * .17, .17}, .031},
                      {{.18, -side * .18, .18}, {.18, -side * .18, .18}, .04}}});
  }
  return parts;
}

/// From +Z up to +Y up.
Vec3d upright(Vec3d v) { return {v.x, v.z, -v.y}; }

/// Mass of a capsule of water, and its inertia about its centre.
double weigh(const Capsule& c, SymmetricT<double>& inertia) {
  const double length = norm(c.b - c.a), r = c.radius, density = 1000;
  const double tube = density * kPi * r * r * length, ball = density * 4.0 / 3 * kPi * r * r * r;
  const double along = tube * r * r / 2 + ball * 0.4 * r * r;
  const double across =
      tube * (r * r / 4 + length * length / 12) + ball * (0.4 * r * r + length * length / 4 + 0.375 * r * length);
  inertia = {across, 0, 0, across, 0, across};
  if (length > 0) physics::add_outer(inertia, along - across, upright(c.b - c.a) / length);
  if (length == 0) inertia = {along, 0, 0, along, 0, along};
  return tube + ball;
}

}  // namespace

Model humanoid_model() {
  Model model;
  std::vector<Vec3d> frames;  // where the model's frame is in the part's: at its last hinge
  for (const Part& part : humanoid_parts()) {
    BodyT<double> body;
    body.parent = part.parent, body.first_hinge = model.hinge_count();
    body.hinge_count = static_cast<int>(part.axes.size());
    const Vec3d frame = part.axes.empty() ? Vec3d{} : part.axes.back().place;
    Vec3d last = part.parent < 0 ? Vec3d{} : frames[static_cast<std::size_t>(part.parent)] - part.place;
    for (const Axis& axis : part.axes) {
      HingeT<double> hinge;
      hinge.axis = normalized(upright(axis.axis)), hinge.offset = upright(axis.place - last), last = axis.place;
      hinge.stiffness = axis.stiffness, hinge.damping = axis.damping, hinge.armature = 0.01;
      model.hinges.push_back(hinge);
    }
    frames.push_back(frame);
    body.mass = 0, body.first_point = static_cast<int>(model.points.size());
    std::vector<SymmetricT<double>> inertias(part.capsules.size());
    std::vector<double> masses;
    for (std::size_t k = 0; k < part.capsules.size(); ++k) {
      const Capsule& c = part.capsules[k];
      masses.push_back(weigh(c, inertias[k]));
      body.mass += masses[k], body.centre += masses[k] * upright(0.5 * (c.a + c.b) - frame);
      for (const Vec3d& end : {c.a, c.b}) {
        for (int axis = 0; axis < 3; ++axis) {
          for (const double sign : {-1.0, 1.0}) {
            Vec3d point = upright(end - frame);
            point[axis] += sign * c.radius;
            model.points.push_back(point);
          }
        }
      }
    }
    body.centre = body.centre / body.mass;
    for (std::size_t k = 0; k < part.capsules.size(); ++k) {
      const Vec3d arm = upright(0.5 * (part.capsules[k].a + part.capsules[k].b) - frame) - body.centre;
      body.inertia += physics::inertia_at(masses[k], arm, inertias[k]).rotation;
    }
    body.point_count = static_cast<int>(model.points.size()) - body.first_point;
    model.bodies.push_back(body);
  }
  model.contact = {model.total_mass() * 9.81 / (4 * 0.002), 0.001, 2, 0.05, 0.7, 0.02};
  return model;
}

}  // namespace limber::bench
