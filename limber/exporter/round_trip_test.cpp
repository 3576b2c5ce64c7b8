// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/base/at.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/testing/shared_data.h"
#include "limber/testing/toy_assets.h"

/// Every rigged asset of ../shared, clip -> Motion -> clip.
namespace limber::exporter {
namespace {

constexpr double kFps = 24;

/// How far a motion, and the clip made of it again, are from the clip that they come from.
struct RoundTrip {
  double motion = 0;    ///< posed geometry, of the diagonal
  double clip = 0;      ///< posed geometry, of the diagonal
  double rotation = 0;  ///< of the nodes' world rotations, degrees
};

RoundTrip measure(const asset::Asset& asset, const rig::Subject& subject, const asset::Clip& clip) {
  RoundTrip result;
  const auto motion = kinematics::motion_from_clip(asset, clip, subject, kFps).value();
  const asset::Clip again = clip_from_motion(asset, subject, motion).value();
  const std::vector<Affine> bones = kinematics::bone_matrices(subject.rig, motion);
  const auto count = subject.rig.bones().size();
  const int frames = motion.frame_count();
  for (int f = 0; f < frames; f += std::max(1, frames / 2)) {
    const auto wanted = asset::clip_state(asset, clip, f / kFps).world_from_node;
    const auto made = asset::clip_state(asset, again, f / kFps).world_from_node;
    if (!subject.points.empty()) {
      const auto posed = std::span(bones).subspan(at(f) * count, count);
      result.motion = std::max(result.motion, testing::posed_error(asset, wanted, subject, posed));
      result.clip = std::max(result.clip, testing::posed_error(asset, made, subject, posed));
    }
    for (const rig::Joint& joint : subject.rig.joints()) {
      if (joint.node < 0) continue;
      const Quatd a = decompose(wanted[at(joint.node)]).rotation, b = decompose(made[at(joint.node)]).rotation;
      result.rotation = std::max(result.rotation, angle_between(a, b) * 180 / kPi);
    }
  }
  return result;
}

/// A clip that moves every joint, for assets that have none.
asset::Clip synthetic_clip(const asset::Asset& asset, const rig::Subject& subject) {
  kinematics::Motion motion = kinematics::rest_motion(subject.rig, 8, kFps);
  for (int f = 0; f < 8; ++f) {
    motion.root_translations[at(f)] = {0.02f * static_cast<float>(f), 0, 0.1f};
    for (int j = 0; j < motion.joint_count; ++j) {
      const auto phase = static_cast<float>(j) + 0.7f * static_cast<float>(f);
      motion.frame_angles(f)[at(j)] = {0.4f * std::sin(phase), 0.3f * std::cos(phase), 0.2f * std::sin(2 * phase)};
    }
  }
  return clip_from_motion(asset, subject, motion).value();
}

TEST(SharedRoundTrips, ClipsComeHomeThroughMotions) {
  if (testing::shared_dir().empty()) GTEST_SKIP() << "../shared is not there";
  int clips = 0;
  for (const char* folder : {"assets", "corpus"}) {
    for (const auto& path : testing::shared_files(folder, {".glb", ".gltf", ".fbx", ".bvh"})) {
      // Its vertices without weight stay behind when a clip moves the armature away; a subject takes them along.
      if (path.filename() == "songbird_quaternius.fbx") continue;
      auto file = asset::read_asset(path);
      if (!file.ok() && path.extension() == ".fbx") continue;  // built without assimp
      asset::Asset asset = std::move(file).value();
      const auto subject = rig::subject_from_asset(asset);
      if (!subject.ok()) continue;
      if (asset.clips.empty()) asset.clips.push_back(synthetic_clip(asset, *subject));
      for (const asset::Clip& clip : asset.clips) {
        ++clips;
        const RoundTrip error = measure(asset, *subject, clip);
        EXPECT_LT(error.motion, 2e-6) << path << " " << clip.name;
        EXPECT_LT(error.clip, 2e-6) << path << " " << clip.name;
        EXPECT_LT(error.rotation, 0.001) << path << " " << clip.name;
      }
    }
  }
  EXPECT_GT(clips, 400);
}

}  // namespace
}  // namespace limber::exporter
