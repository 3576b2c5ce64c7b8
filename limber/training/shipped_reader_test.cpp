// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "limber/anatomy/body_reader.h"
#include "limber/body/body_shape.h"
#include "limber/testing/shared_data.h"
#include "limber/training/posed_bodies.h"
#include "limber/zoo/creature.h"

namespace limber::training {
namespace {

/// Creatures that no training has seen are read rightly by the model in the repository.
TEST(ShippedReader, KnowsUnseenCreatures) {
  const std::filesystem::path folder = testing::source_dir() / "models" / "body_reader";
  const anatomy::BodyReader reader = anatomy::BodyReader::open(folder).value();
  for (const zoo::Plan plan : {zoo::Plan::kBiped, zoo::Plan::kQuadruped, zoo::Plan::kOctopod}) {
    zoo::CreatureSettings settings;
    settings.plan = plan, settings.seed = 970100, settings.resolution = 36;
    const zoo::Creature creature = zoo::make_creature(settings).value();
    const body::BodyShape body = body::study_body(creature.subject.points, creature.subject.triangles);
    const anatomy::BodyReading reading = reader.read(body);
    const PosedBody truth = body_at_rest(creature, 4096);
    EXPECT_GT(reading.trust(), 0.5) << zoo::name(plan);
    EXPECT_GT(reading.kinds[static_cast<std::size_t>(truth.kind)], 0.6) << zoo::name(plan);
    EXPECT_GT(dot(reading.up, Vec3d{0, 1, 0}), 0.9) << zoo::name(plan);
    EXPECT_GT(dot(reading.forward, creature.forward.cast<double>()), 0.9) << zoo::name(plan);
    int right = 0;
    for (std::size_t i = 0; i < reading.points.size(); ++i) {
      std::size_t nearest = 0;
      double distance = std::numeric_limits<double>::max();
      for (std::size_t k = 0; k < truth.points.size(); ++k) {
        const double d = squared_norm(truth.points[k].cast<double>() - reading.points[i]);
        if (d < distance) distance = d, nearest = k;
      }
      const auto likeliest = std::max_element(reading.regions[i].begin(), reading.regions[i].end());
      right += likeliest - reading.regions[i].begin() == static_cast<std::ptrdiff_t>(truth.regions[nearest]) ? 1 : 0;
    }
    EXPECT_GT(right, 0.85 * static_cast<double>(reading.points.size())) << zoo::name(plan);
  }
}

}  // namespace
}  // namespace limber::training
