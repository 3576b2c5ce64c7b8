// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_motion.h"

#include <algorithm>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/kinematics/forward.h"

namespace limber::pose_space {
namespace {

Vec3 up_of(const PoseSkeleton& skeleton) { return skeleton.from_world.row(1).cast<float>(); }

float lowest(const PoseSkeleton& skeleton, std::span<const Affine> joints) {
  const Vec3 up = up_of(skeleton);
  float low = dot(up, joints[0].translation);
  for (const PoseJoint& joint : skeleton.joints) low = std::min(low, dot(up, joints[at(joint.joint)].translation));
  return low;
}

/// Angles of a motion's frame from a state, near those that were there. Riders keep theirs.
void put_frame(const PoseSkeleton& skeleton, const PoseState& state, const PosePlace& place, std::span<Vec3> angles) {
  const std::vector<Vec3> before(angles.begin(), angles.end());
  const kinematics::Pose pose = decode_pose(skeleton, state, place, before);
  for (const PoseJoint& joint : skeleton.joints) angles[at(joint.joint)] = pose.angles[at(joint.joint)];
}

/// Per pose joint: whether neither it nor anything that hangs on it moves some of the skin.
std::vector<bool> unseen_joints(const rig::Subject& subject, const PoseSkeleton& skeleton) {
  const rig::Rig& rig = subject.rig;
  std::vector<bool> seen(at(rig.joint_count()), false);
  for (std::size_t k = 0; k < subject.weights.bones.size(); ++k) {
    if (subject.weights.weights[k] > 0) seen[at(rig.bones()[subject.weights.bones[k]].joint)] = true;
  }
  for (int j = rig.joint_count() - 1; j > 0; --j) {  // parents come first
    if (seen[at(j)]) seen[at(rig.joints()[at(j)].parent)] = true;
  }
  std::vector<bool> unseen;
  for (const PoseJoint& joint : skeleton.joints) unseen.push_back(!seen[at(joint.joint)]);
  return unseen;
}

}  // namespace

Result<PoseSpace> open_pose_space(const rig::Subject& subject, const std::filesystem::path& folder) {
  LIMBER_TRY(PoseDenoiser denoiser, PoseDenoiser::open(folder));
  return make_pose_space(subject, std::move(denoiser));
}

PoseSpace make_pose_space(const rig::Subject& subject, PoseDenoiser denoiser) {
  PoseSkeleton skeleton = make_pose_skeleton(subject.rig, subject.facing);
  const PoseConditions conditions = make_conditions(skeleton, {subject.points, subject.triangles, subject.weights});
  std::vector<bool> unseen = unseen_joints(subject, skeleton);
  PoseSpace space(std::move(denoiser), std::move(skeleton), conditions);
  if (std::find(unseen.begin(), unseen.end(), false) != unseen.end()) space.leave_unjudged(std::move(unseen));
  return space;
}

kinematics::Pose pose_at(const kinematics::Motion& motion, int frame) {
  const std::span<const Vec3> angles = motion.frame_angles(frame);
  return {motion.root_translations[at(frame)], {angles.begin(), angles.end()}};
}

kinematics::Motion motion_of_poses(const PoseSkeleton& skeleton, std::span<const PoseState> poses, double fps) {
  kinematics::Motion motion = kinematics::rest_motion(skeleton.rig, static_cast<int>(poses.size()), fps);
  const float ground = lowest(skeleton, skeleton.rig.world_from_rest());
  for (int f = 0; f < motion.frame_count(); ++f) {
    if (f > 0) std::copy_n(motion.frame_angles(f - 1).begin(), at(motion.joint_count), motion.frame_angles(f).begin());
    put_frame(skeleton, poses[at(f)], {}, motion.frame_angles(f));
    const float low = lowest(skeleton, kinematics::joint_matrices(skeleton.rig, pose_at(motion, f)));
    motion.root_translations[at(f)] = (ground - low) * up_of(skeleton);
  }
  return motion;
}

Result<PoseHandle> make_handle(const PoseSkeleton& skeleton, int joint, Vec3 place) {
  LIMBER_EXPECT(joint >= 0 && joint < skeleton.rig.joint_count(), std::to_string(joint));
  const int pose_joint = skeleton.carriers[at(joint)];
  if (skeleton.joints[at(pose_joint)].joint != joint) {
    return Error{"this rig has so many joints that this one only rides along; hold one nearer to the trunk",
                 skeleton.rig.joints()[at(joint)].name, ErrorKind::kUnsupported};
  }
  return PoseHandle{pose_joint, (1 / skeleton.radius) * (skeleton.from_world * (place.cast<double>() - skeleton.root))};
}

Result<kinematics::Motion> project_motion(const PoseSpace& space, const kinematics::Motion& motion, double strength,
                                          std::uint64_t seed, const Progress& progress) {
  const PoseSkeleton& skeleton = space.skeleton();
  kinematics::Motion mended = motion;
  constexpr int kAtOnce = 16;
  for (int first = 0; first < motion.frame_count(); first += kAtOnce) {
    if (progress && !progress("projecting poses", static_cast<double>(first) / motion.frame_count()))
      return cancelled("projecting poses");
    const int count = std::min(kAtOnce, motion.frame_count() - first);
    parallel_for(at(count), 1, [&](std::size_t i, std::size_t) {
      const int frame = first + static_cast<int>(i);
      const EncodedPose pose = encode_pose(skeleton, pose_at(motion, frame));
      put_frame(skeleton, space.project(pose.state, strength, seed), pose.place, mended.frame_angles(frame));
    });
  }
  return mended;
}

std::vector<Plausibility> score_motion(const PoseSpace& space, const kinematics::Motion& motion) {
  std::vector<Plausibility> scores(at(motion.frame_count()));
  parallel_for(scores.size(), 1, [&](std::size_t i, std::size_t) {
    scores[i] = space.score(encode_pose(space.skeleton(), pose_at(motion, static_cast<int>(i))).state);
  });
  return scores;
}

}  // namespace limber::pose_space
