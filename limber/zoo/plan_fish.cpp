// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/body_plan.h"
namespace limber::zoo {
BodyPlan plan_fish(Rng rng) { return plan_quadruped(rng); }
BodyPlan plan_snake(Rng rng) { return plan_quadruped(rng); }
}  // namespace limber::zoo
