// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/kinematics/forward.h"

#include <string>

#include "limber/base/expect.h"

namespace limber::kinematics {

template <class T>
void joints_forward(const rig::Rig& rig, const FrameT<T>& frame, std::span<AffineT<T>> world_from_joint) {
  const std::span<const rig::Joint> joints = rig.joints();
  LIMBER_EXPECT(frame.angles.size() == joints.size() && world_from_joint.size() == joints.size(),
                std::to_string(frame.angles.size()) + " angles, " + std::to_string(world_from_joint.size()) +
                    " outputs, " + std::to_string(joints.size()) + " joints");
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const rig::Joint& joint = joints[j];
    const Mat3T<T> axes = to_matrix(joint.axes.cast<T>());
    const Vec3T<T> scale = frame.scales.empty() ? joint.rest.scale.cast<T>() : frame.scales[j];
    AffineT<T> local;
    local.linear = to_matrix(joint.rest.rotation.cast<T>()) *
                   (axes * euler_matrix(frame.angles[j]) * transposed(axes)) * Mat3T<T>::diagonal(scale);
    local.translation = frame.translations.empty() ? joint.rest.translation.cast<T>() : frame.translations[j];
    local = joint.parent_from_frame.cast<T>() * local;
    if (joint.parent < 0) local.translation += frame.root_translation;
    world_from_joint[j] = joint.parent < 0 ? local : world_from_joint[static_cast<std::size_t>(joint.parent)] * local;
  }
}
template void joints_forward(const rig::Rig&, const FrameT<float>&, std::span<Affine>);
template void joints_forward(const rig::Rig&, const FrameT<double>&, std::span<Affined>);

template <class T>
void bones_forward(const rig::Rig& rig, std::span<const AffineT<T>> world_from_joint,
                   std::span<AffineT<T>> posed_from_bind) {
  const std::span<const rig::Bone> bones = rig.bones();
  LIMBER_EXPECT(posed_from_bind.size() == bones.size(),
                std::to_string(posed_from_bind.size()) + " outputs, " + std::to_string(bones.size()) + " bones");
  for (std::size_t b = 0; b < bones.size(); ++b) {
    posed_from_bind[b] =
        world_from_joint[static_cast<std::size_t>(bones[b].joint)] * bones[b].joint_from_bind.cast<T>();
  }
}
template void bones_forward(const rig::Rig&, std::span<const Affine>, std::span<Affine>);
template void bones_forward(const rig::Rig&, std::span<const Affined>, std::span<Affined>);

}  // namespace limber::kinematics
