// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/frames.h"
#include "limber/scene/course.h"
#include "limber/scene/ground.h"
#include "limber/scene/scene.h"

/// How fast the ground goes by in a video whose cameras go along with the body.
namespace limber::lift {

struct GroundSpeed {
  scene::Course course;
  double error = 0;        ///< mean squared error of the ground's pixels there
  double still_error = 0;  ///< the same at the best place without any speed
  double contrast = 0;     ///< variance that the squares have in the pixels compared: what there was to see
};

/// The course along `forward` (unit, on the ground) between `slowest` and `fastest` per frame whose checkerboard agrees
/// best with the grey pixels of the video. Where the squares lie under the body at first is found, too. `start` tells
/// the middle's height and place. Where `scene` is given and draws on a GPU, courses are compared there; it knows what
/// that fails at.
GroundSpeed find_ground_speed(const Frames& video, const scene::CourseCameras& cameras,
                              const scene::GroundSettings& ground, Vec3 start, Vec3 forward, double slowest,
                              double fastest, scene::Scene* scene = nullptr);

}  // namespace limber::lift
