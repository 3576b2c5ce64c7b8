// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "limber/base/math.h"

namespace limber::nn {
namespace {

constexpr const char* kStepKey = "optimizer.step";
constexpr const char* kUpdateKey = "optimizer.update";

bool is_short(const Tensor& tensor) { return tensor.element_size() < 4; }

std::optional<std::int64_t> read_count(const Metadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  std::int64_t value = -1;
  if (found == metadata.end()) return std::nullopt;
  const char* end = found->second.data() + found->second.size();
  if (std::from_chars(found->second.data(), end, value).ptr != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace

double learning_rate_at(const OptimizerSettings& settings, std::int64_t step) {
  if (step < settings.warmup_steps) {
    return settings.learning_rate * static_cast<double>(step + 1) / static_cast<double>(settings.warmup_steps);
  }
  if (settings.steps <= settings.warmup_steps) return settings.learning_rate;
  const double done =
      static_cast<double>(step - settings.warmup_steps) / static_cast<double>(settings.steps - settings.warmup_steps);
  const double cosine = 0.5 * (1 + std::cos(kPi * std::min(done, 1.0)));
  return settings.learning_rate * (settings.final_rate + (1 - settings.final_rate) * cosine);
}

void LossScale::update(const StepReport& report) {
  constexpr int kStepsToGrow = 2000;
  if (report.skipped) {
    value = std::max(value / 2, 1.0);
    finite_steps = 0;
  } else if (++finite_steps == kStepsToGrow) {
    value *= 2;
    finite_steps = 0;
  }
}

Optimizer::Optimizer(TensorList parameters, const OptimizerSettings& settings)
    : parameters_(std::move(parameters)), settings_(settings) {
  const at::NoGradGuard no_grad;
  std::set<std::string> names;
  for (auto& [name, parameter] : parameters_) {
    LIMBER_EXPECT(names.insert(name).second, "two parameters named " + name);
    LIMBER_EXPECT(parameter.is_floating_point() && parameter.is_leaf(), name);
    parameter.requires_grad_(true);
    State state;
    // One memory layout throughout, or a resumed run would add in another order.
    state.master = is_short(parameter) ? parameter.detach().to(at::kFloat) : parameter.detach();
    state.first = at::zeros_like(state.master);
    state.second = at::zeros_like(state.master);
    if (settings_.average_decay > 0) state.average = state.master.clone();
    states_.push_back(std::move(state));
  }
}

StepReport Optimizer::step(double loss_scale) {
  LIMBER_EXPECT(loss_scale > 0, std::to_string(loss_scale));
  const at::NoGradGuard no_grad;
  StepReport report;
  report.learning_rate = learning_rate_at(settings_, step_count_++);

  // Gradients in the type of the masters, and their common norm with one transfer from the device.
  std::vector<Tensor> gradients, there, short_gradients, widened;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Tensor gradient = parameters_[i].second.grad();
    if (gradient.defined() && is_short(gradient)) {
      short_gradients.push_back(gradient);
      widened.push_back(gradient = at::empty_like(states_[i].master));
    }
    gradients.push_back(gradient);
    if (gradient.defined()) there.push_back(gradient);
    parameters_[i].second.mutable_grad() = Tensor();
  }
  copy_each(widened, short_gradients);
  if (there.empty()) return report;
  const Tensor norms = at::stack(at::_foreach_norm(there, 2));
  report.gradient_norm = std::sqrt(norms.to(at::kDouble).square().sum().item<double>()) / loss_scale;
  report.skipped = !std::isfinite(report.gradient_norm);
  if (report.skipped) return report;

  const double limit = settings_.max_gradient_norm;
  const double clip = limit > 0 && report.gradient_norm > limit ? limit / report.gradient_norm : 1.0;
  ++update_count_;
  update(std::move(gradients), clip / loss_scale, report.learning_rate);
  return report;
}

void Optimizer::update(std::vector<Tensor> gradients, double factor, double rate) {
  // All tensors at once: on a GPU one kernel instead of hundreds.
  std::vector<Tensor> kept, masters, decayed, first, second, short_weights, short_masters, averages, averaged;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    State& state = states_[i];
    const Tensor& parameter = parameters_[i].second;
    kept.push_back(std::move(gradients[i])), masters.push_back(state.master);
    first.push_back(state.first), second.push_back(state.second);
    if (parameter.dim() >= 2) decayed.push_back(state.master);
    if (is_short(parameter)) short_weights.push_back(parameter), short_masters.push_back(state.master);
    if (state.average.defined()) averages.push_back(state.average), averaged.push_back(state.master);
  }
  if (kept.empty()) return;
  const auto t = static_cast<double>(update_count_);
  if (factor != 1) kept = at::_foreach_mul(kept, factor);
  at::_foreach_mul_(first, settings_.beta1);
  at::_foreach_add_(first, kept, 1 - settings_.beta1);
  at::_foreach_mul_(second, settings_.beta2);
  at::_foreach_addcmul_(second, kept, kept, 1 - settings_.beta2);
  if (settings_.weight_decay > 0 && !decayed.empty()) {
    at::_foreach_mul_(decayed, 1 - rate * settings_.weight_decay);
  }
  const double correction1 = 1 - std::pow(settings_.beta1, t), correction2 = 1 - std::pow(settings_.beta2, t);
  std::vector<Tensor> denominators = at::_foreach_sqrt(second);
  at::_foreach_div_(denominators, std::sqrt(correction2));
  at::_foreach_add_(denominators, settings_.epsilon);
  at::_foreach_addcdiv_(masters, first, denominators, -rate / correction1);
  copy_each(short_weights, short_masters);
  if (averages.empty()) return;
  // A young average follows faster, or it would remember the random start.
  const double decay = std::min(settings_.average_decay, (1 + t) / (10 + t));
  at::_foreach_mul_(averages, decay);
  at::_foreach_add_(averages, averaged, 1 - decay);
}

TensorList Optimizer::averaged() const {
  TensorList list;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const State& state = states_[i];
    list.emplace_back(parameters_[i].first, state.average.defined() ? state.average : state.master);
  }
  return list;
}

TensorList Optimizer::state_tensors() const {
  TensorList list;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::string& name = parameters_[i].first;
    const State& state = states_[i];
    list.emplace_back("weight/" + name, parameters_[i].second.detach());
    if (is_short(parameters_[i].second)) list.emplace_back("master/" + name, state.master);
    list.emplace_back("first/" + name, state.first);
    list.emplace_back("second/" + name, state.second);
    if (state.average.defined()) list.emplace_back("average/" + name, state.average);
  }
  return list;
}

Status Optimizer::save(const std::filesystem::path& file, const Metadata& metadata) const {
  SafetensorsSettings settings;
  settings.metadata = metadata;
  settings.metadata[kStepKey] = std::to_string(step_count_);
  settings.metadata[kUpdateKey] = std::to_string(update_count_);
  return save_tensors(file, state_tensors(), settings);
}

Result<Metadata> Optimizer::resume(const std::filesystem::path& file) {
  const at::NoGradGuard no_grad;
  LIMBER_TRY(const TensorArchive archive, TensorArchive::open(file));
  Metadata metadata = archive.metadata();
  const auto steps = read_count(metadata, kStepKey), updates = read_count(metadata, kUpdateKey);
  if (!steps || !updates) return Error{"not a training checkpoint: no step in its metadata", file.string()};

  // Check everything before anything is changed.
  const TensorList targets = state_tensors();
  for (const auto& [name, target] : targets) {
    LIMBER_TRY(const TensorView view, archive.find(name));
    if (view.shape != target.sizes().vec() || view.dtype != stored_dtype(target.scalar_type())) {
      return Error{fmt::format("{} {}, expected {} {}", nn::name(view.dtype), to_string(view.shape),
                               nn::name(stored_dtype(target.scalar_type())), to_string(target.sizes().vec())),
                   archive.where(name)};
    }
  }
  if (targets.size() != archive.tensors().size()) {
    for (const auto& [name, view] : archive.tensors()) {
      const bool known =
          std::any_of(targets.begin(), targets.end(), [&key = name](const auto& t) { return t.first == key; });
      if (!known) return Error{"unexpected tensor", archive.where(name)};
    }
  }
  for (const auto& [name, target] : targets) {
    LIMBER_TRY(const Tensor stored, borrow_tensor(*archive.find(name), archive.where(name)));
    Tensor(target).copy_(stored);
  }
  step_count_ = *steps;
  update_count_ = *updates;
  metadata.erase(kStepKey);
  metadata.erase(kUpdateKey);
  return metadata;
}

}  // namespace limber::nn
