// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/training/curve_index.h"

/// Keeps what is for testing out of training, wherever it lies and whatever it is called.
namespace limber::training {

class TestGuard {
 public:
  /// A character for testing: its bytes, its surface, and the curves of its clips.
  void add_character(const std::string& name, std::span<const std::byte> bytes, const asset::Asset& asset);
  /// A recording of somebody who is for testing alone: bytes, curves, the subject's number and the proportions of the
  /// skeleton, by which every other recording of the same subject is known.
  void add_recording(const std::string& name, int subject, std::span<const std::byte> bytes, const asset::Asset& asset);

  /// Why a file must not be trained with, as the end of a sentence: "is 'fox.glb' of the test list". Empty where it
  /// may.
  std::string why_refused(const std::string& file_name, std::span<const std::byte> bytes,
                          const asset::Asset& asset) const;
  /// The test clip of which a clip has more than a third of its moving curves.
  std::optional<Repeat> repeated(const asset::Asset& asset, const asset::Clip& clip) const {
    return curves_.find(asset, clip);
  }

 private:
  std::map<std::uint64_t, std::string> bytes_, surfaces_;
  std::set<int> subjects_;
  struct Proportions {
    std::vector<double> lengths;
    std::string name;
  };
  std::vector<Proportions> skeletons_;
  CurveIndex curves_;
};

}  // namespace limber::training
