// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "limber/anatomy/region.h"
#include "limber/base/result.h"
#include "limber/rig/role.h"

/// The network that reads bodies: which part each point of a surface belongs to, where that part's joint is, what kind
/// of body it is, its up and its front; its limbs, one by one.
namespace limber::anatomy {

/// Limbs of a kind are counted 0, 1 ... 7, and 8 or more.
inline constexpr int kCountClasses = 9;

/// What the network's numbers are divided by, so that its shares are as often right as they say: fitted on bodies that
/// were not taught (temperature scaling, Guo et al. 2017). Up and forward: the lengths of its vectors.
struct Temperatures {
  double regions = 1, limbs = 1, sides = 1, counts = 1, kinds = 1, up = 1, forward = 1;
  bool operator==(const Temperatures&) const = default;
};

/// Temperatures of a reader, with those of what it says of whole bodies (counts, kinds, up, forward) from readers that
/// were taught without some families of bodies and fitted on those (the geometric mean): bodies that people bring are
/// of families that it has not seen either. What it says of points stays as it was: those are weights of votes.
Temperatures calibrated_by(Temperatures fitted, std::span<const Temperatures> folds);

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
  int limbs = rig::kLimbKindCount;  ///< kinds of limb
  Temperatures temperatures;

  /// What it says of a token: regions and from the token to its part's joint; of its limb: kind, side, how far along,
  /// from the token to where it leaves and to its tip. Of the body: kind, up, forward; how many limbs of each kind.
  int part_outputs() const { return regions + 3; }
  int limb_outputs() const { return limbs + 3 + 1 + 6; }
  int body_outputs() const { return kinds + 6; }
  int count_outputs() const { return limbs * kCountClasses; }

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
