// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <utility>

#include "convert.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "objects.h"

namespace limber::python {
namespace {

py::ssize_t signed_of(std::size_t size) { return static_cast<py::ssize_t>(size); }

// --- rigs ------------------------------------------------------------------------------------------------------------

/// A field of every joint, where the rig keeps it.
template <class T>
Array joint_field(const RigObject& self, const T* first, std::vector<py::ssize_t> shape) {
  shape.insert(shape.begin(), self.subject->rig.joint_count());
  return view_of(self.subject, first, std::move(shape), static_cast<py::ssize_t>(sizeof(rig::Joint)));
}

const rig::Joint& first_joint(const RigObject& self) { return self.subject->rig.joints()[0]; }

/// Affine transforms as matrices of 4 x 4 that act on columns.
Array matrices_of(std::span<const Affine> transforms, std::vector<py::ssize_t> shape) {
  std::vector<float> numbers;
  numbers.reserve(16 * transforms.size());
  for (const Affine& transform : transforms) {
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) numbers.push_back(transform.linear(row, column));
      numbers.push_back(transform.translation[row]);
    }
    numbers.insert(numbers.end(), {0, 0, 0, 1});
  }
  shape.insert(shape.end(), {4, 4});
  return array_of(std::move(numbers), std::move(shape));
}

py::list joint_names(const rig::Rig& rig) {
  py::list names;
  for (const rig::Joint& joint : rig.joints()) names.append(text_of(joint.name));
  return names;
}

/// Which joint every influence belongs to: limber counts bones, of which a joint may have several.
Array skin_joints(const RigObject& self) {
  const rig::SkinWeights& weights = self.subject->weights;
  std::vector<std::int32_t> joints;
  joints.reserve(weights.bones.size());
  for (const std::uint16_t bone : weights.bones) joints.push_back(self.subject->rig.bones()[bone].joint);
  return array_of(std::move(joints), {signed_of(weights.points()), weights.stride});
}

Array skin_weights(const RigObject& self) {
  const rig::SkinWeights& weights = self.subject->weights;
  return view_of(self.subject, weights.weights.data(), {signed_of(weights.points()), weights.stride});
}

Array rig_faces(const RigObject& self) {
  const auto& triangles = self.subject->triangles;
  const auto* first = triangles.empty() ? nullptr : triangles[0].data();
  return view_of(self.subject, reinterpret_cast<const std::int32_t*>(first), {signed_of(triangles.size()), 3});
}

void bind_rig(py::module_& module) {  // table: one line per attribute
  py::class_<RigObject>(module, "Rig", "The skeleton of an asset and the skin on it, in heights of the body.")
      .def_property_readonly(
          "names", [](const RigObject& r) { return joint_names(r.subject->rig); }, "Of the joints.")
      .def_property_readonly(
          "parents", [](const RigObject& r) { return joint_field(r, &first_joint(r).parent, {}); },
          "(joints,) int: parents come before their children; -1 for the root, joint 0.")
      .def_property_readonly(
          "rest_translations",
          [](const RigObject& r) { return joint_field(r, &first_joint(r).rest.translation.x, {3}); },
          "(joints, 3) float: of each joint in its frame.")
      .def_property_readonly(
          "rest_rotations", [](const RigObject& r) { return joint_field(r, &first_joint(r).rest.rotation.x, {4}); },
          "(joints, 4) float: quaternions (x, y, z, w), of each joint in its frame.")
      .def_property_readonly(
          "axes", [](const RigObject& r) { return joint_field(r, &first_joint(r).axes.x, {4}); },
          "(joints, 4) float: quaternions whose columns are the axes that the three angles turn about.")
      .def_property_readonly(
          "lower", [](const RigObject& r) { return joint_field(r, &first_joint(r).limits.lower.x, {3}); },
          "(joints, 3) float: least angles, radians.")
      .def_property_readonly(
          "upper", [](const RigObject& r) { return joint_field(r, &first_joint(r).limits.upper.x, {3}); },
          "(joints, 3) float: largest angles, radians.")
      .def_property_readonly(
          "world_from_rest",
          [](const RigObject& r) {
            return matrices_of(r.subject->rig.world_from_rest(), {r.subject->rig.joint_count()});
          },
          "(joints, 4, 4) float: matrices that act on columns.")
      .def_property_readonly(
          "points", [](const RigObject& r) { return rows_of(r.subject, r.subject->points); },
          "(n, 3) float: the skin as it is bound.")
      .def_property_readonly("faces", rig_faces, "(m, 3) int: its triangles.")
      .def_property_readonly("skin_joints", skin_joints, "(n, k) int: the joints that move each point, heaviest first.")
      .def_property_readonly("skin_weights", skin_weights, "(n, k) float: their shares; every row sums to one.")
      .def_property_readonly(
          "asset_scale", [](const RigObject& r) { return r.subject->asset_scale; },
          "A height, in the asset's unit: asset = asset_scale * rig + asset_offset.")
      .def_property_readonly(
          "asset_offset",
          [](const RigObject& r) {
            const Vec3 offset = r.subject->asset_offset;
            return py::make_tuple(offset.x, offset.y, offset.z);
          },
          "In the asset's unit.")
      .def("__len__", [](const RigObject& r) { return r.subject->rig.joint_count(); })
      .def("__repr__", [](const RigObject& r) {
        return "limber.Rig(" + std::to_string(r.subject->rig.joint_count()) + " joints)";
      });
}

// --- motions ---------------------------------------------------------------------------------------------------------

MotionObject make_motion(const RigObject& rig, const py::object& joint_angles, const py::object& root_translations,
                         double fps, bool loops) {
  const int joints = rig.subject->rig.joint_count();
  const Numbers shape = read_numbers(joint_angles, 3, "joint_angles");
  if (shape.shape[0] < 1 || shape.shape[1] != joints) {
    fail("should be (frames, " + std::to_string(joints) + ", 3)", "joint_angles");
  }
  if (!(fps > 0 && fps <= 1000)) fail("should be above 0, at most 1000", "fps");
  const int frames = static_cast<int>(shape.shape[0]);
  kinematics::Motion motion = kinematics::rest_motion(rig.subject->rig, frames, fps);
  motion.loops = loops;
  motion.angles = read_points(joint_angles, 3, "joint_angles");
  if (!root_translations.is_none()) motion.root_translations = read_points(root_translations, 2, "root_translations");
  if (motion.root_translations.size() != static_cast<std::size_t>(frames)) {
    fail("should be (" + std::to_string(frames) + ", 3)", "root_translations");
  }
  for (const Vec3& v : motion.angles) {
    if (!is_finite(v)) fail("should be finite", "joint_angles");
  }
  for (const Vec3& v : motion.root_translations) {
    if (!is_finite(v)) fail("should be finite", "root_translations");
  }
  return motion_object(rig.subject, std::move(motion));
}

Array angles_of(const MotionObject& self) {
  const kinematics::Motion& motion = *self.motion;
  return view_of(self.motion, motion.angles.empty() ? nullptr : &motion.angles[0].x,
                 {motion.frame_count(), motion.joint_count, 3});
}

/// Turns of the joints in their frames, the rest rotation included: what a glTF channel holds.
Array rotations_of(const MotionObject& self) {
  const kinematics::Motion& motion = *self.motion;
  const std::span<const rig::Joint> joints = self.subject->rig.joints();
  std::vector<float> numbers;
  numbers.reserve(4 * motion.angles.size());
  for (std::size_t i = 0; i < motion.angles.size(); ++i) {
    const rig::Joint& joint = joints[i % joints.size()];
    const Quatd turn = to_quat(kinematics::euler_matrix(motion.angles[i].cast<double>()));
    const Quatd axes = joint.axes.cast<double>();
    const Quatd rotation = joint.rest.rotation.cast<double>() * axes * turn * conjugate(axes);
    for (int k = 0; k < 4; ++k) numbers.push_back(static_cast<float>(rotation[k]));
  }
  return array_of(std::move(numbers), {motion.frame_count(), motion.joint_count, 4});
}

Array motion_matrices(const MotionObject& self) {
  const std::vector<Affine> joints = [&] {
    const py::gil_scoped_release released;
    return kinematics::joint_matrices(self.subject->rig, *self.motion);
  }();
  return matrices_of(joints, {self.motion->frame_count(), self.motion->joint_count});
}

/// The skin in one frame, in the asset's world.
Array motion_vertices(const MotionObject& self, int frame) {
  const rig::Subject& subject = *self.subject;
  if (frame < 0 || frame >= self.motion->frame_count()) throw py::index_error("there is no such frame");
  std::vector<Vec3> points(subject.points.size());
  {
    const py::gil_scoped_release released;
    kinematics::FrameBufferT<double> buffer;
    std::vector<Affined> joints(subject.rig.joints().size()), posed(subject.rig.bones().size());
    kinematics::joints_forward<double>(
        subject.rig, kinematics::motion_frame<double>(subject.rig, *self.motion, frame, buffer), joints);
    kinematics::bones_forward<double>(subject.rig, joints, posed);
    std::vector<Affine> bones;
    for (const Affined& bone : posed) bones.push_back(bone.cast<float>());
    kinematics::SkinInput input;
    input.weights = &subject.weights, input.points = subject.points;
    input.bone_count = subject.rig.bone_count(), input.frame_count = 1, input.bones = bones;
    kinematics::skin_forward(input, {points, {}, {}});
    for (Vec3& point : points) point = subject.asset_scale * point + subject.asset_offset;
  }
  const auto owner = std::make_shared<const std::vector<Vec3>>(std::move(points));
  return rows_of(owner, *owner);
}

}  // namespace

MotionObject motion_object(std::shared_ptr<const rig::Subject> subject, kinematics::Motion motion) {
  return {std::move(subject), std::make_shared<const kinematics::Motion>(std::move(motion))};
}

void bind_motions(py::module_& module) {  // table: one line per attribute
  bind_rig(module);
  py::class_<MotionObject>(module, "Motion",
                           "Frames of a rig at a steady rate: three angles a joint, and the root's way.")
      .def(py::init(&make_motion), py::arg("rig"), py::arg("joint_angles"), py::arg("root_translations") = py::none(),
           py::kw_only(), py::arg("fps") = 24.0, py::arg("loops") = false,
           "A motion of your own: (frames, joints, 3) angles in radians and, in heights, (frames, 3) translations.")
      .def_property_readonly(
          "fps", [](const MotionObject& m) { return m.motion->fps; }, "Frames a second.")
      .def_property_readonly(
          "loops", [](const MotionObject& m) { return m.motion->loops; },
          "Whether the last frame is followed by the first.")
      .def_property_readonly(
          "seconds", [](const MotionObject& m) { return m.motion->frame_count() / m.motion->fps; },
          "How long it takes.")
      .def_property_readonly(
          "rig", [](const MotionObject& m) { return RigObject{m.subject}; }, "What it moves.")
      .def_property_readonly("joint_angles", angles_of,
                             "(frames, joints, 3) float: radians about the axes of the joints, x then y' then z''.")
      .def_property_readonly(
          "root_translations", [](const MotionObject& m) { return rows_of(m.motion, m.motion->root_translations); },
          "(frames, 3) float: where the root is beside its place at rest, in heights.")
      .def_property_readonly("rotations", rotations_of,
                             "(frames, joints, 4) float: quaternions (x, y, z, w) of the joints in their frames.")
      .def_property_readonly("matrices", motion_matrices,
                             "(frames, joints, 4, 4) float: world from joint, in heights; they act on columns.")
      .def("vertices", motion_vertices, py::arg("frame"), "(n, 3) float: the skin in a frame, in the asset's world.")
      .def("__len__", [](const MotionObject& m) { return m.motion->frame_count(); })
      .def("__repr__", [](const MotionObject& m) {
        return "limber.Motion(" + std::to_string(m.motion->frame_count()) + " frames, " +
               std::to_string(m.motion->joint_count) + " joints)";
      });
}

}  // namespace limber::python
