// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/reader_trainer.h"

#include <cmath>

#include "limber/anatomy/body_tokens.h"
#include "limber/anatomy/reader_network.h"
#include "limber/base/files.h"
#include "limber/nn/device.h"
#include "limber/nn/training_loop.h"

namespace limber::anatomy {
namespace {

/// Examples as tensors.
struct Examples {
  Tensor points, normals;     ///< half [n, points, 3]
  Tensor tokens, neighbours;  ///< int16
  Tensor regions;             ///< uint8 [n, tokens]
  Tensor starts;              ///< half [n, tokens, 3]
  Tensor kinds;               ///< uint8 [n]

  static Examples empty(const ReaderModel& model, std::int64_t count) {
    return {at::empty({count, model.points, 3}, at::kHalf),
            at::empty({count, model.points, 3}, at::kHalf),
            at::empty({count, model.tokens}, at::kShort),
            at::empty({count, model.tokens, model.neighbours}, at::kShort),
            at::empty({count, model.tokens}, at::kByte),
            at::empty({count, model.tokens, 3}, at::kHalf),
            at::empty({count}, at::kByte)};
  }
  static Examples from(const nn::TensorRun& run) { return {run[0], run[1], run[2], run[3], run[4], run[5], run[6]}; }
  nn::TensorRun run() const { return {points, normals, tokens, neighbours, regions, starts, kinds}; }
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

Result<nn::TensorRun> draw_run(const ExampleSource& source, const ReaderModel& model, std::uint64_t first,
                               std::int64_t count) {
  Examples run = Examples::empty(model, count);
  LIMBER_CHECK_OK(nn::draw_examples(count, [&](std::int64_t i) -> Status {
    const at::NoGradGuard no_gradients;
    LIMBER_TRY(const ReaderExample example, source(first + static_cast<std::uint64_t>(i)));
    return put_example(model, example, i, run);
  }));
  return run.run();
}

/// Rotations, [count, 3, 3], from normal quaternions [count, 4] of any length.
Tensor rotations(const Tensor& quaternions) {
  const Tensor length = quaternions.norm(2, -1, /*keepdim=*/true).clamp_min(1e-6);
  const std::vector<Tensor> q = at::unbind(quaternions / length, -1);
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

enum class Surface { kClean, kRough };

/// Turns and mirrors examples; rough ones have noise and, some of them, normals that are wrong or not known.
Lesson make_lesson(const Examples& examples, const Tensor& mirrored, Surface surface) {
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
  if (surface == Surface::kRough) {
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

/// The same bodies in the same turns every time.
Result<Lesson> draw_validation(const ExampleSource& source, const ReaderTraining& settings, const Tensor& mirrored) {
  LIMBER_TRY(nn::TensorRun drawn,
             draw_run(source, settings.model, kValidationExamples, settings.plan.validation_examples));
  for (Tensor& tensor : drawn) tensor = tensor.to(mirrored.device());
  at::manual_seed(settings.plan.seed + 1);
  return make_lesson(Examples::from(drawn), mirrored, Surface::kClean);
}

ReadScore score_of(const ReaderModel& model, const nn::TensorList& tensors, const Lesson& lesson) {
  const at::NoGradGuard no_gradients;
  nn::Weights weights = nn::Weights::from_tensors(tensors);
  const ReadBatch read = ReaderNetwork(model, weights.root())(lesson.bodies);
  const auto within = [](const Tensor& a, const Tensor& b) {
    return (cosine(a, b) > std::sqrt(0.5)).to(at::kFloat).mean().item<double>();
  };
  ReadScore score;
  score.loss = loss_of(read, lesson).item<double>();
  score.regions = (read.regions.argmax(-1) == lesson.regions).to(at::kFloat).mean().item<double>();
  score.kinds = (read.kinds.argmax(-1) == lesson.kinds).to(at::kFloat).mean().item<double>();
  score.starts = (read.starts - lesson.starts).norm(2, -1).mean().item<double>();
  score.up = within(read.up, lesson.up), score.forward = within(read.forward, lesson.forward);
  return score;
}

Status save_reader(const ReaderModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kReaderWeightsFile, weights, {}, at::kHalf));
  return write_file(folder / kReaderModelFile, reader_model_to_json(model));
}

nn::Placement placement_on(at::Device device) { return {device, nn::fast_dtype(device)}; }

Result<ReaderReport> train_on(at::Device device, const ExampleSource& source, const std::filesystem::path& folder,
                              const ReaderTraining& settings) {
  const ReaderModel& model = settings.model;
  const auto open = [&] { return nn::Weights::open(settings.plan.from / kReaderWeightsFile, placement_on(device)); };
  const auto describe = [&](const nn::WeightScope& scope) { ReaderNetwork(model, scope); };
  LIMBER_TRY(nn::Weights weights, nn::first_weights(settings.plan, placement_on(device), open, describe));
  const std::vector<std::int64_t> mirror(settings.mirrored.begin(), settings.mirrored.end());
  const Tensor mirrored = at::tensor(mirror).to(device);
  LIMBER_TRY(const Lesson validation, draw_validation(source, settings, mirrored));
  const ReaderNetwork network(model, weights.root());

  ReadScore score;
  nn::TrainingTask task;
  task.run = 512, task.stream = 78;
  task.draw = [&](std::uint64_t first, std::int64_t count) { return draw_run(source, model, first, count); };
  task.loss = [&](const nn::TensorRun& batch) {
    const Lesson lesson = make_lesson(Examples::from(batch), mirrored, Surface::kRough);
    return loss_of(network(lesson.bodies), lesson);
  };
  task.validate = [&](const nn::TensorList& averaged) { score = score_of(model, averaged, validation); };
  task.save = [&](const nn::TensorList& averaged) { return save_reader(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, score}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return ReaderReport{report, score};
}

}  // namespace

Result<ReaderReport> train_reader(const ExampleSource& source, const std::filesystem::path& folder,
                                  const ReaderTraining& settings) {
  if (static_cast<int>(settings.mirrored.size()) != settings.model.regions)
    return Error{"a mirror image for each region is needed", folder.string()};
  // What cannot be read back must not be trained.
  LIMBER_TRY([[maybe_unused]] const ReaderModel readable,
             reader_model_from_json(reader_model_to_json(settings.model), folder.string()));
  LIMBER_TRY(const at::Device device, nn::device_named(settings.plan.device));
  return nn::guarded(folder.string(), [&] { return train_on(device, source, folder, settings); });
}

}  // namespace limber::anatomy
