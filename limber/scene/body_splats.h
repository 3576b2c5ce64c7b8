// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/asset/asset.h"
#include "limber/rig/subject.h"
#include "limber/scene/body.h"
#include "limber/scene/parts.h"
#include "limber/scene/refine.h"
#include "limber/splat/gaussians.h"
#include "limber/splat/surface.h"

/// Bodies as Gaussians: skinned ones for a Scene, and faithful ones to keep.
namespace limber::scene {

/// Gaussians on a subject's surface, in bind space and with its skin: ready for a Scene. Colours come from the
/// materials, vertex colours and textures of `asset`, whose primitives the subject's ranges name; grey without one.
splat::Gaussians subject_gaussians(const rig::Subject& subject, const asset::Asset* asset = nullptr,
                                   const splat::SampleSettings& settings = {});

/// Paints Gaussians by the part that moves them most; nothing else changes, so they stay where they are.
void paint_parts(splat::Gaussians& gaussians, const rig::Rig& rig, const Parts& parts);

/// How `body_gaussians` covers surfaces: narrower Gaussians than a coarse cloud needs.
splat::SampleSettings fine_sampling(std::size_t count, std::uint64_t seed = 0);

/// Gaussians on all that is shown of a body as it stands in `pose`, in the subject's world, textures averaged over
/// each; `inset` below the surface. With the skin of the subject where there is one: geometry that it does not move
/// follows bone 0.
splat::Gaussians body_gaussians(const Body& body, const BodyPose& pose, const splat::SampleSettings& settings,
                                float inset = 0);

/// How far Gaussians should lie below the surface for silhouettes to stay where they are in pictures of that many
/// pixels: blending widens them by about a pixel.
float silhouette_inset(const Box& box, int size);

/// Skinned Gaussians in bind space from Gaussians of the rest pose: for a Scene from what `body_gaussians` made and
/// `refine` improved. Those whose bones flatten space at rest stay as they are.
void move_to_bind_space(splat::Gaussians& gaussians, const rig::Rig& rig);

/// Draws a body for `refine` by the mesh rasterizer: its own colours, or lit as in layers.h. Both must outlive it.
ViewRenderer body_renderer(const Body& body, const BodyPose& pose, bool lit = false);

}  // namespace limber::scene
