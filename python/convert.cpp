// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "convert.h"

#include "array.h"
#include "limber/base/expect.h"
#include "limber/rig/facing.h"

namespace limber::python {

py::str text_of(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::list texts_of(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(text_of(text));
  return list;
}

py::object parse_json(std::string_view text) { return py::module_::import("json").attr("loads")(text_of(text)); }

std::optional<Vec3> read_direction(const py::object& given, const char* what) {
  if (given.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(given)) {
    const auto text = given.cast<std::string>();
    const std::optional<Vec3> direction = rig::parse_direction(text);
    if (!direction) fail("should be '+x', '-Z' ... or three numbers, not '" + text + "'", what);
    return direction;
  }
  const std::vector<double> v = read_numbers(given, 1, what).values;
  if (v.size() != 3) fail("should be three numbers", what);
  const Vec3 direction = Vec3d{v[0], v[1], v[2]}.cast<float>();
  if (!is_finite(direction) || !(norm(direction) > 0)) fail("has no direction", what);
  return direction;
}

void bind_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const Error& error = failure.error();
      const py::object type = py::module_::import("limber.errors").attr("of_kind")(text_of(name(error.kind)));
      const py::object raised = type(text_of(error.what), text_of(error.where));
      PyErr_SetObject(type.ptr(), raised.ptr());
    } catch (const ContractError& broken) {
      PyErr_SetString(PyExc_ValueError, broken.what());
    }
  });
}

}  // namespace limber::python
