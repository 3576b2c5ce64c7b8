// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "limber/doctor/examine.h"

/// The checks that an examination is made of: each adds what it finds. Private to `doctor`.
namespace limber::doctor {

using Findings = std::vector<Finding>;

/// What the reader mended or left out, and names that are not unique.
void check_file(const asset::Asset& asset, Findings& findings);

/// Size and topology of the surface.
void check_surface(const asset::Asset& asset, Findings& findings);

/// Skeleton and weights; nothing where there is none.
void check_rig(const asset::Asset& asset, Findings& findings);

/// How the body stands and looks, and, of one without a skeleton, what it is.
Status check_body(const asset::Asset& asset, const ExamineSettings& settings, const Progress& progress,
                  Findings& findings);

/// Whether a clip tears the skin.
void check_clips(const asset::Asset& asset, Findings& findings);

/// How often something occurs, and in whom: for a finding's `where`.
using Share = std::pair<std::string, std::size_t>;

/// "body (300), eye (12) and 5 more": those with any.
std::string list_shares(const std::vector<Share>& shares);

/// A node's name, or its number.
std::string node_name(const asset::Asset& asset, std::size_t node);

}  // namespace limber::doctor
