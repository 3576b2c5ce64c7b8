// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_weights.h"

#include "limber/base/expect.h"
#include "limber/base/files.h"
#include "limber/nn/training_loop.h"
#include "limber/nn/weights_id.h"
#include "limber/prior/few_steps.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/prompt_words.h"
#include "limber/prior/sketch_prior.h"

namespace limber::prior {
namespace {

constexpr const char* kAveragedFile = "averaged.safetensors";
constexpr std::uint64_t kShardBytes = std::uint64_t{14} << 20;

Tensor tensor_of(std::span<const float> values, at::IntArrayRef shape, at::Device device) {
  return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat).to(device);
}

/// Matrices of layers in bytes; tables of positions and words, which are small, stay as they are.
nn::TensorList in_small(const nn::TensorList& weights) {
  nn::TensorList small;
  for (const auto& [name, tensor] : weights) {
    const bool is_layer = name.ends_with(".weight");
    for (auto& entry : is_layer ? nn::in_bytes({{name, tensor}}, "") : nn::TensorList{{name, tensor}}) {
      small.push_back(std::move(entry));
    }
  }
  return small;
}

}  // namespace

TorchSketchNetwork::TorchSketchNetwork(const SketchModel& model, nn::Weights weights)
    : model_(model), weights_(std::move(weights)), network_(model_, weights_.root()) {}

Result<std::vector<float>> TorchSketchNetwork::read(const std::string& prompt) const {
  return nn::guarded("prompt", [&]() -> Result<std::vector<float>> {
    const at::NoGradGuard no_gradients;
    const c10::OptionalDeviceGuard here(network_.placement().device);
    const std::vector<std::int32_t> groups = prompt_groups(prompt, model_.buckets);
    const Tensor index = at::tensor(groups).view({1, kPromptWords, kWordGroups}).to(network_.placement().device);
    return to_floats(network_.text(index, at::ones({1}, index.device()))[0]);
  });
}

void TorchSketchNetwork::add_adapter(const nn::TensorList& adapter) {
  const at::NoGradGuard no_gradients;
  nn::Weights merged = nn::Weights::from_tensors(merged_weights(weights_.tensors(), adapter));
  jumping_.emplace(model_, merged.root(), Stride::kJump);
}

Result<std::vector<std::vector<float>>> TorchSketchNetwork::denoise(
    const SketchInput& input, std::span<const std::span<const float>> texts) const {
  LIMBER_EXPECT(input.targets.empty() || jumping_, "only a network of jumps has targets");
  return nn::guarded("denoiser", [&]() -> Result<std::vector<std::vector<float>>> {
    const at::NoGradGuard no_gradients;
    const at::Device device = network_.placement().device;
    const c10::OptionalDeviceGuard here(device);
    const auto count = static_cast<std::int64_t>(texts.size());
    const std::int64_t v = model_.views, f = model_.frames, size = model_.size;
    // The same for all texts.
    const auto for_all = [&](std::span<const float> values, std::vector<std::int64_t> shape) {
      const Tensor one = tensor_of(values, shape, device);
      shape.insert(shape.begin(), count);
      return one.unsqueeze(0).expand(shape);
    };
    SketchCondition condition;
    std::vector<Tensor> rows;
    for (const std::span<const float> text : texts) rows.push_back(tensor_of(text, {model_.width}, device));
    condition.text = at::stack(rows);
    condition.has_rest = at::full({count}, input.rest.empty() ? 0.0f : 1.0f, at::TensorOptions().device(device));
    condition.rest =
        input.rest.empty() ? at::zeros({count, v, 3, size, size}, device) : for_all(input.rest, {v, 3, size, size});
    if (!input.known.empty()) {
      condition.known = for_all(input.known, {v, f, 3, size, size});
      condition.is_known = for_all(input.is_known, {f});
    }
    const Tensor noisy = for_all(input.noisy, {v, f, 3, size, size}), shares = for_all(input.shares, {model_.tubes()});
    const Tensor seen = input.targets.empty()
                            ? network_.denoised(noisy, shares, condition)
                            : jumping_->denoised(noisy, shares, condition, for_all(input.targets, {model_.tubes()}));
    std::vector<std::vector<float>> videos;
    for (std::int64_t i = 0; i < count; ++i) videos.push_back(to_floats(seen[i].to(at::kFloat)));
    return videos;
  });
}

Result<std::vector<std::vector<std::vector<float>>>> TorchSketchNetwork::denoise_all(
    std::span<const SketchQuery> queries) const {
  return nn::guarded("denoiser", [&]() -> Result<std::vector<std::vector<std::vector<float>>>> {
    const at::NoGradGuard no_gradients;
    const at::Device device = network_.placement().device;
    const c10::OptionalDeviceGuard here(device);
    const std::int64_t v = model_.views, f = model_.frames, size = model_.size;
    // Each video goes up once, and is looked at as often as it has texts.
    std::vector<Tensor> noisy, shares, texts, rests;
    std::vector<float> has_rest;
    std::vector<std::int64_t> rows;
    for (const auto& [input, of_input] : queries) {
      LIMBER_EXPECT(input.targets.empty() && input.known.empty(),
                    "several videos have neither targets nor known frames");
      rows.insert(rows.end(), of_input.size(), static_cast<std::int64_t>(noisy.size()));
      noisy.push_back(tensor_of(input.noisy, {v, f, 3, size, size}, at::kCPU));
      shares.push_back(tensor_of(input.shares, {model_.tubes()}, at::kCPU));
      rests.push_back(input.rest.empty() ? at::zeros({v, 3, size, size})
                                         : tensor_of(input.rest, {v, 3, size, size}, at::kCPU));
      has_rest.push_back(input.rest.empty() ? 0.0f : 1.0f);
      for (const std::span<const float> text : of_input) texts.push_back(tensor_of(text, {model_.width}, at::kCPU));
    }
    if (texts.empty()) return std::vector<std::vector<std::vector<float>>>(queries.size());
    const Tensor row = at::tensor(rows).to(device);
    const auto per_text = [&](const Tensor& per_video) { return per_video.to(device).index_select(0, row); };
    SketchCondition condition;
    condition.text = at::stack(texts).to(device), condition.rest = per_text(at::stack(rests));
    condition.has_rest = per_text(at::tensor(has_rest));
    const Tensor seen =
        network_.denoised(per_text(at::stack(noisy)), per_text(at::stack(shares)), condition).to(at::kCPU, at::kFloat);
    std::vector<std::vector<std::vector<float>>> all;
    std::int64_t next = 0;
    for (const SketchQuery& query : queries) {
      std::vector<std::vector<float>>& videos = all.emplace_back();
      for (std::size_t k = 0; k < query.texts.size(); ++k) videos.push_back(to_floats(seen[next++]));
    }
    return all;
  });
}

Result<std::unique_ptr<VideoPrior>> open_torch_sketch_prior(const std::filesystem::path& folder,
                                                            const LoadSettings& settings) {
  LIMBER_TRY(const SketchModel model, read_sketch_model(folder));
  LIMBER_TRY(const nn::Placement placement, placement_of(settings, "the built-in prior"));
  return nn::guarded(folder.string(), [&]() -> Result<std::unique_ptr<VideoPrior>> {
    LIMBER_TRY(nn::Weights weights, open_sketch_weights(folder, placement));
    // Described twice: once to check, once by the network that owns the weights.
    SketchTransformer network(model, weights.root());
    LIMBER_CHECK_OK(weights.finish());
    LIMBER_TRY(const std::optional<nn::Weights> adapter, open_adapter(model, folder, placement.device));
    auto jumping = std::make_unique<TorchSketchNetwork>(model, std::move(weights));
    if (adapter) jumping->add_adapter(adapter->tensors());
    return std::unique_ptr<VideoPrior>(
        std::make_unique<SketchPrior>(model, std::move(jumping), folder.filename().string(), nn::weights_id(folder)));
  });
}

Result<nn::Weights> open_sketch_weights(const std::filesystem::path& folder, const nn::Placement& placement) {
  return nn::Weights::open(sketch_weights_file(folder / kSketchWeightsFile), placement);
}

Result<nn::Weights> open_first_weights(const std::filesystem::path& folder, int version,
                                       const nn::Placement& placement) {
  LIMBER_TRY(const SketchModel model, read_sketch_model(folder));
  std::error_code error;
  const std::filesystem::path averaged = sketch_weights_file(folder / kAveragedFile);
  const bool left = std::filesystem::exists(averaged, error);
  LIMBER_TRY(nn::Weights weights,
             left ? nn::Weights::open(averaged, placement) : open_sketch_weights(folder, placement));
  for (int grown = model.version + 1; grown <= version; ++grown) {
    for (const std::string& name : SketchTransformer::new_tensors(grown)) weights.may_lack(name);
  }
  return weights;
}

Status save_sketch_prior(const SketchModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  nn::SafetensorsSettings settings;
  settings.max_shard_bytes = kShardBytes;
  settings.metadata = {{"format", "limber part prior"}};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kSketchWeightsFile, in_small(weights), settings, at::kHalf));
  LIMBER_CHECK_OK(nn::save_tensors(folder / kAveragedFile, weights, settings, at::kHalf));
  return write_file(folder / kSketchModelFile, sketch_model_to_json(model));
}

}  // namespace limber::prior
