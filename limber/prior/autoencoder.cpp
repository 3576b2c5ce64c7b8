// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/autoencoder.h"

#include <algorithm>

#include "limber/base/expect.h"

namespace limber::prior {
namespace {

Tensor cut(const Tensor& frames, const ChunkRange& range) {
  return frames.narrow(0, range.begin, range.end - range.begin);
}

/// Frames of `video` as a point to differentiate at.
Tensor leaf(const Tensor& frames) { return frames.detach().requires_grad_(true); }

}  // namespace

Posterior encode(const Autoencoder& autoencoder, const Tensor& video) {
  const at::NoGradGuard no_gradients;
  CausalState state = autoencoder.start();
  std::vector<Tensor> means, log_variances;
  for (const ChunkRange& chunk : autoencoder.encoder_chunks(static_cast<int>(video.size(0)))) {
    const Posterior posterior = autoencoder.encode_chunk(cut(video, chunk), state);
    means.push_back(posterior.mean);
    log_variances.push_back(posterior.log_variance);
  }
  return {at::cat(means), at::cat(log_variances).clamp(-30, 20)};
}

Tensor decode(const Autoencoder& autoencoder, const Tensor& latent) {
  const at::NoGradGuard no_gradients;
  CausalState state = autoencoder.start();
  std::vector<Tensor> frames;
  for (const ChunkRange& chunk : autoencoder.decoder_chunks(static_cast<int>(latent.size(0)))) {
    frames.push_back(autoencoder.decode_chunk(cut(latent, chunk), state));
  }
  return at::cat(frames);
}

EncodedVideo::EncodedVideo(const Autoencoder& autoencoder, const Tensor& video, EncoderTape tape, std::vector<int> kept)
    : autoencoder_(autoencoder),
      tape_(tape),
      chunks_(autoencoder.encoder_chunks(static_cast<int>(video.size(0)))),
      kept_(std::move(kept)) {
  CausalState state = autoencoder.start();
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const bool keep = tape == EncoderTape::kKeep || (tape == EncoderTape::kSampled &&
                                                     std::count(kept_.begin(), kept_.end(), static_cast<int>(i)) > 0);
    const at::AutoGradMode with_graph(keep);
    if (tape == EncoderTape::kRecompute) memories_.push_back(state.memories());
    const Tensor frames = cut(video, chunks_[i]);
    inputs_.push_back(keep ? leaf(frames) : frames);
    means_.push_back(autoencoder.encode_chunk(inputs_.back(), state).mean);
  }
  const at::NoGradGuard no_gradients;
  mean_ = at::cat(means_).detach();
}

Tensor EncodedVideo::backward(const Tensor& gradient) {
  LIMBER_EXPECT(!inputs_.empty(), "the tape was used already");
  LIMBER_EXPECT(gradient.sizes() == mean_.sizes(), "shape of the gradient");
  std::vector<Tensor> gradients;
  int64_t begin = 0;
  for (const Tensor& mean : means_) {
    gradients.push_back(gradient.narrow(0, begin, mean.size(0)));
    begin += mean.size(0);
  }
  const Tensor result = tape_ == EncoderTape::kRecompute ? backward_recomputed(gradients) : backward_kept(gradients);
  inputs_.clear(), means_.clear(), memories_.clear();
  return result;
}

Tensor EncodedVideo::backward_kept(const std::vector<Tensor>& gradients) {
  std::vector<Tensor> inputs, means, cotangents;
  std::vector<Tensor> result(chunks_.size());
  const bool sampled = tape_ == EncoderTape::kSampled;
  const double scale = sampled ? static_cast<double>(chunks_.size()) / static_cast<double>(kept_.size()) : 1;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    result[i] = at::zeros_like(inputs_[i]);
    if (!inputs_[i].requires_grad()) continue;
    inputs.push_back(inputs_[i]);
    means.push_back(means_[i]);
    cotangents.push_back(gradients[i] * scale);
  }
  const std::vector<Tensor> found = torch::autograd::grad(means, inputs, cotangents);
  for (std::size_t i = 0, next = 0; i < chunks_.size(); ++i) {
    if (inputs_[i].requires_grad()) result[i] = found[next++];
  }
  return at::cat(result);
}

Tensor EncodedVideo::backward_recomputed(const std::vector<Tensor>& gradients) {
  std::vector<Tensor> result(chunks_.size());
  // What later chunks want from the memories that chunk i leaves behind.
  std::vector<Tensor> pending;
  for (std::size_t i = chunks_.size(); i-- > 0;) {
    const at::AutoGradMode with_graph(true);
    std::vector<Tensor> inputs{leaf(inputs_[i])};
    for (const Tensor& memory : memories_[i]) inputs.push_back(leaf(memory));
    CausalState state = autoencoder_.start();
    state.restore({inputs.begin() + 1, inputs.end()});
    std::vector<Tensor> outputs{autoencoder_.encode_chunk(inputs[0], state).mean};
    std::vector<Tensor> cotangents{gradients[i]};
    if (!pending.empty()) {
      outputs.insert(outputs.end(), state.memories().begin(), state.memories().end());
      cotangents.insert(cotangents.end(), pending.begin(), pending.end());
    }
    std::vector<Tensor> found = torch::autograd::grad(outputs, inputs, cotangents);
    result[i] = found[0];
    pending.assign(found.begin() + 1, found.end());
    memories_[i].clear();
  }
  return at::cat(result);
}

}  // namespace limber::prior
