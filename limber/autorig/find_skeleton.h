// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/autorig/attitude.h"
#include "limber/autorig/auto_rig.h"
#include "limber/body/body_shape.h"
#include "limber/skeleton/embed.h"

/// The skeleton of a body, from whatever it is to be made. Private to `autorig`.
namespace limber::autorig {

struct FoundSkeleton {
  skeleton::SkeletonPlan plan;   ///< in the body's space
  std::vector<int> parts;        ///< from part labels: the joint of every welded point
  double facing_confidence = 0;  ///< see rig::Facing
  std::string facing_reason;
};

/// Settings that cannot be met together, or not at all.
Status check_settings(const AutoRigSettings& settings);

/// `body` is in its attitude: along +Y where `settings.up` is set. `embed` holds the forward and the pins of `settings`
/// in its space. Reads the body, if there is a reader, and cuts its graph where the reading sees parts that only touch.
Result<FoundSkeleton> find_skeleton(body::BodyShape& body, const AutoRigSettings& settings,
                                    skeleton::EmbedSettings embed, const Attitude& attitude, AutoRigReport& report);

/// The same from part labels, one for each of so many triangles.
Result<FoundSkeleton> skeleton_from_parts(const body::BodyShape& body, const skeleton::PartLabels& labels,
                                          std::size_t triangle_count, const skeleton::EmbedSettings& embed,
                                          const Attitude& attitude, AutoRigReport& report);

}  // namespace limber::autorig
