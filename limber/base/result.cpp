// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/result.h"

namespace limber {

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInput:
      return "input";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kMissing:
      return "missing";
    case ErrorKind::kOutOfMemory:
      return "out of memory";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kDevice:
      return "device";
  }
  return "";
}

}  // namespace limber
