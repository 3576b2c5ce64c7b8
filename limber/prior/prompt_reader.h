// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/nn/inference.h"
#include "limber/prior/sketch_model.h"

namespace limber::prior {

/// What a prompt means to the built-in prior: its words, weighed several times over; order plays no part. On the CPU.
class PromptReader {
 public:
  /// What is wrong with the file is in its status.
  PromptReader(const SketchModel& model, nn::infer::WeightFile& file);

  /// [width]
  std::vector<float> read(const std::string& prompt) const;

 private:
  nn::infer::Matrix words_of(const std::vector<std::int32_t>& groups) const;

  nn::infer::Matrix letter_groups_;  ///< [buckets, word_width]; row 0 is padding
  nn::infer::Linear word_, score_, linear_1_, linear_2_;
  nn::infer::Floats none_;  ///< [width]: of a prompt without words
};

}  // namespace limber::prior
