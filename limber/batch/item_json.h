// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "limber/batch/item.h"

namespace limber::batch {

using Json = nlohmann::ordered_json;

Json item_to_json(const Item& item);
Result<Item> item_from_json(const Json& json, const std::string& where);

/// On one line. Names of files need not be UTF-8; JSON must be.
inline std::string json_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace limber::batch
