// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/training_loop.h"

#include <algorithm>
#include <limits>

#include "limber/base/stopwatch.h"
#include "limber/nn/device.h"
#include "limber/nn/optimizer.h"

namespace limber::nn {
namespace {

constexpr const char* kStateFile = "training_state.safetensors";

OptimizerSettings optimizer_settings(const TrainingPlan& plan) {
  OptimizerSettings settings;
  settings.learning_rate = plan.learning_rate, settings.final_rate = plan.final_rate;
  settings.warmup_steps = plan.warmup_steps, settings.steps = plan.max_steps;
  settings.beta1 = 0.9, settings.beta2 = 0.98;
  settings.weight_decay = plan.weight_decay, settings.max_gradient_norm = plan.max_gradient_norm;
  settings.average_decay = plan.average_decay;
  return settings;
}

PoolSettings pool_settings(const TrainingPlan& plan, const TrainingTask& task) {
  return {std::max<std::int64_t>(plan.pool, 1), task.run, plan.max_examples, first_example(plan.seed, task.stream),
          plan.fresh_examples};
}

/// Lets the decay of the learning rate end when the time is up: how many steps that is shows on the way.
class Pace {
 public:
  explicit Pace(const TrainingPlan& plan) : plan_(plan) {}

  void step(std::int64_t steps, double seconds, Optimizer& optimizer) {
    if (plan_.max_steps > 0) return;
    if (steps == kSlowSteps) slow_seconds_ = seconds;
    if (steps % kPlanSteps != 0) return;
    const double per_step = (seconds - slow_seconds_) / static_cast<double>(steps - kSlowSteps);
    const double left = std::max(0.0, kShare * plan_.seconds - seconds);
    optimizer.set_last_step(optimizer.step_count() + static_cast<std::int64_t>(left / std::max(per_step, 1e-9)));
  }

 private:
  static constexpr std::int64_t kSlowSteps = 20;  // the first are slower than all others
  static constexpr std::int64_t kPlanSteps = 40;
  static constexpr double kShare = 0.98;  // of the time: the last steps are at the final rate

  const TrainingPlan& plan_;
  double slow_seconds_ = 0;
};

/// One training, between its first batch and its last.
struct Training {
  const TrainingPlan& plan;
  const std::filesystem::path& folder;
  const TrainingTask& task;
  const TensorPool& pool;
  Optimizer& optimizer;

  Status save() const {
    LIMBER_CHECK_OK(task.save(optimizer.averaged()));
    return optimizer.save(folder / kStateFile);
  }

  Result<TrainingReport> run(at::Device device) const {
    const std::int64_t last = plan.max_steps > 0 ? plan.max_steps : std::numeric_limits<std::int64_t>::max();
    TrainingReport report;
    Pace pace(plan);
    const Stopwatch watch;
    Tensor sum = at::zeros({}, at::TensorOptions().device(device));
    std::int64_t since = 0;
    bool saved = false;
    for (bool going = true; going;) {
      LIMBER_CHECK_OK(pool.status());
      const Tensor loss = task.loss(pool.batch(plan.batch));
      loss.backward();
      sum += loss.detach();
      const StepReport step = optimizer.step();
      ++since, ++report.steps;
      report.seconds = watch.seconds();
      pace.step(report.steps, report.seconds, optimizer);
      going = report.steps < last && report.seconds < plan.seconds;
      saved = false;
      if (report.steps % plan.report_steps != 0 && going) continue;
      report.loss = sum.item<double>() / static_cast<double>(since);
      sum.zero_(), since = 0;
      if (report.steps % plan.validation_steps == 0 || !going) {
        task.validate(optimizer.averaged());
        LIMBER_CHECK_OK(save());
        saved = true;
      }
      const TrainingStep told{report.steps,       pool.drawn(),       report.seconds, report.loss,
                              step.learning_rate, step.gradient_norm, saved};
      if (task.report && !task.report(told)) going = false;
    }
    if (!saved) LIMBER_CHECK_OK(save());
    report.examples = pool.drawn();
    return report;
  }
};

}  // namespace

TensorPool::TensorPool(const PoolSettings& settings, at::Device device, Draw draw) : device_(device) {
  auto guarded_draw = [draw = std::move(draw)](std::uint64_t first, std::int64_t count) {
    const at::NoGradGuard no_gradients;
    return guarded("", [&] { return draw(first, count); });
  };
  auto store = [this, capacity = settings.capacity](std::int64_t slot, const TensorRun& run) {
    const at::NoGradGuard no_gradients;
    return guarded("", [&]() -> Status {
      for (std::size_t i = held_.size(); i < run.size(); ++i) {
        std::vector<std::int64_t> shape = run[i].sizes().vec();
        shape[0] = capacity;
        held_.push_back(at::empty(shape, run[i].options().device(device_)));
      }
      for (std::size_t i = 0; i < run.size(); ++i) held_[i].narrow(0, slot, run[i].size(0)).copy_(run[i]);
      synchronize(device_);
      return Done{};
    });
  };
  pool_ = std::make_unique<ExamplePool<TensorRun>>(settings, std::move(guarded_draw), std::move(store));
}

TensorRun TensorPool::batch(std::int64_t count) const {
  return pool_->read(count, [&](std::int64_t ready) {
    const Tensor index = at::randint(ready, {count}, at::TensorOptions().device(device_).dtype(at::kLong));
    TensorRun batch;
    for (const Tensor& tensor : held_) batch.push_back(tensor.index_select(0, index));
    return batch;
  });
}

Result<Weights> first_weights(const TrainingPlan& plan, const Placement& placement,
                              const std::function<Result<Weights>()>& open,
                              const std::function<void(const WeightScope&)>& describe) {
  LIMBER_TRY(Weights weights, plan.from.empty() ? Result<Weights>(Weights::random(plan.seed, placement)) : open());
  describe(weights.root());
  LIMBER_CHECK_OK(weights.finish());
  return weights;
}

Result<TrainingReport> train(const Weights& weights, const TrainingPlan& plan, const std::filesystem::path& folder,
                             const TrainingTask& task) {
  const at::Device device = weights.placement().device;
  Optimizer optimizer(weights.tensors(), optimizer_settings(plan));
  at::manual_seed(plan.seed);
  std::error_code error;
  if (plan.resume && std::filesystem::exists(folder / kStateFile, error)) {
    LIMBER_CHECK_OK(optimizer.resume(folder / kStateFile));
  }
  Stopwatch watch;
  const TensorPool pool(pool_settings(plan, task), device, task.draw);
  LIMBER_CHECK_OK(pool.wait_for(plan.first_examples));
  const double first_seconds = watch.seconds();
  const Training training{plan, folder, task, pool, optimizer};
  LIMBER_TRY(TrainingReport report, training.run(device));
  report.parameters = weights.parameter_count(), report.first_seconds = first_seconds, report.device = device.str();
  return report;
}

TensorList in_bytes(const TensorList& weights, const std::string& prefix) {
  TensorList small;
  for (const auto& [name, tensor] : weights) {
    if (tensor.dim() != 2 || name.rfind(prefix, 0) != 0) {
      small.emplace_back(name, tensor);
      continue;
    }
    const Tensor values = tensor.detach().to(at::kCPU, at::kFloat);
    // The scale as it will be stored.
    const Tensor scale = (values.abs().amax(1) / 127).clamp_min(1e-7).to(at::kHalf);
    const Tensor steps = (values / scale.to(at::kFloat).clamp_min(1e-7).unsqueeze(1)).round().clamp(-127, 127);
    small.emplace_back(name, steps.to(at::kChar));
    small.emplace_back(name + "_scale", scale);
  }
  return small;
}

}  // namespace limber::nn
