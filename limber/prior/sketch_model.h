// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/actions/words.h"
#include "limber/base/frames.h"
#include "limber/base/result.h"
#include "limber/base/warning.h"

/// The built-in prior as files describe it: sizes of the network, and the words it was taught.
namespace limber::prior {

using actions::ActionWords;

/// An adapter that lets the built-in prior draw in a few unguided passes (`few_steps.safetensors`).
struct FewSteps {
  int steps = 0;     ///< passes; 0: there is no adapter
  int rank = 16;     ///< of its matrices
  double shift = 1;  ///< of the shares of noise that it jumps between: see `noise_share`
};

/// The share of noise where `left` of the way from noise to the clean end is left, both in [0, 1]. What a clip shows is
/// decided where there is much noise; with a shift above 1 more steps go there.
inline constexpr double kMostShift = 100;
inline double noise_share(double left, double shift) { return shift * left / (1 + (shift - 1) * left); }

/// A diffusion transformer that draws sketches, videos of bodies painted by their parts: all views of all frames are
/// one sequence of tokens, each a small block of pixels over a few frames.
struct SketchModel {
  int version = 2;  ///< 1: one share of noise for the whole video; 2: one per tube, and frames that are known
  int views = 2, frames = 24, size = 64;  ///< of the videos; `size` pixels wide and high
  double fps = 12;
  Framing framing = Framing::kReach;  ///< of the pictures that it was taught with
  int patch = 8, patch_frames = 4;    ///< pixels and frames of a token
  int width = 320, layers = 9, heads = 5;
  int buckets = 8192, word_width = 64, word_heads = 4;  ///< of the prompt's encoder
  std::vector<ActionWords> actions;
  double shift = 1;  ///< of the shares of noise of guided steps: see `noise_share`
  FewSteps few_steps;

  int tubes() const { return frames / patch_frames; }  ///< runs of frames that share their tokens
  int tokens_per_view() const { return tubes() * (size / patch) * (size / patch); }
  int tokens() const { return views * tokens_per_view(); }
  double flops() const;  ///< of one pass, a multiplication and an addition counted as two
};

std::string sketch_model_to_json(const SketchModel& model);
Result<SketchModel> sketch_model_from_json(const std::string& text, const std::string& name);

/// Files of a model folder.
inline constexpr const char* kSketchModelFile = "sketch_prior.json";
inline constexpr const char* kSketchWeightsFile = "sketch_prior.safetensors";
inline constexpr const char* kFewStepsFile = "few_steps.safetensors";

/// A file of weights, or the index of its shards. By name: a training run's state may lie beside them.
std::filesystem::path sketch_weights_file(const std::filesystem::path& file);

/// Whether a folder holds a built-in prior, and its description.
bool is_sketch_model(const std::filesystem::path& folder);
Result<SketchModel> read_sketch_model(const std::filesystem::path& folder);

/// What a prompt says about the action, and which known words are nearest to its words where it says nothing.
struct ActionGuess {
  std::vector<std::string> named;    ///< actions whose words appear, each once; a longer phrase hides those within it
  std::vector<std::string> nearest;  ///< up to three actions, where none is named
};
/// "limping" and "turning" say how another action is done where there is one.
/// Words that say how something is done where they stand beside an action, though they name one by themselves.
inline constexpr std::string_view kManners[] = {"turning", "limping"};

ActionGuess guess_action(std::span<const ActionWords> actions, const std::string& prompt);

/// What a person should know of a prompt that names none of the actions that a prior was taught. A prior without a list
/// of them understands whatever a prompt can say.
std::optional<Warning> warn_of_prompt(std::span<const ActionWords> taught, const std::string& prompt);

}  // namespace limber::prior
