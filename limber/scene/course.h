// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "limber/base/math.h"
#include "limber/scene/cameras.h"

namespace limber::scene {

/// Where cameras are when the body goes straight on at a steady pace.
struct Course {
  Vec3 middle;    ///< of the body, half-way through the clip
  Vec3 velocity;  ///< per frame
};
/// Cameras, views x frames, along a course.
using CourseCameras = std::function<std::vector<Camera>(const Course& course)>;

}  // namespace limber::scene
