// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/subject.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/rig/rig_extras.h"
#include "limber/testing/toy_assets.h"

namespace limber::rig {
namespace {

using testing::add_node;
using testing::add_skin;
using testing::add_tube;
using testing::tube_asset;

std::vector<Affine> rest_bones(const Rig& rig) {
  std::vector<Affine> bones;
  for (const Bone& bone : rig.bones()) {
    bones.push_back(
        (rig.world_from_rest()[at(bone.joint)].cast<double>() * bone.joint_from_bind.cast<double>()).cast<float>());
  }
  return bones;
}

double rest_error(const asset::Asset& asset, const Subject& subject) {
  return testing::posed_error(asset, asset::rest_state(asset).world_from_node, subject, rest_bones(subject.rig));
}

double distance_from_identity(const Affine& a) {
  double largest = norm(a.translation);
  for (int c = 0; c < 3; ++c) {
    Vec3 unit{};
    unit[c] = 1;
    largest = std::max<double>(largest, norm(a.linear.column(c) - unit));
  }
  return largest;
}

/// Whether the points are the rest geometry, and every bone leaves them there.
void expect_bound_at_rest(const asset::Asset& asset, const Subject& subject) {
  EXPECT_LT(rest_error(asset, subject), 1e-6);
  for (const Affine& bone : rest_bones(subject.rig)) EXPECT_LT(distance_from_identity(bone), 1e-5);
}

std::string parent_name(const Rig& rig, const std::string& joint) {
  const int parent = rig.joints()[at(rig.find(joint))].parent;
  return parent < 0 ? "" : rig.joints()[at(parent)].name;
}

bool mentions(const Subject& subject, const std::string& text) {
  return std::any_of(subject.notes.begin(), subject.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(SubjectFromAsset, StandsOnTheGroundWithHeightOne) {
  asset::Asset asset = tube_asset(4);
  asset.nodes[0].local.translation = {5, -7, 3};
  const Subject subject = subject_from_asset(asset).value();
  Vec3 low = subject.points[0], high = low;
  for (const Vec3& p : subject.points) low = min(low, p), high = max(high, p);
  EXPECT_NEAR(low.y, 0, 1e-6);
  EXPECT_NEAR(high.y, 1, 1e-6);
  EXPECT_NEAR(low.x + high.x, 0, 1e-6);
  EXPECT_NEAR(low.z + high.z, 0, 1e-6);
  EXPECT_NEAR(subject.asset_scale, 4, 1e-5);
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, MeasuresFlatThingsByTheirLength) {
  asset::Asset asset = tube_asset(10);
  asset.nodes[0].local.rotation = axis_angle(Vec3{1, 0, 0}, static_cast<float>(kPi / 2));
  EXPECT_NEAR(subject_from_asset(asset).value().asset_scale, 10, 1e-3);
}

TEST(SubjectFromAsset, BindsAtRestWhereTheAssetDoes) {
  const asset::Asset asset = tube_asset(4);
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joint_count(), 4);
  EXPECT_EQ(subject.rig.bone_count(), 4);
  EXPECT_EQ(subject.weights.stride, 4);
  EXPECT_EQ(parent_name(subject.rig, "joint2"), "joint1");
  EXPECT_EQ(subject.rig.joints()[2].node, 3);
  expect_bound_at_rest(asset, subject);
}

TEST(SubjectFromAsset, StaysExactWhereBindAndRestPoseDiffer) {
  asset::Asset asset = tube_asset(4);
  asset.nodes[2].local.rotation = axis_angle(Vec3{0, 0, 1}, 0.8f);
  asset.nodes[3].local.scale = {1.5f, 0.7f, 1.2f};
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, FoldsPlainNodesBetweenJointsIntoTheirFrames) {
  asset::Asset asset;
  const int hips = add_node(asset, -1, "hips");
  const int plain = add_node(asset, hips, "plain", {{0, 1, 0}, axis_angle(Vec3{0, 1, 0}, 1.0f), {2, 1, 0.5f}});
  const int knee = add_node(asset, plain, "knee", {{0, 1, 0.5f}, axis_angle(Vec3{1, 0, 0}, 0.4f), {1, 1, 1}});
  const int body = add_node(asset, -1, "body");
  asset.nodes[at(body)].mesh = add_tube(asset, 2, 6);
  add_skin(asset, {hips, knee}, body);
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joint_count(), 2);
  EXPECT_EQ(parent_name(subject.rig, "knee"), "hips");
  EXPECT_EQ(subject.rig.joints()[1].rest.translation, (Vec3{0, 1, 0.5f}));
  expect_bound_at_rest(asset, subject);
}

TEST(SubjectFromAsset, TakesSmallScalesAgainstLargeData) {
  asset::Asset asset = tube_asset(3);
  asset.nodes[0].local.scale = {0.01f, 0.01f, 0.01f};
  for (const int node : {2, 3}) asset.nodes[at(node)].local.translation.y *= 100;
  for (Vec3& p : asset.meshes[0].primitives[0].positions) p = 100.0f * p;
  // The mesh hangs on the armature, as Blender exports it.
  asset.scenes[0].roots = {0};
  asset.nodes[0].children.push_back(4);
  asset.skins.clear();
  add_skin(asset, {1, 2, 3}, 4);
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_NEAR(subject.asset_scale, 3, 1e-4);
  expect_bound_at_rest(asset, subject);
}

TEST(SubjectFromAsset, TurnsTrianglesAndNormalsOfMirrorImagesOutside) {
  asset::Asset asset = tube_asset(3);
  asset.nodes[0].local.scale = {-1, 1, 1};
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_LT(rest_error(asset, subject), 1e-6);
  // The tube's axis is x = z = 0: outside is away from it.
  for (const auto& [a, b, c] : subject.triangles) {
    const Vec3 p = subject.points[a], normal = cross(subject.points[b] - p, subject.points[c] - p);
    EXPECT_GT(dot(normal, Vec3{p.x, 0, p.z}), 0);
  }
  for (std::size_t i = 0; i < subject.points.size(); ++i) {
    EXPECT_GT(dot(subject.normals[i], Vec3{subject.points[i].x, 0, subject.points[i].z}), 0);
    EXPECT_NEAR(norm(subject.normals[i]), 1, 1e-5);
  }
}

TEST(SubjectFromAsset, ChainsSiblingJointsByTheirSkin) {
  const Subject subject = subject_from_asset(tube_asset(6, /*siblings=*/true)).value();
  EXPECT_EQ(subject.rig.joint_count(), 6);
  // Some joint is the root; the others follow outwards from it, each on its neighbour.
  for (const Joint& joint : subject.rig.joints()) {
    if (joint.parent < 0) continue;
    const std::string parent = subject.rig.joints()[at(joint.parent)].name;
    EXPECT_EQ(std::abs(joint.name.back() - parent.back()), 1) << joint.name << " on " << parent;
  }
  EXPECT_TRUE(mentions(subject, "attached to"));
}

TEST(SubjectFromAsset, AttachesFeetOnTheirOwnRootsToTheLeg) {
  // As in many packs: the foot hangs on an IK target beside the body.
  asset::Asset asset;
  const int body = add_node(asset, -1, "body", {{0, 3, 0}, {}, {1, 1, 1}});
  const int thigh = add_node(asset, body, "thigh", {{0, -1, 0}, {}, {1, 1, 1}});
  const int shin = add_node(asset, thigh, "shin", {{0, -1, 0}, {}, {1, 1, 1}});
  const int target = add_node(asset, -1, "target", {{0, 0, 0.2f}, axis_angle(Vec3{1, 0, 0}, 0.3f), {1, 1, 1}});
  const int foot = add_node(asset, target, "foot", {{0, 0.5f, 0}, {}, {1, 1, 1}});
  const int pole = add_node(asset, -1, "pole", {{0, 1.9f, 3}, {}, {1, 1, 1}});
  const int mesh = add_node(asset, -1, "mesh");
  asset.nodes[at(mesh)].mesh = add_tube(asset, 4, 12);
  add_skin(asset, {foot, shin, thigh, body}, mesh);
  asset.skins[0].joints.push_back(target), asset.skins[0].inverse_bind.emplace_back();
  asset.skins[0].joints.push_back(pole), asset.skins[0].inverse_bind.emplace_back();
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joints()[0].name, "body");
  EXPECT_EQ(parent_name(subject.rig, "target"), "shin");
  EXPECT_EQ(parent_name(subject.rig, "foot"), "target");
  EXPECT_EQ(parent_name(subject.rig, "pole"), "thigh");  // touches nothing: the nearest joint
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

/// A leg from a body down to a foot that hangs on the root, `helpers` joints without skin between; the knee is bent.
asset::Asset loose_foot(int helpers) {
  asset::Asset asset;
  const int root = add_node(asset, -1, "root");
  const int body = add_node(asset, root, "body", {{0, 3, 0}, {}, {1, 1, 1}});
  const int thigh = add_node(asset, body, "thigh", {{0, -1, 0}, {}, {1, 1, 1}});
  const int shin = add_node(asset, thigh, "shin", {{0, -1, 0.3f}, {}, {1, 1, 1}});
  std::vector<int> joints{root};
  int above = root;
  for (int h = 0; h < helpers; ++h) {
    joints.push_back(above = add_node(asset, above, "helper." + std::to_string(h), {{0, 0.1f, 0}, {}, {1, 1, 1}}));
  }
  const int foot = add_node(asset, above, "foot", {{0, 0.2f - 0.1f * static_cast<float>(helpers), 0}, {}, {1, 1, 1}});
  const int mesh = add_node(asset, -1, "mesh");
  asset.nodes[at(mesh)].mesh = add_tube(asset, 4, 12);
  add_skin(asset, {foot, shin, thigh, body}, mesh);
  for (const int joint : joints) asset.skins[0].joints.push_back(joint), asset.skins[0].inverse_bind.emplace_back();
  return asset;
}

TEST(SubjectFromAsset, HangsAFootBelowTheRootOnItsShin) {
  for (const int helpers : {0, 1, 2}) {
    const asset::Asset asset = loose_foot(helpers);
    const Subject subject = subject_from_asset(asset).value();
    EXPECT_EQ(subject.rig.joints()[0].name, "root");
    EXPECT_EQ(parent_name(subject.rig, "foot"), "shin") << helpers;
    EXPECT_EQ(parent_name(subject.rig, "body"), "root");
    if (helpers > 0) {
      EXPECT_EQ(parent_name(subject.rig, "helper.0"), "root");
    }
    EXPECT_LT(rest_error(asset, subject), 1e-6);
    ASSERT_EQ(subject.notes.size(), 1u);
    EXPECT_NE(subject.notes[0].find("'shin' carries it"), std::string::npos) << subject.notes[0];
  }
}

TEST(SubjectFromAsset, BelievesClipsBeforeTheSkin) {
  // The shin swings, and the foot stays where it is: whatever they look like, they are two things.
  asset::Asset asset = loose_foot(0);
  testing::add_swing_clip(asset, {3});
  EXPECT_EQ(parent_name(subject_from_asset(asset).value().rig, "foot"), "root");
}

TEST(SubjectFromAsset, FindsContactsAcrossPrimitives) {
  // Two pieces with vertices of their own at the seam, each held by one joint.
  asset::Asset asset = tube_asset(2, /*siblings=*/true);
  asset::Mesh& mesh = asset.meshes[0];
  mesh.primitives.push_back(mesh.primitives[0]);
  for (std::size_t p = 0; p < 2; ++p) {
    asset::Primitive& primitive = mesh.primitives[p];
    for (Vec3& v : primitive.positions) v.y += p == 0 ? 0.0f : 2.0f;
    for (auto& joints : primitive.influences[0].joints) joints = {static_cast<std::uint16_t>(p), 0, 0, 0};
    for (auto& weights : primitive.influences[0].weights) weights = {1, 0, 0, 0};
  }
  // A third joint is nearer, but touches nothing.
  const int near = add_node(asset, 0, "near", {{0, 3, 0.1f}, {}, {1, 1, 1}});
  asset.skins[0].joints.push_back(near), asset.skins[0].inverse_bind.emplace_back();
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(parent_name(subject.rig, "joint1"), "joint0");
}

TEST(SubjectFromAsset, HangsRigidPartsOnTheirJoints) {
  asset::Asset asset = tube_asset(3);
  const int hat = add_node(asset, 3, "hat", {{0, 1, 0}, axis_angle(Vec3{0, 1, 0}, 0.5f), {0.5f, 2, 0.5f}});
  asset.nodes[at(hat)].mesh = add_tube(asset, 1, 1);
  const int floor = add_node(asset, -1, "floor");
  asset.nodes[at(floor)].mesh = add_tube(asset, 1, 1);
  const Subject subject = subject_from_asset(asset).value();
  ASSERT_EQ(subject.ranges.size(), 2u);
  EXPECT_EQ(subject.ranges[1].node, hat);
  for (std::size_t i = subject.ranges[1].first; i < subject.points.size(); ++i) {
    const Bone& bone = subject.rig.bones()[subject.weights.bones[i * 4]];
    EXPECT_EQ(subject.rig.joints()[at(bone.joint)].name, "joint2");
  }
  EXPECT_TRUE(mentions(subject, "1 mesh nodes that nothing moves were left out"));
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, MakesJointsOfNodesThatClipsMove) {
  asset::Asset asset;
  asset.name = "crane";
  const int base = add_node(asset, -1, "base");
  const int arm = add_node(asset, base, "arm", {{0, 1, 0}, {}, {1, 1, 1}});
  const int hook = add_node(asset, arm, "hook", {{0, 1, 0}, {}, {1, 1, 1}});
  asset.nodes[at(hook)].mesh = add_tube(asset, 1, 2);
  const int camera = add_node(asset, arm, "camera");
  testing::add_swing_clip(asset, {base, arm, camera});
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joint_count(), 2);  // the camera carries nothing, the hook stays on the arm
  EXPECT_EQ(parent_name(subject.rig, "arm"), "base");
  expect_bound_at_rest(asset, subject);
}

TEST(SubjectFromAsset, KeepsVerticesWithoutWeightOnTheirNode) {
  asset::Asset asset = tube_asset(3);
  for (int v = 0; v < 4; ++v) asset.meshes[0].primitives[0].influences[0].weights[at(v)] = {};
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_TRUE(mentions(subject, "4 vertices have no weight"));
  EXPECT_EQ(subject.rig.bones()[subject.weights.bones[0]].joint, 0);
  EXPECT_EQ(subject.weights.weights[0], 1);
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, LetsVerticesWithoutWeightMoveWithAnAnimatedNode) {
  asset::Asset asset = tube_asset(3);
  const int body = static_cast<int>(asset.nodes.size()) - 1;
  testing::add_swing_clip(asset, {body});
  EXPECT_EQ(subject_from_asset(asset).value().rig.joint_count(), 3);  // nothing follows the node of a skinned mesh
  asset.meshes[0].primitives[0].influences[0].weights[0] = {};
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joint_count(), 4);
  EXPECT_EQ(subject.rig.joints()[at(subject.rig.bones()[subject.weights.bones[0]].joint)].name, "body");
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, UsesWeightsAsFractionsOfTheirSum) {
  asset::Asset asset = tube_asset(3);
  for (Vec4& w : asset.meshes[0].primitives[0].influences[0].weights) w = {1.76f * w.x, 1.76f * w.y, 0, 0};
  const Subject subject = subject_from_asset(asset).value();
  for (std::size_t i = 0; i < subject.points.size(); ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += subject.weights.weights[4 * i + k];
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, KeepsEightInfluences) {
  asset::Asset asset = tube_asset(8);
  asset::InfluenceSet first, second;
  for (std::size_t v = 0; v < asset.meshes[0].primitives[0].positions.size(); ++v) {
    first.joints.push_back({0, 1, 2, 3}), first.weights.push_back({0.3f, 0.2f, 0.1f, 0.1f});
    second.joints.push_back({4, 5, 6, 7}), second.weights.push_back({0.1f, 0.1f, 0.05f, 0.05f});
  }
  asset.meshes[0].primitives[0].influences = {first, second};
  asset.nodes[5].local.rotation = axis_angle(Vec3{1, 0, 0}, 0.5f);
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.weights.stride, 8);
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, SharesBonesBetweenSkinsThatAgree) {
  asset::Asset asset = tube_asset(3);
  const int hair = add_node(asset, -1, "hair");
  asset.nodes[at(hair)].mesh = add_tube(asset, 3, 4);
  add_skin(asset, {1, 2, 3}, hair);
  EXPECT_EQ(subject_from_asset(asset).value().rig.bone_count(), 3);

  // Where the second skin binds a joint otherwise, the joint has two bones.
  asset.skins[1].inverse_bind[0].translation.x += 0.5f;
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.bone_count(), 4);
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, TakesManySkinsThatListTheWholeSkeleton) {
  asset::Asset asset = tube_asset(300);
  const asset::Skin whole = asset.skins[0];
  const int joints = static_cast<int>(whole.joints.size());
  for (int piece = 0; piece < 300; ++piece) {
    const int node = add_node(asset, -1, "piece");
    asset.nodes[at(node)].mesh = add_tube(asset, 1, 1);
    add_skin(asset, {whole.joints[at(piece)]}, node);
    // Each bound a little otherwise, and listing every joint behind its own.
    asset::Skin& skin = asset.skins.back();
    for (Affine& bind : skin.inverse_bind) bind.linear = (1.0f + 0.001f * static_cast<float>(piece)) * bind.linear;
    skin.joints.insert(skin.joints.end(), whole.joints.begin(), whole.joints.end());
    skin.inverse_bind.insert(skin.inverse_bind.end(), whole.inverse_bind.begin(), whole.inverse_bind.end());
  }
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_LE(subject.rig.bone_count(), 2 * joints);
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, RefusesToUnrollEndlessInstances) {
  asset::Asset asset = tube_asset(2);
  for (int i = 0; i < 3000; ++i) {
    const int node = add_node(asset, 2, "copy");
    asset.nodes[at(node)].mesh = 0;
    asset.nodes[at(node)].instances.resize(1000);
  }
  const auto result = subject_from_asset(asset);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().what.find("20 million"), std::string::npos);
}

TEST(SubjectFromAsset, KeepsTheShearOfMatrices) {
  asset::Asset asset = tube_asset(3);
  Affine sheared = to_affine(asset.nodes[2].local);
  sheared.linear(0, 1) = 0.4f;
  asset.nodes[2].matrix = sheared;
  asset.nodes[2].local = decompose(sheared);
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_LT(rest_error(asset, subject), 1e-6);
  const std::vector<NodeLink> links = node_links(asset, subject);
  EXPECT_NEAR(links[1].joint_from_node.linear(0, 1), 0.4, 1e-5);
  EXPECT_TRUE(links[1].native && links[2].native);
}

TEST(SubjectFromAsset, SurvivesJointsScaledToNothing) {
  asset::Asset asset = tube_asset(3);
  const int prop = add_node(asset, 3, "prop", {{0, 1, 0}, {}, {0, 0, 0}});
  const int blade = add_node(asset, prop, "blade", {{0, 1, 0}, {}, {1, 1, 1}});
  asset.nodes[at(blade)].mesh = add_tube(asset, 1, 1);
  testing::add_swing_clip(asset, {prop, blade});
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_TRUE(mentions(subject, "scaled to nothing"));
  EXPECT_LT(rest_error(asset, subject), 1e-5);
  // Shown, the prop has its size: its points are not squeezed into one.
  const PointRange& range = subject.ranges.back();
  EXPECT_GT(norm(subject.points[range.first + range.count - 1] - subject.points[range.first]), 0.1);
}

TEST(SubjectFromAsset, AddsAFixedRootWhereNoneCanCarryTheRest) {
  asset::Asset asset;
  for (int i = 0; i < 3; ++i) {
    const int node =
        add_node(asset, -1, "cube" + std::to_string(i), {{static_cast<float>(2 * i), 0, 0}, {}, {1, 1, 1}});
    asset.nodes[at(node)].mesh = add_tube(asset, 1, 1);
  }
  testing::add_swing_clip(asset, {0, 1, 2});
  for (int i = 0; i < 3; ++i) testing::add_random_channel(asset, i, asset::Path::kScale, 0.5f, 7);
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joint_count(), 4);
  EXPECT_EQ(subject.rig.joints()[0].node, -1);
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, AppliesRestMorphWeightsAndInstances) {
  asset::Asset asset;
  const int node = add_node(asset, -1, "flag");
  asset.nodes[0].mesh = add_tube(asset, 1, 2);
  asset::Primitive& primitive = asset.meshes[0].primitives[0];
  primitive.targets.resize(1);
  primitive.targets[0].positions.assign(primitive.positions.size(), {0.3f, 0.1f, 0});
  asset.meshes[0].weights = {0.5f};
  asset.nodes[0].instances = {{{0, 0, 0}, {}, {1, 1, 1}}, {{3, 0, 0}, {}, {1, 2, 1}}};
  testing::add_swing_clip(asset, {node});
  const Subject subject = subject_from_asset(asset).value();
  ASSERT_EQ(subject.ranges.size(), 2u);
  EXPECT_EQ(subject.ranges[1].instance, 1);
  EXPECT_LT(rest_error(asset, subject), 1e-6);
}

TEST(SubjectFromAsset, TakesASkeletonWithoutMesh) {
  asset::Asset asset = tube_asset(4);
  asset.nodes.back().mesh = -1;
  asset.meshes.clear();
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.rig.joint_count(), 4);
  EXPECT_NEAR(subject.asset_scale, 3, 1e-6);
  EXPECT_TRUE(subject.points.empty());
}

TEST(SubjectFromAsset, TakesMotionCaptureWithoutSkin) {
  asset::Asset asset = tube_asset(4);
  asset.nodes.back().mesh = -1, asset.nodes.back().skin = -1;
  asset.meshes.clear(), asset.skins.clear();
  EXPECT_EQ(subject_from_asset(asset).value().rig.joint_count(), 4);
}

TEST(SubjectFromAsset, RefusesAnAssetWithoutRig) {
  asset::Asset asset = tube_asset(3);
  asset.clips.clear(), asset.skins.clear();
  asset.nodes.back().skin = -1;
  const auto result = subject_from_asset(asset);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().where, "tube");
  EXPECT_NE(result.error().what.find("no rig"), std::string::npos);
}

TEST(SubjectFromAsset, TakesLongChainsWithoutRecursion) {
  asset::Asset asset;
  asset.name = "chain";
  int node = -1;
  std::vector<int> joints;
  for (int i = 0; i < 20000; ++i)
    joints.push_back(node = add_node(asset, node, "link", {{0, 0.01f, 0}, {}, {1, 1, 1}}));
  const int body = add_node(asset, -1, "body");
  asset.nodes[at(body)].mesh = add_tube(asset, 200, 50);
  add_skin(asset, joints, body);
  const auto subject = subject_from_asset(asset);
  ASSERT_TRUE(subject.ok()) << subject.error().message();
  EXPECT_EQ(subject->rig.joint_count(), 20000);
}

TEST(NodeLinks, TellAttachedJointsFromNativeOnes) {
  const asset::Asset asset = tube_asset(4, /*siblings=*/true);
  const Subject subject = subject_from_asset(asset).value();
  const std::vector<NodeLink> links = node_links(asset, subject);
  EXPECT_TRUE(links[0].native);
  for (std::size_t j = 1; j < links.size(); ++j) {
    EXPECT_FALSE(links[j].native);
    EXPECT_EQ(links[j].ancestor, -1);
  }
}

TEST(Subject, KnowsTheLimbsAndTheFacingThatASkinSpeaksOf) {
  asset::Asset asset = tube_asset(4);
  asset::Skin& skin = asset.skins[0];
  RigExtras extras;
  extras.facing = make_facing({0, 1, 0}, {1, 0, 0}).value();
  extras.limbs = {{}, {LimbKind::kTail, Side::kMiddle, 0, 0}};
  extras.joints.resize(skin.joints.size());
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    extras.joints[j].role = {j == 0 ? 0 : 1, j == 0 ? 0 : static_cast<int>(j) - 1};
  }
  skin.extras = write_extras(extras);
  const Subject subject = subject_from_asset(asset).value();
  EXPECT_EQ(subject.facing.forward, (Vec3{1, 0, 0}));
  ASSERT_EQ(subject.rig.limbs().size(), 2u);
  EXPECT_EQ(subject.rig.limbs()[1].kind, LimbKind::kTail);
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    const auto& joints = subject.rig.joints();
    const auto found =
        std::find_if(joints.begin(), joints.end(), [&](const Joint& joint) { return joint.node == skin.joints[j]; });
    ASSERT_NE(found, joints.end());
    EXPECT_EQ(found->role, extras.joints[j].role) << found->name;
  }
}

}  // namespace
}  // namespace limber::rig
