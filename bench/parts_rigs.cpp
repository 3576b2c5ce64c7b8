// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bench/parts.h"
#include "cli/builtin_models.h"
#include "limber/asset/pose.h"
#include "limber/autorig/auto_rig.h"
#include "limber/autorig/wishes.h"
#include "limber/metrics/rigged_surface.h"
#include "limber/metrics/skin_stretch.h"
#include "limber/parts/asset_parts.h"

namespace limber::bench {
namespace {

/// Where skeletons come from.
enum Source { kFromTemplates, kFromCurve, kFromParts };
constexpr std::array<const char*, 3> kSources{"templates", "curve", "parts"};

struct RigScores {
  metrics::DistanceSummary distance;
  double precision = 0, recall = 0, joints = 0;
};

Result<autorig::AutoRig> rig_by(Source source, const asset::Asset& still, const anatomy::ReadBody& reader,
                                const std::vector<int>& labels, bool skinned) {
  autorig::AutoRigSettings settings;
  settings.skeleton_only = !skinned;
  if (source == kFromTemplates) settings.reader = reader;
  if (source == kFromCurve) settings.source = autorig::SkeletonSource::kCurve;
  if (source == kFromParts) {
    settings.source = autorig::SkeletonSource::kParts;
    settings.parts = skeleton::PartLabels{labels, {}};
  }
  return autorig::auto_rig(still, settings);
}

metrics::SkeletonGraph graph_of(const autorig::AutoRig& rigged) {
  metrics::SkeletonGraph graph;
  const Affined asset_from_subject = rig::asset_from_subject(rigged.subject);
  for (const skeleton::PlannedJoint& joint : rigged.plan.joints)
    graph.joints.push_back(asset_from_subject * joint.at), graph.parents.push_back(joint.parent);
  return graph;
}

void compare(const metrics::RiggedSurface& truth, const Result<autorig::AutoRig>& rigged, RigScores& scores) {
  const metrics::UnitCube cube = metrics::unit_cube(truth.points);
  if (!rigged.ok()) {
    scores.distance.add(std::nullopt, cube.diagonal);
    return;
  }
  const metrics::SkeletonGraph found = graph_of(*rigged);
  scores.distance.add(
      metrics::skeleton_distance(metrics::in_unit_cube(found, cube), metrics::in_unit_cube(truth.skeleton, cube)),
      cube.diagonal);
  const std::vector<double> tolerances = metrics::joint_tolerances(truth.skeleton, truth.points, truth.triangles);
  const metrics::JointScores joints = metrics::joint_scores(found, truth.skeleton, tolerances);
  scores.precision += joints.precision, scores.recall += joints.recall;
  scores.joints += static_cast<double>(found.joints.size());
}

/// A rigged body made static, and the parts that the network finds of it.
struct StillBody {
  asset::Asset still;
  metrics::RiggedSurface truth;
  parts::MeshParts found;

  static Result<StillBody> from(const asset::Asset& asset, const PartsBench& bench) {
    LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(asset));
    StillBody body{asset::bake(asset, asset::rest_state(asset)),
                   metrics::without_idle_joints(metrics::rigged_surface(asset, subject)),
                   {}};
    LIMBER_TRY(const parts::UprightMesh mesh, parts::upright_mesh(body.still));
    LIMBER_TRY(body.found, parts::find_mesh_parts(bench.denoiser, mesh.view(), bench.mesh_settings()));
    return body;
  }
};

/// Rigs a rigged asset anew, made static, from all sources.
Status measure_rigs(const asset::Asset& asset, const std::string& name, const PartsBench& bench,
                    const anatomy::ReadBody& reader, std::array<RigScores, 3>& scores) {
  LIMBER_TRY(const StillBody body, StillBody::from(asset, bench));
  std::string said;
  for (const Source source : {kFromTemplates, kFromCurve, kFromParts}) {
    RigScores& score = scores[static_cast<std::size_t>(source)];
    compare(body.truth, rig_by(source, body.still, reader, body.found.triangles, false), score);
    said +=
        fmt::format(" {} {:.2f}", kSources[static_cast<std::size_t>(source)], 100 * score.distance.mean.joint_to_joint);
  }
  spdlog::info("{}: mean CD-J2J x 1e-2 so far:{}", name, said);
  return Done{};
}

void add_rows(const std::string& name, const std::array<RigScores, 3>& all, Report& report) {
  for (const Source source : {kFromTemplates, kFromCurve, kFromParts}) {
    const RigScores& scores = all[static_cast<std::size_t>(source)];
    const double bodies = scores.distance.total;
    if (scores.distance.total == 0) return;
    const std::string from = fmt::format("{}, rigs from {}", name, kSources[static_cast<std::size_t>(source)]);
    report.rows.push_back({from + "/CD-J2J", 100 * scores.distance.mean_with_failures.joint_to_joint, "x1e-2", "",
                           fmt::format("{} of {} valid, {:.1f} joints each", scores.distance.valid,
                                       scores.distance.total, scores.joints / bodies)});
    report.rows.push_back({from + "/joint precision", scores.precision / bodies, "", "", ""});
    report.rows.push_back({from + "/joint recall", scores.recall / bodies, "", "", ""});
  }
}

// --- which to believe ------------------------------------------------------------------------------------------------

/// A body, rigged from all sources: what `limber rig` takes of its own, the shape, the parts.
struct Belief {
  double agreement = 0;
  int parts = 0;
  bool doubted = false;              ///< no template is believed
  std::array<double, 3> distance{};  ///< CD-J2J, by source
  std::array<double, 3> stretch{};   ///< of the skin
};

/// Every joint but the root swings, each in its own time.
kinematics::Motion swinging(const rig::Rig& rig) {
  constexpr int kFrames = 24;
  kinematics::Motion motion = kinematics::rest_motion(rig, kFrames, 24);
  for (int f = 0; f < kFrames; ++f) {
    for (int j = 1; j < rig.joint_count(); ++j) {
      const double phase = 2 * kPi * f / kFrames + 1.7 * j;
      Vec3& angles = motion.frame_angles(f)[static_cast<std::size_t>(j)];
      angles[j % 3] += static_cast<float>(0.4 * std::sin(phase));
    }
  }
  return motion;
}

Status add_belief(const asset::Asset& asset, const std::string& name, const PartsBench& bench,
                  const anatomy::ReadBody& reader, std::vector<Belief>& beliefs) {
  const Result<StillBody> body = StillBody::from(asset, bench);
  if (!body.ok()) return Done{};  // no rig that could be compared with
  Belief belief;
  belief.agreement = body->found.agreement, belief.parts = static_cast<int>(body->found.colors.size());
  for (const Source source : {kFromTemplates, kFromCurve, kFromParts}) {
    const auto i = static_cast<std::size_t>(source);
    const auto rigged = rig_by(source, body->still, reader, body->found.triangles, /*skinned=*/true);
    if (!rigged.ok()) return Done{};
    if (source == kFromTemplates) belief.doubted = autorig::wants_parts(rigged->report);
    RigScores score;
    compare(body->truth, rigged, score);
    belief.distance[i] = score.distance.mean_with_failures.joint_to_joint;
    belief.stretch[i] = metrics::skin_stretch(rigged->subject, swinging(rigged->subject.rig)).stretch;
  }
  beliefs.push_back(belief);
  const auto& [d, s] = std::pair(belief.distance, belief.stretch);
  spdlog::info(
      "{}: views agree {:.3f}, {} parts; CD-J2J x 1e-2 and stretch: usual {:.2f} {:.2f}, curve {:.2f} {:.2f}, "
      "parts {:.2f} {:.2f}{}",
      name, belief.agreement, belief.parts, 100 * d[0], s[0], 100 * d[1], s[1], 100 * d[2], s[2],
      belief.doubted ? "; no template is believed" : "");
  return Done{};
}

/// What would come of taking parts from so much agreement on, and else what `otherwise` says.
void add_threshold_row(const std::string& name, const std::vector<Belief>& all, Source otherwise, double least,
                       Report& report) {
  double distance = 0, stretch = 0;
  int taken = 0, better = 0;
  for (const Belief& b : all) {
    const bool parts = b.agreement >= least && b.parts >= 3;
    const auto i = static_cast<std::size_t>(parts ? kFromParts : otherwise), o = static_cast<std::size_t>(otherwise);
    distance += b.distance[i], stretch += b.stretch[i], taken += parts ? 1 : 0;
    better += parts && b.distance[kFromParts] < b.distance[o] ? 1 : 0;
  }
  const auto n = static_cast<double>(std::max<std::size_t>(all.size(), 1));
  report.rows.push_back({fmt::format("{}: parts from an agreement of {:.2f} on, else {}/CD-J2J", name, least,
                                     otherwise == kFromCurve ? "curves" : "as usual"),
                         100 * distance / n, "x1e-2", "",
                         fmt::format("{} of {} from parts, better for {} of them; stretch {:.2f}", taken, all.size(),
                                     better, stretch / n)});
}

}  // namespace

Status add_part_rig_rows(const PartsBench& bench, Report& report) {
  LIMBER_TRY(const anatomy::ReadBody reader, cli::open_body_reader());
  for (const bool artists : {false, true}) {
    std::array<RigScores, 3> scores;
    LIMBER_CHECK_OK(for_rigged(bench, BodySet::kTest, artists, [&](const asset::Asset& asset, const std::string& name) {
      return measure_rigs(asset, name, bench, reader, scores);
    }));
    add_rows(artists ? "artists' test rigs" : "zoo", scores, report);
  }
  return Done{};
}

Status add_belief_rows(const PartsBench& bench, Report& report) {
  LIMBER_TRY(const anatomy::ReadBody reader, cli::open_body_reader());
  std::vector<Belief> all;
  for (const bool artists : {false, true}) {
    LIMBER_CHECK_OK(
        for_rigged(bench, BodySet::kTuning, artists, [&](const asset::Asset& asset, const std::string& name) {
          return add_belief(asset, name, bench, reader, all);
        }));
  }
  std::vector<Belief> doubted = all;
  std::erase_if(doubted, [](const Belief& b) { return !b.doubted; });
  for (const double least : {-1.0, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 2.0}) {
    add_threshold_row("all bodies", all, kFromCurve, least, report);
    add_threshold_row("no template believed", doubted, kFromTemplates, least, report);
  }
  return Done{};
}

}  // namespace limber::bench
