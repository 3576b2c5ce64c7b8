// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/anatomy/body_reading.h"
#include "limber/asset/asset.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/base/warning.h"

/// What is odd about a model, and which field of which command helps.
namespace limber::doctor {

enum class Severity {
  kNote,     ///< worth knowing; most models that have it turn out well
  kWarning,  ///< results suffer, or rest on a guess
  kError     ///< limber cannot work with it
};
std::string_view name(Severity severity);  ///< "warning"

struct Finding {
  Severity severity = Severity::kNote;
  std::string topic;  ///< one of a fixed set, for programs: "scale", "front", "weights" ...
  Warning warning;    ///< with the fields that help: `what_of` and `help_of` put it in words
  std::string where;  ///< nodes, joints or clips by name; empty for the whole model
};

struct ExamineSettings {
  anatomy::ReadBody reader;  ///< tells kind and front of bodies without a skeleton; empty: by shape alone
};

/// Looks at the file's numbers, its surface, its skeleton and weights, how it stands, what it is, and its clips.
/// Findings in that order; none for a model with which nothing is odd. Fails only when cancelled.
Result<std::vector<Finding>> examine(const asset::Asset& asset, const ExamineSettings& settings = {},
                                     const Progress& progress = {});

}  // namespace limber::doctor
