// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/planar_lift.h"

#include <algorithm>
#include <cmath>
#include <string>

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

Mat3d rotation_about(Vec3d axis, double angle) { return to_matrix(axis_angle(axis, angle)); }

/// What does not change from frame to frame.
struct Bone {
  std::vector<std::size_t> tracks;  ///< of the joint, seen in the first frame
  Vec3d towards;                    ///< the camera, from the joint in the first frame
  Vec3d direction;                  ///< of the bone there, unit; zero where it has none
  double shown = 0;                 ///< share of its length in the plane, 0 to 1
  double elevation = 0;             ///< towards the camera, radians
};

/// How a bone lies in a frame, as the picture tells.
struct Reading {
  bool valid = false;
  double angle = 0;    ///< in the plane, counter-clockwise as seen
  double stretch = 1;  ///< of its length in the plane
};

class PlanarSolver {
 public:
  PlanarSolver(const rig::Rig& rig, const SurfaceTracks& tracks, const scene::Camera& camera, int first,
               const kinematics::Pose& start, const PlanarLiftSettings& settings)
      : rig_(rig), tracks_(tracks), camera_(camera), first_(first), settings_(settings) {
    const auto joints = static_cast<std::size_t>(rig.joint_count());
    LIMBER_EXPECT(start.angles.size() == joints && first >= 0 && first < tracks.frames, std::to_string(first));
    for (const Vec3& a : start.angles) start_angles_.push_back(a.cast<double>());
    start_root_ = start.root_translation.cast<double>();
    start_world_.resize(joints);
    forward(start_root_, start_angles_, start_world_);
    eye_ = inverse(camera.camera_from_world.cast<double>()).translation;
    start_points_.resize(tracks.tracks.size());
    model_points(start_world_, start_points_);
    make_bones();
  }

  PlanarLift solve(double fps) {
    PlanarLift result;
    result.motion = kinematics::rest_motion(rig_, tracks_.frames, fps);
    result.weights.assign(result.motion.angles.size(), 0.0f);
    put(result.motion, first_, start_root_, start_angles_);
    for (const int step : {1, -1}) {
      std::vector<double> angles(bones_.size()), elevations;
      for (const Bone& bone : bones_) elevations.push_back(bone.elevation);
      std::vector<Vec3d> previous = start_angles_;
      for (int t = first_ + step; t >= 0 && t < tracks_.frames; t += step) {
        solve_frame(t, angles, elevations, previous, result);
      }
    }
    for (std::size_t j = 0; j < bones_.size(); ++j) {
      if (measurable(bones_[j])) {
        result.weights[static_cast<std::size_t>(first_) * bones_.size() + j] = static_cast<float>(bones_[j].shown);
      }
    }
    return result;
  }

 private:
  using World = std::vector<Affined>;

  void forward(Vec3d root, const std::vector<Vec3d>& angles, World& world) const {
    kinematics::FrameT<double> frame;
    frame.root_translation = root;
    frame.angles = angles;
    kinematics::joints_forward<double>(rig_, frame, world);
  }

  void model_points(const World& world, std::vector<Vec3d>& points) const {
    std::vector<Affined> bones(static_cast<std::size_t>(rig_.bone_count()));
    kinematics::bones_forward<double>(rig_, world, bones);
    for (std::size_t k = 0; k < points.size(); ++k) {
      points[k] = {};
      for (const SkinTerm& term : tracks_.points[k]) {
        const Affined& bone = bones[static_cast<std::size_t>(term.bone)];
        points[k] += bone.linear * term.position + term.weight * bone.translation;
      }
    }
  }

  void make_bones() {
    bones_.resize(static_cast<std::size_t>(rig_.joint_count()));
    for (std::size_t k = 0; k < tracks_.tracks.size(); ++k) {
      if (tracks_.at(k, first_).confidence > 0) {
        bones_[static_cast<std::size_t>(tracks_.tracks[k].joint)].tracks.push_back(k);
      }
    }
    for (std::size_t j = 0; j < bones_.size(); ++j) {
      Bone& bone = bones_[j];
      const Vec3d joint = start_world_[j].translation;
      bone.towards = normalized(eye_ - joint);
      // Along the bone: to the middle of its children, or of its own skin where it has none.
      Vec3d end;
      int count = 0;
      for (std::size_t c = j + 1; c < bones_.size(); ++c) {
        if (rig_.joints()[c].parent == static_cast<int>(j)) end += start_world_[c].translation, ++count;
      }
      if (count == 0) {
        for (const std::size_t k : bone.tracks) end += start_points_[k], ++count;
      }
      if (count == 0) continue;
      const Vec3d along = end / static_cast<double>(count) - joint;
      if (norm(along) < 1e-6) continue;
      bone.direction = normalized(along);
      const double rise = dot(bone.direction, bone.towards);
      bone.shown = std::sqrt(std::max(0.0, 1 - rise * rise));
      bone.elevation = std::asin(std::clamp(rise, -1.0, 1.0));
    }
  }

  bool measurable(const Bone& bone) const {
    return static_cast<int>(bone.tracks.size()) >= settings_.min_points &&
           bone.shown >= static_cast<double>(settings_.min_length);
  }

  /// The turn that takes a bone's points, around its joint, from the first frame to this one. The root turns about the
  /// middle of its points.
  Reading read(std::size_t j, int t, Flat pivot_now, double previous) const {
    const Bone& bone = bones_[j];
    Reading reading;
    if (!measurable(bone)) return reading;
    std::vector<Flat> before, now;
    for (const std::size_t k : bone.tracks) {
      if (!(tracks_.at(k, t).confidence > 0)) continue;
      before.push_back(flat(tracks_.at(k, first_).pixel)), now.push_back(flat(tracks_.at(k, t).pixel));
    }
    if (static_cast<int>(now.size()) < settings_.min_points) return reading;
    Flat from = flat(camera_, start_world_[j].translation), to = pivot_now;
    if (j == 0) {
      from = {}, to = {};
      for (const Flat& p : before)
        from.x += p.x / static_cast<double>(before.size()), from.y += p.y / static_cast<double>(before.size());
      for (const Flat& p : now)
        to.x += p.x / static_cast<double>(now.size()), to.y += p.y / static_cast<double>(now.size());
    }
    double crosses = 0, dots = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Flat a{before[i].x - from.x, before[i].y - from.y}, b{now[i].x - to.x, now[i].y - to.y};
      crosses += cross2(a, b), dots += dot2(a, b);
    }
    if (crosses == 0 && dots == 0) return reading;
    reading.valid = true;
    reading.angle = std::atan2(crosses, dots);
    reading.angle += 2 * kPi * std::round((previous - reading.angle) / (2 * kPi));
    reading.stretch = stretch(j, before, now, from, to, reading.angle);
    return reading;
  }

  /// How much longer the bone's points lie along it than in the first frame.
  double stretch(std::size_t j, const std::vector<Flat>& before, const std::vector<Flat>& now, Flat from, Flat to,
                 double angle) const {
    const Vec3d joint = start_world_[j].translation;
    const Flat base = flat(camera_, joint), tip = flat(camera_, joint + 0.01 * bones_[j].direction);
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

  void solve_frame(int t, std::vector<double>& angles, std::vector<double>& elevations, std::vector<Vec3d>& previous,
                   PlanarLift& result) {
    std::vector<Vec3d> local = start_angles_;
    World world(start_world_.size());
    Vec3d root = start_root_;
    for (std::size_t j = 0; j < bones_.size(); ++j) {
      forward(root, local, world);
      const Reading reading = read(j, t, flat(camera_, world[j].translation), angles[j]);
      if (!reading.valid) continue;
      angles[j] = reading.angle;
      result.weights[static_cast<std::size_t>(t) * bones_.size() + j] = static_cast<float>(bones_[j].shown);
      local[j] = local_angles(j, world, turn(j, reading, elevations[j]), previous[j]);
      if (j == 0) root = root_place(t, local);
    }
    previous = local;
    put(result.motion, t, root, local);
  }

  /// World rotation of a bone since the first frame.
  Mat3d turn(std::size_t j, const Reading& reading, double& elevation) const {
    const Bone& bone = bones_[j];
    const Mat3d swing = rotation_about(bone.towards, reading.angle);
    if (!settings_.foreshortening || j == 0) return swing;
    const double up = std::acos(std::clamp(bone.shown * reading.stretch, 0.0, 1.0));
    // Two ways to be that short: towards the camera or away from it. The nearer one to the frame before.
    elevation = std::abs(up - elevation) <= std::abs(-up - elevation) ? up : -up;
    Vec3d in_plane = swing * bone.direction;
    in_plane = normalized(in_plane - dot(in_plane, bone.towards) * bone.towards);
    return rotation_about(cross(in_plane, bone.towards), elevation - bone.elevation) * swing;
  }

  /// Angles of a joint that give it a turn in the world since the first frame, its parent being where `world` has it.
  Vec3d local_angles(std::size_t j, const World& world, const Mat3d& turn, Vec3d previous) const {
    const rig::Joint& joint = rig_.joints()[j];
    const Mat3d axes = to_matrix(joint.axes.cast<double>());
    Mat3d frame = joint.parent_from_frame.linear.cast<double>() * to_matrix(joint.rest.rotation.cast<double>()) * axes;
    if (joint.parent >= 0) frame = world[static_cast<std::size_t>(joint.parent)].linear * frame;
    const Vec3d scale = joint.rest.scale.cast<double>();
    const Mat3d unscale = Mat3d::diagonal({1 / scale.x, 1 / scale.y, 1 / scale.z});
    const Mat3d local = inverse(frame) * (turn * start_world_[j].linear) * unscale * axes;
    return kinematics::euler_angles(to_matrix(to_quat(local)), previous);
  }

  /// Moves the root in the plane so that its points lie, in the mean, where they were seen.
  Vec3d root_place(int t, const std::vector<Vec3d>& local) const {
    World world(start_world_.size());
    forward(start_root_, local, world);
    std::vector<Vec3d> points(tracks_.tracks.size());
    model_points(world, points);
    const Affined view = camera_.camera_from_world.cast<double>();
    Vec3d shift;
    int count = 0;
    for (const std::size_t k : bones_[0].tracks) {
      if (!(tracks_.at(k, t).confidence > 0)) continue;
      const Projection image = project_point(camera_, points[k]);
      const Vec2 seen = tracks_.at(k, t).pixel;
      shift += (image.depth / static_cast<double>(camera_.fx)) * (static_cast<double>(seen.x) - image.x) *
               view.linear.row(0);
      shift += (image.depth / static_cast<double>(camera_.fy)) * (static_cast<double>(seen.y) - image.y) *
               view.linear.row(1);
      ++count;
    }
    return count > 0 ? start_root_ + shift / static_cast<double>(count) : start_root_;
  }

  static void put(kinematics::Motion& motion, int t, Vec3d root, const std::vector<Vec3d>& angles) {
    motion.root_translations[static_cast<std::size_t>(t)] = root.cast<float>();
    for (std::size_t j = 0; j < angles.size(); ++j) motion.frame_angles(t)[j] = angles[j].cast<float>();
  }

  const rig::Rig& rig_;
  const SurfaceTracks& tracks_;
  const scene::Camera& camera_;
  int first_;
  PlanarLiftSettings settings_;
  std::vector<Vec3d> start_angles_;
  Vec3d start_root_, eye_;
  World start_world_;
  std::vector<Vec3d> start_points_;
  std::vector<Bone> bones_;
};

}  // namespace

PlanarLift planar_lift(const rig::Rig& rig, const SurfaceTracks& tracks, const scene::Camera& camera, int first,
                       const kinematics::Pose& start, double fps, const PlanarLiftSettings& settings) {
  return PlanarSolver(rig, tracks, camera, first, start, settings).solve(fps);
}

}  // namespace limber::lift
