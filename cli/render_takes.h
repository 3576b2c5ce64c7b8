// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/pose.h"
#include "limber/base/result.h"
#include "limber/scene/body.h"
#include "limber/scene/layers.h"
#include "render_plan.h"

/// Which moments `limber render` draws, and from where.
namespace limber::cli {

/// One clip, or the rest pose.
struct Take {
  int clip = -1;
  std::string name;  ///< in files' names; no other take has it
  std::vector<double> times;
  std::vector<scene::Camera> cameras;  ///< views x frames
  int views = 1;
};

/// A take for every clip of the plan. Writes the cameras where the options want them.
Result<std::vector<Take>> make_takes(const asset::Asset& asset, const scene::Body& body, const RenderOptions& options,
                                     const RenderPlan& plan);

/// How the asset stands at a time of a clip; -1: at rest.
asset::NodeState state_at(const asset::Asset& asset, int clip, double time);

}  // namespace limber::cli
