// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "bench.h"
#include "timing.h"
#include "limber/base/rng.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/scene.h"
#include "limber/splat/surface.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::cli {
namespace {

struct Sizes {
  int gaussians = 0, width = 0, height = 0, frames = 1, views = 1;

  std::string name() const {
    return fmt::format("{}x{}/gaussians:{}/frames:{}/views:{}", width, height, gaussians, frames, views);
  }
};

/// What of the ground is drawn.
struct Ground {
  const char* name;
  bool visible, shadow, hide;
};
constexpr Ground kGrounds[] = {{"sky", false, false, false},
                               {"ground", true, false, false},
                               {"ground+hide", true, false, true},
                               {"ground+hide+shadow", true, true, true}};

/// The quadruped of `bench splat`, on the spot, as a Scene.
class Workload {
 public:
  Workload(const Sizes& sizes, std::uint64_t seed) : sizes_(sizes), creature_(make_creature(seed)) {
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
    make_cameras();

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
  static zoo::Creature make_creature(std::uint64_t seed) {
    zoo::CreatureSettings settings;
    settings.seed = seed;
    return zoo::make_creature(settings).value();
  }

  void make_cameras() {
    Vec3 low = creature_.subject.points[0], high = low;
    for (const Vec3& p : creature_.subject.points) low = min(low, p), high = max(high, p);
    const Vec3 middle = 0.5f * (low + high);
    constexpr float kField = 0.6f;
    const float distance = 0.5f * (high.y - low.y) / 0.8f / std::tan(0.5f * kField);
    for (int v = 0; v < sizes_.views; ++v) {
      for (int f = 0; f < sizes_.frames; ++f) {
        const float angle =
            1.2f + 2 * static_cast<float>(kPi) * static_cast<float>(v) / static_cast<float>(sizes_.views);
        const Vec3 eye = middle + distance * Vec3{std::sin(angle), 0.3f, std::cos(angle)};
        cameras_.push_back(splat::look_at(eye, middle, {0, 1, 0}, kField, sizes_.width, sizes_.height));
      }
    }
  }

  Sizes sizes_;
  zoo::Creature creature_;
  kinematics::Motion motion_;
  splat::Gaussians cloud_;
  std::vector<splat::Camera> cameras_;
  Frames frames_, weights_;
};

/// The row of a body of work: wall-clock time, and the least CPU time of all threads together, which a busy machine
/// distorts less.
BenchRow measure(const BenchSettings& settings, const std::string& name, const std::function<void()>& body) {
  double least = 1e300;
  const Timing timing = time_runs(settings.repetitions, [&] {
    const std::clock_t start = std::clock();
    body();
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  });
  BenchRow row = make_row(name, timing);
  row.note += fmt::format(", CPU {:.2f}", least);
  return row;
}

}  // namespace

void add_scene_rows(const BenchSettings& settings, BenchReport& report) {
  for (const Sizes& sizes : {Sizes{20000, 256, 384, 49, 1}, Sizes{4000, 64, 64, 24, 2}, Sizes{1000, 64, 64, 24, 2}}) {
    Workload work(sizes, settings.seed);
    for (const Ground& ground : kGrounds) {
      scene::Scene scene = work.scene(ground);
      BenchRow both = measure(settings, fmt::format("scene/{}/{}", sizes.name(), ground.name),
                              [&] { work.forward_backward(scene); });
      both.note += fmt::format(", {:.0f} MB", static_cast<double>(scene.bytes()) / 1e6);
      report.rows.push_back(both);
      if (sizes.gaussians > 1000) continue;
      // As a prior's trainer uses it: a new body for every clip, forward only.
      BenchRow clips = measure(settings, fmt::format("scene/{}/{}/forward", sizes.name(), ground.name), [&] {
        work.set_body(scene);
        work.forward(scene);
      });
      clips.value = 1000 / clips.value, clips.unit = "clips/s";
      report.rows.push_back(clips);
    }
  }
}

}  // namespace limber::cli
