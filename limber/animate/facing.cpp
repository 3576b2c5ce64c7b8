// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/facing.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/anatomy/find_facing.h"

namespace limber::animate {
namespace {

constexpr float kBelieved = 0.5f;  // confidence from which on a finding counts

/// As the names of joints and the shape tell. Up is left to those who know: feet that trail behind look like a body
/// that lies.
Result<rig::Facing> found_facing(const asset::Asset& asset) {
  const anatomy::Directions guess = anatomy::find_directions(asset);
  rig::Facing facing;
  const Vec3 level{static_cast<float>(guess.forward.axis.x), 0, static_cast<float>(guess.forward.axis.z)};
  if (norm(level) < 0.5f) return facing;
  facing.forward = normalized(level, {0, 0, 1});
  facing.confidence = static_cast<float>(guess.forward.confidence);
  facing.reason = guess.forward.reason;
  return facing;
}

}  // namespace

Result<rig::Facing> facing_of(const asset::Asset& asset, const rig::Subject& subject, const Request& request,
                              std::vector<std::string>& warnings) {
  if (request.facing) return *request.facing;
  if (subject.facing.known()) return subject.facing;
  LIMBER_TRY(rig::Facing found, found_facing(asset));
  const rig::Facing usual;
  if (found.confidence < kBelieved) return usual;
  if (dot(found.forward, usual.forward) < 0.9f || dot(found.up, usual.up) < 0.9f) {
    warnings.push_back(fmt::format(
        "up seems to be ({:.1f}, {:.1f}, {:.1f}), forward ({:.1f}, {:.1f}, {:.1f}): {}; if not, say so (--up, "
        "--forward)",
        found.up.x, found.up.y, found.up.z, found.forward.x, found.forward.y, found.forward.z, found.reason));
  }
  return found;
}

}  // namespace limber::animate
