// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/facing.h"

#include <optional>
#include <utility>

#include "limber/anatomy/find_facing.h"
#include "limber/rig/stance.h"

namespace limber::animate {

rig::Facing facing_of(const asset::Asset& asset, const rig::Subject& subject, const Request& request,
                      std::vector<Warning>& warnings) {
  if (request.facing) return *request.facing;
  const bool known = subject.facing.known();
  rig::Facing found = known ? subject.facing : anatomy::believed_facing(asset);
  const rig::Facing usual;
  const bool unusual = !known && (dot(found.forward, usual.forward) < 0.9f || dot(found.up, usual.up) < 0.9f);
  std::optional<Warning> warning;
  if (rig::is_doubtful(found)) {
    warning = rig::warn_of_assumption(found);
  } else if (unusual) {
    warning = Warning{"facing_unusual", rig::directions_of(found), {{"reason", found.reason}}, {{"up"}, {"forward"}}};
  }
  // Who rigged it may have said so.
  if (warning && !has_code(warnings, warning->code)) warnings.push_back(std::move(*warning));
  return found;
}

}  // namespace limber::animate
