// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/rig/embed_skeleton.h"

/// Which end of a body is the front. Private to `rig`.
namespace limber::rig {

/// How much speaks against the embedding's idea of forward: 0 where everything agrees.
double facing_cost(const BodyShape& body, const Embedding& embedding);

}  // namespace limber::rig
