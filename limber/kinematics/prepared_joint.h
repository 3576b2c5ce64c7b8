// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/base/math.h"
#include "limber/rig/rig.h"

/// What of a joint no angle changes. Private to `kinematics`.
namespace limber::kinematics {

/// A joint with everything but its angles multiplied out: parent_from_joint = (before E(angles) after, offset).
template <class T>
struct PreparedJoint {
  Mat3T<T> before;      ///< parent_from_frame, rest rotation, axes
  Vec3T<T> offset;      ///< the joint's origin in its parent
  Mat3T<T> axes;        ///< the joint's rest frame from its three axes
  Mat3T<T> after;       ///< transposed axes, scale
  Mat3T<T> from_frame;  ///< linear part of parent_from_frame
};

template <class T>
PreparedJoint<T> prepare(const rig::Joint& joint, Vec3T<T> translation, Vec3T<T> scale) {
  PreparedJoint<T> p;
  const AffineT<T> parent_from_frame = joint.parent_from_frame.cast<T>();
  // Normalised again: a unit quaternion of floats is not quite one in double.
  p.axes = to_matrix(normalized(joint.axes.cast<T>()));
  p.before = parent_from_frame.linear * to_matrix(normalized(joint.rest.rotation.cast<T>())) * p.axes;
  p.offset = parent_from_frame * translation;
  p.after = transposed(p.axes) * Mat3T<T>::diagonal(scale);
  p.from_frame = parent_from_frame.linear;
  return p;
}

}  // namespace limber::kinematics
