// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skin/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "limber/base/at.h"
#include "limber/base/threads.h"
#include "limber/body/triangle_bvh.h"
#include "limber/skin/coarse_surface.h"
#include "limber/skin/diffusion.h"
#include "limber/skin/from_labels.h"
#include "limber/skin/heat.h"
#include "limber/skin/loose_pieces.h"
#include "limber/skin/voxel.h"

namespace limber::skin {
namespace {

constexpr double kMuchBleed = 0.15;         ///< from which on the other solvers are tried
constexpr double kMuchHidden = 0.5;         ///< share of a piece that sees no bone, likewise
constexpr double kBetter = 0.8;             ///< another solver must have at most this much of the score to win
constexpr double kStarving = 1e-3;          ///< share of the surface
constexpr float kToken = 0.02f;             ///< share of one point that a bone gets which has nothing else
constexpr std::size_t kMaxSolved = 160000;  ///< points; beyond, factorising the matrix would take most of the time
constexpr std::size_t kCoarse = 80000;      ///< points of the surface that is solved instead

constexpr std::array<std::string_view, 4> kNames{"auto", "heat", "voxel", "parts"};

using Rows = std::vector<std::vector<rig::Influence>>;

/// Everything about one surface while it is solved.
class SkinSolver {
 public:
  SkinSolver(const SkinBody& body, std::span<const SkinJoint> joints, const SkinSettings& settings)
      : body_(body),
        joints_(joints),
        settings_(settings),
        bones_(skin_bones(body, joints)),
        binding_(bind_to_bones(body, bones_)),
        loose_(find_loose_pieces(body, bones_, binding_)),
        machine_(settings.method == SkinMethod::kAuto && is_machine(body, bones_.size())) {}

  Rows run(SkinReport& report);
  const std::vector<SkinBone>& bones() const { return bones_; }

 private:
  Rows solve(SkinMethod method) const;
  void choose(Rows& rows, SkinReport& report) const;
  void take_piece(const Rows& from, std::size_t piece, Rows& rows) const;
  std::vector<double> hidden_shares() const;
  void finish(Rows& rows, SkinReport& report) const;
  std::vector<int> feed_empty(Rows& rows) const;

  const SkinBody& body_;
  std::span<const SkinJoint> joints_;
  const SkinSettings& settings_;
  std::vector<SkinBone> bones_;
  BoneBinding binding_;
  std::vector<bool> loose_;
  bool machine_;  ///< its pieces are not to bend
};

Rows SkinSolver::solve(SkinMethod method) const {
  Rows rows;
  if (method == SkinMethod::kVoxel) {
    VoxelSettings voxel;
    voxel.falloff = settings_.falloff;
    rows = skin_voxel(body_, bones_, voxel);
  } else if (method == SkinMethod::kParts) {
    rows = skin_parts(body_, bones_, parts_of(binding_), {settings_.softness});
  } else {
    rows = skin_heat(body_, bones_, binding_, {settings_.stiffness});
  }
  attach_loose_pieces(body_, loose_, rows);
  return rows;
}

std::vector<double> SkinSolver::hidden_shares() const {
  std::vector<double> hidden(loose_.size(), 0), count(loose_.size(), 0);
  for (std::size_t v = 0; v < binding_.hidden.size(); ++v) {
    const std::size_t piece = at(body_.surface.component[v]);
    ++count[piece];
    if (binding_.hidden[v]) ++hidden[piece];
  }
  for (std::size_t k = 0; k < hidden.size(); ++k) hidden[k] /= std::max(count[k], 1.0);
  return hidden;
}

void SkinSolver::take_piece(const Rows& from, std::size_t piece, Rows& rows) const {
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (at(body_.surface.component[v]) == piece && !from[v].empty()) rows[v] = from[v];
  }
}

/// Looks for something better where heat does badly. `rows` are heat's.
void SkinSolver::choose(Rows& rows, SkinReport& report) const {
  const std::vector<double> hidden = hidden_shares();
  std::vector<std::size_t> doubtful;
  for (std::size_t k = 0; k < report.pieces.size(); ++k) {
    PieceReport& piece = report.pieces[k];
    if (piece.loose) continue;
    if (piece.scores.bleed > kMuchBleed) {
      piece.reason = fmt::format("heat lets {:.0f} % of the weight bleed across gaps", 100 * piece.scores.bleed);
    } else if (hidden[k] > kMuchHidden) {
      piece.reason = fmt::format("{:.0f} % of it sees no bone", 100 * hidden[k]);
    } else {
      piece.reason = "heat passes the range of motion";
      continue;
    }
    doubtful.push_back(k);
  }
  if (doubtful.empty()) return;
  for (const SkinMethod method : {SkinMethod::kVoxel, SkinMethod::kParts}) {
    const Rows other = solve(method);
    const std::vector<MotionScores> scores = range_of_motion(body_, joints_, bones_, other);
    for (const std::size_t k : doubtful) {
      PieceReport& piece = report.pieces[k];
      if (scores[k].total() > kBetter * piece.scores.total()) continue;
      piece.reason += fmt::format("; {} bends better ({:.3f} instead of {:.3f})", name_of(method), scores[k].total(),
                                  piece.scores.total());
      piece.method = method;
      piece.scores = scores[k];
      take_piece(other, k, rows);
    }
  }
  for (const std::size_t k : doubtful) {
    if (report.pieces[k].method == SkinMethod::kHeat) report.pieces[k].reason += "; voxels and parts are no better";
  }
}

/// No bone stays without any weight: programs take empty groups for a failure. It gets so little of its nearest point
/// that nobody sees it (a root on the ground must not hold a foot). Returns the bones.
std::vector<int> SkinSolver::feed_empty(Rows& rows) const {
  std::vector<std::size_t> points_of(bones_.size(), 0);
  for (const std::vector<rig::Influence>& row : rows) {
    for (const rig::Influence& influence : row) ++points_of[influence.bone];
  }
  std::vector<int> fed;
  std::vector<char> taken(rows.size(), 0);
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    if (points_of[b] > 0) continue;
    std::size_t nearest = rows.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < rows.size(); ++v) {
      // What a full row would lose must have other points.
      if (taken[v] || (rows[v].size() >= at(settings_.influences) && points_of[rows[v].back().bone] < 2)) continue;
      for (const body::Segment& segment : bones_[b].segments) {
        const Vec3d p = body_.surface.points[v];
        const double distance = squared_norm(p - body::closest_on_segment(p, segment));
        if (distance < least) least = distance, nearest = v;
      }
    }
    if (nearest == rows.size()) continue;
    std::vector<rig::Influence>& row = rows[nearest];
    if (row.size() >= at(settings_.influences)) --points_of[row.back().bone], row.pop_back();
    float sum = 0;
    for (const rig::Influence& influence : row) sum += influence.weight;
    for (rig::Influence& influence : row) influence.weight *= (1 - kToken) / sum;
    row.push_back({static_cast<std::uint16_t>(b), kToken});
    ++points_of[b];
    taken[nearest] = 1;
    fed.push_back(static_cast<int>(b));
  }
  return fed;
}

/// No row stays empty; small weights go.
void SkinSolver::finish(Rows& rows, SkinReport& report) const {
  for (std::size_t v = 0; v < rows.size(); ++v) {
    std::vector<rig::Influence>& row = rows[v];
    if (row.empty()) {
      row = {{static_cast<std::uint16_t>(binding_.bones[v][0]), 1.0f}};
      ++report.unreached;
    }
    const auto least = static_cast<float>(settings_.prune) * row[0].weight;
    row.erase(std::remove_if(row.begin() + 1, row.end(), [least](const rig::Influence& i) { return i.weight < least; }),
              row.end());
    if (row.size() > at(settings_.influences)) ++report.trimmed;
    keep_heaviest(row, at(settings_.influences));
    double sum = 0;
    for (const rig::Influence& influence : row) sum += influence.weight;
    for (rig::Influence& influence : row) influence.weight = static_cast<float>(influence.weight / sum);
  }
  std::vector<int> fed = feed_empty(rows);
  fed.insert(fed.end(), binding_.fed.begin(), binding_.fed.end());
  std::sort(fed.begin(), fed.end());
  fed.erase(std::unique(fed.begin(), fed.end()), fed.end());
  std::vector<double> held(joints_.size(), 0);
  double total = 0;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    for (const rig::Influence& influence : rows[v]) {
      held[at(bones_[influence.bone].joint)] += body_.areas[v] * influence.weight;
    }
    total += body_.areas[v];
  }
  for (const SkinBone& bone : bones_) {
    if (bone.guessed_tail) report.guessed_tails.push_back(bone.joint);
    if (held[at(bone.joint)] < kStarving * total) report.starving_joints.push_back(bone.joint);
  }
  for (const int bone : fed) report.fed_joints.push_back(bones_[at(bone)].joint);
}

Rows SkinSolver::run(SkinReport& report) {
  const SkinMethod first = settings_.method == SkinMethod::kAuto ? SkinMethod::kHeat : settings_.method;
  Rows rows = solve(first);
  if (machine_) stiffen_pieces(body_, binding_, rows);
  report.pieces.resize(loose_.size());
  for (const int piece : body_.surface.component) ++report.pieces[at(piece)].points;
  const std::vector<MotionScores> scores = range_of_motion(body_, joints_, bones_, rows);
  for (std::size_t k = 0; k < loose_.size(); ++k) {
    PieceReport& piece = report.pieces[k];
    piece.method = first;
    piece.loose = loose_[k];
    piece.scores = scores[k];
    piece.reason = loose_[k] ? "no bone is inside; follows the body where it touches it" : "asked for";
  }
  if (machine_) {
    for (PieceReport& piece : report.pieces) piece.reason = "a part of a machine: follows one bone if it can";
  } else if (settings_.method == SkinMethod::kAuto) {
    choose(rows, report);
  }
  finish(rows, report);
  return rows;
}

}  // namespace

Result<SkinMethod> skin_method(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return Error{fmt::format("'{}' is none of auto, heat, voxel and parts", name), "weights"};
  return static_cast<SkinMethod>(found - kNames.begin());
}

std::string_view name_of(SkinMethod method) { return kNames[static_cast<std::size_t>(method)]; }

SkinResult solve_skin(std::span<const Vec3> points, std::span<const body::Triangle> triangles,
                      std::span<const SkinJoint> joints, const SkinSettings& settings) {
  LIMBER_EXPECT(settings.influences == 4 || settings.influences == 8,
                fmt::format("{} influences", settings.influences));
  LIMBER_EXPECT(joints.size() <= std::numeric_limits<std::uint16_t>::max(), fmt::format("{} joints", joints.size()));
  LIMBER_EXPECT(std::any_of(joints.begin(), joints.end(), [](const SkinJoint& joint) { return joint.deforms; }),
                "no joint deforms");
  SkinResult result;
  body::WeldedSurface surface = body::weld(points, triangles);
  if (surface.points.size() > kMaxSolved) {
    // Weights are smooth: a finer surface has none of its own.
    const CoarseSurface coarse = coarsen(surface, kCoarse);
    if (coarse.points.size() < surface.points.size() && !coarse.triangles.empty()) {
      surface = {};
      result = solve_skin(coarse.points, coarse.triangles, joints, settings);
      result.weights = transfer_skin(coarse.points, coarse.triangles, result.weights, points);
      return result;
    }
  }
  const SkinBody body = make_skin_body(std::move(surface), settings.solid);
  SkinSolver solver(body, joints, settings);
  const Rows rows = solver.run(result.report);
  Rows per_point(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const rig::Influence& influence : rows[body.surface.welded[i]]) {
      const int joint = solver.bones()[influence.bone].joint;
      per_point[i].push_back({static_cast<std::uint16_t>(joint), influence.weight});
    }
  }
  result.weights = rig::make_skin_weights(per_point, settings.influences);
  return result;
}

rig::SkinWeights transfer_skin(std::span<const Vec3> points, std::span<const body::Triangle> triangles,
                               const rig::SkinWeights& weights, std::span<const Vec3> queries) {
  LIMBER_EXPECT(weights.points() == points.size(), fmt::format("{} rows, {} points", weights.points(), points.size()));
  std::vector<Vec3d> places;
  for (const Vec3& p : points) places.push_back(p.cast<double>());
  // A cloud of points is one of triangles of no size.
  std::vector<body::Triangle> corners(triangles.begin(), triangles.end());
  for (std::uint32_t v = 0; triangles.empty() && v < points.size(); ++v) corners.push_back({v, v, v});
  const body::TriangleBvh search(places, corners);
  const auto stride = at(weights.stride);
  Rows rows(queries.size());
  parallel_for(queries.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto nearest = search.closest(queries[i].cast<double>());
      for (int k = 0; nearest && k < 3; ++k) {
        const std::size_t row = corners[nearest->triangle][at(k)] * stride;
        for (std::size_t s = row; s < row + stride; ++s) {
          const auto weight = static_cast<float>(nearest->barycentric[k] * weights.weights[s]);
          if (weight > 0) rows[i].push_back({weights.bones[s], weight});
        }
      }
    }
  });
  return rig::make_skin_weights(rows, weights.stride);
}

}  // namespace limber::skin
