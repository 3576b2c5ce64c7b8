// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "limber/base/progress.h"

/// Private to `animate`.
namespace limber::animate {

/// A stage's share of the whole progress.
inline Progress share_of(const Progress& progress, double from, double to) {
  if (!progress) return {};
  return [progress, from, to](std::string_view stage, double fraction) {
    return progress(stage, from + (to - from) * std::clamp(fraction, 0.0, 1.0));
  };
}

/// The same under a name of its own.
inline Progress share_of(const Progress& progress, std::string stage, double from, double to) {
  if (!progress) return {};
  return [share = share_of(progress, from, to), stage = std::move(stage)](std::string_view, double fraction) {
    return share(stage, fraction);
  };
}

}  // namespace limber::animate
