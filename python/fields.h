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

/// The value of a keyword as the text of its field, as several where that may be repeated; none for None. Values of
/// another type are `TypeError`s.
std::vector<std::string> keyword_texts(const FieldInfo& field, const py::handle& value);

/// A field that Python shows, and its text where nothing is said.
struct ShownField {
  const FieldInfo& field;
  std::string usual;
};

/// A docstring: the signature as pybind11 writes those of other functions, what the function does, and every keyword.
/// `first` are the arguments that may be said by place: "asset: AssetLike".
std::string keyword_docstring(const std::string& name, const std::string& first, const std::vector<ShownField>& fields,
                              const std::string& result, const std::string& text);

}  // namespace limber::python
