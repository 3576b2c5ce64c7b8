// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/changed_rig.h"

#include <cmath>
#include <utility>

namespace limber::rig {

RigDraft draft_of(const Rig& rig) {
  return {{rig.joints().begin(), rig.joints().end()},
          {rig.bones().begin(), rig.bones().end()},
          {rig.limbs().begin(), rig.limbs().end()}};
}

Result<Rig> changed_rig(const Rig& rig, const Affine& change) {
  RigDraft draft = draft_of(rig);
  draft.joints[0].parent_from_frame = change * draft.joints[0].parent_from_frame;
  return build_rig(std::move(draft));
}

Result<Subject> moved_subject(const Subject& subject, const WorldChange& change) {
  // Zeros without a sign, so that what is moved there and back has the bits that it had.
  const auto turned = [&](Vec3 v) { return change.turn * v + Vec3{}; };
  const auto moved = [&](Vec3 v) { return change.scale * turned(v) + change.shift; };
  RigDraft draft = draft_of(subject.rig);
  for (Joint& joint : draft.joints) {
    Affine& frame = joint.parent_from_frame;
    joint.rest.translation = change.scale * joint.rest.translation;
    frame.translation = joint.parent < 0 ? moved(frame.translation) : change.scale * frame.translation;
    if (joint.parent < 0) frame.linear = change.turn * frame.linear;
  }
  // In joint' = scale * joint: L (turn^T (x - shift) / scale) + t, scaled.
  for (Bone& bone : draft.bones) {
    Affine& frame = bone.joint_from_bind;
    frame.linear = frame.linear * transposed(change.turn);
    frame.translation = change.scale * frame.translation - frame.linear * change.shift;
  }
  Subject result = subject;
  LIMBER_TRY(result.rig, build_rig(std::move(draft)));
  for (Vec3& point : result.points) point = moved(point);
  for (Vec3& normal : result.normals) normal = turned(normal);
  result.facing.up = turned(subject.facing.up), result.facing.forward = turned(subject.facing.forward);
  return result;
}

bool turns_alike(const Joint& a, const Joint& b) {
  const auto alike = [](const Quat& p, const Quat& q) { return std::abs(dot(p, q)) > 1 - 1e-5f; };
  return alike(a.rest.rotation, b.rest.rotation) && alike(a.axes, b.axes);
}

}  // namespace limber::rig
