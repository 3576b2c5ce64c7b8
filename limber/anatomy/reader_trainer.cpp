// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/reader_trainer.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

#include "limber/anatomy/body_tokens.h"
#include "limber/anatomy/reader_network.h"
#include "limber/base/files.h"
#include "limber/base/rng.h"
#include "limber/base/stopwatch.h"
#include "limber/base/threads.h"
#include "limber/nn/device.h"
#include "limber/nn/optimizer.h"

namespace limber::anatomy {
namespace {

/// Examples that are drawn together.
constexpr std::int64_t kRun = 512;

/// Examples as tensors.
struct Examples {
  Tensor points, normals;     ///< half [n, points, 3]
  Tensor tokens, neighbours;  ///< int16
  Tensor regions;             ///< uint8 [n, tokens]
  Tensor starts;              ///< half [n, tokens, 3]
  Tensor kinds;               ///< uint8 [n]

  static Examples empty(const ReaderModel& model, std::int64_t count, at::Device device) {
    const auto of = [&](at::ScalarType type) { return at::TensorOptions().device(device).dtype(type); };
    return {at::empty({count, model.points, 3}, of(at::kHalf)),
            at::empty({count, model.points, 3}, of(at::kHalf)),
            at::empty({count, model.tokens}, of(at::kShort)),
            at::empty({count, model.tokens, model.neighbours}, of(at::kShort)),
            at::empty({count, model.tokens}, of(at::kByte)),
            at::empty({count, model.tokens, 3}, of(at::kHalf)),
            at::empty({count}, of(at::kByte))};
  }

  template <class Map>
  Examples each(Map map) const {
    return {map(points), map(normals), map(tokens), map(neighbours), map(regions), map(starts), map(kinds)};
  }
  /// Overwrites the examples from `first` on.
  void put(std::int64_t first, const Examples& other) {
    const auto copy = [&](Tensor& to, const Tensor& from) { to.narrow(0, first, from.size(0)).copy_(from); };
    copy(points, other.points), copy(normals, other.normals), copy(tokens, other.tokens);
    copy(neighbours, other.neighbours), copy(regions, other.regions), copy(starts, other.starts);
    copy(kinds, other.kinds);
  }
};

void put_vectors(const Tensor& row, std::span<const Vec3> values) {
  at::Half* to = row.data_ptr<at::Half>();
  for (const Vec3& v : values) *to++ = v.x, *to++ = v.y, *to++ = v.z;
}

Status put_example(const ReaderModel& model, const ReaderExample& example, std::int64_t at, Examples& run) {
  const auto count = static_cast<std::size_t>(model.points);
  if (example.points.size() != count || example.normals.size() != count || example.regions.size() != count ||
      example.starts.size() != count) {
    return Error{"an example of another size", std::to_string(example.points.size())};
  }
  const BodyTokens body = make_tokens(model, example.points, example.normals);
  put_vectors(run.points[at], body.points);
  put_vectors(run.normals[at], body.normals);
  std::vector<Vec3> starts;
  std::uint8_t* regions = run.regions[at].data_ptr<std::uint8_t>();
  for (const std::uint16_t t : body.tokens) {
    starts.push_back((1 / body.scale) * (example.starts[t] - body.centre) - body.points[t]);
    *regions++ = example.regions[t];
  }
  put_vectors(run.starts[at], starts);
  std::copy(body.tokens.begin(), body.tokens.end(), run.tokens[at].data_ptr<std::int16_t>());
  std::copy(body.neighbours.begin(), body.neighbours.end(), run.neighbours[at].data_ptr<std::int16_t>());
  run.kinds[at].fill_(example.kind);
  return Done{};
}

Result<Examples> draw_run(const ExampleSource& source, const ReaderModel& model, std::uint64_t first,
                          std::int64_t count) {
  Examples run = Examples::empty(model, count, at::kCPU);
  std::mutex mutex;
  Status status = Done{};
  parallel_for(static_cast<std::size_t>(count), 1, [&](std::size_t begin, std::size_t) {
    const at::NoGradGuard no_gradients;
    const Result<ReaderExample> example = source(first + begin);
    const Status done =
        example.ok() ? put_example(model, *example, static_cast<std::int64_t>(begin), run) : Status(example.error());
    if (done.ok()) return;
    const std::lock_guard lock(mutex);
    status = done;
  });
  LIMBER_CHECK_OK(status);
  return run;
}

/// Examples on the training device, drawn by a thread of its own.
class ExamplePool {
 public:
  ExamplePool(const ExampleSource& source, const ReaderTraining& settings, at::Device device)
      : source_(source),
        model_(settings.model),
        capacity_(std::max<std::int64_t>(settings.pool, kRun)),
        held_(Examples::empty(settings.model, capacity_, device)) {
    // Other examples in every run that goes on from earlier weights.
    first_ = std::uint64_t{Rng(settings.seed, 78).next_u32() & 0xffffffu} << 12;
    thread_ = std::thread([this] { fill(); });
  }
  ~ExamplePool() {
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

  Examples batch(std::int64_t count) const {
    const std::lock_guard lock(mutex_);
    const Tensor index = at::randint(ready(), {count}, held_.points.options().dtype(at::kLong));
    return held_.each([&](const Tensor& t) { return t.index_select(0, index); });
  }

 private:
  void fill() {
    const at::NoGradGuard no_gradients;
    while (!stop_) {
      const std::int64_t slot = drawn_ % capacity_, count = std::min(kRun, capacity_ - slot);
      const Status done = nn::guarded("", [&]() -> Status {
        LIMBER_TRY(const Examples run, draw_run(source_, model_, first_ + static_cast<std::uint64_t>(drawn_), count));
        const std::lock_guard lock(mutex_);
        held_.put(slot, run);
        nn::synchronize(held_.points.device());
        return Done{};
      });
      if (!done.ok()) {
        const std::lock_guard lock(mutex_);
        status_ = done, failed_ = true;
        return;
      }
      drawn_ += count;
    }
  }

  ExampleSource source_;
  ReaderModel model_;
  std::int64_t capacity_;
  std::uint64_t first_ = 0;
  Examples held_;
  std::atomic<std::int64_t> drawn_{0};
  std::atomic<bool> stop_{false}, failed_{false};
  mutable std::mutex mutex_;  ///< of held_ and status_
  Status status_ = Done{};
  std::thread thread_;
};

/// Rotations, [count, 3, 3], from normal quaternions [count, 4] of any length.
Tensor rotations(const Tensor& quaternions) {
  const std::vector<Tensor> q = at::unbind(quaternions / quaternions.norm(2, -1, true).clamp_min(1e-6), -1);
  const Tensor &w = q[0], &x = q[1], &y = q[2], &z = q[3];
  return at::stack({1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
                    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
                    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
                   -1)
      .view({-1, 3, 3});
}

/// How files hold bodies: most upright and turned anyhow, some lying, some any way at all.
Tensor random_turns(std::int64_t count, at::TensorOptions options) {
  const Tensor any = rotations(at::randn({count, 4}, options));
  const Tensor yaw = at::rand({count}, options) * (2 * M_PI);
  const Tensor zero = at::zeros({count}, options);
  const Tensor about_y = rotations(at::stack({(yaw / 2).cos(), zero, (yaw / 2).sin(), zero}, -1));
  // Right angles about x and z, and about y for a part of them.
  const auto quarter = [&](int axis) {
    const Tensor angle = at::randint(4, {count}, options) * (M_PI / 4);
    std::vector<Tensor> parts{angle.cos(), zero, zero, zero};
    parts[static_cast<std::size_t>(1 + axis)] = angle.sin();
    return rotations(at::stack(parts, -1));
  };
  const Tensor square = quarter(0).bmm(quarter(2)).bmm(quarter(1));
  const Tensor kind = at::rand({count, 1, 1}, options);
  return at::where(kind < 0.4, about_y,
                   at::where(kind < 0.6, square, at::where(kind < 0.75, square.bmm(about_y), any)));
}

struct Lesson {
  TokenBatch bodies;
  Tensor regions, starts, kinds, up, forward;
};

/// Turns, mirrors and roughens examples.
Lesson make_lesson(const Examples& examples, const Tensor& mirrored, bool rough) {
  const auto options = examples.points.options().dtype(at::kFloat);
  const std::int64_t count = examples.points.size(0);
  const Tensor turn = random_turns(count, options);
  const Tensor flip = (at::rand({count}, options) < 0.5);
  const Tensor sign = 1 - 2 * flip.to(at::kFloat);
  const Tensor one = at::ones_like(sign);
  // Rows of vectors times the transpose; x is mirrored first.
  const Tensor map = (turn * at::stack({sign, one, one}, -1).unsqueeze(1)).transpose(1, 2);
  Lesson lesson;
  Tensor points = examples.points.to(at::kFloat), normals = examples.normals.to(at::kFloat);
  if (rough) {
    const Tensor noise = at::rand({count, 1, 1}, options).pow(3) * 0.04;
    points = points + noise * at::randn(points.sizes(), options);
    const Tensor fate = at::rand({count, 1, 1}, options);
    normals = at::where(fate < 0.15, at::zeros_like(normals), at::where(fate < 0.22, -normals, normals));
  }
  lesson.bodies.points = points.bmm(map), lesson.bodies.normals = normals.bmm(map);
  lesson.bodies.tokens = examples.tokens.to(at::kLong), lesson.bodies.neighbours = examples.neighbours.to(at::kLong);
  lesson.starts = examples.starts.to(at::kFloat).bmm(map);
  const Tensor regions = examples.regions.to(at::kLong);
  lesson.regions = at::where(flip.view({-1, 1}), mirrored.index({regions}), regions);
  lesson.kinds = examples.kinds.to(at::kLong);
  lesson.up = turn.select(2, 1), lesson.forward = turn.select(2, 2);
  return lesson;
}

Tensor cosine(const Tensor& a, const Tensor& b) {
  return (a * b).sum(-1) / (a.norm(2, -1).clamp_min(1e-4) * b.norm(2, -1).clamp_min(1e-4));
}

Tensor entropy(const Tensor& logits, const Tensor& target) {
  constexpr double kSmoothing = 0.02;
  const Tensor log = at::log_softmax(logits, -1);
  return -(1 - kSmoothing) * log.gather(-1, target.unsqueeze(-1)).mean() - kSmoothing * log.mean();
}

Tensor loss_of(const ReadBatch& read, const Lesson& lesson) {
  const Tensor start = at::smooth_l1_loss(read.starts, lesson.starts, at::Reduction::Mean, 0.05);
  return entropy(read.regions, lesson.regions) + 8 * start + 0.3 * entropy(read.kinds, lesson.kinds) +
         0.5 * (2 - cosine(read.up, lesson.up) - cosine(read.forward, lesson.forward)).mean();
}

class Validation {
 public:
  static Result<Validation> draw(const ExampleSource& source, const ReaderTraining& settings, at::Device device,
                                 const Tensor& mirrored) {
    Validation validation;
    LIMBER_TRY(const Examples drawn,
               draw_run(source, settings.model, kValidationExamples, settings.validation_examples));
    const Examples there = drawn.each([&](const Tensor& t) { return t.to(device); });
    at::manual_seed(settings.seed + 1);
    validation.lesson_ = make_lesson(there, mirrored, false);
    return validation;
  }

  ReadScore score(const ReaderModel& model, const nn::TensorList& weights) const {
    const at::NoGradGuard no_gradients;
    nn::Weights given = nn::Weights::from_tensors(weights);
    const ReaderNetwork network(model, given.root());
    const ReadBatch read = network(lesson_.bodies);
    const auto within = [](const Tensor& a, const Tensor& b) {
      return (cosine(a, b) > std::sqrt(0.5)).to(at::kFloat).mean().item<double>();
    };
    ReadScore score;
    score.loss = loss_of(read, lesson_).item<double>();
    score.regions = (read.regions.argmax(-1) == lesson_.regions).to(at::kFloat).mean().item<double>();
    score.kinds = (read.kinds.argmax(-1) == lesson_.kinds).to(at::kFloat).mean().item<double>();
    score.starts = (read.starts - lesson_.starts).norm(2, -1).mean().item<double>();
    score.up = within(read.up, lesson_.up), score.forward = within(read.forward, lesson_.forward);
    return score;
  }

 private:
  Lesson lesson_;
};

Status save_reader(const ReaderModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kReaderWeightsFile, weights, {}, at::kHalf));
  return write_file(folder / kReaderModelFile, reader_model_to_json(model));
}

class Trainer {
 public:
  Trainer(const ReaderTraining& settings, std::filesystem::path folder, nn::Weights weights, at::Device device,
          Tensor mirrored)
      : settings_(settings),
        folder_(std::move(folder)),
        device_(device),
        mirrored_(std::move(mirrored)),
        weights_(std::move(weights)),
        network_(settings.model, weights_.root()),
        optimizer_(weights_.tensors(), optimizer_settings(settings)) {
    at::manual_seed(settings.seed);
  }

  Result<ReaderReport> run(const ExamplePool& pool, const Validation& validation) {
    ReaderReport report;
    report.parameters = weights_.parameter_count();
    Stopwatch watch;
    Tensor sum = at::zeros({}, at::TensorOptions().device(device_));
    std::int64_t since = 0;
    bool saved = false;
    double warm = 0;  // the first steps are slower than all others
    const std::int64_t last = settings_.max_steps > 0 ? settings_.max_steps : std::numeric_limits<std::int64_t>::max();
    for (bool going = true; going;) {
      if (pool.failed()) return pool.status().error();
      const Lesson lesson = make_lesson(pool.batch(settings_.batch), mirrored_, true);
      const Tensor loss = loss_of(network_(lesson.bodies), lesson);
      loss.backward();
      sum += loss.detach();
      const nn::StepReport step = optimizer_.step();
      ++since, ++report.steps;
      report.seconds = watch.seconds();
      if (report.steps == kTimedSteps) warm = report.seconds;
      if (report.steps == 2 * kTimedSteps) plan_schedule(report.seconds - warm);
      going = report.steps < last && report.seconds < settings_.seconds;
      if (report.steps % settings_.report_steps != 0 && going) continue;
      ReaderStep told;
      told.step = report.steps, told.examples = pool.drawn(), told.seconds = report.seconds;
      told.loss = report.loss = sum.item<double>() / static_cast<double>(since);
      told.learning_rate = step.learning_rate, told.gradient_norm = step.gradient_norm;
      told.scored = report.steps % settings_.validation_steps == 0 || !going;
      if (told.scored) {
        report.validation = told.validation = validation.score(settings_.model, optimizer_.averaged());
        LIMBER_CHECK_OK(save_reader(settings_.model, optimizer_.averaged(), folder_));
      }
      sum.zero_(), since = 0;
      saved = told.scored;
      if (settings_.on_report && !settings_.on_report(told)) going = false;
    }
    if (!saved) LIMBER_CHECK_OK(save_reader(settings_.model, optimizer_.averaged(), folder_));
    report.examples = pool.drawn();
    return report;
  }

 private:
  static constexpr std::int64_t kTimedSteps = 100;

  static nn::OptimizerSettings optimizer_settings(const ReaderTraining& settings) {
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
    optimizer_.set_last_step(static_cast<std::int64_t>(0.98 * settings_.seconds / per_step));
  }

  ReaderTraining settings_;
  std::filesystem::path folder_;
  at::Device device_;
  Tensor mirrored_;
  nn::Weights weights_;
  ReaderNetwork network_;
  nn::Optimizer optimizer_;
};

Result<nn::Weights> first_weights(const ReaderTraining& settings, const nn::Placement& placement) {
  if (settings.from.empty()) return nn::Weights::random(settings.seed, placement);
  LIMBER_TRY(nn::Weights weights, nn::Weights::open(settings.from / kReaderWeightsFile, placement));
  const ReaderNetwork network(settings.model, weights.root());
  LIMBER_CHECK_OK(weights.finish());
  return weights;
}

Result<at::Device> device_named(const std::string& name) {
  if (name == "auto") return nn::best_device();
  return nn::guarded(name, [&]() -> Result<at::Device> { return at::Device(name); });
}

}  // namespace

Result<ReaderReport> train_reader(const ExampleSource& source, const std::filesystem::path& folder,
                                  const ReaderTraining& settings) {
  if (static_cast<int>(settings.mirrored.size()) != settings.model.regions)
    return Error{"a mirror image for each region is needed", folder.string()};
  // What cannot be read back must not be trained.
  LIMBER_TRY([[maybe_unused]] const ReaderModel readable,
             reader_model_from_json(reader_model_to_json(settings.model), folder.string()));
  LIMBER_TRY(const at::Device device, device_named(settings.device));
  return nn::guarded(folder.string(), [&]() -> Result<ReaderReport> {
    const nn::Placement placement{device, nn::fast_dtype(device)};
    LIMBER_TRY(nn::Weights weights, first_weights(settings, placement));
    const Tensor mirrored =
        at::tensor(std::vector<std::int64_t>(settings.mirrored.begin(), settings.mirrored.end())).to(device);
    LIMBER_TRY(const Validation validation, Validation::draw(source, settings, device, mirrored));
    Trainer trainer(settings, folder, std::move(weights), device, mirrored);
    Stopwatch watch;
    ExamplePool pool(source, settings, device);
    while (pool.ready() < std::min(settings.first_examples, settings.pool) && !pool.failed())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double first_seconds = watch.seconds();
    LIMBER_TRY(ReaderReport report, trainer.run(pool, validation));
    report.first_seconds = first_seconds, report.device = device.str();
    return report;
  });
}

}  // namespace limber::anatomy
