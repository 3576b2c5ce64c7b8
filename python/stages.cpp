// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "convert.h"
#include "fields.h"
#include "limber/anatomy/shipped_reader.h"
#include "limber/animate/animate_asset.h"
#include "limber/animate/ground_clip.h"
#include "limber/animate/pack.h"
#include "limber/animate/plan.h"
#include "limber/asset/write.h"
#include "limber/autorig/wishes.h"
#include "limber/doctor/examine.h"
#include "limber/mend/mend.h"
#include "limber/parts/asset_parts.h"
#include "limber/parts/parts_denoiser.h"
#include "limber/physics/ground.h"
#include "limber/report/reports.h"
#include "objects.h"

namespace limber::python {
namespace {

// --- rig -------------------------------------------------------------------------------------------------------------

/// The network that tells parts, kind and front of bodies; none where it is not there, and the report says so.
Result<anatomy::ReadBody> open_reader() {
  const Result<std::filesystem::path> folder = anatomy::find_body_reader();
  return folder.ok() ? anatomy::open_body_reader(*folder) : Result<anatomy::ReadBody>(anatomy::ReadBody());
}

/// Keywords as the texts of fields; `show` tells which of them Python has. Unknown ones are a TypeError, as of any
/// function.
template <class Field, class Wishes, class Show, class Set>
void read_keywords(const char* function, const std::vector<Field>& fields, const py::kwargs& keywords, const Show& show,
                   const Set& set, Wishes& wishes) {
  for (const auto& [key, value] : keywords) {
    const auto keyword = key.template cast<std::string>();
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& known) {
      return show(known) && keyword == keyword_of(known.name);
    });
    if (field == fields.end()) {
      throw py::type_error(std::string(function) + "() got an unexpected keyword argument '" + keyword + "'");
    }
    for (const std::string& text : keyword_texts(*field, value)) value_of(set(*field, text, wishes));
  }
}

bool is_rig_shown(const autorig::Field& field) { return !field.is_file; }

AssetPointer rig_asset(const py::object& given, const py::object& progress, const py::kwargs& keywords) {
  autorig::Wishes wishes;
  py::kwargs others;
  for (const auto& [key, value] : keywords) {
    const bool labels = key.cast<std::string>() == "parts" && py::isinstance<PartsObject>(value);
    if (labels) wishes.labels = skeleton::PartLabels{*value.cast<const PartsObject&>().labels, {}};
    if (!labels) others[key] = value;
  }
  read_keywords("rig", autorig::fields(), others, is_rig_shown, autorig::set, wishes);
  if (const auto refusal = autorig::find_refusal(wishes)) {
    throw Failure(Error{in_words(*refusal, keyword_words), "rig", refusal->kind});
  }
  const AssetPointer asset = asset_of(given);
  autorig::RiggedAsset rigged =
      run_long(progress, [&](const Progress& told) { return autorig::rig_as_asked(*asset->asset(), wishes, told); });
  const std::string report = report::text(report::to_json(rigged, keyword_words));
  return std::make_shared<AssetObject>(std::move(rigged.asset), std::move(rigged.subject), report);
}

std::string rig_help() {
  const autorig::Wishes nothing;
  std::vector<ShownField> shown;
  for (const autorig::Field& field : autorig::fields()) {
    if (is_rig_shown(field)) shown.push_back({field, autorig::text_of(field, nothing)});
  }
  return keyword_docstring(
      "rig", "asset: AssetLike", shown, "Asset",
      "Gives a model a skeleton and skin weights. The result's report says what was decided, and why. "
      "parts may be what limber.parts() gave.");
}

// --- animate ---------------------------------------------------------------------------------------------------------

/// None where neither direction was given; +Y is up where only the other was.
std::optional<rig::Facing> read_facing(const py::object& up, const py::object& forward) {
  const std::optional<Vec3> asked = read_direction(up, "up"), ahead = read_direction(forward, "forward");
  if (asked && !ahead) {
    throw Failure(Error{"alone does not tell which way it looks: give forward, too", "up", ErrorKind::kConflict});
  }
  if (!ahead) return std::nullopt;
  return value_of(rig::make_facing(asked.value_or(Vec3{0, 1, 0}), *ahead));
}

/// Whether Python shows a field: files beside the result are the program's.
bool is_shown(const animate::Field& field) { return field.owner != animate::FieldOwner::kFiles; }

/// What the keywords ask for.
animate::Wishes read_wishes(const std::string& prompt, const py::kwargs& keywords) {
  animate::Wishes wishes;
  wishes.request.prompt = prompt;
  read_keywords("animate", animate::fields(), keywords, is_shown, animate::set, wishes);
  if (const auto refusal = animate::find_refusal(wishes, animate::models_info(wishes.models))) {
    throw Failure(Error{in_words(*refusal, keyword_words), "animate", refusal->kind});
  }
  return wishes;
}

AnimationObject animate_asset(const py::object& given, const std::string& prompt, const py::object& progress,
                              const py::kwargs& keywords) {
  const animate::Wishes wishes = read_wishes(prompt, keywords);
  const AssetPointer asset = asset_of(given);
  animate::Request request = value_of(animate::request_of(wishes));
  if (wishes.fresh) animate::remove_kept(wishes.checkpoint, wishes.request.clips);
  animate::AnimatedAsset result = run_long(progress, [&](const Progress& told) {
    request.progress = told;
    return animate::animate_asset(*asset->asset(), animate::find_models(wishes.models), request);
  });
  if (request.checkpoint) animate::remove_kept(request.checkpoint->file, request.clips);
  std::string report = report::text(report::to_json(result, keyword_words));
  auto subject = std::make_shared<const rig::Subject>(result.subject);
  return {std::make_shared<AssetObject>(std::move(result.asset), std::move(result.subject), "{}"),
          motion_object(std::move(subject), std::move(result.animation.motion)), result.first_clip, std::move(report)};
}

std::string animate_help() {
  const animate::Wishes nothing;
  std::vector<ShownField> shown;
  for (const animate::Field& field : animate::fields()) {
    if (is_shown(field)) shown.push_back({field, animate::text_of(field, nothing)});
  }
  return keyword_docstring("animate", "asset: AssetLike, prompt: str = ''", shown, "Animation",
                           "Lets a model do what a prompt says (\"a fox trots\"), what several do (clips), or what a "
                           "video shows. One without a "
                           "skeleton gets one.");
}

// --- physics ---------------------------------------------------------------------------------------------------------

AnimationObject ground_clip(const py::object& given, const py::object& clip, const std::string& ground,
                            std::optional<double> fps, std::optional<double> height, int iterations, double friction,
                            const std::string& name, const py::object& up, const py::object& forward,
                            const py::object& progress) {
  const AssetPointer asset = asset_of(given);
  animate::GroundClipRequest request;
  request.clip = clip.is_none() ? 0 : clip_of(*asset->asset(), clip);
  request.name = name, request.fps = fps;
  request.up = read_direction(up, "up"), request.forward = read_direction(forward, "forward");
  request.ground.ground = read_name(ground, "ground", physics::ground_named);
  if (fps && !(*fps >= 1 && *fps <= 240)) fail("should be 1 to 240", "fps");
  if (height && !(*height >= 0.001 && *height <= 1000)) fail("should be 0.001 to 1000", "height");
  if (iterations < 1 || iterations > 200) fail("should be 1 to 200", "iterations");
  if (!(friction >= 0 && friction <= 10)) fail("should be 0 to 10", "friction");
  if (height) request.ground.puppet.height = *height;
  request.ground.puppet.friction = friction, request.ground.track.iterations = iterations;
  animate::GroundedClip done = run_long(progress, [&](const Progress& told) {
    request.ground.track.progress = told;
    return animate::ground_clip(*asset->asset(), request);
  });
  const std::string report = report::text(report::to_json(done));
  const int last = static_cast<int>(done.asset.clips.size()) - 1;
  auto subject = std::make_shared<const rig::Subject>(done.subject);
  return {std::make_shared<AssetObject>(std::move(done.asset), std::move(done.subject), "{}"),
          motion_object(std::move(subject), std::move(done.motion)), last, report};
}

// --- parts -----------------------------------------------------------------------------------------------------------

PartsObject find_parts(const py::object& given, int view_sets, int steps, std::uint64_t seed, const py::object& up,
                       const py::object& forward, const py::object& progress) {
  const AssetPointer asset = asset_of(given);
  const std::optional<rig::Facing> facing = read_facing(up, forward);
  parts::MeshPartsSettings settings;
  settings.view_sets = view_sets, settings.steps = steps, settings.seed = seed;
  if (view_sets < 1 || view_sets > 16) fail("should be 1 to 16", "view_sets");
  if (steps < 1 || steps > 1000) fail("should be 1 to 1000", "steps");
  parts::MeshParts found = run_long(progress, [&](const Progress& told) -> Result<parts::MeshParts> {
    settings.progress = told;
    LIMBER_TRY(const std::filesystem::path folder, parts::find_parts_model());
    LIMBER_TRY(const parts::PartsDenoiser denoiser, parts::PartsDenoiser::open(folder));
    LIMBER_TRY(const parts::UprightMesh mesh, parts::upright_mesh(*asset->asset(), facing));
    return parts::find_mesh_parts(denoiser, mesh.view(), settings);
  });
  return {std::make_shared<const std::vector<int>>(std::move(found.triangles)),
          std::make_shared<const std::vector<Vec3>>(std::move(found.colors)), found.agreement};
}

// --- what is there, and how good it is -------------------------------------------------------------------------------

py::object inspect(const py::object& given) {
  const AssetPointer asset = asset_of(given);
  return parse_json(run_released([&] {
    return Result<std::string>(report::text(report::to_json(*asset->asset(), report::inspect(*asset->asset()))));
  }));
}

py::object examine(const py::object& given, const py::object& progress) {
  const AssetPointer asset = asset_of(given);
  const std::vector<doctor::Finding> findings =
      run_long(progress, [&](const Progress& told) -> Result<std::vector<doctor::Finding>> {
        doctor::ExamineSettings settings;
        LIMBER_TRY(settings.reader, open_reader());
        return doctor::examine(*asset->asset(), settings, told);
      });
  return parse_json(report::text(report::to_json(findings, keyword_words)));
}

Result<std::string> compare(const asset::Asset& predicted, const asset::Asset& truth) {
  LIMBER_TRY(const rig::Subject subject, rig::subject_from_asset(predicted));
  LIMBER_TRY(const rig::Subject true_subject, rig::subject_from_asset(truth));
  const metrics::RiggedSurface found = metrics::rigged_surface(predicted, subject),
                               wanted = metrics::rigged_surface(truth, true_subject);
  return report::text(
      {{"rig", report::compare_skeletons(metrics::without_idle_joints(found), metrics::without_idle_joints(wanted))},
       {"skin", report::compare_skins(found, wanted, {.subject = &true_subject})}});
}

py::object evaluate(const py::object& given, const py::object& truth) {
  const AssetPointer asset = asset_of(given);
  if (truth.is_none()) fail("there is none; clips by themselves are measured by limber.score(asset)", "truth");
  const AssetPointer wanted = asset_of(truth);
  return parse_json(run_released([&] { return compare(*asset->asset(), *wanted->asset()); }));
}

// --- finished clips --------------------------------------------------------------------------------------------------

mend::ScoreSettings score_settings(const asset::Asset& asset, const py::object& clip, const py::object& up,
                                   const py::object& forward) {
  mend::ScoreSettings settings;
  if (!clip.is_none()) settings.clip = clip_of(asset, clip);
  settings.up = read_direction(up, "up"), settings.forward = read_direction(forward, "forward");
  return settings;
}

py::object score_asset(const py::object& given, const py::object& clip, const py::object& up, const py::object& forward,
                       const py::object& progress) {
  const AssetPointer asset = asset_of(given);
  mend::ScoreSettings settings = score_settings(*asset->asset(), clip, up, forward);
  const mend::AssetScore score = run_long(progress, [&](const Progress& told) {
    settings.progress = told;
    return mend::score_asset(*asset->asset(), settings);
  });
  return parse_json(report::text(report::to_json(score)));
}

AssetPointer mend_asset(const py::object& given, const std::optional<std::vector<std::string>>& checks,
                        const py::object& clip, const py::object& up, const py::object& forward,
                        const py::object& progress) {
  const AssetPointer asset = asset_of(given);
  mend::MendSettings settings;
  const std::pair<const char*, bool*> flags[]{{"loop", &settings.loop},   {"contact", &settings.contact},
                                              {"floor", &settings.floor}, {"drift", &settings.drift},
                                              {"flips", &settings.flips}, {"weights", &settings.weights}};
  for (const auto& [name, flag] : flags) *flag = !checks;
  for (const std::string& check : checks.value_or(std::vector<std::string>{})) {
    const auto* found =
        std::find_if(std::begin(flags), std::end(flags), [&](const auto& f) { return check == f.first; });
    if (found == std::end(flags)) fail("should be loop, contact, floor, drift, flips or weights", "checks");
    *found->second = true;
  }
  settings.score = score_settings(*asset->asset(), clip, up, forward);
  settings.score.believes_notes = !(checks && settings.loop);
  mend::Mended mended = run_long(progress, [&](const Progress& told) {
    settings.score.progress = told;
    return mend::mend_asset(*asset->asset(), settings);
  });
  const std::string report = report::text(report::to_json(mended));
  return std::make_shared<AssetObject>(std::move(mended.asset), report);
}

// --- bindings --------------------------------------------------------------------------------------------------------

void save_animation(const AnimationObject& self, const std::filesystem::path& path) {
  const double fps = self.motion.motion->fps;
  run_released([&] { return asset::write_asset(*self.asset->asset(), path, {self.clip, fps}); });
}

void bind_results(py::module_& module) {
  py::class_<AnimationObject>(module, "Animation", "A motion, and the asset that has it as a clip.")
      .def_property_readonly(
          "asset", [](const AnimationObject& a) { return a.asset; }, "With the new clip at its end.")
      .def_property_readonly(
          "motion", [](const AnimationObject& a) { return a.motion; }, "Frame by frame.")
      .def_property_readonly(
          "clip",
          [](const AnimationObject& a) {
            return ClipObject{a.asset, static_cast<std::size_t>(a.clip)};
          },
          "The motion as it is in the asset; of a pack the first.")
      .def_property_readonly(
          "clips",
          [](const AnimationObject& a) {
            py::list clips;
            const std::size_t count = a.asset->asset()->clips.size();
            for (auto i = static_cast<std::size_t>(a.clip); i < count; ++i) clips.append(ClipObject{a.asset, i});
            return clips;
          },
          "All new ones: of a pack one for each prompt, with several candidates each of them.")
      .def_property_readonly(
          "report", [](const AnimationObject& a) { return parse_json(a.report); },
          "What was asked, what came out and how good it is.")
      .def("save", save_animation, py::arg("path"), "Writes the asset: .glb, .gltf, .fbx, or the clip alone as .bvh.")
      .def("__repr__", [](const AnimationObject& a) {
        const asset::Clip& clip = a.asset->asset()->clips[static_cast<std::size_t>(a.clip)];
        return text_of("limber.Animation('" + clip.name + "')");
      });
  py::class_<PartsObject>(module, "Parts", "What of a body moves by itself.")
      .def_property_readonly(
          "labels",
          [](const PartsObject& p) {
            return view_of(p.labels, p.labels->data(), {static_cast<py::ssize_t>(p.labels->size())});
          },
          "(m,) int: the part of every face of the asset.")
      .def_property_readonly(
          "colors", [](const PartsObject& p) { return rows_of(p.colors, *p.colors); },
          "(parts, 3) float: a colour for each, 0 to 1.")
      .def_property_readonly(
          "agreement", [](const PartsObject& p) { return p.agreement; },
          "0 to 1: how far what is seen from different sides agrees.")
      .def("__len__", [](const PartsObject& p) { return p.colors->size(); });
}

void bind_makers(py::module_& module) {  // table: arguments and their defaults
  {
    py::options own_signatures;
    own_signatures.disable_function_signatures();
    module.def("rig", rig_asset, py::arg("asset"), py::kw_only(), py::arg("progress") = py::none(), rig_help().c_str());
    module.def("animate", animate_asset, py::arg("asset"), py::arg("prompt") = "", py::kw_only(),
               py::arg("progress") = py::none(), animate_help().c_str());
  }
  module.def("physics", ground_clip, py::arg("asset"), py::arg("clip") = py::none(), py::kw_only(),
             py::arg("ground") = "simulate", py::arg("fps") = py::none(), py::arg("height") = py::none(),
             py::arg("iterations") = 60, py::arg("friction") = physics::PuppetSettings().friction, py::arg("name") = "",
             py::arg("up") = py::none(), py::arg("forward") = py::none(), py::arg("progress") = py::none(),
             "Puts a clip on the ground: the nearest motion that the body can do under gravity, with contact.\n\n"
             "ground: simulate, or lock for feet that stay where they are alone. height: of the body, in metres.");
  module.def("parts", find_parts, py::arg("asset"), py::kw_only(), py::arg("view_sets") = 3, py::arg("steps") = 4,
             py::arg("seed") = 0, py::arg("up") = py::none(), py::arg("forward") = py::none(),
             py::arg("progress") = py::none(), "Finds the parts of a body that move by themselves, by a network.");
}

}  // namespace

void bind_stages(py::module_& module) {
  bind_results(module);
  bind_makers(module);
  module.def("inspect", inspect, py::arg("asset"),
             "What is in a model and how healthy it is: sizes, clips, topology, "
             "rig, up and front.");
  module.def("doctor", examine, py::arg("asset"), py::kw_only(), py::arg("progress") = py::none(),
             "What is odd about a model, and which option helps: a list of findings.");
  module.def("evaluate", evaluate, py::arg("asset"), py::arg("truth") = py::none(),
             "How good a rig and its skin are, against the true ones.");
  module.def("score", score_asset, py::arg("asset"), py::arg("clip") = py::none(), py::kw_only(),
             py::arg("up") = py::none(), py::arg("forward") = py::none(), py::arg("progress") = py::none(),
             "Whether clips are finished: loops, feet, floor, drift, flips, skin. In words and numbers.");
  module.def("mend", mend_asset, py::arg("asset"), py::arg("checks") = py::none(), py::kw_only(),
             py::arg("clip") = py::none(), py::arg("up") = py::none(), py::arg("forward") = py::none(),
             py::arg("progress") = py::none(),
             "Repairs what `score` finds, with little change; the result's report says what was done.\n\n"
             "checks: of loop, contact, floor, drift, flips and weights; all of them where none are given.");
}

}  // namespace limber::python
