// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/prompt_reader.h"

#include "limber/base/at.h"
#include "limber/prior/prompt_words.h"

namespace limber::prior {
namespace {

using nn::infer::Activation;
using nn::infer::Floats;
using nn::infer::Matrix;

}  // namespace

PromptReader::PromptReader(const SketchModel& model, nn::infer::WeightFile& file)
    : letter_groups_(file.matrix("text.letter_groups", model.buckets, model.word_width)),
      word_(file.linear("text.word", model.word_width, model.word_width)),
      score_(file.linear("text.score", model.word_width, model.word_heads)),
      linear_1_(file.linear("text.linear_1", model.word_width * model.word_heads, model.width)),
      linear_2_(file.linear("text.linear_2", model.width, model.width)),
      none_(file.vector("text.none", model.width)) {}

/// Means of the letter groups of each word that there is.
Matrix PromptReader::words_of(const std::vector<std::int32_t>& groups) const {
  Floats means;
  int words = 0;
  for (int w = 0; w < kPromptWords; ++w) {
    Floats mean(at(letter_groups_.columns()));
    int count = 0;
    for (int g = 0; g < kWordGroups; ++g) {
      const std::int32_t bucket = groups[at(w * kWordGroups + g)];
      if (bucket <= 0) continue;
      const std::span<const float> group = letter_groups_.row(bucket);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += group[k];
      ++count;
    }
    if (count == 0) continue;
    for (float& value : mean) value /= static_cast<float>(count);
    means.insert(means.end(), mean.begin(), mean.end()), ++words;
  }
  return {words, letter_groups_.columns(), std::move(means)};
}

std::vector<float> PromptReader::read(const std::string& prompt) const {
  const Matrix means = words_of(prompt_groups(prompt, letter_groups_.rows()));
  if (means.rows() == 0) return {none_.begin(), none_.end()};
  const Matrix words = word_(means, Activation::kSilu), scores = score_(words);
  Matrix pooled(1, linear_1_.in());
  for (int head = 0; head < scores.columns(); ++head) {
    std::vector<float> shares(at(words.rows()));
    for (int w = 0; w < words.rows(); ++w) shares[at(w)] = scores(w, head);
    nn::infer::softmax(shares);
    for (int w = 0; w < words.rows(); ++w) {
      for (int k = 0; k < words.columns(); ++k) pooled(0, head * words.columns() + k) += shares[at(w)] * words(w, k);
    }
  }
  const Matrix said = linear_2_(linear_1_(pooled, Activation::kSilu));
  return {said.values().begin(), said.values().end()};
}

}  // namespace limber::prior
