// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "limber/base/progress.h"
#include "limber/kinematics/motion.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/pose_space/pose_energy.h"
#include "limber/rig/subject.h"

/// The pose space for subjects and their motions.
namespace limber::pose_space {

/// The space of a subject's poses, by the model of a folder (`find_pose_model`).
Result<PoseSpace> open_pose_space(const rig::Subject& subject, const std::filesystem::path& folder);

/// The same by a network that is open already; spaces of many bodies share it.
PoseSpace make_pose_space(const rig::Subject& subject, PoseDenoiser denoiser);

/// Frame `frame` of a motion.
kinematics::Pose pose_at(const kinematics::Motion& motion, int frame);

/// Poses one after the other, all over the same place: as low as the body stands at rest, looking ahead.
kinematics::Motion motion_of_poses(const PoseSkeleton& skeleton, std::span<const PoseState> poses, double fps);

/// A joint of the rig and a place in its world as a handle; a pose without heading, its root where it rests. A rider
/// cannot be held: kUnsupported, with its name.
Result<PoseHandle> make_handle(const PoseSkeleton& skeleton, int joint, Vec3 place);

/// Every frame brought to the nearest plausible pose, see PoseSpace::project. Where the body is and looks, riders and
/// overrides stay.
Result<kinematics::Motion> project_motion(const PoseSpace& space, const kinematics::Motion& motion, double strength,
                                          std::uint64_t seed = 0, const Progress& progress = {});

/// Per frame.
std::vector<Plausibility> score_motion(const PoseSpace& space, const kinematics::Motion& motion);

}  // namespace limber::pose_space
