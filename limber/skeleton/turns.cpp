// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/body/limbs.h"

namespace limber::skeleton {
namespace {

// All set by hand, on the zoo and the shared models.
constexpr double kSymmetric = 0.006;    // error of a plane that surely is one
constexpr double kAsymmetric = 0.02;    // ... and of one that surely is not
constexpr double kClearlyWorse = 0.01;  // difference of errors
constexpr double kPlaneNoise = 0.003;   // errors are hardly more exact than this
constexpr double kClearlyTilted = 2;    // times its error: where planes across axes are worse, they are left out
constexpr double kRatherTilted = 0.6;   // of the error across axes: below, a tilted plane is tried as well
constexpr double kLeastMatched = 0.4;   // share of the limbs, by length, below which none have images ...
constexpr double kMostMatched = 0.8;    // ... and above which all have
constexpr double kInPlane = 0.1;        // sine of the angle between an axis and a plane that it lies in
constexpr double kSameAxis = 0.995;     // cosine
constexpr double kAcross = 0.98;        // cosine between a plane's normal and a side that it is across
constexpr double kSameTurn = 0.95;      // cosine of turns that are nearly the same
constexpr double kFaces = 0.75;         // cosine to a forward that was given
constexpr double kAligned = 0.9;        // cosine to an axis of the file
constexpr std::size_t kAxes = 3;        // the first planes of a body are those across the axes

// How unusual it is for files to have a body so: what limber was shown has it standing, or standing with +Z up.
constexpr double kOnItsSide = 0.8, kZUp = 0.3, kUpsideDown = 1.6, kNotAhead = 0.3;

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
    if (std::abs(dot(plane.normal, side)) > kAcross && plane.error < best.error) best = plane;
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
  double rare = kOnItsSide;
  if (up.y > kAligned) {
    rare = 0;
  } else if (up.z > kAligned) {
    rare = kZUp;
  } else if (up.y < -kAligned || up.z < -kAligned) {
    rare = kUpsideDown;
  }
  return rare + (ahead.z > kAligned || (up.z > kAligned && ahead.y < -kAligned) ? 0 : kNotAhead);
}

/// 0 to 1: whether limbs have mirror images. Legs that stride apart hardly change how well surfaces agree, but must not
/// be taken for partners in a mirror.
double limb_symmetry(const body::BodyShape& body, const body::MirrorPlane& plane) {
  std::vector<Vec3d> ends;
  for (const body::Tip& tip : body.tips) ends.push_back(body.sphere(tip.sphere).centre);
  double total = 0, matched = 0;
  for (const body::Tip& tip : body.tips) {
    if (tip.length < body::kLimbRatio * body.sphere(tip.fork).radius) continue;
    total += tip.length;
    const Vec3d end = body.sphere(tip.sphere).centre;
    if (body::find_partner(ends, end, plane, body::kPartnerApart * body.size) >= 0) matched += tip.length;
  }
  if (!(total > 0)) return 1;
  return std::clamp((matched / total - kLeastMatched) / (kMostMatched - kLeastMatched), 0.0, 1.0);
}

/// The best of a body's mirror planes.
struct Planes {
  const body::MirrorPlane* tilted = nullptr;  ///< of those that no axis is across
  double axis_error = 1;                      ///< of those across the axes
  double error = 1;                           ///< of all
};

Planes best_planes(const body::BodyShape& body) {
  Planes best;
  for (std::size_t k = 0; k < body.planes.size(); ++k) {
    const body::MirrorPlane& plane = body.planes[k];
    best.error = std::min(best.error, plane.error);
    if (k < kAxes) best.axis_error = std::min(best.axis_error, plane.error);
    if (k >= kAxes && (best.tilted == nullptr || plane.error < best.tilted->error)) best.tilted = &plane;
  }
  return best;
}

/// The axes of the file, and those of the body's own plane where it has a better one; these alone where it is clear.
std::vector<Mat3d> find_frames(const body::BodyShape& body, const Planes& planes) {
  std::vector<Mat3d> frames;
  if (planes.tilted == nullptr) return {Mat3d::identity()};
  const double tilted = planes.tilted->error;
  const bool own_frame = tilted < kSymmetric && planes.axis_error > kClearlyTilted * tilted + kPlaneNoise;
  if (!own_frame) frames.push_back(Mat3d::identity());
  if (own_frame || tilted < kRatherTilted * planes.axis_error) add_frames(body, *planes.tilted, frames);
  return frames;
}

/// None where its sides are clearly worse mirror images than the best ones.
std::optional<Turn> make_turn(const body::BodyShape& body, const Planes& planes, const Mat3d& body_from_template) {
  Turn turn;
  turn.body_from_template = body_from_template;
  const Vec3d up = body_from_template.column(1);
  turn.plane = plane_across(body, body_from_template.column(0));
  if (planes.error < kSymmetric && turn.plane.error > planes.error + kClearlyWorse) return std::nullopt;
  turn.plane.error = std::min(turn.plane.error, 2 * kAsymmetric);
  turn.worse_mirror = std::max(1.0, (turn.plane.error + kPlaneNoise) / (planes.error + kPlaneNoise));
  turn.symmetric = std::clamp((kAsymmetric - turn.plane.error) / (kAsymmetric - kSymmetric), 0.0, 1.0);
  if (turn.symmetric > 0) turn.symmetric *= limb_symmetry(body, turn.plane);
  turn.ground = std::numeric_limits<double>::infinity();
  for (const body::MedialSphere& s : body.graph.spheres)
    turn.ground = std::min(turn.ground, dot(up, s.centre) - s.radius);
  return turn;
}

}  // namespace

std::vector<Turn> find_turns(const body::BodyShape& body, const std::optional<Vec3d>& forward,
                             const std::optional<Mat3d>& read, const Mat3d& usual_from_body) {
  const Planes planes = best_planes(body);
  std::vector<Turn> turns;
  auto add = [&](const Mat3d& body_from_template) {
    if (forward && dot(normalized(*forward), body_from_template.column(2)) < kFaces) return;
    auto turn = make_turn(body, planes, body_from_template);
    if (!turn) return;
    const Mat3d usual_from_template = usual_from_body * body_from_template;
    turn->unusual = unusual(usual_from_template.column(1), usual_from_template.column(2));
    turns.push_back(*turn);
  };
  for (const Mat3d& frame : find_frames(body, planes)) {
    for (const Mat3d& turn : axis_turns()) add(frame * turn);
  }
  const bool known = !read || std::any_of(turns.begin(), turns.end(), [&](const Turn& turn) {
    return dot(turn.body_from_template.column(1), read->column(1)) > kSameTurn &&
           dot(turn.body_from_template.column(2), read->column(2)) > kSameTurn;
  });
  if (!known) add(*read);
  return turns;
}

}  // namespace limber::skeleton
