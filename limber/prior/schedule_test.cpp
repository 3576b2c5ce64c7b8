// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/base/expect.h"
#include "limber/prior/positions.h"

namespace limber::prior {
namespace {

TEST(DdimSchedule, HasThePublishedNoiseLevels) {
  const int t[] = {0, 20, 250, 499, 500, 980, 999};
  const double of_5b[] = {0.99915, 0.9800133305, 0.6524570153, 0.2423591666, 0.2410187828, 7.707612736e-5, 0};
  const double of_2b[] = {0.9974543276, 0.9438728313, 0.3890537092, 0.0959695617, 0.0953281009, 2.443115544e-5, 0};
  DdimConfig config;
  const DdimSchedule large(config);
  config.snr_shift = 3;
  const DdimSchedule small(config);
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(large.alpha_bar(t[i]), of_5b[i], 1e-9 + 1e-8 * of_5b[i]) << t[i];
    EXPECT_NEAR(small.alpha_bar(t[i]), of_2b[i], 1e-9 + 1e-8 * of_2b[i]) << t[i];
  }
  EXPECT_THROW(large.alpha_bar(1000), ContractError);
  EXPECT_THROW(large.alpha_bar(-1), ContractError);
}

TEST(DdimSchedule, StepsBackByAWholeNumberOfTrainingSteps) {
  const DdimSchedule schedule;
  EXPECT_EQ(schedule.timesteps(6), (std::vector<int>{999, 832, 666, 499, 332, 166}));
  // From 166 to 0, not beyond it: the last of six steps does not end at the clean signal.
  const DdimStep last = schedule.step(166, 6);
  const double now = schedule.alpha_bar(166), next = schedule.alpha_bar(0);
  EXPECT_NEAR(last.sample, std::sqrt((1 - next) / (1 - now)), 1e-12);
  EXPECT_NEAR(last.denoised, std::sqrt(next) - std::sqrt(now) * last.sample, 1e-12);
  // Fifty steps divide evenly and end there.
  const DdimStep clean = schedule.step(schedule.timesteps(50).back(), 50);
  EXPECT_EQ(clean.sample, 0);
  EXPECT_EQ(clean.denoised, 1);
}

TEST(FlowSchedule, ShiftsTheLineAndItsEnds) {
  const std::vector<double> sigmas = FlowSchedule().sigmas(6);
  const double expected[] = {1, .952663, .883213, .771431, .561650, .024414, 0};
  ASSERT_EQ(sigmas.size(), 7u);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(sigmas[static_cast<std::size_t>(i)], expected[i], 1e-6);
}

TEST(FlowSchedule, ShiftsUniPcSigmasOnce) {
  FlowConfig config;
  config.shift = 3;
  config.shift_ends = false;
  const std::vector<double> sigmas = FlowSchedule(config).sigmas(4);
  // The line 0.999 .. 0 in four parts, each s -> 3 s / (1 + 2 s).
  for (int i = 0; i < 4; ++i) {
    const double s = 0.999 * (4 - i) / 4;
    EXPECT_NEAR(sigmas[static_cast<std::size_t>(i)], 3 * s / (1 + 2 * s), 1e-12);
  }
  EXPECT_EQ(sigmas.back(), 0);
}

TEST(Positions, FitOtherGridsIntoTheTrainingGrid) {
  // At the native size positions are whole: the angle of the slowest column pair grows by its frequency.
  const RotaryTable native = cogvideox_rotary(64, {13, 30, 45}, 30, 45);
  ASSERT_EQ(native.cosines.size(), 13u * 30 * 45 * 32);
  const auto angle = [](const RotaryTable& table, std::size_t token, std::size_t pair) {
    return std::atan2(table.sines[token * 32 + pair], table.cosines[token * 32 + pair]);
  };
  // Pair 20 is the first of the columns, pair 8 the first of the rows; both have frequency 1.
  EXPECT_NEAR(angle(native, 1, 20), 1, 1e-6);
  EXPECT_NEAR(angle(native, 45, 8), 1, 1e-6);
  EXPECT_NEAR(angle(native, 30 * 45, 0), 1, 1e-6);

  // 256 x 384 has the same aspect: the same range with spacing 1.875.
  const RotaryTable small = cogvideox_rotary(64, {1, 16, 24}, 30, 45);
  EXPECT_NEAR(angle(small, 1, 20), 1.875, 1e-5);
  EXPECT_NEAR(angle(small, 24, 8), 1.875, 1e-5);

  // A tall grid takes the whole height and a centred part of the width: columns start at round((45 - 15) / 2) and end
  // at 30 * (8 - 1) / 8.
  const RotaryTable tall = cogvideox_rotary(64, {1, 16, 8}, 30, 45);
  EXPECT_NEAR(tall.cosines[20], std::cos(15.0f), 1e-6);
  EXPECT_NEAR(tall.cosines[7 * 32 + 20], std::cos(26.25f), 1e-5);
}

TEST(Positions, PutTheColumnBeforeTheRow) {
  const int width = 16;  // 4 for time, 6 for the column, 6 for the row
  const std::vector<float> table = sincos_positions(width, {1, 2, 2}, 2.0, 1.0);
  const auto at = [&](int token, int channel) { return table[static_cast<std::size_t>(token * width + channel)]; };
  EXPECT_NEAR(at(1, 4), std::sin(0.5), 1e-6);  // row 0, column 1
  EXPECT_NEAR(at(1, 10), 0, 1e-6);
  EXPECT_NEAR(at(2, 4), 0, 1e-6);  // row 1, column 0
  EXPECT_NEAR(at(2, 10), std::sin(0.5), 1e-6);
  EXPECT_NEAR(at(2, 13), std::cos(0.5), 1e-6);  // [sin | cos]
}

}  // namespace
}  // namespace limber::prior
