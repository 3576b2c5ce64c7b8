// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/animate/animation.h"
#include "limber/animate/models.h"
#include "limber/animate/request.h"
#include "limber/asset/asset.h"
#include "limber/autorig/auto_rig.h"
#include "limber/mend/mend.h"
#include "limber/rig/subject.h"

/// \file
/// The product: a request becomes an animated asset. Command line, Python, studio and batches only call this.
///
///     LIMBER_TRY(asset::Asset fox, asset::read_asset("fox.glb"));
///     animate::Request request;
///     request.prompt = "a fox trots";
///     LIMBER_TRY(auto result, animate::animate_asset(std::move(fox), animate::find_models(), request));
///     LIMBER_CHECK_OK(asset::write_asset(result.asset, "fox_trot.glb"));

namespace limber::animate {

/// A clip of a pack: what an `AnimatedAsset` tells of its only one.
struct PackedClip {
  std::string prompt;            ///< as it was asked for
  bool loops = false;            ///< its action is done over and over, so a loop was asked for
  std::optional<int> clip = {};  ///< of `AnimatedAsset::asset.clips`; none: it could not be made
  std::string failed = {};       ///< why; empty otherwise
  Animation animation = {};
  std::vector<Warning> warnings = {};  ///< of this clip alone
  std::vector<mend::Checked> finished = {};
  std::optional<mend::ClipChange> mended = {};
  double seconds = 0;  ///< that it took
};

struct AnimatedAsset {
  asset::Asset asset;    ///< what was given, with a skeleton where it had none, and with the new clips at its end
  rig::Subject subject;  ///< what moves in it
  std::optional<autorig::AutoRigReport> rigged;  ///< where it had no skeleton: how it got one
  rig::Facing facing;  ///< in the world of the asset that was given: as asked, as known, or as found
  int first_clip = 0;  ///< of `asset.clips`: the result. The other candidates, where they were asked for, follow
  Animation animation;
  std::string report;             ///< JSON: what was asked, what came out, how sure each joint is, how long it took
  std::vector<Warning> warnings;  ///< those of `animation` included; `in_words` says them
  std::vector<mend::Checked> finished = {};  ///< what `limber score` says of the first new clip
  /// What was changed of that clip, after it was put on the ground, so that it says so.
  std::optional<mend::ClipChange> mended = {};
  /// Of a request for several clips: all of them, as they were asked for. `first_clip`, `animation`, `finished` and
  /// `mended` are those of the first that could be made; `warnings` has those of all, which name their `clip`.
  std::vector<PackedClip> pack = {};
};

/// Finds or makes the skeleton, tells how the body stands, lets it do what the request says, and adds that as a clip
/// with its origin in the clip's extras (`limber`). Same asset, models and request: same bits. Each of several clips
/// (`Request::clips`) has the bits that it would have alone; one that cannot be made is a warning, and an error only
/// where none can.
///
/// Errors: `kConflict` where the request contradicts itself, what its checkpoint holds, or (a video) the body that
/// should do it, `kUnsupported` for a large prior without LibTorch, `kMissing` where a model or the video is not there,
/// `kCancelled` when `progress` says so.
Result<AnimatedAsset> animate_asset(asset::Asset asset, const Models& models, const Request& request);

}  // namespace limber::animate
