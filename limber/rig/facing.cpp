// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/facing.h"

namespace limber::rig {

double facing_cost(const BodyShape& body, const Embedding& embedding) {
  (void)body, (void)embedding;
  return 0;
}

}  // namespace limber::rig
