// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "convert.h"
#include "limber/report/reports.h"
#include "limber/retarget/retarget_asset.h"
#include "objects.h"

namespace limber::python {
namespace {

std::vector<int> clips_of(const asset::Asset& source, const py::object& clip, bool all_clips) {
  if (all_clips && !clip.is_none()) {
    throw Failure(Error{"is one of all_clips", "clip", ErrorKind::kConflict});
  }
  std::vector<int> clips{clip.is_none() ? 0 : clip_of(source, clip)};
  if (all_clips) clips.resize(source.clips.size()), std::iota(clips.begin(), clips.end(), 0);
  return clips;
}

AnimationObject retarget_clips(const py::object& from, const py::object& to, const py::object& clip, bool all_clips,
                               const std::map<std::string, std::string>& map, std::optional<double> fps, bool loop,
                               bool in_place, const std::string& name, const py::object& up, const py::object& forward,
                               const py::object& source_up, const py::object& source_forward,
                               const py::object& progress) {
  const AssetPointer source = asset_of(from), target = asset_of(to);
  const std::vector<int> clips = clips_of(*source->asset(), clip, all_clips);
  retarget::RetargetSettings settings;
  settings.name = name, settings.fps = fps, settings.loop = loop, settings.in_place = in_place;
  settings.up = read_direction(up, "up"), settings.forward = read_direction(forward, "forward");
  settings.source_up = read_direction(source_up, "source_up");
  settings.source_forward = read_direction(source_forward, "source_forward");
  for (const auto& [what, by] : map) settings.corrections.push_back({by, what});
  if (fps && !(*fps >= 1 && *fps <= 240)) fail("should be 1 to 240", "fps");
  retarget::Retargeted done = run_long(progress, [&](const Progress& told) {
    settings.progress = told;
    return retarget::retarget_clips(*source->asset(), clips, *target->asset(), settings);
  });
  const std::string report = report::text(report::to_json(done));
  const int first = done.clips.front().clip;
  auto subject = std::make_shared<const rig::Subject>(done.subject);
  return {std::make_shared<AssetObject>(std::move(done.asset), std::move(done.subject), "{}"),
          motion_object(std::move(subject), std::move(done.motion)), first, report};
}

}  // namespace

void bind_retarget(py::module_& module) {
  module.def("retarget", retarget_clips, py::arg("source"), py::arg("target"), py::arg("clip") = py::none(),
             py::kw_only(), py::arg("all_clips") = false, py::arg("map") = std::map<std::string, std::string>(),
             py::arg("fps") = py::none(), py::arg("loop") = false, py::arg("in_place") = false, py::arg("name") = "",
             py::arg("up") = py::none(), py::arg("forward") = py::none(), py::arg("source_up") = py::none(),
             py::arg("source_forward") = py::none(), py::arg("progress") = py::none(),
             "Carries a clip of one body over to any other.\n\n"
             "map: which limb or joint of the target is led by which of the source, where it is not as one likes: "
             "{\"leg.1.L\": \"arm.L\", \"tail\": \"none\"}; the report says what leads what.");
}

}  // namespace limber::python
