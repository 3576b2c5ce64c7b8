// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace limber::skeleton {

/// What a match of a template and a body costs for.
enum class EmbedTerm : std::uint8_t {
  kLength,
  kDirection,
  kShape,
  kPlace,
  kGirth,
  kFoot,
  kFaintTip,
  kMissing,
  kUnexplained,
  kMissedLimb,
  kSharedPath,
  kStretch,
  kMirror,
  kOffPlane,
  kNoMirror,
  kWorseMirror,
  kFacing,
  kReadKind,
  kReadTurn,
  kReadPart,
  kReadPath,
  kHabit
};
inline constexpr std::size_t kEmbedTermCount = 22;

/// A term of the cost: its weight, what is multiplied with it, and where the weight comes from. Lengths are of the
/// body's longest side.
struct EmbedTermInfo {
  EmbedTerm term = EmbedTerm::kLength;
  std::string_view name;
  double weight = 0;
  std::string_view measures;
  std::string_view origin;
};

/// All terms, in the order of the enumeration. All weights were set by hand, while looking at creatures of the zoo, the
/// shared models, training characters and instants of their clips (docs/skeleton.md, "What was watched"); `origin` says
/// what each had to outweigh.
const std::array<EmbedTermInfo, kEmbedTermCount>& embed_terms();

/// One weight per term, those of `embed_terms` unless changed.
class EmbedWeights {
 public:
  EmbedWeights() {
    for (const EmbedTermInfo& info : embed_terms()) (*this)[info.term] = info.weight;
  }
  double& operator[](EmbedTerm term) { return values_[static_cast<std::size_t>(term)]; }
  double operator[](EmbedTerm term) const { return values_[static_cast<std::size_t>(term)]; }

 private:
  std::array<double, kEmbedTermCount> values_{};
};

}  // namespace limber::skeleton
