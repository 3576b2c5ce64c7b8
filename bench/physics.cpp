// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/physics.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "bench/bench.h"
#include "bench/humanoid.h"
#include "bench/timing.h"
#include "bench/tracked_clips.h"
#include "limber/base/rng.h"
#include "limber/base/threads.h"
#include "limber/physics/rollout.h"
#include "limber/physics/step.h"
#if defined(LIMBER_WITH_MUJOCO)
#include <mujoco/mujoco.h>

#include <filesystem>
#endif

namespace limber::bench {
namespace {

using physics::Model;

struct PhysicsSettings : TimedSettings {
  bool clips = false;  ///< artists' clips instead of speed
  TrackedClipSettings tracked;
};

constexpr double kStep = 0.005;  ///< that of humanoid.xml
constexpr int kSteps = 400;

/// A humanoid that was dropped on its feet, sank to the ground and lies there.
template <class T>
struct Lying {
  physics::ModelT<T> model;
  physics::WorkspaceT<T> work;
  std::vector<T> targets, q, v;
  physics::StepSettings settings{.dt = kStep};

  explicit Lying(const Model& source) : model(source.cast<T>()), work(model), targets(model.hinges.size()) {
    q = physics::zero_position(model), v.resize(model.velocity_count());
    q[1] = static_cast<T>(kHumanoidHeight);
    for (int i = 0; i < 1000; ++i) step(q, v);
  }
  void step(std::vector<T>& at_q, std::vector<T>& at_v) {
    physics::step<T>(model, work, settings, {targets, {}, {}}, at_q, at_v, at_q, at_v);
  }
};

Row per_step(const std::string& name, Timing timing, int steps, const std::string& aim, const std::string& note) {
  return {name, 1000 * timing.median / steps, "us", aim,
          fmt::format("fastest {:.2f}{}{}", 1000 * timing.fastest / steps, note.empty() ? "" : ", ", note)};
}

template <class T>
void bench_step(const TimedSettings& settings, const Model& humanoid, const std::string& type, std::vector<Row>& rows) {
  Lying<T> body(humanoid);
  std::size_t contacts = 0;
  std::vector<T> q, v;
  const Timing forward = time_runs(settings.repetitions, [&] {
    q = body.q, v = body.v, contacts = 0;
    for (int i = 0; i < kSteps; ++i) body.step(q, v), contacts += body.work.contacts.size();
  });
  const std::string note = fmt::format("{:.1f} contacts", double(contacts) / kSteps);
  rows.push_back(per_step("step/humanoid:27/" + type, forward, kSteps, "<= 15", note));

  std::vector<T> grad_q(v.size(), T(1)), grad_v(v.size(), T(1)), grad_targets(body.targets.size());
  const Timing backward = time_runs(settings.repetitions, [&] {
    for (int i = 0; i < kSteps; ++i) {
      std::fill(grad_q.begin(), grad_q.end(), T(1)), std::fill(grad_v.begin(), grad_v.end(), T(1));
      physics::step_backward<T>(body.model, body.work, body.settings, {body.targets, {}, {}}, body.q, body.v, grad_q,
                                grad_v, {grad_q, grad_v, grad_targets, {}});
    }
  });
  rows.push_back(per_step("step vjp/humanoid:27/" + type, backward, kSteps, "<= 35", "step recomputed"));
}

/// The cost of a step against the number of bodies: a chain in the air.
void bench_chain(const TimedSettings& settings, int bodies, std::vector<Row>& rows) {
  Model model;
  for (int b = 0; b < bodies; ++b) {
    physics::BodyT<double> body;
    body.parent = b - 1, body.first_hinge = model.hinge_count(), body.hinge_count = b == 0 ? 0 : 3;
    body.centre = {0, -0.05, 0}, body.inertia = {0.01, 0, 0, 0.01, 0, 0.01};
    for (int k = 0; k < body.hinge_count; ++k) {
      physics::HingeT<double> hinge;
      hinge.axis[k] = 1, hinge.stiffness = 100, hinge.damping = 5;
      if (k == 0) hinge.offset = {0, -0.1, 0};
      model.hinges.push_back(hinge);
    }
    model.bodies.push_back(body);
  }
  physics::Workspace work(model);
  std::vector<double> targets(model.hinges.size(), 0.1), q, v;
  const Timing timing = time_runs(settings.repetitions, [&] {
    q = zero_position(model), v.assign(model.velocity_count(), 0);
    for (int i = 0; i < kSteps; ++i) {
      physics::step<double>(model, work, {.dt = kStep, .ground = false}, {targets, {}, {}}, q, v, q, v);
    }
  });
  const int dof = 6 + model.hinge_count();
  rows.push_back(per_step(fmt::format("step/chain:{}", dof), timing, kSteps, "",
                          fmt::format("{:.3f} us per DoF", 1000 * timing.median / kSteps / dof)));
}

/// Many humanoids at once, on all threads.
void bench_rollouts(const TimedSettings& settings, const Model& humanoid, std::vector<Row>& rows) {
  constexpr int kBodies = 32, kLength = 200;
  const Lying<double> body(humanoid);
  Rng rng(settings.seed);
  std::vector<std::vector<double>> targets(kBodies, std::vector<double>(humanoid.hinges.size()));
  for (auto& t : targets) std::generate(t.begin(), t.end(), [&] { return rng.uniform(-0.5, 0.5); });
  std::vector<physics::RolloutInputT<double>> inputs;
  for (const auto& t : targets) inputs.push_back({body.q, body.v, kLength, kLength, t, {}, {}});
  std::vector<physics::RolloutT<double>> results(kBodies);
  const Timing timing = time_runs(settings.repetitions,
                                  [&] { physics::rollouts_forward<double>(humanoid, body.settings, inputs, results); });
  double sum = 0;
  for (const auto& r : results) sum += r.q.back() + r.q[r.q.size() - humanoid.position_count() + 1];
  rows.push_back({fmt::format("rollouts/humanoid:27/bodies:{}", kBodies), kBodies * kLength / timing.median, "steps/ms",
                  "", fmt::format("{} threads, checksum {:.12g}", thread_count(), sum)});
}

/// As long as AKD's clips: 49 frames at 8 frames a second, 15 bones.
void bench_tracking(const TimedSettings& settings, std::vector<Row>& rows) {
  const BrokenWalk broken = broken_walk({.plan = zoo::Plan::kQuadruped, .seed = settings.seed}, 8, 49).value();
  physics::GroundSettings ground;
  ground.puppet.max_bodies = 15;
  ground.reference.lead_seconds = 0;
  std::optional<physics::Grounded> grounded;
  const Timing timing =
      time_runs(1, [&] { grounded = *physics::ground_motion(broken.creature.subject, broken.motion, ground); });
  rows.push_back(
      {fmt::format("tracking/frames:{}/bodies:{}", broken.motion.frame_count(), grounded->puppet.model.body_count()),
       timing.median / 1000, "s", "<= 20",
       fmt::format("{} rollouts of {} steps, {:.2f} degrees a joint", grounded->track.iterations, grounded->track.steps,
                   grounded->track.joint_error)});
}

/// Before and after.
void bench_grounding(const TimedSettings& settings, std::vector<Row>& rows) {
  const BrokenWalk broken = broken_walk({.plan = zoo::Plan::kQuadruped, .seed = settings.seed}, 24, 0).value();
  const physics::Grounded grounded = *physics::ground_motion(broken.creature.subject, broken.motion);
  const metrics::MotionMetrics before = measure_walk(broken, broken.motion),
                               after = measure_walk(broken, grounded.motion);
  const auto row = [&](const char* name, double was, double is, const char* unit) {
    rows.push_back({name, is, unit, "", fmt::format("before {:.3f}", was)});
  };
  row("grounded walk: skate", 100 * before.skate, 100 * after.skate, "% height/s");
  row("grounded walk: slip", 100 * before.slip, 100 * after.slip, "% height");
  row("grounded walk: float", 100 * before.floating, 100 * after.floating, "% height");
  row("grounded walk: penetration", 100 * before.penetration, 100 * after.penetration, "% height");
  rows.push_back({"grounded walk: joint error", grounded.track.joint_error, "degrees", "<= 8", ""});
}

#if defined(LIMBER_WITH_MUJOCO)
struct Release {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

void bench_mujoco(const TimedSettings& settings, const Model& humanoid, std::vector<Row>& rows) {
  const std::filesystem::path path = "/usr/share/mujoco/model/humanoid/humanoid.xml";
  char error[500] = "";
  const std::unique_ptr<mjModel, Release> model(mj_loadXML(path.c_str(), nullptr, error, sizeof error));
  if (!model) {
    rows.push_back({"mujoco step/humanoid:27", 0, "us", "", "humanoid.xml is not there: install libmujoco-samples"});
    return;
  }
  double mass = 0;
  for (int b = 0; b < model->nbody; ++b) mass += model->body_mass[b];
  const std::unique_ptr<mjData, Release> data(mj_makeData(model.get())), start(mj_makeData(model.get()));
  start->qpos[2] = kHumanoidHeight;
  for (int i = 0; i < 1000; ++i) mj_step(model.get(), start.get());
  long contacts = 0;
  const Timing step = time_runs(settings.repetitions, [&] {
    mj_copyData(data.get(), model.get(), start.get());
    contacts = 0;
    for (int i = 0; i < kSteps; ++i) mj_step(model.get(), data.get()), contacts += data->ncon;
  });
  rows.push_back(per_step(
      fmt::format("mujoco {} step/humanoid:{}", mj_versionString(), model->nv), step, kSteps, "",
      fmt::format("{:.1f} contacts, {:.1f} kg (ours {:.1f})", double(contacts) / kSteps, mass, humanoid.total_mass())));
  const auto n = static_cast<std::size_t>(2 * model->nv);
  std::vector<double> jacobian(n * n), controls(n * static_cast<std::size_t>(model->nu));
  const Timing differences = time_runs(settings.repetitions, [&] {
    mj_copyData(data.get(), model.get(), start.get());
    mjd_transitionFD(model.get(), data.get(), 1e-6, 1, jacobian.data(), controls.data(), nullptr, nullptr);
  });
  rows.push_back(per_step("mujoco transition by differences", differences, 1, "", "mjd_transitionFD, centred"));
}
#endif

Report bench_physics(const TimedSettings& settings) {
  Report report{"physics: articulated dynamics", {}};
  const Model humanoid = humanoid_model();
  bench_step<double>(settings, humanoid, "double", report.rows);
  bench_step<float>(settings, humanoid, "float", report.rows);
#if defined(LIMBER_WITH_MUJOCO)
  bench_mujoco(settings, humanoid, report.rows);
#endif
  for (const int bodies : {8, 16, 32, 64}) bench_chain(settings, bodies, report.rows);
  bench_rollouts(settings, humanoid, report.rows);
  bench_tracking(settings, report.rows);
  bench_grounding(settings, report.rows);
  return report;
}

}  // namespace

Result<BrokenWalk> broken_walk(const zoo::CreatureSettings& settings, double fps, int frames) {
  LIMBER_TRY(zoo::Creature creature, zoo::make_creature(settings));
  LIMBER_TRY(
      zoo::Performance walk,
      zoo::perform(creature, {.action = zoo::Action::kWalk, .seed = settings.seed, .fps = fps, .frames = frames}));
  kinematics::Motion motion = walk.motion;
  for (int f = 0; f < motion.frame_count(); ++f) {
    const float t = static_cast<float>(f) / static_cast<float>(motion.frame_count() - 1);
    motion.root_translations[static_cast<std::size_t>(f)] += Vec3{0, 0.05f, 0.1f * t};
  }
  return BrokenWalk{std::move(creature), std::move(walk), std::move(motion)};
}

metrics::MotionMetrics measure_walk(const BrokenWalk& broken, const kinematics::Motion& motion) {
  std::vector<metrics::GroundContact> contacts;
  for (const zoo::FootTrack& foot : broken.walk.feet) {
    const zoo::Leg& leg = broken.creature.legs[static_cast<std::size_t>(foot.leg)];
    contacts.push_back({leg.joints.back(), leg.tip, foot.planted});
  }
  return metrics::motion_metrics(broken.creature.subject, motion, contacts);
}

void add_physics_bench(CLI::App& bench, cli::Terminal& terminal) {
  auto settings = std::make_shared<PhysicsSettings>();
  CLI::App& command = add_timed_subject(
      bench, terminal,
      {"physics", "Steps and derivatives of articulated bodies; walks and artists' clips put on the ground",
       "  limber-lab bench physics --threads 1\n  limber-lab bench physics --clips 3 --only fox"},
      *settings, [settings]() -> Result<Report> {
        return settings->clips ? track_clips(settings->tracked) : bench_physics(*settings);
      });
  command
      .add_option_function<int>(
          "--clips", [settings](int count) { settings->clips = true, settings->tracked.clips = count; },
          "Instead of speed: so many clips of each artist's rig at most, simulated beside locked feet")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command.add_option("--split", settings->tracked.split, "JSON whose list `test` names artists' rigs")
      ->capture_default_str()
      ->type_name("FILE");
  command.add_option("--only", settings->tracked.only, "Rigs whose path contains this")->type_name("TEXT");
  command.add_option("--seconds", settings->tracked.seconds, "Of a clip at most")
      ->check(CLI::Range(0.1, 60.0))
      ->capture_default_str()
      ->type_name("S");
  command
      .add_option("--outcomes", settings->tracked.outcomes,
                  "Keep what is done of the clips in this file, and go on from there when run again")
      ->type_name("FILE");
}

}  // namespace limber::bench
