// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "convert.h"
#include "fields.h"
#include "limber/animate/create_asset.h"
#include "limber/animate/ground_clip.h"
#include "limber/asset/find_clip.h"
#include "limber/asset/pose.h"
#include "limber/asset/read.h"
#include "limber/asset/write.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/report/reports.h"
#include "limber/rig/static_subject.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"
#include "objects.h"

namespace limber::python {

std::shared_ptr<const asset::Surface> AssetObject::surface() {
  if (surface_) return surface_;
  auto made = [&] {
    const py::gil_scoped_release released;
    return std::make_shared<const asset::Surface>(asset::posed_surface(*asset_, asset::rest_state(*asset_)));
  }();
  // Another thread may have been quicker: all are to see the same memory.
  if (!surface_) surface_ = std::move(made);
  return surface_;
}

std::shared_ptr<const rig::Subject> AssetObject::subject() {
  if (subject_) return subject_;
  auto made = std::make_shared<const rig::Subject>(run_released([&] { return rig::subject_from_asset(*asset_); }));
  if (!subject_) subject_ = std::move(made);
  return subject_;
}

namespace {

// --- in --------------------------------------------------------------------------------------------------------------

/// Triangles by the numbers of their vertices.
std::vector<std::array<std::uint32_t, 3>> read_faces(const py::object& given, const std::string& what) {
  const Numbers numbers = read_numbers(given, 2, what);
  if (numbers.shape[1] != 3 && numbers.shape[0] != 0) fail("should be rows of three: triangles", what);
  std::vector<std::array<std::uint32_t, 3>> faces(numbers.values.size() / 3);
  for (std::size_t i = 0; i < 3 * faces.size(); ++i) {
    const double value = numbers.values[i];
    if (!(value >= 0 && value <= 4294967295.0) || value != std::floor(value)) {
      fail("should be the number of a vertex", what + "/" + std::to_string(i / 3));
    }
    faces[i / 3][i % 3] = static_cast<std::uint32_t>(value);
  }
  return faces;
}

AssetPointer asset_of_surface(const py::object& vertices, const py::object& faces, const std::string& name) {
  asset::Surface surface{read_points(vertices, 2, name + "#/vertices"), read_faces(faces, name + "#/faces")};
  return std::make_shared<AssetObject>(
      run_released([&] { return asset::asset_from_surface(std::move(surface), name); }));
}

AssetPointer read(const py::object& given) {
  if (py::isinstance<py::bytes>(given)) {
    const std::string_view bytes = given.cast<std::string_view>();
    return std::make_shared<AssetObject>(
        run_released([&] { return asset::read_gltf(std::as_bytes(std::span(bytes)), "bytes"); }));
  }
  const auto path = given.cast<std::filesystem::path>();
  return std::make_shared<AssetObject>(run_released([&] { return asset::read_asset(path); }));
}

// --- the zoo ---------------------------------------------------------------------------------------------------------

struct ZooWish {
  zoo::CreatureSettings creature;
  std::vector<zoo::Action> actions;
  bool rigged = true;
};

Result<asset::Asset> make_creature(const ZooWish& wish) {
  LIMBER_TRY(zoo::Creature creature, zoo::make_creature(wish.creature));
  asset::Asset asset = zoo::static_asset(creature);
  if (!wish.rigged) return asset;
  LIMBER_CHECK_OK(exporter::add_rig(asset, creature.subject));
  for (const zoo::Action action : wish.actions) {
    zoo::ActionSettings settings;
    settings.action = action, settings.seed = wish.creature.seed;
    LIMBER_TRY(const zoo::Performance performance, zoo::perform(creature, settings));
    LIMBER_CHECK_OK(
        exporter::add_clip(asset, creature.subject, performance.motion, {.name = std::string(zoo::name(action))}));
  }
  return asset;
}

AssetPointer zoo_asset(const std::string& plan, std::uint64_t seed, const std::vector<std::string>& actions,
                       const std::string& body, int resolution, bool rigged) {
  ZooWish wish;
  wish.creature.plan = read_name(plan, "plan", zoo::plan_from_name);
  wish.creature.seed = seed, wish.creature.resolution = resolution, wish.rigged = rigged;
  if (resolution < 24 || resolution > 256) fail("should be 24 to 256", "resolution");
  if (!rigged && !actions.empty()) fail("a body without a skeleton does nothing", "actions");
  if (!body.empty()) wish.creature.body = value_of(zoo::parse_body(body));
  for (const std::string& action : actions) wish.actions.push_back(read_name(action, "actions", zoo::action_from_name));
  return std::make_shared<AssetObject>(run_released([&] { return make_creature(wish); }));
}

/// What limber made of words, as a report; nothing of another program's model.
std::string created_report(const animate::Created& created) {
  report::Json told = report::Json::object();
  if (created.described) {
    told = {{"noun", created.described->noun},
            {"body", zoo::to_text(created.described->body)},
            {"metres", created.described->metres}};
  }
  told["warnings"] = report::to_json(created.warnings, keyword_words);
  return report::text(told);
}

AssetPointer create_asset(const std::string& words, std::optional<std::uint64_t> seed, std::optional<int> resolution,
                          std::optional<bool> rigged, const std::string& text_to_3d) {
  // What another program makes is its own.
  const auto only_ours = [&](bool said, const char* name) {
    if (said && !text_to_3d.empty()) fail("does nothing where text_to_3d makes the body", name);
  };
  only_ours(seed.has_value(), "seed"), only_ours(resolution.has_value(), "resolution");
  only_ours(rigged.has_value(), "rigged");
  animate::CreateSettings settings;
  settings.seed = seed.value_or(settings.seed), settings.resolution = resolution.value_or(settings.resolution);
  settings.rigged = rigged.value_or(settings.rigged), settings.command = text_to_3d;
  if (settings.resolution < 24 || settings.resolution > 256) fail("should be 24 to 256", "resolution");
  animate::Created created = run_released([&] { return animate::create_asset(words, settings); });
  const std::string report = created_report(created);
  return std::make_shared<AssetObject>(std::move(created.asset), report);
}

// --- what an asset can be asked --------------------------------------------------------------------------------------

Array faces_of(AssetObject& self) {
  const auto surface = self.surface();
  const auto* first = surface->triangles.empty() ? nullptr : surface->triangles[0].data();
  return view_of(surface, reinterpret_cast<const std::int32_t*>(first),
                 {static_cast<py::ssize_t>(surface->triangles.size()), 3});
}

py::object rig_of(AssetObject& self) {
  try {
    return py::cast(RigObject{self.subject()});
  } catch (const Failure&) {
    // Without a skin it is no failure to have no rig; with one, somebody should know why it is none.
    if (rig::has_skin(*self.asset())) throw;
    return py::none();
  }
}

Array vertices_at(const AssetObject& self, const py::object& clip, double seconds) {
  const asset::Asset& asset = *self.asset();
  const int index = clip_of(asset, clip);
  if (!std::isfinite(seconds)) fail("should be finite", "seconds");
  auto points = std::make_shared<const std::vector<Vec3>>([&] {
    const py::gil_scoped_release released;
    const asset::NodeState state =
        index < 0 ? asset::rest_state(asset)
                  : asset::clip_state(asset, asset.clips[static_cast<std::size_t>(index)], seconds);
    return asset::posed_surface(asset, state, false).points;
  }());
  return rows_of(points, *points);
}

void save(const AssetObject& self, const std::filesystem::path& path, const py::object& clip, double fps) {
  const int index = clip.is_none() ? 0 : clip_of(*self.asset(), clip);
  run_released([&] { return asset::write_asset(*self.asset(), path, {index, fps}); });
}

py::bytes to_glb(const AssetObject& self) {
  const Bytes bytes = run_released([&] { return asset::write_glb(*self.asset()); });
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Whether a motion of one rig can be played by the other.
bool same_joints(const rig::Rig& a, const rig::Rig& b) {
  bool same = a.joint_count() == b.joint_count();
  for (std::size_t j = 0; same && j < a.joints().size(); ++j) {
    same = a.joints()[j].name == b.joints()[j].name && a.joints()[j].parent == b.joints()[j].parent;
  }
  return same;
}

AssetPointer with_clip(AssetObject& self, const MotionObject& motion, const std::string& name) {
  const auto subject = self.subject();
  if (!same_joints(subject->rig, motion.subject->rig)) {
    throw Failure(Error{"is a motion of another skeleton", "motion", ErrorKind::kConflict});
  }
  asset::Asset asset = *self.asset();
  run_released([&] { return exporter::add_clip(asset, *subject, *motion.motion, {.name = name}); });
  return std::make_shared<AssetObject>(std::move(asset));
}

std::vector<ClipObject> clips_of(const AssetPointer& self) {
  std::vector<ClipObject> clips;
  for (std::size_t i = 0; i < self->asset()->clips.size(); ++i) clips.push_back({self, i});
  return clips;
}

MotionObject clip_motion(const ClipObject& self, std::optional<double> fps) {
  const auto subject = self.asset->subject();
  const double rate = fps ? *fps : kinematics::clip_rate(self.clip());
  if (!(rate > 0 && rate <= 1000)) fail("should be above 0, at most 1000", "fps");
  return motion_object(subject, run_released([&] {
                         return kinematics::motion_from_clip(*self.asset->asset(), self.clip(), *subject, rate);
                       }));
}

std::string describe(const AssetObject& self) {
  const asset::Asset& asset = *self.asset();
  return "limber.Asset('" + asset.name + "', " + std::to_string(asset.meshes.size()) + " meshes, " +
         std::to_string(asset.skins.size()) + " skins, " + std::to_string(asset.clips.size()) + " clips)";
}

void bind_asset(py::module_& module) {  // table: one line per attribute
  py::class_<AssetObject, AssetPointer>(module, "Asset",
                                        "A model: meshes, materials, skins and clips. It never changes.")
      .def_property_readonly(
          "name", [](const AssetObject& a) { return text_of(a.asset()->name); }, "Of its file.")
      .def_property_readonly(
          "vertices", [](AssetObject& a) { return rows_of(a.surface(), a.surface()->points); },
          "(n, 3) float: everything it shows, at rest, in its own world and unit.")
      .def_property_readonly("faces", faces_of, "(m, 3) int: triangles, counter-clockwise from outside.")
      .def_property_readonly("clips", clips_of, "Its animations.")
      .def_property_readonly("rig", rig_of, "Its skeleton and skin; None where nothing can move.")
      .def_property_readonly(
          "warnings", [](const AssetObject& a) { return texts_of(a.asset()->warnings); },
          "What the reader had to mend or leave out.")
      .def_property_readonly(
          "report", [](const AssetObject& a) { return parse_json(a.report()); },
          "What the call that made it has decided, and why; empty for one that was read.")
      .def("vertices_at", vertices_at, py::arg("clip"), py::arg("seconds"),
           "(n, 3) float: the vertices at a time of a clip, as every glTF viewer poses them.")
      .def("with_clip", with_clip, py::arg("motion"), py::arg("name") = "motion",
           "The same asset with a motion of its skeleton as one more clip, at the end.")
      .def("save", save, py::arg("path"), py::kw_only(), py::arg("clip") = py::none(), py::arg("fps") = 30.0,
           "Writes .glb, .gltf, .fbx, .obj or .bvh; clip and fps are for .bvh, which holds one clip.")
      .def("to_glb", to_glb, "The bytes of a .glb file.")
      .def("__repr__", [](const AssetObject& a) { return text_of(describe(a)); });
}

}  // namespace

AssetPointer asset_of(const py::object& given) {
  if (py::isinstance<AssetObject>(given)) return given.cast<AssetPointer>();
  if (py::isinstance<AnimationObject>(given)) return given.cast<const AnimationObject&>().asset;
  const bool file =
      py::isinstance<py::str>(given) || py::isinstance<py::bytes>(given) || py::hasattr(given, "__fspath__");
  if (file) return read(given);
  if (!py::hasattr(given, "vertices") || !py::hasattr(given, "faces")) {
    throw py::type_error("expected an Asset, a path, the bytes of a GLB, or an object with .vertices and .faces");
  }
  return asset_of_surface(given.attr("vertices"), given.attr("faces"), "mesh");
}

int clip_of(const asset::Asset& asset, const py::object& given) {
  if (given.is_none()) return -1;
  if (py::isinstance<py::int_>(given)) {
    const auto index = given.cast<long long>();
    const auto count = static_cast<long long>(asset.clips.size());
    if (index < -count || index >= count) fail("there is no clip " + std::to_string(index), asset.name);
    return static_cast<int>(index < 0 ? index + count : index);
  }
  const auto name = given.cast<std::string>();
  const Result<int> found = asset::find_clip(asset, name);
  return !found.ok() && name == "rest" ? -1 : value_of(found);
}

void bind_assets(py::module_& module) {
  bind_asset(module);
  py::class_<ClipObject>(module, "Clip", "An animation of an asset.")
      .def_property_readonly(
          "name", [](const ClipObject& c) { return text_of(c.clip().name); }, "As the file has it.")
      .def_property_readonly(
          "seconds", [](const ClipObject& c) { return c.clip().duration(); }, "How long it takes.")
      .def("motion", clip_motion, py::arg("fps") = py::none(),
           "The clip as a motion of the rig, so many frames a second; by default those of its keys.")
      .def("__repr__", [](const ClipObject& c) { return text_of("limber.Clip('" + c.clip().name + "')"); });
  module.def("read", read, py::arg("path"),
             "Reads a model: .glb, .gltf, .fbx, .obj, .ply, .stl, .dae or .bvh, or the bytes of a GLB.");
  module.def("mesh", asset_of_surface, py::arg("vertices"), py::arg("faces"), py::kw_only(), py::arg("name") = "mesh",
             "An asset of (n, 3) vertices and (m, 3) triangles, given as arrays or nested sequences.");
  module.def("create", create_asset, py::arg("words"), py::kw_only(), py::arg("seed") = py::none(),
             py::arg("resolution") = py::none(), py::arg("rigged") = py::none(), py::arg("text_to_3d") = "",
             "A body from words: \"a small red dragon with a long tail\", by default with seed 0, a resolution of 60 "
             "and a skeleton. The result's report says what was understood.\n\ntext_to_3d: another program that makes "
             "it, started without a shell: \"gen.py {words} "
             "{output}\".");
  module.def(
      "zoo", zoo_asset, py::arg("plan") = "quadruped", py::arg("seed") = 0, py::kw_only(),
      py::arg("actions") = std::vector<std::string>(), py::arg("body") = "", py::arg("resolution") = 60,
      py::arg("rigged") = true,
      "A procedural creature: a plan (biped, quadruped, bird, hexapod, octopod, fish, snake, theropod), or a body "
      "in words (\"legs:2/hoof,antlers\"), with clips of what it should do (\"walk\").");
}

}  // namespace limber::python
