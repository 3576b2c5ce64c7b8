// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/zoo/body_map.h"
#include "limber/zoo/creature.h"

/// From what an action wants of the body, in few numbers, to joint angles: forward kinematics for trunk, tail and arms,
/// inverse kinematics for the legs, in closed form but for chains of three links and more.
namespace limber::zoo {

/// Where a foot should be. Feet without a goal keep the angles that the body goal gives their joints.
struct FootGoal {
  bool active = false;
  Vec3d sole;            ///< world
  double yaw = 0;        ///< heading of the foot
  double pitch = 0;      ///< > 0: toes down, heel up
  double fold = 0;       ///< extra bend of the wrist (forelegs), radians
  bool planted = false;  ///< on the ground, not moving
  double toe_lag = 0;    ///< plantigrade: 1 keeps the toes flat while the heel is up
};

/// One instant of an action.
struct BodyGoal {
  Vec3d shift;                 ///< of the body, world
  Vec3d travel;                ///< the part of `shift` and of the feet that is progress over the ground
  double heading = 0;          ///< the part of the yaw, and of the feet's, that is a turn of the path
  Vec3d turn;                  ///< yaw, roll, pitch about `Poser::pivot`
  std::vector<Vec3d> angles;   ///< per joint; legs with an active goal are overwritten
  std::vector<FootGoal> feet;  ///< per leg
};

struct SolvedPose {
  Vec3d root_translation;
  std::vector<Vec3d> angles;
  std::vector<Affined> world_from_joint;
};

class Poser {
 public:
  static constexpr double kMostMiss = 4e-4;  ///< a foot that is farther from its place is not called planted

  explicit Poser(const Creature& creature);

  const Creature& creature() const { return creature_; }
  const BodyMap& map() const { return map_; }
  int joint_count() const { return creature_.subject.rig.joint_count(); }
  Vec3d rest(int joint_index) const;
  Vec3d rest_sole(std::size_t leg) const { return legs_[leg].sole; }
  Vec3d pivot() const { return pivot_; }             ///< centre of the body at rest: between the hips of all legs
  double leg_length() const { return leg_length_; }  ///< mean height of the hips above the ground
  double height() const { return height_; }          ///< of the whole creature at rest
  double leg_length(std::size_t leg) const { return legs_[leg].height; }
  double girth(int joint_index) const { return creature_.girths[static_cast<std::size_t>(joint_index)]; }

  BodyGoal rest_goal() const;
  /// Where a point of the body at rest is when the goal has moved the root.
  Vec3d in_world(const BodyGoal& goal, Vec3d at_rest) const;
  /// Largest hip-to-foot distance over the active feet, 1 where a leg is stretched.
  double stretch(const BodyGoal& goal) const;
  /// The creature's mouth in the world: the foremost point at rest, carried by the head (without one, by the root).
  Vec3d mouth(const BodyGoal& goal) const;
  /// Height of the lowest point of the skinned surface.
  double lowest_point(const SolvedPose& pose) const;
  /// Whether the pose can be held: every active foot reaches its goal, and nothing goes below the ground.
  bool holds(const BodyGoal& goal) const;
  /// How far the planted feet are from their goals.
  double miss(const BodyGoal& goal, const SolvedPose& pose) const;
  double miss(std::size_t leg, const FootGoal& goal, const SolvedPose& pose) const;
  /// Moves the body to where no planted foot misses its place, if there is such a place near.
  void bring_feet_into_reach(BodyGoal& goal) const;
  /// Bends the tails up where they would go through the ground.
  void keep_tail_up(BodyGoal& goal) const;
  /// The same for whatever trails on the ground: dragged tails, capes.
  void keep_trains_up(BodyGoal& goal) const;
  /// How deep the lowest point of a foot lies below its sole when it is pitched so.
  double dip(std::size_t leg, double pitch) const;
  /// `previous` keeps the angles continuous; may be null.
  SolvedPose solve(const BodyGoal& goal, const SolvedPose* previous) const;

 private:
  static constexpr std::size_t kMostLegJoints = 5;
  struct LegData {
    std::vector<int> joints;
    LegKind kind = LegKind::kDigitigrade;
    bool rolls = false;  // no flat foot: the tip leans with the last bone
    Vec3d sole;
    double height = 0;
    double knee_side = 1;
    Mat3d rest_basis;
    std::vector<Vec3d> segments;  // rest vectors between the joints, and to the sole
    Vec3d about;                  // a chain: normal of the plane that it bends in
    std::vector<Vec3d> tip;       // of a foot that rolls: its flesh near the ground, from the sole
    double front = 0, back = 0;   // how far the sole reaches before and behind the contact
  };
  struct FootPlacement {
    Vec3d end;  // what the leg's chain must reach
    Mat3d foot, toe;
  };

  LegData measure(const Leg& leg) const;
  void keep_up(std::span<const int> tail, BodyGoal& goal) const;
  Mat3d basis(const LegData& leg, const Mat3d& parent_rotation, Vec3d hip, Vec3d end) const;
  FootPlacement place(const LegData& leg, const FootGoal& goal) const;
  Affined root_frame(const BodyGoal& goal) const;
  /// Trunk, head and arms as the goal has them, within their limits; legs too, which are not solved yet.
  SolvedPose without_legs(const BodyGoal& goal) const;
  void keep_in_limits(std::span<Vec3d> angles) const;
  /// To where no planted leg is stretched farther than `straight`. The places from which one leg reaches form a ball:
  /// stepping to the nearest point of each ball in turn ends in all of them, if they meet.
  Vec3d shift_into_reach(const BodyGoal& goal, double straight) const;
  void forward(std::span<const Vec3d> angles, Vec3d root_translation, std::vector<Affined>& world) const;
  /// Longest distance that the leg spans from its hip to what `place` asks for.
  double span(const LegData& leg, double wrist) const;
  std::array<Mat3d, kMostLegJoints> leg_rotations(const LegData& leg, const FootGoal& goal,
                                                  const Mat3d& parent_rotation, Vec3d hip) const;
  void solve_leg(const LegData& leg, FootGoal goal, const SolvedPose* previous, SolvedPose& pose) const;

  const Creature& creature_;
  BodyMap map_;
  std::vector<LegData> legs_;
  Vec3d mouth_;  ///< in the head's frame
  Vec3d pivot_;
  double leg_length_ = 0, height_ = 0;
};

}  // namespace limber::zoo
