// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <cstring>
#include <functional>

#include "convert.h"

namespace limber::python {
namespace {

// --- out -------------------------------------------------------------------------------------------------------------

/// One axis less: what `array[index]` is; a number where there was one axis alone.
py::object element(const Array& array, py::ssize_t index) {
  const py::ssize_t length = array.shape.empty() ? 0 : array.shape[0];
  if (index < 0) index += length;
  if (index < 0 || index >= length) throw py::index_error("index out of range");
  Array part = array;
  part.data += index * array.strides[0];
  part.shape.erase(part.shape.begin()), part.strides.erase(part.strides.begin());
  if (!part.shape.empty()) return py::cast(std::move(part));
  switch (array.format[0]) {
    case 'f': {
      float value = 0;
      std::memcpy(&value, part.data, sizeof value);
      return py::float_(double(value));
    }
    case 'B':
      return py::int_(static_cast<unsigned char>(*part.data));
    default: {
      std::int32_t value = 0;
      std::memcpy(&value, part.data, sizeof value);
      return py::int_(value);
    }
  }
}

std::string shape_text(const std::vector<py::ssize_t>& shape) {
  std::string text;
  for (const py::ssize_t length : shape) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return text;
}

// --- in --------------------------------------------------------------------------------------------------------------

template <class T>
double read_as(const char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return static_cast<double>(value);
}

using ReadNumber = double (*)(const char*);

/// How numbers of a format of the struct module are read; null for those that are not numbers of this machine.
ReadNumber reader_of(std::string format, py::ssize_t size) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) format.erase(0, 1);
  if (format.size() != 1) return nullptr;
  if (format == "f") return read_as<float>;
  if (format == "d") return read_as<double>;
  const bool is_signed = std::strchr("bhilq", format[0]) != nullptr;
  if (!is_signed && std::strchr("BHILQ", format[0]) == nullptr) return nullptr;
  switch (size) {
    case 1:
      return is_signed ? read_as<std::int8_t> : read_as<std::uint8_t>;
    case 2:
      return is_signed ? read_as<std::int16_t> : read_as<std::uint16_t>;
    case 4:
      return is_signed ? read_as<std::int32_t> : read_as<std::uint32_t>;
    default:
      return is_signed ? read_as<std::int64_t> : read_as<std::uint64_t>;
  }
}

Numbers read_buffer(const py::buffer& buffer, const std::string& what) {
  const py::buffer_info info = buffer.request();
  const ReadNumber read = reader_of(info.format, info.itemsize);
  if (read == nullptr) fail("holds no numbers that can be read, but '" + info.format + "'", what);
  Numbers numbers;
  numbers.shape.assign(info.shape.begin(), info.shape.end());
  if (info.size > 0) numbers.values.reserve(static_cast<std::size_t>(info.size));
  const std::function<void(std::size_t, const char*)> walk = [&](std::size_t axis, const char* data) {
    if (axis == numbers.shape.size()) return numbers.values.push_back(read(data));
    for (py::ssize_t i = 0; i < info.shape[axis]; ++i) walk(axis + 1, data + i * info.strides[axis]);
  };
  walk(0, static_cast<const char*>(info.ptr));
  return numbers;
}

Numbers read_sequence(const py::object& given, std::size_t axes, const std::string& what) {
  Numbers numbers;
  numbers.shape.assign(axes, -1);
  const std::function<void(std::size_t, const py::handle&)> walk = [&](std::size_t axis, const py::handle& part) {
    if (axis == axes) return numbers.values.push_back(part.cast<double>());
    py::ssize_t length = 0;
    for (const py::handle inner : part) walk(axis + 1, inner), ++length;
    if (numbers.shape[axis] < 0) numbers.shape[axis] = length;
    if (numbers.shape[axis] != length) fail("has rows of different lengths", what);
  };
  try {
    walk(0, given);
  } catch (const py::cast_error&) {
    fail("should hold numbers", what);
  } catch (py::error_already_set& error) {
    // What cannot be iterated, such as a number where there should be a row.
    if (!error.matches(PyExc_TypeError)) throw;
    fail("should have " + std::to_string(axes) + " axes of numbers", what);
  }
  for (py::ssize_t& length : numbers.shape) length = length < 0 ? 0 : length;
  return numbers;
}

}  // namespace

Numbers read_numbers(const py::object& given, std::size_t axes, const std::string& what) {
  Numbers numbers = PyObject_CheckBuffer(given.ptr()) != 0
                        ? read_buffer(py::reinterpret_borrow<py::buffer>(given), what)
                        : read_sequence(given, axes, what);
  if (numbers.shape.size() != axes) {
    fail("should have " + std::to_string(axes) + " axes, not those of (" + shape_text(numbers.shape) + ")", what);
  }
  return numbers;
}

std::vector<Vec3> read_points(const py::object& given, std::size_t axes, const std::string& what) {
  const Numbers numbers = read_numbers(given, axes, what);
  if (numbers.shape.back() != 3 && numbers.shape[0] != 0) {
    fail("should be rows of three numbers, not (" + shape_text(numbers.shape) + ")", what);
  }
  std::vector<Vec3> points(numbers.values.size() / 3);
  for (std::size_t i = 0; i < 3 * points.size(); ++i) {
    points[i / 3][static_cast<int>(i % 3)] = static_cast<float>(numbers.values[i]);
  }
  return points;
}

void bind_array(py::module_& module) {
  py::class_<Array>(module, "Array", py::buffer_protocol(),
                    "Numbers of limber, seen without a copy: read-only, and kept alive by whoever looks at them.\n\n"
                    "memoryview(array) and numpy.asarray(array) see the same memory.")
      .def_buffer([](Array& a) {
        return py::buffer_info(const_cast<char*>(a.data), a.item_size, a.format,
                               static_cast<py::ssize_t>(a.shape.size()), a.shape, a.strides, true);
      })
      .def_property_readonly(
          "shape", [](const Array& a) { return py::tuple(py::cast(a.shape)); }, "Lengths of the axes.")
      .def_property_readonly(
          "format", [](const Array& a) { return a.format; }, "Of one number, as the struct module writes it.")
      .def_property_readonly(
          "data", [](const py::object& self) { return py::memoryview(self); }, "The numbers as a memoryview.")
      .def(
          "tolist", [](const py::object& self) { return py::memoryview(self).attr("tolist")(); },
          "The numbers as nested lists.")
      .def("__getitem__", element, py::arg("index"))
      .def("__len__", [](const Array& a) { return a.shape.empty() ? 0 : a.shape[0]; })
      .def("__repr__",
           [](const Array& a) { return "limber.Array((" + shape_text(a.shape) + "), '" + a.format + "')"; });
}

}  // namespace limber::python
