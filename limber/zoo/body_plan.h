// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/rng.h"
#include "limber/rig/role.h"
#include "limber/zoo/creature.h"
#include "limber/zoo/implicit_surface.h"

/// A creature before it is polygonised: joints, flesh, legs and coat, in any unit; `make_creature` scales it.
namespace limber::zoo {

/// Which axes the three angles of a joint turn about. The middle one has the smallest range.
enum class JointAxes {
  kTrunk,  ///< yaw (+Y), roll (+Z), pitch (+X): spine, neck, head, tail, root
  kLimb,   ///< swing (+X), twist (+Y), spread (+Z): limbs that hang down
  kWing    ///< flap (+Z), twist (+X), sweep (+Y): limbs that stretch sideways
};

struct PlanJoint {
  std::string name;
  int parent = -1;
  Vec3d position;  ///< at rest, world; rest rotations are identities
  Quatd axes;
  Vec3d lower, upper;  ///< limits of the three angles
  bool sole = false;   ///< a foot: all flesh that touches the ground moves with it alone
  bool whole = false;  ///< all of its flesh moves with it, without a seam: things worn, held and loose
  rig::Role role;      ///< of the plan's anatomy
};

/// A dark spot, for eyes and noses.
struct Spot {
  Vec3d centre;
  double radius = 0;
  Vec3d color;
};

/// What the vertex colours are made from.
struct Coat {
  Vec3d back, belly, accent;  ///< linear RGB
  CoatPattern pattern = CoatPattern::kPlain;
  double pattern_size = 0.1;  ///< of the creature's size
  double socks = 0;           ///< legs below this height have the accent's colour, of the creature's height
};

struct PlanLeg {
  std::string name;
  LegKind kind = LegKind::kDigitigrade;
  std::vector<int> joints;
  Vec3d sole;  ///< the ground contact at rest, world
  bool left = true;
  int pair = 0;
};

/// Builds a plan joint by joint. Joints are made parents first.
struct BodyPlan {
  std::vector<PlanJoint> joints;
  std::vector<rig::Limb> anatomy{rig::Limb{}};  ///< the trunk, and what leaves it
  std::vector<RoundCone> cones;
  std::vector<Limb> limbs;  ///< of flesh
  std::vector<PlanLeg> legs;
  std::vector<Spot> spots;
  Coat coat;
  bool flat_ground = true;
  bool loose = false;          ///< pieces that touch nothing belong to it
  double crease = 1;           ///< width of the seam that is left everywhere, in cells of the plain grid
  Vec3d cell_aspect{1, 1, 1};  ///< cells are made finer across thin parts (wings, fins)

  int joint(std::string name, int parent, Vec3d position, JointAxes axes, Vec3d lower, Vec3d upper);
  /// Limits of the same size both ways.
  int joint(std::string name, int parent, Vec3d position, JointAxes axes, Vec3d range) {
    return joint(std::move(name), parent, position, axes, -range, range);
  }
  int joint(std::string name, int parent, Vec3d position, Quatd axes, Vec3d lower, Vec3d upper);
  /// Says what a joint is part of. It goes on with its parent's limb where that is of this kind, else one starts there,
  /// at `station` along the limb of its parent. What nobody speaks of goes on with its parent's limb.
  void belongs(int joint_index, rig::LimbKind kind, float station = 0);
  Vec3d at(int joint_index) const { return joints[static_cast<std::size_t>(joint_index)].position; }

  int limb(Vec3d attach, double blend, double reach, double melt);
  void flesh(int joint_index, int limb_index, Vec3d a, double radius_a, Vec3d b, double radius_b,
             Vec3d squash = {1, 1, 1});
  void ball(int joint_index, int limb_index, Vec3d centre, double radius, Vec3d squash = {1, 1, 1}) {
    flesh(joint_index, limb_index, centre, radius, centre, radius, squash);
  }
  /// A flat plate: a cone that is thin along `normal`, by `thickness` of its radius.
  void plate(int joint_index, int limb_index, Vec3d a, double radius_a, Vec3d b, double radius_b, Vec3d normal,
             double thickness);
  /// Moves all of it up.
  void lift(double height);
  /// A round spot on the surface: an eye that bulges out a little.
  void eye(int joint_index, int limb_index, Vec3d centre, double radius);
};

/// "hip" and +1 make "hip.L".
std::string sided(std::string_view name, int side);
/// "spine" and 2 make "spine.2".
std::string numbered(std::string_view name, int number);

/// A leg of four joints that ends in a foot on the ground: its joints at rest and the radii of its flesh.
struct LegShape {
  LegKind kind = LegKind::kDigitigrade;
  std::string_view name;                         ///< "hindleg"
  std::array<std::string_view, 4> joint_names;   ///< "hip", "knee", "ankle", "toe"
  Vec3d hip, knee, ankle, toe;                   ///< for the left side; mirrored for the right
  double thigh = 0.1, calf = 0.05, shin = 0.04;  ///< radii at hip, knee and ankle
  double foot = 0.05, foot_length = 0.08;        ///< radius and length beyond the toe joint
  double heel = 0;                               ///< plantigrade: how far the foot reaches behind the ankle
  int claws = 0;                                 ///< toes that spread from the foot, birds and theropods
  double blend = 0.08;
  int pair = 0;
  float station = 0;  ///< along the trunk: 1 for forelegs
};
/// Adds the leg on one side (1 left, -1 right): joints with limits, flesh, and its entry in `legs`.
void add_leg(BodyPlan& plan, int parent, const LegShape& shape, int side);

/// Draws colours and pattern.
Coat draw_coat(Rng& rng);

// One function per plan. They draw all proportions from the generator.
BodyPlan plan_quadruped(Rng rng);
BodyPlan plan_biped(Rng rng);
BodyPlan plan_bird(Rng rng);
BodyPlan plan_theropod(Rng rng);
BodyPlan plan_hexapod(Rng rng);
BodyPlan plan_octopod(Rng rng);
BodyPlan plan_fish(Rng rng);
BodyPlan plan_snake(Rng rng);
/// Any body of the grammar.
BodyPlan plan_body(const BodySpec& spec, Rng rng, const Look& look = {});

}  // namespace limber::zoo
