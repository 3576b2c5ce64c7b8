// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "bench/parts.h"
#include "bench/split.h"
#include "limber/asset/read.h"
#include "limber/exporter/exporter.h"
#include "limber/kinematics/clip.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/parts/asset_parts.h"
#include "limber/rig/subject.h"

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kFps = 12;

std::uint64_t creature_number(const PartsBench& bench, BodySet set, int i) {
  return 1000 * (bench.settings.seed + (set == BodySet::kTest ? 0 : 1)) + static_cast<std::uint64_t>(i);
}

/// Models of a list, as many as are asked for, evenly over it.
std::vector<fs::path> artists_of(const PartsBench& bench, BodySet set) {
  const PartsSettings& settings = bench.settings;
  std::vector<fs::path> all;
  for (const std::string& name : split_list(settings.split, set == BodySet::kTest ? "test" : "train")) {
    if (name.find(settings.only) != std::string::npos) all.push_back(fs::path(settings.split).parent_path() / name);
  }
  std::vector<fs::path> chosen;
  const std::size_t count = std::min(all.size(), static_cast<std::size_t>(std::max(settings.artists, 0)));
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

/// Points of a rigged asset in the middle of its longest clip, `count` times a sixth of a second apart.
std::vector<std::vector<Vec3>> moments_of(const asset::Asset& asset, const rig::Facing& facing, int count) {
  std::vector<std::vector<Vec3>> moments;
  const Result<rig::Subject> subject = rig::subject_from_asset(asset);
  if (!subject.ok() || count == 0) return moments;
  std::vector<kinematics::Motion> motions;
  for (const asset::Clip& clip : asset.clips) {
    Result<kinematics::Motion> motion = kinematics::motion_from_clip(asset, clip, *subject, kFps);
    if (motion.ok()) motions.push_back(std::move(motion).value());
  }
  const auto longest = std::max_element(motions.begin(), motions.end(),
                                        [](const auto& a, const auto& b) { return a.frame_count() < b.frame_count(); });
  if (longest == motions.end()) return moments;
  const Vec3 up = facing.up, ahead = facing.forward, left = cross(up, ahead);
  const std::vector<Affine> bones = kinematics::bone_matrices(subject->rig, *longest);
  const auto each = static_cast<std::size_t>(subject->rig.bone_count());
  for (int i = 0; i < count; ++i) {
    const int frame = std::min(longest->frame_count() / 3 + 2 * i, longest->frame_count() - 1);
    std::vector<Vec3> posed(subject->points.size());
    kinematics::SkinInput input;
    input.weights = &subject->weights, input.points = subject->points;
    input.bones = std::span(bones).subspan(each * static_cast<std::size_t>(frame), each);
    input.bone_count = subject->rig.bone_count(), input.frame_count = 1;
    kinematics::skin_forward(input, {posed, {}, {}});
    for (Vec3& p : posed) p = {dot(left, p), dot(up, p), dot(ahead, p)};
    moments.push_back(std::move(posed));
  }
  return moments;
}

}  // namespace

std::vector<double> areas_of(const training::KnownParts& body) {
  std::vector<double> areas;
  for (const parts::Triangle& t : body.triangles) {
    const Vec3 normal = cross(body.points[t[1]] - body.points[t[0]], body.points[t[2]] - body.points[t[0]]);
    areas.push_back(is_finite(normal) ? double(norm(normal)) : 0.0);
  }
  return areas;
}

Status for_creatures(const PartsBench& bench, BodySet set, int moments,
                     const std::function<Status(const training::KnownParts&)>& measure) {
  for (int i = 0; i < bench.settings.creatures && !bench.late(); ++i) {
    const auto body = training::creature_with_parts(creature_number(bench, set, i), 1, moments);
    if (body.ok()) LIMBER_CHECK_OK(measure(*body));
  }
  return Done{};
}

Status for_artists(const PartsBench& bench, BodySet set, int moments,
                   const std::function<Status(const training::KnownParts&)>& measure) {
  for (const fs::path& file : artists_of(bench, set)) {
    if (bench.late()) break;
    const Result<asset::Asset> asset = asset::read_asset(file);
    if (!asset.ok()) continue;
    const Result<parts::RiggedParts> truth = parts::rigged_parts(*asset);
    if (!truth.ok() || truth->parts.count < 2) continue;
    training::KnownParts body{
        file.stem().string(), truth->mesh.points, truth->mesh.triangles, truth->mesh.colors, {}, {}};
    body.labels.assign(truth->parts.part_of_triangle.begin(), truth->parts.part_of_triangle.end());
    body.moments = moments_of(*asset, truth->mesh.facing, moments);
    LIMBER_CHECK_OK(measure(body));
  }
  return Done{};
}

Status for_rigged(const PartsBench& bench, BodySet set, bool artists,
                  const std::function<Status(const asset::Asset&, const std::string&)>& measure) {
  if (artists) {
    for (const fs::path& file : artists_of(bench, set)) {
      const Result<asset::Asset> asset = asset::read_asset(file);
      if (asset.ok() && !bench.late()) LIMBER_CHECK_OK(measure(*asset, file.stem().string()));
    }
    return Done{};
  }
  for (int i = 0; i < bench.settings.creatures && !bench.late(); ++i) {
    auto creature = training::creature_to_measure(creature_number(bench, set, i));
    if (!creature.ok()) continue;
    asset::Asset asset = zoo::static_asset(*creature);
    LIMBER_CHECK_OK(exporter::add_rig(asset, creature->subject));
    LIMBER_CHECK_OK(measure(asset, creature->name));
  }
  return Done{};
}

}  // namespace limber::bench
