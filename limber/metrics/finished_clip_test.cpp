// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0

// What makes a clip finished: each check passes on clean clips of the zoo, and fails on a fault of its own kind alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/playing.h"
#include "limber/metrics/clip_body.h"
#include "limber/metrics/drift.h"
#include "limber/metrics/flips.h"
#include "limber/metrics/ground_meeting.h"
#include "limber/metrics/loop_gap.h"
#include "limber/metrics/rig_health.h"
#include "limber/metrics/skin_leak.h"
#include "limber/testing/toy_assets.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::metrics {
namespace {

using kinematics::Motion;

struct Actor {
  zoo::Creature creature;
  ClipBody body;
};

const Actor& quadruped() {
  static const Actor actor = [] {
    zoo::CreatureSettings settings;
    settings.seed = 4, settings.resolution = 32;
    zoo::Creature creature = zoo::make_creature(settings).value();
    ClipBody body = make_clip_body(creature.subject);
    return Actor{std::move(creature), std::move(body)};
  }();
  return actor;
}

/// Two cycles and the frame that closes them.
Motion play(zoo::Action action, bool in_place = true) {
  zoo::ActionSettings settings;
  settings.action = action, settings.frames = 48, settings.in_place = in_place;
  const zoo::Performance done = zoo::perform(quadruped().creature, settings).value();
  Motion motion = done.motion;
  EXPECT_TRUE(motion.loops);
  motion.loops = false;
  const std::vector<Vec3> first(motion.frame_angles(0).begin(), motion.frame_angles(0).end());
  motion.angles.insert(motion.angles.end(), first.begin(), first.end());
  const float way = in_place ? 0 : done.stride * static_cast<float>(done.cycles);
  motion.root_translations.push_back(motion.root_translations.front() + Vec3{0, 0, way});
  return motion;
}

/// Turns all of a frame about the upright axis through the trunk.
void turn_frame(Motion& motion, int frame, double angle) {
  const rig::Joint& root = quadruped().body.subject.rig.joints()[0];
  const Quatd rest = normalized(root.rest.rotation.cast<double>()), axes = normalized(root.axes.cast<double>());
  const Mat3d frame_axes = root.parent_from_frame.linear.cast<double>() * to_matrix(rest * axes);
  const Mat3d own = kinematics::euler_matrix(motion.frame_angles(frame)[0].cast<double>());
  const Mat3d turned = transposed(frame_axes) * to_matrix(axis_angle(Vec3d{0, 1, 0}, angle)) * frame_axes * own;
  motion.frame_angles(frame)[0] =
      kinematics::euler_angles(turned, motion.frame_angles(frame)[0].cast<double>()).cast<float>();
}

double share(int frame, const Motion& motion) { return static_cast<double>(frame) / (motion.frame_count() - 1); }

float lowest(const GroundMeeting& ground) { return *std::min_element(ground.lowest.begin(), ground.lowest.end()); }

int touching(const GroundMeeting& ground) {
  return static_cast<int>(std::count_if(ground.stances.begin(), ground.stances.end(),
                                        [](const Stance& s) { return s.height <= kTouching; }));
}

// --- loops -----------------------------------------------------------------------------------------------------------

TEST(LoopGap, IsNothingInCleanLoops) {
  for (const zoo::Action action : {zoo::Action::kWalk, zoo::Action::kTrot, zoo::Action::kIdle}) {
    const LoopGap loop = loop_gap(quadruped().body, play(action));
    EXPECT_LT(loop.gap, kOpenLoop) << zoo::name(action);
    EXPECT_TRUE(velocities_meet(loop)) << zoo::name(action) << loop.jolt << " " << loop.jolt_within;
    EXPECT_FALSE(loop.lacks_last);
  }
}

TEST(LoopGap, IsNothingWhereTheBodyOnlyTravelsOn) {
  EXPECT_LT(loop_gap(quadruped().body, play(zoo::Action::kWalk, false)).gap, kOpenLoop);
}

TEST(LoopGap, IsWhatTheLastPoseDiffersBy) {
  Motion motion = play(zoo::Action::kWalk);
  const int joint = quadruped().creature.legs[0].joints[0];
  for (int f = 0; f < motion.frame_count(); ++f) {
    motion.frame_angles(f)[at(joint)].x += static_cast<float>(0.2 * share(f, motion));
  }
  const LoopGap loop = loop_gap(quadruped().body, motion);
  EXPECT_GT(loop.gap, 0.02);
  EXPECT_FALSE(loop.lacks_last);
}

TEST(LoopGap, TellsWhereVelocitiesDoNotMeet) {
  // The pose is the same again, but comes to it fast where it leaves it slowly.
  Motion motion = play(zoo::Action::kIdle);
  const int joint = quadruped().creature.legs[0].joints[0];
  for (int f = 0; f < motion.frame_count(); ++f) {
    const double t = share(f, motion);
    motion.frame_angles(f)[at(joint)].x += static_cast<float>(4 * t * t * (1 - t));
  }
  const LoopGap loop = loop_gap(quadruped().body, motion);
  EXPECT_LT(loop.gap, kOpenLoop);
  EXPECT_FALSE(velocities_meet(loop));
}

TEST(LoopGap, KnowsALoopThatLacksItsLastFrame) {
  for (const bool in_place : {true, false}) {
    Motion motion = play(zoo::Action::kWalk, in_place);
    kinematics::cut_motion(motion, motion.frame_count() - 1);
    const LoopGap loop = loop_gap(quadruped().body, motion);
    EXPECT_GT(loop.gap, kOpenLoop);
    EXPECT_TRUE(loop.lacks_last) << in_place;
  }
}

// --- floor and contact -----------------------------------------------------------------------------------------------

TEST(MeetGround, FindsStancesThatTouchInCleanWalks) {
  for (const bool in_place : {true, false}) {
    const GroundMeeting ground = meet_ground(quadruped().body, play(zoo::Action::kWalk, in_place));
    EXPECT_GE(lowest(ground), -kSunkPoint);
    EXPECT_EQ(ground.legs.size(), 4u);
    EXPECT_GE(ground.stances.size(), 8u) << "every leg stands in both cycles";
    EXPECT_EQ(touching(ground), static_cast<int>(ground.stances.size()));
  }
}

TEST(MeetGround, TellsOfALiftedStance) {
  // One leg of four stands on air: its foot is drawn up by folding the leg.
  for (const bool in_place : {true, false}) {
    Motion motion = play(zoo::Action::kWalk, in_place);
    for (Vec3& root : motion.root_translations) root.y += 0.03f;
    const GroundMeeting ground = meet_ground(quadruped().body, motion);
    EXPECT_GE(ground.stances.size(), 8u);
    EXPECT_EQ(touching(ground), 0);
    EXPECT_GE(lowest(ground), 0.02f);
  }
}

TEST(MeetGround, TellsHowDeepWhatIsBelowTheFloor) {
  Motion motion = play(zoo::Action::kWalk);
  const float clean = lowest(meet_ground(quadruped().body, motion));
  for (Vec3& root : motion.root_translations) root.y -= 0.03f;
  EXPECT_NEAR(lowest(meet_ground(quadruped().body, motion)), clean - 0.03f, 1e-4f);
}

TEST(MeetGround, NamesTheJointThatIsLowest) {
  // The tail hangs through the floor.
  const rig::Rig& rig = quadruped().body.subject.rig;
  int tail = -1;
  for (int j = rig.joint_count() - 1; j >= 0; --j) {
    const int limb = rig.joints()[at(j)].role.limb;
    if (limb >= 0 && rig.limbs()[at(limb)].kind == rig::LimbKind::kTail) tail = j;
  }
  ASSERT_GE(tail, 0);
  Motion motion = play(zoo::Action::kIdle);
  kinematics::JointOverride moved{tail, {}, {}};
  moved.translations.assign(motion.root_translations.size(), rig.joints()[at(tail)].rest.translation);
  for (Vec3& place : moved.translations) place += Vec3{0, -0.8f, 0};
  motion.overrides.push_back(moved);
  const GroundMeeting ground = meet_ground(quadruped().body, motion);
  const int joint = ground.lowest_joint[5];
  EXPECT_LT(ground.lowest[5], -0.05f);
  EXPECT_EQ(rig.limbs()[at(rig.joints()[at(joint)].role.limb)].kind, rig::LimbKind::kTail);
}

// --- drift -----------------------------------------------------------------------------------------------------------

TEST(Drift, IsNothingInCleanClipsInPlace) {
  for (const zoo::Action action : {zoo::Action::kWalk, zoo::Action::kIdle}) {
    const Drift d = drift(quadruped().body, play(action));
    EXPECT_LT(std::abs(d.turn), 1e-4);
    EXPECT_LT(d.way, 1e-4);
    EXPECT_FALSE(d.travels());
  }
}

TEST(Drift, KnowsAStraightWalk) {
  const Drift d = drift(quadruped().body, play(zoo::Action::kWalk, false));
  EXPECT_TRUE(d.travels());
  EXPECT_LT(std::abs(d.turn), kMostTurn);
  EXPECT_LT(d.bend, kMostBend);
  EXPECT_EQ(d.carriers, std::vector<int>{0});
}

TEST(Drift, IsTheTurnFromStartToEnd) {
  Motion motion = play(zoo::Action::kIdle);
  for (int f = 0; f < motion.frame_count(); ++f) turn_frame(motion, f, 0.3 * share(f, motion));
  EXPECT_NEAR(drift(quadruped().body, motion).turn, 0.3, 1e-3);
  // Which leaves the loop as closed as it was.
  EXPECT_LT(loop_gap(quadruped().body, motion).gap, kOpenLoop);
}

TEST(Drift, IsTheWayFromStartToEnd) {
  Motion motion = play(zoo::Action::kIdle);
  for (int f = 0; f < motion.frame_count(); ++f) {
    motion.root_translations[at(f)] += Vec3{static_cast<float>(0.05 * share(f, motion)), 0, 0};
  }
  EXPECT_NEAR(drift(quadruped().body, motion).way, 0.05, 1e-4);
}

TEST(Drift, SeesAWalkThatBends) {
  Motion motion = play(zoo::Action::kWalk, false);
  const float way = motion.root_translations.back().z;
  for (int f = 0; f < motion.frame_count(); ++f) {
    motion.root_translations[at(f)].x += static_cast<float>(0.2 * double(way) * std::sin(kPi * share(f, motion)));
  }
  EXPECT_GT(drift(quadruped().body, motion).bend, kMostBend);
}

// --- flips -----------------------------------------------------------------------------------------------------------

TEST(Flips, AreNoneInCleanClips) {
  EXPECT_TRUE(joint_flips(quadruped().body, play(zoo::Action::kTrot)).empty());
  const asset::Asset tube = testing::tube_asset(3);
  for (const std::size_t changes : sign_changes(tube.clips[0])) EXPECT_EQ(changes, 0u);
}

TEST(Flips, AreJointsThatTurnOverInOneFrame) {
  Motion motion = play(zoo::Action::kWalk);
  const int joint = quadruped().creature.legs[1].joints[0];
  motion.frame_angles(10)[at(joint)].x += 2.5f;
  const std::vector<JointFlip> flips = joint_flips(quadruped().body, motion);
  ASSERT_EQ(flips.size(), 2u);
  EXPECT_EQ(flips[0].joint, joint);
  EXPECT_EQ(flips[0].frame, 10);
  EXPECT_EQ(flips[1].frame, 11);
  EXPECT_GT(flips[0].angle, 2);
}

TEST(Flips, AreKeysThatChangeTheirSign) {
  asset::Asset tube = testing::tube_asset(3);
  asset::Channel& channel = tube.clips[0].channels[1];
  for (std::size_t i = 4 * 5; i < 4 * 9; ++i) channel.values[i] *= -1;
  const std::vector<std::size_t> changes = sign_changes(tube.clips[0]);
  EXPECT_EQ(changes[0], 0u);
  EXPECT_EQ(changes[1], 2u);
}

// --- weights and skin ------------------------------------------------------------------------------------------------

TEST(RigHealth, CountsCopiesOfAVertexThatFollowOtherJoints) {
  asset::Asset tube = testing::tube_asset(3);
  asset::Primitive& primitive = tube.meshes[0].primitives[0];
  // A seam: the first vertex once more.
  primitive.positions.push_back(primitive.positions[0]);
  if (!primitive.normals.empty()) primitive.normals.push_back(primitive.normals[0]);
  asset::InfluenceSet& set = primitive.influences[0];
  set.joints.push_back(set.joints[0]), set.weights.push_back(set.weights[0]);
  EXPECT_EQ(rig_health(tube).parted_copies, 0u);
  for (int k = 0; k < 4; ++k) set.weights.back()[k] *= 0.5f;
  EXPECT_EQ(rig_health(tube).parted_copies, 0u) << "shares of the sum count";
  set.joints.back() = {2, 1, 0, 0}, set.weights.back() = {0.5f, 0.5f, 0, 0};
  EXPECT_EQ(rig_health(tube).parted_copies, 1u);
}

TEST(RigHealth, CountsVerticesWithManyInfluences) {
  asset::Asset tube = testing::tube_asset(6);
  asset::Primitive& primitive = tube.meshes[0].primitives[0];
  EXPECT_EQ(rig_health(tube).many_influences, 0u);
  asset::InfluenceSet more = primitive.influences[0];
  for (std::size_t v = 0; v < more.joints.size(); ++v) more.joints[v] = {4, 5, 0, 0}, more.weights[v] = {};
  primitive.influences[0].joints[3] = {0, 1, 2, 3}, primitive.influences[0].weights[3] = {0.2f, 0.2f, 0.2f, 0.2f};
  more.weights[3] = {0.2f, 0, 0, 0};
  primitive.influences.push_back(more);
  EXPECT_EQ(rig_health(tube).many_influences, 1u);
}

TEST(SkinLeak, IsSmallInACleanSkinAndSeesAnother) {
  const ClipBody& clean = quadruped().body;
  EXPECT_LE(skin_leak(clean).movement, kMostLeak);
  // A tenth of every point of one leg follows the leg on the other side.
  ClipBody leaking = clean;
  const zoo::Leg &left = quadruped().creature.legs[0], &right = quadruped().creature.legs[1];
  const std::vector<int> leader = leaders(clean.subject);
  std::vector<std::vector<rig::Influence>> rows;
  const auto stride = at(clean.subject.weights.stride);
  for (std::size_t p = 0; p < leader.size(); ++p) {
    std::vector<rig::Influence> row;
    for (std::size_t k = p * stride; k < (p + 1) * stride; ++k) {
      row.push_back({clean.subject.weights.bones[k], clean.subject.weights.weights[k]});
    }
    if (std::find(left.joints.begin(), left.joints.end(), leader[p]) != left.joints.end()) {
      row.push_back({static_cast<std::uint16_t>(right.joints[0]), 0.25f});
    }
    rows.push_back(row);
  }
  leaking.subject.weights = rig::make_skin_weights(rows, 4);
  const SkinLeak leak = skin_leak(leaking);
  EXPECT_GT(leak.movement, kMostLeak);
  const auto limb_of = [&](const zoo::Leg& leg) { return clean.subject.rig.joints()[at(leg.joints[0])].role.limb; };
  EXPECT_EQ(leak.turned, limb_of(right));
  EXPECT_EQ(leak.moved, limb_of(left));
}

}  // namespace
}  // namespace limber::metrics
