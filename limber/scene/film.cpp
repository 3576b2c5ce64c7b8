// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/asset/pose.h"
#include "limber/asset/surface.h"

namespace limber::scene {
namespace {

constexpr double kMostBytes = 4294967296.0;

asset::NodeState state_at(const asset::Asset& asset, int clip, double time) {
  return clip < 0 ? asset::rest_state(asset)
                  : asset::clip_state(asset, asset.clips[static_cast<std::size_t>(clip)], time);
}

/// The turn that brings up to +Y and forward to +Z.
Quat upright_turn(const rig::Facing& facing) {
  const Vec3 y{0, 1, 0};
  const Quat upright = rotation_between(facing.up, y);
  const Vec3 ahead = rotate(upright, facing.forward);
  return axis_angle(y, -std::atan2(ahead.x, ahead.z)) * upright;
}

Status check(const asset::Asset& asset, const Body& body, const FilmSettings& settings) {
  const Layer layer = settings.layer;
  const bool needs_rig = layer == Layer::kParts || layer == Layer::kSkeleton || layer == Layer::kWeights;
  if (needs_rig && !body.subject()) {
    return Error{fmt::format("the layer '{}' needs a skeleton, and there is none", name(layer)), asset.name};
  }
  if (body.mesh().triangles.empty() && !body.subject()) return Error{"there is nothing to draw", asset.name};
  const OrbitSettings& orbit = settings.orbit;
  const double bytes = 3.0 * orbit.width * orbit.height * orbit.views * static_cast<double>(settings.times.size());
  if (bytes <= kMostBytes) return Done{};
  return Error{fmt::format("{:.0f} bytes of pictures are too many", bytes), asset.name, ErrorKind::kOutOfMemory};
}

/// What is seen of the body at every time, for cameras to be placed.
std::vector<std::vector<Vec3>> outlines(const asset::Asset& asset, const Body& body, const FilmSettings& settings) {
  std::vector<std::vector<Vec3>> result;
  const std::vector<std::uint32_t> seen = seen_points(body.mesh());
  std::vector<Vec3> points;
  BodyPose pose;
  for (const double time : settings.times) {
    body.pose(state_at(asset, settings.clip, time), pose);
    points.clear();
    for (const std::uint32_t i : seen) points.push_back(pose.points[i]);
    result.push_back(outline(seen.empty() ? pose.joints : points));
  }
  return result;
}

}  // namespace

void fit_ground(const BodyMesh& mesh, const BodyPose& rest, GroundSettings& ground) {
  const Box box = pose_box(mesh, rest);
  if (box.empty()) return;
  const float size = std::max(1.0f, 0.6f * std::max(box.size().x, box.size().z));
  ground.cell *= size, ground.fade *= size;
}

Result<Film> film_asset(asset::Asset asset, const FilmSettings& settings) {
  if (settings.clip >= static_cast<int>(asset.clips.size())) {
    return Error{fmt::format("there is no clip #{}", settings.clip), asset.name};
  }
  if (const Quat turn = upright_turn(settings.facing); !(turn == Quat{})) asset::turn_scene(asset, turn);
  LIMBER_TRY(const Body body, Body::from_asset(asset));
  LIMBER_CHECK_OK(check(asset, body, settings));

  BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  LayerSettings look = settings.look;
  fit_ground(body.mesh(), pose, look.ground);
  const std::vector<Camera> cameras = orbit_cameras(outlines(asset, body, settings), settings.fps, settings.orbit);
  LayerRenderer renderer(body, look);
  const std::size_t times = settings.times.size();
  Film film{static_cast<int>(times), settings.orbit.views, settings.orbit.width, settings.orbit.height, {}};
  std::vector<Bitmap> pictures;
  for (std::size_t t = 0; t < times; ++t) {
    if (settings.progress && !settings.progress("drawing", static_cast<double>(t) / static_cast<double>(times))) {
      return cancelled(asset.name);
    }
    body.pose(state_at(asset, settings.clip, settings.times[t]), pose);
    renderer.set_pose(pose);
    for (int v = 0; v < film.views; ++v) {
      renderer.draw(cameras[static_cast<std::size_t>(v) * times + t], {&settings.layer, 1}, pictures);
      film.pixels.insert(film.pixels.end(), pictures[0].pixels.begin(), pictures[0].pixels.end());
    }
  }
  return film;
}

}  // namespace limber::scene
