// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "limber/anatomy/find_facing.h"
#include "limber/animate/animate_asset.h"
#include "limber/animate/ground_clip.h"
#include "limber/asset/asset.h"
#include "limber/autorig/rig_asset.h"
#include "limber/base/result.h"
#include "limber/doctor/examine.h"
#include "limber/mend/mend.h"
#include "limber/metrics/mesh_health.h"
#include "limber/metrics/rig_health.h"
#include "limber/metrics/rig_metrics.h"
#include "limber/metrics/rigged_surface.h"
#include "limber/retarget/retarget_asset.h"

/// What was found and done, as JSON: the same words whether the program's `--json`, the studio or Python asks. Files,
/// times and what was asked for are added by whoever knows them. Private: uses nlohmann-json.
namespace limber::report {

using Json = nlohmann::ordered_json;

/// Names in files need not be UTF-8; JSON must be.
std::string text(const Json& document);

// --- models ----------------------------------------------------------------------------------------------------------

/// An asset, measured.
struct Inspection {
  metrics::MeshHealth mesh;
  metrics::RigHealth rig;
  anatomy::Directions axes;
};
Inspection inspect(const asset::Asset& asset);
Json to_json(const asset::Asset& asset, const Inspection& inspection);

Json to_json(const std::vector<doctor::Finding>& findings, const FieldWords& words = plain_words);

/// Code, numbers, names and fields of each, and `text`: all of it in the words of a front end, which calls fields as
/// `words` does.
Json to_json(const std::vector<Warning>& warnings, const FieldWords& words = plain_words);
/// The report of `animate_asset`, with the texts of its warnings.
Json to_json(const animate::AnimatedAsset& animated, const FieldWords& words = plain_words);

// --- what stages did -------------------------------------------------------------------------------------------------

/// Skeleton, unless the one that was there was kept, and skin.
Json to_json(const autorig::RiggedAsset& rigged, const FieldWords& words = plain_words);

Json to_json(const animate::GroundedClip& done);

Json to_json(const retarget::Retargeted& done);
Json to_json(const retarget::BodyMap& map);

// --- how good it is --------------------------------------------------------------------------------------------------

/// A skeleton against the true one. Joints that move nothing should be left out before (`without_idle_joints`). Where
/// there is a summary, it is added to that.
Json compare_skeletons(const metrics::RiggedSurface& predicted, const metrics::RiggedSurface& truth,
                       metrics::DistanceSummary* summary = nullptr);

struct SkinComparison {
  double filter = 0.15;                   ///< weights below this share of a vertex's heaviest do not count
  const rig::Subject* subject = nullptr;  ///< of the truth: how far posed skins lie apart is told, too
};
Json compare_skins(const metrics::RiggedSurface& predicted, const metrics::RiggedSurface& truth,
                   const SkinComparison& settings = {});
Json to_json(const metrics::SkeletonDistance& distance);
/// In percent; `l1` as it is.
Json to_json(const metrics::SkinScores& scores);

/// What is finished and what is not, clip by clip; what was repaired.
Json to_json(const mend::AssetScore& score);
Json to_json(const mend::Mended& mended);

}  // namespace limber::report
