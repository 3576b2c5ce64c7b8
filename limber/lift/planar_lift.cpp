// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_lift.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"

namespace limber::lift {
namespace {

struct Flat {
  double x = 0, y = 0;
};
double cross2(Flat a, Flat b) { return a.x * b.y - a.y * b.x; }
double dot2(Flat a, Flat b) { return a.x * b.x + a.y * b.y; }

/// A point in the image with y upwards.
Flat flat(Vec2 p) { return {static_cast<double>(p.x), -static_cast<double>(p.y)}; }
Flat flat(const scene::Camera& camera, Vec3d p) {
  const Projection image = project_point(camera, p);
  return {image.x, -image.y};
}

Flat middle(const std::vector<Flat>& points) {
  const auto count = static_cast<double>(points.size());
  Flat sum;
  for (const Flat& p : points) sum.x += p.x / count, sum.y += p.y / count;
  return sum;
}

Mat3d rotation_about(Vec3d axis, double angle) { return to_matrix(axis_angle(axis, angle)); }

using World = std::vector<Affined>;

/// What is given.
struct Sight {
  const rig::Rig& rig;
  const SurfaceTracks& tracks;
  const scene::Camera& camera;
  int first;  ///< frame whose pose is known
  const PlanarLiftSettings& settings;
};

/// A bone in the first frame.
struct Bone {
  std::vector<std::size_t> tracks;  ///< of the joint, seen there
  Vec3d towards;                    ///< the camera, from the joint
  Vec3d direction;                  ///< of the bone, unit; zero where it has none
  double shown = 0;                 ///< share of its length in the plane, 0 to 1
  double elevation = 0;             ///< towards the camera, radians
  bool measurable = false;          ///< shows enough, to enough points
};

/// The first frame: what all others are compared with.
struct Start {
  std::vector<Vec3d> angles;
  Vec3d root;
  World world;
  std::vector<Bone> bones;  ///< per joint
};

/// Where the frame before left off, for the choice among angles and poses that look alike.
struct Before {
  std::vector<double> turns;       ///< per joint, in the plane
  std::vector<double> elevations;  ///< per joint
  std::vector<Vec3d> angles;       ///< per joint
};

/// How a bone lies in a frame, as the picture tells.
struct Reading {
  bool valid = false;
  double angle = 0;    ///< in the plane, counter-clockwise as seen
  double stretch = 1;  ///< of its length in the plane
};

World joints_at(const rig::Rig& rig, Vec3d root, const std::vector<Vec3d>& angles) {
  kinematics::FrameT<double> frame;
  frame.root_translation = root;
  frame.angles = angles;
  World world(static_cast<std::size_t>(rig.joint_count()));
  kinematics::joints_forward<double>(rig, frame, world);
  return world;
}

/// Where the followed points are on the body.
std::vector<Vec3d> points_at(const Sight& sight, const World& world) {
  std::vector<Affined> bones(static_cast<std::size_t>(sight.rig.bone_count()));
  kinematics::bones_forward<double>(sight.rig, world, bones);
  std::vector<Vec3d> points(sight.tracks.tracks.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    for (const SkinTerm& term : sight.tracks.points[k]) {
      const Affined& bone = bones[static_cast<std::size_t>(term.bone)];
      points[k] += bone.linear * term.position + term.weight * bone.translation;
    }
  }
  return points;
}

std::vector<Bone> bones_at(const Sight& sight, const World& world) {
  const std::vector<Vec3d> points = points_at(sight, world);
  const Vec3d eye = inverse(sight.camera.camera_from_world.cast<double>()).translation;
  std::vector<Bone> bones(world.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (sight.tracks.at(k, sight.first).confidence > 0) {
      bones[static_cast<std::size_t>(sight.tracks.tracks[k].joint)].tracks.push_back(k);
    }
  }
  for (std::size_t j = 0; j < bones.size(); ++j) {
    Bone& bone = bones[j];
    const Vec3d joint = world[j].translation;
    bone.towards = normalized(eye - joint);
    // Along the bone: to the middle of its children, or of its own skin where it has none.
    Vec3d end;
    int count = 0;
    for (std::size_t c = j + 1; c < bones.size(); ++c) {
      if (sight.rig.joints()[c].parent == static_cast<int>(j)) end += world[c].translation, ++count;
    }
    if (count == 0) {
      for (const std::size_t k : bone.tracks) end += points[k], ++count;
    }
    if (count == 0) continue;
    const Vec3d along = end / static_cast<double>(count) - joint;
    if (norm(along) < 1e-6) continue;
    bone.direction = normalized(along);
    const double rise = dot(bone.direction, bone.towards);
    bone.shown = std::sqrt(std::max(0.0, 1 - rise * rise));
    bone.elevation = std::asin(std::clamp(rise, -1.0, 1.0));
  }
  for (Bone& bone : bones) {
    bone.measurable = static_cast<int>(bone.tracks.size()) >= sight.settings.min_points &&
                      bone.shown >= static_cast<double>(sight.settings.min_length);
  }
  return bones;
}

Start start_at(const Sight& sight, const kinematics::Pose& pose) {
  Start start;
  for (const Vec3& a : pose.angles) start.angles.push_back(a.cast<double>());
  start.root = pose.root_translation.cast<double>();
  start.world = joints_at(sight.rig, start.root, start.angles);
  start.bones = bones_at(sight, start.world);
  return start;
}

/// How much longer the bone's points lie along it than in the first frame.
double stretch(const Sight& sight, const Start& start, std::size_t j, const std::vector<Flat>& before,
               const std::vector<Flat>& now, Flat from, Flat to, double angle) {
  const Vec3d joint = start.world[j].translation;
  const Flat base = flat(sight.camera, joint), tip = flat(sight.camera, joint + 0.01 * start.bones[j].direction);
  const double length = std::hypot(tip.x - base.x, tip.y - base.y);
  if (!(length > 0)) return 1;
  const Flat along{(tip.x - base.x) / length, (tip.y - base.y) / length};
  const Flat turned{std::cos(angle) * along.x - std::sin(angle) * along.y,
                    std::sin(angle) * along.x + std::cos(angle) * along.y};
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double a = dot2({before[i].x - from.x, before[i].y - from.y}, along);
    const double b = dot2({now[i].x - to.x, now[i].y - to.y}, turned);
    products += a * b, squares += a * a;
  }
  return squares > 0 ? products / squares : 1;
}

/// The turn that takes a bone's points, around its joint, from the first frame to this one. The root turns about the
/// middle of its points.
Reading read_bone(const Sight& sight, const Start& start, std::size_t j, int t, Flat pivot_now, double turn_before) {
  const Bone& bone = start.bones[j];
  const SurfaceTracks& tracks = sight.tracks;
  Reading reading;
  if (!bone.measurable) return reading;
  std::vector<Flat> before, now;
  for (const std::size_t k : bone.tracks) {
    if (!(tracks.at(k, t).confidence > 0)) continue;
    before.push_back(flat(tracks.at(k, sight.first).pixel)), now.push_back(flat(tracks.at(k, t).pixel));
  }
  if (static_cast<int>(now.size()) < sight.settings.min_points) return reading;
  Flat from = flat(sight.camera, start.world[j].translation), to = pivot_now;
  if (j == 0) from = middle(before), to = middle(now);
  double crosses = 0, dots = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Flat a{before[i].x - from.x, before[i].y - from.y}, b{now[i].x - to.x, now[i].y - to.y};
    crosses += cross2(a, b), dots += dot2(a, b);
  }
  if (crosses == 0 && dots == 0) return reading;
  reading.valid = true;
  reading.angle = std::atan2(crosses, dots);
  reading.angle += 2 * kPi * std::round((turn_before - reading.angle) / (2 * kPi));
  reading.stretch = stretch(sight, start, j, before, now, from, to, reading.angle);
  return reading;
}

/// How far the bone points towards the camera. Two elevations make it as short as it is seen: the one nearer to the
/// frame before.
double read_elevation(const Bone& bone, const Reading& reading, double before, double noise) {
  const double change = reading.stretch - 1;
  if (std::abs(change) <= noise && noise > 0) return bone.elevation;
  const double stretch = reading.stretch - std::copysign(noise, change);
  const double up = std::acos(std::clamp(bone.shown * stretch, 0.0, 1.0));
  return std::abs(up - before) <= std::abs(-up - before) ? up : -up;
}

/// World rotation of a bone since the first frame.
Mat3d tilted(const Bone& bone, const Mat3d& swing, double elevation) {
  Vec3d in_plane = swing * bone.direction;
  in_plane = normalized(in_plane - dot(in_plane, bone.towards) * bone.towards);
  return rotation_about(cross(in_plane, bone.towards), elevation - bone.elevation) * swing;
}

/// Angles of a joint that give it a turn in the world since the first frame, its parent being where `world` has it.
Vec3d local_angles(const rig::Rig& rig, const Start& start, std::size_t j, const World& world, const Mat3d& turn,
                   Vec3d before) {
  const rig::Joint& joint = rig.joints()[j];
  const Mat3d axes = to_matrix(joint.axes.cast<double>());
  Mat3d frame = joint.parent_from_frame.linear.cast<double>() * to_matrix(joint.rest.rotation.cast<double>()) * axes;
  if (joint.parent >= 0) frame = world[static_cast<std::size_t>(joint.parent)].linear * frame;
  const Vec3d scale = joint.rest.scale.cast<double>();
  const Mat3d unscale = Mat3d::diagonal({1 / scale.x, 1 / scale.y, 1 / scale.z});
  const Mat3d local = inverse(frame) * (turn * start.world[j].linear) * unscale * axes;
  return kinematics::euler_angles(to_matrix(to_quat(local)), before);
}

/// Where the root must be in the plane so that its points lie, in the mean, where they were seen.
Vec3d root_place(const Sight& sight, const Start& start, int t, const std::vector<Vec3d>& angles) {
  const scene::Camera& camera = sight.camera;
  const std::vector<Vec3d> points = points_at(sight, joints_at(sight.rig, start.root, angles));
  const Affined view = camera.camera_from_world.cast<double>();
  Vec3d shift;
  int count = 0;
  for (const std::size_t k : start.bones[0].tracks) {
    if (!(sight.tracks.at(k, t).confidence > 0)) continue;
    const Projection image = project_point(camera, points[k]);
    const Vec2 seen = sight.tracks.at(k, t).pixel;
    shift +=
        (image.depth / static_cast<double>(camera.fx)) * (static_cast<double>(seen.x) - image.x) * view.linear.row(0);
    shift +=
        (image.depth / static_cast<double>(camera.fy)) * (static_cast<double>(seen.y) - image.y) * view.linear.row(1);
    ++count;
  }
  return count > 0 ? start.root + shift / static_cast<double>(count) : start.root;
}

void put(kinematics::Motion& motion, int t, Vec3d root, const std::vector<Vec3d>& angles) {
  motion.root_translations[static_cast<std::size_t>(t)] = root.cast<float>();
  for (std::size_t j = 0; j < angles.size(); ++j) motion.frame_angles(t)[j] = angles[j].cast<float>();
}

/// Puts frame `t` into `result`; what the next one must know of it is returned.
Before lift_frame(const Sight& sight, const Start& start, int t, Before before, PlanarLift& result) {
  std::vector<Vec3d> local = start.angles;
  Vec3d root = start.root;
  for (std::size_t j = 0; j < start.bones.size(); ++j) {
    const Bone& bone = start.bones[j];
    const World world = joints_at(sight.rig, root, local);
    const Reading reading = read_bone(sight, start, j, t, flat(sight.camera, world[j].translation), before.turns[j]);
    if (!reading.valid) continue;
    before.turns[j] = reading.angle;
    result.weights[static_cast<std::size_t>(t) * start.bones.size() + j] = static_cast<float>(bone.shown);
    Mat3d turn = rotation_about(bone.towards, reading.angle);
    if (sight.settings.foreshortening && j != 0) {
      before.elevations[j] = read_elevation(bone, reading, before.elevations[j], double(sight.settings.length_noise));
      turn = tilted(bone, turn, before.elevations[j]);
    }
    local[j] = local_angles(sight.rig, start, j, world, turn, before.angles[j]);
    if (j == 0) root = root_place(sight, start, t, local);
  }
  put(result.motion, t, root, local);
  before.angles = std::move(local);
  return before;
}

}  // namespace

PlanarLift planar_lift(const rig::Rig& rig, const SurfaceTracks& tracks, const scene::Camera& camera, int first,
                       const kinematics::Pose& start, double fps, const PlanarLiftSettings& settings) {
  const auto joints = static_cast<std::size_t>(rig.joint_count());
  LIMBER_EXPECT(start.angles.size() == joints && first >= 0 && first < tracks.frames, std::to_string(first));
  const Sight sight{rig, tracks, camera, first, settings};
  const Start known = start_at(sight, start);
  PlanarLift result;
  result.motion = kinematics::rest_motion(rig, tracks.frames, fps);
  result.weights.assign(result.motion.angles.size(), 0.0f);
  put(result.motion, first, known.root, known.angles);
  for (std::size_t j = 0; j < joints; ++j) {
    const Bone& bone = known.bones[j];
    if (bone.measurable) result.weights[static_cast<std::size_t>(first) * joints + j] = static_cast<float>(bone.shown);
  }
  Before first_frame{std::vector<double>(joints), {}, known.angles};
  for (const Bone& bone : known.bones) first_frame.elevations.push_back(bone.elevation);
  for (const int step : {1, -1}) {
    Before before = first_frame;
    for (int t = first + step; t >= 0 && t < tracks.frames; t += step) {
      before = lift_frame(sight, known, t, std::move(before), result);
    }
  }
  return result;
}

}  // namespace limber::lift
