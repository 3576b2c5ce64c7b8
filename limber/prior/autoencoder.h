// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/prior/vae_ops.h"

namespace limber::prior {

/// Mean and log-variance of the latent, [frames, channels, h, w] in the autoencoder's own scale.
struct Posterior {
  Tensor mean, log_variance;
};

/// A run of frames that the autoencoder takes at once.
struct ChunkRange {
  int begin = 0, end = 0;
};

/// A video autoencoder that works in chunks of frames with memory between them. Videos are [frames, 3, height, width]
/// in
/// [-1, 1], latents [frames, channels, height / 8, width / 8].
class Autoencoder {
 public:
  virtual ~Autoencoder() = default;

  virtual std::vector<ChunkRange> encoder_chunks(int frames) const = 0;
  virtual std::vector<ChunkRange> decoder_chunks(int latent_frames) const = 0;
  /// A state to start a video with.
  virtual CausalState start() const = 0;
  /// Chunks in order, each with the state the last one left.
  virtual Posterior encode_chunk(const Tensor& video, CausalState& state) const = 0;
  virtual Tensor decode_chunk(const Tensor& latent, CausalState& state) const = 0;

  /// What the transformer sees, and back.
  virtual Tensor scaled(const Tensor& latent) const = 0;
  virtual Tensor unscaled(const Tensor& latent) const = 0;
  /// d scaled / d latent, per channel: a number or [1, channels, 1, 1].
  virtual Tensor scaled_gradient(const Tensor& gradient) const = 0;

  virtual nn::Placement placement() const = 0;
};

Posterior encode(const Autoencoder& autoencoder, const Tensor& video);
Tensor decode(const Autoencoder& autoencoder, const Tensor& latent);

/// How the encoder's gradient is computed. All but `kSampled` are exact.
enum class EncoderTape {
  kKeep,       ///< keeps what the backward pass needs of the whole video: fastest, most memory
  kRecompute,  ///< keeps the memories between chunks and computes each chunk again: one chunk's memory, one more
               ///< forward
  kSampled,    ///< back-propagates a few chunks, scaled up, without the gradient through the memories: cheap, biased
};

/// An encoding that remembers how to go back.
class EncodedVideo {
 public:
  /// `kept` chunks of the tape kSampled, ascending; ignored otherwise.
  EncodedVideo(const Autoencoder& autoencoder, const Tensor& video, EncoderTape tape, std::vector<int> kept = {});

  const Tensor& mean() const { return mean_; }  ///< without gradient
  /// J^T gradient: [frames, 3, height, width]. Once only: frees the tape.
  Tensor backward(const Tensor& gradient);

 private:
  Tensor backward_kept(const std::vector<Tensor>& gradients);
  Tensor backward_recomputed(const std::vector<Tensor>& gradients);

  const Autoencoder& autoencoder_;
  EncoderTape tape_;
  std::vector<ChunkRange> chunks_;
  std::vector<int> kept_;
  std::vector<Tensor> inputs_, means_;         ///< per chunk, with graph where kept
  std::vector<std::vector<Tensor>> memories_;  ///< into each chunk
  Tensor mean_;
};

}  // namespace limber::prior
