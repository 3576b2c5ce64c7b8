// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/rig/rig.h"
#include "limber/zoo/body_plan.h"
#include "limber/zoo/polygonise.h"

namespace limber::zoo {

/// Radius of the flesh around every joint of the plan.
std::vector<double> girths(const BodyPlan& plan, const ImplicitSurface& surface);

/// Smooth weights over the plan's joints, at most four per point. A point's weight runs down the tree: at each joint,
/// a share goes on to the child as the point passes the joint's cross-section, but only as far as the point lies on
/// that child's flesh, so that nothing bleeds from one leg to the other.
rig::SkinWeights skin_weights(const BodyPlan& plan, const ImplicitSurface& surface, const PolygonMesh& mesh);

/// Per triangle the joint with the largest share.
std::vector<int> face_labels(const rig::SkinWeights& weights, std::span<const std::array<std::uint32_t, 3>> triangles);

}  // namespace limber::zoo
