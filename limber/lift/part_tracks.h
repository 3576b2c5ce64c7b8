// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/frames.h"
#include "limber/lift/surface_tracks.h"
#include "limber/rig/subject.h"
#include "limber/scene/cameras.h"
#include "limber/scene/parts.h"

namespace limber::lift {

/// A view of a sketch, and of the body at rest as the same camera sees it.
struct PartSight {
  const rig::Subject& subject;
  const scene::Parts& parts;
  const Frames& rest;   ///< one frame
  const Frames& video;  ///< of the same size
  int view = 0;         ///< in both
  scene::Camera camera;
};

/// Points of the body that the colours show: the middle of each part, and where it meets the part that it hangs on and
/// those that hang on it, each following the joint that leads the part. Frame 0 is the body at rest, frame i + 1 frame
/// i of the video. Pixels are moved so that at rest they are where the points truly project to: what is seen of a part
/// is not its middle. Confidence is the share of the picture that shows it.
SurfaceTracks track_parts(const PartSight& sight);

/// Per pixel of an image the part whose colour it shows, -1 for ground and sky.
std::vector<int> label_parts(const Frames& frames, int view, int frame, const scene::Parts& parts);

}  // namespace limber::lift
