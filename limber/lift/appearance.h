// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/base/frames.h"
#include "limber/kinematics/motion.h"
#include "limber/lift/surface_view.h"
#include "limber/scene/scene.h"

/// A body's Gaussians in the colours that a video shows it in.
namespace limber::lift {

/// The colour, a corner of the colour cube, that is farthest from what a mask shows: behind a cut-out subject, it makes
/// every outline clear. `masks` are 0 to 1, frames x pixels of the one view.
Vec3 contrasting_color(const Frames& video, std::span<const float> masks);

/// The video with everything outside the masks painted in one colour.
Frames cut_out(const Frames& video, std::span<const float> masks, Vec3 background);

/// Moves Gaussians of a subject inwards, by the normals of the nearest points of its skin, so that what they draw is no
/// wider than the mesh: each is blurred beyond the surface it stands for. The distance is the one at which the
/// silhouettes agree best, seen by `camera` at rest; returns it, in heights.
float inset_gaussians(splat::Gaussians& gaussians, SurfaceViewer& viewer, const scene::Camera& camera);

/// Darkens what faces down: light mostly comes from above, and videos show bodies lit.
void light_from_above(splat::Gaussians& gaussians, const rig::Subject& subject);

struct ColorMatch {
  double correlation = 0;   ///< of the model's colours and the picture's, where both show the body
  bool from_video = false;  ///< the model's colours were no use: taken from the picture
};

/// Correlation of a scene's colours and a picture's where both show the body, each channel less its mean; 0 where
/// either is plain. The arguments are those of `match_colors`.
double color_correlation(scene::Scene& scene, SurfaceViewer& viewer, const scene::Camera& camera,
                         const kinematics::Pose& pose, const Frames& picture, int frame, std::span<const float> mask);

/// Changes the colours of a scene's Gaussians to those of `picture` (one view; frame `frame`), in which the body stands
/// as `pose` and the camera see it. Where the model's own colours agree with the picture but for light, a gain and a
/// bias per channel are enough; else Gaussians that are seen take the colours they cover, and others their mean.
ColorMatch match_colors(scene::Scene& scene, SurfaceViewer& viewer, const scene::Camera& camera,
                        const kinematics::Pose& pose, const Frames& picture, int frame, std::span<const float> mask);

}  // namespace limber::lift
