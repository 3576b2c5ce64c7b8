// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_lift.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/kinematics/forward.h"

namespace limber::lift {
namespace {

constexpr double kHabit = 0.5;  ///< radians that joints turn by: what hardly shows goes along with what it hangs on

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

/// What is given: of one view.
struct Sight {
  const rig::Rig& rig;
  const SurfaceTracks& tracks;
  scene::Camera camera;
  int first;  ///< frame whose pose is known
  const PlanarLiftSettings& settings;
};

/// A bone in the first frame, in the view that shows it best.
struct Bone {
  std::size_t view = 0;
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

/// Where the frame before left a bone, for the choice among angles and poses that look alike.
struct Before {
  double elevation = 0;
  Vec3d angles;
};

/// How a bone lies in a frame, as the picture tells.
struct Reading {
  bool valid = false;
  double angle = 0;    ///< in the plane, counter-clockwise as seen
  double stretch = 1;  ///< of its length in the plane
  double noise = 0;    ///< of the stretch
};

/// A motion in doubles, while it is read joint by joint.
struct Read {
  std::vector<Vec3d> roots;                ///< per frame
  std::vector<std::vector<Vec3d>> angles;  ///< per frame, per joint
  std::vector<World> worlds;               ///< per frame; right for what is read already and hangs on nothing else
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

/// How much a view shows of a bone, over all frames.
double shown_in(const Sight& sight, const Bone& bone) {
  double sum = 0;
  for (const std::size_t k : bone.tracks) {
    for (int f = 0; f < sight.tracks.frames; ++f) sum += double(sight.tracks.at(k, f).confidence);
  }
  return bone.measurable ? bone.shown * sum : 0;
}

Start start_at(std::span<const Sight> sights, const kinematics::Pose& pose) {
  Start start;
  for (const Vec3& a : pose.angles) start.angles.push_back(a.cast<double>());
  start.root = pose.root_translation.cast<double>();
  start.world = joints_at(sights.front().rig, start.root, start.angles);
  std::vector<double> most;
  for (std::size_t v = 0; v < sights.size(); ++v) {
    std::vector<Bone> bones = bones_at(sights[v], start.world);
    most.resize(bones.size(), -1), start.bones.resize(bones.size());
    for (std::size_t j = 0; j < bones.size(); ++j) {
      const double shown = shown_in(sights[v], bones[j]);
      if (shown <= most[j]) continue;
      most[j] = shown, bones[j].view = v, start.bones[j] = std::move(bones[j]);
    }
  }
  return start;
}

/// What a bone's points do from the first frame to another, around its joint; the root's around their middle.
struct Turned {
  std::vector<Flat> before, now;  ///< seen from there
};

Turned find_turned(const Sight& sight, const Start& start, std::size_t j, int t, Vec3d joint_now) {
  const SurfaceTracks& tracks = sight.tracks;
  Turned points;
  for (const std::size_t k : start.bones[j].tracks) {
    if (!(tracks.at(k, t).confidence > 0)) continue;
    points.before.push_back(flat(tracks.at(k, sight.first).pixel)), points.now.push_back(flat(tracks.at(k, t).pixel));
  }
  if (points.now.empty()) return points;
  Flat from = flat(sight.camera, start.world[j].translation), to = flat(sight.camera, joint_now);
  if (j == 0) from = middle(points.before), to = middle(points.now);
  for (Flat& p : points.before) p = {p.x - from.x, p.y - from.y};
  for (Flat& p : points.now) p = {p.x - to.x, p.y - to.y};
  return points;
}

/// How much longer the bone's points lie along it than in the first frame, and how much of that may be noise.
void read_stretch(const Sight& sight, const Start& start, std::size_t j, const Turned& points, Reading& reading) {
  const Vec3d joint = start.world[j].translation;
  const Flat base = flat(sight.camera, joint), tip = flat(sight.camera, joint + 0.01 * start.bones[j].direction);
  const double length = std::hypot(tip.x - base.x, tip.y - base.y);
  if (!(length > 0)) return;
  const Flat along{(tip.x - base.x) / length, (tip.y - base.y) / length};
  const double cosine = std::cos(reading.angle), sine = std::sin(reading.angle);
  const Flat turned{cosine * along.x - sine * along.y, sine * along.x + cosine * along.y};
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < points.now.size(); ++i) {
    const double a = dot2(points.before[i], along), b = dot2(points.now[i], turned);
    products += a * b, squares += a * a;
  }
  if (!(squares > 0)) return;
  reading.stretch = products / squares;
  reading.noise = std::numbers::sqrt2 * double(sight.settings.pixel_noise) / std::sqrt(squares);
}

/// The turn in the plane of a bone that goes along with what it hangs on.
double turn_along(const rig::Rig& rig, const Start& start, std::size_t j, const World& world) {
  const int parent = rig.joints()[j].parent;
  if (parent < 0) return 0;
  const Bone& bone = start.bones[j];
  const auto p = static_cast<std::size_t>(parent);
  const auto in_plane = [&](Vec3d v) { return v - dot(v, bone.towards) * bone.towards; };
  const Vec3d before = in_plane(bone.direction);
  const Vec3d now = in_plane(world[p].linear * (inverse(start.world[p].linear) * bone.direction));
  return std::atan2(dot(cross(before, now), bone.towards), dot(before, now));
}

/// The turn that takes a bone's points, around its joint, from the first frame to this one. What noise leaves open is
/// decided by what it hangs on: in least squares, with turns from there as likely as `kHabit` says.
Reading read_bone(const Sight& sight, const Start& start, std::size_t j, int t, const World& world) {
  Reading reading;
  if (!start.bones[j].measurable) return reading;
  const Turned points = find_turned(sight, start, j, t, world[j].translation);
  if (static_cast<int>(points.now.size()) < sight.settings.min_points) return reading;
  double crosses = 0, dots = 0;
  for (std::size_t i = 0; i < points.now.size(); ++i) {
    crosses += cross2(points.before[i], points.now[i]), dots += dot2(points.before[i], points.now[i]);
  }
  if (crosses == 0 && dots == 0) return reading;
  reading.valid = true;
  const double held = std::pow(double(sight.settings.pixel_noise) / kHabit, 2);
  const double along = held > 0 ? turn_along(sight.rig, start, j, world) : 0;
  reading.angle = std::atan2(crosses + held * std::sin(along), dots + held * std::cos(along));
  read_stretch(sight, start, j, points, reading);
  return reading;
}

/// How far the bone points towards the camera. Two elevations make it as short as it is seen: the one nearer to the
/// frame before.
double read_elevation(const Bone& bone, const Reading& reading, double before) {
  const double change = reading.stretch - 1;
  if (std::abs(change) <= reading.noise && reading.noise > 0) return bone.elevation;
  const double stretch = reading.stretch - std::copysign(reading.noise, change);
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

/// Where the root must be in the plane so that its points lie, in the mean, where they were seen; nothing where none
/// is.
std::optional<Vec3d> root_place(const Sight& sight, const Start& start, int t, const std::vector<Vec3d>& angles) {
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
  if (count == 0) return std::nullopt;
  return start.root + shift / static_cast<double>(count);
}

/// Frames without a reading lie between their neighbours; before the first and after the last, those hold. One that
/// leaves and comes back at once does not, and pixels' noise is evened out: one, two, one.
void clean(std::vector<Vec3d>& track, const std::vector<bool>& read) {
  const int count = static_cast<int>(track.size());
  int last = -1;
  for (int f = 0; f < count; ++f) {
    if (!read[at(f)]) continue;
    for (int g = last + 1; g < f; ++g) {
      const double share = last < 0 ? 1 : static_cast<double>(g - last) / (f - last);
      track[at(g)] = lerp(track[at(last < 0 ? f : last)], track[at(f)], share);
    }
    last = f;
  }
  for (int g = last + 1; last >= 0 && g < count; ++g) track[at(g)] = track[at(last)];
  const std::vector<Vec3d> filled = track;
  for (std::size_t f = 1; f + 1 < track.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const double a = filled[f - 1][k], b = filled[f][k], c = filled[f + 1][k];
      track[f][k] = std::max(std::min(a, b), std::min(std::max(a, b), c));
    }
  }
  const std::vector<Vec3d> steady = track;
  for (std::size_t f = 1; f + 1 < track.size(); ++f) {
    track[f] = 0.25 * steady[f - 1] + 0.5 * steady[f] + 0.25 * steady[f + 1];
  }
}

/// Cleans what was read in all frames but the first, which is no part of the motion.
void clean_apart(int first, std::vector<Vec3d>& track, std::vector<bool> read) {
  const Vec3d known = track[at(first)];
  track.erase(track.begin() + first), read.erase(read.begin() + first);
  clean(track, read);
  track.insert(track.begin() + first, known);
}

Vec3d within(const rig::JointLimits& limits, Vec3d angles) {
  for (int k = 0; k < 3; ++k) {
    // A joint that is beyond them at rest may stay.
    angles[k] = std::clamp(angles[k], std::min(double(limits.lower[k]), 0.0), std::max(double(limits.upper[k]), 0.0));
  }
  return angles;
}

/// Reads one bone in all frames, those that it hangs on being read already.
void lift_bone(const Sight& sight, const Start& start, std::size_t j, Read& read, PlanarLift& result) {
  const Bone& bone = start.bones[j];
  const int frames = sight.tracks.frames;
  std::vector<Vec3d> track(at(frames), start.angles[j]);
  std::vector<bool> valid(at(frames));
  valid[at(sight.first)] = bone.measurable;
  for (const int step : {1, -1}) {
    Before before{bone.elevation, start.angles[j]};
    for (int t = sight.first + step; t >= 0 && t < frames; t += step) {
      const World& world = read.worlds[at(t)];
      const Reading reading = read_bone(sight, start, j, t, world);
      if (!reading.valid) continue;
      valid[at(t)] = true;
      Mat3d turn = rotation_about(bone.towards, reading.angle);
      if (sight.settings.foreshortening && j != 0) {
        before.elevation = read_elevation(bone, reading, before.elevation);
        turn = tilted(bone, turn, before.elevation);
      }
      before.angles = track[at(t)] = local_angles(sight.rig, start, j, world, turn, before.angles);
    }
  }
  if (sight.settings.clean) {
    clean_apart(sight.first, track, valid);
    // The root has none: it may turn round more than once.
    for (Vec3d& angles : track) angles = j != 0 ? within(sight.rig.joints()[j].limits, angles) : angles;
  }
  for (int t = 0; t < frames; ++t) {
    read.angles[at(t)][j] = track[at(t)];
    if (valid[at(t)]) result.weights[at(t) * start.bones.size() + j] = static_cast<float>(bone.shown);
  }
}

/// Where the root is in all frames, its turns being read already.
void lift_root(const Sight& sight, const Start& start, Read& read) {
  std::vector<bool> valid;
  for (int t = 0; t < sight.tracks.frames; ++t) {
    const std::optional<Vec3d> place = t == sight.first ? start.root : root_place(sight, start, t, read.angles[at(t)]);
    valid.push_back(place.has_value() && start.bones[0].measurable);
    if (valid.back()) read.roots[at(t)] = *place;
  }
  if (sight.settings.clean) clean_apart(sight.first, read.roots, valid);
}

}  // namespace

PlanarLift planar_lift(const rig::Rig& rig, std::span<const PlanarView> views, int first, const kinematics::Pose& start,
                       double fps, const PlanarLiftSettings& settings) {
  const auto joints = static_cast<std::size_t>(rig.joint_count());
  LIMBER_EXPECT(!views.empty(), "no view");
  const int frames = views.front().tracks.frames;
  LIMBER_EXPECT(start.angles.size() == joints && first >= 0 && first < frames, std::to_string(first));
  std::vector<Sight> sights;
  for (const PlanarView& view : views) {
    LIMBER_EXPECT(view.tracks.frames == frames, std::to_string(view.tracks.frames));
    sights.push_back({rig, view.tracks, view.camera, first, settings});
  }
  const Start known = start_at(sights, start);
  PlanarLift result;
  result.motion = kinematics::rest_motion(rig, frames, fps);
  result.weights.assign(result.motion.angles.size(), 0.0f);
  Read read{std::vector<Vec3d>(at(frames), known.root), std::vector<std::vector<Vec3d>>(at(frames), known.angles),
            std::vector<World>(at(frames), known.world)};
  for (std::size_t j = 0; j < joints; ++j) {
    const Sight& sight = sights[known.bones[j].view];
    // Bones turn around joints that are where what they hang on has taken them.
    lift_bone(sight, known, j, read, result);
    if (j == 0) lift_root(sight, known, read);
    for (int t = 0; t < frames; ++t) read.worlds[at(t)] = joints_at(rig, read.roots[at(t)], read.angles[at(t)]);
  }
  for (int t = 0; t < frames; ++t) {
    result.motion.root_translations[at(t)] = read.roots[at(t)].cast<float>();
    for (std::size_t j = 0; j < joints; ++j) result.motion.frame_angles(t)[j] = read.angles[at(t)][j].cast<float>();
  }
  return result;
}

PlanarLift planar_lift(const rig::Rig& rig, const SurfaceTracks& tracks, const scene::Camera& camera, int first,
                       const kinematics::Pose& start, double fps, const PlanarLiftSettings& settings) {
  const PlanarView view{tracks, camera};
  return planar_lift(rig, {&view, 1}, first, start, fps, settings);
}

}  // namespace limber::lift
