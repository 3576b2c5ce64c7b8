// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "limber/anatomy/body_reading.h"
#include "limber/anatomy/body_tokens.h"
#include "limber/anatomy/reader_model.h"
#include "limber/base/result.h"

namespace limber::anatomy {

/// A trained network that reads bodies, on the CPU and without LibTorch. Const, so safe to use from several threads.
class BodyReader {
 public:
  /// A folder that `train_reader` wrote.
  static Result<BodyReader> open(const std::filesystem::path& folder);

  /// The same bits for any number of threads. A body without skin, or of which the network says nothing finite, is read
  /// as nothing: no points, every kind alike.
  BodyReading read(const body::BodyShape& body) const;

  /// What the network itself says of tokens, in its own space.
  struct Output {
    std::vector<float> parts;   ///< per token: regions before softmax, then from the token to its part's joint
    std::vector<float> limbs;   ///< per token: kinds of limb and sides before softmax, how far along, root, tip
    std::vector<float> body;    ///< kinds before softmax, up, forward
    std::vector<float> counts;  ///< per kind of limb: 0 to 8, before softmax
  };
  Output run(const BodyTokens& body) const;

  const ReaderModel& model() const { return model_; }

 private:
  struct Network;
  BodyReader(const ReaderModel& model, std::shared_ptr<const Network> network);

  ReaderModel model_;
  std::shared_ptr<const Network> network_;  ///< copies share it
};

}  // namespace limber::anatomy
