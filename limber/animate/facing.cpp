// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/facing.h"

#include <fmt/format.h>

#include <algorithm>

#include "limber/anatomy/find_facing.h"

namespace limber::animate {

Result<rig::Facing> facing_of(const asset::Asset& asset, const rig::Subject& subject, const Request& request,
                              std::vector<std::string>& warnings) {
  if (request.facing) return *request.facing;
  if (subject.facing.known()) return subject.facing;
  const rig::Facing found = anatomy::believed_facing(asset), usual;
  if (!found.known()) return usual;
  if (dot(found.forward, usual.forward) < 0.9f || dot(found.up, usual.up) < 0.9f) {
    warnings.push_back(fmt::format(
        "up seems to be ({:.1f}, {:.1f}, {:.1f}), forward ({:.1f}, {:.1f}, {:.1f}): {}; if not, say so", found.up.x,
        found.up.y, found.up.z, found.forward.x, found.forward.y, found.forward.z, found.reason));
  }
  return found;
}

}  // namespace limber::animate
