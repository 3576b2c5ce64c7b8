// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/skin_metrics.h"
#include "limber/report/reports.h"

namespace limber::report {
namespace {

constexpr double kConstantTolerance = 0.1;  ///< of the unit cube, for joints: Anymate's 0.2 in a cube of side two

Json to_json(const metrics::JointScores& scores) {
  return {{"iou", scores.iou}, {"precision", scores.precision}, {"recall", scores.recall}};
}

Json to_json(const std::optional<bool>& flag) { return flag ? Json(*flag) : Json(nullptr); }

/// Weights in the true rig's bones, for posing both alike.
rig::SkinWeights weights_of(const std::vector<metrics::SkinRow>& rows, const rig::Subject& subject) {
  std::vector<std::uint16_t> first_bone(subject.rig.joints().size(), 0);
  for (std::size_t b = subject.rig.bones().size(); b-- > 0;) {
    first_bone[static_cast<std::size_t>(subject.rig.bones()[b].joint)] = static_cast<std::uint16_t>(b);
  }
  std::vector<std::vector<rig::Influence>> points = rows;
  const auto stride = static_cast<std::size_t>(subject.weights.stride);
  for (const rig::PointRange& range : subject.ranges) {
    // Where a joint has several bones, each is right only for the meshes that it binds.
    std::vector<std::uint16_t> bone_of_joint = first_bone;
    for (std::size_t k = range.first * stride; k < (range.first + range.count) * stride; ++k) {
      const std::uint16_t bone = subject.weights.bones[k];
      if (subject.weights.weights[k] > 0) {
        bone_of_joint[static_cast<std::size_t>(subject.rig.bones()[bone].joint)] = bone;
      }
    }
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      for (rig::Influence& influence : points[i]) influence.bone = bone_of_joint[influence.bone];
    }
  }
  return rig::make_skin_weights(points, 8);
}

}  // namespace

Json to_json(const metrics::SkeletonDistance& distance) {
  return {{"j2j", 100 * distance.joint_to_joint},
          {"j2b", 100 * distance.joint_to_bone},
          {"b2b", 100 * distance.bone_to_bone}};
}

Json to_json(const metrics::SkinScores& scores) {
  return {{"precision", 100 * scores.precision}, {"recall", 100 * scores.recall}, {"l1", scores.l1}};
}

Json compare_skeletons(const metrics::RiggedSurface& predicted, const metrics::RiggedSurface& truth,
                       metrics::DistanceSummary* summary) {
  const metrics::UnitCube cube = metrics::unit_cube(truth.points);
  const metrics::SkeletonGraph p = metrics::in_unit_cube(predicted.skeleton, cube);
  const metrics::SkeletonGraph g = metrics::in_unit_cube(truth.skeleton, cube);
  const std::optional<metrics::SkeletonDistance> distance = metrics::skeleton_distance(p, g);
  if (summary) summary->add(distance, cube.diagonal);
  if (!distance) return {{"valid", false}, {"reason", "no joints, or numbers that are not finite"}};
  std::vector<Vec3d> points;
  for (const Vec3d& point : truth.points) points.push_back(cube(point));
  const std::vector<double> tolerances = metrics::joint_tolerances(g, points, truth.triangles);
  const metrics::FacingCheck facing = metrics::check_facing(p, g);
  Json result{{"valid", true},
              {"joints", p.joints.size()},
              {"true_joints", g.joints.size()},
              {"chamfer_x100", to_json(*distance)},
              {"joint_scores", to_json(metrics::joint_scores(p, g, tolerances))},
              {"joint_scores_constant", to_json(metrics::joint_scores(p, g, kConstantTolerance))},
              {"facing",
               {{"head", to_json(facing.head)},  // not a joint: a key of the report
                {"sides", to_json(facing.sides)}}}};
  const std::optional<int> edits = metrics::tree_edit_distance(p, g);
  result["tree_edits"] = edits ? Json(*edits) : Json(nullptr);
  return result;
}

Json compare_skins(const metrics::RiggedSurface& predicted, const metrics::RiggedSurface& truth,
                   const SkinComparison& asked) {
  const metrics::MatchedWeights matched = metrics::match_weights(predicted, truth);
  std::vector<metrics::SkinRow> rows, true_rows;
  for (std::size_t v = 0; v < truth.points.size(); ++v) {
    if (!truth.skinned[v]) continue;
    rows.push_back(matched.rows[v]);
    true_rows.push_back(truth.weights[v]);
  }
  metrics::SkinScoreSettings settings;
  settings.filter.relative = static_cast<float>(asked.filter);
  const metrics::SkinScores scores = metrics::skin_scores(rows, true_rows, settings);
  settings.filter_truth = true;
  Json result{{"valid", scores.vertices > 0},
              {"vertices", scores.vertices},
              {"transferred", matched.transferred},
              {"unmatched_joints", matched.unmatched_joints},
              {"puppeteer", to_json(scores)},
              {"truth_filtered", to_json(metrics::skin_scores(rows, true_rows, settings))}};
  if (scores.vertices == 0) result["reason"] = "the truth has no skin weights";
  if (asked.subject) {
    const metrics::DeformationError error =
        metrics::deformation_error(*asked.subject, weights_of(matched.rows, *asked.subject));
    result["deformation"] = {{"mean", error.mean}, {"max", error.max}};
  }
  return result;
}

}  // namespace limber::report
