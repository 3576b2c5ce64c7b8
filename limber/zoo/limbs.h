// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "limber/zoo/body_plan.h"
#include "limber/zoo/body_spec.h"

/// Builders of limbs. Shapes state places and radii outright; who draws them, a named plan or the grammar, is of no
/// interest here.
namespace limber::zoo {

/// A row of joints with flesh between them: spines, necks, tails, tentacles.
struct ChainShape {
  std::string name;    ///< "tail" makes tail.1, tail.2 ...
  std::string suffix;  ///< ".L"
  rig::LimbKind kind = rig::LimbKind::kTail;
  float station = 0;           ///< along the parent's limb
  std::vector<Vec3d> points;   ///< of the joints and of the end: one more than there are joints
  std::vector<double> radii;   ///< at the points
  Vec3d range{0.7, 0.5, 1.0};  ///< of the angles, both ways
  JointAxes axes = JointAxes::kTrunk;
  Vec3d squash{1, 1, 1};
  int limb = 0;  ///< of flesh
};
int add_chain(BodyPlan& plan, int parent, const ChainShape& shape);  ///< the last joint

/// A leg that ends in a point, folded upwards in the upright plane that it stands in.
struct PointLegShape {
  std::string name;  ///< "leg.2": joints leg.2.hip.L, leg.2.knee.L, leg.2.ankle.L
  Vec3d out;         ///< along the ground, a unit vector; like all places for the side that is built
  Vec3d hip, knee, ankle, tip;
  double girth = 0.06;
  float station = 0;
  int pair = 0;
};
void add_point_leg(BodyPlan& plan, int parent, const PointLegShape& shape, int side);

/// Knees out, feet flat; places are for the left side.
struct SprawlingLegShape {
  std::string name;
  Vec3d hip, knee, ankle, toe;
  double thigh = 0.08, shin = 0.05, foot = 0.05, foot_length = 0.1;
  int claws = 0;
  double blend = 0.05;
  float station = 0;
  int pair = 0;
};
void add_sprawling_leg(BodyPlan& plan, int parent, const SprawlingLegShape& shape, int side);

/// A row of 2 to 5 joints in the upright plane along `out`, ending in a round tip on the ground.
struct ChainLegShape {
  std::string name;
  Vec3d out;                  ///< along the ground, a unit vector, left side
  std::vector<Vec3d> points;  ///< of the joints, and the sole; left side
  double girth = 0.06;
  float station = 0;
  int pair = 0;
};
void add_chain_leg(BodyPlan& plan, int parent, const ChainLegShape& shape, int side);

/// A digitigrade leg under a body that balances on two: birds, theropods, satyrs.
LegShape raptor_leg(Vec3d hip, double height, double thigh, double shin, double foot, int claws);

/// Shoulder, elbow, wrist; places are for the left side.
struct ArmShape {
  std::string prefix;  ///< of the joints' names: "" or "arm.2."
  Vec3d shoulder, elbow, wrist;
  Quatd axes;                               ///< of the joints, left side
  std::array<Vec3d, 3> lower, upper;        ///< limits
  double upper_arm = 0.06, forearm = 0.05;  ///< radii at the shoulder and at the wrist
  double blend = 0.07, reach = 0.3;
  HandStyle hand = HandStyle::kMitten;
  int fingers = 4;
  double hand_size = 0.07;
  Vec3d hand_along{0, -1, 0};  ///< from the wrist to the knuckles
  Vec3d palm{1, 0, 0};         ///< across the hand's flat side
  float station = 1;
};
struct BuiltArm {
  int shoulder = -1, elbow = -1, wrist = -1;
  Vec3d grip;  ///< the middle of the hand
};
BuiltArm add_arm(BodyPlan& plan, int parent, const ArmShape& shape, int side);

/// Flat flesh along three bones. `out` runs along the span, `back` across the chord; both unit vectors of the left
/// side.
struct WingShape {
  std::string prefix;  ///< "wing" makes wing.1.L ...
  WingStyle style = WingStyle::kFeathered;
  Vec3d shoulder, out, back;
  double span = 1, chord = 0.4, bone = 0.05;
  double blend = 0.12, reach = 0.45;
  float station = 1;
};
void add_wing(BodyPlan& plan, int parent, const WingShape& shape, int side);

/// A head at the end of a neck, or of the trunk itself.
struct HeadShape {
  std::string prefix;                     ///< of the joints' names: "" or "second."
  Vec3d at;                               ///< of the joint
  double size = 0.15;                     ///< radius of the skull
  Vec3d skull;                            ///< from the joint to the middle of the skull, of the size
  double snout = 0.2, snout_girth = 0.5;  ///< length, and girth of the size
  Mouth mouth = Mouth::kJaw;
  double nose_drop = 0.3;  ///< how far the nose is below the skull's middle, of the size
  double eye = 0.25;       ///< of the size
  double width = 0.9;      ///< of the skull
  float station = 1;
};
struct BuiltHead {
  int joint = -1, limb = -1;
  Vec3d skull, nose;
  double size = 0;
};
BuiltHead add_head(BodyPlan& plan, int parent, const HeadShape& shape);
void add_ears(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, Ears style, double length,
              double spread);
void add_horns(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, int pairs, double length, double curl);
void add_antlers(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, double length, int tines);
void add_antennae(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, double length);
void add_nose_horn(BodyPlan& plan, const BuiltHead& head, const std::string& prefix, double length);
void add_crest(BodyPlan& plan, const BuiltHead& head, double length);

/// A flat fin of two joints; places are for the left side.
struct FinShape {
  std::string name;  ///< "flipper.1": joints flipper.1.1.L and flipper.1.2.L
  Vec3d base, tip;
  Vec3d normal{0, 1, 0};
  double root_width = 0.08, tip_width = 0.05, thickness = 0.3;
  float station = 1;
  int limb = -1;  ///< of flesh; -1: its own
};
void add_fin(BodyPlan& plan, int parent, const FinShape& shape, int side);

}  // namespace limber::zoo
