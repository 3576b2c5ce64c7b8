// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "limber/base/rng.h"
#include "limber/kinematics/motion.h"
#include "limber/scene/scene.h"

namespace limber::distill {

/// Cameras for a motion at one iteration, views x frames, all of one size: they follow the body. Whatever is random
/// comes from the generator, which is a function of the run's seed and the iteration.
using CameraRule = std::function<std::vector<scene::Camera>(const kinematics::Motion& motion, Rng& rng)>;

/// How far the view changes from iteration to iteration, each uniform to both sides.
struct CameraJitter {
  float azimuth = 0.15f;    ///< radians; pi: from anywhere
  float elevation = 0.08f;  ///< radians
  float fill = 0.05f;       ///< of the image that the body takes
};

/// Cameras that circle the scene's body and go along with it (AKD section 4.2). `scene` must outlive the rule.
CameraRule following_cameras(const scene::Scene& scene, const scene::OrbitSettings& orbit,
                             const CameraJitter& jitter = {});

}  // namespace limber::distill
