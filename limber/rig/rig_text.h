// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/result.h"

/// The rig text format of RigNet, MagicArticulate and Puppeteer, so that published test sets can be read and written:
///
///   joints <name> <x> <y> <z>
///   root <name>
///   hier <parent> <child>
///   skin <vertex> <name> <weight> [<name> <weight> ...]
///
/// one record per line, in any order. Vertices count from 0 in the order of the `v` lines of an OBJ file beside it;
/// positions are in that file's space.
namespace limber::rig {

struct TextJoint {
  std::string name;
  Vec3d position;
  int parent = -1;  ///< -1 for the root alone; otherwise smaller than the joint's own index
};

struct TextInfluence {
  int joint = 0;
  double weight = 0;
};

struct TextSkinRow {
  std::uint32_t vertex = 0;
  std::vector<TextInfluence> influences;  ///< summing to one
};

struct TextRig {
  std::vector<TextJoint> joints;  ///< parents first
  std::vector<TextSkinRow> skin;  ///< by vertex, ascending; vertices without weight are missing
};

/// Reads the format. Rows of weights are scaled to sum to one. `name_dup_N` joints, into which RigNet splits a joint
/// with several children, are folded into the original, and their weights added. A malformed line, a name that is
/// there twice or unknown, a second parent, a cycle or a joint apart from the root's tree is an error at `name:LINE`.
Result<TextRig> read_rig_text(std::string_view text, const std::string& name);

/// Writes it, parents first, weights to six decimals. Blanks in names become underscores, as the format splits there.
std::string write_rig_text(const TextRig& rig);

/// The surface that a rig text belongs to: `v` and `f` records, polygons as fans, everything else skipped. Unlike the
/// general importer this keeps the order of the `v` lines, which the weights count by.
struct TextSurface {
  std::vector<Vec3d> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};
Result<TextSurface> read_obj_surface(std::string_view text, const std::string& name);

}  // namespace limber::rig
