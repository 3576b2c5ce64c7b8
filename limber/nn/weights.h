// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "limber/nn/torch_api.h"

/// \file
/// Describe a model once; the same description loads it, makes it up for a benchmark, or only counts it.
///
///     struct Mlp { Linear up, down; };
///     Mlp describe_mlp(const WeightScope& w, std::int64_t width) {         // asks by name and shape, cannot fail
///       return {linear(w / "up", width, 4 * width), linear(w / "down", 4 * width, width)};
///     }
///     LIMBER_TRY(nn::Weights weights, nn::Weights::open("checkpoint/transformer", {device, at::kBFloat16}));
///     Mlp mlp = describe_mlp(weights.root() / "mlp", 1920);
///     LIMBER_CHECK_OK(weights.finish());       // every missing, surplus or misshapen tensor in one error
///
/// `Weights::random(seed, placement)` needs no file; `Weights::plan()` gives tensors without data (device meta), after
/// which `parameter_count()` and `tensor_count()` say what the model needs before anything is loaded.

namespace limber::nn {

/// How a tensor starts when it does not come from a file.
struct Init {
  enum class Kind { kNormal, kConstant };
  Kind kind = Kind::kNormal;
  double value = 0;  ///< kNormal: standard deviation, 0 for 1/sqrt(fan-in); kConstant: the value

  static Init normal(double deviation = 0) { return {Kind::kNormal, deviation}; }
  static Init constant(double value) { return {Kind::kConstant, value}; }
};

class WeightScope;

/// The weights of one model while it is being described. Not thread-safe.
class Weights {
 public:
  /// Tensors of a checkpoint component (a folder, file or index; see TensorArchive::open), converted on request;
  /// matrices of bytes by their `<name>_scale`, as `infer::WeightFile` reads them.
  static Result<Weights> open(const std::filesystem::path& path, Placement placement);
  static Weights from_archive(TensorArchive archive, Placement placement);
  /// Tensors that are there already; they are shared, not copied.
  static Weights from_tensors(const TensorList& tensors);
  /// Made up from `seed`. A tensor depends on seed, name and shape alone, on CPU or GPU: large ones (> 2^20 elements)
  /// are drawn on the device and so differ between devices.
  static Weights random(std::uint64_t seed, Placement placement);
  /// Shapes only, for counting: the tensors have no data.
  static Weights plan(at::ScalarType dtype = at::kBFloat16);

  WeightScope root();

  /// The tensor `name`; its shape must be `shape`. A failure is remembered for `finish`, and zeros are returned (of the
  /// right shape, without memory behind them). Asking twice gives the same tensor.
  Tensor get(const std::string& name, const Shape& shape, Init init = {});
  /// Whether a file holds `name`, for parts that are optional in a checkpoint; false for random and plan.
  bool has(const std::string& name) const;
  /// Accepts a tensor that a checkpoint may hold and the model does not need (a tied copy).
  void ignore(const std::string& name);

  /// A tensor that an older file may lack starts as its `init` says: for training on with a network that has grown.
  void may_lack(const std::string& name);

  /// Reports missing, misshapen and surplus tensors, by name. Call it once after the description.
  Status finish() const;

  const Placement& placement() const { return placement_; }
  const TensorList& tensors() const { return given_; }  ///< all that were asked for, in order
  std::int64_t tensor_count() const { return static_cast<std::int64_t>(given_.size()); }
  std::int64_t parameter_count() const;
  std::uint64_t byte_size() const;  ///< in the placement's type

 private:
  enum class Source { kArchive, kRandom, kPlan, kTensors };
  Weights(Source source, Placement placement) : source_(source), placement_(placement) {}

  Result<Tensor> load(const std::string& name, const Shape& shape) const;
  Tensor draw(const std::string& name, const Shape& shape, Init init) const;
  bool is_scale_of_given(const std::string& key) const;

  Source source_;
  Placement placement_;
  std::uint64_t seed_ = 0;
  TensorArchive archive_;
  std::map<std::string, Tensor> tensors_;  ///< of kTensors
  TensorList given_;
  std::map<std::string, std::size_t> index_of_;
  std::set<std::string> ignored_, may_lack_;
  std::vector<std::string> problems_;
};

/// A position in the names of a model: `weights.root() / "transformer_blocks" / 3 / "attn1"`. Valid while the Weights
/// stay where they are.
class WeightScope {
 public:
  WeightScope operator/(const std::string& part) const {
    return {*weights_, prefix_.empty() ? part : prefix_ + "." + part};
  }
  WeightScope operator/(std::int64_t index) const { return *this / std::to_string(index); }

  /// The tensor called `name` here; an empty name means the scope itself.
  Tensor get(const std::string& name, const Shape& shape, Init init = {}) const {
    return weights_->get(full(name), shape, init);
  }
  bool has(const std::string& name) const { return weights_->has(full(name)); }
  void ignore(const std::string& name) const { weights_->ignore(full(name)); }
  const std::string& prefix() const { return prefix_; }

 private:
  friend class Weights;
  WeightScope(Weights& weights, std::string prefix) : weights_(&weights), prefix_(std::move(prefix)) {}
  std::string full(const std::string& name) const { return name.empty() ? prefix_ : (*this / name).prefix_; }

  Weights* weights_;
  std::string prefix_;
};

inline WeightScope Weights::root() { return {*this, ""}; }

}  // namespace limber::nn
