// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/gpu_timeline.h"

#include <algorithm>

namespace limber {

GpuTimeline& GpuTimeline::get() {
  static GpuTimeline timeline;
  return timeline;
}

double GpuTimeline::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void GpuTimeline::start(const std::string& first_stage, double earlier) {
  const std::lock_guard lock(mutex_);
  begin_ = std::chrono::steady_clock::now() -
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(earlier));
  stages_ = {{first_stage, 0, 0, 0}};
  spans_.clear();
  on_ = true;
}

void GpuTimeline::stage(const std::string& name) {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  if (stages_.back().name == name) return;
  stages_.back().to = now();
  stages_.push_back({name, stages_.back().to, 0, 0});
}

void GpuTimeline::add(const std::vector<Span>& spans) {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  spans_.insert(spans_.end(), spans.begin(), spans.end());
}

std::vector<GpuTimeline::Stage> GpuTimeline::take() {
  const std::lock_guard lock(mutex_);
  on_ = false;
  if (stages_.empty()) return {};
  stages_.back().to = now();
  std::vector<Stage> stages = std::move(stages_);
  stages_.clear();
  for (Stage& stage : stages) stage.busy = covered_seconds(spans_, stage.from, stage.to);
  spans_.clear();
  return stages;
}

double covered_seconds(std::vector<GpuTimeline::Span> spans, double from, double to) {
  std::sort(spans.begin(), spans.end(),
            [](const GpuTimeline::Span& a, const GpuTimeline::Span& b) { return a.from < b.from; });
  double sum = 0, reached = from;
  for (const GpuTimeline::Span& span : spans) {
    const double begin = std::max(span.from, reached), end = std::min(span.to, to);
    if (end <= begin) continue;
    sum += end - begin;
    reached = end;
  }
  return sum;
}

}  // namespace limber
