// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/base/result.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/physics/ground.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::bench {

/// A walking creature of the zoo, raised by 5 % of its height and slid by 10 % over the clip.
struct BrokenWalk {
  zoo::Creature creature;
  zoo::Performance walk;
  kinematics::Motion motion;
};

/// Zero frames: one cycle.
Result<BrokenWalk> broken_walk(const zoo::CreatureSettings& creature, double fps, int frames);

/// As an independent judge, the zoo, knows where its feet are planted.
metrics::MotionMetrics measure_walk(const BrokenWalk& broken, const kinematics::Motion& motion);

}  // namespace limber::bench
