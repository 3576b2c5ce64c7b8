// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/pose.h"

#include <gtest/gtest.h>

#include "limber/base/expect.h"

namespace limber::asset {
namespace {

void expect_near(Vec3d a, Vec3d b, double tolerance = 1e-12) {
  EXPECT_LE(norm(a - b), tolerance) << a.x << " " << a.y << " " << a.z << " instead of " << b.x << " " << b.y << " "
                                    << b.z;
}

Transform moved(Vec3 t) { return {t, {}, {1, 1, 1}}; }
Quat quarter_turn(Vec3 axis) { return axis_angle(axis, static_cast<float>(kPi / 2)); }

/// Adds a node below `parent` (-1: a root) and returns its index.
int add_node(Asset& asset, int parent, const Transform& local) {
  const int index = static_cast<int>(asset.nodes.size());
  asset.nodes.emplace_back();
  asset.nodes.back().local = local;
  if (parent >= 0) asset.nodes[static_cast<std::size_t>(parent)].children.push_back(index);
  return index;
}

/// One triangle with the given first corner, as mesh of a new node.
int add_triangle(Asset& asset, int parent, const Transform& local, Vec3 corner = {1, 2, 3}) {
  Mesh mesh;
  mesh.primitives.emplace_back();
  mesh.primitives[0].positions = {corner, corner + Vec3{1, 0, 0}, corner + Vec3{0, 1, 0}};
  mesh.primitives[0].normals.assign(3, {0, 0, 1});
  asset.meshes.push_back(mesh);
  const int node = add_node(asset, parent, local);
  asset.nodes.back().mesh = static_cast<int>(asset.meshes.size()) - 1;
  return node;
}

void add_influence(Primitive& primitive, std::array<std::uint16_t, 4> joints, Vec4 weights) {
  InfluenceSet set;
  set.joints.assign(primitive.positions.size(), joints);
  set.weights.assign(primitive.positions.size(), weights);
  primitive.influences.push_back(set);
}

Channel channel(int node, Path path, std::vector<float> times, std::vector<float> values,
                Interpolation interpolation = Interpolation::kLinear) {
  Channel c;
  c.node = node, c.path = path, c.interpolation = interpolation;
  c.times = std::move(times), c.values = std::move(values);
  return c;
}

Vec3d first_corner(const Asset& asset, const NodeState& state) {
  return posed_geometry(asset, state).at(0).positions.at(0);
}

TEST(Sample, HoldsTheEndValuesOutsideTheKeys) {
  const Channel c = channel(0, Path::kTranslation, {1, 2}, {1, 2, 3, 5, 6, 7});
  EXPECT_EQ(sample(c, 0), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(sample(c, 1), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(sample(c, 2), (std::vector<double>{5, 6, 7}));
  EXPECT_EQ(sample(c, 1e9), (std::vector<double>{5, 6, 7}));
}

TEST(Sample, LinearGoesStraightAndStepWaitsForTheKey) {
  Channel c = channel(0, Path::kScale, {0, 2, 3}, {0, 0, 0, 4, 8, 12, 0, 0, 0});
  EXPECT_EQ(sample(c, 0.5), (std::vector<double>{1, 2, 3}));
  c.interpolation = Interpolation::kStep;
  EXPECT_EQ(sample(c, 1.99), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(sample(c, 2), (std::vector<double>{4, 8, 12}));
}

TEST(Sample, RotationsTakeTheShorterArcAtConstantSpeed) {
  const Quat q = axis_angle(Vec3{0, 0, 1}, 2.0f);
  const Channel c = channel(0, Path::kRotation, {0, 1}, {0, 0, 0, 1, -q.x, -q.y, -q.z, -q.w});
  const std::vector<double> v = sample(c, 0.25);
  EXPECT_NEAR(angle_between(Quatd{v[0], v[1], v[2], v[3]}, axis_angle(Vec3d{0, 0, 1}, 0.5)), 0, 1e-6);
}

TEST(Sample, RotationsOffUnitLengthAreNormalised) {
  const Channel c = channel(0, Path::kRotation, {0, 1}, {0, 0, 0, 2, 0, 0, 3, 0});
  EXPECT_EQ(sample(c, 0), (std::vector<double>{0, 0, 0, 1}));
  const std::vector<double> middle = sample(c, 0.5);
  EXPECT_NEAR(middle[2], std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(middle[3], std::sqrt(0.5), 1e-7);
}

TEST(Sample, CubicSplineFollowsTheHermiteFormulaOfTheSpecification) {
  // Per key: in-tangent, value, out-tangent. Keys two seconds apart, so tangents count double.
  const Channel c = channel(0, Path::kTranslation, {1, 3}, {9, 9, 9, 1, 0, -1, 2, 1, 0, -1, 3, 0.5f, 4, 2, 2, 9, 9, 9},
                            Interpolation::kCubicSpline);
  for (const double time : {1.0, 1.3, 2.0, 2.9, 3.0}) {
    const double t = (time - 1) / 2, t2 = t * t, t3 = t2 * t;
    const std::vector<double> got = sample(c, time);
    const double v0[] = {1, 0, -1}, out[] = {2, 1, 0}, in[] = {-1, 3, 0.5}, v1[] = {4, 2, 2};
    for (std::size_t i = 0; i < 3; ++i) {
      const double expected = (2 * t3 - 3 * t2 + 1) * v0[i] + 2 * (t3 - 2 * t2 + t) * out[i] +
                              (-2 * t3 + 3 * t2) * v1[i] + 2 * (t3 - t2) * in[i];
      EXPECT_NEAR(got[i], expected, 1e-12) << "at " << time;
    }
  }
  EXPECT_EQ(sample(c, 0), (std::vector<double>{1, 0, -1}));
  EXPECT_EQ(sample(c, 4), (std::vector<double>{4, 2, 2}));
}

TEST(Sample, CubicRotationsAreInterpolatedByComponentThenNormalised) {
  const Channel c = channel(0, Path::kRotation, {0, 1}, {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,  //
                                                         0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
                            Interpolation::kCubicSpline);
  const std::vector<double> v = sample(c, 0.25);
  const double a = 2 * 0.015625 - 3 * 0.0625 + 1, b = 1 - a, length = std::hypot(a, b);
  EXPECT_NEAR(v[0], b / length, 1e-12);
  EXPECT_NEAR(v[3], a / length, 1e-12);
}

TEST(Sample, WeightsKeepAsManyNumbersAsThereAreTargets) {
  const Channel c = channel(0, Path::kWeights, {0, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(sample(c, 0.5), (std::vector<double>{2.5, 3.5, 4.5, 5.5, 6.5}));
}

TEST(Sample, ValuesThatDoNotFitTheKeysBreakTheContract) {
  EXPECT_THROW(sample(channel(0, Path::kTranslation, {0, 1}, {0, 1, 2, 3, 4}), 0), ContractError);
  EXPECT_THROW(sample(channel(0, Path::kRotation, {0}, {0, 1, 2}), 0), ContractError);
  EXPECT_TRUE(sample(channel(0, Path::kRotation, {}, {}), 0).empty());
}

TEST(Pose, NodesChainFromTheRootsDown) {
  Asset asset;
  const int root = add_node(asset, -1, {{1, 0, 0}, quarter_turn({0, 0, 1}), {2, 2, 2}});
  add_triangle(asset, root, moved({0, 0, 5}));
  // Scaled to (2, 4, 16), turned to (-4, 2, 16), moved.
  expect_near(first_corner(asset, rest_state(asset)), {-3, 2, 16}, 1e-5);
}

TEST(Pose, ADeepChainNeedsNoStackAndACycleIsFound) {
  Asset asset;
  int tip = -1;
  for (int i = 0; i < 100000; ++i) tip = add_node(asset, tip, moved({1, 0, 0}));
  EXPECT_EQ(rest_state(asset).world_from_node.back().translation.x, 100000);
  asset.nodes.back().children = {0};
  EXPECT_THROW(rest_state(asset), ContractError);
}

TEST(Pose, AMatrixCountsUntilTheClipMovesTheNode) {
  Asset asset;
  const int node = add_triangle(asset, -1, {});
  Affine sheared;
  sheared.linear(0, 1) = 1;
  sheared.translation = {0, 0, 10};
  asset.nodes[0].matrix = sheared;
  asset.nodes[0].local = decompose(sheared);
  expect_near(first_corner(asset, rest_state(asset)), {3, 2, 13});

  // A clip of something else leaves the matrix alone; one of this node takes the parts that it does not set from local.
  Clip clip;
  const int other = add_node(asset, -1, {});
  clip.channels = {channel(other, Path::kTranslation, {0}, {1, 1, 1})};
  expect_near(first_corner(asset, clip_state(asset, clip, 0)), {3, 2, 13});
  asset.nodes[0].local = {{0, 0, 10}, {}, {2, 2, 2}};
  clip.channels = {channel(node, Path::kTranslation, {0}, {1, 1, 1})};
  expect_near(first_corner(asset, clip_state(asset, clip, 0)), {3, 5, 7});
}

TEST(Pose, PartsWithoutSkinFollowTheirAnimatedNodes) {
  Asset asset;
  const int parent = add_node(asset, -1, {});
  add_triangle(asset, parent, {});
  Clip clip;
  clip.channels = {channel(parent, Path::kTranslation, {0, 1}, {0, 0, 0, 10, 0, 0}),
                   channel(parent, Path::kScale, {0, 1}, {1, 1, 1, 3, 3, 3})};
  expect_near(first_corner(asset, clip_state(asset, clip, 0.5)), {7, 4, 6});
  EXPECT_EQ(clip.duration(), 1);
}

TEST(Pose, ChannelsWithoutNodeOrKeysAreIgnored) {
  Asset asset;
  add_triangle(asset, -1, {});
  Clip clip;
  clip.channels = {channel(-1, Path::kTranslation, {0}, {9, 9, 9}), channel(0, Path::kTranslation, {}, {})};
  expect_near(first_corner(asset, clip_state(asset, clip, 0)), {1, 2, 3});
}

TEST(Pose, MirroringNodesAreFlaggedAndKeepTheirNormalsOutside) {
  Asset asset;
  add_triangle(asset, -1, {{}, {}, {1, 1, -2}});
  const PosedPrimitive posed = posed_geometry(asset, rest_state(asset)).at(0);
  EXPECT_TRUE(posed.mirrored);
  expect_near(posed.normals[0], {0, 0, -1});
  expect_near(posed.positions[0], {1, 2, -6});
  // Two mirrors cancel.
  asset.nodes[0].local.scale = {-1, 1, -1};
  EXPECT_FALSE(posed_geometry(asset, rest_state(asset)).at(0).mirrored);
}

TEST(Pose, NormalsStayAtRightAnglesUnderNonUniformScale) {
  Asset asset;
  add_triangle(asset, -1, {{}, {}, {4, 1, 1}});
  Primitive& primitive = asset.meshes[0].primitives[0];
  primitive.positions = {{0, 0, 0}, {1, -1, 0}, {0, 0, 1}};
  primitive.normals.assign(3, normalized(Vec3{1, 1, 0}));
  const PosedPrimitive posed = posed_geometry(asset, rest_state(asset)).at(0);
  EXPECT_NEAR(dot(posed.normals[0], posed.positions[1] - posed.positions[0]), 0, 1e-6);
  EXPECT_NEAR(norm(posed.normals[0]), 1, 1e-12);
}

TEST(Pose, MorphWeightsComeFromAnimationThenNodeThenMesh) {
  Asset asset;
  add_triangle(asset, -1, {});
  MorphTarget up, tilt;
  up.positions.assign(3, {0, 1, 0});
  tilt.normals.assign(3, {0, 1, -1});
  asset.meshes[0].primitives[0].targets = {up, tilt};
  expect_near(first_corner(asset, rest_state(asset)), {1, 2, 3});
  asset.meshes[0].weights = {0.5f, 0};
  expect_near(first_corner(asset, rest_state(asset)), {1, 2.5, 3});
  asset.nodes[0].weights = {0, 1};
  expect_near(first_corner(asset, rest_state(asset)), {1, 2, 3});
  expect_near(posed_geometry(asset, rest_state(asset))[0].normals[0], {0, 1, 0});
  Clip clip;
  clip.channels = {channel(0, Path::kWeights, {0, 1}, {0, 0, 4, 0})};
  EXPECT_EQ(clip_state(asset, clip, 0.25).morph_weights[0], (std::vector<float>{1, 0}));
  expect_near(first_corner(asset, clip_state(asset, clip, 0.25)), {1, 3, 3});
}

TEST(Pose, InstancesAppearOncePerTransform) {
  Asset asset;
  add_triangle(asset, -1, moved({100, 0, 0}));
  asset.nodes[0].instances = {moved({0, 10, 0}), {{0, 20, 0}, {}, {-1, 1, 1}}};
  const std::vector<PosedPrimitive> posed = posed_geometry(asset, rest_state(asset));
  ASSERT_EQ(posed.size(), 2u);
  expect_near(posed[0].positions[0], {101, 12, 3});
  expect_near(posed[1].positions[0], {99, 22, 3});
  EXPECT_EQ(posed[1].instance, 1);
  EXPECT_FALSE(posed[0].mirrored);
  EXPECT_TRUE(posed[1].mirrored);
}

TEST(Pose, OnlyTheSceneIsShownAndTheDefaultFirst) {
  Asset asset;
  add_triangle(asset, -1, {});
  add_triangle(asset, -1, {});
  EXPECT_EQ(posed_geometry(asset, rest_state(asset)).size(), 2u);
  asset.scenes.resize(2);
  asset.scenes[1].roots = {1};
  EXPECT_EQ(posed_geometry(asset, rest_state(asset)).size(), 0u);
  asset.scene = 1;
  EXPECT_EQ(posed_geometry(asset, rest_state(asset)).at(0).node, 1);
  EXPECT_THROW(posed_geometry(asset, rest_state(asset), 2), ContractError);
}

/// A mesh node and two joints: `root` at the origin, and `tip` one up, with a plain node half-way between them.
struct SkinnedAsset {
  Asset asset;
  int mesh_node, root, middle, tip;

  SkinnedAsset() {
    mesh_node = add_triangle(asset, -1, moved({77, 0, 0}), {0, 2, 0});
    root = add_node(asset, -1, {});
    middle = add_node(asset, root, moved({0, 0.5f, 0}));
    tip = add_node(asset, middle, moved({0, 0.5f, 0}));
    Skin skin;
    skin.joints = {root, tip};
    skin.inverse_bind = {Affine{}, translation(Vec3{0, -1, 0})};
    asset.skins.push_back(skin);
    asset.nodes[0].skin = 0;
  }
  Primitive& primitive() { return asset.meshes[0].primitives[0]; }
};

TEST(Skinning, IgnoresTheTransformOfTheMeshNode) {
  SkinnedAsset s;
  add_influence(s.primitive(), {1, 0, 0, 0}, {1, 0, 0, 0});
  expect_near(first_corner(s.asset, rest_state(s.asset)), {0, 2, 0});
  // A mirroring mesh node changes nothing either.
  s.asset.nodes[0].local.scale = {-1, 1, 1};
  EXPECT_FALSE(posed_geometry(s.asset, rest_state(s.asset))[0].mirrored);
}

TEST(Skinning, JointsBelowPlainNodesFollowThem) {
  SkinnedAsset s;
  add_influence(s.primitive(), {1, 0, 0, 0}, {1, 0, 0, 0});
  // The clip turns the plain node half-way up by a quarter about z: (0, 2) is 1.5 above it, and goes to (-1.5, 0.5).
  Clip clip;
  const Quat q = quarter_turn({0, 0, 1});
  clip.channels = {channel(s.middle, Path::kRotation, {0}, {q.x, q.y, q.z, q.w})};
  const PosedPrimitive posed = posed_geometry(s.asset, clip_state(s.asset, clip, 0)).at(0);
  expect_near(posed.positions[0], {-1.5, 0.5, 0}, 1e-6);
  expect_near(posed.positions[1], {-1.5, 1.5, 0}, 1e-6);
  expect_near(posed.normals[0], {0, 0, 1}, 1e-6);
}

TEST(Skinning, WeightsCountAsFractionsOfTheirSumOverAllSets) {
  SkinnedAsset s;
  s.asset.nodes[static_cast<std::size_t>(s.tip)].local.translation.x = 8;
  // 0.44 of 1.76 pulls by 8; the rest stays.
  add_influence(s.primitive(), {0, 1, 0, 0}, {0.66f, 0.22f, 0, 0});
  add_influence(s.primitive(), {1, 0, 9, 9}, {0.22f, 0.66f, 0, 0});
  expect_near(first_corner(s.asset, rest_state(s.asset)), {2, 2, 0}, 1e-7);
}

TEST(Skinning, VerticesWithoutWeightFollowTheirMeshNode) {
  SkinnedAsset s;
  add_influence(s.primitive(), {0, 0, 0, 0}, {1, 0, 0, 0});
  s.primitive().influences[0].weights[0] = {0, 0, 0, 0};
  const PosedPrimitive posed = posed_geometry(s.asset, rest_state(s.asset)).at(0);
  expect_near(posed.positions[0], {77, 2, 0});
  expect_near(posed.positions[1], {1, 2, 0});
}

TEST(Skinning, AnObjectScaleOfOneHundredthCancelsDataAHundredTimesTooLarge) {
  SkinnedAsset s;
  for (Vec3& p : s.primitive().positions) p *= 100.0f;
  s.asset.nodes[static_cast<std::size_t>(s.root)].local.scale = {0.01f, 0.01f, 0.01f};
  s.asset.nodes[static_cast<std::size_t>(s.middle)].local.translation.y = 50;
  s.asset.nodes[static_cast<std::size_t>(s.tip)].local = {{0, 50, 0}, quarter_turn({0, 0, 1}), {1, 1, 1}};
  s.asset.skins[0].inverse_bind[1] = translation(Vec3{0, -100, 0});
  add_influence(s.primitive(), {1, 0, 0, 0}, {1, 0, 0, 0});
  expect_near(first_corner(s.asset, rest_state(s.asset)), {-1, 1, 0}, 1e-6);
}

TEST(Skinning, MirroringJointsTurnTheSurfaceInsideOut) {
  SkinnedAsset s;
  s.asset.nodes[static_cast<std::size_t>(s.root)].local.scale = {-1, 1, 1};
  add_influence(s.primitive(), {0, 1, 0, 0}, {0.5f, 0.5f, 0, 0});
  const PosedPrimitive posed = posed_geometry(s.asset, rest_state(s.asset)).at(0);
  EXPECT_TRUE(posed.mirrored);
  expect_near(posed.normals[0], {0, 0, 1});
}

TEST(Skinning, SeveralSkinsShareOneSkeleton) {
  SkinnedAsset s;
  add_influence(s.primitive(), {1, 0, 0, 0}, {1, 0, 0, 0});
  const int second = add_triangle(s.asset, -1, {}, {0, 2, 0});
  Skin skin;
  skin.joints = {s.tip};
  skin.inverse_bind = {translation(Vec3{5, -1, 0})};
  s.asset.skins.push_back(skin);
  s.asset.nodes[static_cast<std::size_t>(second)].skin = 1;
  add_influence(s.asset.meshes[1].primitives[0], {0, 0, 0, 0}, {1, 0, 0, 0});
  const std::vector<PosedPrimitive> posed = posed_geometry(s.asset, rest_state(s.asset));
  expect_near(posed.at(0).positions[0], {0, 2, 0});
  expect_near(posed.at(1).positions[0], {5, 2, 0});
}

TEST(Skinning, MorphsBeforeItSkins) {
  SkinnedAsset s;
  add_influence(s.primitive(), {1, 0, 0, 0}, {1, 0, 0, 0});
  s.asset.nodes[static_cast<std::size_t>(s.tip)].local.rotation = quarter_turn({0, 0, 1});
  MorphTarget longer;
  longer.positions.assign(3, {0, 1, 0});
  s.primitive().targets = {longer};
  s.asset.meshes[0].weights = {1};
  expect_near(first_corner(s.asset, rest_state(s.asset)), {-2, 1, 0}, 1e-6);
}

TEST(Skinning, ASkinWithoutInfluencesLeavesThePrimitiveOnItsNode) {
  SkinnedAsset s;
  expect_near(first_corner(s.asset, rest_state(s.asset)), {77, 2, 0});
}

TEST(Skinning, JointsBeyondTheSkinBreakTheContract) {
  SkinnedAsset s;
  add_influence(s.primitive(), {2, 0, 0, 0}, {1, 0, 0, 0});
  EXPECT_THROW(posed_geometry(s.asset, rest_state(s.asset)), ContractError);
}

TEST(Bake, GivesStaticMeshesInWorldSpaceWithMirroredTrianglesTurned) {
  SkinnedAsset s;
  add_influence(s.primitive(), {1, 0, 0, 0}, {1, 0, 0, 0});
  s.asset.materials.resize(2);
  s.primitive().material = 1;
  const int mirrored = add_triangle(s.asset, -1, {{}, {}, {-1, 1, 1}});
  s.asset.meshes[1].primitives[0].mode = PrimitiveMode::kTriangleStrip;
  s.asset.meshes[1].primitives.push_back(s.asset.meshes[1].primitives[0]);
  s.asset.nodes[static_cast<std::size_t>(mirrored)].name = "mirror";
  s.asset.clips.resize(1);

  const Asset baked = bake(s.asset, rest_state(s.asset));
  ASSERT_EQ(baked.nodes.size(), 2u);
  EXPECT_TRUE(baked.skins.empty() && baked.clips.empty() && !baked.source);
  EXPECT_EQ(baked.materials.size(), 2u);
  EXPECT_EQ(baked.meshes[0].primitives[0].material, 1);
  EXPECT_EQ(baked.meshes[0].primitives[0].positions[0], (Vec3{0, 2, 0}));
  EXPECT_TRUE(baked.meshes[0].primitives[0].influences.empty());
  EXPECT_EQ(baked.nodes[1].name, "mirror");
  ASSERT_EQ(baked.meshes[1].primitives.size(), 2u);
  EXPECT_EQ(baked.meshes[1].primitives[0].mode, PrimitiveMode::kTriangles);
  EXPECT_EQ(baked.meshes[1].primitives[0].indices, (std::vector<std::uint32_t>{0, 2, 1}));

  // Baking again changes nothing.
  const Asset again = bake(baked, rest_state(baked));
  EXPECT_EQ(again.meshes, baked.meshes);
}

}  // namespace
}  // namespace limber::asset
