// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/euler_angles.h"

/// Channels of glTF as curves of FBX, where numbers alone are interpolated: three angles and not a quaternion. Private
/// to the module.
namespace limber::asset {

/// X, Y and Z angles of the rotation Rz Ry Rx, FBX's default order, as near to `last` as can be.
Angles to_xyz(const Mat3d& rotation, const Angles& last = {});

/// The rotation of such angles.
Quatd from_xyz(const Angles& angles);

/// Keys between which every number is interpolated linearly.
struct CurveKeys {
  std::vector<double> times;                ///< seconds, increasing
  std::vector<std::vector<double>> values;  ///< per curve (x, y, z, or a morph weight), per key
};

/// Rotations as they are below `before`: `before * from_xyz(key)` is what the channel has, at its keys exactly and
/// between them to 1e-4 radians (there are more keys where that needs them).
CurveKeys rotation_curves(const Channel& channel, Quatd before);

/// Translations, scales and weights, times `factor`. Splines get as many keys as it takes to follow them to 1e-5 of
/// what they move.
CurveKeys number_curves(const Channel& channel, double factor);

/// The frame rate of which all keys of the clips are whole frames; 30 where there is none.
struct FrameRate {
  std::int32_t mode;  ///< FBX's number for it
  double fps;
};
FrameRate find_frame_rate(std::span<const Clip> clips);

}  // namespace limber::asset
