// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/scan_energy.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/skinning.h"

namespace limber::pose_space {
namespace {

constexpr double kBeside = 0.5;      // cosine: what lies farther beside a scan than before it is over a hole
constexpr double kTouching = 0.005;  // heights: nearer than this, where something lies says nothing

kinematics::SkinInput skin_input(const rig::Subject& subject, std::span<const Affine> bones, int frames) {
  kinematics::SkinInput input;
  input.weights = &subject.weights, input.points = subject.points, input.bones = bones;
  input.frame_count = frames, input.bone_count = subject.rig.bone_count();
  return input;
}

/// From gradients on posed points to those on the motion.
void points_backward(const rig::Subject& subject, const kinematics::Motion& motion, std::span<const Vec3> grad_points,
                     kinematics::MotionGradient& gradient) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  Affine zero;
  zero.linear = {};
  std::vector<Affine> grad_bones(bones.size(), zero);
  kinematics::SkinGradient from;
  from.points = grad_points;
  kinematics::SkinInputGradient to;
  to.bones = grad_bones;
  kinematics::skin_backward(skin_input(subject, bones, motion.frame_count()), from, to);
  kinematics::motion_backward(subject.rig, motion, grad_bones, gradient);
}

Vec3d place_of(std::span<const Vec3> posed, const BodyPoint& point) {
  return point.shares.x * posed[point.corners[0]].cast<double>() +
         point.shares.y * posed[point.corners[1]].cast<double>() +
         point.shares.z * posed[point.corners[2]].cast<double>();
}

Vec3d normal_of(std::span<const Vec3> posed, const std::array<std::uint32_t, 3>& t) {
  const Vec3d a = posed[t[0]].cast<double>();
  return normalized(cross(posed[t[1]].cast<double>() - a, posed[t[2]].cast<double>() - a));
}

body::TriangleBvh tree_of(const rig::Subject& subject, std::span<const Vec3> posed) {
  std::vector<Vec3d> points;
  points.reserve(posed.size());
  for (const Vec3& p : posed) points.push_back(p.cast<double>());
  return {points, subject.triangles};
}

}  // namespace

std::vector<Vec3> posed_points(const rig::Subject& subject, const kinematics::Motion& motion) {
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  std::vector<Vec3> posed(subject.points.size() * at(motion.frame_count()));
  kinematics::skin_forward(skin_input(subject, bones, motion.frame_count()), {posed, {}, {}});
  return posed;
}

double ScanEnergy::add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const {
  LIMBER_EXPECT(matches_.size() == at(motion.frame_count()), std::to_string(matches_.size()));
  kinematics::size_gradient(motion, gradient);
  const std::vector<Vec3> posed = posed_points(subject_, motion);
  std::vector<Vec3> grad_points(posed.size());
  const std::size_t count = subject_.points.size();
  const double share = 1 / static_cast<double>(std::max<std::size_t>(matches_.size(), 1));
  const double squared_scale = scale_ * scale_;
  double sum = 0;
  for (std::size_t f = 0; f < matches_.size(); ++f) {
    const std::span<const Vec3> frame = std::span<const Vec3>(posed).subspan(f * count, count);
    for (const ScanMatch& match : matches_[f]) {
      const Vec3d away = place_of(frame, match.body) - match.scan.place;
      const double before = dot(away, match.scan.normal);
      const double squared = slide_ * squared_norm(away) + (1 - slide_) * before * before;
      const double beyond = squared + squared_scale, weight = share * match.weight;
      sum += weight * squared / beyond;
      const double slope = scale * weight * squared_scale / (beyond * beyond);
      const Vec3d pull = (2 * slope) * (slide_ * away + (1 - slide_) * before * match.scan.normal);
      for (int k = 0; k < 3; ++k)
        grad_points[f * count + match.body.corners[at(k)]] += (match.body.shares[k] * pull).cast<float>();
    }
  }
  points_backward(subject_, motion, grad_points, gradient);
  return sum;
}

EdgeEnergy::EdgeEnergy(const rig::Subject& subject) : subject_(subject) {
  const std::vector<Vec3> rest = posed_points(subject, kinematics::rest_motion(subject.rig, 1, 24));
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  double sum = 0;
  for (const auto& t : subject.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(t[k], t[(k + 1) % 3]);
      const double length = static_cast<double>(norm(rest[a] - rest[b]));
      // An edge without length has no direction to be stretched in.
      if (!(length > 0) || !seen.emplace(a, b).second) continue;
      edges_.push_back({a, b, length}), sum += length;
    }
  }
  if (!edges_.empty()) mean_ = sum / static_cast<double>(edges_.size());
}

double EdgeEnergy::add(const kinematics::Motion& motion, double scale, kinematics::MotionGradient& gradient) const {
  kinematics::size_gradient(motion, gradient);
  if (edges_.empty() || motion.frame_count() == 0) return 0;
  const std::vector<Vec3> posed = posed_points(subject_, motion);
  std::vector<Vec3> grad_points(posed.size());
  const double share = 1 / (static_cast<double>(edges_.size()) * motion.frame_count() * mean_ * mean_);
  double sum = 0;
  for (int f = 0; f < motion.frame_count(); ++f) {
    const std::size_t first = at(f) * subject_.points.size();
    for (const Edge& edge : edges_) {
      const Vec3d way = (posed[first + edge.a] - posed[first + edge.b]).cast<double>();
      const double length = norm(way), change = length - edge.length;
      sum += share * change * change;
      if (!(length > 0)) continue;
      const Vec3 pull = ((2 * scale * share * change / length) * way).cast<float>();
      grad_points[first + edge.a] += pull, grad_points[first + edge.b] -= pull;
    }
  }
  points_backward(subject_, motion, grad_points, gradient);
  return sum;
}

std::vector<ScanMatch> match_scan(const rig::Subject& subject, std::span<const Vec3> posed, const Scan& scan,
                                  std::span<const BodyPoint> places, const MatchSettings& settings) {
  const body::TriangleBvh tree = tree_of(subject, posed);
  std::vector<ScanMatch> matches;
  const double scan_share = 1 / static_cast<double>(std::max<std::size_t>(scan.samples().size(), 1));
  for (const FacingPoint& sample : scan.samples()) {
    const auto found = tree.closest(sample.place, settings.farthest);
    if (!found) continue;
    const auto& corners = subject.triangles[found->triangle];
    const double agree = dot(sample.normal, normal_of(posed, corners));
    if (agree > 0) matches.push_back({{corners, found->barycentric}, sample, scan_share * agree});
  }
  if (!(settings.body_weight > 0) || places.empty()) return matches;
  const double body_share = settings.body_weight / static_cast<double>(places.size());
  for (const BodyPoint& point : places) {
    const Vec3d place = place_of(posed, point);
    const auto found = scan.nearest(place, settings.farthest);
    if (!found) continue;
    const double agree = dot(found->normal, normal_of(posed, point.corners));
    const Vec3d way = place - found->place;
    const double distance = norm(way);
    const bool beside = distance > kTouching && std::abs(dot(way, found->normal)) < kBeside * distance;
    if (agree > 0 && !beside) matches.push_back({point, *found, body_share * agree});
  }
  return matches;
}

ScanDistance scan_distance(const rig::Subject& subject, std::span<const Vec3> posed, const Scan& scan,
                           std::span<const BodyPoint> places, std::size_t every) {
  LIMBER_EXPECT(every > 0, "every 0");
  const body::TriangleBvh tree = tree_of(subject, posed);
  ScanDistance distance;
  double samples = 0, looked = 0;
  for (std::size_t i = 0; i < scan.samples().size(); i += every, samples += 1) {
    const auto found = tree.closest(scan.samples()[i].place);
    if (!found) continue;
    distance.scan_to_body += found->distance;
    distance.explained += found->distance < kExplained ? 1 : 0;
  }
  for (std::size_t i = 0; i < places.size(); i += every, looked += 1) {
    const Vec3d place = place_of(posed, places[i]);
    if (const auto found = scan.nearest(place, 1e9)) distance.body_to_scan += norm(place - found->place);
  }
  distance.scan_to_body /= std::max(samples, 1.0), distance.explained /= std::max(samples, 1.0);
  distance.body_to_scan /= std::max(looked, 1.0);
  return distance;
}

}  // namespace limber::pose_space
