// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/warning.h"
#include "limber/rig/facing.h"
#include "limber/rig/subject.h"

/// Private to `animate`.
namespace limber::animate {

/// Which way a body stands and looks: as is asked, as the subject knows, or as joints and shape tell
/// (`anatomy::believed_facing`). A warning where that is doubtful, or unusual for a file.
rig::Facing facing_of(const asset::Asset& asset, const rig::Subject& subject, const std::optional<rig::Facing>& asked,
                      std::vector<Warning>& warnings);

}  // namespace limber::animate
