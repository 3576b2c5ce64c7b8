// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_trainer.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include "limber/base/rng.h"
#include "limber/base/stopwatch.h"
#include "limber/base/threads.h"
#include "limber/nn/device.h"
#include "limber/nn/optimizer.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/part_prior.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

/// Clips that are drawn together.
constexpr std::int64_t kRun = 256;

/// A run of clips as tensors on the CPU.
struct ClipRun {
  Tensor video, rest, groups;  ///< uint8, uint8, int16 [clips, captions, words, letter groups]
};

Result<ClipRun> draw_run(const ClipSource& source, const PartModel& model, std::uint64_t first, std::int64_t count) {
  const std::int64_t side = model.size;
  ClipRun run{at::empty({count, model.views, model.frames, 3, side, side}, at::kByte),
              at::empty({count, model.views, 3, side, side}, at::kByte),
              at::empty({count, kClipCaptions, kPromptWords, kWordGroups}, at::kShort)};
  const std::int64_t video = run.video[0].numel(), rest = run.rest[0].numel(), groups = run.groups[0].numel();
  std::mutex mutex;
  Status status = Done{};
  parallel_for(static_cast<std::size_t>(count), 1, [&](std::size_t begin, std::size_t) {
    const Result<PartClip> clip = source(first + begin);
    const bool fits = clip.ok() && static_cast<std::int64_t>(clip->video.size()) == video &&
                      static_cast<std::int64_t>(clip->rest.size()) == rest &&
                      clip->captions.size() == static_cast<std::size_t>(kClipCaptions);
    if (!fits) {
      const std::lock_guard lock(mutex);
      status = clip.ok() ? Error{"a clip of another size", std::to_string(first + begin)} : clip.error();
      return;
    }
    const auto at = static_cast<std::int64_t>(begin);
    std::copy(clip->video.begin(), clip->video.end(), run.video.data_ptr<std::uint8_t>() + at * video);
    std::copy(clip->rest.begin(), clip->rest.end(), run.rest.data_ptr<std::uint8_t>() + at * rest);
    std::int16_t* target = run.groups.data_ptr<std::int16_t>() + at * groups;
    for (const std::string& caption : clip->captions) {
      for (const std::int32_t group : prompt_groups(caption, model.buckets)) {
        *target++ = static_cast<std::int16_t>(group);
      }
    }
  });
  LIMBER_CHECK_OK(status);
  return run;
}

/// Clips on the training device, drawn by a thread of its own.
class ClipPool {
 public:
  ClipPool(const ClipSource& source, const TrainSettings& settings, at::Device device)
      : source_(source),
        model_(settings.model),
        capacity_(std::max<std::int64_t>(settings.pool, 1)),
        limit_(settings.max_clips) {
    const std::int64_t side = model_.size;
    const auto bytes = at::TensorOptions().device(device).dtype(at::kByte);
    video_ = at::empty({capacity_, model_.views, model_.frames, 3, side, side}, bytes);
    rest_ = at::empty({capacity_, model_.views, 3, side, side}, bytes);
    groups_ = at::empty({capacity_, kClipCaptions, kPromptWords, kWordGroups}, bytes.dtype(at::kShort));
    // Other clips in every run that goes on from earlier weights.
    first_ = Rng(settings.seed, 77).next_u32() & 0xffffffu;
    first_ <<= 12;
    thread_ = std::thread([this] { fill(); });
  }
  ~ClipPool() {
    stop_ = true;
    thread_.join();
  }

  std::int64_t drawn() const { return drawn_; }
  std::int64_t ready() const { return std::min<std::int64_t>(drawn_, capacity_); }
  bool failed() const { return failed_; }
  Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

  /// A random batch: video, rest and prompt of clips that are there.
  ClipRun batch(std::int64_t count) const {
    const std::lock_guard lock(slots_);
    const Tensor index = at::randint(ready(), {count}, video_.options().dtype(at::kLong));
    const Tensor caption = at::randint(kClipCaptions, {count}, index.options());
    return {video_.index_select(0, index), rest_.index_select(0, index), groups_.index({index, caption})};
  }

 private:
  void fill() {
    const at::NoGradGuard no_gradients;
    while (!stop_ && (limit_ == 0 || drawn_ < limit_)) {
      const std::int64_t slot = drawn_ % capacity_;
      std::int64_t count = std::min(kRun, capacity_ - slot);
      if (limit_ > 0) count = std::min(count, limit_ - drawn_);
      const Status done = nn::guarded("", [&]() -> Status {
        LIMBER_TRY(const ClipRun run, draw_run(source_, model_, first_ + static_cast<std::uint64_t>(drawn_), count));
        const std::lock_guard lock(slots_);
        video_.narrow(0, slot, count).copy_(run.video);
        rest_.narrow(0, slot, count).copy_(run.rest);
        groups_.narrow(0, slot, count).copy_(run.groups);
        nn::synchronize(video_.device());
        return Done{};
      });
      if (!done.ok()) {
        const std::lock_guard lock(mutex_);
        status_ = done;
        failed_ = true;
        return;
      }
      drawn_ += count;
    }
  }

  ClipSource source_;
  PartModel model_;
  std::int64_t capacity_, limit_;
  std::uint64_t first_ = 0;
  Tensor video_, rest_, groups_;
  std::atomic<std::int64_t> drawn_{0};
  std::atomic<bool> stop_{false}, failed_{false};
  mutable std::mutex slots_;  ///< of the three tensors: what a batch takes belongs together
  mutable std::mutex mutex_;
  Status status_ = Done{};
  std::thread thread_;
};

/// Channels of a grey pixel differ by less, of 255.
constexpr int kGreyRange = 12;

/// Bytes as the network takes them.
Tensor unit(const Tensor& bytes) { return bytes.to(at::kFloat).mul_(1 / 127.5).sub_(1); }

/// Mean of ((x_hat - x) / max(s, floor))^2: the loss in v-space of a network that predicts x. Pixels of the body, which
/// are few, count more than those of the ground.
Tensor loss_of(const PartTransformer& network, const ClipRun& clips, const Tensor& sigma, const Tensor& noise,
               const Tensor& keep_text, const Tensor& keep_rest, const TrainSettings& settings) {
  const Tensor x = unit(clips.video);
  const Tensor s = sigma.view({-1, 1, 1, 1, 1, 1});
  PartCondition condition{network.text(clips.groups, keep_text), unit(clips.rest), keep_rest};
  const Tensor seen = network.denoised((1 - s) * x + s * noise, sigma, condition).to(at::kFloat);
  const Tensor colored = (clips.video.amax(3, true) - clips.video.amin(3, true)) > kGreyRange;
  const Tensor weight = 1 + (settings.body_weight - 1) * colored.to(at::kFloat);
  return (((seen - x) / s.clamp_min(settings.noise_floor)).square() * (weight / weight.mean())).mean();
}

/// The same clips, noise and shares of noise every time.
class Validation {
 public:
  static Result<Validation> draw(const ClipSource& source, const TrainSettings& settings, at::Device device) {
    Validation validation;
    const std::int64_t count = settings.validation_clips;
    LIMBER_TRY(validation.clips_, draw_run(source, settings.model, kValidationClips, count));
    validation.clips_.groups = validation.clips_.groups.select(1, 0);
    for (Tensor* tensor : {&validation.clips_.video, &validation.clips_.rest, &validation.clips_.groups}) {
      *tensor = tensor->to(device);
    }
    const std::vector<float> noise = normal_noise(static_cast<std::size_t>(validation.clips_.video.numel()), 1, 0, 0);
    validation.noise_ = at::tensor(noise).view(validation.clips_.video.sizes()).to(device);
    validation.sigma_ = at::linspace(0.1, 0.95, count).to(device);
    validation.settings_ = settings;
    return validation;
  }

  double loss(const PartModel& model, const nn::TensorList& weights) const {
    const at::NoGradGuard no_gradients;
    nn::Weights given = nn::Weights::from_tensors(weights);
    const PartTransformer network(model, given.root());
    const Tensor all = at::ones_like(sigma_);
    double sum = 0;
    const std::int64_t count = sigma_.size(0), piece = 16;
    for (std::int64_t i = 0; i < count; i += piece) {
      const std::int64_t n = std::min(piece, count - i);
      const ClipRun clips{clips_.video.narrow(0, i, n), clips_.rest.narrow(0, i, n), clips_.groups.narrow(0, i, n)};
      sum += static_cast<double>(n) * loss_of(network, clips, sigma_.narrow(0, i, n), noise_.narrow(0, i, n),
                                              all.narrow(0, i, n), all.narrow(0, i, n), settings_)
                                          .item<double>();
    }
    return sum / static_cast<double>(count);
  }

 private:
  ClipRun clips_;
  Tensor noise_, sigma_;
  TrainSettings settings_;
};

class Trainer {
 public:
  Trainer(const TrainSettings& settings, std::filesystem::path folder, nn::Weights weights, at::Device device)
      : settings_(settings),
        folder_(std::move(folder)),
        device_(device),
        weights_(std::move(weights)),
        network_(settings.model, weights_.root()),
        optimizer_(weights_.tensors(), optimizer_settings(settings)) {
    at::manual_seed(settings.seed);
  }

  Result<TrainReport> run(const ClipPool& pool, const Validation& validation) {
    TrainReport report;
    report.parameters = weights_.parameter_count();
    Stopwatch watch;
    Tensor sum = at::zeros({}, at::TensorOptions().device(device_));
    std::int64_t since = 0;
    for (bool going = true; going;) {
      if (pool.failed()) return pool.status().error();
      const Tensor loss = learn(pool.batch(settings_.batch));
      sum += loss.detach();
      const nn::StepReport step = optimizer_.step();
      ++since, ++report.steps;
      report.seconds = watch.seconds();
      if (report.steps == kTimedSteps) plan_schedule(report.seconds);
      going = report.steps < last_step_ && report.seconds < settings_.seconds;
      if (report.steps % settings_.report_steps == 0 || !going) {
        TrainStep told{report.steps, report.seconds,     sum.item<double>() / static_cast<double>(since),
                       -1,           step.learning_rate, step.gradient_norm,
                       pool.drawn()};
        if (report.steps % settings_.validation_steps == 0 || !going) {
          told.validation_loss = validation.loss(settings_.model, optimizer_.averaged());
          report.validation_loss = told.validation_loss;
          LIMBER_CHECK_OK(save());
        }
        report.loss = told.loss;
        sum.zero_(), since = 0;
        if (settings_.on_report && !settings_.on_report(told)) going = false;
      }
    }
    report.clips = pool.drawn();
    report.samples = report.steps * settings_.batch;
    return report;
  }

  /// The model, and beside it what is needed to go on.
  Status save() const {
    LIMBER_CHECK_OK(save_part_prior(settings_.model, optimizer_.averaged(), folder_));
    return optimizer_.save(state_file());
  }

  /// Goes on where an earlier run into the same folder stopped, if there was one.
  Status resume() {
    std::error_code error;
    if (!std::filesystem::exists(state_file(), error)) return Done{};
    LIMBER_TRY([[maybe_unused]] const nn::Metadata metadata, optimizer_.resume(state_file()));
    return Done{};
  }

 private:
  static constexpr std::int64_t kTimedSteps = 40;

  static nn::OptimizerSettings optimizer_settings(const TrainSettings& settings) {
    nn::OptimizerSettings chosen;
    chosen.learning_rate = settings.learning_rate, chosen.final_rate = settings.final_rate;
    chosen.warmup_steps = settings.warmup_steps, chosen.steps = settings.max_steps;
    chosen.beta1 = 0.9, chosen.beta2 = 0.98;
    chosen.weight_decay = settings.weight_decay, chosen.max_gradient_norm = settings.max_gradient_norm;
    chosen.average_decay = settings.average_decay;
    return chosen;
  }

  /// The decay ends when the time is up: how many steps that is shows after some of them.
  void plan_schedule(double seconds) {
    if (settings_.max_steps > 0) return;
    const double per_step = seconds / static_cast<double>(kTimedSteps);
    const auto steps = static_cast<std::int64_t>(settings_.seconds / per_step);
    optimizer_.set_last_step(optimizer_.step_count() + std::max<std::int64_t>(0, steps - kTimedSteps));
  }

  Tensor learn(const ClipRun& clips) {
    const auto options = at::TensorOptions().device(device_).dtype(at::kFloat);
    const std::int64_t count = clips.video.size(0);
    const Tensor sigma = at::sigmoid(at::randn({count}, options) * settings_.noise_deviation + settings_.noise_mean);
    const Tensor noise = at::randn(clips.video.sizes(), options);
    const Tensor keep_text = (at::rand({count}, options) >= settings_.drop_text).to(at::kFloat);
    const Tensor keep_rest = (at::rand({count}, options) >= settings_.drop_rest).to(at::kFloat);
    const Tensor loss = loss_of(network_, clips, sigma, noise, keep_text, keep_rest, settings_);
    loss.backward();
    return loss;
  }

  std::filesystem::path state_file() const { return folder_ / "training_state.safetensors"; }

  TrainSettings settings_;
  std::filesystem::path folder_;
  at::Device device_;
  nn::Weights weights_;
  PartTransformer network_;
  nn::Optimizer optimizer_;
  std::int64_t last_step_ = settings_.max_steps > 0 ? settings_.max_steps : std::numeric_limits<std::int64_t>::max();
};

Result<nn::Weights> first_weights(const TrainSettings& settings, const nn::Placement& placement) {
  if (settings.from.empty()) return nn::Weights::random(settings.seed, placement);
  LIMBER_TRY(nn::Weights weights, open_part_weights(settings.from, placement));
  PartTransformer network(settings.model, weights.root());
  LIMBER_CHECK_OK(weights.finish());
  return weights;
}

}  // namespace

Result<TrainReport> train_part_prior(const ClipSource& source, const std::filesystem::path& folder,
                                     const TrainSettings& settings) {
  LoadSettings load;
  load.device = settings.device, load.dtype = settings.dtype;
  LIMBER_TRY(const nn::Placement placement, placement_of(load));
  return nn::guarded(folder.string(), [&]() -> Result<TrainReport> {
    LIMBER_TRY(nn::Weights weights, first_weights(settings, placement));
    LIMBER_TRY(const Validation validation, Validation::draw(source, settings, placement.device));
    Trainer trainer(settings, folder, std::move(weights), placement.device);
    if (settings.resume) LIMBER_CHECK_OK(trainer.resume());
    Stopwatch watch;
    ClipPool pool(source, settings, placement.device);
    const std::int64_t most = settings.max_clips > 0 ? std::min(settings.pool, settings.max_clips) : settings.pool;
    const std::int64_t first = std::max<std::int64_t>(1, std::min(settings.first_clips, most));
    while (pool.ready() < first && !pool.failed()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const double first_seconds = watch.seconds();
    LIMBER_TRY(TrainReport report, trainer.run(pool, validation));
    report.first_seconds = first_seconds;
    report.device = placement.device.str();
    return report;
  });
}

}  // namespace limber::prior
