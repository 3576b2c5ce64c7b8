// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/animate/models.h"
#include "limber/asset/asset.h"
#include "limber/autorig/auto_rig.h"
#include "limber/base/progress.h"
#include "limber/rig/subject.h"

/// Private to `animate`.
namespace limber::animate {

/// Whose motion it will be.
struct Cast {
  asset::Asset asset;  ///< with the skeleton that `subject` has
  rig::Subject subject;
  std::optional<autorig::AutoRigReport> rigged;  ///< by limber, now
  std::vector<Warning> warnings;
};

/// Whether an asset brings something that moves: a skin, or clips of its nodes.
bool has_rig(const asset::Asset& asset);

/// The asset's own rig, or where it has none a new one, of a body that stands and looks as `facing` says, its joints
/// called as the profile `names` has it; an error where they have names already.
Result<Cast> cast_subject(asset::Asset asset, const Models& models, const std::optional<rig::Facing>& facing,
                          const Progress& progress, const std::string& names = {});

}  // namespace limber::animate
