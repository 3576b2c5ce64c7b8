// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig_extras.h"

#include <fmt/format.h>

#include <cmath>

#include "limber/asset/extras.h"

namespace limber::rig {
namespace {

std::string json(Vec3 v) { return fmt::format("[{},{},{}]", v.x, v.y, v.z); }

/// Exactly `count` finite numbers, or none.
std::optional<std::vector<float>> read_numbers(std::string_view text, const std::string& pointer, std::size_t count) {
  const auto numbers = asset::extras_numbers(text, pointer);
  if (!numbers || numbers->size() != count) return std::nullopt;
  std::vector<float> result;
  result.reserve(count);
  for (const double number : *numbers) {
    if (!(std::abs(number) < 1e30)) return std::nullopt;
    result.push_back(static_cast<float>(number));
  }
  return result;
}

}  // namespace

std::string write_extras(const RigExtras& extras) {
  std::string axes, lower, upper;
  for (const JointExtras& joint : extras.joints) {
    const char* comma = axes.empty() ? "" : ",";
    axes += fmt::format("{}[{},{},{},{}]", comma, joint.axes.x, joint.axes.y, joint.axes.z, joint.axes.w);
    lower.append(comma).append(json(joint.limits.lower));
    upper.append(comma).append(json(joint.limits.upper));
  }
  return fmt::format(R"({{"limber":{{"forward":{},"axes":[{}],"lower":[{}],"upper":[{}]}}}})", json(extras.forward),
                     axes, lower, upper);
}

std::optional<RigExtras> read_extras(std::string_view text, std::size_t joint_count) {
  const auto axes = read_numbers(text, "/limber/axes", 4 * joint_count);
  const auto lower = read_numbers(text, "/limber/lower", 3 * joint_count);
  const auto upper = read_numbers(text, "/limber/upper", 3 * joint_count);
  if (!axes || !lower || !upper) return std::nullopt;
  RigExtras extras;
  if (const auto forward = read_numbers(text, "/limber/forward", 3)) {
    extras.forward = normalized(Vec3{(*forward)[0], (*forward)[1], (*forward)[2]}, extras.forward);
  }
  for (std::size_t j = 0; j < joint_count; ++j) {
    JointExtras joint;
    const float *a = &(*axes)[4 * j], *low = &(*lower)[3 * j], *high = &(*upper)[3 * j];
    joint.axes = normalized(Quat{a[0], a[1], a[2], a[3]});
    joint.limits = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    for (int k = 0; k < 3; ++k) {
      if (low[k] > high[k]) return std::nullopt;
    }
    extras.joints.push_back(joint);
  }
  return extras;
}

}  // namespace limber::rig
