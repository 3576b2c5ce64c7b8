// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/base/result.h"
#include "limber/skeleton/plan.h"

namespace limber::skeleton {

/// Names of profiles other than limber's own: "mixamo", "unity", "unreal", "vrm".
const std::vector<std::string>& name_profiles();

/// Gives a humanoid's joints the names that a program expects. `kind` is the template's name. Fails, changing nothing,
/// if the body is no humanoid or lacks a joint that the profile needs: names must not claim what is not there.
Status apply_names(SkeletonPlan& plan, const std::string& kind, std::string_view profile);

}  // namespace limber::skeleton
