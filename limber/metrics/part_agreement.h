// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace limber::metrics {

/// How well parts agree with true ones. Labels are names without meaning: only who shares a label counts.
struct PartAgreement {
  double miou = 0;      ///< mean over true parts of the best intersection over union with any found part
  double ari = 0;       ///< adjusted Rand index (Hubert and Arabie 1985): 1 alike, 0 as by chance
  double f1 = 0;        ///< mean over true parts of the best F1 with any found part
  double accuracy = 0;  ///< mean over true parts of the share that its best found part covers (mAcc); each found part
                        ///< is the best of one true part only, of that with which it shares most
  int true_parts = 0, found_parts = 0;
};

/// One label per pixel or triangle. Negative true labels are no body and do not count; a negative found label is one
/// found part more. `weights`, areas say, count all alike where they are empty. True parts below `least_share` of the
/// whole do not count in the means.
PartAgreement part_agreement(std::span<const int> found, std::span<const int> truth,
                             std::span<const double> weights = {}, double least_share = 0.005);

}  // namespace limber::metrics
