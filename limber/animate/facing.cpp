// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/facing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "limber/anatomy/find_facing.h"
#include "limber/rig/stance.h"

namespace limber::animate {

rig::Facing facing_of(const asset::Asset& asset, const rig::Subject& subject, const Request& request,
                      std::vector<std::string>& warnings) {
  if (request.facing) return *request.facing;
  const bool known = subject.facing.known();
  rig::Facing found = known ? subject.facing : anatomy::believed_facing(asset);
  const rig::Facing usual;
  const bool unusual = !known && (dot(found.forward, usual.forward) < 0.9f || dot(found.up, usual.up) < 0.9f);
  std::string warning;
  if (rig::is_doubtful(found)) {
    warning = rig::describe_assumption(found);
  } else if (unusual) {
    warning = fmt::format(
        "up seems to be ({:.1f}, {:.1f}, {:.1f}), forward ({:.1f}, {:.1f}, {:.1f}): {}; if not, say so (`up`, "
        "`forward`)",
        found.up.x, found.up.y, found.up.z, found.forward.x, found.forward.y, found.forward.z, found.reason);
  }
  // Who rigged it may have said so.
  const bool said = std::find(warnings.begin(), warnings.end(), warning) != warnings.end();
  if (!warning.empty() && !said) warnings.push_back(std::move(warning));
  return found;
}

}  // namespace limber::animate
