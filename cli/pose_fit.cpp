// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "command.h"
#include "limber/asset/pose.h"
#include "limber/base/stopwatch.h"
#include "limber/pose_space/fit_scans.h"
#include "pose_command.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;

/// All surfaces of a file, in the subject's world.
Result<pose_space::Scan> read_scan(const Terminal& terminal, const std::string& path, const rig::Subject& subject) {
  LIMBER_TRY(const asset::Asset asset, read_asset_file(terminal, path));
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (const asset::PosedPrimitive& part : asset::posed_geometry(asset, asset::rest_state(asset))) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (const Vec3d& p : part.positions)
      points.push_back((1 / subject.asset_scale) * (p.cast<float>() - subject.asset_offset));
    const asset::Primitive& primitive =
        asset.meshes[static_cast<std::size_t>(part.mesh)].primitives[static_cast<std::size_t>(part.primitive)];
    for (const auto& [a, b, c] : asset::triangles(primitive))
      triangles.push_back({first + a, first + (part.mirrored ? c : b), first + (part.mirrored ? b : c)});
  }
  Result<pose_space::Scan> scan = pose_space::Scan::make(points, triangles);
  if (!scan.ok()) return Error{scan.error().what, path};
  return scan;
}

Json report_of(const pose_space::FittedScans& fitted, const std::vector<std::string>& scans) {
  Json frames = Json::array();
  for (std::size_t f = 0; f < fitted.frames.size(); ++f) {
    const pose_space::FrameFit& frame = fitted.frames[f];
    Json entry{{"scan", scans[f]},
               {"scan_to_body", frame.distance.scan_to_body},
               {"body_to_scan", frame.distance.body_to_scan},
               {"explained", frame.distance.explained},
               {"plausible", frame.plausible}};
    if (!frame.doubt.empty()) entry["doubt"] = frame.doubt;
    frames.push_back(std::move(entry));
  }
  return frames;
}

}  // namespace

Status run_fit(const Terminal& terminal, const PoseOptions& options) {
  LIMBER_TRY(Opened opened, open_file(terminal, options));
  std::vector<pose_space::Scan> scans;
  for (const std::string& path : options.scans) {
    LIMBER_TRY(pose_space::Scan scan, read_scan(terminal, path, opened.subject));
    scans.push_back(std::move(scan));
  }
  pose_space::ScanFitSettings settings;
  settings.fps = options.fps, settings.seed = options.seed;
  settings.smooth_weight = options.smooth, settings.prior_weight = options.prior;
  const Stopwatch watch;
  const Result<pose_space::FittedScans> fitted = [&] {
    Activity activity(terminal, fmt::format("fitting {} scans", scans.size()));
    settings.progress = [&](std::string_view, double done) {
      activity.update(done);
      return true;
    };
    return pose_space::fit_scans(opened.subject, opened.space, scans, settings);
  }();
  LIMBER_CHECK_OK(fitted);
  int doubts = 0;
  double apart = 0;
  for (std::size_t f = 0; f < scans.size(); ++f) {
    const pose_space::FrameFit& frame = fitted->frames[f];
    apart += (frame.distance.scan_to_body + frame.distance.body_to_scan) / (2 * static_cast<double>(scans.size()));
    if (frame.doubt.empty()) continue;
    ++doubts;
    spdlog::warn("{}: {}", printable(options.scans[f]), frame.doubt);
  }
  LIMBER_CHECK_OK(write_motion(terminal, opened, fitted->motion, "fit", options.output));
  if (terminal.json) {
    print_json({{"command", "pose fit"},
                {"output", options.output},
                {"clip", "fit"},
                {"apart", apart},
                {"doubts", doubts},
                {"seconds", watch.seconds()},
                {"frames", report_of(*fitted, options.scans)}});
  } else {
    fmt::print("{} scans in {:.1f} s: the body is {:.2f} % of the height from them on average{}\n", scans.size(),
               watch.seconds(), 100 * apart, doubts > 0 ? fmt::format("; {} fits are doubtful", doubts) : "");
  }
  return Done{};
}

}  // namespace limber::cli
