// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/refine_embedding.h"

#include <algorithm>

#include "limber/base/expect.h"

namespace limber::skeleton {
namespace {

constexpr int kSamples = 10;  // along a bone

/// Squared lack of depth along a bone.
double inside_term(const body::BodyShape& body, Vec3d from, Vec3d to, const RefineSettings& settings, Vec3d* grad_from,
                   Vec3d* grad_to) {
  double energy = 0;
  for (int k = 0; k <= kSamples; ++k) {
    const double t = static_cast<double>(k) / kSamples;
    const body::DistanceField::Sample sample = body.field.sample(lerp(from, to, t));
    const double lack = settings.depth - sample.depth / body.size;
    if (lack <= 0) continue;
    const double weight = settings.inside / (kSamples + 1);
    energy += weight * lack * lack;
    if (grad_from == nullptr) continue;
    const Vec3d slope = (-2 * weight * lack / body.size) * sample.gradient;
    *grad_from += (1 - t) * slope, *grad_to += t * slope;
  }
  return energy;
}

double turn_term(Vec3d from, Vec3d to, Vec3d wanted, double weight, Vec3d* grad_from, Vec3d* grad_to) {
  const double length = norm(to - from);
  if (!(length > 0)) return 0;
  const Vec3d u = (1 / length) * (to - from);
  if (grad_from != nullptr) {
    const Vec3d slope = (-weight / length) * (wanted - dot(u, wanted) * u);
    *grad_to += slope, *grad_from -= slope;
  }
  return weight * (1 - dot(u, wanted));
}

}  // namespace

double refinement_energy(const body::BodyShape& body, const Embedding& embedding, std::span<const Vec3d> at,
                         const RefineSettings& settings, std::span<Vec3d> grad) {
  LIMBER_EXPECT(at.size() == embedding.at.size() && (grad.empty() || grad.size() == at.size()), "one place per joint");
  double energy = 0;
  for (std::size_t j = 0; j < at.size(); ++j) {
    if (!embedding.present[j]) continue;
    const Vec3d moved = at[j] - embedding.at[j];
    const double stay = settings.stay / (body.size * body.size);
    energy += stay * squared_norm(moved);
    if (!grad.empty()) grad[j] += 2 * stay * moved;
    const int parent = embedding.skeleton.joints[j].parent;
    if (parent < 0) continue;
    const auto p = static_cast<std::size_t>(parent);
    Vec3d* grad_from = grad.empty() ? nullptr : &grad[p];
    Vec3d* grad_to = grad.empty() ? nullptr : &grad[j];
    const Vec3d wanted = normalized(embedding.at[j] - embedding.at[p], Vec3d{});
    energy += inside_term(body, at[p], at[j], settings, grad_from, grad_to);
    energy += turn_term(at[p], at[j], wanted, settings.turn, grad_from, grad_to);
  }
  return energy;
}

void refine_embedding(const body::BodyShape& body, const EmbedSettings& embed, Embedding& embedding,
                      const RefineSettings& settings) {
  std::vector<bool> fixed(embedding.at.size(), false);
  for (const auto& [name, place] : embed.pins) {
    const int joint = embedding.skeleton.find(name);
    if (joint >= 0) fixed[static_cast<std::size_t>(joint)] = true;
  }
  std::vector<Vec3d> at = embedding.at, grad(at.size()), tried(at.size());
  double step = 0.05 * body.size * body.size;
  double energy = refinement_energy(body, embedding, at, settings, {});
  for (int round = 0; round < settings.rounds; ++round) {
    std::fill(grad.begin(), grad.end(), Vec3d{});
    refinement_energy(body, embedding, at, settings, grad);
    double moved = energy;
    for (int halving = 0; halving < 12; ++halving, step *= 0.5) {
      for (std::size_t j = 0; j < at.size(); ++j) tried[j] = fixed[j] ? at[j] : at[j] - step * grad[j];
      moved = refinement_energy(body, embedding, tried, settings, {});
      if (moved < energy) break;
    }
    if (!(moved < energy * (1 - 1e-5))) break;
    at = tried, energy = moved, step *= 1.5;
  }
  embedding.at = std::move(at);
}

}  // namespace limber::skeleton
