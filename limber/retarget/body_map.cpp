// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/body_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace limber::retarget {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string describe(How how) {
  switch (how) {
    case How::kSame:
      return "same limb";
    case How::kAnother:
      return "nearest limb";
    case How::kOpposite:
      return "other side, mirrored";
    case How::kInstead:
      return "instead of its own kind";
    case How::kAsked:
      return "as asked";
    case How::kCopied:
      return "same skeleton, copied";
    case How::kSwings:
      return "swings along";
    case How::kRests:
      return "stays with the body";
  }
  return "";
}

Result<Correction> parse_correction(const std::string& text) {
  const std::size_t middle = text.find('=');
  if (middle == std::string::npos || text.find('=', middle + 1) != std::string::npos) {
    return Error{"should be SOURCE=TARGET: limbs or joints of the two bodies, or none=TARGET", text};
  }
  Correction correction{trimmed(text.substr(0, middle)), trimmed(text.substr(middle + 1))};
  if (correction.source.empty() || correction.target.empty()) {
    return Error{"should name both: a limb or joint of the source (or none), and one of the target", text};
  }
  return correction;
}

std::string summary(const BodyMap& map) {
  int led = 0, same = 0;
  std::string others, swinging;
  for (const LimbPair& pair : map.limbs) {
    const bool plain = pair.how == How::kSame || pair.how == How::kCopied;
    led += pair.source.empty() ? 0 : 1, same += plain ? 1 : 0;
    if (!plain && !pair.source.empty()) {
      others += fmt::format("; {} from {} ({})", pair.target, pair.source, describe(pair.how));
    }
    if (pair.how == How::kSwings) swinging += (swinging.empty() ? "" : ", ") + pair.target;
  }
  std::string text = fmt::format("{} of {} limbs are led, {} by the same limb{}", led, map.limbs.size(), same, others);
  if (!map.joints.empty()) text += fmt::format("; {} joints as asked", map.joints.size());
  if (!swinging.empty()) text += "; swings along: " + swinging;
  return text;
}

std::string table(const BodyMap& map) {
  std::size_t wide = 6;
  for (const LimbPair& pair : map.limbs) wide = std::max({wide, pair.target.size(), pair.source.size()});
  for (const JointPair& pair : map.joints) wide = std::max({wide, pair.target.size(), pair.source.size()});
  std::string text = fmt::format("  {:<{}}  {:<{}}  how\n", "target", wide, "source", wide);
  for (const LimbPair& pair : map.limbs) {
    const std::string source = pair.source.empty() ? "-" : pair.source;
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", pair.target, wide, source, wide, describe(pair.how));
  }
  for (const JointPair& pair : map.joints) {
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", pair.target, wide, pair.source, wide, describe(How::kAsked));
  }
  for (const std::string& limb : map.left)
    text += fmt::format("  {:<{}}  {:<{}}  leads nothing\n", "-", wide, limb, wide);
  return text;
}

}  // namespace limber::retarget
