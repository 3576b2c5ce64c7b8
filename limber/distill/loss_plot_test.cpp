// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/loss_plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/base/rng.h"

namespace limber::distill {
namespace {

std::vector<DistillStep> falling_losses(int count) {
  Rng rng(3);
  std::vector<DistillStep> history;
  for (int i = 0; i < count; ++i) {
    DistillStep step;
    step.iteration = i;
    step.sds = 2 * std::exp(-3.0 * i / count) * std::exp(0.5 * rng.normal());
    step.smooth = 0.1 * (1 - std::exp(-5.0 * i / count));
    step.ground = i < count / 2 ? 0.02 * (1 - 2.0 * i / count) : 0;
    step.total = step.sds + 0.178 * step.smooth + 8.9 * step.ground;
    history.push_back(step);
  }
  return history;
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(LossesToCsv, HasALinePerIterationAndAsManyFieldsAsNames) {
  const std::string csv = losses_to_csv(falling_losses(5));
  EXPECT_EQ(count_of(csv, "\n"), 6u);
  const std::size_t names = count_of(csv.substr(0, csv.find('\n')), ",");
  EXPECT_EQ(count_of(csv, ","), 6 * names);
  EXPECT_EQ(csv.rfind("iteration,total,sds,smooth,ground", 0), 0u);
}

TEST(LossesToCsv, KeepsNumbersExactly) {
  std::vector<DistillStep> history(1);
  history[0].sds = 0.1 + 0.2;
  EXPECT_NE(losses_to_csv(history).find("0.30000000000000004"), std::string::npos);
}

TEST(LossesToSvg, NamesTheCurvesThatCount) {
  const std::string svg = losses_to_svg(falling_losses(200), {}, {.title = "a fox & a <hen>"});
  for (const char* name :
       {">total<", ">sds<", ">0.178 smooth<", ">8.9 ground<", ">iteration<", "a fox &amp; a &lt;hen&gt;"}) {
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(svg.find("limits"), std::string::npos) << "nothing was beyond its limits";
  EXPECT_EQ(count_of(svg, "<path"), 8u) << "four curves, raw and averaged";
}

TEST(LossesToSvg, IsFiniteWhateverTheLosses) {
  std::vector<DistillStep> odd = falling_losses(40);
  odd[7].sds = odd[7].total = std::numeric_limits<double>::quiet_NaN();
  odd[9].sds = std::numeric_limits<double>::infinity();
  odd[11].sds = -1;
  for (const bool logarithmic : {false, true}) {
    for (const std::vector<DistillStep>& history :
         {odd, std::vector<DistillStep>(), falling_losses(1), std::vector<DistillStep>(3)}) {
      const std::string svg = losses_to_svg(history, {}, {.logarithmic = logarithmic});
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
      EXPECT_NE(svg.find("</svg>"), std::string::npos);
    }
  }
}

TEST(LossesToSvg, StaysSmallForLongRuns) { EXPECT_LT(losses_to_svg(falling_losses(20000), {}).size(), 200000u); }

TEST(LossesToSvg, RefusesPicturesWithoutRoom) { EXPECT_THROW(losses_to_svg({}, {}, {.width = 100}), ContractError); }

}  // namespace
}  // namespace limber::distill
