// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_plan.h"
namespace limber::zoo {
BodyPlan plan_bird(Rng rng) { return plan_quadruped(rng); }
BodyPlan plan_theropod(Rng rng) { return plan_quadruped(rng); }
}  // namespace limber::zoo
