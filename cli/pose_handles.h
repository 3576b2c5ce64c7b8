// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/base/math.h"
#include "limber/base/result.h"
#include "limber/rig/subject.h"

/// Joints and places as a person writes them.
namespace limber::cli {

struct NamedPlace {
  int joint = 0;  ///< of the rig
  Vec3 place;     ///< in the subject's world
};

/// `paw.L=0.1,0.4,0.3`: a joint and a place in the asset's own world and units. Errors name joints that there are.
Result<NamedPlace> parse_place(const std::string& text, const rig::Subject& subject);

}  // namespace limber::cli
