// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "convert.h"
#include "limber/anatomy/find_roles.h"
#include "limber/base/threads.h"
#include "limber/pose_space/pose_model.h"
#include "limber/pose_space/pose_motion.h"
#include "limber/pose_space/solve_places.h"
#include "objects.h"

namespace limber::python {
namespace {

/// The poses of one body. Const, so that threads may share it.
struct PoseSpaceObject {
  std::shared_ptr<const rig::Subject> subject;
  std::shared_ptr<const pose_space::PoseSpace> space;
};

struct SolvedObject {
  MotionObject motion;  ///< one frame
  std::map<std::string, double> errors;
  double plausible = 0;
};

Result<pose_space::PoseSpace> open_space(const rig::Subject& subject) {
  LIMBER_TRY(const std::filesystem::path folder, pose_space::find_pose_model());
  LIMBER_TRY(pose_space::PoseSpace space, pose_space::open_pose_space(subject, folder));
  if (space.skeleton().size() < 2) {
    return Error{"has one joint alone: there are no poses to choose from", "", ErrorKind::kUnsupported};
  }
  return space;
}

PoseSpaceObject open(const py::object& given, const py::object& up, const py::object& forward) {
  rig::Subject subject = *asset_of(given)->subject();
  const std::optional<Vec3> asked = read_direction(up, "up"), ahead = read_direction(forward, "forward");
  if (asked || ahead) {
    subject.facing =
        value_of(rig::make_facing(asked.value_or(subject.facing.up), ahead.value_or(subject.facing.forward)));
    subject.facing.confidence = 1;
  }
  auto known = std::make_shared<const rig::Subject>(anatomy::with_roles(std::move(subject)));
  auto space = run_released([&] { return open_space(*known); });
  return {std::move(known), std::make_shared<const pose_space::PoseSpace>(std::move(space))};
}

/// The motion has to be of this body: joints are counted, and poses read by their numbers.
const kinematics::Motion& motion_of(const PoseSpaceObject& self, const MotionObject& motion) {
  if (motion.motion->joint_count != self.subject->rig.joint_count()) {
    throw Failure(Error{"is a motion of another skeleton", "motion", ErrorKind::kConflict});
  }
  return *motion.motion;
}

MotionObject sample(const PoseSpaceObject& self, int count, std::uint64_t seed) {
  if (count < 1 || count > 10000) fail("should be 1 to 10000", "count");
  std::vector<pose_space::PoseState> poses(static_cast<std::size_t>(count));
  {
    const py::gil_scoped_release released;
    parallel_for(poses.size(), 1, [&](std::size_t i, std::size_t) { poses[i] = self.space->sample(seed + i); });
  }
  return motion_object(self.subject, pose_space::motion_of_poses(self.space->skeleton(), poses, 1));
}

std::vector<double> score(const PoseSpaceObject& self, const MotionObject& given) {
  const kinematics::Motion& motion = motion_of(self, given);
  const py::gil_scoped_release released;
  std::vector<double> scores;
  for (const pose_space::Plausibility& frame : pose_space::score_motion(*self.space, motion))
    scores.push_back(frame.whole);
  return scores;
}

MotionObject project(const PoseSpaceObject& self, const MotionObject& given, double strength, std::uint64_t seed,
                     const py::object& progress) {
  const kinematics::Motion& motion = motion_of(self, given);
  if (!(strength > 0 && strength <= 1)) fail("should be above 0, at most 1", "strength");
  return motion_object(self.subject, run_long(progress, [&](const Progress& told) {
                         return pose_space::project_motion(*self.space, motion, strength, seed, told);
                       }));
}

SolvedObject solve(const PoseSpaceObject& self, const std::map<std::string, py::object>& places, std::uint64_t seed,
                   double variety) {
  const rig::Rig& rig = self.subject->rig;
  std::vector<pose_space::JointPlace> wishes;
  for (const auto& [name, given] : places) {
    const std::vector<double> v = read_numbers(given, 1, name).values;
    const Vec3 place = v.size() == 3 ? Vec3d{v[0], v[1], v[2]}.cast<float>() : Vec3{};
    if (v.size() != 3 || !is_finite(place)) fail("should be a place: three numbers", name);
    if (rig.find(name) < 0) fail("there is no such joint; rig.names lists those there are", name);
    wishes.push_back({rig.find(name), place});
  }
  if (!(variety >= 0 && variety <= 1)) fail("should be 0 to 1", "variety");
  pose_space::SolveSettings settings;
  settings.seed = seed, settings.variety = variety;
  const pose_space::SolvedPlaces solved =
      run_released([&] { return pose_space::solve_places(*self.subject, *self.space, wishes, settings); });
  kinematics::Motion motion = kinematics::rest_motion(rig, 1, 24);
  std::copy(solved.pose.angles.begin(), solved.pose.angles.end(), motion.frame_angles(0).begin());
  motion.root_translations[0] = solved.pose.root_translation;
  SolvedObject result{motion_object(self.subject, std::move(motion)), {}, solved.plausible};
  std::size_t i = 0;
  for (const auto& [name, given] : places) result.errors[name] = solved.errors[i++];
  return result;
}

std::vector<py::str> joints_of(const PoseSpaceObject& self) {
  std::vector<py::str> names;
  for (const pose_space::PoseJoint& joint : self.space->skeleton().joints) {
    names.push_back(text_of(self.subject->rig.joints()[static_cast<std::size_t>(joint.joint)].name));
  }
  return names;
}

}  // namespace

void bind_poses(py::module_& module) {
  py::class_<SolvedObject>(module, "SolvedPose", "A pose that puts joints where they should be.")
      .def_property_readonly(
          "motion", [](const SolvedObject& s) { return s.motion; }, "The pose, as its one frame.")
      .def_property_readonly(
          "errors", [](const SolvedObject& s) { return s.errors; },
          "By joint: what is missing, in heights of the body.")
      .def_property_readonly(
          "plausible", [](const SolvedObject& s) { return s.plausible; }, "0 to 1.");
  py::class_<PoseSpaceObject>(module, "PoseSpace", "The plausible poses of one rigged body.")
      .def_property_readonly("joints", joints_of, "Names of the joints that it moves; others ride along.")
      .def("sample", sample, py::arg("count") = 1, py::kw_only(), py::arg("seed") = 0,
           "Draws poses: a motion of one a second.")
      .def("score", score, py::arg("motion"), "How plausible every frame is, 0 to 1.")
      .def("project", project, py::arg("motion"), py::kw_only(), py::arg("strength") = 0.3, py::arg("seed") = 0,
           py::arg("progress") = py::none(), "Brings every frame to the nearest plausible pose.")
      .def("solve", solve, py::arg("places"), py::kw_only(), py::arg("seed") = 0, py::arg("variety") = 0.0,
           "The most usual pose (with variety others, by the seed) that puts joints at places of the asset's world.");
  module.def("pose_space", open, py::arg("asset"), py::kw_only(), py::arg("up") = py::none(),
             py::arg("forward") = py::none(), "The plausible poses of a rigged model, by a network.");
}

}  // namespace limber::python
