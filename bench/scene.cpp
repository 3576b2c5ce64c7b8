// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "bench/splat.h"
#include "bench/timing.h"
#include "limber/base/rng.h"
#include "limber/scene/body_splats.h"
#include "limber/splat/surface.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::bench {
namespace {

/// What of the ground is drawn.
struct Ground {
  const char* name;
  bool visible = false, shadow = false, hide = false;
};
constexpr Ground kGrounds[] = {{.name = "sky"},
                               {.name = "ground", .visible = true},
                               {.name = "ground+hide", .visible = true, .hide = true},
                               {.name = "ground+hide+shadow", .visible = true, .shadow = true, .hide = true}};

/// The quadruped of `bench splat`, on the spot, as a Scene.
class Workload {
 public:
  Workload(const DrawSizes& sizes, std::uint64_t seed) : creature_(zoo::make_creature({.seed = seed}).value()) {
    zoo::ActionSettings action;
    action.frames = std::max(sizes.frames, 2);
    action.in_place = true;
    motion_ = zoo::perform(creature_, action).value().motion;
    motion_.angles.resize(static_cast<std::size_t>(sizes.frames * motion_.joint_count));
    motion_.root_translations.resize(static_cast<std::size_t>(sizes.frames));

    const asset::Asset asset = zoo::static_asset(creature_);
    splat::SampleSettings settings;
    settings.count = static_cast<std::size_t>(sizes.gaussians);
    cloud_ = scene::subject_gaussians(creature_.subject, &asset, settings);
    cameras_ = fitted_cameras(creature_.subject.points, sizes, {.rise = 0.3f});

    Rng rng(seed);
    weights_ = Frames(sizes.views, sizes.frames, sizes.height, sizes.width);
    for (float& w : weights_.values) w = static_cast<float>(rng.normal());
  }

  scene::Scene scene(const Ground& ground) const {
    scene::SceneSettings settings;
    settings.ground.visible = ground.visible;
    if (!ground.shadow) settings.ground.shadow = 0;
    if (!ground.hide) settings.hide_depth = -1;
    return {creature_.subject.rig, cloud_, settings};
  }

  void set_body(scene::Scene& scene) const { scene.set_body(creature_.subject.rig, cloud_); }
  void forward(scene::Scene& scene) { scene.forward(motion_, cameras_, frames_); }
  void forward_backward(scene::Scene& scene) {
    forward(scene);
    kinematics::MotionGradient gradient;
    scene.backward(motion_, cameras_, weights_, gradient);
  }

 private:
  zoo::Creature creature_;
  kinematics::Motion motion_;
  splat::Gaussians cloud_;
  std::vector<splat::Camera> cameras_;
  Frames frames_, weights_;
};

/// The row of a body of work: wall-clock time, and the least CPU time of all threads together, which a busy machine
/// distorts less.
Row measure(const TimedSettings& settings, const std::string& name, const std::function<void()>& body) {
  double least = 1e300;
  const Timing timing = time_runs(settings.repetitions, [&] {
    const std::clock_t start = std::clock();
    body();
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  });
  Row row = make_row(name, timing);
  row.note += fmt::format(", CPU {:.2f}", least);
  return row;
}

}  // namespace

void add_scene_rows(const TimedSettings& settings, Report& report) {
  for (const DrawSizes& sizes :
       {DrawSizes{20000, 256, 384, 49, 1}, DrawSizes{4000, 64, 64, 24, 2}, DrawSizes{1000, 64, 64, 24, 2}}) {
    Workload work(sizes, settings.seed);
    for (const Ground& ground : kGrounds) {
      scene::Scene scene = work.scene(ground);
      Row both = measure(settings, fmt::format("scene/{}/{}", sizes.name(), ground.name),
                         [&] { work.forward_backward(scene); });
      both.note += fmt::format(", {:.0f} MB", static_cast<double>(scene.bytes()) / 1e6);
      report.rows.push_back(both);
      if (sizes.gaussians > 1000) continue;
      // As a prior's trainer uses it: a new body for every clip, forward only.
      Row clips = measure(settings, fmt::format("scene/{}/{}/forward", sizes.name(), ground.name), [&] {
        work.set_body(scene);
        work.forward(scene);
      });
      clips.value = 1000 / clips.value, clips.unit = "clips/s";
      report.rows.push_back(clips);
    }
  }
}

}  // namespace limber::bench
