// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/action.h"

/// What becomes of creatures and artists' rigs on their way through an FBX file, read back by assimp.
namespace limber::exporter {
namespace {

#if defined(LIMBER_WITH_ASSIMP)

constexpr double kTolerance = 1e-4;  // of the height

/// Corners of all triangles by the names of node and material: importers number everything anew, but keep names, and
/// the order of the triangles.
using Corners = std::map<std::pair<std::string, std::string>, std::vector<Vec3d>>;

Corners corners(const asset::Asset& asset, const asset::NodeState& state) {
  Corners result;
  for (const asset::PosedPrimitive& part : asset::posed_geometry(asset, state)) {
    const asset::Primitive& primitive = asset.meshes[at(part.mesh)].primitives[at(part.primitive)];
    std::string material = primitive.material < 0 ? "default" : asset.materials[at(primitive.material)].name;
    if (material.empty()) material = "material_" + std::to_string(primitive.material);
    std::vector<Vec3d>& points = result[{asset.nodes[at(part.node)].name, material}];
    for (const auto& triangle : asset::triangles(primitive)) {
      for (const std::uint32_t v : triangle) points.push_back(part.positions[v]);
    }
  }
  return result;
}

double height(const Corners& corners) {
  double low = 1e30, high = -1e30;
  for (const auto& [names, points] : corners) {
    for (const Vec3d& p : points) low = std::min(low, p.y), high = std::max(high, p.y);
  }
  return high - low;
}

/// Largest distance of a corner from where it should be, relative to the height at rest.
double worst_corner(const asset::Asset& asset, const asset::NodeState& state, const asset::Asset& back,
                    const asset::NodeState& back_state) {
  const Corners expected = corners(asset, state), got = corners(back, back_state);
  double worst = 0;
  for (const auto& [names, points] : expected) {
    const auto same = got.find(names);
    if (same == got.end() || same->second.size() != points.size()) {
      ADD_FAILURE() << "node " << names.first << ", material " << names.second << " is not what it was";
      return 1e30;
    }
    for (std::size_t i = 0; i < points.size(); ++i) worst = std::max(worst, norm(points[i] - same->second[i]));
  }
  return worst / height(corners(asset, asset::rest_state(asset)));
}

asset::Asset through_fbx(const asset::Asset& asset) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(asset::write_asset(asset, folder.path() / "a.fbx").ok());
  Result<asset::Asset> back = asset::read_asset(folder.path() / "a.fbx");
  EXPECT_TRUE(back.ok()) << (back.ok() ? "" : back.error().message());
  return back.ok() ? std::move(back).value() : asset::Asset{};
}

void expect_same(const asset::Asset& asset, const std::string& name) {
  const asset::Asset back = through_fbx(asset);
  EXPECT_LT(worst_corner(asset, asset::rest_state(asset), back, asset::rest_state(back)), kTolerance) << name;
  ASSERT_EQ(back.clips.size(), asset.clips.size()) << name;
  for (std::size_t c = 0; c < asset.clips.size(); ++c) {
    const asset::Clip& clip = asset.clips[c];
    const std::string called = clip.name.empty() ? "clip_" + std::to_string(c) : clip.name;
    const auto same = std::find_if(back.clips.begin(), back.clips.end(),
                                   [&](const asset::Clip& other) { return other.name == called; });
    ASSERT_NE(same, back.clips.end()) << name << " " << clip.name;
    // At a key, and between keys.
    for (const double fraction : {0.0, 0.31, 0.5, 0.874, 1.0}) {
      const double time = fraction * clip.duration();
      EXPECT_LT(worst_corner(asset, asset::clip_state(asset, clip, time), back, asset::clip_state(back, *same, time)),
                kTolerance)
          << name << " " << clip.name << " at " << time;
    }
  }
}

asset::Asset performing(zoo::CreatureSettings settings, zoo::Action action) {
  settings.resolution = 32;
  zoo::Creature creature = zoo::make_creature(settings).value();
  asset::Asset asset = zoo::static_asset(creature);
  EXPECT_TRUE(add_rig(asset, creature.subject).ok());
  zoo::ActionSettings performance;
  performance.action = action;
  const zoo::Performance played = zoo::perform(creature, performance).value();
  EXPECT_TRUE(add_clip(asset, creature.subject, played.motion, {.name = std::string(zoo::name(action))}).ok());
  return asset;
}

TEST(FbxRoundTrip, CreaturesKeepTheirShapeAndMotion) {
  const std::pair<zoo::Plan, zoo::Action> cast[] = {{zoo::Plan::kQuadruped, zoo::Action::kGallop},
                                                    {zoo::Plan::kBiped, zoo::Action::kDance},
                                                    {zoo::Plan::kBird, zoo::Action::kFly},
                                                    {zoo::Plan::kOctopod, zoo::Action::kWalk},
                                                    {zoo::Plan::kSnake, zoo::Action::kSlither}};
  for (const auto& [plan, action] : cast) {
    zoo::CreatureSettings settings;
    settings.plan = plan, settings.seed = 7;
    expect_same(performing(settings, action), std::string(zoo::name(plan)));
  }
  zoo::CreatureSettings dragon;
  dragon.body = zoo::parse_body("legs:2,wings:1,neck:long,tail:1").value();
  expect_same(performing(dragon, zoo::Action::kFly), "dragon");
}

TEST(FbxRoundTrip, JointsKeepTheirNames) {
  const asset::Asset asset = performing({}, zoo::Action::kTrot), back = through_fbx(asset);
  for (const int joint : asset.skins.at(0).joints) {
    const std::string& name = asset.nodes[at(joint)].name;
    EXPECT_TRUE(std::any_of(back.nodes.begin(), back.nodes.end(), [&](const asset::Node& n) { return n.name == name; }))
        << name;
  }
}

TEST(SharedFbxRoundTrip, ArtistsRigsKeepTheirShapeAndMotion) {
  if (testing::shared_dir().empty()) GTEST_SKIP() << "no shared assets beside this checkout";
  for (const char* file : {"quadruped/fox_khronos.glb", "quadruped/wolf_quaternius.glb",
                           "humanoid/cesium_man_khronos.glb", "hand/hand_left_webxr.glb"}) {
    const auto path = testing::shared_dir() / "assets" / file;
    if (!std::filesystem::exists(path)) continue;
    asset::Asset asset = asset::read_asset(path).value();
    if (asset.clips.size() > 2) asset.clips.resize(2);  // the rest is the same again
    expect_same(asset, file);
  }
}

#else

TEST(FbxRoundTrip, IsReadBackWhereAssimpIs) { GTEST_SKIP() << "this build has no assimp to read FBX with"; }

#endif

}  // namespace
}  // namespace limber::exporter
