// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "limber/base/files.h"
#include "limber/base/rng.h"
#include "limber/physics/dynamics.h"
#include "limber/physics/mjcf.h"
#include "limber/physics/rollout.h"
#include "limber/testing/shared_data.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

namespace limber::physics {
namespace {

struct FreeModel {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using MujocoModel = std::unique_ptr<mjModel, FreeModel>;
using MujocoData = std::unique_ptr<mjData, FreeModel>;

MujocoModel load(const std::string& xml) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.xml";
  EXPECT_TRUE(write_file(path, xml).ok());
  char error[1000] = "";
  MujocoModel model(mj_loadXML(path.c_str(), nullptr, error, sizeof error));
  EXPECT_TRUE(model) << error;
  return model;
}

struct Walker {
  zoo::Creature creature;
  kinematics::Motion motion;
  Puppet puppet;
  std::vector<double> positions;
};

Walker make_walker(zoo::Plan plan) {
  zoo::Creature creature = *zoo::make_creature({.plan = plan, .seed = 5, .resolution = 32});
  kinematics::Motion motion = zoo::perform(creature, {.action = zoo::Action::kWalk})->motion;
  Puppet puppet = *make_puppet(creature.subject, motion);
  std::vector<double> positions = positions_from_motion(puppet, creature.subject, motion);
  return {std::move(creature), std::move(motion), std::move(puppet), std::move(positions)};
}

/// One second of tumbling without drives, limits or ground: the largest difference of a joint angle.
double tumble(const Walker& walker, std::uint64_t seed) {
  Model model = walker.puppet.model;
  for (auto& hinge : model.hinges) hinge.stiffness = hinge.damping = hinge.limit_stiffness = 0;
  const double dt = 1e-4;
  const MujocoModel theirs = load(write_mjcf(model, {}, {}, {}, 24, {"tumble", false, false, dt}));
  if (!theirs) return 1e9;
  MujocoData data(mj_makeData(theirs.get()));
  std::vector<double> q(walker.positions.begin(), walker.positions.begin() + static_cast<long>(model.position_count()));
  std::vector<double> v(model.velocity_count());
  Rng rng(seed);
  for (double& x : v) x = rng.uniform(-0.5, 0.5);
  const std::vector<double> qpos = mujoco_position(model, q), qvel = mujoco_velocity(model, q, v);
  EXPECT_EQ(theirs->nq, static_cast<int>(qpos.size()));
  EXPECT_EQ(theirs->nv, static_cast<int>(qvel.size()));
  std::copy(qpos.begin(), qpos.end(), data->qpos);
  std::copy(qvel.begin(), qvel.end(), data->qvel);

  Workspace work(model);
  const std::vector<double> targets(model.hinges.size());
  for (int i = 0; i < 10000; ++i) {
    mj_step(theirs.get(), data.get());
    step<double>(model, work, {.dt = dt, .ground = false}, {targets, {}, {}}, q, v, q, v);
  }
  const std::vector<double> ours = mujoco_position(model, q);
  double worst = 0;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const bool quaternion = k >= 3 && k < 7;
    const double other = data->qpos[k];
    worst = std::max(worst, quaternion ? std::abs(std::abs(other) - std::abs(ours[k])) : std::abs(other - ours[k]));
  }
  return worst;
}

TEST(PhysicsMujocoParity, PassiveMotionAgreesToAThousandth) {
  EXPECT_LT(tumble(make_walker(zoo::Plan::kBiped), 1), 1e-3);
  EXPECT_LT(tumble(make_walker(zoo::Plan::kQuadruped), 2), 1e-3);
  EXPECT_LT(tumble(make_walker(zoo::Plan::kHexapod), 3), 1e-3);
}

TEST(PhysicsMujocoParity, AccelerationsAgreeToRounding) {
  const Walker walker = make_walker(zoo::Plan::kQuadruped);
  Model model = walker.puppet.model;
  const MujocoModel theirs = load(write_mjcf(model, {}, {}, {}, 24, {"one", false, false, 1e-3}));
  ASSERT_TRUE(theirs);
  MujocoData data(mj_makeData(theirs.get()));
  std::vector<double> q(walker.positions.begin(), walker.positions.begin() + static_cast<long>(model.position_count()));
  std::vector<double> v(model.velocity_count()), a(v.size());
  Rng rng(4);
  for (double& x : v) x = rng.uniform(-1, 1);
  const std::vector<double> qpos = mujoco_position(model, q), qvel = mujoco_velocity(model, q, v);
  std::copy(qpos.begin(), qpos.end(), data->qpos);
  std::copy(qvel.begin(), qvel.end(), data->qvel);
  mj_forward(theirs.get(), data.get());
  Workspace work(model);
  forward_dynamics<double>(model, work, q, v, std::vector<double>(v.size()), a);
  a = mujoco_velocity(model, q, a);
  double scale = 0;
  for (std::size_t k = 6; k < a.size(); ++k) scale = std::max(scale, std::abs(a[k]));
  for (std::size_t k = 6; k < a.size(); ++k) EXPECT_NEAR(a[k], data->qacc[k], 1e-5 * scale) << k;
}

TEST(PhysicsMujocoParity, ExportedWalkLoadsAndStands) {
  const Walker walker = make_walker(zoo::Plan::kQuadruped);
  const std::string xml =
      write_mjcf(walker.puppet.model, walker.puppet.boxes, mjcf_names(walker.puppet, walker.creature.subject),
                 walker.positions, walker.motion.fps);
  const MujocoModel model = load(xml);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->nkey, walker.motion.frame_count());
  EXPECT_EQ(model->nu, walker.puppet.model.hinge_count());
  MujocoData data(mj_makeData(model.get()));
  mj_resetDataKeyframe(model.get(), data.get(), 0);
  const double height = data->qpos[2];
  for (int i = 0; i < 240; ++i) mj_step(model.get(), data.get());
  EXPECT_TRUE(std::isfinite(data->qpos[2]));
  EXPECT_GT(data->qpos[2], 0.7 * height) << "it should stand on its servos for half a second";
  double mass = 0;
  for (int b = 0; b < model->nbody; ++b) mass += model->body_mass[b];
  EXPECT_NEAR(mass, walker.puppet.model.total_mass(), 1e-6 * mass);
}

}  // namespace
}  // namespace limber::physics
