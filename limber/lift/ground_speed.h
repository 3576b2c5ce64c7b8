// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/frames.h"
#include "limber/scene/course.h"
#include "limber/scene/ground.h"
#include "limber/scene/scene.h"

/// How fast the ground goes by in a video whose cameras go along with the body, and how far below it is.
namespace limber::lift {

/// Which courses are looked at.
struct GroundSearch {
  Vec3 start;                       ///< the middle of the body where it stands: its height, and about its place
  Vec3 forward{0, 0, 1};            ///< unit, on the ground
  double slowest = 0, fastest = 0;  ///< per frame
  double highest = 0;               ///< how far above `start` it may keep; 0: it is on the ground
};

struct GroundSpeed {
  scene::Course course;
  double error = 0;        ///< mean squared error of the ground's pixels there
  double still_error = 0;  ///< the same at the best place without any speed
  double contrast = 0;     ///< variance that the squares have in the pixels compared: what there was to see
};

/// The course whose checkerboard agrees best with the grey pixels of the video. Where the squares lie under the body at
/// first is found, too, and how high it keeps, if that may be: squares look smaller from above, and the height counts
/// where it explains the pictures clearly better than standing does. Where `scene` is given and draws on a GPU, courses
/// are compared there; it knows what that fails at.
GroundSpeed find_ground_speed(const Frames& video, const scene::CourseCameras& cameras,
                              const scene::GroundSettings& ground, const GroundSearch& search,
                              scene::Scene* scene = nullptr);

}  // namespace limber::lift
