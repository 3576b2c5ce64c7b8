// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/rig/rig.h"
#include "limber/training/byte_stream.h"

/// Private to `training`: skeletons and motions in few bytes.
namespace limber::training {

/// The names and parents that a family of rigs shares.
struct JointTree {
  std::vector<std::string> names;
  std::vector<int> parents;
  bool operator==(const JointTree&) const = default;
};
JointTree tree_of(const rig::Rig& rig);
void write_tree(ByteWriter& out, const JointTree& tree);
JointTree read_tree(ByteReader& in);

/// What a rig adds to its tree: rest pose, axes and limits where they are not the usual ones, bones. Limbs are not
/// kept.
void write_rig(ByteWriter& out, const rig::Rig& rig);
Result<rig::Rig> read_rig(ByteReader& in, const JointTree& tree);

/// Frames in 16 bits between the least and the largest value of each curve; curves that do not move take no room.
void write_motion(ByteWriter& out, const kinematics::Motion& motion);
/// `poses`: how many joint poses may still be read, as still curves cost the file nothing.
kinematics::Motion read_motion(ByteReader& in, int joint_count, std::size_t& poses);

}  // namespace limber::training
