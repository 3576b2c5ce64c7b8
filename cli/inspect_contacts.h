// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "limber/asset/asset.h"
#include "limber/base/result.h"

namespace limber::cli {

/// `{"clip", "seconds", "joints": [{"name", "node", "spans": [[from, to]]}]}`: when joints of a clip stand on the
/// ground, in seconds. `clip`: as `find_clip` takes it; empty: the first.
Result<nlohmann::ordered_json> find_contacts(const asset::Asset& asset, const std::string& clip);

void print_contacts(const nlohmann::ordered_json& contacts);

}  // namespace limber::cli
