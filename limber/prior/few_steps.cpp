// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/few_steps.h"

#include <map>

#include "limber/base/files.h"
#include "limber/nn/training_loop.h"

namespace limber::prior {
namespace {

constexpr std::string_view kMatrix = ".weight";

/// The layer that a matrix belongs to, "blocks.3.qkv" of "blocks.3.qkv.weight".
std::string layer_of(const std::string& name) { return name.substr(0, name.size() - kMatrix.size()); }

bool is_adapted(const std::string& name, const Tensor& tensor) {
  return name.ends_with(kMatrix) && tensor.dim() == 2 && !name.starts_with("text.") && name != "known_bits.weight";
}

bool is_finite(const nn::TensorList& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (!at::isfinite(tensor).all().item<bool>()) return false;
  }
  return true;
}

}  // namespace

std::vector<AdaptedLayer> adapted_layers(const SketchModel& model) {
  nn::Weights plan = nn::Weights::plan();
  SketchTransformer(model, plan.root());
  std::vector<AdaptedLayer> layers;
  for (const auto& [name, tensor] : plan.tensors()) {
    if (is_adapted(name, tensor)) layers.push_back({layer_of(name), tensor.size(1), tensor.size(0)});
  }
  return layers;
}

void describe_adapter(const SketchModel& model, int rank, const nn::WeightScope& scope) {
  const nn::Init zero = nn::Init::constant(0);
  for (const AdaptedLayer& layer : adapted_layers(model)) {
    (scope / layer.name).get("down", {rank, layer.in});
    (scope / layer.name).get("up", {layer.out, rank}, zero);
  }
  // As the network of jumps asks for them.
  nn::Weights plan = nn::Weights::plan();
  SketchTransformer(model, plan.root(), Stride::kJump);
  for (const auto& [name, tensor] : plan.tensors()) {
    if (!name.starts_with("target_time.")) continue;
    const bool leads_on = name.starts_with("target_time.linear_1.w");
    scope.get(name, tensor.sizes().vec(), leads_on ? nn::Init{} : zero);
  }
}

nn::TensorList merged_weights(const nn::TensorList& base, const nn::TensorList& adapter) {
  LIMBER_EXPECT(!base.empty(), "no weights");
  std::map<std::string, Tensor> parts(adapter.begin(), adapter.end());
  const at::TensorOptions options = base.front().second.options();
  nn::TensorList merged;
  for (const auto& [name, tensor] : base) {
    const auto up = is_adapted(name, tensor) ? parts.find(layer_of(name) + ".up") : parts.end();
    if (up == parts.end()) {
      merged.emplace_back(name, tensor);
      continue;
    }
    const Tensor change = at::matmul(up->second.to(at::kFloat), parts.at(layer_of(name) + ".down").to(at::kFloat));
    merged.emplace_back(name, (tensor.to(at::kFloat) + change).to(options));
  }
  for (const auto& [name, tensor] : adapter) {
    if (name.starts_with("target_time.")) merged.emplace_back(name, tensor.to(options));
  }
  return merged;
}

Result<std::optional<nn::Weights>> open_adapter(const SketchModel& model, const std::filesystem::path& folder,
                                                at::Device device) {
  const std::filesystem::path file = folder / kFewStepsFile;
  std::error_code error;
  if (model.few_steps.steps == 0 || !std::filesystem::exists(file, error)) return std::optional<nn::Weights>();
  LIMBER_TRY(nn::Weights adapter, nn::Weights::open(file, {device, at::kFloat}));
  describe_adapter(model, model.few_steps.rank, adapter.root());
  LIMBER_CHECK_OK(adapter.finish());
  if (!is_finite(adapter.tensors())) return Error{"numbers that are not finite", file.string()};
  return std::optional<nn::Weights>(std::move(adapter));
}

void grow_adapter(const nn::TensorList& small, const nn::TensorList& large) {
  const at::NoGradGuard no_gradients;
  const std::map<std::string, Tensor> known(small.begin(), small.end());
  for (const auto& [name, tensor] : large) {
    const Tensor& from = known.at(name);
    Tensor first = tensor;
    for (std::int64_t k = 0; k < from.dim(); ++k) first = first.narrow(k, 0, from.size(k));
    first.copy_(from);
  }
}

Status save_adapter(const SketchModel& model, const nn::TensorList& adapter, const std::filesystem::path& folder) {
  LIMBER_EXPECT(model.few_steps.steps > 0, "a model without few steps");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  nn::SafetensorsSettings settings;
  settings.metadata = {{"format", "limber few steps"}};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kFewStepsFile, nn::in_bytes(adapter, ""), settings, at::kHalf));
  return write_file(folder / kSketchModelFile, sketch_model_to_json(model));
}

}  // namespace limber::prior
