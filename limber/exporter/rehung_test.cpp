// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "limber/asset/pose.h"
#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

/// Creatures whose feet, hands and heads hang on the root, as baked inverse kinematics leaves them, move like those
/// whose limbs are whole.
namespace limber::exporter {
namespace {

constexpr double kFps = 24;

/// A creature, its asset with skeleton and skin, and what it does.
struct Whole {
  zoo::Creature creature;
  asset::Asset asset;
  rig::Subject subject;
  kinematics::Motion motion;
};

Whole make_whole(zoo::Plan plan, zoo::Action action, std::uint64_t seed) {
  zoo::CreatureSettings settings;
  settings.plan = plan, settings.seed = seed, settings.resolution = 40;
  const zoo::Creature creature = zoo::make_creature(settings).value();
  Whole whole{creature, zoo::static_asset(creature), creature.subject, {}};
  EXPECT_TRUE(add_rig(whole.asset, whole.subject).ok());
  zoo::ActionSettings moves;
  moves.action = action, moves.seed = seed, moves.fps = kFps;
  whole.motion = zoo::perform(whole.creature, moves).value().motion;
  EXPECT_TRUE(add_clip(whole.asset, whole.subject, whole.motion).ok());
  return whole;
}

/// Feet (from the third joint of every leg), hands and the head, by name.
std::vector<std::string> ends_of(const Whole& whole) {
  std::vector<std::string> names;
  const rig::Rig& rig = whole.subject.rig;
  for (const zoo::Leg& leg : whole.creature.legs) names.push_back(rig.joints()[at(leg.joints[2])].name);
  for (const char* name : {"head", "wrist.L", "wrist.R"}) {
    const bool listed = std::find(names.begin(), names.end(), name) != names.end();
    if (rig.find(name) >= 0 && !listed) names.push_back(name);
  }
  return names;
}

/// How the ends hang.
struct Hanging {
  bool ground = false;  ///< on a joint without skin below which the hips hang, too; else on the hips
  int helpers = 0;      ///< joints without skin in between
  bool two_skins = false;
  const char* name = "";
};

int node_named(const asset::Asset& asset, const std::string& name) {
  for (std::size_t n = 0; n < asset.nodes.size(); ++n) {
    if (asset.nodes[n].name == name) return static_cast<int>(n);
  }
  ADD_FAILURE() << name;
  return 0;
}

Transform local_below(const asset::Asset& asset, int parent, int node) {
  const std::vector<Affined> world = asset::rest_state(asset).world_from_node;
  Transform local = decompose(inverse(world[at(parent)]) * world[at(node)]).cast<float>();
  local.scale = {1, 1, 1};
  return local;
}

void hang(asset::Asset& asset, int node, int parent) {
  const Transform local = local_below(asset, parent, node);
  for (asset::Node& other : asset.nodes) std::erase(other.children, node);
  asset.nodes[at(node)].local = local;
  asset.nodes[at(parent)].children.push_back(node);
}

/// A joint of all skins, without weight.
int add_joint(asset::Asset& asset, int parent, const std::string& name, const Transform& local) {
  const auto node = static_cast<int>(asset.nodes.size());
  asset.nodes.emplace_back();
  asset.nodes.back().name = name, asset.nodes.back().local = local;
  asset.nodes[at(parent)].children.push_back(node);
  for (asset::Skin& skin : asset.skins) skin.joints.push_back(node), skin.inverse_bind.emplace_back();
  return node;
}

/// Shows every other triangle by a mesh node of its own, whose skin lists the joints backwards.
void split_skin(asset::Asset& asset) {
  const auto shown = static_cast<std::size_t>(
      std::find_if(asset.nodes.begin(), asset.nodes.end(), [](const asset::Node& n) { return n.skin >= 0; }) -
      asset.nodes.begin());
  asset::Mesh half = asset.meshes[at(asset.nodes[shown].mesh)];
  asset::Skin skin = asset.skins[0];
  const std::size_t joints = skin.joints.size();
  std::reverse(skin.joints.begin(), skin.joints.end());
  std::reverse(skin.inverse_bind.begin(), skin.inverse_bind.end());
  skin.extras.clear();
  for (asset::InfluenceSet& set : half.primitives[0].influences) {
    for (auto& row : set.joints) {
      for (std::uint16_t& joint : row) joint = static_cast<std::uint16_t>(joints - 1 - joint);
    }
  }
  std::vector<std::uint32_t>& kept = asset.meshes[at(asset.nodes[shown].mesh)].primitives[0].indices;
  const std::vector<std::uint32_t> all = kept;
  kept.clear(), half.primitives[0].indices.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ((i / 3) % 2 == 0 ? kept : half.primitives[0].indices).push_back(all[i]);
  }
  asset::Node node = asset.nodes[shown];
  node.mesh = static_cast<int>(asset.meshes.size()), node.skin = static_cast<int>(asset.skins.size());
  asset.meshes.push_back(std::move(half));
  asset.skins.push_back(std::move(skin));
  asset.scenes[0].roots.push_back(static_cast<int>(asset.nodes.size()));
  asset.nodes.push_back(std::move(node));
}

asset::Asset rehung(const Whole& whole, const Hanging& hanging) {
  asset::Asset asset = whole.asset;
  asset.clips.clear();
  if (hanging.two_skins) split_skin(asset);
  const int hips = node_named(asset, whole.subject.rig.joints()[0].name);
  int root = hips;
  if (hanging.ground) {
    root = add_joint(asset, node_named(asset, "skeleton"), "ground", {});
    hang(asset, hips, root);
  }
  for (const std::string& name : ends_of(whole)) {
    int parent = root;
    for (int h = 0; h < hanging.helpers; ++h) {
      Transform local = local_below(asset, parent, node_named(asset, name));
      local.translation *= 0.7f;
      parent = add_joint(asset, parent, name + ".helper" + std::to_string(h), local);
    }
    hang(asset, node_named(asset, name), parent);
  }
  // Skins list what they bind where it stands.
  const std::vector<Affined> world = asset::rest_state(asset).world_from_node;
  for (asset::Skin& skin : asset.skins) {
    for (std::size_t k = whole.subject.rig.joints().size(); k < skin.joints.size(); ++k) {
      skin.inverse_bind[k] = inverse(world[at(skin.joints[k])]).cast<float>();
    }
    skin.skeleton = -1, skin.extras.clear();
  }
  return asset;
}

/// The motion of the whole creature on another rig that has its joints and more.
kinematics::Motion same_motion(const Whole& whole, rig::Subject& subject) {
  // Turns are about the axes that a joint states.
  rig::RigDraft draft{{subject.rig.joints().begin(), subject.rig.joints().end()},
                      {subject.rig.bones().begin(), subject.rig.bones().end()},
                      {}};
  const rig::Rig& rig = whole.subject.rig;
  for (rig::Joint& joint : draft.joints) {
    const int source = rig.find(joint.name);
    if (source >= 0) joint.axes = rig.joints()[at(source)].axes;
  }
  subject.rig = rig::build_rig(std::move(draft)).value();
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, whole.motion.frame_count(), whole.motion.fps);
  motion.loops = whole.motion.loops;
  // Subjects that are read have height one; those of the zoo are as long as one.
  const float scale = whole.subject.asset_scale / subject.asset_scale;
  const int hips = subject.rig.find(rig.joints()[0].name);
  const rig::Joint& mover = subject.rig.joints()[at(hips)];
  kinematics::JointOverride travel{hips, {}, {}};
  for (std::size_t f = 0; f < motion.root_translations.size(); ++f) {
    const Vec3 moved = scale * whole.motion.root_translations[f];
    if (hips == 0) motion.root_translations[f] = moved;
    Affine frame = mover.parent_from_frame;
    if (hips > 0) frame = subject.rig.world_from_rest()[at(mover.parent)] * frame;
    travel.translations.push_back(mover.rest.translation + inverse(frame.linear) * moved);
  }
  if (hips > 0) motion.overrides.push_back(std::move(travel));
  for (int j = 0; j < subject.rig.joint_count(); ++j) {
    const int source = rig.find(subject.rig.joints()[at(j)].name);
    for (int f = 0; source >= 0 && f < motion.frame_count(); ++f) {
      motion.frame_angles(f)[at(j)] = whole.motion.frame_angles(f)[at(source)];
    }
  }
  return motion;
}

/// Largest distance of the first mesh's vertices in the two assets' last clips, in heights.
double difference(const Whole& whole, const asset::Asset& other, float height, double time) {
  const auto a = asset::posed_geometry(whole.asset, asset::clip_state(whole.asset, whole.asset.clips.back(), time));
  const auto b = asset::posed_geometry(other, asset::clip_state(other, other.clips.back(), time));
  double worst = 0;
  for (const asset::PosedPrimitive& primitive : b) {
    for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
      worst = std::max(worst, norm(primitive.positions[v] - a[0].positions[v]));
    }
  }
  return worst / height;
}

void expect_same_parents(const Whole& whole, const rig::Subject& subject, const std::string& what) {
  const rig::Rig &a = whole.subject.rig, &b = subject.rig;
  for (const rig::Joint& joint : a.joints()) {
    const int found = b.find(joint.name);
    ASSERT_GE(found, 0) << joint.name;
    if (joint.parent < 0) continue;
    const int parent = b.joints()[at(found)].parent;
    EXPECT_EQ(parent < 0 ? "" : b.joints()[at(parent)].name, a.joints()[at(joint.parent)].name)
        << joint.name << ", " << what;
  }
}

class Rehung : public ::testing::TestWithParam<zoo::Plan> {};

TEST_P(Rehung, EndsMoveLikeThoseOfAWholeBody) {
  const zoo::Action action = GetParam() == zoo::Plan::kBiped ? zoo::Action::kRun : zoo::Action::kWalk;
  const Whole whole = make_whole(GetParam(), action, 3);
  for (const Hanging& hanging : {Hanging{false, 0, false, "on the hips"}, Hanging{true, 0, false, "on the ground"},
                                 Hanging{true, 2, false, "on helpers"}, Hanging{true, 1, true, "in two skins"}}) {
    asset::Asset asset = rehung(whole, hanging);
    rig::Subject subject = rig::subject_from_asset(asset).value();
    expect_same_parents(whole, subject, hanging.name);
    EXPECT_TRUE(std::any_of(subject.notes.begin(), subject.notes.end(),
                            [](const std::string& note) { return note.find("carries it") != std::string::npos; }));
    const kinematics::Motion motion = same_motion(whole, subject);
    ASSERT_TRUE(add_clip(asset, subject, motion).ok());
    double at_keys = 0, between = 0;
    for (int f = 0; f < motion.frame_count(); f += 3) {
      at_keys = std::max(at_keys, difference(whole, asset, subject.asset_scale, f / kFps));
      for (const double t : {0.2, 0.5, 0.7}) {
        if (f + 1 == motion.frame_count()) break;  // where a loop closes the hips need not travel on
        between = std::max(between, difference(whole, asset, subject.asset_scale, (f + t) / kFps));
      }
    }
    EXPECT_LT(at_keys, 1e-5) << hanging.name;
    EXPECT_LT(between, 1e-3) << hanging.name;
    // With that clip in the asset it is the artist's word that counts; it says the same.
    expect_same_parents(whole, rig::subject_from_asset(asset).value(), std::string(hanging.name) + ", by its clip");
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, Rehung,
                         ::testing::Values(zoo::Plan::kQuadruped, zoo::Plan::kBiped, zoo::Plan::kTheropod,
                                           zoo::Plan::kBird, zoo::Plan::kHexapod),
                         [](const auto& plan) { return std::string(zoo::name(plan.param)); });

TEST(WholeBodies, StayAsTheyAre) {
  for (int plan = 0; plan < zoo::kPlanCount; ++plan) {
    for (const std::uint64_t seed : {1, 2}) {
      const auto p = static_cast<zoo::Plan>(plan);
      Whole whole = make_whole(p, zoo::actions(p)[1], seed);
      EXPECT_TRUE(rig::subject_from_asset(whole.asset).value().notes.empty()) << whole.creature.name;
      whole.asset.clips.clear();
      EXPECT_TRUE(rig::subject_from_asset(whole.asset).value().notes.empty()) << whole.creature.name;
    }
  }
}

}  // namespace
}  // namespace limber::exporter
