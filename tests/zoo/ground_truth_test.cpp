// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "limber/base/threads.h"
#include "limber/body/winding_number.h"
#include "limber/metrics/mesh_health.h"
#include "limber/metrics/motion_metrics.h"
#include "limber/metrics/self_intersections.h"
#include "limber/zoo/action.h"
#include "limber/zoo/creature.h"

/// What the zoo promises of every creature and every action, over many seeds.
namespace limber::zoo {
namespace {

/// Failures from all threads, a few of them named.
class Findings {
 public:
  void add(std::string text) {
    const std::scoped_lock lock(mutex_);
    found_.push_back(std::move(text));
  }
  ~Findings() {
    std::sort(found_.begin(), found_.end());
    std::string text = fmt::format("{} findings", found_.size());
    for (std::size_t k = 0; k < std::min<std::size_t>(found_.size(), 25); ++k) text += "\n  " + found_[k];
    EXPECT_TRUE(found_.empty()) << text;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> found_;
};

void check_creature(const Creature& creature, Findings& findings) {
  const rig::Subject& subject = creature.subject;
  const auto expect = [&](bool good, const char* what) {
    if (!good) findings.add(fmt::format("{}: {}", creature.name, what));
  };
  for (const Vec3& p : subject.points) {
    if (!is_finite(p)) return findings.add(creature.name + ": not finite");
  }
  const metrics::MeshHealth health = metrics::mesh_health(static_asset(creature));
  expect(health.closed_manifold(), "not a closed manifold");
  expect(health.components == 1, "more than one piece");
  expect(!health.inside_out, "inside out");
  const rig::SkinWeights& w = subject.weights;
  for (std::size_t p = 0; p < w.points(); ++p) {
    const float sum = std::accumulate(&w.weights[4 * p], &w.weights[4 * p] + 4, 0.0f);
    if (!(std::abs(sum - 1) < 1e-5f)) return findings.add(creature.name + ": weights do not sum to one");
  }
  for (const Affine& joint : subject.rig.world_from_rest()) {
    if (body::winding_number(subject.points, subject.triangles, joint.translation.cast<double>()) < 0.5) {
      return findings.add(creature.name + ": a joint outside the surface");
    }
  }
}

std::vector<metrics::GroundContact> contacts(const Creature& creature, const Performance& performance) {
  std::vector<metrics::GroundContact> result;
  for (const FootTrack& foot : performance.feet) {
    const Leg& leg = creature.legs[static_cast<std::size_t>(foot.leg)];
    result.push_back({leg.joints.back(), leg.tip, foot.planted});
  }
  return result;
}

void check_action(const Creature& creature, const ActionSettings& settings, Findings& findings) {
  const Result<Performance> made = perform(creature, settings);
  const std::string what = fmt::format("{} {} (seed {})", creature.name, name(settings.action), settings.seed);
  if (!made.ok()) return findings.add(what + ": " + made.error().message());
  const Performance& p = *made;
  float height = 0;
  for (const Vec3& point : creature.subject.points) height = std::max(height, point.y);
  const float slide =
      settings.in_place ? p.stride * static_cast<float>(p.cycles) / static_cast<float>(p.motion.frame_count()) : 0;
  const metrics::MotionMetrics m = metrics::motion_metrics(creature.subject, p.motion, contacts(creature, p), slide);
  const auto expect = [&](bool good, const char* problem, double value) {
    if (!good) findings.add(fmt::format("{}: {} {:.4f}", what, problem, value));
  };
  expect(m.not_finite == 0, "not finite", m.not_finite);
  // Actions on the spot have no stride: a tenth of the height stands for it.
  const float stride = p.stride > 0 ? p.stride : 0.1f * height;
  expect(m.slip < 0.01f * stride, "slip / stride", m.slip / stride);
  expect(m.penetration < 0.005f * height, "penetration / height", m.penetration / height);
  expect(m.hover < 0.02f * height, "hover / height", m.hover / height);
  expect(m.limit_excess < 1e-5f, "beyond limits", m.limit_excess);
  expect(m.loop_gap < 0.3f, "loop does not close", m.loop_gap);
  // Faster than this is a pop: the elbow of a galloping animal turns at about half of it.
  expect(m.peak_speed < 60 * settings.speed, "rotation speed", m.peak_speed);
}

TEST(ZooGroundTruth, SkinsDoNotCutThemselvesAtRest) {
  Findings findings;
  constexpr std::size_t kSeeds = 12;
  parallel_for(kPlanCount * kSeeds, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Creature creature = make_creature({static_cast<Plan>(k % kPlanCount), k / kPlanCount, 60}).value();
      const std::size_t count = metrics::self_intersections(creature.subject.points, creature.subject.triangles);
      if (count > 0) findings.add(fmt::format("{}: {} pairs of triangles cut each other", creature.name, count));
    }
  });
}

TEST(ZooGroundTruth, AFoldedWingDoesNotCutTheFlankBelowIt) {
  CreatureSettings settings;
  settings.seed = 11967, settings.body = random_body(settings.seed);  // nearer to each other than a cell
  const Creature creature = make_creature(settings).value();
  EXPECT_EQ(metrics::self_intersections(creature.subject.points, creature.subject.triangles), 0u);
}

TEST(ZooGroundTruth, AThousandCreaturesAreValidAndPlantTheirFeet) {
  Findings findings;
  parallel_for(1000, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Plan plan = static_cast<Plan>(k % kPlanCount);
      const std::uint64_t seed = k / kPlanCount;
      // Every tenth at full resolution; the rest coarse, which is harder for thin parts.
      const Result<Creature> creature = make_creature({plan, seed, seed % 10 == 0 ? 60 : 36});
      if (!creature.ok()) {
        findings.add(creature.error().message());
        continue;
      }
      check_creature(*creature, findings);
      ActionSettings settings;
      settings.action = actions(plan)[seed % actions(plan).size()];
      settings.seed = seed;
      check_action(*creature, settings, findings);
    }
  });
}

TEST(ZooGroundTruth, EveryActionOfEveryPlanKeepsItsPromises) {
  Findings findings;
  constexpr std::size_t kSeeds = 4;
  parallel_for(kPlanCount * kSeeds, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Plan plan = static_cast<Plan>(k % kPlanCount);
      const Creature creature = make_creature({plan, 100 + k / kPlanCount, 40}).value();
      for (const Action action : actions(plan)) {
        ActionSettings settings;
        settings.action = action, settings.seed = k;
        check_action(creature, settings, findings);
        settings.style = 1, settings.noise = 0.5, settings.in_place = true;
        check_action(creature, settings, findings);
        settings = {};
        settings.action = action, settings.amplitude = 0.4, settings.speed = 0.7;
        check_action(creature, settings, findings);
      }
    }
  });
}

}  // namespace
}  // namespace limber::zoo
