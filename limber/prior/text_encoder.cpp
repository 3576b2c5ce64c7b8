// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/text_encoder.h"

#include "limber/prior/prompt_text.h"

namespace limber::prior {

Result<TextEncoder> TextEncoder::open(const std::filesystem::path& checkpoint, const TextEncoderSettings& settings) {
  LIMBER_EXPECT(settings.length >= 1, std::to_string(settings.length));
  LIMBER_TRY(Tokenizer tokenizer, Tokenizer::open(checkpoint / "tokenizer"));
  LIMBER_TRY(T5Encoder encoder, T5Encoder::open(checkpoint / "text_encoder", settings.placement));
  TextEncoder text(settings, std::move(tokenizer), std::move(encoder));
  if (!settings.cache.empty()) {
    LIMBER_TRY(text.fingerprint_, text_fingerprint(checkpoint / "tokenizer", text.encoder_.archive()));
  }
  return text;
}

std::string TextEncoder::prepared(const std::string& prompt) const {
  return masks_padding() ? clean_prompt(prompt) : prompt;
}

TokenizedPrompt TextEncoder::tokenize(const std::string& prompt) const {
  return tokenizer_.encode_padded(prepared(prompt), settings_.length);
}

TextKey TextEncoder::key(const std::string& prompt) const {
  return {prepared(prompt), fingerprint_, settings_.length,
          std::string(nn::name(nn::stored_dtype(settings_.placement.dtype)))};
}

Result<std::vector<TextEmbedding>> TextEncoder::encode(const std::vector<std::string>& prompts) {
  std::vector<TextEmbedding> embeddings(prompts.size());
  const TextCache cache(settings_.cache);
  std::vector<std::string> missing;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (!settings_.cache.empty()) {
      if (auto found = cache.find(key(prompts[i]))) {
        embeddings[i] = std::move(*found);
        continue;
      }
    }
    missing.push_back(prompts[i]);
    places.push_back(i);
  }
  if (missing.empty()) return embeddings;

  std::vector<TextEmbedding> fresh;
  LIMBER_CHECK_OK(compute(missing, fresh));
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (!settings_.cache.empty()) {
      if (Status stored = cache.store(key(missing[i]), fresh[i]); !stored.ok()) cache_error_ = stored.error();
    }
    embeddings[places[i]] = std::move(fresh[i]);
  }
  return embeddings;
}

Status TextEncoder::compute(const std::vector<std::string>& prompts, std::vector<TextEmbedding>& embeddings) {
  const auto batch = static_cast<std::int64_t>(prompts.size());
  nn::Tensor ids = at::empty({batch, settings_.length}, at::kLong), mask = at::zeros_like(ids);
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < batch; ++i) {
    const TokenizedPrompt prompt = tokenize(prompts[static_cast<std::size_t>(i)]);
    ids[i].copy_(at::tensor(prompt.ids, at::kLong));
    mask[i].narrow(0, 0, prompt.length).fill_(1);
    lengths.push_back(prompt.length);
  }
  LIMBER_TRY(nn::Tensor rows, encoder_.encode(ids, masks_padding() ? mask : nn::Tensor()));
  rows = rows.to(at::kCPU);
  if (masks_padding()) rows = rows.masked_fill((mask == 0).unsqueeze(-1), 0);
  for (std::int64_t i = 0; i < batch; ++i) {
    embeddings.push_back({rows[i].contiguous(), lengths[static_cast<std::size_t>(i)]});
  }
  computed_ += static_cast<int>(batch);
  return Done{};
}

}  // namespace limber::prior
