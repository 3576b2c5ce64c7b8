// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "limber/anatomy/region.h"
#include "limber/base/result.h"

/// The network that reads bodies: which part each point of a surface belongs to, where that part's joint is, what kind
/// of body it is, its up and its front.
namespace limber::anatomy {

/// What a trained network is like; a file beside its weights.
struct ReaderModel {
  int points = 2048;     ///< of the surface that it looks at
  int tokens = 512;      ///< of those, spread evenly; each is read
  int neighbours = 24;   ///< points around a token that it feels
  int group_width = 64;  ///< of what is felt there, doubled at its end
  int width = 192;
  int layers = 8;
  int heads = 6;
  int regions = kRegionCount, kinds = kBodyKindCount;

  double flops() const;  ///< of reading a body once
};

/// What the network is told of a token: its place, also as waves of 2^k times the first, and its normal; and of the
/// points around it, their places relative to it times kGroupScale, and normals.
inline constexpr int kPlaceWaves = 4;
inline constexpr double kFirstWave = 1.5;
inline constexpr double kGroupScale = 5;

inline constexpr const char* kReaderModelFile = "reader.json";
inline constexpr const char* kReaderWeightsFile = "reader.safetensors";

std::string reader_model_to_json(const ReaderModel& model);
/// `name` is the file's in errors.
Result<ReaderModel> reader_model_from_json(const std::string& text, const std::string& name);

bool is_reader_model(const std::filesystem::path& folder);
Result<ReaderModel> read_reader_model(const std::filesystem::path& folder);

}  // namespace limber::anatomy
