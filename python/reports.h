// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/animate/ground_clip.h"
#include "limber/asset/asset.h"
#include "limber/autorig/rig_asset.h"
#include "limber/base/result.h"
#include "limber/doctor/examine.h"
#include "limber/rig/subject.h"

/// What limber found, as JSON with the keys of the program's `--json`. No Python here.
namespace limber::python {

std::string inspect_report(const asset::Asset& asset);
std::string findings_report(const std::vector<doctor::Finding>& findings);
std::string rig_report(const autorig::RiggedAsset& rigged);
std::string ground_report(const animate::GroundedClip& done);
/// Every clip: how far the skin stretches, how much moves.
Result<std::string> motion_report(const asset::Asset& asset, double fps);
/// A rig, and the skin on it, against the true one.
Result<std::string> compare_report(const asset::Asset& predicted, const asset::Asset& truth);

}  // namespace limber::python
