// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/pose_space/pose_energy.h"
#include "limber/rig/subject.h"
#include "studio/server/shelf.h"

/// A rigged model whose joints are dragged, and its poses as the page writes them: local rotations of the nodes of all
/// joints, and the local translation of the root's node.
namespace limber::studio {

/// Knows the poses of all bodies, which share it; opened when it is first asked.
using PoseNetwork = std::optional<pose_space::PoseDenoiser>;

struct PosedBody {
  asset::Asset asset;
  rig::Subject subject;
  std::vector<int> joints;                     ///< of the rig: those that drive a node, in order
  std::optional<pose_space::PoseSpace> space;  ///< opened when it is first asked for
  std::vector<pose_space::WeightedPoseEnergy> energies;
  MemoryShare memory;  ///< of the subject; the asset has its own
};

/// Errors: `kConflict` where the model has no rig, `kOutOfMemory` where it would take too much. `name` is for messages.
Result<std::shared_ptr<PosedBody>> open_body(const std::filesystem::path& file, const std::string& name);

Json skeleton_json(const PosedBody& body);

/// Answers `{"pose", "targets", "pins", "final"}`; `thorough` takes longer.
Result<Json> solve_question(PosedBody& body, PoseNetwork& network, const Json& question, bool thorough);

/// Writes `[{"time", "pose"}]` as a file whose only clip they are.
Status write_keyframe_file(const PosedBody& body, const Json& keyframes, const std::filesystem::path& file);

/// A file as a GLB of which nothing is kept as it was: compressed meshes are plain.
Result<Bytes> plain_file(const std::filesystem::path& file);

/// A pose as the page has it, and back; for tests.
Result<kinematics::Pose> read_pose(const PosedBody& body, const Json& pose, const std::string& where);
Result<Json> write_pose(const PosedBody& body, const kinematics::Pose& pose);

}  // namespace limber::studio
