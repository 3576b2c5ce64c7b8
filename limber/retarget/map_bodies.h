// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/base/result.h"
#include "limber/retarget/body.h"
#include "limber/retarget/body_map.h"
#include "limber/retarget/turns.h"

/// Private to `retarget`.
namespace limber::retarget {

/// What leads a chain of the target.
struct Lead {
  int chain = -1;  ///< of the source
  How how = How::kRests;
};

/// Chains and joints by their numbers.
struct Leads {
  std::vector<Lead> chains;                 ///< per chain of the target
  std::vector<std::pair<int, int>> joints;  ///< source, target
};

/// How much each chain of a body moves by itself: root mean square way of its joints and end as its parent sees it, of
/// the body's size. The trunk: of its own bending.
std::vector<double> movement(const Body& body, const Played& played);

/// Whether legs step: a pair whose feet both swing, to and fro or together, again and again.
bool steps(const Body& body, const Played& played);

/// By kind, side and place along the body, then as somebody asked. An error where a correction names nothing.
Result<Leads> map_bodies(const Body& source, const Played& played, const Body& target,
                         std::span<const Correction> corrections);

BodyMap describe_leads(const Body& source, const Body& target, const Leads& leads, const std::vector<double>& moves);

/// An error in words where the source moves little else than limbs that the target has not.
Status check_match(const Body& source, const Body& target, const Leads& leads, const std::vector<double>& moves,
                   const std::string& clip);

}  // namespace limber::retarget
