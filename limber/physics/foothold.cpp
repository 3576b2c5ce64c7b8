// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/foothold.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/physics/clear_ground.h"
#include "limber/physics/sweeps.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kFirm = 30;       ///< of the body's mass: how firmly a foothold pulls at a point
constexpr double kSwing = 0.01;    ///< of that: how firmly a foot is led that is in the air ...
constexpr double kEase = 0.12;     ///< ... and the seconds in which it passes from the one to the other
constexpr double kYield = 0.1;     ///< seconds in which drives resist: joints turn, but not as if nothing held them
constexpr double kMostTurn = 0.2;  ///< radians of a hinge in one step
constexpr int kSteps = 5;          ///< of Newton's method per frame
constexpr double kEven = 0.07;     ///< seconds over which the change is evened out ...
constexpr int kRounds = 3;         ///< ... between rounds: what is uneven is at the ends of stances
constexpr double kSunk = 0.002;    ///< heights: what is less far below the ground may stay there
constexpr double kWhole = 0.02;    ///< heights: what is as deep is pulled as firmly as a foot
constexpr double kRise = 0.1;      ///< seconds over which it comes up

/// A contact point and what pulls at it, per frame.
struct Pulled {
  int body = 0, point = 0;
  std::vector<Vec3d> goal;
  std::vector<double> across, along;  ///< how firmly, over the ground and upwards: of a foothold's
};

int wrapped(int frame, int count) { return (frame % count + count) % count; }

/// Between the frames in which a body is planted the shift of its points passes evenly from one to the next; before the
/// first and after the last it stays.
void carry_over(const std::vector<bool>& planted, bool loops, std::vector<Vec3d>& shifts) {
  const int count = static_cast<int>(planted.size());
  std::vector<int> known;
  for (int f = 0; f < count; ++f) {
    if (planted[at(f)]) known.push_back(f);
  }
  for (std::size_t k = 0; k <= known.size(); ++k) {
    // A gap from one planted frame to the next; the first and the last of a loop are one.
    int a = k > 0 ? known[k - 1] : known.back() - count, b = k < known.size() ? known[k] : known.front() + count;
    const Vec3d from = shifts[at(k == 0 && !loops ? known.front() : wrapped(a, count))];
    const Vec3d to = shifts[at(k == known.size() && !loops ? known.back() : wrapped(b, count))];
    for (int f = std::max(a + 1, 0); f < std::min(b, count); ++f) {
      const double t = static_cast<double>(f - a) / (b - a);
      shifts[at(f)] = lerp(from, to, t * t * (3 - 2 * t));
    }
  }
}

/// One while planted, evenly down to `kSwing` some frames away.
std::vector<double> firmness(const std::vector<bool>& planted, int reach, bool loops) {
  const int count = static_cast<int>(planted.size());
  std::vector<double> firm(planted.size(), kSwing);
  for (int f = 0; f < count; ++f) {
    for (int k = -reach; k <= reach; ++k) {
      const int source = loops ? wrapped(f + k, count) : f + k;
      if (source < 0 || source >= count || !planted[at(source)]) continue;
      const double t = 1 - std::abs(k) / (reach + 1.0);
      firm[at(f)] = std::max(firm[at(f)], std::pow(kSwing, 1 - t * t * (3 - 2 * t)));
    }
  }
  return firm;
}

/// When any point of each body is planted, or of one that is joined to it (heel and toes): then all of their points go
/// where the other motion has them, or one that is in the air would pull away one that stands.
std::vector<std::vector<bool>> planted_times(const Model& model, const std::vector<std::vector<bool>>& planted,
                                             std::size_t frames) {
  std::vector<std::vector<bool>> own(model.bodies.size(), std::vector<bool>(frames, false));
  for (std::size_t b = 0; b < own.size(); ++b) {
    const BodyT<double>& body = model.bodies[b];
    for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
      for (std::size_t f = 0; f < frames; ++f) own[b][f] = own[b][f] || planted[at(p)][f];
    }
  }
  std::vector<std::vector<bool>> times = own;
  for (std::size_t b = 1; b < own.size(); ++b) {
    const std::size_t parent = at(model.bodies[b].parent);
    for (std::size_t f = 0; f < frames; ++f) {
      times[b][f] = times[b][f] || own[parent][f];
      times[parent][f] = times[parent][f] || own[b][f];
    }
  }
  return times;
}

/// All that pulls at a body, for one round.
class Pulls {
 public:
  Pulls(const Model& model, const Footholds& footholds, std::span<const double> positions)
      : model_(model),
        footholds_(footholds),
        frames_(positions.size() / model.position_count()),
        points_(contact_points(model, positions)),
        wanted_(contact_points(model, footholds.like)) {
    const std::vector<std::vector<bool>> times = planted_times(model, footholds.planted, frames_);
    for (int b = 0; b < model.body_count(); ++b) {
      const BodyT<double>& body = model.bodies[at(b)];
      for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
        const std::vector<bool>& planted = footholds.planted[at(p)];
        if (std::find(planted.begin(), planted.end(), true) != planted.end()) {
          add_foothold(b, p, times[at(b)]);
        } else {
          add_sunk(b, p);
        }
      }
    }
  }

  bool empty() const { return pulled_.empty(); }

  /// A step for one frame: (M + D + J^T F J) change = J^T F (goal - now), with F how firmly goals pull and D how much
  /// the drives resist, by the sweeps of the dynamics.
  void step(std::size_t frame, Workspace& work, std::vector<double>& change, std::span<double> q) const {
    std::fill(change.begin(), change.end(), 0);
    sweep_kinematics<double>(model_, work, q, change);
    for (auto& body : work.bodies) body.articulated = to_articulated(body.inertia), body.force = {};
    for (std::size_t h = 0; h < model_.hinges.size(); ++h) {
      work.hinges[h].diagonal = model_.hinges[h].armature + kYield * kYield * model_.hinges[h].stiffness;
    }
    const double most = kFirm * model_.total_mass();
    const Vec3d root{q[0], q[1], q[2]};
    for (const Pulled& point : pulled_) {
      const double across = most * point.across[frame], along = most * point.along[frame];
      if (across <= 0 && along <= 0) continue;
      auto& body = work.bodies[at(point.body)];
      const Vec3d x = body.position + body.rotation * model_.points[at(point.point)];
      add_point_mass(body.articulated, x, across, along);
      body.force -= force_at(x, scaled(Vec3d{across, along, across}, point.goal[frame] - root - x));
    }
    sweep_factorize(model_, work);
    sweep_solve<double>(model_, work, change, change);
    double largest = 0;
    for (std::size_t h = 6; h < change.size(); ++h) largest = std::max(largest, std::abs(change[h]));
    if (largest > kMostTurn) {
      for (double& value : change) value *= kMostTurn / largest;
    }
    integrate_position<double>(model_, std::vector<double>(q.begin(), q.end()), change, q);
  }

 private:
  Vec3d point(std::size_t frame, int p) const { return points_[frame * model_.points.size() + at(p)]; }
  Vec3d wanted(std::size_t frame, int p) const { return wanted_[frame * model_.points.size() + at(p)]; }
  int frames_in(double seconds) const { return std::max(1, static_cast<int>(std::lround(seconds * footholds_.fps))); }

  void add_foothold(int body, int p, const std::vector<bool>& times) {
    std::vector<Vec3d> shifts;
    for (std::size_t f = 0; f < frames_; ++f) {
      shifts.push_back(wanted(f, p) - point(f, p));
    }
    carry_over(times, footholds_.loops, shifts);
    Pulled pulled{body, p, {}, firmness(times, frames_in(kEase), footholds_.loops), {}};
    for (std::size_t f = 0; f < frames_; ++f) {
      // A foot in the air is not pulled into the ground.
      if (!times[f]) shifts[f].y = std::max(shifts[f].y, -std::max(point(f, p).y, 0.0));
      pulled.goal.push_back(point(f, p) + shifts[f]);
    }
    pulled.along = pulled.across;
    pulled_.push_back(std::move(pulled));
  }

  /// What stands nowhere, such as a sword, is only pulled out of the ground, or to how deep the other motion has it.
  void add_sunk(int body, int p) {
    std::vector<float> needs;
    bool sunk = false;
    for (std::size_t f = 0; f < frames_; ++f) {
      const double depth = std::min(wanted(f, p).y, 0.0) - point(f, p).y;
      needs.push_back(depth > kSunk * footholds_.height ? static_cast<float>(depth) : 0.0f);
      sunk = sunk || needs.back() > 0;
    }
    if (!sunk) return;
    const std::vector<float> rises = even_cover(needs, frames_in(kRise), footholds_.loops);
    Pulled pulled{body, p, {}, std::vector<double>(frames_, 0), {}};
    for (std::size_t f = 0; f < frames_; ++f) {
      const double rise = double(rises[f]);
      pulled.goal.push_back(point(f, p) + Vec3d{0, rise, 0});
      pulled.along.push_back(std::min(rise / (kWhole * footholds_.height), 1.0));
    }
    pulled_.push_back(std::move(pulled));
  }

  const Model& model_;
  const Footholds& footholds_;
  std::size_t frames_;
  std::vector<Vec3d> points_, wanted_;  ///< frames x contact points
  std::vector<Pulled> pulled_;
};

/// Evens out how `positions` differ from `from`.
void even_out(const Model& model, const Footholds& footholds, std::span<const double> from,
              std::vector<double>& positions) {
  const std::size_t nq = model.position_count(), nv = model.velocity_count();
  const int frames = static_cast<int>(positions.size() / nq);
  std::vector<double> changes(at(frames) * nv);
  for (int f = 0; f < frames; ++f) {
    position_difference<double>(model, row(from, f, nq), row(std::as_const(positions), f, nq), row(changes, f, nv));
  }
  changes = evened(changes, nv, kEven * footholds.fps, footholds.loops);
  for (int f = 0; f < frames; ++f) {
    integrate_position<double>(model, row(from, f, nq), row(std::as_const(changes), f, nv), row(positions, f, nq));
  }
}

}  // namespace

void reach_footholds(const Model& model, const Footholds& footholds, std::vector<double>& positions) {
  const std::size_t stride = model.position_count(), frames = positions.size() / stride;
  const std::vector<double> before = positions;
  Workspace work(model);
  std::vector<double> change(model.velocity_count());
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) even_out(model, footholds, before, positions);
    const Pulls pulls(model, footholds, positions);
    if (pulls.empty()) return;
    for (std::size_t f = 0; f < frames; ++f) {
      const std::span<double> q = std::span(positions).subspan(f * stride, stride);
      for (int k = 0; k < kSteps; ++k) pulls.step(f, work, change, q);
    }
  }
}

}  // namespace limber::physics
