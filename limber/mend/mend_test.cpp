// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/mend/mend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/playing.h"
#include "limber/mend/leg_reach.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::mend {
namespace {

using kinematics::Motion;

struct Actor {
  zoo::Creature creature;
  asset::Asset asset;  ///< with its skeleton, without a clip
  rig::Subject subject;
};

const Actor& actor() {
  static const Actor result = [] {
    zoo::CreatureSettings settings;
    settings.seed = 5, settings.resolution = 40;
    zoo::Creature creature = zoo::make_creature(settings).value();
    Actor made{creature, zoo::static_asset(creature), creature.subject};
    EXPECT_TRUE(exporter::add_rig(made.asset, made.subject).ok());
    return made;
  }();
  return result;
}

/// Two cycles and the frame that closes them.
Motion play(zoo::Action action, bool in_place = true) {
  zoo::ActionSettings settings;
  settings.action = action, settings.frames = 48, settings.in_place = in_place;
  const zoo::Performance done = zoo::perform(actor().creature, settings).value();
  Motion motion = done.motion;
  motion.loops = false;
  const std::vector<Vec3> first(motion.frame_angles(0).begin(), motion.frame_angles(0).end());
  motion.angles.insert(motion.angles.end(), first.begin(), first.end());
  const float way = in_place ? 0 : done.stride * static_cast<float>(done.cycles);
  motion.root_translations.push_back(motion.root_translations.front() + Vec3{0, 0, way});
  return motion;
}

asset::Asset with_clip(asset::Asset asset, const Motion& motion, const std::string& name) {
  EXPECT_TRUE(exporter::add_clip(asset, actor().subject, motion, {.name = name}).ok());
  return asset;
}

/// As a file would have it.
asset::Asset written(const asset::Asset& asset) {
  return asset::read_gltf(asset::write_glb(asset).value(), "creature.glb").value();
}

double share(int frame, const Motion& motion) { return static_cast<double>(frame) / (motion.frame_count() - 1); }

/// The last joint of the first limb of a kind.
int end_of(rig::LimbKind kind) {
  const rig::Rig& rig = actor().subject.rig;
  int limb = -1, end = -1;
  for (int j = 0; j < rig.joint_count(); ++j) {
    const int own = rig.joints()[at(j)].role.limb;
    if (own < 0 || rig.limbs()[at(own)].kind != kind) continue;
    if (limb < 0) limb = own;
    if (own == limb) end = j;
  }
  EXPECT_GE(end, 0);
  return end;
}

int hip() { return actor().creature.legs[0].joints[0]; }

void turn_body(Motion& motion, int frame, double angle) {
  const rig::Joint& root = actor().subject.rig.joints()[0];
  turn_joint(angle_frame(root, {}), to_matrix(axis_angle(Vec3d{0, 1, 0}, angle)), motion.frame_angles(frame)[0]);
}

std::vector<Check> faults(const AssetScore& score) {
  std::vector<Check> result;
  for (const Checked& checked : score.model) {
    if (failed(checked)) result.push_back(checked.check);
  }
  for (const ClipScore& clip : score.clips) {
    for (const Checked& checked : clip.checks) {
      if (failed(checked)) result.push_back(checked.check);
    }
  }
  return result;
}

std::string words(const AssetScore& score) {
  std::string text;
  for (const Checked& checked : score.model) {
    if (failed(checked)) text += std::string(name(checked.check)) + ": " + checked.words + "; ";
  }
  for (const ClipScore& clip : score.clips) {
    for (const Checked& checked : clip.checks) {
      if (failed(checked)) text += std::string(name(checked.check)) + ": " + checked.words + "; ";
    }
  }
  return text;
}

MendSettings everything() {
  MendSettings all;
  all.loop = all.contact = all.floor = all.drift = all.flips = all.weights = true;
  return all;
}

/// The asset has this fault and no other; mending takes it away, and turns joints by less than 3 degrees on average.
void expect_mended(const asset::Asset& spoiled, Check fault) {
  const asset::Asset file = written(spoiled);
  const AssetScore before = score_asset(file).value();
  ASSERT_EQ(faults(before), std::vector<Check>{fault}) << words(before);
  const Mended mended = mend_asset(file, everything()).value();
  EXPECT_TRUE(faults(mended.after).empty()) << words(mended.after);
  for (const ClipChange& change : mended.clips) {
    EXPECT_TRUE(change.left.empty()) << change.left.front();
    EXPECT_LT(change.mean_turn, 3);
    EXPECT_LT(change.mean_way, fault == Check::kDrift ? 0.2 : 0.06);
  }
  // What is written passes, too.
  const AssetScore again = score_asset(written(mended.asset)).value();
  EXPECT_TRUE(faults(again).empty()) << words(again);
}

TEST(Mend, FindsNothingInCleanClipsAndLeavesTheirBytes) {
  asset::Asset asset = with_clip(actor().asset, play(zoo::Action::kWalk), "walk");
  asset = with_clip(asset, play(zoo::Action::kWalk, false), "walk ahead");
  asset = written(with_clip(asset, play(zoo::Action::kIdle), "idle"));
  const AssetScore score = score_asset(asset).value();
  EXPECT_TRUE(faults(score).empty()) << words(score);
  ASSERT_EQ(score.clips.size(), 3u);
  for (const ClipScore& clip : score.clips) {
    for (const Checked& checked : clip.checks) {
      EXPECT_TRUE(checked.passed) << clip.name << " " << name(checked.check) << ": " << checked.words;
    }
  }
  const Mended mended = mend_asset(asset, everything()).value();
  EXPECT_TRUE(mended.clips.empty());
  EXPECT_EQ(asset::write_glb(mended.asset).value(), asset::write_glb(asset).value());
}

TEST(Mend, ClosesALoop) {
  for (const bool in_place : {true, false}) {
    Motion motion = play(zoo::Action::kWalk, in_place);
    const int joint = end_of(rig::LimbKind::kHead);
    for (int f = 0; f < motion.frame_count(); ++f) {
      motion.frame_angles(f)[at(joint)].x += static_cast<float>(0.5 * share(f, motion));
    }
    expect_mended(with_clip(actor().asset, motion, "walk"), Check::kLoop);
  }
}

TEST(Mend, ClosesWhatLimberLeftOpenOnlyForWhoAsksForThat) {
  Motion motion = play(zoo::Action::kWalk);
  for (int f = 0; f < motion.frame_count(); ++f) {
    motion.frame_angles(f)[at(end_of(rig::LimbKind::kHead))].x += static_cast<float>(0.5 * share(f, motion));
  }
  asset::Asset asset = with_clip(actor().asset, motion, "walk");
  asset.clips[0].extras = R"({"limber": {"loop": false}})";
  MendSettings settings = everything();
  EXPECT_TRUE(mend_asset(asset, settings).value().clips.empty()) << "it says itself that it is none";
  settings.score.believes_notes = false;
  const Mended mended = mend_asset(asset, settings).value();
  ASSERT_EQ(mended.clips.size(), 1u);
  EXPECT_EQ(mended.clips[0].repaired, std::vector{Check::kLoop});
  // And says so from now on.
  EXPECT_TRUE(faults(score_asset(mended.asset).value()).empty());
  EXPECT_NE(mended.asset.clips[0].extras.find("true"), std::string::npos);
}

TEST(Mend, LetsSpeedsMeet) {
  Motion motion = play(zoo::Action::kIdle);
  const int joint = end_of(rig::LimbKind::kHead);
  for (int f = 0; f < motion.frame_count(); ++f) {
    const double t = share(f, motion);
    motion.frame_angles(f)[at(joint)].y += static_cast<float>(5 * t * t * (1 - t));
  }
  expect_mended(with_clip(actor().asset, motion, "idle"), Check::kLoop);
}

TEST(Mend, AppendsTheFrameThatALoopLacks) {
  for (const bool in_place : {true, false}) {
    Motion motion = play(zoo::Action::kWalk, in_place);
    kinematics::cut_motion(motion, motion.frame_count() - 1);
    const asset::Asset file = written(with_clip(actor().asset, motion, "walk"));
    expect_mended(file, Check::kLoop);
    const ClipChange change = mend_asset(file, everything()).value().clips.front();
    EXPECT_NEAR(change.added_seconds, 1 / motion.fps, 1e-3);
    EXPECT_LT(change.most_turn, 1) << "nothing else has to be changed";
  }
}

TEST(Mend, PutsAHoveringBodyOnTheFloor) {
  Motion motion = play(zoo::Action::kWalk);
  for (Vec3& translation : motion.root_translations) translation.y += 0.04f;
  expect_mended(with_clip(actor().asset, motion, "walk"), Check::kContact);
}

TEST(Mend, PutsALiftedFootOnTheFloor) {
  // One leg is drawn up by 4 % of the height wherever it is.
  for (const bool in_place : {true, false}) {
    Motion motion = play(zoo::Action::kWalk, in_place);
    const metrics::ClipBody body = metrics::make_clip_body(actor().subject);
    const int limb = body.subject.rig.joints()[at(hip())].role.limb;
    ASSERT_TRUE(move_foot(body, limb, std::vector<float>(at(motion.frame_count()), 0.04f), motion));
    expect_mended(with_clip(actor().asset, motion, "walk"), Check::kContact);
  }
}

TEST(Mend, RaisesASunkBody) {
  Motion motion = play(zoo::Action::kWalk);
  for (Vec3& translation : motion.root_translations) translation.y -= 0.04f;
  const asset::Asset asset = with_clip(actor().asset, motion, "walk");
  expect_mended(asset, Check::kFloor);
  EXPECT_LT(mend_asset(asset, everything()).value().clips.front().most_turn, 2) << "the body is raised as a whole";
}

TEST(Mend, BendsATailOutOfTheFloor) {
  const rig::Rig& rig = actor().subject.rig;
  Motion motion = play(zoo::Action::kIdle);
  // A tail that hangs straight down, longer than the legs.
  const int last = end_of(rig::LimbKind::kTail);
  int first = last;
  while (rig.joints()[at(rig.joints()[at(first)].parent)].role.limb == rig.joints()[at(last)].role.limb) {
    first = rig.joints()[at(first)].parent;
  }
  for (int f = 0; f < motion.frame_count(); ++f) {
    std::vector<Affined> world(rig.joints().size());
    kinematics::FrameBufferT<double> buffer;
    kinematics::joints_forward<double>(rig, kinematics::motion_frame<double>(rig, motion, f, buffer), world);
    const rig::Joint& joint = rig.joints()[at(first)];
    const Vec3d along = world[at(last)].translation - world[at(first)].translation;
    turn_joint(angle_frame(joint, world[at(joint.parent)]),
               to_matrix(rotation_between(normalized(along), normalized(Vec3d{0, -1, -0.25}))),
               motion.frame_angles(f)[at(first)]);
  }
  const std::vector<Affine> down = kinematics::joint_matrices(rig, motion);
  const float end = down[at(last)].translation.y;
  kinematics::JointOverride longer{last, {}, {}};
  const Vec3 rest = rig.joints()[at(last)].rest.translation;
  longer.translations.assign(motion.root_translations.size(), rest + ((end + 0.05f) / norm(rest)) * rest);
  motion.overrides.push_back(longer);
  const asset::Asset asset = written(with_clip(actor().asset, motion, "idle"));
  const AssetScore before = score_asset(asset).value();
  EXPECT_NE(words(before).find("the tail is"), std::string::npos) << words(before);
  MendSettings floor;
  floor.floor = true;
  const Mended mended = mend_asset(asset, floor).value();
  for (const Checked& checked : mended.after.clips[0].checks) {
    if (checked.check != Check::kFloor && checked.check != Check::kContact) continue;
    EXPECT_TRUE(checked.passed.value_or(true)) << checked.words;
  }
  EXPECT_LT(mended.clips.front().mean_turn, 3) << "the tail bends, and nothing else";
}

TEST(Mend, KeepsTheHeadingOfAnIdle) {
  Motion motion = play(zoo::Action::kIdle);
  for (int f = 0; f < motion.frame_count(); ++f) turn_body(motion, f, 0.5 * share(f, motion));
  expect_mended(with_clip(actor().asset, motion, "idle"), Check::kDrift);
}

TEST(Mend, KeepsThePlaceOfAWalkOnTheSpot) {
  Motion motion = play(zoo::Action::kWalk);
  for (int f = 0; f < motion.frame_count(); ++f) {
    motion.root_translations[at(f)] += Vec3{static_cast<float>(0.08 * share(f, motion)), 0, 0};
  }
  expect_mended(with_clip(actor().asset, motion, "walk"), Check::kDrift);
}

TEST(Mend, LeadsAWalkThatVeersStraightAhead) {
  Motion motion = play(zoo::Action::kWalk, false);
  for (int f = 0; f < motion.frame_count(); ++f) turn_body(motion, f, 0.2 * share(f, motion));
  expect_mended(with_clip(actor().asset, motion, "walk"), Check::kDrift);
}

TEST(Mend, TakesTheBowOutOfAWalk) {
  Motion motion = play(zoo::Action::kWalk, false);
  const double way = double(motion.root_translations.back().z);
  for (int f = 0; f < motion.frame_count(); ++f) {
    motion.root_translations[at(f)].x += static_cast<float>(0.12 * way * (1 - std::cos(2 * kPi * share(f, motion))));
  }
  expect_mended(with_clip(actor().asset, motion, "walk"), Check::kDrift);
}

TEST(Mend, FillsAFrameInWhichAJointTurnsOver) {
  Motion motion = play(zoo::Action::kWalk);
  const int joint = end_of(rig::LimbKind::kHead);
  motion.frame_angles(20)[at(joint)].x += 2.6f;
  const asset::Asset file = written(with_clip(actor().asset, motion, "walk"));
  const std::vector<Check> found = faults(score_asset(file).value());
  EXPECT_NE(std::find(found.begin(), found.end(), Check::kFlips), found.end());
  const Mended mended = mend_asset(file, everything()).value();
  EXPECT_TRUE(faults(mended.after).empty()) << words(mended.after);
}

TEST(Mend, TurnsKeysToOneSide) {
  asset::Asset asset = with_clip(actor().asset, play(zoo::Action::kWalk), "walk");
  for (asset::Channel& channel : asset.clips[0].channels) {
    if (channel.path != asset::Path::kRotation) continue;
    for (std::size_t i = 4 * 7; i < 4 * 15; ++i) channel.values[i] *= -1;
    break;
  }
  expect_mended(asset, Check::kFlips);
  EXPECT_EQ(mend_asset(written(asset), everything()).value().clips.front().most_turn, 0);
}

/// The first influence of every vertex of the creature's mesh.
asset::InfluenceSet& influences(asset::Asset& asset) {
  for (asset::Mesh& mesh : asset.meshes) {
    for (asset::Primitive& primitive : mesh.primitives) {
      if (!primitive.influences.empty()) return primitive.influences[0];
    }
  }
  throw std::runtime_error("no skin");
}

TEST(Mend, LetsWeightsSumToOne) {
  asset::Asset asset = with_clip(actor().asset, play(zoo::Action::kWalk), "walk");
  asset::InfluenceSet& set = influences(asset);
  for (std::size_t v = 0; v < 50; ++v) {
    for (int k = 0; k < 4; ++k) set.weights[v][k] *= 0.8f;
  }
  expect_mended(asset, Check::kWeights);
  asset::Asset copy = asset;
  EXPECT_EQ(mend_weights(copy).vertices, 50u);
}

TEST(Mend, ClosesSeams) {
  // Every vertex twice, as along a seam of texture coordinates; some copies follow other joints.
  asset::Asset asset = with_clip(actor().asset, play(zoo::Action::kWalk), "walk");
  asset.source.reset();
  for (asset::Mesh& mesh : asset.meshes) {
    const std::vector<asset::Primitive> once = mesh.primitives;
    mesh.primitives.insert(mesh.primitives.end(), once.begin(), once.end());
  }
  EXPECT_TRUE(faults(score_asset(written(asset)).value()).empty());
  asset::InfluenceSet& set = influences(asset);
  for (std::size_t v = 100; v < 130; ++v) {
    std::swap(set.weights[v][0], set.weights[v][1]);
    set.weights[v][0] *= 0.5f, set.weights[v][1] = 1 - set.weights[v][0] - set.weights[v][2] - set.weights[v][3];
    set.joints[v][1] = set.joints[v][0] == 3 ? 4 : 3;
  }
  asset = written(asset);
  const std::vector<Check> found = faults(score_asset(asset).value());
  EXPECT_NE(std::find(found.begin(), found.end(), Check::kWeights), found.end());
  mend_weights(asset);
  for (const Checked& checked : score_asset(written(asset)).value().model) {
    if (checked.check != Check::kWeights) continue;
    EXPECT_TRUE(*checked.passed) << checked.words;
  }
}

TEST(Mend, DoesOnlyWhatItIsAskedFor) {
  Motion motion = play(zoo::Action::kWalk);
  for (Vec3& translation : motion.root_translations) translation.y -= 0.04f;
  const asset::Asset file = written(with_clip(actor().asset, motion, "walk"));
  MendSettings loops;
  loops.loop = true;
  const Mended mended = mend_asset(file, loops).value();
  EXPECT_TRUE(mended.clips.empty());
  EXPECT_EQ(faults(mended.after), std::vector<Check>{Check::kFloor});
}

TEST(Mend, LeavesOtherClipsAndTheModelAlone) {
  Motion spoiled = play(zoo::Action::kWalk);
  for (Vec3& translation : spoiled.root_translations) translation.y -= 0.04f;
  asset::Asset asset = with_clip(actor().asset, play(zoo::Action::kIdle), "idle");
  asset = written(with_clip(asset, spoiled, "walk"));
  const Mended mended = mend_asset(asset, everything()).value();
  EXPECT_EQ(mended.asset.clips[0], asset.clips[0]);
  EXPECT_EQ(mended.asset.meshes, asset.meshes);
  EXPECT_NE(mended.asset.clips[1], asset.clips[1]);
  // Raising a body moves its root alone.
  std::size_t changed = 0;
  for (const asset::Channel& channel : mended.asset.clips[1].channels) {
    const auto& before = asset.clips[1].channels;
    changed += std::find(before.begin(), before.end(), channel) == before.end() ? 1 : 0;
  }
  EXPECT_LE(changed, 2u);
}

}  // namespace
}  // namespace limber::mend
