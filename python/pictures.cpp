// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "convert.h"
#include "limber/anatomy/find_facing.h"
#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "objects.h"

namespace limber::python {
namespace {

constexpr double kTurnSeconds = 4;  // of a turntable

Bitmap picture_of(const scene::Film& film, std::size_t index) {
  Bitmap picture(film.width, film.height, 3);
  const std::size_t size = picture.pixels.size();
  std::copy_n(film.pixels.begin() + static_cast<std::ptrdiff_t>(index * size), size, picture.pixels.begin());
  return picture;
}

Status write_film(const scene::Film& film, double fps, const std::filesystem::path& path) {
  const std::size_t count = static_cast<std::size_t>(film.times) * static_cast<std::size_t>(film.views);
  if (count == 1 && path.extension() != ".mp4") return asset::write_picture(picture_of(film, 0), path);
  if (!asset::is_video_path(path) || film.views > 1) {
    return Error{std::to_string(count) +
                     " pictures go into one .mp4, .gif or .webp if they are of one view, or are "
                     "written one by one",
                 path.string(), ErrorKind::kConflict};
  }
  asset::VideoSettings settings;
  settings.fps = fps;
  LIMBER_TRY(asset::VideoWriter writer, asset::VideoWriter::create(path, film.width, film.height, settings));
  for (std::size_t i = 0; i < count; ++i) LIMBER_CHECK_OK(writer.add(picture_of(film, i)));
  return writer.finish();
}

Array pixels_of(const PicturesObject& self) {
  const scene::Film& film = *self.film;
  std::vector<py::ssize_t> shape{film.times, film.views, film.height, film.width, 3};
  if (film.views == 1) shape.erase(shape.begin() + 1);
  return view_of(self.film, film.pixels.data(), std::move(shape));
}

py::bytes png_of(const PicturesObject& self) {
  const Bytes bytes = value_of(asset::encode_png(picture_of(*self.film, 0)));
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// The moments of a clip that are drawn.
std::vector<double> times_of(const asset::Asset& asset, int clip, std::optional<double> time, std::optional<int> frames,
                             double fps, bool turntable) {
  if (time) {
    if (!std::isfinite(*time)) fail("should be finite", "time");
    return {*time};
  }
  const double seconds = clip < 0 ? 0 : double(asset.clips[static_cast<std::size_t>(clip)].duration());
  double count = std::max(1.0, std::round((turntable ? std::max(seconds, kTurnSeconds) : seconds) * fps));
  if (frames) count = *frames;
  if (!(count >= 1 && count <= 100000)) fail("should be 1 to 100000", "frames");
  std::vector<double> times;
  for (int i = 0; i < static_cast<int>(count); ++i) times.push_back(seconds > 0 ? std::fmod(i / fps, seconds) : 0);
  return times;
}

void check_camera(const scene::OrbitSettings& orbit, double fps) {
  if (orbit.width < 1 || orbit.height < 1 || orbit.width > 16384 || orbit.height > 16384) {
    fail("should be two numbers up to 16384", "size");
  }
  if (orbit.views < 1 || orbit.views > 64) fail("should be 1 to 64", "views");
  if (!(fps >= 0.1 && fps <= 1000)) fail("should be 0.1 to 1000", "fps");
  if (!(std::abs(orbit.elevation) <= 1.5709f)) fail("should be -90 to 90", "elevation");
  if (!(std::abs(orbit.azimuth) <= 70)) fail("should be -3600 to 3600", "azimuth");
}

PicturesObject render(const py::object& given, const py::object& clip, std::optional<double> time,
                      std::optional<int> frames, double fps, const std::pair<int, int>& size, const std::string& layer,
                      int views, bool turntable, double azimuth, double elevation, bool follow, bool ground,
                      const py::object& up, const py::object& forward, const py::object& progress) {
  const std::shared_ptr<const asset::Asset> asset = asset_of(given)->asset();
  scene::FilmSettings settings;
  // What has clips shows the first of them, unless it only turns.
  settings.clip = clip.is_none() && !asset->clips.empty() && !turntable ? 0 : clip_of(*asset, clip);
  settings.layer = read_name(layer, "layer", scene::layer_from_name);
  settings.fps = fps, settings.look.ground.visible = ground;
  scene::OrbitSettings& orbit = settings.orbit;
  orbit.width = size.first, orbit.height = size.second, orbit.views = views, orbit.follow = follow, orbit.fill = 0.9f;
  orbit.azimuth = static_cast<float>(azimuth * kPi / 180), orbit.elevation = static_cast<float>(elevation * kPi / 180);
  orbit.turn = turntable ? static_cast<float>(2 * kPi) : 0;
  check_camera(orbit, fps);
  settings.times = times_of(*asset, settings.clip, time, frames, fps, turntable);
  const std::optional<Vec3> asked_up = read_direction(up, "up"), ahead = read_direction(forward, "forward");
  auto film = run_long(progress, [&](const Progress& told) -> Result<scene::Film> {
    settings.progress = told;
    settings.facing = anatomy::believed_facing(*asset, asked_up);
    if (ahead) {
      LIMBER_TRY(settings.facing, rig::make_facing(settings.facing.up, *ahead));
    }
    return scene::film_asset(*asset, settings);
  });
  return {std::make_shared<const scene::Film>(std::move(film)), fps};
}

}  // namespace

void bind_pictures(py::module_& module) {
  py::class_<PicturesObject>(module, "Pictures", "Pictures of an asset, one behind the other.")
      .def_property_readonly("pixels", pixels_of,
                             "(times, height, width, 3) bytes, rows from the top, colours as displays show them; of "
                             "several views (times, views, height, width, 3).")
      .def_property_readonly(
          "fps", [](const PicturesObject& p) { return p.fps; }, "Pictures a second.")
      .def(
          "save",
          [](const PicturesObject& p, const std::filesystem::path& path) {
            run_released([&] { return write_film(*p.film, p.fps, path); });
          },
          py::arg("path"),
          "Writes one picture as .png, .jpg or .webp, several as .mp4, .gif or .webp (through ffmpeg).")
      .def("_repr_png_", png_of, "The first of them, for notebooks.")
      .def("__len__", [](const PicturesObject& p) { return p.film->times; });
  module.def(
      "render", render, py::arg("asset"), py::kw_only(), py::arg("clip") = py::none(), py::arg("time") = py::none(),
      py::arg("frames") = py::none(), py::arg("fps") = 24.0, py::arg("size") = std::pair(640, 480),
      py::arg("layer") = "rgb", py::arg("views") = 1, py::arg("turntable") = false, py::arg("azimuth") = 40.0,
      py::arg("elevation") = 15.0, py::arg("follow") = true, py::arg("ground") = true, py::arg("up") = py::none(),
      py::arg("forward") = py::none(), py::arg("progress") = py::none(),
      "Draws a model: the whole clip (its name or number; by default the first, \"rest\" for none), or one moment "
      "of it. Layers: rgb, mask, depth, normals, parts, skeleton, weights. Angles are degrees: azimuth 0 is its "
      "front, 90 its left.");
}

}  // namespace limber::python
