// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "limber/base/expect.h"

namespace limber {

/// What went wrong, for programs. The sentence in `Error::what` is for people, and no program may depend on it.
enum class ErrorKind {
  kInput,        ///< a file or value is not what it should be
  kUnsupported,  ///< well formed, but nothing here can deal with it
  kMissing,      ///< a file, folder, model or program is not there
  kOutOfMemory,  ///< more memory than there is, or than is allowed
  kCancelled,    ///< a progress callback asked to stop
  kConflict,     ///< two things that were asked for, or found, contradict each other
  kDevice        ///< a GPU or another device failed
};
std::string_view name(ErrorKind kind);  ///< "input", "out of memory"

/// Something outside the program was wrong: a file, a configuration, a device.
struct Error {
  std::string what;   ///< one sentence for a person, without a final dot
  std::string where;  ///< where it is: `fox.glb#/accessors/12`; may be empty
  ErrorKind kind = ErrorKind::kInput;

  /// `where: what`, or `what` alone.
  std::string message() const { return where.empty() ? what : where + ": " + what; }
};

/// What an operation answers whose `Progress` returned false.
inline Error cancelled(std::string where) { return {"cancelled", std::move(where), ErrorKind::kCancelled}; }

/// A value, or the reason why there is none. Asking the wrong one breaks a contract.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return check_value(), *std::get_if<0>(&state_); }
  const T& value() const& { return check_value(), *std::get_if<0>(&state_); }
  T&& value() && { return check_value(), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    LIMBER_EXPECT(!ok(), "a Result that holds a value was asked for its error");
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    LIMBER_EXPECT(!ok(), "a Result that holds a value was asked for its error");
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  void check_value() const { LIMBER_EXPECT(ok(), ok() ? "" : error().message()); }

  std::variant<T, Error> state_;
};

/// The result of an operation that only succeeds or fails: `return Done{};`.
using Done = std::monostate;
using Status = Result<Done>;

}  // namespace limber

/// `LIMBER_TRY(auto mesh, read_mesh(path));` declares `mesh`, or returns the error from the enclosing function.
#define LIMBER_TRY(declaration, expression) \
  LIMBER_TRY_IMPL(LIMBER_CONCAT(limber_result_, __LINE__), declaration, expression)
#define LIMBER_TRY_IMPL(result, declaration, expression) \
  auto result = (expression);                            \
  if (!result.ok()) return std::move(result).error();    \
  declaration = std::move(result).value()

/// `LIMBER_CHECK_OK(write(path));` returns the error from the enclosing function, if there is one.
#define LIMBER_CHECK_OK(expression) LIMBER_CHECK_OK_IMPL(LIMBER_CONCAT(limber_status_, __LINE__), expression)
#define LIMBER_CHECK_OK_IMPL(status, expression) \
  if (auto status = (expression); !status.ok()) return std::move(status).error()

#define LIMBER_CONCAT(a, b) LIMBER_CONCAT_IMPL(a, b)
#define LIMBER_CONCAT_IMPL(a, b) a##b
