// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/reader_trainer.h"

#include <algorithm>
#include <cmath>

#include "limber/anatomy/body_tokens.h"
#include "limber/anatomy/reader_network.h"
#include "limber/base/files.h"
#include "limber/nn/device.h"
#include "limber/nn/training_loop.h"

namespace limber::anatomy {
namespace {

/// Limbs of one example at most; those beyond count as the last.
constexpr std::int64_t kMostLimbs = 64;
/// A limb with fewer of 2,048 points than this is not counted: nobody sees it.
constexpr int kFewestSeen = 8;
constexpr std::int64_t kAtOnce = 128;  // bodies that are measured together
constexpr int kLimbsKnown = 1, kKindKnown = 2;
constexpr double kSurest = 60;  // concentration of a direction
constexpr const char* kAveragedFile = "averaged.safetensors";

/// Examples as tensors.
struct Examples {
  Tensor points, normals;         ///< half [n, points, 3]
  Tensor tokens, neighbours;      ///< int16
  Tensor regions, limb;           ///< uint8 [n, tokens]; limb: which of the limbs
  Tensor starts;                  ///< half [n, tokens, 3]
  Tensor along;                   ///< half [n, tokens]
  Tensor limb_kinds, limb_sides;  ///< uint8 [n, kMostLimbs]
  Tensor limb_ends;               ///< half [n, 2 kMostLimbs, 3]: roots, then tips
  Tensor counts;                  ///< uint8 [n, limbs]
  Tensor kinds, known;            ///< uint8 [n]; known: kLimbsKnown, kKindKnown

  static Examples empty(const ReaderModel& model, std::int64_t count) {
    return {at::empty({count, model.points, 3}, at::kHalf),
            at::empty({count, model.points, 3}, at::kHalf),
            at::empty({count, model.tokens}, at::kShort),
            at::empty({count, model.tokens, model.neighbours}, at::kShort),
            at::empty({count, model.tokens}, at::kByte),
            at::empty({count, model.tokens}, at::kByte),
            at::empty({count, model.tokens, 3}, at::kHalf),
            at::empty({count, model.tokens}, at::kHalf),
            at::zeros({count, kMostLimbs}, at::kByte),
            at::zeros({count, kMostLimbs}, at::kByte),
            at::zeros({count, 2 * kMostLimbs, 3}, at::kHalf),
            at::zeros({count, model.limbs}, at::kByte),
            at::empty({count}, at::kByte),
            at::empty({count}, at::kByte)};
  }
  static Examples from(const nn::TensorRun& r) {
    return {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13]};
  }
  nn::TensorRun run() const {
    return {points, normals,    tokens,     neighbours, regions, limb,  starts,
            along,  limb_kinds, limb_sides, limb_ends,  counts,  kinds, known};
  }
};

void put_vectors(const Tensor& row, std::span<const Vec3> values) {
  at::Half* to = row.data_ptr<at::Half>();
  for (const Vec3& v : values) *to++ = v.x, *to++ = v.y, *to++ = v.z;
}

Status check_sizes(const ReaderModel& model, const ReaderExample& example) {
  const auto count = static_cast<std::size_t>(model.points);
  for (const std::size_t size : {example.points.size(), example.normals.size(), example.regions.size(),
                                 example.starts.size(), example.limb.size(), example.along.size()}) {
    if (size != count) return Error{"an example of another size", std::to_string(size)};
  }
  for (const std::uint16_t limb : example.limb) {
    if (limb >= example.limbs.size()) return Error{"an example whose points are of no limb", std::to_string(limb)};
  }
  return Done{};
}

/// The limbs that points are of, in their order; which of them each point's is.
void put_limbs(const ReaderModel& model, const ReaderExample& example, const BodyTokens& body, std::int64_t at,
               Examples& run) {
  std::vector<int> seen(example.limbs.size(), 0), slots(example.limbs.size(), 0);
  for (const std::uint16_t limb : example.limb) ++seen[limb];
  std::uint8_t* kinds = run.limb_kinds[at].data_ptr<std::uint8_t>();
  std::uint8_t* sides = run.limb_sides[at].data_ptr<std::uint8_t>();
  std::uint8_t* counts = run.counts[at].data_ptr<std::uint8_t>();
  std::vector<Vec3> ends(2 * kMostLimbs);
  int used = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == 0) continue;
    const ExampleLimb& limb = example.limbs[i];
    const int slot = slots[i] = std::min(used++, static_cast<int>(kMostLimbs) - 1);
    kinds[slot] = static_cast<std::uint8_t>(limb.kind), sides[slot] = static_cast<std::uint8_t>(limb.side);
    const auto place = [&](Vec3 p) { return (1 / body.scale) * (p - body.centre); };
    ends[static_cast<std::size_t>(slot)] = place(limb.root);
    ends[static_cast<std::size_t>(kMostLimbs + slot)] = place(limb.tip);
    std::uint8_t& count = counts[static_cast<int>(limb.kind)];
    if (2048 * seen[i] >= kFewestSeen * model.points && count + 1 < kCountClasses) ++count;
  }
  put_vectors(run.limb_ends[at], ends);
  std::uint8_t* limb = run.limb[at].data_ptr<std::uint8_t>();
  at::Half* along = run.along[at].data_ptr<at::Half>();
  for (const std::uint16_t t : body.tokens)
    *limb++ = static_cast<std::uint8_t>(slots[example.limb[t]]), *along++ = example.along[t];
}

Status put_example(const ReaderModel& model, const ReaderExample& example, std::int64_t at, Examples& run) {
  LIMBER_CHECK_OK(check_sizes(model, example));
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
  put_limbs(model, example, body, at, run);
  std::copy(body.tokens.begin(), body.tokens.end(), run.tokens[at].data_ptr<std::int16_t>());
  std::copy(body.neighbours.begin(), body.neighbours.end(), run.neighbours[at].data_ptr<std::int16_t>());
  run.kinds[at].fill_(example.kind);
  run.known[at].fill_((example.limbs_known ? kLimbsKnown : 0) | (example.kind_known ? kKindKnown : 0));
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

/// How files hold bodies: upright and turned anyhow, along the axes, lying, or any way at all.
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
  return at::where(kind < 0.25, about_y,
                   at::where(kind < 0.45, square, at::where(kind < 0.6, square.bmm(about_y), any)));
}

struct Lesson {
  TokenBatch bodies;
  Tensor regions, starts, limbs, sides, along, roots, tips, counts, kinds, up, forward;
  Tensor known, kind_known;  ///< float [n]: 1 where limbs are known, and the kind

  Lesson part(std::int64_t first, std::int64_t count) const {
    const auto cut = [&](const Tensor& t) { return t.narrow(0, first, std::min(count, t.size(0) - first)); };
    return {{cut(bodies.points), cut(bodies.normals), cut(bodies.tokens), cut(bodies.neighbours)},
            cut(regions),
            cut(starts),
            cut(limbs),
            cut(sides),
            cut(along),
            cut(roots),
            cut(tips),
            cut(counts),
            cut(kinds),
            cut(up),
            cut(forward),
            cut(known),
            cut(kind_known)};
  }
};

enum class Surface { kClean, kRough };

/// What happens to all bodies of a batch alike.
struct Turning {
  Tensor turn;  ///< [n, 3, 3]
  Tensor flip;  ///< bool [n]: mirrored before it is turned
  Tensor map;   ///< rows of vectors times this

  static Turning random(std::int64_t count, at::TensorOptions options) {
    Turning turning;
    turning.turn = random_turns(count, options);
    turning.flip = at::rand({count}, options) < 0.5;
    const Tensor sign = 1 - 2 * turning.flip.to(at::kFloat), one = at::ones_like(sign);
    turning.map = (turning.turn * at::stack({sign, one, one}, -1).unsqueeze(1)).transpose(1, 2);
    return turning;
  }
};

/// Per token, of its limb: kind, side, how far along, from the token to both ends.
void put_limb_targets(const Examples& examples, const Turning& turning, Lesson& lesson) {
  const Tensor limb = examples.limb.to(at::kLong);
  const Tensor sides = examples.limb_sides.to(at::kLong);
  const Tensor mirrored = at::where(sides == 0, sides, 3 - sides);
  lesson.limbs = examples.limb_kinds.to(at::kLong).gather(1, limb);
  lesson.sides = at::where(turning.flip.view({-1, 1}), mirrored, sides).gather(1, limb);
  lesson.along = examples.along.to(at::kFloat);
  lesson.counts = examples.counts.to(at::kLong);
  const Tensor ends = examples.limb_ends.to(at::kFloat).bmm(turning.map);
  const Tensor index = limb.unsqueeze(-1).expand({-1, -1, 3});
  const Tensor at_rest = examples.points.to(at::kFloat).bmm(turning.map);
  const Tensor place = at_rest.gather(1, lesson.bodies.tokens.unsqueeze(-1).expand({-1, -1, 3}));
  lesson.roots = ends.gather(1, index) - place, lesson.tips = ends.gather(1, index + kMostLimbs) - place;
}

/// Turns and mirrors examples; rough ones have noise and, some of them, normals that are wrong or not known.
Lesson make_lesson(const Examples& examples, const Tensor& mirrored, Surface surface) {
  const auto options = examples.points.options().dtype(at::kFloat);
  const std::int64_t count = examples.points.size(0);
  const Turning turning = Turning::random(count, options);
  Lesson lesson;
  Tensor points = examples.points.to(at::kFloat), normals = examples.normals.to(at::kFloat);
  if (surface == Surface::kRough) {
    const Tensor noise = at::rand({count, 1, 1}, options).pow(3) * 0.04;
    points = points + noise * at::randn(points.sizes(), options);
    const Tensor fate = at::rand({count, 1, 1}, options);
    normals = at::where(fate < 0.15, at::zeros_like(normals), at::where(fate < 0.22, -normals, normals));
  }
  lesson.bodies.points = points.bmm(turning.map), lesson.bodies.normals = normals.bmm(turning.map);
  lesson.bodies.tokens = examples.tokens.to(at::kLong), lesson.bodies.neighbours = examples.neighbours.to(at::kLong);
  lesson.starts = examples.starts.to(at::kFloat).bmm(turning.map);
  const Tensor regions = examples.regions.to(at::kLong);
  lesson.regions = at::where(turning.flip.view({-1, 1}), mirrored.index({regions}), regions);
  put_limb_targets(examples, turning, lesson);
  lesson.kinds = examples.kinds.to(at::kLong);
  lesson.known = examples.known.bitwise_and(kLimbsKnown).ne(0).to(at::kFloat);
  lesson.kind_known = examples.known.bitwise_and(kKindKnown).ne(0).to(at::kFloat);
  lesson.up = turning.turn.select(2, 1), lesson.forward = turning.turn.select(2, 2);
  return lesson;
}

Tensor cosine(const Tensor& a, const Tensor& b) {
  return (a * b).sum(-1) / (a.norm(2, -1).clamp_min(1e-4) * b.norm(2, -1).clamp_min(1e-4));
}

/// The mean of [n, ...] over those of the n bodies that count.
Tensor mean_of(const Tensor& values, const Tensor& counts) {
  return (values.flatten(1).mean(1) * counts).sum() / counts.sum().clamp_min(1);
}

Tensor entropy(const Tensor& logits, const Tensor& target, double smoothing, const Tensor& counts) {
  const Tensor log = at::log_softmax(logits, -1);
  const Tensor right = log.gather(-1, target.unsqueeze(-1)).squeeze(-1);
  return mean_of((-(1 - smoothing) * right - smoothing * log.mean(-1)).unsqueeze(-1), counts);
}

/// How unlikely a direction is for who says `said`, against one who knows nothing: a von Mises-Fisher distribution
/// whose concentration is the vector's length.
Tensor surprise(const Tensor& said, const Tensor& direction) {
  const Tensor length = said.norm(2, -1).clamp_min(1e-3);
  const Tensor known = length * (kSurest / length).clamp_max(1);
  const Tensor along = (said * direction).sum(-1) * (known / length);
  // log(sinh k / k) without overflow.
  return (known + at::log((1 - at::exp(-2 * known)) / (2 * known)) - along).mean();
}

Tensor distance_loss(const Tensor& said, const Tensor& truth, const Tensor& counts) {
  return mean_of(at::smooth_l1_loss(said, truth, at::Reduction::None, 0.05), counts);
}

/// The terms are weighted so that they are of one size, those that embedding relies on a little more. Directions are
/// learned by their angle, which works from the first step on, and how sure they are by their likelihood.
Tensor loss_of(const ReadBatch& read, const Lesson& lesson) {
  constexpr double kSmoothing = 0.02;
  const Tensor& known = lesson.known;
  const Tensor parts =
      entropy(read.regions, lesson.regions, kSmoothing, known) + 8 * distance_loss(read.starts, lesson.starts, known);
  const Tensor ends = distance_loss(read.roots, lesson.roots, known) + distance_loss(read.tips, lesson.tips, known);
  const Tensor limbs = 0.5 * entropy(read.limbs, lesson.limbs, kSmoothing, known) +
                       0.4 * entropy(read.sides, lesson.sides, kSmoothing, known) +
                       2 * distance_loss(read.along, lesson.along, known) + 4 * ends;
  const Tensor body = 0.3 * entropy(read.kinds, lesson.kinds, kSmoothing, lesson.kind_known) +
                      1.5 * entropy(read.counts, lesson.counts, 0, known);
  const Tensor angles = (2 - cosine(read.up, lesson.up) - cosine(read.forward, lesson.forward)).mean();
  const Tensor sureness = surprise(read.up, lesson.up) + surprise(read.forward, lesson.forward);
  return parts + limbs + body + 0.4 * angles + 0.15 * sureness;
}

/// The same bodies in the same turns every time.
Result<Lesson> draw_validation(const ExampleSource& source, const ReaderTraining& settings, const Tensor& mirrored) {
  LIMBER_TRY(nn::TensorRun drawn,
             draw_run(source, settings.model, kValidationExamples, settings.plan.validation_examples));
  for (Tensor& tensor : drawn) tensor = tensor.to(mirrored.device());
  at::manual_seed(settings.plan.seed + 1);
  return make_lesson(Examples::from(drawn), mirrored, Surface::kClean);
}

/// What the network says of all bodies of a lesson, some at a time.
ReadBatch read_all(const ReaderNetwork& network, const Lesson& lesson) {
  std::vector<ReadBatch> parts;
  for (std::int64_t first = 0; first < lesson.kinds.size(0); first += kAtOnce)
    parts.push_back(network(lesson.part(first, kAtOnce).bodies));
  const auto joined = [&](Tensor ReadBatch::*member) {
    std::vector<Tensor> tensors;
    for (const ReadBatch& part : parts) tensors.push_back(part.*member);
    return at::cat(tensors);
  };
  ReadBatch all;
  for (Tensor ReadBatch::*member : {&ReadBatch::regions, &ReadBatch::starts, &ReadBatch::limbs, &ReadBatch::sides,
                                    &ReadBatch::along, &ReadBatch::roots, &ReadBatch::tips, &ReadBatch::kinds,
                                    &ReadBatch::up, &ReadBatch::forward, &ReadBatch::counts})
    all.*member = joined(member);
  return all;
}

ReadScore score_of(const ReadBatch& read, const Lesson& lesson) {
  const Tensor all = at::ones_like(lesson.known), &known = lesson.known;
  const auto mean = [](const Tensor& values, const Tensor& counts) {
    return mean_of(values.to(at::kFloat).unsqueeze(-1), counts).item<double>();
  };
  const auto within = [&](const Tensor& a, const Tensor& b) { return mean(cosine(a, b) > std::sqrt(0.5), all); };
  const auto right = [](const Tensor& logits, const Tensor& truth) { return logits.argmax(-1) == truth; };
  const auto apart = [](const Tensor& a, const Tensor& b) { return (a - b).norm(2, -1); };
  ReadScore score;
  score.loss = loss_of(read, lesson).item<double>();
  score.regions = mean(right(read.regions, lesson.regions), known);
  score.starts = mean(apart(read.starts, lesson.starts), known);
  score.limbs = mean(right(read.limbs, lesson.limbs), known),
  score.sides = mean(right(read.sides, lesson.sides), known);
  score.along = mean((read.along - lesson.along).abs(), known);
  score.roots = mean(apart(read.roots, lesson.roots), known), score.tips = mean(apart(read.tips, lesson.tips), known);
  // What is worn or held may be one thing or two.
  const std::int64_t counted = read.counts.size(1) - 1;
  score.counts = mean(right(read.counts, lesson.counts).narrow(1, 0, counted).all(1), known);
  score.kinds = mean(right(read.kinds, lesson.kinds), lesson.kind_known);
  score.up = within(read.up, lesson.up), score.forward = within(read.forward, lesson.forward);
  return score;
}

/// The temperature at which a loss is least: golden sections of its logarithm.
double coolest(const std::function<Tensor(double)>& loss) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  double low = std::log(0.05), high = std::log(20.0);
  const auto at = [&](double log) { return loss(std::exp(log)).item<double>(); };
  double a = high - golden * (high - low), b = low + golden * (high - low), at_a = at(a), at_b = at(b);
  for (int i = 0; i < 16; ++i) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = at(a);
    } else {
      low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = at(b);
    }
  }
  return std::exp(0.5 * (low + high));
}

Temperatures fit_temperatures(const ReadBatch& read, const Lesson& lesson) {
  const Tensor& known = lesson.known;
  // Tokens of a body agree: some of them tell as much as all.
  const auto some = [](const Tensor& t) { return t.slice(1, 0, t.size(1), 8); };
  const auto shares = [](const Tensor& logits, const Tensor& truth, const Tensor& counts) {
    return coolest([&](double t) { return entropy(logits / t, truth, 0, counts); });
  };
  const auto direction = [](const Tensor& said, const Tensor& truth) {
    return coolest([&](double t) { return surprise(said / t, truth); });
  };
  Temperatures fitted;
  fitted.regions = shares(some(read.regions), some(lesson.regions), known);
  fitted.limbs = shares(some(read.limbs), some(lesson.limbs), known);
  fitted.sides = shares(some(read.sides), some(lesson.sides), known);
  fitted.counts = shares(read.counts, lesson.counts, known),
  fitted.kinds = shares(read.kinds, lesson.kinds, lesson.kind_known);
  fitted.up = direction(read.up, lesson.up), fitted.forward = direction(read.forward, lesson.forward);
  return fitted;
}

Status save_reader(const ReaderModel& model, const nn::TensorList& weights, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{error.message(), folder.string()};
  LIMBER_CHECK_OK(nn::save_tensors(folder / kReaderWeightsFile, nn::in_bytes(weights, "blocks."), {}, at::kHalf));
  LIMBER_CHECK_OK(nn::save_tensors(folder / kAveragedFile, weights, {}, at::kHalf));
  return write_file(folder / kReaderModelFile, reader_model_to_json(model));
}

/// Weights to start with: in 16 bits where a training left them, else those of a model that ships.
std::filesystem::path weights_in(const std::filesystem::path& folder) {
  std::error_code error;
  return folder / (std::filesystem::exists(folder / kAveragedFile, error) ? kAveragedFile : kReaderWeightsFile);
}

nn::Placement placement_on(at::Device device) { return {device, nn::fast_dtype(device)}; }

Result<ReaderReport> train_on(at::Device device, const ExampleSource& source, const std::filesystem::path& folder,
                              const ReaderTraining& settings) {
  ReaderModel model = settings.model;
  const auto open = [&] { return nn::Weights::open(weights_in(settings.plan.from), placement_on(device)); };
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
  task.validate = [&](const nn::TensorList& averaged) {
    const at::NoGradGuard no_gradients;
    nn::Weights measured = nn::Weights::from_tensors(averaged);
    const ReadBatch read = read_all(ReaderNetwork(model, measured.root()), validation);
    score = score_of(read, validation),
    model.temperatures = calibrated_by(fit_temperatures(read, validation), settings.folds);
  };
  task.save = [&](const nn::TensorList& averaged) { return save_reader(model, averaged, folder); };
  if (settings.on_report) {
    task.report = [&](const nn::TrainingStep& step) { return settings.on_report({step, score}); };
  }
  LIMBER_TRY(const nn::TrainingReport report, nn::train(weights, settings.plan, folder, task));
  return ReaderReport{report, score, model.temperatures};
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
