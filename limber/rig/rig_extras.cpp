// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/rig/rig_extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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

/// Limbs are few: more than this is no body.
constexpr std::size_t kMaxLimbs = 4096;
constexpr double kMaxSection = 65535;

std::optional<Limb> read_limb(const nlohmann::json& row, int index) {
  if (!row.is_array() || row.size() != 4 || !row[0].is_string() || !row[1].is_string()) return std::nullopt;
  if (!row[2].is_number_integer() || !row[3].is_number()) return std::nullopt;
  const auto kind = limb_kind_named(row[0].get<std::string>());
  const auto side = side_named(row[1].get<std::string>());
  const auto parent = row[2].get<std::int64_t>();
  const double station = row[3].get<double>();
  const bool hangs = index == 0 ? parent == -1 : parent >= 0 && parent < index;
  if (!kind || !side || !hangs || !(std::abs(station) < 1e6)) return std::nullopt;
  return Limb{*kind, *side, static_cast<int>(parent), static_cast<float>(station)};
}

/// All or none.
std::vector<Limb> read_limbs(std::string_view text) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  const nlohmann::json::json_pointer pointer("/limber/limbs");
  if (document.is_discarded() || !document.contains(pointer)) return {};
  const nlohmann::json& rows = document.at(pointer);
  if (!rows.is_array() || rows.size() > kMaxLimbs) return {};
  std::vector<Limb> limbs;
  for (const nlohmann::json& row : rows) {
    const std::optional<Limb> limb = read_limb(row, static_cast<int>(limbs.size()));
    if (!limb) return {};
    limbs.push_back(*limb);
  }
  return limbs;
}

/// Fills in limbs and roles where both are sound.
void read_roles(std::string_view text, RigExtras& extras) {
  std::vector<Limb> limbs = read_limbs(text);
  const auto numbers = read_numbers(text, "/limber/roles", 2 * extras.joints.size());
  if (limbs.empty() || !numbers) return;
  std::vector<Role> roles;
  for (std::size_t j = 0; j < extras.joints.size(); ++j) {
    const float limb = (*numbers)[2 * j], section = (*numbers)[2 * j + 1];
    const bool sound = limb >= -1 && limb < static_cast<float>(limbs.size()) && section >= 0 && section <= kMaxSection;
    if (!sound || limb != std::floor(limb) || section != std::floor(section)) return;
    roles.push_back({static_cast<int>(limb), static_cast<int>(section)});
  }
  extras.limbs = std::move(limbs);
  for (std::size_t j = 0; j < roles.size(); ++j) extras.joints[j].role = roles[j];
}

Facing read_facing(std::string_view text) {
  const auto forward = read_numbers(text, "/limber/forward", 3);
  if (!forward) return {};
  const auto up = read_numbers(text, "/limber/up", 3).value_or(std::vector<float>{0, 1, 0});
  const auto facing = make_facing({up[0], up[1], up[2]}, {(*forward)[0], (*forward)[1], (*forward)[2]});
  if (!facing.ok()) return {};
  Facing result = *facing;
  const auto confidence = read_numbers(text, "/limber/confidence", 1);
  if (confidence) result.confidence = std::clamp((*confidence)[0], 0.0f, 1.0f);
  result.reason = "the skin's extras say so";
  return result;
}

}  // namespace

Facing facing_now(const RigExtras& extras, Quat root_rotation) {
  Facing facing = extras.facing;
  // Files of before the rotation was written have been left as they were, as far as anybody knows.
  if (!extras.root_rotation || angle_between(*extras.root_rotation, root_rotation) < 1e-4f) return facing;
  const Quat turn = normalized(root_rotation * conjugate(*extras.root_rotation));
  facing.up = rotate(turn, facing.up), facing.forward = rotate(turn, facing.forward);
  return facing;
}

std::string write_extras(const RigExtras& extras) {
  std::string axes, lower, upper, limbs, roles, facing;
  for (const JointExtras& joint : extras.joints) {
    const char* comma = axes.empty() ? "" : ",";
    axes += fmt::format("{}[{},{},{},{}]", comma, joint.axes.x, joint.axes.y, joint.axes.z, joint.axes.w);
    lower.append(comma).append(json(joint.limits.lower));
    upper.append(comma).append(json(joint.limits.upper));
    roles += fmt::format("{}[{},{}]", comma, joint.role.limb, joint.role.section);
  }
  for (const Limb& limb : extras.limbs) {
    limbs += fmt::format(R"({}["{}","{}",{},{}])", limbs.empty() ? "" : ",", name(limb.kind), name(limb.side),
                         limb.parent, limb.station);
  }
  if (extras.facing.known()) {
    facing = fmt::format(R"("up":{},"forward":{},"confidence":[{}],)", json(extras.facing.up),
                         json(extras.facing.forward), extras.facing.confidence);
  }
  if (extras.facing.known() && extras.root_rotation) {
    const Quat q = *extras.root_rotation;
    facing += fmt::format(R"("root_rotation":[{},{},{},{}],)", q.x, q.y, q.z, q.w);
  }
  if (!extras.limbs.empty()) limbs = fmt::format(R"(,"limbs":[{}],"roles":[{}])", limbs, roles);
  return fmt::format(R"({{"limber":{{{}"axes":[{}],"lower":[{}],"upper":[{}]{}}}}})", facing, axes, lower, upper,
                     limbs);
}

std::optional<RigExtras> read_extras(std::string_view text, std::size_t joint_count) {
  const auto axes = read_numbers(text, "/limber/axes", 4 * joint_count);
  const auto lower = read_numbers(text, "/limber/lower", 3 * joint_count);
  const auto upper = read_numbers(text, "/limber/upper", 3 * joint_count);
  if (!axes || !lower || !upper) return std::nullopt;
  RigExtras extras;
  extras.facing = read_facing(text);
  if (const auto q = read_numbers(text, "/limber/root_rotation", 4)) {
    const Quat rotation{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    if (dot(rotation, rotation) > 0.5f) extras.root_rotation = normalized(rotation);
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
  read_roles(text, extras);
  return extras;
}

}  // namespace limber::rig
