// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/zoo/grammar.h"

#include <algorithm>
#include <cmath>

namespace limber::zoo {
namespace {

constexpr double kHoverHeight = 0.25;  ///< of swimmers above the ground

/// Bodies with many or fine parts need smaller cells than the plain grid has.
void choose_cells(GrammarBody& body) {
  const BodySpec& spec = body.spec;
  double cell = 1;
  if (spec.wing_pairs > 0 || spec.disc) cell = 0.8;
  if (spec.tentacles > 6 || spec.leg_pairs > 4 || spec.antlers || spec.heads > 1) cell = std::min(cell, 0.8);
  if (spec.arm_pairs > 0 && spec.hand == HandStyle::kFingers) cell = std::min(cell, 0.7);
  if (spec.leg_pairs > 8) cell = 0.6;
  if (spec.suppleness == Suppleness::kSerpentine && spec.leg_pairs == 0) cell = 0.75;
  body.plan.cell_aspect = {cell, cell, cell};
  body.plan.crease = cell;
}

}  // namespace

BodyPlan plan_body(const BodySpec& spec, Rng rng, const Look& look) {
  // Each family draws from a stream of its own: another hand does not change the head.
  GrammarBody body(spec, rng);
  body.plan.coat = draw_coat(rng);
  if (look.colors) {
    Coat& coat = body.plan.coat;
    coat.back = look.colors->back, coat.belly = look.colors->belly, coat.accent = look.colors->accent;
    coat.pattern = look.colors->pattern, coat.socks = 0;
  }
  const auto part = [&](std::uint64_t stream, void (*build)(GrammarBody&)) {
    body.rng = rng.fork(stream);
    build(body);
  };
  part(1, draw_proportions);
  body.length *= look.length, body.rise *= look.length, body.girth *= look.girth, body.head_size *= look.head;
  part(2, build_trunk);
  part(3, build_heads);
  part(4, build_arms);
  part(5, build_wings);
  part(6, build_legs);
  part(7, build_fins);
  part(8, build_tails);
  part(9, build_tentacles);
  part(10, build_props);
  if (body.hovers) {
    double lowest = 1e9;
    for (const RoundCone& cone : body.plan.cones)
      lowest = std::min({lowest, cone.a.y - cone.radius_a, cone.b.y - cone.radius_b});
    body.plan.lift(kHoverHeight - lowest);
  }
  if (spec.leg_pairs == 0 || spec.leg_style == LegStyle::kInsect) body.plan.coat.socks = 0;
  body.plan.flat_ground = !body.hovers;
  choose_cells(body);
  return std::move(body.plan);
}

}  // namespace limber::zoo
