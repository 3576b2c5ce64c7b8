// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "limber/base/math.h"

/// Numbers that cross between Python and limber: out as views of limber's own memory, in from whatever speaks the
/// buffer protocol. NumPy's C interface is not used, so that one module fits every version of NumPy, or none.
namespace limber::python {

namespace py = pybind11;

/// Numbers of limber seen from Python: read-only, without a copy, kept alive by whoever looks at them.
struct Array {
  std::shared_ptr<const void> owner;
  const char* data = nullptr;
  std::string format;  ///< of the struct module: "f", "i", "B"
  py::ssize_t item_size = 0;
  std::vector<py::ssize_t> shape, strides;  ///< strides in bytes
};

/// `data` of the given shape, row by row. Rows may be `stride` bytes apart, as fields of structs are; 0: right behind
/// each other.
template <class T>
Array view_of(std::shared_ptr<const void> owner, const T* data, std::vector<py::ssize_t> shape,
              py::ssize_t stride = 0) {
  Array array{std::move(owner),
              reinterpret_cast<const char*>(data),
              py::format_descriptor<T>::format(),
              static_cast<py::ssize_t>(sizeof(T)),
              std::move(shape),
              {}};
  array.strides.resize(array.shape.size());
  py::ssize_t step = array.item_size;
  for (std::size_t i = array.shape.size(); i-- > 0;) {
    array.strides[i] = step;
    step *= array.shape[i];
  }
  if (stride > 0) array.strides[0] = stride;
  return array;
}

/// Numbers that were made for this array alone.
template <class T>
Array array_of(std::vector<T> values, std::vector<py::ssize_t> shape) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  const T* data = owner->data();
  return view_of(std::move(owner), data, std::move(shape));
}

/// Points as rows of three.
inline Array rows_of(std::shared_ptr<const void> owner, const std::vector<Vec3>& points) {
  return view_of(std::move(owner), points.empty() ? nullptr : &points[0].x,
                 {static_cast<py::ssize_t>(points.size()), 3});
}

/// Numbers out of Python, row by row, with the lengths of their axes.
struct Numbers {
  std::vector<double> values;
  std::vector<py::ssize_t> shape;
};

/// Of a buffer (NumPy's arrays, `array`, memoryview) or of nested sequences, with so many axes. Anything else is an
/// error of kind `kInput` that names `what`.
Numbers read_numbers(const py::object& given, std::size_t axes, const std::string& what);

/// The same as points: the last axis is three long.
std::vector<Vec3> read_points(const py::object& given, std::size_t axes, const std::string& what);

void bind_array(py::module_& module);

}  // namespace limber::python
