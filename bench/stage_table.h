// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/motion_measures.h"

namespace limber::bench {

/// Which bodies count together; those of `kTaught` networks were taught with, so that floors and ceilings alone are
/// measured on them.
enum class Group { kTested, kTemplateSeen, kTaught };

/// One motion of one body against one take, as one row sees it.
struct Entry {
  std::string row, path, kind;
  Group group = Group::kTested;
  std::string asked;  ///< the action and the take: what the best of several seeds is looked for in
  Measured measured;
};

/// What rows are called: floors and the ceiling, by which measures are judged. What a judge believes has no need of
/// another take: the artist's own clip (`kResampled`) is the most that it can believe.
inline constexpr const char *kStill = "a still body", *kAnotherAction = "another action",
                            *kAnotherTake = "another take", *kResampled = "truth resampled";

/// Two ways to a motion that are compared body by body.
struct Comparison {
  std::string row, than;
};

/// Adds the tables: for the tested bodies and for each kind of them all rows in order, those named in `best_of` by
/// their best seed as well; comparisons by kind; and how far apart floors and ceiling are, in standard errors by
/// bodies, with what follows from that. A measure separates where another take is nearer than both floors by
/// `kApart` standard errors, of bodies that have such takes.
void add_stage_tables(const std::vector<Entry>& entries, const std::vector<std::string>& rows,
                      const std::vector<std::string>& best_of, const std::vector<Comparison>& comparisons,
                      Report& report);

inline constexpr double kApart = 4;   ///< standard errors between floor and ceiling, at least
inline constexpr double kBetter = 2;  ///< standard errors by which one way has to be better to be called so

}  // namespace limber::bench
