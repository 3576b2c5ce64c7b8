// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::skeleton {
namespace {

constexpr double kSymmetric = 0.006;    // error of a plane that surely is one
constexpr double kAsymmetric = 0.02;    // ... and of one that surely is not
constexpr double kClearlyWorse = 0.01;  // difference of errors
constexpr double kPlaneNoise = 0.003;   // errors are hardly more exact than this
constexpr double kMirrorLimb = 0.06;    // of the size: how far the end of a limb may be from its partner's image
constexpr double kInPlane = 0.1;        // sine of the angle between an axis and a plane that it lies in
constexpr double kSameAxis = 0.995;     // cosine
constexpr double kSameWay = 0.95;       // ... of turns that are nearly the same

/// All rotations that take axes to axes.
std::vector<Mat3d> axis_turns() {
  std::vector<Mat3d> turns;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      if (a == b) continue;
      for (int signs = 0; signs < 4; ++signs) {
        Vec3d y, z;
        y[a] = (signs & 1) != 0 ? -1 : 1, z[b] = (signs & 2) != 0 ? -1 : 1;
        turns.push_back(Mat3d::from_columns(cross(y, z), y, z));
      }
    }
  }
  return turns;
}

/// A frame with the plane's normal as its first axis and, in the plane, the sides of the smallest box around the body:
/// what stands is flush with the ground.
Mat3d frame_of(const body::BodyShape& body, const body::MirrorPlane& plane) {
  const Vec3d n = plane.normal;
  const Vec3d u = normalized(cross(n, std::abs(n.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0})), v = cross(n, u);
  double best_area = std::numeric_limits<double>::infinity(), best_angle = 0;
  constexpr int kAngles = 90;
  for (int k = 0; k < kAngles; ++k) {
    const double angle = 0.5 * kPi * k / kAngles;
    const Vec3d p = std::cos(angle) * u + std::sin(angle) * v, q = cross(n, p);
    double p_low = 1e300, p_high = -1e300, q_low = 1e300, q_high = -1e300;
    for (const body::MedialSphere& s : body.graph.spheres) {
      p_low = std::min(p_low, dot(p, s.centre) - s.radius), p_high = std::max(p_high, dot(p, s.centre) + s.radius);
      q_low = std::min(q_low, dot(q, s.centre) - s.radius), q_high = std::max(q_high, dot(q, s.centre) + s.radius);
    }
    const double area = (p_high - p_low) * (q_high - q_low);
    if (area < best_area) best_area = area, best_angle = angle;
  }
  const Vec3d p = std::cos(best_angle) * u + std::sin(best_angle) * v;
  return Mat3d::from_columns(n, p, cross(n, p));
}

/// Frames with the plane's normal as their first axis: along the smallest box, and along axes of the file that lie in
/// the plane, as bodies are turned about the axis they stand on more often than they are tilted.
void add_frames(const body::BodyShape& body, const body::MirrorPlane& plane, std::vector<Mat3d>& frames) {
  const Mat3d boxed = frame_of(body, plane);
  frames.push_back(boxed);
  for (int a = 0; a < 3; ++a) {
    Vec3d axis;
    axis[a] = 1;
    if (std::abs(dot(axis, plane.normal)) > kInPlane) continue;
    const Vec3d along = normalized(axis - dot(axis, plane.normal) * plane.normal);
    const double aligned = std::max(std::abs(dot(along, boxed.column(1))), std::abs(dot(along, boxed.column(2))));
    if (aligned < kSameAxis) frames.push_back(Mat3d::from_columns(plane.normal, along, cross(plane.normal, along)));
  }
}

/// The plane across `side`; through the middle, and no mirror, where none was found.
body::MirrorPlane plane_across(const body::BodyShape& body, Vec3d side) {
  body::MirrorPlane best;
  for (const body::MirrorPlane& plane : body.planes) {
    if (std::abs(dot(plane.normal, side)) > 0.98 && plane.error < best.error) best = plane;
  }
  if (best.error == 1) {
    best.normal = side, best.offset = dot(side, body.sphere(body.centre).centre);
    return best;
  }
  if (dot(best.normal, side) < 0) best.normal = -best.normal, best.offset = -best.offset;
  return best;
}

/// How seldom files have a body stand and face like this: +Y up and +Z ahead, or +Z up and -Y ahead, are usual; lying
/// on the side is not, and standing on the head even less.
double unusual(Vec3d up, Vec3d ahead) {
  double rare = 0.8;
  if (up.y > 0.9) {
    rare = 0;
  } else if (up.z > 0.9) {
    rare = 0.3;
  } else if (up.y < -0.9 || up.z < -0.9) {
    rare = 1.6;
  }
  return rare + (ahead.z > 0.9 || (up.z > 0.9 && ahead.y < -0.9) ? 0 : 0.3);
}

/// 0 to 1: whether limbs have mirror images. Legs that stride apart hardly change how well surfaces agree, but must not
/// be taken for partners in a mirror.
double limb_symmetry(const body::BodyShape& body, const body::MirrorPlane& plane) {
  double total = 0, matched = 0;
  for (const body::Tip& tip : body.tips) {
    if (tip.length < body::kLimbRatio * body.sphere(tip.fork).radius) continue;
    const Vec3d image = plane.mirror(body.sphere(tip.sphere).centre);
    const bool known = std::any_of(body.tips.begin(), body.tips.end(), [&](const body::Tip& other) {
      return norm(body.sphere(other.sphere).centre - image) < kMirrorLimb * body.size;
    });
    total += tip.length;
    if (known) matched += tip.length;
  }
  return total > 0 ? std::clamp((matched / total - 0.4) / 0.4, 0.0, 1.0) : 1;
}

}  // namespace

std::vector<Turn> find_turns(const body::BodyShape& body, const std::optional<Vec3d>& forward,
                             const std::optional<Mat3d>& read) {
  double best_axis = 1, best_any = 1;
  const body::MirrorPlane* tilted = nullptr;
  for (std::size_t k = 0; k < body.planes.size(); ++k) {
    best_any = std::min(best_any, body.planes[k].error);
    if (k < 3) best_axis = std::min(best_axis, body.planes[k].error);
    if (k >= 3 && (tilted == nullptr || body.planes[k].error < tilted->error)) tilted = &body.planes[k];
  }
  std::vector<Mat3d> frames;
  const bool own_frame = tilted != nullptr && tilted->error < kSymmetric && best_axis > 2 * tilted->error + 0.003;
  if (own_frame) {
    add_frames(body, *tilted, frames);
  } else {
    frames.push_back(Mat3d::identity());
    if (tilted != nullptr && tilted->error < 0.6 * best_axis) add_frames(body, *tilted, frames);
  }
  std::vector<Turn> turns;
  auto add = [&](const Mat3d& body_from_template) {
    Turn entry;
    entry.body_from_template = body_from_template;
    const Vec3d up = entry.body_from_template.column(1), ahead = entry.body_from_template.column(2);
    if (forward && dot(normalized(*forward), ahead) < 0.75) return;
    entry.plane = plane_across(body, entry.body_from_template.column(0));
    if (best_any < kSymmetric && entry.plane.error > best_any + kClearlyWorse) return;
    entry.plane.error = std::min(entry.plane.error, 2 * kAsymmetric);
    entry.worse_mirror = std::max(1.0, (entry.plane.error + kPlaneNoise) / (best_any + kPlaneNoise));
    entry.symmetric = std::clamp((kAsymmetric - entry.plane.error) / (kAsymmetric - kSymmetric), 0.0, 1.0);
    if (entry.symmetric > 0) entry.symmetric *= limb_symmetry(body, entry.plane);
    entry.unusual = unusual(up, ahead);
    turns.push_back(entry);
  };
  for (const Mat3d& frame : frames) {
    for (const Mat3d& turn : axis_turns()) add(frame * turn);
  }
  const bool known = !read || std::any_of(turns.begin(), turns.end(), [&](const Turn& turn) {
    return dot(turn.body_from_template.column(1), read->column(1)) > kSameWay &&
           dot(turn.body_from_template.column(2), read->column(2)) > kSameWay;
  });
  if (!known) add(*read);
  return turns;
}

}  // namespace limber::skeleton
