// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/base/result.h"

/// Which limb of one body follows which of another.
namespace limber::retarget {

/// How a limb gets its motion.
enum class How : std::uint8_t {
  kSame,      ///< from a limb of the same kind and side, at the same place along the body
  kAnother,   ///< from one that already leads another: a spider driven by a hexapod
  kOpposite,  ///< from the other side's limb, mirrored: half a cycle apart in a walk
  kInstead,   ///< from a limb of another kind: arms as front legs
  kAsked,     ///< as somebody said
  kCopied,    ///< joint by joint: both have the same skeleton
  kSwings,    ///< nothing leads it: it swings along
  kRests      ///< nothing leads it: it stays as it is on the body
};
std::string describe(How how);  ///< for a person: "same limb"

struct LimbPair {
  std::string target;  ///< "leg.1.L"
  std::string source;  ///< empty where nothing leads it
  How how = How::kRests;
};

struct JointPair {
  std::string source, target;  ///< names of joints
};

/// "source=target" in the words of a person: names of limbs as in the map, or of joints; "none=tail" lets it swing.
struct Correction {
  std::string source, target;
};
Result<Correction> parse_correction(const std::string& text);

struct BodyMap {
  std::vector<LimbPair> limbs;    ///< one per limb of the target
  std::vector<JointPair> joints;  ///< single joints, as asked
  std::vector<std::string> left;  ///< limbs of the source that move and lead nothing
};

/// "5 of 9 limbs: 4 the same, 1 from the other side; tail, ears swing along".
std::string summary(const BodyMap& map);

/// Lines of a table: target, source, how.
std::string table(const BodyMap& map);

}  // namespace limber::retarget
