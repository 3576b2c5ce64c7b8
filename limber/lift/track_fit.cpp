// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/lift/track_fit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/base/expect.h"

namespace limber::lift {
namespace {

/// Adds one residual: value, slope and curvature. `row` holds its derivative by the unknowns that move it.
struct ResidualRow {
  std::vector<int> unknowns;
  std::vector<double> slopes;
};

void add_row(const ResidualRow& row, double residual, double weight, std::vector<double>* gradient,
             DenseSymmetric* normal) {
  for (std::size_t i = 0; i < row.unknowns.size(); ++i) {
    const double scaled = weight * row.slopes[i];
    if (gradient) (*gradient)[static_cast<std::size_t>(row.unknowns[i])] += scaled * residual;
    if (!normal) continue;
    for (std::size_t k = 0; k < row.unknowns.size(); ++k) {
      normal->at(row.unknowns[i], row.unknowns[k]) += scaled * row.slopes[k];
    }
  }
}

double add_sightings(const PoseModel& model, const FrameProblem& problem, const TrackFitSettings& settings,
                     double robust_scale, std::vector<double>* gradient, DenseSymmetric* normal) {
  const double per_square = 1 / (settings.sigma * settings.sigma), c2 = robust_scale * robust_scale;
  std::vector<PointDerivative> moves;
  ResidualRow along_x, along_y, along_direction;
  double energy = 0;
  for (const PointSighting& sighting : problem.sightings) {
    const SkinPoint& point = problem.points[static_cast<std::size_t>(sighting.point)];
    const Projection image = project_point(*problem.camera, model.place(point));
    if (!(image.depth > 1e-6) || !(sighting.weight > 0)) continue;
    const double ex = image.x - static_cast<double>(sighting.pixel.x);
    const double ey = image.y - static_cast<double>(sighting.pixel.y);
    const auto nx = static_cast<double>(sighting.direction.x), ny = static_cast<double>(sighting.direction.y);
    const bool one_way = nx != 0 || ny != 0;
    const double error = nx * ex + ny * ey;
    const double s = per_square * (one_way ? error * error : ex * ex + ey * ey);
    const auto weight = static_cast<double>(sighting.weight);
    energy += 0.5 * weight * c2 * s / (c2 + s);
    if (!gradient && !normal) continue;

    const double pull = c2 / (c2 + s);
    const double strength = weight * pull * pull * per_square;
    model.derivatives(point, moves);
    for (ResidualRow* row : {&along_x, &along_y, &along_direction}) row->unknowns.clear(), row->slopes.clear();
    for (const PointDerivative& move : moves) {
      const double dx = dot(image.dx, move.motion), dy = dot(image.dy, move.motion);
      if (one_way) {
        along_direction.unknowns.push_back(move.unknown), along_direction.slopes.push_back(nx * dx + ny * dy);
      } else {
        along_x.unknowns.push_back(move.unknown), along_x.slopes.push_back(dx);
        along_y.unknowns.push_back(move.unknown), along_y.slopes.push_back(dy);
      }
    }
    if (one_way) {
      add_row(along_direction, error, strength, gradient, normal);
    } else {
      add_row(along_x, ex, strength, gradient, normal);
      add_row(along_y, ey, strength, gradient, normal);
    }
  }
  return energy;
}

double add_prior(const PosePrior& prior, std::span<const double> x, std::vector<double>* gradient,
                 DenseSymmetric* normal) {
  double energy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = x[i] - prior.mean[i], precision = prior.precision[i];
    energy += 0.5 * precision * off * off;
    if (gradient) (*gradient)[i] += precision * off;
    if (normal) normal->at(static_cast<int>(i), static_cast<int>(i)) += precision;
  }
  for (const PriorBlock& block : prior.blocks) {
    const auto first = static_cast<std::size_t>(block.first);
    const Vec3d off = Vec3d{x[first], x[first + 1], x[first + 2]} - block.mean;
    const Vec3d pull = block.precision * off;
    energy += 0.5 * dot(off, pull);
    for (int k = 0; k < 3; ++k) {
      if (gradient) (*gradient)[first + static_cast<std::size_t>(k)] += pull[k];
      if (!normal) continue;
      for (int l = 0; l < 3; ++l) normal->at(block.first + k, block.first + l) += block.precision(k, l);
    }
  }
  return energy;
}

double add_limits(const PoseModel& model, double sigma, std::span<const double> x, std::vector<double>* gradient,
                  DenseSymmetric* normal) {
  double energy = 0;
  const double precision = 1 / (sigma * sigma);
  for (const int joint : model.free_joints()) {
    if (joint == 0) continue;  // the root is not limited
    const rig::JointLimits& limits = model.rig().joints()[static_cast<std::size_t>(joint)].limits;
    for (int k = 0; k < 3; ++k) {
      const int unknown = model.first_unknown(joint) + k;
      const double angle = x[static_cast<std::size_t>(unknown)];
      const double over = std::max(0.0, angle - static_cast<double>(limits.upper[k])) +
                          std::min(0.0, angle - static_cast<double>(limits.lower[k]));
      if (over == 0) continue;
      energy += 0.5 * precision * over * over;
      if (gradient) (*gradient)[static_cast<std::size_t>(unknown)] += precision * over;
      if (normal) normal->at(unknown, unknown) += precision;
    }
  }
  return energy;
}

void measure(const PoseModel& model, const FrameProblem& problem, double sigma, TrackFitReport& report) {
  double all = 0, close = 0, squares = 0;
  for (const PointSighting& sighting : problem.sightings) {
    const Projection image =
        project_point(*problem.camera, model.place(problem.points[static_cast<std::size_t>(sighting.point)]));
    const auto weight = static_cast<double>(sighting.weight);
    all += weight;
    if (!(image.depth > 1e-6)) continue;
    double ex = image.x - static_cast<double>(sighting.pixel.x), ey = image.y - static_cast<double>(sighting.pixel.y);
    if (sighting.direction.x != 0 || sighting.direction.y != 0) {
      ex = ex * static_cast<double>(sighting.direction.x) + ey * static_cast<double>(sighting.direction.y), ey = 0;
    }
    const double square = ex * ex + ey * ey;
    if (square < 9 * sigma * sigma) close += weight, squares += weight * square;
  }
  report.inlier_share = all > 0 ? close / all : 0;
  report.residual = close > 0 ? std::sqrt(squares / close) : 0;
}

}  // namespace

void PosePrior::add(std::size_t unknown, double value, double sigma) {
  const double more = 1 / (sigma * sigma), sum = precision[unknown] + more;
  mean[unknown] = (precision[unknown] * mean[unknown] + more * value) / sum;
  precision[unknown] = sum;
}

double track_energy(PoseModel& model, const FrameProblem& problem, const TrackFitSettings& settings,
                    double robust_scale, std::span<const double> unknowns, std::vector<double>* gradient,
                    DenseSymmetric* normal) {
  const auto count = static_cast<std::size_t>(model.unknown_count());
  LIMBER_EXPECT(problem.prior->mean.size() == count && problem.prior->precision.size() == count,
                std::to_string(count) + " unknowns");
  if (gradient) gradient->assign(count, 0.0);
  if (normal) normal->reset(static_cast<int>(count));
  model.set(unknowns, *problem.base);
  return add_sightings(model, problem, settings, robust_scale, gradient, normal) +
         add_prior(*problem.prior, unknowns, gradient, normal) +
         add_limits(model, settings.limit_sigma, unknowns, gradient, normal);
}

TrackFitReport fit_pose(PoseModel& model, const FrameProblem& problem, const TrackFitSettings& settings,
                        std::vector<double>& unknowns) {
  TrackFitReport report;
  std::vector<double> gradient, trial;
  DenseSymmetric normal, damped;
  for (const double scale : settings.robust_scales) {
    double damping = 1e-3;
    double energy = track_energy(model, problem, settings, scale, unknowns, &gradient, &normal);
    for (int i = 0; i < settings.iterations; ++i) {
      damped = normal;
      for (int k = 0; k < damped.size; ++k) damped.at(k, k) += damping * normal.at(k, k) + 1e-9;
      trial = gradient;
      bool better = factorize(damped);
      double next = energy;
      if (better) {
        solve_factorized(damped, trial);
        for (std::size_t k = 0; k < trial.size(); ++k) trial[k] = unknowns[k] - trial[k];
        next = track_energy(model, problem, settings, scale, trial, nullptr, nullptr);
        better = std::isfinite(next) && next < energy;
      }
      if (!better) {
        damping *= 8;
        if (damping > 1e6) break;
        continue;
      }
      const double gain = energy - next;
      unknowns = trial;
      ++report.steps;
      energy = track_energy(model, problem, settings, scale, unknowns, &gradient, &normal);
      damping = std::max(damping / 8, 1e-7);
      if (gain < 1e-5 * (1 + energy)) break;
    }
    report.energy = energy;
  }
  model.set(unknowns, *problem.base);
  measure(model, problem, settings.sigma, report);
  return report;
}

}  // namespace limber::lift
