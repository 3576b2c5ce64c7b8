// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/prior/video_prior.h"

namespace limber::prior {

/// From here on `load_prior` also loads what needs LibTorch: CogVideoX, Wan, and the built-in prior on a GPU. For
/// programs that link limber::prior_torch, once, at their start.
void use_torch_priors();

}  // namespace limber::prior
