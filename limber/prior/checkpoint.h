// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "limber/base/result.h"
#include "limber/prior/model_config.h"
#include "limber/prior/schedule.h"

/// \file
/// A checkpoint as one downloads it from the model hub: a folder with `model_index.json` and a folder per component.
/// Nothing here loads weights.

namespace limber::prior {

struct CogVideoXModel {
  CogVideoXConfig transformer;
  CogVideoXVaeConfig vae;
  DdimConfig schedule;
};

struct WanModel {
  WanConfig transformer;
  WanVaeConfig vae;
  FlowConfig schedule;
};

/// What a checkpoint folder is, from its configuration files.
struct Checkpoint {
  std::filesystem::path path;
  std::string name;  ///< "CogVideoX-5B", or the family and its sizes
  std::variant<CogVideoXModel, WanModel> model;
  std::vector<std::string> notes;  ///< what a person should know: "sampled with Euler steps, not UniPC"
};

/// Recognises a folder and reads every size from it. Members of the families that limber does not run (image to video,
/// CogVideoX 1.5, Wan 2.2), other models and other layouts are refused with a message that says what they are.
Result<Checkpoint> read_checkpoint(const std::filesystem::path& folder);

/// The video that a checkpoint was trained for.
struct VideoSize {
  int frames = 49, height = 480, width = 720;
  bool operator==(const VideoSize&) const = default;
};
VideoSize native_size(const Checkpoint& checkpoint);

/// Whether the model can take such a video; the error says which sizes it can.
Status check_size(const Checkpoint& checkpoint, const VideoSize& size);

/// Latent frames, height and width of a sample of this size, and of an encoded video of 4 k + 1 frames.
VideoSize latent_size(const Checkpoint& checkpoint, const VideoSize& size);

/// One component's weights beside what the model expects.
struct ComponentReport {
  std::string name;  ///< "transformer"
  bool present = false;
  std::int64_t parameters = 0;     ///< that the model needs
  std::uint64_t file_bytes = 0;    ///< of tensors on disk
  std::vector<std::string> types;  ///< of stored elements: "BF16"
  std::vector<std::string> problems;
};

/// What a checkpoint folder holds and lacks. Reads the headers of its weights, not the weights.
struct CheckpointReport {
  std::vector<ComponentReport> components;
  bool complete() const;
};
CheckpointReport inspect_components(const Checkpoint& checkpoint);

/// Bytes on the device. Estimates: within a tenth of what was measured for the published models on a GPU in bfloat16.
struct MemoryNeed {
  std::uint64_t weights = 0;       ///< transformer and autoencoder
  std::uint64_t offloaded = 0;     ///< of those, what stays in main memory when blocks are offloaded
  std::uint64_t text_encoder = 0;  ///< beside them while a prompt is encoded
  std::uint64_t denoiser = 0;      ///< activations of a guided pair

  // The encoder's gradient.
  std::uint64_t tape = 0;            ///< what the way back needs of the whole video
  std::uint64_t chunk_tape = 0;      ///< the same of the longest chunk
  std::uint64_t chunk_memories = 0;  ///< what one chunk leaves for the next
  std::uint64_t chunk_work = 0;      ///< that come and go in one layer of one chunk
  int chunks = 1;

  std::uint64_t decoder = 0;  ///< activations of decoding a sample

  std::uint64_t score() const;          ///< to score a video, recomputing chunk by chunk
  std::uint64_t score_kept() const;     ///< with the whole tape kept
  std::uint64_t score_sampled() const;  ///< back through one chunk only
  std::uint64_t sample() const;         ///< to draw one
};
/// `bytes_per_number`: of the transformer; the autoencoder's are as `load_prior` places it, which keeps Wan's in float.
MemoryNeed memory_needed(const Checkpoint& checkpoint, const VideoSize& size, int bytes_per_number);

}  // namespace limber::prior
