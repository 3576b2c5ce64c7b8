// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/exporter/exporter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <set>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/testing/toy_assets.h"

namespace limber::exporter {
namespace {

using testing::add_node;
using testing::add_random_channel;
using testing::add_tube;
using testing::tube_asset;

/// Largest angle, in degrees, between the nodes' world rotations in the two clips at the keys of the first.
double rotation_error(const asset::Asset& asset, const asset::Clip& clip, const asset::Clip& other, double fps) {
  double worst = 0;
  for (int f = 0; f <= static_cast<int>(clip.duration() * fps + 0.5); ++f) {
    const auto a = asset::clip_state(asset, clip, f / fps), b = asset::clip_state(asset, other, f / fps);
    for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
      const Quatd p = decompose(a.world_from_node[n]).rotation, q = decompose(b.world_from_node[n]).rotation;
      worst = std::max(worst, angle_between(p, q) * 180 / kPi);
    }
  }
  return worst;
}

double largest_distance(const std::vector<asset::PosedPrimitive>& a, const std::vector<asset::PosedPrimitive>& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    for (std::size_t v = 0; v < a[i].positions.size(); ++v) {
      worst = std::max(worst, norm(a[i].positions[v] - b[i].positions[v]));
    }
  }
  return worst;
}

double geometry_error(const asset::Asset& asset, const asset::Clip& clip, const asset::Clip& other, double fps) {
  double worst = 0;
  for (int f = 0; f <= static_cast<int>(clip.duration() * fps + 0.5); ++f) {
    worst = std::max(worst, largest_distance(posed_geometry(asset, clip_state(asset, clip, f / fps)),
                                             posed_geometry(asset, clip_state(asset, other, f / fps))));
  }
  return worst;
}

void expect_round_trip(const asset::Asset& asset, double tolerance = 1e-5) {
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const auto motion = kinematics::motion_from_clip(asset, asset.clips[0], subject, 24).value();
  const asset::Clip clip = clip_from_motion(asset, subject, motion).value();
  EXPECT_FLOAT_EQ(clip.duration(), asset.clips[0].duration());
  EXPECT_LT(rotation_error(asset, asset.clips[0], clip, 24), 0.001);
  EXPECT_LT(geometry_error(asset, asset.clips[0], clip, 24), tolerance);
}

TEST(ClipFromMotion, BringsARoundTripHome) {
  asset::Asset asset = tube_asset(5);
  expect_round_trip(asset);
  asset.nodes[0].local = {{1, 2, 3}, axis_angle(normalized(Vec3{1, 2, 3}), 1.0f), {0.01f, 0.01f, 0.01f}};
  add_random_channel(asset, 2, asset::Path::kTranslation, 0.4f, 1);
  add_random_channel(asset, 3, asset::Path::kScale, 0.4f, 2);
  expect_round_trip(asset);
}

TEST(ClipFromMotion, GivesAttachedJointsTheirOwnNodesBack) {
  asset::Asset asset = tube_asset(6, /*siblings=*/true);
  for (int node = 1; node <= 6; ++node) add_random_channel(asset, node, asset::Path::kTranslation, 0.2f, at(node));
  expect_round_trip(asset);
}

TEST(ClipFromMotion, HandlesPlainNodesMirrorsAndHiddenProps) {
  asset::Asset asset = tube_asset(3);
  asset.nodes[2].local.scale = {1, 1, -1};
  const int plain = add_node(asset, 3, "plain", {{0, 1, 0}, axis_angle(Vec3{0, 1, 0}, 1.0f), {2, 1, 0.5f}});
  const int prop = add_node(asset, plain, "prop", {{0, 1, 0}, {}, {0, 0, 0}});
  asset.nodes[at(prop)].mesh = add_tube(asset, 1, 1);
  testing::add_swing_clip(asset, {prop});
  asset.clips[0].channels.push_back(asset.clips[1].channels[0]);
  asset::Channel show;
  show.node = prop, show.path = asset::Path::kScale, show.interpolation = asset::Interpolation::kStep;
  show.times = {0, 0.5f, 1}, show.values = {0, 0, 0, 1, 1, 1, 0, 0, 0};
  asset.clips[0].channels.push_back(show);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const auto motion = kinematics::motion_from_clip(asset, asset.clips[0], subject, 24).value();
  const asset::Clip clip = clip_from_motion(asset, subject, motion).value();
  EXPECT_LT(geometry_error(asset, asset.clips[0], clip, 24), 1e-5);
}

TEST(ClipFromMotion, WritesOnlyWhatMoves) {
  asset::Asset asset = tube_asset(5);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 10, 30);
  for (int f = 0; f < 10; ++f) motion.frame_angles(f)[2] = {0.1f * static_cast<float>(f), 0, 0};
  const asset::Clip clip = clip_from_motion(asset, subject, motion, {"nod", true}).value();
  EXPECT_EQ(clip.name, "nod");
  ASSERT_EQ(clip.channels.size(), 1u);
  EXPECT_EQ(clip.channels[0].node, 3);
  EXPECT_EQ(clip.channels[0].path, asset::Path::kRotation);
  EXPECT_EQ(clip.channels[0].times.size(), 10u);
  EXPECT_FLOAT_EQ(clip.duration(), 0.3f);
}

TEST(ClipFromMotion, KeepsTheLengthOfAMotionAtRest) {
  const asset::Asset asset = tube_asset(2);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const auto clip = clip_from_motion(asset, subject, kinematics::rest_motion(subject.rig, 25, 24)).value();
  EXPECT_EQ(clip.channels.size(), 1u);
  EXPECT_FLOAT_EQ(clip.duration(), 1);
}

TEST(ClipFromMotion, ClosesLoopsOnRequest) {
  const asset::Asset asset = tube_asset(3);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  const auto motion = kinematics::motion_from_clip(asset, asset.clips[0], subject, 24).value();
  ASSERT_TRUE(motion.loops);
  const asset::Clip closed = clip_from_motion(asset, subject, motion).value();
  EXPECT_EQ(closed.channels[0].times.size(), 25u);
  const asset::Clip open = clip_from_motion(asset, subject, motion, {"open", false}).value();
  EXPECT_EQ(open.channels[0].times.size(), 24u);
  for (const asset::Channel& channel : closed.channels) {
    for (int k = 0; k < 4; ++k) {
      EXPECT_NEAR(channel.values[at(k)], channel.values[channel.values.size() - 4 + at(k)], 1e-6);
    }
  }
}

TEST(ClipFromMotion, LetsALoopThatTravelsTravelOn) {
  const asset::Asset asset = tube_asset(3);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  kinematics::Motion walk = kinematics::rest_motion(subject.rig, 16, 24);
  walk.loops = true;
  for (int f = 0; f < 16; ++f) {
    const double phase = 2 * kPi * f / 16;
    walk.root_translations[at(f)] =
        Vec3d{0, 0.05 * std::sin(2 * phase), 0.1 * f + 0.02 * std::cos(phase)}.cast<float>();
  }
  const asset::Clip clip = clip_from_motion(asset, subject, walk).value();
  ASSERT_EQ(clip.channels.size(), 1u);
  const std::vector<float>& values = clip.channels[0].values;
  // One cycle is 1.6 heights of three units; up and down it comes back.
  EXPECT_NEAR(values[values.size() - 1] - values[2], 3 * 1.6, 3 * 2e-3);
  EXPECT_EQ(values[values.size() - 2], values[1]);
}

TEST(ClipFromMotion, KeepsQuaternionsOnOneSide) {
  const asset::Asset asset = tube_asset(2);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  kinematics::Motion spin = kinematics::rest_motion(subject.rig, 40, 24);
  for (int f = 0; f < 40; ++f) spin.frame_angles(f)[1] = {0, 0.3f * static_cast<float>(f), 0};
  const asset::Clip clip = clip_from_motion(asset, subject, spin).value();
  ASSERT_EQ(clip.channels.size(), 1u);
  const std::vector<float>& v = clip.channels[0].values;
  for (std::size_t i = 4; i < v.size(); i += 4) {
    EXPECT_GT(v[i] * v[i - 4] + v[i + 1] * v[i - 3] + v[i + 2] * v[i - 2] + v[i + 3] * v[i - 1], 0.9f);
  }
}

TEST(ClipFromMotion, RefusesAnAssetThatLacksTheJoints) {
  const asset::Asset asset = tube_asset(3);
  rig::Subject subject = rig::subject_from_asset(asset).value();
  const kinematics::Motion motion = kinematics::rest_motion(subject.rig, 2, 24);
  const auto other = clip_from_motion(asset::Asset{}, subject, motion);
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().what.find("which is not there"), std::string::npos);

  rig::RigDraft draft{{subject.rig.joints().begin(), subject.rig.joints().end()}, {}, {}};
  for (rig::Joint& joint : draft.joints) joint.node = -1;
  subject.rig = rig::build_rig(draft).value();
  EXPECT_FALSE(clip_from_motion(asset, subject, motion).ok());
  EXPECT_THROW((void)clip_from_motion(asset, subject, kinematics::Motion{}), ContractError);
}

TEST(AddClip, TurnsMatricesOfMovedNodesIntoTransforms) {
  asset::Asset asset = tube_asset(3);
  asset.nodes[2].matrix = to_affine(asset.nodes[2].local);
  asset.nodes[3].matrix = to_affine(asset.nodes[3].local);
  const rig::Subject subject = rig::subject_from_asset(asset).value();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 5, 24);
  motion.frame_angles(3)[1] = {0.5f, 0, 0};
  ASSERT_TRUE(add_clip(asset, subject, motion).ok());
  EXPECT_EQ(asset.clips.size(), 2u);
  EXPECT_EQ(asset.clips[1].channels.size(), 3u);
  EXPECT_FALSE(asset.nodes[2].matrix);
  EXPECT_TRUE(asset.nodes[3].matrix);
}

// --- add_rig
// ----------------------------------------------------------------------------------------------------------

/// A subject for a static asset: a chain of joints along the height of its one mesh node, as a rigger would make it.
rig::Subject rigged(const asset::Asset& asset, int node, int joints) {
  asset::Asset skinned = asset;
  std::vector<int> nodes;
  const Affined world = asset::rest_state(asset).world_from_node[at(node)];
  const auto length = static_cast<float>(norm(world.linear.column(1)));
  for (int j = 0; j < joints; ++j) {
    const Vec3 translation = j == 0 ? world.translation.cast<float>() : Vec3{0, length, 0};
    nodes.push_back(add_node(skinned, j == 0 ? -1 : nodes.back(), "spine." + std::to_string(j),
                             {translation, axis_angle(Vec3{0, 0, 1}, 0.1f), {1, 1, 1}}));
  }
  testing::add_skin(skinned, nodes, node);
  rig::Subject subject = rig::subject_from_asset(skinned).value();
  // Forget where it came from, and give it what a rigger knows.
  rig::RigDraft draft{{subject.rig.joints().begin(), subject.rig.joints().end()},
                      {subject.rig.bones().begin(), subject.rig.bones().end()},
                      {}};
  for (rig::Joint& joint : draft.joints) {
    joint.node = -1;
    joint.axes = axis_angle(Vec3{0, 1, 0}, 0.7f);
    joint.limits = {{-0.5f, -0.25f, 0}, {0.5f, 0.25f, 1}};
  }
  subject.rig = rig::build_rig(draft).value();
  subject.facing.forward = {1, 0, 0}, subject.facing.confidence = 0.75f;
  return subject;
}

asset::Asset static_tube(const Transform& local) {
  asset::Asset asset;
  asset.name = "static";
  const int above = add_node(asset, -1, "above", {{1, 0, 0}, {}, {1, 2, 1}});
  const int node = add_node(asset, above, "body", local);
  asset.nodes[at(node)].mesh = add_tube(asset, 4, 8);
  return asset;
}

TEST(AddRig, LeavesTheRestGeometryWhereItWas) {
  for (const Transform& local : {Transform{}, Transform{{5, 6, 7}, axis_angle(Vec3{0, 1, 0}, 1.0f), {30, 20, -10}},
                                 Transform{{0, 0, 0}, {}, {0.001f, 0.001f, 0.001f}}}) {
    asset::Asset asset = static_tube(local);
    rig::Subject subject = rigged(asset, 1, 4);
    const auto before = posed_geometry(asset, rest_state(asset));
    ASSERT_TRUE(add_rig(asset, subject).ok());
    const auto after = posed_geometry(asset, rest_state(asset));
    EXPECT_LT(largest_distance(before, after), 1e-6 * subject.asset_scale);
    EXPECT_EQ(asset.skins.size(), 1u);
    EXPECT_EQ(asset.nodes[1].skin, 0);
    EXPECT_EQ(asset.nodes[2].name, "skeleton");
    // The skinned mesh stands on top, since nothing above would move it.
    EXPECT_EQ(asset.scenes[0].roots, (std::vector<int>{0, 2, 1}));
    EXPECT_TRUE(asset.nodes[0].children.empty());
    EXPECT_EQ(asset.nodes[1].local, Transform{});
    for (const rig::Joint& joint : subject.rig.joints()) {
      ASSERT_GE(joint.node, 3);
      EXPECT_EQ(asset.nodes[at(joint.node)].name, joint.name);
      EXPECT_EQ(asset.nodes[at(joint.node)].local.scale, (Vec3{1, 1, 1}));
    }
  }
}

TEST(AddRig, MakesSkeletonsThatMoveAsTheSubjectDoes) {
  asset::Asset asset = static_tube({{5, 6, 7}, axis_angle(Vec3{0, 1, 0}, 1.0f), {30, 20, 10}});
  rig::Subject subject = rigged(asset, 1, 4);
  ASSERT_TRUE(add_rig(asset, subject).ok());
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 12, 24);
  for (int f = 0; f < 12; ++f) {
    motion.root_translations[at(f)] = {0.1f * static_cast<float>(f), 0.05f, 0};
    for (int j = 0; j < 4; ++j) motion.frame_angles(f)[at(j)] = {0.03f * static_cast<float>(f * j), 0.1f, -0.02f};
  }
  ASSERT_TRUE(add_clip(asset, subject, motion).ok());
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  for (int f = 0; f < 12; ++f) {
    const auto state = clip_state(asset, asset.clips[0], f / 24.0);
    EXPECT_LT(testing::posed_error(asset, state.world_from_node, subject, std::span(bones).subspan(at(4 * f), 4)),
              2e-6);
  }
  // And back: the clip is the same motion of this subject.
  const auto again = kinematics::motion_from_clip(asset, asset.clips[0], subject, 24).value();
  ASSERT_EQ(again.frame_count(), 12);
  for (std::size_t i = 0; i < motion.angles.size(); ++i) EXPECT_LT(norm(again.angles[i] - motion.angles[i]), 2e-5);
  for (std::size_t f = 0; f < 12; ++f) {
    EXPECT_LT(norm(again.root_translations[f] - motion.root_translations[f]), 1e-5);
  }
}

TEST(AddRig, KeepsAxesLimitsAndForwardForTheNextReader) {
  asset::Asset asset = static_tube({});
  rig::Subject subject = rigged(asset, 1, 4);
  const std::vector<rig::Limb> limbs{{}, {rig::LimbKind::kTail, rig::Side::kMiddle, 0, 0.5f}};
  const std::array<rig::Role, 4> roles{{{0, 0}, {0, 1}, {1, 0}, {1, 1}}};
  subject.rig = rig::with_limbs(subject.rig, limbs, roles).value();
  ASSERT_TRUE(add_rig(asset, subject).ok());
  const rig::Subject again = rig::subject_from_asset(asset).value();
  ASSERT_EQ(again.rig.joint_count(), 4);
  EXPECT_TRUE(std::equal(again.rig.limbs().begin(), again.rig.limbs().end(), limbs.begin(), limbs.end()));
  EXPECT_EQ(again.rig.joints()[3].role, (rig::Role{1, 1}));
  EXPECT_EQ(again.facing.forward, (Vec3{1, 0, 0}));
  for (int j = 0; j < 4; ++j) {
    const rig::Joint &a = again.rig.joints()[at(j)], &b = subject.rig.joints()[at(j)];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.node, b.node);
    EXPECT_LT(angle_between(a.axes, b.axes), 1e-6);
    EXPECT_EQ(a.limits.lower, b.limits.lower);
    EXPECT_EQ(a.limits.upper, b.limits.upper);
  }
  EXPECT_EQ(again.weights.bones, subject.weights.bones);
}

TEST(AddRig, KeepsTheFacingWhenSomebodyTurnsTheWholeAsset) {
  asset::Asset asset = static_tube({{1, 2, 3}, axis_angle(Vec3{0, 1, 0}, 0.4f), {2, 2, 2}});
  rig::Subject subject = rigged(asset, 1, 4);
  subject.facing.up = {0, 0, 1}, subject.facing.forward = {1, 0, 0};
  ASSERT_TRUE(add_rig(asset, subject).ok());
  // As an editor does it: one pivot node above everything.
  asset::Node pivot;
  pivot.local.rotation = axis_angle(normalized(Vec3{1, 2, -1}), 1.3f);
  pivot.children = asset.scenes[0].roots;
  asset.scenes[0].roots = {static_cast<int>(asset.nodes.size())};
  asset.nodes.push_back(pivot);
  const rig::Facing facing = rig::subject_from_asset(asset).value().facing;
  EXPECT_LT(norm(facing.up - rotate(pivot.local.rotation, Vec3{0, 0, 1})), 1e-5f);
  EXPECT_LT(norm(facing.forward - rotate(pivot.local.rotation, Vec3{1, 0, 0})), 1e-5f);
  EXPECT_EQ(facing.confidence, 0.75f);
}

TEST(AddRig, WritesEightInfluencesOnRequest) {
  for (const int influences : {4, 8}) {
    asset::Asset asset = static_tube({});
    rig::Subject subject = rigged(asset, 1, 6);
    std::vector<std::vector<rig::Influence>> rows(subject.points.size());
    for (auto& row : rows) {
      for (std::uint16_t b = 0; b < 6; ++b) row.push_back({b, 0.1f + 0.05f * static_cast<float>(b)});
    }
    subject.weights = rig::make_skin_weights(rows, 8);
    ASSERT_TRUE(add_rig(asset, subject, {influences, "skeleton"}).ok());
    const auto& sets = asset.meshes[0].primitives[0].influences;
    ASSERT_EQ(sets.size(), at(influences / 4));
    float sum = 0;
    for (const asset::InfluenceSet& set : sets) {
      ASSERT_EQ(set.joints.size(), subject.points.size());
      for (int k = 0; k < 4; ++k) sum += set.weights[0][k];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_EQ(sets[0].joints[0][0], 5);
  }
}

TEST(AddRig, CopiesAMeshThatTwoNodesShareWithOtherWeights) {
  asset::Asset asset = static_tube({});
  const int twin = add_node(asset, -1, "twin", {{3, 0, 0}, {}, {1, 1, 1}});
  asset.nodes[at(twin)].mesh = 0;
  rig::Subject subject = rigged(asset, 1, 3);
  // The second node's points follow the first joint alone.
  const std::size_t count = subject.points.size();
  const Affined subject_from_asset = inverse(rig::asset_from_subject(subject));
  std::vector<std::vector<rig::Influence>> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      rows[i].push_back({subject.weights.bones[4 * i + k], subject.weights.weights[4 * i + k]});
    }
  }
  for (const Vec3& p : asset.meshes[0].primitives[0].positions) {
    subject.points.push_back((subject_from_asset * (p.cast<double>() + Vec3d{3, 0, 0})).cast<float>());
    rows.push_back({{0, 1.0f}});
  }
  subject.weights = rig::make_skin_weights(rows, 4);
  subject.ranges.push_back({twin, 0, 0, count, count});
  const auto before = posed_geometry(asset, rest_state(asset));
  ASSERT_TRUE(add_rig(asset, subject).ok());
  EXPECT_EQ(asset.meshes.size(), 2u);
  EXPECT_EQ(asset.nodes[at(twin)].mesh, 1);
  EXPECT_EQ(subject.ranges[1].mesh, 1);
  EXPECT_EQ(asset.skins.size(), 2u);
  EXPECT_LT(largest_distance(before, posed_geometry(asset, rest_state(asset))), 1e-5);
}

/// Seconds of this process that add_rig takes for a body of so many mesh nodes, the quickest of three.
double seconds_for_mesh_nodes(int count) {
  asset::Asset asset = static_tube({});
  rig::Subject subject = rigged(asset, 1, 3);
  std::vector<std::vector<rig::Influence>> rows(subject.points.size(), {{0, 1.0f}});
  const Affined subject_from_asset = inverse(rig::asset_from_subject(subject));
  asset::Mesh mesh;
  mesh.primitives.emplace_back();
  mesh.primitives[0].positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  asset.meshes.push_back(mesh);
  for (int n = 0; n < count; ++n) {
    const int node = add_node(asset, -1, "scale", {});
    asset.nodes[at(node)].mesh = 1;
    subject.ranges.push_back({node, 1, 0, subject.points.size(), 3});
    for (const Vec3& p : mesh.primitives[0].positions) {
      subject.points.push_back((subject_from_asset * p.cast<double>()).cast<float>());
      rows.push_back({{0, 1.0f}});
    }
  }
  subject.weights = rig::make_skin_weights(rows, 4);
  double quickest = INFINITY;
  for (int run = 0; run < 3; ++run) {
    asset::Asset rigged_asset = asset;
    rig::Subject moved = subject;
    const std::clock_t start = std::clock();
    EXPECT_TRUE(add_rig(rigged_asset, moved).ok());
    quickest = std::min(quickest, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return quickest;
}

TEST(AddRig, TakesTimeInProportionToMeshNodes) {
  // Eight times the nodes take some eight times as long; where each looked at all the others, 50 times.
  EXPECT_LT(seconds_for_mesh_nodes(16000), 20 * seconds_for_mesh_nodes(2000));
}

TEST(AddRig, LeavesMeshesBelowThatOthersHangOn) {
  // A mesh node that a mesh node hangs on.
  asset::Asset asset = static_tube({});
  const int below = add_node(asset, 1, "below", {});
  asset.nodes[at(below)].mesh = 0;
  rig::Subject subject = rigged(asset, 1, 3);
  std::vector<std::vector<rig::Influence>> rows(2 * subject.points.size(), {{0, 1.0f}});
  const std::size_t count = subject.points.size();
  subject.points.insert(subject.points.end(), subject.points.begin(), subject.points.begin() + std::ptrdiff_t(count));
  subject.weights = rig::make_skin_weights(rows, 4);
  subject.ranges.push_back({below, 0, 0, count, count});
  ASSERT_TRUE(add_rig(asset, subject).ok());
  // They are taken in the order of their numbers, so the first still had its child when it was looked at.
  EXPECT_EQ(asset.scenes[0].roots, (std::vector<int>{0, 3, 2}));
  EXPECT_EQ(asset.nodes[0].children, (std::vector<int>{1}));
  EXPECT_TRUE(asset.nodes[1].children.empty());
}

TEST(AddRig, RefusesWhatItWouldSpoil) {
  const asset::Asset fresh = static_tube({});
  rig::Subject subject = rigged(fresh, 1, 3);
  asset::Asset asset = fresh;
  ASSERT_TRUE(add_rig(asset, subject).ok());
  const auto twice = add_rig(asset, subject);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().where, "static#/nodes/1");

  asset = fresh;
  asset.nodes[1].local.translation.x = 2;
  const auto moved = add_rig(asset, subject);
  ASSERT_FALSE(moved.ok());
  EXPECT_NE(moved.error().what.find("is not where"), std::string::npos);
  EXPECT_EQ(asset.nodes.size(), fresh.nodes.size());

  subject.ranges[0].primitive = 7;
  EXPECT_FALSE(add_rig(asset, subject).ok());
  subject.ranges.clear();
  EXPECT_FALSE(add_rig(asset, subject).ok());
  EXPECT_THROW((void)add_rig(asset, subject, {5, ""}), ContractError);
}

TEST(LimitInfluences, KeepsTheHeaviestAndTheSum) {
  asset::Asset asset = tube_asset(8);
  asset::InfluenceSet first, second;
  for (std::size_t v = 0; v < asset.meshes[0].primitives[0].positions.size(); ++v) {
    first.joints.push_back({0, 1, 2, 3}), first.weights.push_back({0.1f, 0.2f, 0.05f, 0.05f});
    second.joints.push_back({4, 5, 6, 7}), second.weights.push_back({0.3f, 0.25f, 0.05f, 0});
  }
  asset.meshes[0].primitives[0].influences = {first, second};
  limit_influences(asset, 8);
  EXPECT_EQ(asset.meshes[0].primitives[0].influences.size(), 2u);
  limit_influences(asset, 4);
  ASSERT_EQ(asset.meshes[0].primitives[0].influences.size(), 1u);
  const asset::InfluenceSet& set = asset.meshes[0].primitives[0].influences[0];
  EXPECT_EQ(set.joints[0], (std::array<std::uint16_t, 4>{4, 5, 1, 0}));
  EXPECT_NEAR(set.weights[0].x + set.weights[0].y + set.weights[0].z + set.weights[0].w, 1, 1e-6);
  EXPECT_NEAR(set.weights[0].x, 0.3 / 0.85, 1e-6);
}

}  // namespace
}  // namespace limber::exporter
