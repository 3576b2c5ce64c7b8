// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/weights_id.h"
#include "limber/prior/prompt_words.h"
#include "limber/prior/sketch_denoiser.h"
#include "limber/prior/sketch_denoiser_cuda.h"

namespace limber::prior {
namespace {

PriorInfo describe(const SketchModel& model, const SketchNetwork& network, std::string name) {
  PriorInfo info;
  info.name = std::move(name);
  info.views = model.views;
  info.native = {model.frames, model.size, model.size};
  info.frame_step = 1, info.size_multiple = model.size;
  info.prediction = Prediction::kSample;
  info.train_steps = kSketchSteps;
  info.latent_channels = 3, info.latent_reduction = 1, info.text_length = 1;
  info.sample_guidance = 2.5;
  info.sample_steps = 20;
  info.few_steps = network.jumps() ? model.few_steps.steps : 0;
  info.sampler = fmt::format("shift {}", model.shift);
  if (info.few_steps > 0) {
    info.sampler += fmt::format(", jumps by rank {} with shift {}", model.few_steps.rank, model.few_steps.shift);
  }
  info.uses_rest = true;
  info.fps = model.fps;
  info.framing = model.framing;
  info.actions = model.actions;
  return info;
}

/// As they were given, to the last bit.
void put_known(const KnownFrames& given, Frames& frames) {
  const std::size_t frame = frames.size() / at(frames.views * frames.frames);
  for (std::size_t i = 0; i < at(frames.views * frames.frames); ++i) {
    if (given.known[i % given.known.size()] == 0) continue;
    const auto from = given.frames.values.begin() + static_cast<std::ptrdiff_t>(i * frame);
    std::copy_n(from, frame, frames.values.begin() + static_cast<std::ptrdiff_t>(i * frame));
  }
}

}  // namespace

std::vector<float> from_unit(const std::vector<float>& values) {
  std::vector<float> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](float v) { return v * 2 - 1; });
  return result;
}

std::vector<float> rest_of(const Condition& condition) {
  return condition.rest ? from_unit(condition.rest->values) : std::vector<float>();
}

SketchPrior::SketchPrior(const SketchModel& model, std::unique_ptr<const SketchNetwork> network, std::string name,
                         const std::string& weights)
    : model_(model), network_(std::move(network)), info_(describe(model, *network_, std::move(name))) {
  if (!weights.empty()) info_.sampler += ", weights " + weights;
}

Result<std::unique_ptr<VideoPrior>> open_sketch_prior(const std::filesystem::path& folder, Device device,
                                                      std::optional<std::uint64_t> memory_limit) {
  LIMBER_TRY(const SketchModel model, read_sketch_model(folder));
  std::unique_ptr<const SketchNetwork> network;
  if (device == Device::kCuda) {
    LIMBER_TRY(std::unique_ptr<CudaSketchNetwork> there, CudaSketchNetwork::open(model, folder, memory_limit));
    // Where memory is short, batches take what they need and no more.
    if (!memory_limit) LIMBER_CHECK_OK(there->warm_up());
    network = std::move(there);
  } else {
    LIMBER_TRY(network, SketchDenoiser::open(model, folder));
  }
  return std::unique_ptr<VideoPrior>(
      std::make_unique<SketchPrior>(model, std::move(network), folder.filename().string(), nn::weights_id(folder)));
}

// --- what is given --------------------------------------------------------------------------------------------------

Status SketchPrior::check_frames(int views, VideoSize size) const {
  if (views == model_.views && size == info_.native) return Done{};
  return Error{fmt::format("{} views of {} x {} x {}; it wants {} of {} x {} x {}", views, size.frames, size.height,
                           size.width, model_.views, model_.frames, model_.size, model_.size),
               info_.name};
}

Status SketchPrior::check_rest(const Frames& rest) const {
  const bool fits = rest.views == model_.views && rest.frames == 1 && rest.height == model_.size &&
                    rest.width == model_.size && rest.values.size() == rest.size();
  if (fits) return Done{};
  return Error{fmt::format("rest-pose pictures of {} x {} x {} x {}; {} views of one frame, {} x {} pixels, are needed",
                           rest.views, rest.frames, rest.height, rest.width, model_.views, model_.size, model_.size),
               info_.name};
}

Status SketchPrior::check_condition(const Condition& condition) const {
  if (condition.text.size() != at(model_.width) || condition.negative.size() != at(model_.width)) {
    return Error{"the condition was made by another model", info_.name};
  }
  return condition.rest ? check_rest(*condition.rest) : Status(Done{});
}

Status SketchPrior::check_size(const SampleSettings& settings) const {
  if (settings.size.value_or(info_.native) == info_.native) return Done{};
  return Error{
      fmt::format("it draws {} frames of {} x {} pixels, nothing else", model_.frames, model_.size, model_.size),
      info_.name};
}

Result<Condition> SketchPrior::condition(const Prompt& prompt, const Frames* rest) {
  if (rest != nullptr) LIMBER_CHECK_OK(check_rest(*rest));
  Condition condition;
  condition.prompt = prompt;
  condition.length = 1, condition.width = model_.width;
  condition.left_out = std::max(0, static_cast<int>(words_of(prompt.text).size()) - kPromptWords);
  LIMBER_TRY(condition.text, network_->read(prompt.text));
  LIMBER_TRY(condition.negative, network_->read(prompt.negative));
  if (rest != nullptr) condition.rest = *rest;
  return condition;
}

Result<SketchPrior::Known> SketchPrior::known_of(const KnownFrames& given) const {
  const Frames& frames = given.frames;
  if (frames.views != model_.views || !(video_size(frames) == info_.native) || frames.values.size() != frames.size() ||
      given.known.size() != at(model_.frames)) {
    return Error{fmt::format("known frames of {} views x {} x {} x {}, {} of them marked; {} views of {} x {} x {} are "
                             "needed",
                             frames.views, frames.frames, frames.height, frames.width, given.known.size(), model_.views,
                             model_.frames, model_.size, model_.size),
                 info_.name};
  }
  Known known{from_unit(frames.values), {}, std::vector<float>(at(model_.tubes()), 1.0f)};
  for (const std::uint8_t bit : given.known) known.bits.push_back(bit != 0 ? 1.0f : 0.0f);
  if (model_.version >= 2) {
    const std::size_t length = at(model_.patch_frames);
    for (std::size_t t = 0; t < known.noisy.size(); ++t) {
      known.noisy[t] = 1 - *std::min_element(known.bits.data() + t * length, known.bits.data() + (t + 1) * length);
    }
  }
  // What is not known may be anything, even no number.
  const std::size_t frame = known.video.size() / at(model_.views * model_.frames);
  for (std::size_t i = 0; i < known.video.size(); ++i) {
    if (known.bits[i / frame % known.bits.size()] == 0) known.video[i] = 0;
  }
  return known;
}

void SketchPrior::hold(const Known& known, const Video& noise, std::span<const float> shares, Video& x) const {
  const std::size_t frame = x.size() / at(model_.views * model_.frames);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t which = i / frame % known.bits.size();
    if (known.bits[which] == 0) continue;
    const float s = shares[which / at(model_.patch_frames)];
    x[i] = (1 - s) * known.video[i] + s * noise[i];
  }
}

// --- what is seen ---------------------------------------------------------------------------------------------------

Result<std::vector<SketchPrior::Video>> SketchPrior::see(const SketchInput& input, const Condition& condition,
                                                         bool both) const {
  const std::array<std::span<const float>, 2> texts{condition.text, condition.negative};
  return network_->denoise(input, std::span(texts).first(both ? 2 : 1));
}

// --- sampling -------------------------------------------------------------------------------------------------------

Result<SketchPrior::Passes> SketchPrior::passes_of(const Condition& condition, const SampleSettings& settings) const {
  LIMBER_CHECK_OK(check_size(settings));
  Passes passes;
  passes.few = settings.few_steps && network_->jumps();
  passes.steps = settings.steps.value_or(passes.few ? info_.few_steps : info_.sample_steps);
  passes.guidance = settings.guidance.value_or(info_.sample_guidance);
  passes.shift = passes.few ? model_.few_steps.shift : model_.shift;
  LIMBER_EXPECT(passes.steps >= 1, std::to_string(passes.steps));
  if (passes.steps > kSketchSteps) return Error{fmt::format("at most {} steps", kSketchSteps), info_.name};
  // It was taught these jumps and no others.
  if (passes.few && passes.steps != info_.few_steps) {
    return Error{fmt::format("few steps are {}, not {}", info_.few_steps, passes.steps), info_.name};
  }
  LIMBER_CHECK_OK(check_condition(condition));
  return passes;
}

Result<SketchPrior::Sampling> SketchPrior::begin_sample(const SampleSettings& settings) const {
  Sampling sampling;
  if (settings.known) {
    LIMBER_TRY(sampling.known, known_of(*settings.known));
  }
  return sampling;
}

void SketchPrior::share_out(const Passes& passes, int step, Sampling& sampling) const {
  const auto sigma = static_cast<float>(passes.share(step));
  sampling.shares = sampling.known ? sampling.known->noisy : std::vector<float>(at(model_.tubes()), 1.0f);
  for (float& share : sampling.shares) share *= sigma;
  sampling.targets.clear();
  if (!passes.few) return;
  for (const float share : sampling.shares) sampling.targets.push_back(share * passes.left(step));
}

SketchInput SketchPrior::ask(const Passes& passes, int step, const Video& rest, Sampling& sampling) const {
  const std::optional<Known>& known = sampling.known;
  share_out(passes, step, sampling);
  if (known) hold(*known, sampling.noise, sampling.shares, sampling.x);
  SketchInput input{sampling.x, sampling.shares, sampling.targets, rest, {}, {}};
  if (known && model_.version >= 2) input.known = known->video, input.is_known = known->bits;
  return input;
}

void SketchPrior::go_on(const Passes& passes, int step, const std::vector<Video>& seen, Sampling& sampling) const {
  const Video &with = seen.front(), &without = seen.back();
  const bool pair = seen.size() > 1;
  const auto scale = static_cast<float>(passes.guidance);
  const float left = passes.left(step);
  Video& x = sampling.x;
  parallel_for(x.size(), 1 << 15, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float aim = pair ? without[i] + scale * (with[i] - without[i]) : with[i];
      // Along the straight line from the noise to what is seen.
      x[i] = aim + left * (x[i] - aim);
    }
  });
}

Frames SketchPrior::end_sample(const SampleSettings& settings, Video shown) const {
  Frames frames;
  frames.views = model_.views, frames.frames = model_.frames, frames.height = frames.width = model_.size;
  frames.values = std::move(shown);
  if (settings.known) put_known(*settings.known, frames);
  return frames;
}

Result<Frames> SketchPrior::sample(const Condition& condition, const SampleSettings& settings) {
  if (network_->device() != nullptr) {
    LIMBER_TRY(std::vector<Frames> all, sample_there(condition, std::span(&settings, 1)));
    return std::move(all.front());
  }
  LIMBER_TRY(const Passes passes, passes_of(condition, settings));
  LIMBER_TRY(Sampling sampling, begin_sample(settings));
  const std::size_t size = Frames(model_.views, model_.frames, model_.size, model_.size).size();
  sampling.noise = noise_of_draw(settings.noise, size, settings.seed, 0, 0);
  sampling.x = sampling.noise;
  const Video rest = rest_of(condition);
  for (int i = 0; i < passes.steps; ++i) {
    if (settings.progress && !settings.progress("denoising", static_cast<double>(i) / passes.steps)) {
      return cancelled(info_.name);
    }
    LIMBER_TRY(const std::vector<Video> seen, see(ask(passes, i, rest, sampling), condition, passes.pairs()));
    go_on(passes, i, seen, sampling);
  }
  for (float& v : sampling.x) v = std::clamp(v * 0.5f + 0.5f, 0.0f, 1.0f);
  return end_sample(settings, std::move(sampling.x));
}

Result<std::vector<Frames>> SketchPrior::sample_all(const Condition& condition,
                                                    std::span<const SampleSettings> settings) {
  if (network_->device() == nullptr) return VideoPrior::sample_all(condition, settings);
  return sample_there(condition, settings);
}

}  // namespace limber::prior
