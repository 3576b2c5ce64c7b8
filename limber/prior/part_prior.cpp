// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/base/expect.h"
#include "limber/base/files.h"
#include "limber/nn/training_loop.h"
#include "limber/prior/few_steps.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

constexpr const char* kAveragedFile = "averaged.safetensors";
constexpr std::uint64_t kShardBytes = std::uint64_t{14} << 20;

PriorInfo describe(const PartModel& model, std::string name) {
  PriorInfo info;
  info.name = std::move(name);
  info.views = model.views;
  info.native = {model.frames, model.size, model.size};
  info.frame_step = 1, info.size_multiple = model.size;
  info.prediction = Prediction::kSample;
  info.train_steps = kPartSteps;
  info.latent_channels = 3, info.latent_reduction = 1, info.text_length = 1;
  info.sample_guidance = 2.5;
  info.sample_steps = 20;
  info.uses_rest = true;
  info.fps = model.fps;
  info.framing = model.framing;
  info.actions = model.actions;
  return info;
}

/// `x` with its known frames at their shares of noise, [frames].
Tensor held(const Tensor& x, const Tensor& noise, const Tensor& known, const Tensor& bits, const Tensor& shares) {
  const auto for_frames = [](const Tensor& values) { return values.view({1, -1, 1, 1, 1}); };
  const Tensor s = for_frames(shares);
  return at::where(for_frames(bits) > 0, (1 - s) * known + s * noise, x);
}

/// As they were given, to the last bit.
void put_known(const KnownFrames& given, Frames& frames) {
  const std::size_t frame = frames.size() / static_cast<std::size_t>(frames.views * frames.frames);
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames.views * frames.frames); ++i) {
    if (given.known[i % given.known.size()] == 0) continue;
    const auto from = given.frames.values.begin() + static_cast<std::ptrdiff_t>(i * frame);
    std::copy_n(from, frame, frames.values.begin() + static_cast<std::ptrdiff_t>(i * frame));
  }
}

/// A file of weights, or the index of its shards. By name: a training run's state may lie beside them.
std::filesystem::path whole_or_index(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error) ? file : std::filesystem::path(file.string() + ".index.json");
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

Tensor from_frames(const Frames& frames, at::Device device) {
  return at::from_blob(const_cast<float*>(frames.values.data()),
                       {frames.views, frames.frames, 3, frames.height, frames.width}, at::kFloat)
                 .to(device) *
             2 -
         1;
}

PartPrior::PartPrior(const PartModel& model, nn::Weights weights, std::string name)
    : model_(model),
      weights_(std::move(weights)),
      network_(model_, weights_.root()),
      info_(describe(model, std::move(name))) {}

void PartPrior::add_adapter(const nn::TensorList& adapter) {
  const at::NoGradGuard no_gradients;
  nn::Weights merged = nn::Weights::from_tensors(merged_weights(weights_.tensors(), adapter));
  jumping_.emplace(model_, merged.root(), Stride::kJump);
  info_.few_steps = model_.few_steps.steps;
}

std::vector<std::int64_t> PartPrior::shape() const {
  return {model_.views, model_.frames, 3, model_.size, model_.size};
}

Status PartPrior::check_rest(const Frames& rest) const {
  const bool fits = rest.views == model_.views && rest.frames == 1 && rest.height == model_.size &&
                    rest.width == model_.size && rest.values.size() == rest.size();
  if (fits) return Done{};
  return Error{fmt::format("rest-pose pictures of {} x {} x {} x {}; {} views of one frame, {} x {} pixels, are needed",
                           rest.views, rest.frames, rest.height, rest.width, model_.views, model_.size, model_.size),
               info_.name};
}

Result<Condition> PartPrior::condition(const Prompt& prompt, const Frames* rest) {
  if (rest != nullptr) LIMBER_CHECK_OK(check_rest(*rest));
  return nn::guarded(info_.name, [&]() -> Result<Condition> {
    const at::NoGradGuard no_gradients;
    std::vector<std::int32_t> groups = prompt_groups(prompt.text, model_.buckets);
    const std::vector<std::int32_t> negative = prompt_groups(prompt.negative, model_.buckets);
    groups.insert(groups.end(), negative.begin(), negative.end());
    const Tensor index = at::tensor(groups).view({2, kPromptWords, kWordGroups}).to(network_.placement().device);
    const Tensor text = network_.text(index, at::ones({2}, index.device()));
    Condition condition;
    condition.prompt = prompt;
    condition.length = 1, condition.width = model_.width;
    condition.left_out = std::max(0, static_cast<int>(words_of(prompt.text).size()) - kPromptWords);
    condition.text = to_floats(text[0]), condition.negative = to_floats(text[1]);
    if (rest != nullptr) condition.rest = *rest;
    return condition;
  });
}

Result<PartPrior::Conditions> PartPrior::conditions_of(const Condition& condition) const {
  const auto width = static_cast<std::size_t>(model_.width);
  if (condition.text.size() != width || condition.negative.size() != width) {
    return Error{"the condition was made by another model", info_.name};
  }
  if (condition.rest) LIMBER_CHECK_OK(check_rest(*condition.rest));
  const at::Device device = network_.placement().device;
  Conditions conditions;
  conditions.both.text = at::stack({at::tensor(condition.text), at::tensor(condition.negative)}).to(device);
  conditions.both.has_rest = at::full({2}, condition.rest ? 1.0f : 0.0f, at::TensorOptions().device(device));
  conditions.both.rest = condition.rest
                             ? from_frames(*condition.rest, device).squeeze(1).unsqueeze(0).expand({2, -1, -1, -1, -1})
                             : at::zeros({2, model_.views, 3, model_.size, model_.size}, device);
  return conditions;
}

Result<PartPrior::Known> PartPrior::known_of(const KnownFrames& given) const {
  const Frames& frames = given.frames;
  const auto count = static_cast<std::size_t>(model_.frames);
  if (frames.views != model_.views || !(video_size(frames) == info_.native) || frames.values.size() != frames.size() ||
      given.known.size() != count) {
    return Error{fmt::format("known frames of {} views x {} x {} x {}, {} of them marked; {} views of {} x {} x {} are "
                             "needed",
                             frames.views, frames.frames, frames.height, frames.width, given.known.size(), model_.views,
                             model_.frames, model_.size, model_.size),
                 info_.name};
  }
  const at::Device device = network_.placement().device;
  std::vector<float> bits(count), noisy(static_cast<std::size_t>(model_.tubes()), 1.0f);
  for (std::size_t i = 0; i < count; ++i) bits[i] = given.known[i] != 0 ? 1.0f : 0.0f;
  if (model_.version >= 2) {
    const auto length = static_cast<std::size_t>(model_.patch_frames);
    for (std::size_t t = 0; t < noisy.size(); ++t) {
      noisy[t] = 1 - *std::min_element(bits.data() + t * length, bits.data() + (t + 1) * length);
    }
  }
  Known known{from_frames(frames, device), at::tensor(bits).to(device), at::tensor(noisy).to(device)};
  // What is not known may be anything, even no number.
  known.video = at::where(known.bits.view({1, -1, 1, 1, 1}) > 0, known.video, at::zeros_like(known.video));
  return known;
}

Tensor PartPrior::predict(const Tensor& noisy, const Tensor& sigma, const Conditions& conditions) const {
  const Tensor pair = noisy.unsqueeze(0).expand({2, -1, -1, -1, -1, -1});
  const Tensor shares = sigma.reshape({1, -1}).expand({2, -1}).to(noisy.options());
  return network_.denoised(pair, shares, conditions.both).to(at::kFloat);
}

Tensor PartPrior::predict_jump(const Tensor& noisy, const Tensor& sigma, const Tensor& target,
                               const Conditions& conditions) const {
  const auto first = [](const Tensor& pair) { return pair.defined() ? pair.narrow(0, 0, 1) : pair; };
  const PartCondition& both = conditions.both;
  const PartCondition prompt{first(both.text), first(both.rest), first(both.has_rest), first(both.known),
                             first(both.is_known)};
  const auto shares = [&](const Tensor& values) { return values.reshape({1, -1}).to(noisy.options()); };
  return jumping_->denoised(noisy.unsqueeze(0), shares(sigma), prompt, shares(target))[0].to(at::kFloat);
}

Tensor PartPrior::noise(const std::optional<std::vector<float>>& given, std::uint64_t seed, std::uint64_t iteration,
                        int draw) const {
  std::size_t count = 1;
  for (const std::int64_t extent : shape()) count *= static_cast<std::size_t>(extent);
  const std::vector<float> values = noise_of_draw(given, count, seed, iteration, draw);
  return at::tensor(values).view(shape()).to(network_.placement().device);
}

std::vector<double> part_sigmas(int steps) {
  std::vector<double> sigmas;
  for (int i = 0; i <= steps; ++i) sigmas.push_back(1 - static_cast<double>(i) / steps);
  return sigmas;
}

Result<Frames> PartPrior::sample(const Condition& condition, const SampleSettings& settings) {
  if (settings.size.value_or(info_.native) != info_.native) {
    return Error{
        fmt::format("it draws {} frames of {} x {} pixels, nothing else", model_.frames, model_.size, model_.size),
        info_.name};
  }
  const bool few = settings.few_steps && jumping_;
  const int steps = settings.steps.value_or(few ? info_.few_steps : info_.sample_steps);
  LIMBER_EXPECT(steps >= 1, std::to_string(steps));
  if (steps > kPartSteps) return Error{fmt::format("at most {} steps", kPartSteps), info_.name};
  const double guidance = settings.guidance.value_or(info_.sample_guidance);
  return nn::guarded(info_.name, [&]() -> Result<Frames> {
    const at::NoGradGuard no_gradients;
    LIMBER_TRY(Conditions conditions, conditions_of(condition));
    std::optional<Known> known;
    if (settings.known) {
      LIMBER_TRY(known, known_of(*settings.known));
    }
    if (known && model_.version >= 2) {
      conditions.both.known = known->video.unsqueeze(0).expand({2, -1, -1, -1, -1, -1});
      conditions.both.is_known = known->bits.unsqueeze(0).expand({2, -1});
    }
    const std::vector<double> sigmas = part_sigmas(steps);
    const Tensor start = noise(settings.noise, settings.seed, 0, 0);
    Tensor x = start;
    for (int i = 0; i < steps; ++i) {
      if (settings.progress && !settings.progress("denoising", static_cast<double>(i) / steps)) {
        return cancelled(info_.name);
      }
      const double sigma = sigmas[static_cast<std::size_t>(i)], next = sigmas[static_cast<std::size_t>(i) + 1];
      Tensor shares = at::full({1}, sigma, x.options());
      if (known) {
        shares = sigma * known->noisy;
        x = held(x, start, known->video, known->bits, shares.repeat_interleave(model_.patch_frames));
      }
      Tensor aim;
      if (few) {
        aim = predict_jump(x, shares, shares * (next / sigma), conditions);
      } else {
        const Tensor seen = predict(x, shares, conditions);
        aim = seen[1] + guidance * (seen[0] - seen[1]);
      }
      // Along the straight line from the noise to what is seen.
      x = aim + (next / sigma) * (x - aim);
    }
    Frames frames(model_.views, model_.frames, model_.size, model_.size);
    frames.values = to_floats((x * 0.5 + 0.5).clamp(0, 1));
    if (settings.known) put_known(*settings.known, frames);
    return frames;
  });
}

Result<std::unique_ptr<VideoPrior>> load_part_prior(const std::filesystem::path& folder, const LoadSettings& settings) {
  LIMBER_TRY(const PartModel model, read_part_model(folder));
  LIMBER_TRY(const nn::Placement placement, placement_of(settings));
  return nn::guarded(folder.string(), [&]() -> Result<std::unique_ptr<VideoPrior>> {
    LIMBER_TRY(nn::Weights weights, open_part_weights(folder, placement));
    // Described twice: once to check, once by the prior that owns the weights.
    PartTransformer network(model, weights.root());
    LIMBER_CHECK_OK(weights.finish());
    LIMBER_TRY(const std::optional<nn::Weights> adapter, open_adapter(model, folder, placement.device));
    auto prior = std::make_unique<PartPrior>(model, std::move(weights), folder.filename().string());
    if (adapter) prior->add_adapter(adapter->tensors());
    return std::unique_ptr<VideoPrior>(std::move(prior));
  });
}

Result<nn::Weights> open_part_weights(const std::filesystem::path& folder, const nn::Placement& placement) {
  return nn::Weights::open(whole_or_index(folder / kPartWeightsFile), placement);
}

Result<nn::Weights> open_first_weights(const std::filesystem::path& folder, int version,
                                       const nn::Placement& placement) {
  LIMBER_TRY(const PartModel model, read_part_model(folder));
  std::error_code error;
  const std::filesystem::path averaged = whole_or_index(folder / kAveragedFile);
  const bool left = std::filesystem::exists(averaged, error);
  LIMBER_TRY(nn::Weights weights, left ? nn::Weights::open(averaged, placement) : open_part_weights(folder, placement));
  for (int grown = model.version + 1; grown <= version; ++grown) {
    for (const std::string& name : PartTransformer::new_tensors(grown)) weights.may_lack(name);
  }
  return weights;
}

Status save_part_prior(const PartModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  nn::SafetensorsSettings settings;
  settings.max_shard_bytes = kShardBytes;
  settings.metadata = {{"format", "limber part prior"}};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kPartWeightsFile, in_small(weights), settings, at::kHalf));
  LIMBER_CHECK_OK(nn::save_tensors(folder / kAveragedFile, weights, settings, at::kHalf));
  return write_file(folder / kPartModelFile, part_model_to_json(model));
}

}  // namespace limber::prior
