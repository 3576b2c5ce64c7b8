// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/camera_rule.h"

#include <algorithm>

namespace limber::distill {

CameraRule following_cameras(const scene::Scene& scene, const scene::OrbitSettings& orbit, const CameraJitter& jitter) {
  return [&scene, orbit, jitter](const kinematics::Motion& motion, Rng& rng) {
    const auto about = [&rng](float value, float by) { return value + static_cast<float>(rng.uniform(-1, 1)) * by; };
    scene::OrbitSettings view = orbit;
    const float turned = about(0, jitter.azimuth);
    view.azimuth += turned;
    for (float& azimuth : view.view_azimuth) azimuth += turned;
    // Neither below the ground nor from straight above, where the picture's upright direction is lost.
    view.elevation = std::clamp(about(orbit.elevation, jitter.elevation), 0.02f, 1.4f);
    view.fill = std::clamp(about(orbit.fill, jitter.fill), 0.05f, 1.0f);
    return scene::orbit_cameras(scene.frame_boxes(motion), motion.fps, view);
  };
}

}  // namespace limber::distill
