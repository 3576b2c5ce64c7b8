// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// From now on what child processes reach counts, too: their memory is a copy, but for libFuzzer's counters of edges,
/// which are shared. Without this whatever is decoded in a child is fuzzed blindly.
void share_coverage_with_children();

}  // namespace limber
