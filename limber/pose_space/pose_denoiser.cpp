// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/pose_space/pose_denoiser.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/base/expect.h"
#include "limber/nn/inference.h"

namespace limber::pose_space {
namespace {

using nn::infer::Floats;
using nn::infer::LayerNorm;
using nn::infer::Linear;
using nn::infer::Matrix;
using nn::infer::WeightFile;

constexpr float kNormEps = 1e-5f;

/// A layer of PoseNetwork.
struct Block {
  Linear qkv, out, query, key_value, look, up, down;
  Floats modulation;

  Block(WeightFile& file, const std::string& name, int d)
      : qkv(file.linear(name + ".qkv", d, 3 * d)),
        out(file.linear(name + ".out", d, d)),
        query(file.linear(name + ".query", d, d)),
        key_value(file.linear(name + ".key_value", d, 2 * d)),
        look(file.linear(name + ".look", d, d)),
        up(file.linear(name + ".up", d, 4 * d)),
        down(file.linear(name + ".down", 4 * d, d)),
        modulation(file.vector(name + ".modulation", kModulations * d)) {}
};

/// Row `i` of kModulations, `width` numbers each.
std::span<const float> part(std::span<const float> modulation, int i, int width) {
  return modulation.subspan(at(i * width), at(width));
}

/// x (1 + scale) + shift
Matrix modulated(Matrix x, std::span<const float> shift, std::span<const float> scale) {
  for (int r = 0; r < x.rows(); ++r) {
    const std::span<float> row = x.row(r);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = row[k] * (1 + scale[k]) + shift[k];
  }
  return x;
}

/// x += (1 + gate) y
void add_gated(Matrix& x, const Matrix& y, std::span<const float> gate) {
  for (int r = 0; r < x.rows(); ++r) {
    const std::span<float> row = x.row(r);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] += (1 + gate[k]) * y.row(r)[k];
  }
}

Matrix point_features(std::span<const SurfacePoint> points) {
  Matrix features(static_cast<int>(points.size()), kPointFeatures);
  for (int i = 0; i < features.rows(); ++i) {
    const SurfacePoint& point = points[at(i)];
    for (int a = 0; a < 3; ++a) {
      features(i, a) = point.place[a], features(i, 3 + a) = point.normal[a];
      for (int k = 0; k < kPlaceWaves; ++k) {
        const float angle = point.place[a] * static_cast<float>(kFirstWave * std::pow(2.0, k));
        features(i, 6 + 6 * k + a) = std::sin(angle), features(i, 9 + 6 * k + a) = std::cos(angle);
      }
    }
  }
  return features;
}

}  // namespace

struct PoseDenoiser::Code {
  Matrix joints;
  std::vector<Matrix> biases;        ///< per layer [heads * joints, joints]
  std::vector<Matrix> keys, values;  ///< per layer [1 + points, width]
};

/// What PoseNetwork is for training.
struct PoseDenoiser::Network {
  Linear joint_1, joint_2, state, point_1, point_2, time_1, time_2, modulation, said, whole;
  Floats nothing, known;
  Matrix relations;
  LayerNorm plain, surface_norm, norm;
  std::vector<Block> blocks;

  Network(const PoseModel& model, WeightFile& file) {
    const int d = model.width;
    joint_1 = file.linear("joint_1", model.features, d), joint_2 = file.linear("joint_2", d, d);
    state = file.linear("state", kStateSize, d);
    point_1 = file.linear("point_1", kPointFeatures, d), point_2 = file.linear("point_2", d, d);
    time_1 = file.linear("time_1", d, d), time_2 = file.linear("time_2", d, d);
    modulation = file.linear("modulation", d, kModulations * d);
    nothing = file.vector("nothing", d);
    if (model.fills != 0) known = file.vector("known", d);
    relations = file.matrix("relations", kRelations, model.layers * model.heads);
    surface_norm = file.layer_norm("surface_norm", d, kNormEps);
    for (int i = 0; i < model.layers; ++i) blocks.emplace_back(file, "blocks." + std::to_string(i), d);
    plain.width = d, plain.eps = kNormEps;
    norm = file.layer_norm("norm", d, kNormEps);
    said = file.linear("said", d, kJointOutputs), whole = file.linear("whole", d, 1);
  }

  /// What a layer adds to how much joints look at each other.
  Matrix bias(const PoseConditions& conditions, int layer, int heads) const {
    const int count = conditions.joints;
    Matrix bias(heads * count, count);
    for (int h = 0; h < heads; ++h) {
      for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k)
          bias(h * count + i, k) = relations(conditions.relations[at(i * count + k)], layer * heads + h);
      }
    }
    return bias;
  }

  /// Nothing, then the points of the surface.
  Matrix surface(const PoseConditions& conditions, const Matrix& joints) const {
    Matrix tokens(1 + static_cast<int>(conditions.surface.size()), joints.columns());
    std::copy(nothing.begin(), nothing.end(), tokens.values().begin());
    if (conditions.surface.empty()) return surface_norm(tokens);
    const Matrix skin = point_2(gelu_tanh(point_1(point_features(conditions.surface))));
    for (int i = 0; i < skin.rows(); ++i) {
      const SurfacePoint& point = conditions.surface[at(i)];
      const std::span<float> row = tokens.row(1 + i);
      for (int k = 0; k < skin.columns(); ++k) {
        row[at(k)] =
            skin(i, k) + point.share * joints(point.joints[0], k) + (1 - point.share) * joints(point.joints[1], k);
      }
    }
    return surface_norm(tokens);
  }
};

PoseDenoiser::PoseDenoiser(const PoseModel& model, std::shared_ptr<const Network> network)
    : model_(model), network_(std::move(network)) {}

Result<PoseDenoiser> PoseDenoiser::open(const std::filesystem::path& folder) {
  LIMBER_TRY(const PoseModel model, read_pose_model(folder));
  if (model.features != kJointFeatures || model.points != kSurfacePoints)
    return Error{"made for other features of joints or surfaces", (folder / kPoseModelFile).string()};
  LIMBER_TRY(WeightFile file, WeightFile::open(folder / kPoseWeightsFile));
  auto network = std::make_shared<const Network>(model, file);
  LIMBER_CHECK_OK(file.status());
  return PoseDenoiser(model, std::move(network));
}

PoseDenoiser::Body PoseDenoiser::encode(const PoseConditions& conditions) const {
  LIMBER_EXPECT(conditions.joints > 0 && conditions.features.size() == at(conditions.joints * kJointFeatures),
                std::to_string(conditions.features.size()));
  auto code = std::make_shared<Code>();
  Matrix features(conditions.joints, kJointFeatures);
  std::copy(conditions.features.begin(), conditions.features.end(), features.values().begin());
  code->joints = network_->joint_2(gelu_tanh(network_->joint_1(features)));
  const Matrix surface = network_->surface(conditions, code->joints);
  for (int i = 0; i < model_.layers; ++i) {
    code->biases.push_back(network_->bias(conditions, i, model_.heads));
    const Matrix pair = network_->blocks[at(i)].key_value(surface);
    code->keys.push_back(columns_of(pair, 0, model_.width));
    code->values.push_back(columns_of(pair, model_.width, model_.width));
  }
  return code;
}

int PoseDenoiser::joints(const Body& body) { return body->joints.rows(); }

PoseDenoiser::Said PoseDenoiser::run(const Body& body, std::span<const double> state, double time,
                                     const std::vector<bool>& known) const {
  const Network& net = *network_;
  const int joints = body->joints.rows(), d = model_.width;
  LIMBER_EXPECT(state.size() == at(joints * kStateSize), std::to_string(state.size()));
  LIMBER_EXPECT(known.empty() || (known.size() == at(joints) && model_.fills != 0), std::to_string(known.size()));
  Matrix given(joints, kStateSize);
  std::transform(state.begin(), state.end(), given.values().begin(), [](double v) { return static_cast<float>(v); });
  Matrix x = net.state(given);
  x += body->joints;
  for (int r = 0; r < joints; ++r) {
    if (known.empty() || !known[at(r)]) continue;
    for (int k = 0; k < d; ++k) x(r, k) += net.known[at(k)];
  }
  const Matrix shared = net.modulation(silu(net.time_2(silu(net.time_1(nn::infer::time_waves(time * kTimeScale, d))))));
  for (std::size_t i = 0; i < net.blocks.size(); ++i) {
    const Block& block = net.blocks[i];
    Floats m = block.modulation;
    for (std::size_t k = 0; k < m.size(); ++k) m[k] += shared.values()[k];
    const auto of = [&](int which) { return part(m, which, d); };

    const Matrix mixed = block.qkv(modulated(net.plain(x), of(0), of(1)));
    add_gated(x,
              block.out(attention(columns_of(mixed, 0, d), columns_of(mixed, d, d), columns_of(mixed, 2 * d, d),
                                  model_.heads, body->biases[i])),
              of(2));
    const Matrix query = block.query(modulated(net.plain(x), of(3), of(4)));
    add_gated(x, block.look(attention(query, body->keys[i], body->values[i], model_.heads)), of(5));
    add_gated(x, block.down(gelu_tanh(block.up(modulated(net.plain(x), of(6), of(7))))), of(8));
  }
  x = net.norm(x);
  const Matrix said = net.said(x);
  Matrix mean(1, d);
  for (int r = 0; r < joints; ++r) {
    for (int k = 0; k < d; ++k) mean(0, k) += x(r, k) / static_cast<float>(joints);
  }
  Said answer;
  for (int r = 0; r < joints; ++r) {
    for (int k = 0; k < kStateSize; ++k) answer.velocity.push_back(said(r, k));
    answer.plausible.push_back(said(r, kStateSize));
  }
  answer.whole = net.whole(mean)(0, 0);
  return answer;
}

}  // namespace limber::pose_space
