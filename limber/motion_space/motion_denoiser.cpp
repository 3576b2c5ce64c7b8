// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/motion_space/motion_denoiser.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"
#include "limber/nn/inference.h"

namespace limber::motion_space {
namespace {

using nn::infer::Floats;
using nn::infer::LayerNorm;
using nn::infer::Linear;
using nn::infer::Matrix;
using nn::infer::RowsView;
using nn::infer::WeightFile;

constexpr float kNormEps = 1e-5f;
constexpr int kSwayNumbers = kFramesPerToken * kBodyNumbers, kMeanNumbers = pose_space::kStateSize;

/// A layer of MotionNetwork.
struct Block {
  Linear qkv, out, time_qkv, time_out, up, down;
  Floats modulation;
  Matrix times;  ///< [heads * kTokens, kTokens]

  Block(WeightFile& file, const std::string& name, int d, int heads)
      : qkv(file.linear(name + ".qkv", d, 3 * d)),
        out(file.linear(name + ".out", d, d)),
        time_qkv(file.linear(name + ".time_qkv", d, 3 * d)),
        time_out(file.linear(name + ".time_out", d, d)),
        up(file.linear(name + ".up", d, 4 * d)),
        down(file.linear(name + ".down", 4 * d, d)),
        modulation(file.vector(name + ".modulation", kModulations * d)),
        times(file.matrix(name + ".times", heads * kTokens, kTokens)) {}
};

/// Row `i` of kModulations, `width` numbers each.
std::span<const float> part(std::span<const float> modulation, int i, int width) {
  return modulation.subspan(at(i * width), at(width));
}

/// norm(x) (1 + scale) + shift
Matrix modulated(const LayerNorm& norm, const Matrix& x, std::span<const float> shift, std::span<const float> scale) {
  Floats once(scale.begin(), scale.end());
  for (float& s : once) s += 1;
  return LayerNorm{norm.width, norm.eps, std::move(once), Floats(shift.begin(), shift.end())}(x);
}

/// x += (1 + gate) y
void add_gated(Matrix& x, const Matrix& y, std::span<const float> gate) {
  for (int r = 0; r < x.rows(); ++r) {
    const std::span<float> row = x.row(r);
    const std::span<const float> add = y.row(r);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] += (1 + gate[k]) * add[k];
  }
}

void add_row(Matrix& x, int row, std::span<const float> values) {
  const std::span<float> to = x.row(row);
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += values[k];
}

/// Which tokens are of one kind: `moments` from `moment` on, and `slots` from `slot` on of each.
struct Kind {
  int moment, moments, slot, slots;
  int rows() const { return moments * slots; }
  int row(int i, int all_slots) const { return (moment + i / slots) * all_slots + slot + i % slots; }
};
Kind steady_kind() { return {0, 1, 0, 1}; }
Kind sway_kind() { return {1, kTokens - 1, 0, 1}; }
Kind mean_kind(int joints) { return {0, 1, 1, joints}; }
Kind poses_kind(int joints) { return {1, kTokens - 1, 1, joints}; }

/// The first `numbers` of each of its tokens, of rows of `stride` numbers.
Matrix gathered(const Kind& kind, std::span<const float> tokens, int all_slots, int numbers, int stride) {
  Matrix x(kind.rows(), numbers);
  for (int i = 0; i < kind.rows(); ++i) {
    const auto from = tokens.begin() + static_cast<std::ptrdiff_t>(kind.row(i, all_slots)) * stride;
    std::copy_n(from, numbers, x.row(i).begin());
  }
  return x;
}

}  // namespace

struct MotionDenoiser::Code {
  Matrix joints;               ///< [joints, width]
  std::vector<Matrix> biases;  ///< per layer [heads * slots, slots]
};

/// What MotionNetwork is for training.
struct MotionDenoiser::Network {
  int width, heads;
  Linear joint_1, joint_2, poses, mean, sway, steady, known_poses, known_sway, asked, time_1, time_2, modulation;
  Linear say_poses, say_mean, say_sway, say_steady, judge;
  Floats body;
  Matrix moments, actions, choices, relations;
  LayerNorm plain, norm;
  std::vector<Block> blocks;

  Network(const MotionModel& model, WeightFile& file) : width(model.width), heads(model.heads) {
    const int d = model.width;
    joint_1 = file.linear("joint_1", model.features, d), joint_2 = file.linear("joint_2", d, d);
    poses = file.linear("poses", kTokenNumbers, d), mean = file.linear("mean", kMeanNumbers, d);
    sway = file.linear("sway", kSwayNumbers, d), steady = file.linear("steady", kBodyNumbers, d);
    known_poses = file.linear("known_poses", kKnownNumbers, d);
    known_sway = file.linear("known_sway", kSwayNumbers + kFramesPerToken, d);
    asked = file.linear("asked", d, d);
    time_1 = file.linear("time_1", d, d), time_2 = file.linear("time_2", d, d);
    modulation = file.linear("modulation", d, kModulations * d);
    body = file.vector("body", d), moments = file.matrix("moments", kTokens, d);
    actions = file.matrix("actions", static_cast<int>(model.actions.size()) + 1, d);
    choices = file.matrix("choices", kAllChoices, d);
    relations = file.matrix("relations", kRelations, model.layers * model.heads);
    for (int i = 0; i < model.layers; ++i) blocks.emplace_back(file, "blocks." + std::to_string(i), d, model.heads);
    plain.width = d, plain.eps = kNormEps;
    norm = file.layer_norm("norm", d, kNormEps);
    if (model.judges != 0) {
      judge = file.linear("judge", d, static_cast<int>(model.actions.size()));
      return;
    }
    say_poses = file.linear("say_poses", d, kTokenNumbers), say_mean = file.linear("say_mean", d, kMeanNumbers);
    say_sway = file.linear("say_sway", d, kSwayNumbers), say_steady = file.linear("say_steady", d, kBodyNumbers);
  }

  /// What a layer adds to how much slots look at each other.
  Matrix bias(const MotionConditions& conditions, int layer) const {
    const int slots = 1 + conditions.joints;
    Matrix bias(heads * slots, slots);
    for (int h = 0; h < heads; ++h) {
      for (int i = 0; i < slots; ++i) {
        for (int k = 0; k < slots; ++k)
          bias(h * slots + i, k) = relations(conditions.relations[at(i * slots + k)], layer * heads + h);
      }
    }
    return bias;
  }

  /// The sum of what was asked for.
  Matrix wish(const MotionFacts& facts) const {
    Matrix sum(1, width);
    add_row(sum, 0, actions.row(facts.action < 0 ? actions.rows() - 1 : facts.action));
    for (int i = 0; i < kFactCount; ++i)
      add_row(sum, 0, choices.row(first_choice(static_cast<Fact>(i)) + facts.facts[i]));
    return sum;
  }

  Matrix embedded(const Code& code, const Matrix& wished, std::span<const float> known,
                  std::span<const float> noisy) const {
    const int joints = code.joints.rows(), slots = 1 + joints;
    Matrix x(kTokens * slots, width);
    const auto add = [&](const Kind& kind, const Matrix& rows) {
      for (int i = 0; i < rows.rows(); ++i) add_row(x, kind.row(i, slots), rows.row(i));
    };
    const auto given = [&](const Kind& kind, int numbers) {
      return gathered(kind, noisy, slots, numbers, kTokenNumbers);
    };
    add(steady_kind(), steady(given(steady_kind(), kBodyNumbers)));
    add(sway_kind(), sway(given(sway_kind(), kSwayNumbers)));
    add(mean_kind(joints), mean(given(mean_kind(joints), kMeanNumbers)));
    add(poses_kind(joints), poses(given(poses_kind(joints), kTokenNumbers)));
    const Floats nothing(known.empty() ? at(kTokens * slots * kKnownNumbers) : 0, 0.0f);
    const std::span<const float> told = known.empty() ? std::span<const float>(nothing) : known;
    add(poses_kind(joints), known_poses(gathered(poses_kind(joints), told, slots, kKnownNumbers, kKnownNumbers)));
    // Of the body, which frames are known stands behind its own numbers.
    Matrix of_body = gathered(sway_kind(), told, slots, kSwayNumbers + kFramesPerToken, kKnownNumbers);
    for (int i = 0; i < of_body.rows(); ++i) {
      const auto from = told.begin() + static_cast<std::ptrdiff_t>(sway_kind().row(i, slots)) * kKnownNumbers;
      std::copy_n(from + kTokenNumbers, kFramesPerToken, of_body.row(i).begin() + kSwayNumbers);
    }
    add(sway_kind(), known_sway(of_body));
    const Matrix request = asked(wished);
    for (int t = 0; t < kTokens; ++t) {
      for (int n = 0; n < slots; ++n) {
        const int row = t * slots + n;
        add_row(x, row, n == 0 ? std::span<const float>(body) : code.joints.row(n - 1));
        add_row(x, row, moments.row(t)), add_row(x, row, request.row(0));
      }
    }
    return x;
  }

  Matrix across_joints(const Block& block, const Matrix& bias, const Matrix& x) const {
    const int slots = bias.columns(), d = width;
    const Matrix qkv = block.qkv(x);
    Matrix mixed(x.rows(), d);
    parallel_for(at(kTokens), 1, [&](std::size_t t, std::size_t) {
      const int first = static_cast<int>(t) * slots;
      const RowsView rows = nn::infer::rows_view(nn::infer::view_of(qkv), first, slots);
      const auto part = [&](int i) { return nn::infer::columns_view(rows, i * d, d); };
      nn::infer::attend(part(0), part(1), part(2), heads, bias, mixed.row(first).data(), d);
    });
    return block.out(mixed);
  }

  Matrix across_times(const Block& block, int slots, const Matrix& x) const {
    const int d = width;
    const Matrix qkv = block.time_qkv(x);
    Matrix mixed(x.rows(), d);
    parallel_for(at(slots), 1, [&](std::size_t n, std::size_t) {
      const int slot = static_cast<int>(n);
      const RowsView rows{qkv.row(slot).data(), kTokens, 3 * d, slots * 3 * d};
      const auto part = [&](int i) { return nn::infer::columns_view(rows, i * d, d); };
      nn::infer::attend(part(0), part(1), part(2), heads, block.times, mixed.row(slot).data(), slots * d);
    });
    return block.time_out(mixed);
  }

  /// The last layer's tokens, normalised.
  Matrix seen(const Code& code, const MotionFacts& facts, std::span<const float> known, std::span<const float> noisy,
              double time) const {
    const int slots = 1 + code.joints.rows(), d = width;
    LIMBER_EXPECT(noisy.size() == at(kTokens * slots * kTokenNumbers), std::to_string(noisy.size()));
    LIMBER_EXPECT(known.empty() || known.size() == at(kTokens * slots * kKnownNumbers), std::to_string(known.size()));
    const Matrix wished = wish(facts);
    Matrix moment = time_2(silu(time_1(nn::infer::time_waves(time * kTimeScale, d))));
    moment += wished;
    const Matrix shared = modulation(silu(std::move(moment)));
    Matrix x = embedded(code, wished, known, noisy);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block& block = blocks[i];
      Floats m = block.modulation;
      for (std::size_t k = 0; k < m.size(); ++k) m[k] += shared.values()[k];
      const auto of = [&](int which) { return part(m, which, d); };
      add_gated(x, across_joints(block, code.biases[i], modulated(plain, x, of(0), of(1))), of(2));
      add_gated(x, across_times(block, slots, modulated(plain, x, of(3), of(4))), of(5));
      const Matrix wide = block.up(modulated(plain, x, of(6), of(7)), nn::infer::Activation::kGelu);
      add_gated(x, block.down(wide), of(8));
    }
    return norm(x);
  }

  Tokens said(const Matrix& x, int joints) const {
    const int slots = 1 + joints;
    Tokens tokens(at(kTokens * slots * kTokenNumbers), 0);
    const auto say = [&](const Kind& kind, const Linear& head) {
      const Matrix rows = head(gathered(kind, x.values(), slots, width, width));
      for (int i = 0; i < rows.rows(); ++i)
        std::copy_n(rows.row(i).begin(), rows.columns(), tokens.begin() + kind.row(i, slots) * kTokenNumbers);
    };
    say(steady_kind(), say_steady), say(sway_kind(), say_sway);
    say(mean_kind(joints), say_mean), say(poses_kind(joints), say_poses);
    return tokens;
  }
};

MotionDenoiser::MotionDenoiser(MotionModel model, std::shared_ptr<const Network> network)
    : model_(std::move(model)), network_(std::move(network)) {}

Result<MotionDenoiser> MotionDenoiser::open(const std::filesystem::path& folder) {
  LIMBER_TRY(MotionModel model, read_motion_model(folder));
  if (model.features != kFeatures)
    return Error{"made for other features of joints", (folder / kMotionModelFile).string()};
  LIMBER_TRY(WeightFile file, WeightFile::open(folder / kMotionWeightsFile));
  auto network = std::make_shared<const Network>(model, file);
  LIMBER_CHECK_OK(file.status());
  return MotionDenoiser(std::move(model), std::move(network));
}

MotionDenoiser::Body MotionDenoiser::encode(const MotionConditions& conditions) const {
  LIMBER_EXPECT(conditions.joints > 0 && conditions.joints <= kMostJoints, std::to_string(conditions.joints));
  auto code = std::make_shared<Code>();
  const std::vector<float> all = conditions.all_features();
  Matrix features(conditions.joints, kFeatures);
  std::copy(all.begin(), all.end(), features.values().begin());
  code->joints = network_->joint_2(gelu_tanh(network_->joint_1(features)));
  for (int i = 0; i < model_.layers; ++i) code->biases.push_back(network_->bias(conditions, i));
  return code;
}

int MotionDenoiser::joints(const Body& body) { return body->joints.rows(); }

Tokens MotionDenoiser::run(const Body& body, const MotionFacts& facts, std::span<const float> known,
                           std::span<const float> noisy, double time) const {
  LIMBER_EXPECT(model_.judges == 0, "a model that judges draws nothing");
  LIMBER_EXPECT(facts.action < static_cast<int>(model_.actions.size()), std::to_string(facts.action));
  return network_->said(network_->seen(*body, facts, known, noisy, time), body->joints.rows());
}

std::vector<float> MotionDenoiser::judge(const Body& body, std::span<const float> clip) const {
  LIMBER_EXPECT(model_.judges != 0, "a model that draws does not judge");
  const Matrix seen = network_->seen(*body, {}, {}, clip, 0);
  Matrix mean(1, seen.columns());
  for (int r = 0; r < seen.rows(); ++r) add_row(mean, 0, seen.row(r));
  for (float& v : mean.values()) v /= static_cast<float>(seen.rows());
  const Matrix spoken = network_->judge(mean);
  std::vector<float> likely(spoken.values().begin(), spoken.values().end());
  const float most = *std::max_element(likely.begin(), likely.end());
  double sum = 0;
  for (float& v : likely) v = std::exp(v - most), sum += v;
  for (float& v : likely) v = static_cast<float>(v / sum);
  return likely;
}

std::vector<float> known_numbers(const KnownFrames& known) {
  const int joints = known.state.joints, slots = 1 + joints;
  LIMBER_EXPECT(known.slots.size() == at(kFrames * slots), std::to_string(known.slots.size()));
  std::vector<float> numbers(at(kTokens * slots * kKnownNumbers), 0);
  for (int f = 0; f < kFrames; ++f) {
    const int moment = 1 + f / kFramesPerToken, within = f % kFramesPerToken;
    for (int n = 0; n < slots; ++n) {
      if (!known.knows(f, n)) continue;
      float* row = numbers.data() + at((moment * slots + n) * kKnownNumbers);
      row[kTokenNumbers + within] = 1;
      if (n == 0) {
        for (int k = 0; k < kBodyNumbers; ++k) {
          row[within * kBodyNumbers + k] =
              static_cast<float>(known.state.body[at(f * kBodyNumbers + k)] / kSteadyUnits[k]);
        }
      } else {
        for (int k = 0; k < kJointNumbers; ++k) {
          row[within * kJointNumbers + k] = static_cast<float>(known.state.frame(f)[at((n - 1) * kJointNumbers + k)]);
        }
      }
    }
  }
  return numbers;
}

}  // namespace limber::motion_space
