// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/splat.h"
#include "limber/autorig/auto_rig.h"
#include "limber/base/rng.h"
#include "limber/kinematics/forward.h"
#include "limber/kinematics/skinning.h"
#include "limber/nn/shipped_models.h"
#include "limber/physics/ground.h"
#include "limber/prior/sketch_model.h"
#include "limber/prior/video_prior.h"
#include "limber/scene/body_splats.h"
#include "limber/scene/scene.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

/// How costs grow: the exponent of time over a decade of one size with all others kept. 1 is linear.
namespace limber::bench {
namespace {

struct GrowthSettings : TimedSettings {
  GrowthSettings() { repetitions = 3; }
  std::string groups;
};

/// Sizes of a decade, in equal steps of the logarithm.
std::vector<int> decade(int first) {
  std::vector<int> sizes;
  for (int k = 0; k < 4; ++k) sizes.push_back(static_cast<int>(std::lround(first * std::pow(10.0, k / 3.0))));
  return sizes;
}

/// The least CPU time of all threads together in seconds, which a busy machine distorts least.
double least_seconds(int repetitions, const std::function<void()>& work) {
  work();  // warms up
  double least = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const std::clock_t start = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

/// The slope of log time over log size, by least squares.
double exponent(const std::vector<int>& sizes, const std::vector<double>& seconds) {
  const double n = static_cast<double>(sizes.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double lx = std::log(sizes[i]), ly = std::log(std::max(seconds[i], 1e-9));
    x += lx / n, y += ly / n, xx += lx * lx / n, xy += lx * ly / n;
  }
  return (xy - x * y) / (xx - x * x);
}

/// One row: `prepare(size)` answers with what is timed. The last step tells of the end of the decade, where what is
/// paid once no longer hides the growth.
void add_row(const GrowthSettings& settings, const std::string& name, const std::vector<int>& sizes,
             const std::function<std::function<void()>(int)>& prepare, Report& report) {
  std::vector<double> seconds;
  std::string note;
  for (const int size : sizes) {
    const std::function<void()> work = prepare(size);
    seconds.push_back(least_seconds(settings.repetitions, work));
    note += fmt::format("{}{}: {:.3g} ms", note.empty() ? "" : ", ", size, 1e3 * seconds.back());
  }
  const std::size_t last = sizes.size() - 1;
  const double end = exponent({sizes[last - 1], sizes[last]}, {seconds[last - 1], seconds[last]});
  report.rows.push_back(
      {name, exponent(sizes, seconds), "exponent", "<= 1.1", fmt::format("last step {:.2f}; CPU {}", end, note)});
}

zoo::Creature make_creature(std::uint64_t seed) {
  zoo::CreatureSettings settings;
  settings.seed = seed;
  return zoo::make_creature(settings).value();
}

kinematics::Motion walk(const zoo::Creature& creature, int frames) {
  zoo::ActionSettings action;
  action.frames = frames;
  action.in_place = true;
  return zoo::perform(creature, action).value().motion;
}

// --- scenes: frames, Gaussians, pixels
// ---------------------------------------------------------------------------------

/// A scene that is drawn and differentiated.
struct Drawn {
  Drawn(const zoo::Creature& creature, const DrawSizes& sizes)
      : motion(walk(creature, sizes.frames)), cameras(fitted_cameras(creature.subject.points, sizes, {.rise = 0.3f})) {
    const asset::Asset asset = zoo::static_asset(creature);
    splat::SampleSettings settings;
    settings.count = static_cast<std::size_t>(sizes.gaussians);
    scene.emplace(creature.subject.rig, scene::subject_gaussians(creature.subject, &asset, settings),
                  scene::SceneSettings{});
    grad = Frames(sizes.views, sizes.frames, sizes.height, sizes.width);
    Rng rng(1);
    for (float& g : grad.values) g = static_cast<float>(rng.normal());
  }
  void run() {
    scene->forward(motion, cameras, frames);
    kinematics::MotionGradient gradient;
    scene->backward(motion, cameras, grad, gradient);
  }

  kinematics::Motion motion;
  std::vector<splat::Camera> cameras;
  std::optional<scene::Scene> scene;
  Frames frames, grad;
};

void add_scene_growth(const GrowthSettings& settings, Report& report) {
  const zoo::Creature creature = make_creature(settings.seed);
  const auto drawn = [&](const DrawSizes& sizes) -> std::function<void()> {
    return [work = std::make_shared<Drawn>(creature, sizes)] { work->run(); };
  };
  add_row(
      settings, "scene forward+backward/frames", decade(12),
      [&](int frames) {
        return drawn({4000, 64, 64, frames, 1});
      },
      report);
  add_row(
      settings, "scene forward+backward/Gaussians", decade(4000),
      [&](int count) {
        return drawn({count, 128, 128, 6, 1});
      },
      report);
  add_row(
      settings, "scene forward+backward/rows of pixels", decade(24),
      [&](int rows) {
        return drawn({2000, 128, rows, 6, 1});
      },
      report);
}

// --- kinematics: joints, points
// ----------------------------------------------------------------------------------------

/// A chain of joints with as many points on each.
struct Skinned {
  Skinned(int joints, int points) : rig(chain(joints)), motion(kinematics::rest_motion(rig, 24, 24)) {
    Rng rng(1);
    for (Vec3& angle : motion.angles) angle = {static_cast<float>(0.1 * rng.normal()), 0, 0};
    std::vector<std::vector<rig::Influence>> rows;
    for (int p = 0; p < points; ++p) {
      const int joint = static_cast<int>(static_cast<std::int64_t>(p) * joints / points);
      rest.push_back(rig.world_from_rest()[static_cast<std::size_t>(joint)].translation);
      const auto next = static_cast<std::uint16_t>(std::min(joint + 1, joints - 1));
      rows.push_back({{static_cast<std::uint16_t>(joint), 0.7f}, {next, 0.3f}});
    }
    weights = rig::make_skin_weights(rows, 4);
    posed.resize(rest.size() * 24);
  }
  void run() {
    bones = kinematics::bone_matrices(rig, motion);
    const kinematics::SkinInput input{&weights, rest, {}, {}, rig.bone_count(), 24, bones};
    kinematics::skin_forward(input, {posed, {}, {}});
    grad_bones.assign(bones.size(), Affine{Mat3{}, {}});
    kinematics::skin_backward(input, {posed, {}, {}}, {grad_bones, {}, {}, {}});
    kinematics::MotionGradient gradient;
    kinematics::motion_backward(rig, motion, grad_bones, gradient);
  }

  static rig::Rig chain(int joints) {
    rig::RigDraft draft;
    for (int j = 0; j < joints; ++j) {
      rig::Joint joint;
      joint.name = fmt::format("joint {}", j);
      joint.parent = j - 1;
      joint.rest.translation = {0, 1 / static_cast<float>(joints), 0};
      draft.joints.push_back(joint);
    }
    return rig::build_rig(std::move(draft)).value();
  }

  rig::Rig rig;
  kinematics::Motion motion;
  rig::SkinWeights weights;
  std::vector<Vec3> rest, posed;
  std::vector<Affine> bones, grad_bones;
};

void add_kinematics_growth(const GrowthSettings& settings, Report& report) {
  const auto skinned = [](int joints, int points) -> std::function<void()> {
    return [work = std::make_shared<Skinned>(joints, points)] { work->run(); };
  };
  add_row(
      settings, "angles to points and back/joints", decade(50), [&](int joints) { return skinned(joints, 2000); },
      report);
  add_row(
      settings, "angles to points and back/points", decade(10000), [&](int points) { return skinned(40, points); },
      report);
}

// --- whole stages: triangles, frames, steps
// ----------------------------------------------------------------------------

void add_rig_growth(const GrowthSettings& settings, Report& report) {
  autorig::AutoRigSettings usual;
  std::vector<int> triangles;
  std::vector<std::shared_ptr<asset::Asset>> statues;
  for (const int resolution : {60, 88, 130, 190}) {
    zoo::CreatureSettings body;
    body.seed = settings.seed, body.resolution = resolution;
    const zoo::Creature creature = zoo::make_creature(body).value();
    statues.push_back(std::make_shared<asset::Asset>(zoo::static_asset(creature)));
    triangles.push_back(static_cast<int>(creature.subject.triangles.size()));
  }
  std::size_t next = 0;
  add_row(
      settings, "skeleton and weights for a static body/triangles", triangles,
      [&](int) -> std::function<void()> {
        return [statue = statues[next++], usual] { (void)autorig::auto_rig(*statue, usual); };
      },
      report);
}

void add_physics_growth(const GrowthSettings& settings, Report& report) {
  const zoo::Creature creature = make_creature(settings.seed);
  add_row(
      settings, "simulated on the ground/frames", decade(30),
      [&](int frames) -> std::function<void()> {
        return [&creature, motion = walk(creature, frames)] { (void)physics::ground_motion(creature.subject, motion); };
      },
      report);
}

Status add_prior_growth(const GrowthSettings& settings, Report& report) {
  LIMBER_TRY(const std::filesystem::path folder, nn::find_shipped_model("sketch_prior", prior::is_sketch_model));
  LIMBER_TRY(const std::unique_ptr<prior::VideoPrior> model, prior::load_prior(folder, {}));
  LIMBER_TRY(const prior::Condition condition, model->condition({"a fox trots", ""}));
  add_row(
      settings, "a sample of the built-in prior/steps", decade(4),
      [&](int steps) -> std::function<void()> {
        prior::SampleSettings sample;
        sample.steps = steps;
        return [&model, &condition, sample] { (void)model->sample(condition, sample); };
      },
      report);
  return Done{};
}

Result<Report> bench_growth(const GrowthSettings& settings) {
  Report report{"growth: exponents of CPU time over a decade of one size, the others kept", {}};
  if (holds_name(settings.groups, "scene")) add_scene_growth(settings, report);
  if (holds_name(settings.groups, "kinematics")) add_kinematics_growth(settings, report);
  if (holds_name(settings.groups, "rig")) add_rig_growth(settings, report);
  if (holds_name(settings.groups, "physics")) add_physics_growth(settings, report);
  if (holds_name(settings.groups, "prior")) LIMBER_CHECK_OK(add_prior_growth(settings, report));
  return report;
}

}  // namespace

void add_growth_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<GrowthSettings>();
  CLI::App& command = add_timed_subject(
      bench, terminal,
      {"growth", "How costs grow with frames, Gaussians, joints, points, triangles and steps",
       "  limber-lab bench growth\n  limber-lab bench growth --groups scene,kinematics --repetitions 5"},
      *settings, [settings] { return bench_growth(*settings); });
  add_groups_option(command, settings->groups, {"scene", "kinematics", "rig", "physics", "prior"});
}

}  // namespace limber::bench
