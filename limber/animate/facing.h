// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/animate/request.h"
#include "limber/asset/asset.h"
#include "limber/rig/subject.h"

/// Private to `animate`.
namespace limber::animate {

/// Which way a body stands and looks: as the request says, as the subject knows, or as joints and shape tell
/// (`anatomy::believed_facing`). A warning where that is doubtful, or unusual for a file.
rig::Facing facing_of(const asset::Asset& asset, const rig::Subject& subject, const Request& request,
                      std::vector<Warning>& warnings);

}  // namespace limber::animate
