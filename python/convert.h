// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/base/math.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"

/// Errors, words and long calls between Python and limber.
namespace limber::python {

namespace py = pybind11;

/// An error of the library on its way to Python, where it is the `limber.Error` of its kind.
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

[[noreturn]] inline void fail(std::string what, std::string where) {
  throw Failure(Error{std::move(what), std::move(where), ErrorKind::kInput});
}

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw Failure(std::move(result).error());
  return std::move(result).value();
}

/// Words of files, which need not be UTF-8.
py::str text_of(std::string_view text);
py::list texts_of(const std::vector<std::string>& texts);

/// JSON as dicts and lists.
py::object parse_json(std::string_view text);

/// "+z", "-X" or three numbers; none for None. `what` names the argument in errors.
std::optional<Vec3> read_direction(const py::object& given, const char* what);

/// The named value of an enumeration, by the library's own `find(name)`.
template <class Find>
auto read_name(const std::string& name, const char* what, const Find& find) {
  const auto found = find(name);
  if (!found) fail("is nothing that is known: '" + name + "'", what);
  return *found;
}

/// Runs `work(progress)`, which returns a Result, while other Python threads run. The callback is called as
/// callback(stage, fraction); where it returns False or raises, the work is cancelled, and what it raised goes on from
/// here. Ctrl-C counts as raised, with or without a callback.
template <class Work>
auto run_long(const py::object& callback, const Work& work) {
  std::exception_ptr raised;
  const Progress progress = [&](std::string_view stage, double fraction) {
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      return callback.is_none() || !callback(text_of(stage), fraction).is(py::handle(Py_False));
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
  };
  auto result = [&] {
    const py::gil_scoped_release released;
    return work(progress);
  }();
  if (raised) std::rethrow_exception(raised);
  return value_of(std::move(result));
}

/// The same for work that is short, or cannot be stopped.
template <class Work>
auto run_released(const Work& work) {
  auto result = [&] {
    const py::gil_scoped_release released;
    return work();
  }();
  return value_of(std::move(result));
}

void bind_errors();

}  // namespace limber::python
