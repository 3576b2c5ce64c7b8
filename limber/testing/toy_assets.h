// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/math.h"
#include "limber/rig/subject.h"

/// Small assets made in memory, and the yardstick for what becomes of them.
namespace limber::testing {

/// Appends a node below `parent` (-1: a root of scene 0).
int add_node(asset::Asset& asset, int parent, const std::string& name, const Transform& local = {});

/// Appends a box-shaped mesh, a tube along +Y from y = 0 to `height`, with four vertices on each of `rings` + 1 levels.
int add_tube(asset::Asset& asset, float height, int rings);

/// Appends a skin of `joints` and gives it to `mesh_node`: bound as everything stands, each vertex following the joint
/// at its height and the next one.
int add_skin(asset::Asset& asset, const std::vector<int>& joints, int mesh_node);

/// Appends a clip that turns each node to and fro, with its own phase; one second, 25 keys, first and last alike.
void add_swing_clip(asset::Asset& asset, const std::vector<int>& nodes, const std::string& name = "swing");

/// Adds a channel to clip 0: the node's translation or scale, disturbed at random.
void add_random_channel(asset::Asset& asset, int node, asset::Path path, float amplitude, std::uint64_t seed);

/// An armature with a chain of joints, one unit each, along +Y, a tube around them, and a swing clip. `siblings`: the
/// joints all hang on the armature instead of on each other.
asset::Asset tube_asset(int joints, bool siblings = false);

/// Largest distance between the asset's own geometry in that state and the subject's points skinned with `bones`
/// (posed_from_bind of each), relative to the diagonal of the asset's geometry.
double posed_error(const asset::Asset& asset, const std::vector<Affined>& world_from_node, const rig::Subject& subject,
                   std::span<const Affine> bones);

}  // namespace limber::testing
