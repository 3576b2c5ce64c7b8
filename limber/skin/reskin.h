// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/result.h"
#include "limber/rig/subject.h"
#include "limber/skin/solve.h"

namespace limber::skin {

/// New weights for an asset that has a skeleton.
struct Reskinned {
  std::vector<std::size_t> points;  ///< of the subject, ascending: those of skinned meshes
  rig::SkinWeights weights;         ///< a row for each of them; `bones` count the rig's joints
  std::vector<SkinJoint> joints;    ///< as they were bound; those that held no weight before do not deform
  SkinReport report;
};

/// Solves anew the weights of all skinned meshes of the asset that `subject` was built from. Joints that no vertex
/// follows (roots, IK targets) stay without weight; where there are no weights at all, all joints of the skins deform.
/// Meshes that hang on a joint as a whole stay as they are. Fails if no mesh has a skin.
Result<Reskinned> reskin(const asset::Asset& asset, const rig::Subject& subject, const SkinSettings& settings = {});

}  // namespace limber::skin
