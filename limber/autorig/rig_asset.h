// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/asset/asset.h"
#include "limber/autorig/auto_rig.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/rig/subject.h"

namespace limber::autorig {

/// What becomes of a skeleton that the asset has already.
enum class ExistingSkeleton {
  kRefuse,  ///< an error: nobody said what to do with it
  kKeep,    ///< it stays, and its weights are solved anew; an error where there is none
  kReplace  ///< the asset is taken as it stands at rest, and gets another; clips are lost with the old one
};

struct RigRequest {
  ExistingSkeleton existing = ExistingSkeleton::kRefuse;
  /// Of the new skeleton, and of the weights of any. Where a skeleton is kept, `settings.skin` alone counts, and an
  /// error says so where anything else was asked for.
  AutoRigSettings settings;
  std::string name = "skeleton";  ///< of the node above the new joints
  bool stand_up = false;          ///< one more node above all, so that the asset stands along +Y
};

struct RiggedAsset {
  asset::Asset asset;           ///< the one that was given, with its skeleton and weights
  rig::Subject subject;         ///< made from it; `facing` tells up and front
  skeleton::SkeletonPlan plan;  ///< of a new skeleton; empty where one was kept
  AutoRigReport report;         ///< numbers of joints count those of `subject`
};

/// Gives an asset a skeleton and skin weights: the whole of `limber rig` but for files. Vertices, materials and nodes
/// stay as they are, but for `kReplace`. The same asset and request give the same bits on every machine, and so does
/// any number of threads. Fails as auto_rig() and exporter::add_rig() do.
Result<RiggedAsset> rig_asset(asset::Asset asset, const RigRequest& request = {}, const Progress& progress = {});

}  // namespace limber::autorig
