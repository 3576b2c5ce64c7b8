// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/weld.h"

/// How well a skeleton agrees with a reference. Definitions and protocols as published for MagicArticulate, Puppeteer,
/// RigNet and Anymate; docs/metrics.md writes them out.
namespace limber::metrics {

/// A skeleton as the metrics see it.
struct SkeletonGraph {
  std::vector<std::string> names;  ///< empty, or one per joint
  std::vector<Vec3d> joints;
  std::vector<int> parents;  ///< -1 for a root; any order, no cycles
};

/// Takes the box of a surface to [-0.5, 0.5]^3, its longest side to one.
struct UnitCube {
  Vec3d centre;
  double scale = 1;
  double diagonal = 0;  ///< of the box, after scaling
  Vec3d operator()(Vec3d point) const { return scale * (point - centre); }
};
UnitCube unit_cube(std::span<const Vec3d> points);
SkeletonGraph in_unit_cube(SkeletonGraph skeleton, const UnitCube& cube);

/// Joints closer than `distance` to an earlier one become that one; loops and repeated bones are dropped.
SkeletonGraph merge_joints(const SkeletonGraph& skeleton, double distance);

struct ChamferSettings {
  double merge = 0.0025;   ///< joints this close count as one, on both sides
  double spacing = 0.005;  ///< of the samples on a bone: round(length / spacing) + 1, both ends included
};

/// Mean nearest distances, both ways, Euclidean; in the units of the input.
struct SkeletonDistance {
  double joint_to_joint = 0;  ///< CD-J2J
  double joint_to_bone = 0;   ///< CD-J2B
  double bone_to_bone = 0;    ///< CD-B2B
};

/// None where a side has no joints or a number that is not finite: such a prediction has failed.
std::optional<SkeletonDistance> skeleton_distance(const SkeletonGraph& predicted, const SkeletonGraph& truth,
                                                  const ChamferSettings& settings = {});

/// Mean over several pairs. The published protocols leave failures out; the second mean charges each the diagonal of
/// its box.
struct DistanceSummary {
  int total = 0, valid = 0;
  SkeletonDistance mean;                ///< over the valid ones
  SkeletonDistance mean_with_failures;  ///< over all
  void add(const std::optional<SkeletonDistance>& distance, double diagonal);

 private:
  SkeletonDistance sum_, sum_with_failures_;
};

/// How far a predicted joint may be from each joint of `truth`: half the local diameter of the surface, RigNet's form.
/// Per bone at the joint 14 rays in the plane across it; the mean of their first hits. Where nothing is hit, the mean
/// distance to the corners of the nearest triangle.
std::vector<double> joint_tolerances(const SkeletonGraph& truth, std::span<const Vec3d> points,
                                     std::span<const body::Triangle> triangles);

struct JointScores {
  double iou = 0;  ///< 2 matched / (predicted + truth): a Dice ratio that goes by this name
  double precision = 0, recall = 0;
};

/// RigNet's form: one-to-one by least total distance (Hungarian), a pair counting if within the tolerance of its
/// reference joint. Precision (recall): matched predictions (references) whose nearest reference (prediction) is within
/// tolerance, over all of them.
JointScores joint_scores(const SkeletonGraph& predicted, const SkeletonGraph& truth,
                         std::span<const double> tolerances);

/// Anymate's form: the same tolerance everywhere, precision and recall counted on the matched pairs.
JointScores joint_scores(const SkeletonGraph& predicted, const SkeletonGraph& truth, double tolerance);

/// Edits (joints inserted or deleted) that make one tree the other; joints have no labels, so renaming is free. The
/// children of a joint are put in a canonical order first, by the shape of what hangs on them. None beyond 2000 joints.
std::optional<int> tree_edit_distance(const SkeletonGraph& a, const SkeletonGraph& b);

/// Whether a skeleton faces the right way, by the names of its joints; distances between skeletons do not see it.
struct FacingCheck {
  std::optional<bool> head;   ///< the predicted head is nearer to the true head than to the true hind end
  std::optional<bool> sides;  ///< left joints are near left ones, right near right
  double side_agreement = 0;  ///< share of the unambiguous joints for which that holds
};

/// Needs names on both sides; what they do not tell stays empty.
FacingCheck check_facing(const SkeletonGraph& predicted, const SkeletonGraph& truth);

/// Which way a skeleton faces, by the names of its sides: where left is to the left as seen by the body itself, with
/// `up` upward. The mean over pairs of joints on one parent, or over all pairs where there is none. None where the
/// names tell no sides or pairs contradict each other.
std::optional<Vec3d> named_forward(const SkeletonGraph& skeleton, Vec3d up);

/// The pairs (row, column) of least total cost of a rows x columns matrix: min(rows, columns) of them.
std::vector<std::pair<int, int>> assign(std::span<const double> costs, int rows, int columns);

}  // namespace limber::metrics
