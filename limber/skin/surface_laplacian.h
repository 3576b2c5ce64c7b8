// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <span>

#include "limber/base/math.h"
#include "limber/body/weld.h"

/// Private to `skin`.
namespace limber::skin {

/// The cotangent stiffness matrix of a surface, symmetric and positive semi-definite: entry (i, j) is
/// -(cot a + cot b) / 2 over the triangles at that edge, however many there are, and rows sum to zero. Cotangents are
/// clamped to [-20, 20] and edges to non-negative weights, so that solutions of the heat equation stay between their
/// bounds on any surface.
Eigen::SparseMatrix<double> surface_stiffness(std::span<const Vec3d> points, std::span<const body::Triangle> triangles);

}  // namespace limber::skin
