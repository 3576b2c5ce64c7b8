// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "limber/base/fields.h"

/// Options that are made from a table of fields (base/fields.h).
namespace limber::cli {

/// `--in-place` of a field, with its help, what it may be and what it is `usual`ly. `set` takes the text; what it
/// refuses is wrong usage.
void add_field_option(CLI::App& command, const FieldInfo& field, const std::string& usual,
                      const std::function<Status(const std::string&)>& set);

/// A text of the library in which fields of `animate` and `rig` are called as the command line calls them.
std::string worded(std::string_view text);

/// "--method akd": how the command line calls a field.
std::string option_words(const std::string& field, const std::string& value);

}  // namespace limber::cli
