// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/distance_field.h"
#include "limber/body/segment.h"
#include "limber/body/solid_proxy.h"
#include "limber/body/weld.h"
#include "limber/rig/rig.h"

/// What the solvers of skin weights work on: a welded copy of the surface, the solid that it stands for, and the bones
/// in it. The caller's points are never moved, merged or reordered; results are carried back through `surface.welded`.
namespace limber::skin {

/// A surface made ready, once for all solvers. Lengths are the input's.
struct SkinBody {
  body::WeldedSurface surface;
  std::vector<Vec3d> normals;  ///< per welded point, unit, outward; zero without triangles
  std::vector<double> areas;   ///< per welded point: a third of its triangles
  body::SolidProxy solid;
  body::DistanceField field;
};
SkinBody make_skin_body(std::span<const Vec3> points, std::span<const body::Triangle> triangles,
                        const body::SolidSettings& settings = {});
SkinBody make_skin_body(body::WeldedSurface surface, const body::SolidSettings& settings = {});

/// A joint where the surface was bound to it.
struct SkinJoint {
  Vec3d position;
  Mat3d axes = Mat3d::identity();  ///< columns: the joint's own axes, unit
  int parent = -1;                 ///< smaller than its own index
  bool deforms = true;             ///< false: no point may follow it (control bones, roots on the ground)
};

/// The joints of a rig in the space of its bind points. `deforms` is empty (all) or tells per joint.
std::vector<SkinJoint> skin_joints(const rig::Rig& rig, const std::vector<bool>& deforms = {});

/// What a joint moves, as lines: from the joint to each of its children.
struct SkinBone {
  int joint = 0;
  std::vector<body::Segment> segments;  ///< at least one, possibly of no length
  bool guessed_tail = false;            ///< the last segment leads to where the surface ends, as no child tells
};

/// The bones of the joints that deform. A bone leads from its joint to its children: files do not say where else.
///
/// Many programs keep one axis of every joint along its bone (Blender +Y, Maya +X). Where the joints of a skeleton
/// agree on one, it tells the direction of bones at the ends of chains, and which child of several continues the bone:
/// the one on the axis, or none (a hand's bone ends between its fingers).
/// Otherwise all children do, as far as the line to them stays in the body, and a joint at the end of its chain gets a
/// tail towards the middle of the surface that is nearer to it than to any other bone.
std::vector<SkinBone> skin_bones(const SkinBody& body, std::span<const SkinJoint> joints);

/// The axis (0, 1, 2, negative ones as 3, 4, 5) that most joints have along their bones; -1 where they do not agree.
int bone_axis(std::span<const SkinJoint> joints);

/// How much of the straight way from a surface point to a bone runs outside of the solid; grazing it by a cell is
/// forgiven.
double way_outside(const body::DistanceField& field, Vec3d point, Vec3d on_bone);

}  // namespace limber::skin
