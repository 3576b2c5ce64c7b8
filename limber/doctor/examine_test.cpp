// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/doctor/examine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "limber/exporter/exporter.h"
#include "limber/zoo/action.h"

namespace limber::doctor {
namespace {

using Findings = std::vector<Finding>;

zoo::Creature make_fox() {
  zoo::CreatureSettings settings;
  settings.seed = 7, settings.resolution = 40;
  return zoo::make_creature(settings).value();
}

/// A healthy quadruped that trots.
asset::Asset healthy() {
  static const asset::Asset fox = [] {
    zoo::Creature creature = make_fox();
    asset::Asset asset = zoo::static_asset(creature);
    EXPECT_TRUE(exporter::add_rig(asset, creature.subject).ok());
    zoo::ActionSettings trot;
    trot.action = zoo::Action::kTrot;
    EXPECT_TRUE(exporter::add_clip(asset, creature.subject, zoo::perform(creature, trot).value().motion).ok());
    return asset;
  }();
  return fox;
}

asset::Primitive& surface(asset::Asset& asset) { return asset.meshes.at(0).primitives.at(0); }

Findings examined(const asset::Asset& asset) { return examine(asset).value(); }

std::string text(const Findings& findings) {
  std::string all;
  for (const Finding& f : findings)
    all += std::string(name(f.severity)) + " " + f.topic + ": " + what_of(f.warning) + "\n";
  return all;
}

/// The finding of that topic. What it says, and that it helps, is expected of all of them.
Finding expect_topic(const Findings& findings, const std::string& topic) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.topic == topic; });
  if (found == findings.end()) {
    ADD_FAILURE() << "nothing about " << topic << " in\n" << text(findings);
    return {};
  }
  EXPECT_FALSE(what_of(found->warning).empty());
  EXPECT_FALSE(help_of(found->warning).empty());
  return *found;
}

TEST(Examine, FindsNothingOddAboutACreatureOfTheZoo) {
  const Findings findings = examined(healthy());
  EXPECT_TRUE(findings.empty()) << text(findings);
}

TEST(Examine, TellsModelsOfTheWrongScale) {
  for (const float scale : {0.001f, 1000.0f}) {
    asset::Asset asset = healthy();
    for (const int root : asset.scenes[0].roots) {
      asset::Node& node = asset.nodes[static_cast<std::size_t>(root)];
      node.local.translation = scale * node.local.translation;
      node.local.scale = scale * node.local.scale;
    }
    EXPECT_EQ(expect_topic(examined(asset), "scale").severity, Severity::kWarning);
  }
}

TEST(Examine, TellsWhichWayUpItIsWhereThatIsNotY) {
  asset::Asset asset = healthy();
  for (asset::Skin& skin : asset.skins) skin.extras.clear();  // which say how it stood when it was rigged
  asset::Node turn;
  turn.local.rotation = {0.70710678f, 0, 0, 0.70710678f};  // +Y becomes +Z
  turn.children = asset.scenes[0].roots;
  asset.scenes[0].roots = {static_cast<int>(asset.nodes.size())};
  asset.nodes.push_back(turn);
  const Finding up = expect_topic(examined(asset), "up");
  EXPECT_NE(what_of(up.warning).find("+Z"), std::string::npos);
  EXPECT_NE(help_of(up.warning).find("`stand_up`"), std::string::npos) << help_of(up.warning);
}

TEST(Examine, TellsAFrontThatIsAGuess) {
  asset::Asset asset = healthy();
  for (asset::Skin& skin : asset.skins) skin.extras.clear();
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) asset.nodes[n].name = "n" + std::to_string(n);
  const Finding front = expect_topic(examined(asset), "front");
  EXPECT_NE(help_of(front.warning).find("`forward "), std::string::npos) << help_of(front.warning);
}

TEST(Examine, PassesOnWhatTheReaderMended) {
  asset::Asset asset = healthy();
  asset.warnings = {"positions of mesh 'a': 2 elements (the first is 4) are not finite; the element before stands in",
                    "left out 2 cameras"};
  const Findings findings = examined(asset);
  EXPECT_NE(what_of(expect_topic(findings, "numbers").warning).find("not finite"), std::string::npos);
  EXPECT_EQ(what_of(expect_topic(findings, "file").warning), "left out 2 cameras");
}

TEST(Examine, TellsHolesLoosePiecesAndBadTriangles) {
  asset::Asset holed = healthy();
  surface(holed).indices.resize(surface(holed).indices.size() - 3);
  EXPECT_EQ(what_of(expect_topic(examined(holed), "holes").warning), "3 edges on holes");

  asset::Asset loose = healthy();
  asset::Primitive& p = surface(loose);
  const auto append_point = [&](Vec3 at) {
    p.positions.push_back(at);
    p.normals.push_back({0, 1, 0});
    for (auto& uv : p.texcoords) uv.push_back({});
    for (auto& color : p.colors) color.push_back({1, 1, 1, 1});
    for (auto& set : p.influences) set.joints.push_back(set.joints.back()), set.weights.push_back(set.weights.back());
    return static_cast<std::uint32_t>(p.positions.size() - 1);
  };
  const std::uint32_t a = append_point({0.1f, 2, 0}), b = append_point({0.2f, 2, 0}), c = append_point({0.1f, 2, 0.2f});
  p.indices.insert(p.indices.end(), {a, b, c});
  EXPECT_EQ(what_of(expect_topic(examined(loose), "pieces").warning), "2 pieces that do not hold together");

  // Once more the same, one along an edge that has two already, and one without area.
  asset::Asset bad = healthy();
  asset::Primitive& q = surface(bad);
  const std::uint32_t i = q.indices[0], j = q.indices[1], k = q.indices[2], far = q.indices[q.indices.size() / 2];
  q.indices.insert(q.indices.end(), {i, j, k, i, j, far, i, i, j});
  const Findings findings = examined(bad);
  expect_topic(findings, "duplicate");
  expect_topic(findings, "non-manifold");
  expect_topic(findings, "degenerate");
}

TEST(Examine, TellsTrianglesThatFaceTheWrongWay) {
  asset::Asset one = healthy();
  std::swap(surface(one).indices[0], surface(one).indices[1]);
  EXPECT_EQ(what_of(expect_topic(examined(one), "winding").warning),
            "3 edges between triangles that face opposite ways");

  asset::Asset all = healthy();
  std::vector<std::uint32_t>& indices = surface(all).indices;
  for (std::size_t t = 0; t < indices.size(); t += 3) std::swap(indices[t], indices[t + 1]);
  EXPECT_EQ(what_of(expect_topic(examined(all), "winding").warning), "1 closed surface inside out");
}

TEST(Examine, TellsWeightsThatAreMissingOrDoNotSumToOne) {
  asset::Asset asset = healthy();
  surface(asset).influences[0].weights[0] = {};
  surface(asset).influences[0].weights[1] = {0.5f, 0, 0, 0};
  const Findings findings = examined(asset);
  EXPECT_EQ(std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.topic == "weights"; }), 2)
      << text(findings);
  EXPECT_NE(help_of(expect_topic(findings, "weights").warning).find("`keep_skeleton`"), std::string::npos);
}

TEST(Examine, TellsMoreInfluencesThanEnginesTake) {
  for (const std::size_t sets : {2u, 3u}) {
    asset::Asset asset = healthy();
    std::vector<asset::InfluenceSet>& influences = surface(asset).influences;
    influences.resize(sets, influences[0]);
    for (asset::InfluenceSet& set : influences) {
      const float share = 0.25f / static_cast<float>(sets);
      set.joints[5] = {0, 1, 2, 3}, set.weights[5] = {share, share, share, share};
      for (std::size_t v = 0; v < set.weights.size(); ++v) {
        if (v != 5 && &set != &influences[0]) set.weights[v] = {};
      }
    }
    const Finding finding = expect_topic(examined(asset), "influences");
    EXPECT_EQ(finding.severity, sets == 2 ? Severity::kNote : Severity::kWarning);
    EXPECT_NE(help_of(finding.warning).find(sets == 2 ? "`influences 4`" : "`influences 8`"), std::string::npos);
  }
}

TEST(Examine, TellsJointsThatAllHangOnTheRoot) {
  asset::Asset asset = healthy();
  // Every joint hangs on the node above the skeleton, where it stands.
  const std::vector<int> joints = asset.skins[0].joints;
  const std::vector<int> parent = asset::parents(asset);
  const int top = parent[static_cast<std::size_t>(joints[0])];
  asset.clips.clear();
  for (const int joint : joints) asset.nodes[static_cast<std::size_t>(joint)].children.clear();
  asset.nodes[static_cast<std::size_t>(top)].children = joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    asset.nodes[static_cast<std::size_t>(joints[j])].local = decompose(inverse(asset.skins[0].inverse_bind[j]));
  }
  const Findings findings = examined(asset);
  EXPECT_NE(what_of(expect_topic(findings, "joints").warning).find("without a hierarchy"), std::string::npos)
      << text(findings);
}

TEST(Examine, TellsNamesThatAreNotUnique) {
  asset::Asset asset = healthy();
  const std::vector<int> joints = asset.skins[0].joints;
  asset.nodes[static_cast<std::size_t>(joints.back())].name = asset.nodes[static_cast<std::size_t>(joints[0])].name;
  EXPECT_NE(expect_topic(examined(asset), "names").where.find(asset.nodes[static_cast<std::size_t>(joints[0])].name),
            std::string::npos);
}

TEST(Examine, TellsClipsThatTearTheSkin) {
  asset::Asset asset = healthy();
  asset::Clip torn;
  torn.name = "torn";
  asset::Channel channel;
  channel.node = asset.skins[0].joints[asset.skins[0].joints.size() / 2];
  channel.path = asset::Path::kTranslation;
  channel.times = {0, 1};
  channel.values = {0, 0, 0, 3, 3, 3};
  torn.channels = {channel};
  asset.clips.push_back(torn);
  EXPECT_EQ(expect_topic(examined(asset), "stretch").where.rfind("torn (", 0), 0u);
}

TEST(Examine, TellsModelsThatShowNothing) {
  EXPECT_EQ(expect_topic(examined(asset::Asset{}), "empty").severity, Severity::kError);
}

TEST(Examine, AsksTheRiggerAboutStaticBodies) {
  // Two of a kind beside each other.
  asset::Asset two = zoo::static_asset(make_fox());
  asset::Node other = two.nodes[0];
  other.name = "other", other.local.translation = {3, 0, 0};
  two.scenes[0].roots.push_back(static_cast<int>(two.nodes.size()));
  two.nodes.push_back(other);
  EXPECT_NE(what_of(expect_topic(examined(two), "figures").warning).find("2 figures"), std::string::npos);

  // A tangle of boxes that is no body.
  asset::Asset slab = zoo::static_asset(make_fox());
  for (Vec3& point : surface(slab).positions)
    point = {point.x > 0 ? 1.0f : 0.0f, point.y > 0.5f ? 1.0f : 0.0f, point.z};
  const Findings findings = examined(slab);
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const Finding& f) {
    return f.topic == "unknown kind" || f.topic == "kind" || f.topic == "fit";
  })) << text(findings);
}

TEST(Examine, StopsWhenAsked) {
  const auto stop = [](std::string_view, double) { return false; };
  EXPECT_EQ(examine(healthy(), {}, stop).error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace limber::doctor
