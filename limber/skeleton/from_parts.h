// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/body/body_shape.h"
#include "limber/skeleton/plan.h"

namespace limber::skeleton {

/// Which part of a body each triangle belongs to.
struct PartLabels {
  std::vector<int> faces;          ///< per triangle, >= 0; negative: no part, it goes to its neighbours
  std::vector<std::string> names;  ///< per part; may be shorter, the rest is numbered
};

/// Reads labels from JSON, `[0, 0, 1, ...]` or `{"face_labels": [...], "part_names": [...]}`, or from text, one number
/// per line or more.
Result<PartLabels> parse_labels(std::string_view text, const std::string& where);

/// The same from a file of at most 256 MiB.
Result<PartLabels> read_labels(const std::filesystem::path& file);

/// The labels that the asset's mesh nodes carry in their extras (as the zoo's creatures do), one after the other.
Result<PartLabels> labels_of_asset(const asset::Asset& asset);

struct PartsPlan {
  SkeletonPlan plan;
  std::vector<int> parts;          ///< per welded point, the joint whose part it belongs to
  std::vector<std::string> notes;  ///< parts in several pieces, joints where several borders meet ...
};

/// A skeleton from parts (rigging by parts): parts that touch become a tree, maximal in border length over the square
/// root of the smaller area; each joint lies at the middle of the border to its parent, moved to the medial axis; the
/// root is the part with the largest area times centrality. What the parts are nobody says: joints have no roles. Fails
/// unless there is one label per triangle.
Result<PartsPlan> rig_from_parts(const body::BodyShape& body, std::size_t triangle_count, const PartLabels& labels);

}  // namespace limber::skeleton
