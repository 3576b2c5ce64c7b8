// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "fields.h"

#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <utility>

#include "convert.h"

namespace limber::python {
namespace {

[[noreturn]] void wrong_type(const FieldInfo& field, const std::string& wanted, const py::handle& value) {
  const auto type = py::type::of(value).attr("__name__").cast<std::string>();
  throw py::type_error(keyword_of(field.name) + "= should be " + wanted + ", not " + type);
}

/// A whole number, as Python tells one: NumPy's are, True is not.
std::string whole_text(const FieldInfo& field, const py::handle& value) {
  if (py::isinstance<py::bool_>(value) || PyIndex_Check(value.ptr()) == 0) wrong_type(field, "a whole number", value);
  return py::str(py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()))).cast<std::string>();
}

std::string number_text(const FieldInfo& field, const py::handle& value) {
  if (py::isinstance<py::bool_>(value) || py::isinstance<py::str>(value)) wrong_type(field, "a number", value);
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    wrong_type(field, "a number", value);
  }
  return py::repr(py::float_(number)).cast<std::string>();
}

std::string direction_text(const FieldInfo& field, const py::handle& value) {
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  const Vec3 direction = read_direction(py::reinterpret_borrow<py::object>(value), field.name).value();
  std::ostringstream text;
  text.precision(9);  // reads back to the same bits
  text << direction.x << ',' << direction.y << ',' << direction.z;
  return text.str();
}

std::string path_text(const FieldInfo& field, const py::handle& value) {
  try {
    return value.cast<std::filesystem::path>().string();
  } catch (const py::cast_error&) {
    wrong_type(field, "a path", value);
  }
}

/// "NAME=X,Y,Z", said several times: Python has a dict for that.
bool is_of_pairs(const FieldInfo& field) {
  return field.repeats && std::string_view(field.choices).find('=') != std::string_view::npos;
}

const char* type_of(const FieldInfo& field) {
  if (is_of_pairs(field)) return "Union[Sequence[str], Mapping[str, Sequence[float]]]";
  if (field.repeats) return "Union[str, Sequence[str]]";
  switch (field.type) {
    case FieldType::kFlag:
      return "bool";
    case FieldType::kText:
    case FieldType::kChoice:
      return "str";
    case FieldType::kWhole:
      return "int";
    case FieldType::kNumber:
      return "float";
    case FieldType::kFile:
    case FieldType::kFolder:
      return "Path";
    case FieldType::kDirection:
      return "Direction";
    case FieldType::kClip:
      return "Union[str, int]";
  }
  return "";
}

}  // namespace

std::string keyword_of(std::string_view field) {
  const bool kept = py::module_::import("keyword").attr("iskeyword")(text_of(field)).cast<bool>();
  return std::string(field) + (kept ? "_" : "");
}

std::string keyword_words(const std::string& field, const std::string& value) {
  return keyword_of(field) + "=" + (value.empty() ? "" : "'" + value + "'");
}

namespace {

std::string keyword_text(const FieldInfo& field, const py::handle& value) {
  switch (field.type) {
    case FieldType::kFlag:
      if (!py::isinstance<py::bool_>(value)) wrong_type(field, "True or False", value);
      return value.cast<bool>() ? "true" : "false";
    case FieldType::kWhole:
      return whole_text(field, value);
    case FieldType::kNumber:
      return number_text(field, value);
    case FieldType::kDirection:
      return direction_text(field, value);
    case FieldType::kFile:
    case FieldType::kFolder:
      return path_text(field, value);
    case FieldType::kClip:
      // A number counts from 0, as in `asset.clips`.
      if (!py::isinstance<py::str>(value)) return "#" + whole_text(field, value);
      break;
    case FieldType::kText:
    case FieldType::kChoice:
      break;
  }
  if (!py::isinstance<py::str>(value)) wrong_type(field, "a text", value);
  return value.cast<std::string>();
}

/// "seconds: Optional[float] = None".
std::string signature(const ShownField& shown) {
  const FieldInfo& field = shown.field;
  const std::string name = keyword_of(field.name) + ": ", type = type_of(field);
  if (field.type == FieldType::kFlag) return name + type + " = False";
  const bool number = field.type == FieldType::kWhole || field.type == FieldType::kNumber;
  if (number && !shown.usual.empty()) return name + type + " = " + shown.usual;
  const bool empty = field.type == FieldType::kText && !field.repeats;  // a text that says nothing
  if (!number && (empty || !shown.usual.empty())) return name + type + " = '" + shown.usual + "'";
  return name + "Optional[" + type + "] = None";
}

/// A line of a docstring.
std::string help(const FieldInfo& field) {
  const bool says =
      field.type == FieldType::kChoice || field.type == FieldType::kWhole || field.type == FieldType::kNumber;
  return keyword_of(field.name) + ": " + field.help + (says ? " (" + allowed_values(field) + ")" : "") + ".";
}

}  // namespace

std::vector<std::string> keyword_texts(const FieldInfo& field, const py::handle& value) {
  if (value.is_none()) return {};
  if (!field.repeats || py::isinstance<py::str>(value)) return {keyword_text(field, value)};
  std::vector<std::string> texts;
  if (is_of_pairs(field) && py::isinstance<py::dict>(value)) {
    // {"head": (0, 1.2, 0.4)}
    for (const auto& [name, numbers] : value.cast<py::dict>()) {
      std::string text;
      for (const py::handle& number : numbers) text += (text.empty() ? "" : ",") + number_text(field, number);
      texts.push_back(py::str(name).cast<std::string>() + "=" + text);
    }
    return texts;
  }
  const char* wanted = is_of_pairs(field) ? "a dict, or a list of texts" : "a text, or a list of texts";
  if (!py::isinstance<py::sequence>(value)) wrong_type(field, wanted, value);
  for (const py::handle& one : value) {
    std::string text = keyword_text(field, one);
    // A list has its own separators: a comma in one of its texts is none.
    if (!is_of_pairs(field) && text.find(',') != std::string::npos) text += ';';
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string keyword_docstring(const std::string& name, const std::string& first, const std::vector<ShownField>& fields,
                              const std::string& result, const std::string& text) {
  std::string line = name + "(" + first + ", *", lines;
  for (const ShownField& shown : fields) {
    const std::string keyword = keyword_of(shown.field.name);
    lines += "\n" + help(shown.field);
    if (first.find(keyword + ":") == std::string::npos) line += ", " + signature(shown);
  }
  return line + ", progress: Optional[Progress] = None) -> " + result + "\n\n" + text +
         " progress(stage, fraction) may return False to cancel.\n" + lines;
}

}  // namespace limber::python
