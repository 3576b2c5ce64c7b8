// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "limber/base/checksum.h"

namespace limber::nn {
namespace {

constexpr std::int64_t kDrawOnDevice = std::int64_t{1} << 20;
constexpr std::size_t kListedProblems = 12;
const std::string kScaleOf = "_scale";  // follows the name of a matrix of bytes

/// Names to seeds, the same on every machine.
std::uint64_t hash(std::uint64_t seed, const std::string& text) {
  const std::uint64_t h = Checksum(seed).add(text).value();
  return h ^ (h >> 29);
}

/// Inputs that one output sums over: all axes but the first.
std::int64_t fan_in(const Shape& shape) {
  std::int64_t fan = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) fan *= shape[i];
  return shape.size() < 2 ? (shape.empty() ? 1 : shape[0]) : fan;
}

}  // namespace

Result<Weights> Weights::open(const std::filesystem::path& path, Placement placement) {
  LIMBER_TRY(TensorArchive archive, TensorArchive::open(path));
  return from_archive(std::move(archive), placement);
}

Weights Weights::from_archive(TensorArchive archive, Placement placement) {
  Weights weights(Source::kArchive, placement);
  weights.archive_ = std::move(archive);
  return weights;
}

Weights Weights::from_tensors(const TensorList& tensors) {
  LIMBER_EXPECT(!tensors.empty(), "no tensors");
  const Tensor& first = tensors.front().second;
  Weights weights(Source::kTensors, {first.device(), first.scalar_type()});
  for (const auto& [name, tensor] : tensors) weights.tensors_.emplace(name, tensor);
  return weights;
}

Weights Weights::random(std::uint64_t seed, Placement placement) {
  Weights weights(Source::kRandom, placement);
  weights.seed_ = seed;
  return weights;
}

Weights Weights::plan(at::ScalarType dtype) { return {Source::kPlan, {at::kMeta, dtype}}; }

Tensor Weights::get(const std::string& name, const Shape& shape, Init init) {
  if (const auto known = index_of_.find(name); known != index_of_.end()) {
    const Tensor& tensor = given_[known->second].second;
    LIMBER_EXPECT(tensor.sizes().vec() == shape, name + " was asked for in two shapes");
    return tensor;
  }
  const at::NoGradGuard no_grad;
  Tensor tensor;
  if (source_ == Source::kPlan) tensor = at::empty(shape, placement_.options());
  const bool is_new = source_ == Source::kArchive && may_lack_.count(name) > 0 && !archive_.contains(name);
  if (source_ == Source::kRandom || is_new) tensor = draw(name, shape, init);
  if (source_ == Source::kTensors) {
    const auto found = tensors_.find(name);
    LIMBER_EXPECT(found != tensors_.end() && found->second.sizes().vec() == shape, name);
    tensor = found->second;
  }
  if (source_ == Source::kArchive && !is_new) {
    Result<Tensor> loaded = load(name, shape);
    if (!loaded.ok()) problems_.push_back(loaded.error().message());
    tensor = loaded.ok() ? *loaded : at::zeros({}, placement_.options()).expand(shape);
  }
  index_of_.emplace(name, given_.size());
  given_.emplace_back(name, tensor);
  return tensor;
}

bool Weights::has(const std::string& name) const { return source_ == Source::kArchive && archive_.contains(name); }

void Weights::ignore(const std::string& name) { ignored_.insert(name); }

void Weights::may_lack(const std::string& name) { may_lack_.insert(name); }

Result<Tensor> Weights::load(const std::string& name, const Shape& shape) const {
  const std::string where = archive_.where(name);
  if (!archive_.contains(name)) return Error{"missing tensor", where};
  LIMBER_TRY(const TensorView view, archive_.find(name));
  if (view.shape != shape) {
    return Error{fmt::format("shape {}, expected {}", to_string(view.shape), to_string(shape)), where};
  }
  LIMBER_TRY(const Tensor borrowed, borrow_tensor(view, where));
  if (view.dtype == Dtype::kI8 && shape.size() == 2 && archive_.contains(name + kScaleOf)) {
    LIMBER_TRY(const Tensor scales, read_tensor(archive_, name + kScaleOf));
    if (scales.dim() != 1 || scales.size(0) != shape[0]) return Error{"another number of scales than rows", where};
    return guarded(where, [&]() -> Result<Tensor> {
      return (borrowed.to(at::kFloat) * scales.to(at::kFloat).unsqueeze(1)).to(placement_.options());
    });
  }
  if (!borrowed.is_floating_point()) {
    return Error{fmt::format("type {}, expected a floating one", nn::name(view.dtype)), where};
  }
  return guarded(where, [&]() -> Result<Tensor> {
    // `copy`, because the same type on the CPU would otherwise alias the map.
    return borrowed.to(placement_.options(), /*non_blocking=*/false, /*copy=*/true);
  });
}

Tensor Weights::draw(const std::string& name, const Shape& shape, Init init) const {
  if (init.kind == Init::Kind::kConstant) return at::full(shape, init.value, placement_.options());
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  const double deviation = init.value > 0 ? init.value : 1.0 / std::sqrt(static_cast<double>(fan_in(shape)));

  const at::Device device = count > kDrawOnDevice ? placement_.device : at::Device(at::kCPU);
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(hash(seed_, name));
  const auto type = device.is_cuda() ? placement_.dtype : at::kFloat;
  return at::empty(shape, at::TensorOptions().device(device).dtype(type))
      .normal_(0.0, deviation, generator)
      .to(placement_.options());
}

Status Weights::finish() const {
  std::vector<std::string> problems = problems_;
  if (source_ == Source::kArchive) {
    for (const auto& [key, view] : archive_.tensors()) {
      if (index_of_.count(key) == 0 && ignored_.count(key) == 0 && !is_scale_of_given(key)) {
        problems.push_back(archive_.where(key) + ": unexpected tensor");
      }
    }
  }
  if (problems.empty()) return Done{};
  const std::size_t count = problems.size();
  if (count > kListedProblems) {
    problems.resize(kListedProblems);
    problems.push_back(fmt::format("and {} more", count - kListedProblems));
  }
  return Error{fmt::format("{} {}: {}", count, count == 1 ? "tensor does not fit" : "tensors do not fit",
                           fmt::join(problems, "; ")),
               archive_.path().string()};
}

bool Weights::is_scale_of_given(const std::string& key) const {
  return key.ends_with(kScaleOf) && index_of_.count(key.substr(0, key.size() - kScaleOf.size())) > 0;
}

std::int64_t Weights::parameter_count() const {
  std::int64_t count = 0;
  for (const auto& [key, tensor] : given_) count += tensor.numel();
  return count;
}

std::uint64_t Weights::byte_size() const {
  return static_cast<std::uint64_t>(parameter_count()) * at::elementSize(placement_.dtype);
}

}  // namespace limber::nn
