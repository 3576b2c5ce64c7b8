// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/gpu_timeline.h"

#include <gtest/gtest.h>

namespace limber {
namespace {

TEST(GpuTimeline, CountsWhatSeveralQueuesDoAtTheSameTimeOnce) {
  const std::vector<GpuTimeline::Span> spans{{3, 4}, {0.5, 2}, {1, 1.5}, {1.5, 2.5}};
  EXPECT_DOUBLE_EQ(covered_seconds(spans, 0, 10), 3);
  EXPECT_DOUBLE_EQ(covered_seconds(spans, 1, 3.5), 2);
  EXPECT_DOUBLE_EQ(covered_seconds(spans, 2.5, 3), 0);
  EXPECT_DOUBLE_EQ(covered_seconds({}, 0, 1), 0);
}

TEST(GpuTimeline, HasStagesOneAfterTheOther) {
  GpuTimeline timeline;
  timeline.stage("nothing was started");
  timeline.add({{0, 1}});
  EXPECT_FALSE(timeline.on());
  timeline.start("start", 1);
  timeline.add({{0.25, 0.5}, {0.5, 0.75}});
  timeline.stage("lift");
  timeline.stage("lift");
  timeline.add({{0, 100}});
  timeline.stage("write");
  const auto stages = timeline.take();
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[0].name, "start");
  EXPECT_EQ(stages[1].name, "lift");
  EXPECT_EQ(stages[0].from, 0);
  EXPECT_GE(stages[0].to, 1);
  EXPECT_EQ(stages[0].to, stages[1].from);
  EXPECT_EQ(stages[1].to, stages[2].from);
  for (const auto& stage : stages) EXPECT_NEAR(stage.busy, stage.to - stage.from, 1e-9);
  EXPECT_FALSE(timeline.on());
  EXPECT_TRUE(timeline.take().empty());
}

}  // namespace
}  // namespace limber
