// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/animate/plan.h"
#include "limber/asset/asset.h"
#include "limber/base/warning.h"
#include "limber/mend/mend.h"
#include "limber/rig/facing.h"

/// The last look at a clip that was made: what anyone would find by `limber score`, mended as anyone could by `limber
/// mend`. Private to `animate`.
namespace limber::animate {

/// What is to be asked of a clip, and may be mended, where a plan says what it shall be.
mend::MendSettings mend_settings(const Plan& plan, const rig::Facing& facing);

/// A clip after that look.
struct FinishedClip {
  std::vector<mend::Checked> checks;
  std::optional<mend::ClipChange> mended;  ///< what was changed; none where nothing had to be, or nothing helped
};

/// Looks at a clip of the asset, and mends it there. `own_stretch`: of the clips that the asset came with. Nothing
/// where it cannot be looked at.
std::optional<FinishedClip> finish_clip(const Plan& plan, const rig::Facing& facing, std::optional<double> own_stretch,
                                        int clip, asset::Asset& asset);

/// What is left, for a person: all that failed and that nothing else warns of.
std::vector<Warning> unfinished_warnings(const Plan& plan, const FinishedClip& finished);

}  // namespace limber::animate
