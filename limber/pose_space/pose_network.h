// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/nn/blocks.h"
#include "limber/pose_space/pose_model.h"

namespace limber::pose_space {

using nn::Tensor;

/// Bodies as tensors, see PoseConditions. J joints, those that a body does not have being zero.
struct BodyBatch {
  Tensor features;   ///< [bodies, J, features] float
  Tensor relations;  ///< [bodies, J, J] long
  Tensor present;    ///< [bodies, J] bool: joints that are there
  Tensor points;     ///< [bodies, points, 6] float: places and normals
  Tensor shares;     ///< [bodies, points, J] float: of the joints that move a point
  Tensor seen;       ///< [bodies] bool: whether there is a surface
};

/// What the network makes of bodies, once for all their poses.
struct BodyCode {
  Tensor joints;               ///< [bodies, J, width]
  Tensor present;              ///< [bodies, J] bool
  std::vector<Tensor> biases;  ///< per layer [bodies, heads, J, J]: relations, and joints that are not there hidden
  std::vector<Tensor> keys,
      values;     ///< per layer [bodies, heads, 1 + points, width / heads]: nothing, then the surface
  Tensor hidden;  ///< [bodies, 1, 1, 1 + points]: surfaces that are not there
};

/// What it says of poses, in float.
struct PoseSaid {
  Tensor velocities;  ///< [poses, J, kStateSize]
  Tensor plausible;   ///< [poses, J], before the logistic function
  Tensor whole;       ///< [poses], likewise: of the pose as a whole
};

/// The network for training; PoseDenoiser computes the same without LibTorch. A transformer over joints (Peebles and
/// Xie 2023, with one modulation for all layers as in PixArt, Chen et al. 2023) whose attention knows how far apart
/// joints are in the tree, and which looks at the surface too.
class PoseNetwork {
 public:
  PoseNetwork(const PoseModel& model, const nn::WeightScope& weights);

  BodyCode encode(const BodyBatch& bodies) const;
  /// As many poses of each body, one body's after the other: states [poses, J, kStateSize], times [poses], 0 to 1.
  /// Joints that are `known`, [poses, J] bool, have no noise; an empty tensor: none of them.
  PoseSaid operator()(const BodyCode& bodies, const Tensor& states, const Tensor& times,
                      const Tensor& known = {}) const;

  /// Tensors that networks of before lack, and that start from nothing.
  static constexpr const char* kNewTensor = "known";

 private:
  struct Block {
    nn::Linear qkv, out, query, key_value, look, up, down;
    Tensor modulation;  ///< [kModulations * width]
  };

  Tensor modulations(const Tensor& times) const;

  PoseModel model_;
  nn::Linear joint_1_, joint_2_, state_, point_1_, point_2_, time_1_, time_2_, modulation_, said_, whole_;
  Tensor nothing_, known_, relations_;  ///< [width] twice, [kRelations, layers * heads]
  nn::LayerNorm plain_, surface_norm_, norm_;
  std::vector<Block> blocks_;
};

}  // namespace limber::pose_space
