// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "bench/bench.h"
#include "bench/timing.h"
#include "limber/asset/pose.h"
#include "limber/asset/video.h"
#include "limber/base/checksum.h"
#include "limber/base/simd.h"
#include "limber/base/threads.h"
#include "limber/exporter/exporter.h"
#include "limber/scene/layers.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::bench {
namespace {

constexpr int kFrames = 12;

/// A zoo quadruped that walks while the camera goes round it, drawn in 1080p.
class Turntable {
 public:
  explicit Turntable(std::uint64_t seed) : asset_(make_asset(seed)), body_(scene::Body::from_asset(asset_).value()) {
    std::vector<scene::Box> boxes;
    for (int f = 0; f < kFrames; ++f) {
      body_.pose(state(f), pose_);
      boxes.push_back(scene::pose_box(body_.mesh(), pose_));
    }
    scene::OrbitSettings orbit;
    orbit.width = 1920, orbit.height = 1080;
    orbit.turn = static_cast<float>(2 * kPi);
    cameras_ = scene::orbit_cameras(boxes, 24, orbit);
  }

  std::size_t triangles() const { return body_.mesh().triangles.size(); }

  /// Draws all frames; hands each on where `writer` is there.
  void run(std::span<const scene::Layer> layers, asset::VideoWriter* writer = nullptr) {
    scene::LayerRenderer renderer(body_);
    for (int f = 0; f < kFrames; ++f) {
      body_.pose(state(f), pose_);
      renderer.set_pose(pose_);
      renderer.draw(cameras_[static_cast<std::size_t>(f)], layers, pictures_);
      if (writer != nullptr) writer->add(pictures_[0]).value();
    }
  }

  /// Over the last frame.
  std::uint64_t checksum() const {
    Checksum sum;
    for (const Bitmap& picture : pictures_) sum.add(picture.pixels);
    return sum.value();
  }

 private:
  static asset::Asset make_asset(std::uint64_t seed) {
    zoo::CreatureSettings settings;
    settings.seed = seed;
    zoo::Creature creature = zoo::make_creature(settings).value();
    asset::Asset asset = zoo::static_asset(creature);
    exporter::add_rig(asset, creature.subject).value();
    zoo::ActionSettings action;
    action.frames = 24;
    const zoo::Performance walk = zoo::perform(creature, action).value();
    exporter::add_clip(asset, creature.subject, walk.motion, {.name = "walk"}).value();
    return asset;
  }
  asset::NodeState state(int frame) const { return asset::clip_state(asset_, asset_.clips[0], frame / 24.0); }

  asset::Asset asset_;
  scene::Body body_;
  scene::BodyPose pose_;
  std::vector<scene::Camera> cameras_;
  std::vector<Bitmap> pictures_;
};

Row rate_row(const std::string& name, const Timing& timing, const std::string& aim, std::string note) {
  return {name, 1000 * kFrames / timing.median, "frames/s", aim, std::move(note)};
}

Report bench_render(const TimedSettings& settings) {
  Turntable turntable(settings.seed);
  Report report;
  report.title = fmt::format("render: zoo quadruped {} walking on a turntable, {} triangles, 1920x1080, {}",
                             settings.seed, turntable.triangles(), simd_level_name(simd_level()));
  using scene::Layer;
  const Layer rgb[] = {Layer::kRgb}, all[] = {Layer::kRgb,   Layer::kMask,     Layer::kDepth,  Layer::kNormals,
                                              Layer::kParts, Layer::kSkeleton, Layer::kWeights};
  const int threads_before = thread_count();
  std::uint64_t first = 0;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    const Timing timing = time_runs(settings.repetitions, [&] { turntable.run(rgb); });
    const std::uint64_t hash = turntable.checksum();
    if (threads == 1) first = hash;
    report.rows.push_back(rate_row(fmt::format("rgb/threads:{}", threads), timing, "",
                                   fmt::format("checksum {:016x}{}", hash, hash == first ? "" : " DIFFERS")));
  }
  set_thread_count(threads_before);
  report.rows.push_back(rate_row("all layers", time_runs(settings.repetitions, [&] { turntable.run(all); }), "", ""));

  // With encoding, where ffmpeg is there.
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("limber-bench-{}.mp4", ::getpid());
  bool encoded = true;
  const Timing with_video = time_runs(settings.repetitions, [&] {
    Result<asset::VideoWriter> writer = asset::VideoWriter::create(file, 1920, 1080, {.fast = true});
    encoded = writer.ok();
    if (!encoded) return;
    turntable.run(rgb, &*writer);
    encoded = writer->finish().ok();
  });
  std::error_code error;
  std::filesystem::remove(file, error);
  if (encoded) report.rows.push_back(rate_row("rgb, written as .mp4", with_video, ">= 10", ""));
  return report;
}

}  // namespace

void add_render_bench(CLI::App& bench, cli::Terminal& terminal) {
  add_plain_subject(bench, terminal,
                    {"render", "Pictures of a mesh in layers, and videos", "  limber-lab bench render --repetitions 3"},
                    bench_render);
}

}  // namespace limber::bench
