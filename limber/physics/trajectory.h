// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/physics/model.h"

/// Positions of a model over time, at a steady rate: frames x position_count in one array. Private to `physics`.
namespace limber::physics {

/// Row `index` of an array of rows.
template <class T>
std::span<T> row(std::span<T> rows, int index, std::size_t width) {
  return rows.subspan(static_cast<std::size_t>(index) * width, width);
}
template <class T>
std::span<const T> row(const std::vector<T>& rows, int index, std::size_t width) {
  return row(std::span<const T>(rows), index, width);
}
template <class T>
std::span<T> row(std::vector<T>& rows, int index, std::size_t width) {
  return row(std::span<T>(rows), index, width);
}

/// World positions of all contact points of the model in every frame, frames x points, metres.
std::vector<Vec3d> contact_points(const Model& model, std::span<const double> positions);

/// Rows of the given width, evened out in time: a Gaussian of `sigma` frames, around the corner for loops.
std::vector<double> evened(const std::vector<double>& rows, std::size_t width, double sigma, bool loops);

/// Velocities and accelerations by central differences; frames x velocity_count.
struct Derivatives {
  std::vector<double> velocities, accelerations;
};
Derivatives differentiate(const Model& model, std::span<const double> positions, double fps);

/// The positions `steps` times as often, from the first frame to the last: cubic between frames, with `velocities` at
/// them. ((frames - 1) * steps + 1) x position_count.
std::vector<double> subdivide(const Model& model, std::span<const double> positions, std::span<const double> velocities,
                              double fps, int steps);

}  // namespace limber::physics
