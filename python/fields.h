// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/base/fields.h"

/// Keywords that are made from a table of fields (base/fields.h).
namespace limber::python {

namespace py = pybind11;

/// `from_`: as the table has it, but for words that Python keeps to itself.
std::string keyword_of(std::string_view field);

/// "method='akd'": how Python calls a field.
std::string keyword_words(const std::string& field, const std::string& value);

/// The value of a keyword as the text of its field; none for None. Values of another type are `TypeError`s.
std::optional<std::string> keyword_text(const FieldInfo& field, const py::handle& value);

/// "seconds: Optional[float] = None"; `usual` is the field's text where nothing is said.
std::string keyword_signature(const FieldInfo& field, const std::string& usual);

/// A line of a docstring: the field's help, and what it may be.
std::string keyword_help(const FieldInfo& field);

}  // namespace limber::python
