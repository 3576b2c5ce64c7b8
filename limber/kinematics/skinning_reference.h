// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/kinematics/skinning.h"

namespace limber::kinematics {

/// `skin_forward` written down as plainly as possible: the yardstick of the fast kernels. For float and double.
template <class T>
void skin_forward_reference(const SkinInputT<T>& input, const SkinOutputT<T>& output);

/// `skin_backward` likewise.
template <class T>
void skin_backward_reference(const SkinInputT<T>& input, const SkinGradientT<T>& gradient,
                             const SkinInputGradientT<T>& result);

}  // namespace limber::kinematics
