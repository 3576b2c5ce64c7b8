// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/settle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "limber/base/at.h"
#include "limber/physics/dynamics.h"
#include "limber/physics/rotation.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kTouch = 0.07;   ///< heights above the lowest point: what touches it, for all that pictures tell
constexpr double kLean = 0.1;     ///< heights that the weight may be beside what bears it: so much, legs can hold
constexpr double kSlow = 0.3;     ///< heights a second: what goes faster need not fall
constexpr double kHeld = 0.2;     ///< seconds before and after that it has to stay so
constexpr double kEven = 0.12;    ///< seconds over which turns are evened out
constexpr double kReach = 0.06;   ///< heights from the edge: nearer points do not come down by turning
constexpr double kMostTip = 0.8;  ///< radians
constexpr int kRounds = 2;        ///< a body may fall on one side first, then on another

/// A frame beyond the ends: around the corner for loops, else the nearest one.
int source_of(int frame, int frames, bool loops) {
  return loops ? ((frame % frames) + frames) % frames : std::clamp(frame, 0, frames - 1);
}

/// Where the weight is beside what bears it, in one frame.
struct Stand {
  Vec3d edge;      ///< on the ground: the point of what bears the weight that is nearest to below it
  Vec3d way;       ///< unit, along the ground, from there to below the centre of mass
  double off = 0;  ///< how far that is; 0: it is above what bears it
};

Vec3d nearest_on(Vec3d a, Vec3d b, Vec3d p) {
  const Vec3d along = b - a;
  const double length = squared_norm(along);
  return length > 0 ? a + std::clamp(dot(p - a, along) / length, 0.0, 1.0) * along : a;
}

/// Whether a place on the ground is among others: no half of the directions around it is empty.
bool is_among(Vec3d place, const std::vector<Vec3d>& others) {
  std::vector<double> turns;
  for (const Vec3d& other : others) turns.push_back(std::atan2(other.z - place.z, other.x - place.x));
  std::sort(turns.begin(), turns.end());
  double widest = turns.front() + 2 * kPi - turns.back();
  for (std::size_t i = 1; i < turns.size(); ++i) widest = std::max(widest, turns[i] - turns[i - 1]);
  return widest < kPi;
}

Stand stand_on(Vec3d centre, const std::vector<Vec3d>& bearing) {
  centre.y = 0;
  if (bearing.empty() || is_among(centre, bearing)) return {};
  Stand stand;
  stand.off = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < bearing.size(); ++i) {
    for (std::size_t k = i; k < bearing.size(); ++k) {
      const Vec3d edge = nearest_on(bearing[i], bearing[k], centre);
      const double off = norm(centre - edge);
      if (off < stand.off) stand.off = off, stand.edge = edge;
    }
  }
  stand.way = normalized(centre - stand.edge, Vec3d{0, 0, 1});
  return stand;
}

/// Centre of mass of a position.
Vec3d centre_of(const Model& model, Workspace& work, std::span<const double> position) {
  std::vector<Affined> poses(model.bodies.size());
  body_poses<double>(model, work, position, poses);
  Vec3d sum;
  for (std::size_t b = 0; b < poses.size(); ++b) sum += model.bodies[b].mass * (poses[b] * model.bodies[b].centre);
  return sum / model.total_mass();
}

/// Where everything is in a frame.
struct Scene {
  Vec3d centre;
  std::vector<Vec3d> points;  ///< that may bear weight
};

/// Which of the points touch the ground below the lowest one.
std::vector<bool> find_touching(const SettleInput& input, const Scene& scene) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3d& p : scene.points) lowest = std::min(lowest, p.y);
  std::vector<bool> touching;
  for (const Vec3d& p : scene.points) touching.push_back(p.y < lowest + kTouch * input.height);
  return touching;
}

Stand stand_of(const SettleInput& input, const Scene& scene) {
  const std::vector<bool> touching = find_touching(input, scene);
  std::vector<Vec3d> bearing;
  for (std::size_t p = 0; p < scene.points.size(); ++p) {
    if (touching[p]) bearing.push_back({scene.points[p].x, 0, scene.points[p].z});
  }
  return stand_on(scene.centre, bearing);
}

/// How far the weight would be beside its feet if none of them were raised; none where it does not stand on any.
/// `feet`: the points that touch the ground at rest.
std::optional<double> off_all_feet(const SettleInput& input, const Scene& scene, const std::vector<bool>& feet) {
  const std::vector<bool> touching = find_touching(input, scene);
  std::vector<Vec3d> bearing;
  bool stands = false;
  for (std::size_t p = 0; p < scene.points.size(); ++p) {
    if (feet[p] || touching[p]) bearing.push_back({scene.points[p].x, 0, scene.points[p].z});
    stands = stands || (feet[p] && touching[p]);
  }
  return stands ? std::optional(stand_on(scene.centre, bearing).off) : std::nullopt;
}

/// How far a body has to turn over its edge until something else touches the ground.
double tip_of(const SettleInput& input, const Scene& scene, const Stand& stand) {
  double tip = kMostTip;
  for (const Vec3d& p : scene.points) {
    const double along = dot(p - stand.edge, stand.way);
    if (along > kReach * input.height) tip = std::min(tip, std::atan2(std::max(p.y, 0.0), along));
  }
  return tip;
}

std::vector<Scene> look(const SettleInput& input, std::span<const double> positions) {
  const std::size_t stride = input.model.position_count(), count = input.model.points.size();
  const std::vector<Vec3d> points = contact_points(input.model, positions);
  Workspace work(input.model);
  std::vector<Scene> scenes(positions.size() / stride);
  for (std::size_t f = 0; f < scenes.size(); ++f) {
    scenes[f].centre = centre_of(input.model, work, positions.subspan(f * stride, stride));
    for (std::size_t p = 0; p < count; ++p) {
      if (input.bears[p]) scenes[f].points.push_back(points[f * count + p]);
    }
  }
  return scenes;
}

/// Frames that would fall, and not for a moment, as those who go do in every step.
std::vector<bool> find_unsettled(const SettleInput& input, const std::vector<Scene>& scenes,
                                 const std::vector<Stand>& stands) {
  const int frames = static_cast<int>(scenes.size()), reach = std::max(1, static_cast<int>(kHeld * input.fps));
  const std::vector<Scene> rest = look(input, input.rest);
  const double most = (kLean * input.height) + stand_of(input, rest.front()).off;
  const std::vector<bool> feet = find_touching(input, rest.front());
  std::vector<bool> falls(scenes.size()), unsettled(scenes.size());
  for (int f = 0; f < frames; ++f) {
    const int a = std::max(f - reach, 0), b = std::min(f + reach, frames - 1);
    Vec3d way = scenes[at(b)].centre - scenes[at(a)].centre;
    way.y = 0;
    const bool slow = !input.goes || norm(way) * input.fps / std::max(b - a, 1) < kSlow * input.height;
    falls[at(f)] = slow && !input.flight[at(f)] && stands[at(f)].off > most &&
                   off_all_feet(input, scenes[at(f)], feet).value_or(stands[at(f)].off) > most;
  }
  for (int f = 0; f < frames; ++f) {
    bool held = true;
    for (int g = f - reach; g <= f + reach; ++g) held = held && falls[at(source_of(g, frames, input.loops))];
    unsettled[at(f)] = held;
  }
  return unsettled;
}

/// Mean over time, a Gaussian. `round`: what a value gains each time that a loop goes round; none: it is no loop.
std::vector<Vec3d> evened(const std::vector<Vec3d>& values, double sigma, std::optional<Vec3d> round) {
  const int count = static_cast<int>(values.size()), reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<Vec3d> result(values.size());
  for (int f = 0; f < count; ++f) {
    double total = 0;
    for (int k = -reach; k <= reach; ++k) {
      const double weight = std::exp(-0.5 * k * k / (sigma * sigma));
      const int source = source_of(f + k, count, round.has_value());
      const double turns = round ? std::floor(double(f + k) / count) : 0;
      result[at(f)] += weight * (values[at(source)] + turns * round.value_or(Vec3d{})), total += weight;
    }
    result[at(f)] = result[at(f)] / total;
  }
  return result;
}

/// Of frames without a value that of the nearest one that has it; `round` as above.
std::vector<Vec3d> filled(const std::vector<std::optional<Vec3d>>& values, std::optional<Vec3d> round) {
  const int count = static_cast<int>(values.size());
  std::vector<Vec3d> result(values.size());
  for (int f = 0; f < count; ++f) {
    for (int k = 0; k < 2 * count; ++k) {
      const int nearest = k % 2 == 0 ? f + k / 2 : f - (k + 1) / 2;
      const auto& value = values[at(source_of(nearest, count, round.has_value()))];
      if (!value) continue;
      result[at(f)] = round ? *value + std::floor(double(nearest) / count) * *round : *value;
      break;
    }
  }
  return result;
}

/// How far a loop gets each time that it goes round: its last frame is a frame before its end.
std::optional<Vec3d> round_of(const SettleInput& input, std::span<const double> positions) {
  const std::size_t stride = input.model.position_count(), last = positions.size() / stride - 1;
  if (!input.loops || last == 0) return std::nullopt;
  const std::span<const double> end = positions.subspan(last * stride, stride);
  const Vec3d step{end[0] - positions[0], 0, end[2] - positions[2]};
  return step + step / static_cast<double>(last);
}

bool settle_once(const SettleInput& input, std::vector<double>& positions) {
  const std::vector<Scene> scenes = look(input, positions);
  std::vector<Stand> stands;
  for (const Scene& scene : scenes) stands.push_back(stand_of(input, scene));
  const std::vector<bool> unsettled = find_unsettled(input, scenes, stands);
  if (std::find(unsettled.begin(), unsettled.end(), true) == unsettled.end()) return false;
  std::vector<Vec3d> turns(scenes.size());
  std::vector<std::optional<Vec3d>> known(scenes.size());
  for (std::size_t f = 0; f < scenes.size(); ++f) {
    if (!unsettled[f]) continue;
    turns[f] = tip_of(input, scenes[f], stands[f]) * cross(Vec3d{0, 1, 0}, stands[f].way);
    known[f] = stands[f].edge;
  }
  const std::optional<Vec3d> round = round_of(input, positions);
  turns = evened(turns, kEven * input.fps, round ? std::optional(Vec3d{}) : std::nullopt);
  const std::vector<Vec3d> edges = evened(filled(known, round), kEven * input.fps, round);
  const std::size_t stride = input.model.position_count();
  for (std::size_t f = 0; f < scenes.size(); ++f) {
    const std::span<double> q = std::span(positions).subspan(f * stride, stride);
    const Quatd turn = rotation_quat(turns[f]);
    const Vec3d place = edges[f] + to_matrix(turn) * (Vec3d{q[0], q[1], q[2]} - edges[f]);
    const Quatd turned = normalized(turn * Quatd{q[3], q[4], q[5], q[6]});
    q[0] = place.x, q[1] = place.y, q[2] = place.z;
    q[3] = turned.x, q[4] = turned.y, q[5] = turned.z, q[6] = turned.w;
  }
  return true;
}

}  // namespace

bool settle(const SettleInput& input, std::vector<double>& positions) {
  bool turned = false;
  for (int round = 0; round < kRounds && settle_once(input, positions); ++round) turned = true;
  return turned;
}

}  // namespace limber::physics
