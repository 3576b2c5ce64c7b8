// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/facing.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace limber::rig {
namespace {

/// `+x`, `-Z`, `y`.
std::optional<Vec3> parse_axis(std::string_view text) {
  float sign = 1;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    sign = text[0] == '-' ? -1.0f : 1.0f;
    text.remove_prefix(1);
  }
  if (text.size() != 1) return std::nullopt;
  Vec3 axis;
  switch (text[0]) {
    case 'x':
    case 'X':
      axis.x = sign;
      return axis;
    case 'y':
    case 'Y':
      axis.y = sign;
      return axis;
    case 'z':
    case 'Z':
      axis.z = sign;
      return axis;
    default:
      return std::nullopt;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string written(Vec3 v) { return fmt::format("{:g},{:g},{:g}", v.x, v.y, v.z); }

}  // namespace

std::optional<Vec3> parse_direction(std::string_view text) {
  text = trimmed(text);
  if (const std::optional<Vec3> axis = parse_axis(text)) return axis;
  Vec3 numbers;
  for (int k = 0; k < 3; ++k) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (k == 2)) return std::nullopt;
    std::string_view number = trimmed(text.substr(0, comma));
    if (!number.empty() && number.front() == '+') number.remove_prefix(1);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), numbers[k]);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(numbers[k])) return std::nullopt;
    if (k < 2) text.remove_prefix(comma + 1);
  }
  const double length = norm(numbers.cast<double>());
  if (!(length > 0)) return std::nullopt;
  return (numbers.cast<double>() / length).cast<float>();
}

Result<Facing> make_facing(Vec3 up, Vec3 forward) {
  const Vec3d y = normalized(up.cast<double>(), Vec3d{});
  const Vec3d level = forward.cast<double>() - dot(y, forward.cast<double>()) * y;
  if (!(norm(y) > 0.5) || !(norm(level) > 1e-3 * norm(forward.cast<double>()))) {
    return Error{fmt::format("up ({}) and forward ({}) run along one line", written(up), written(forward)), "",
                 ErrorKind::kConflict};
  }
  Facing facing;
  facing.up = y.cast<float>(), facing.forward = normalized(level).cast<float>();
  facing.confidence = 1;
  facing.reason = "as asked";
  return facing;
}

}  // namespace limber::rig
