// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/foot_lock.h"

#include <algorithm>
#include <cmath>

#include "limber/physics/rotation.h"
#include "limber/physics/sweeps.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kFarthest = 0.25;     ///< of the height: no foot is moved farther
constexpr double kLargestTurn = 0.07;  ///< radians of a hinge in one round
constexpr int kRounds = 5;             ///< of inverse kinematics per frame

/// A body with planted points, and the hinges that only it hangs on.
struct Foot {
  int body = 0;
  std::vector<int> hinges;
  std::vector<Vec3d> shift;   ///< per frame
  std::vector<bool> planted;  ///< per frame
  std::vector<double> flat;   ///< per frame: how much it should be turned as in the other motion
};

class FootLock {
 public:
  FootLock(const Model& model, double height, const std::vector<std::vector<bool>>& planted,
           std::vector<double>& positions, std::span<const double> like)
      : model_(model),
        height_(height),
        planted_(planted),
        positions_(positions),
        like_(like),
        frames_(static_cast<int>(positions.size() / model.position_count())),
        work_(model),
        still_(model.velocity_count()) {}

  void run() {
    find_feet();
    points_ = contact_points(model_, positions_);
    for (Foot& foot : feet_) {
      find_shift(foot);
      carry_over(foot);
      if (!like_.empty()) ease_flat(foot);
    }
    for (int f = 0; f < frames_; ++f) {
      for (const Foot& foot : feet_) solve_foot(foot, f);
    }
  }

 private:
  std::vector<int> path_to_root(int body) const {
    std::vector<int> bodies;
    for (; body > 0; body = model_.bodies[at(body)].parent) bodies.push_back(body);
    return bodies;
  }

  void find_feet() {
    for (int b = 1; b < model_.body_count(); ++b) {
      const BodyT<double>& body = model_.bodies[at(b)];
      Foot foot;
      foot.body = b;
      foot.planted.assign(at(frames_), false);
      for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
        for (int f = 0; f < frames_; ++f) foot.planted[at(f)] = foot.planted[at(f)] || planted_[at(p)][at(f)];
      }
      if (std::count(foot.planted.begin(), foot.planted.end(), true) >= 2) feet_.push_back(std::move(foot));
    }
    // Of feet in a row (toe, sole) the one that is planted longer stands for both.
    std::stable_sort(feet_.begin(), feet_.end(), [](const Foot& a, const Foot& b) {
      return std::count(a.planted.begin(), a.planted.end(), true) >
             std::count(b.planted.begin(), b.planted.end(), true);
    });
    std::vector<Foot> kept;
    for (Foot& foot : feet_) {
      const std::vector<int> own = path_to_root(foot.body);
      const bool related = std::any_of(kept.begin(), kept.end(), [&](const Foot& other) {
        const std::vector<int> theirs = path_to_root(other.body);
        return std::find(theirs.begin(), theirs.end(), foot.body) != theirs.end() ||
               std::find(own.begin(), own.end(), other.body) != own.end();
      });
      if (!related) kept.push_back(std::move(foot));
    }
    feet_ = std::move(kept);
    std::vector<int> users(model_.bodies.size(), 0);
    for (const Foot& foot : feet_) {
      for (const int b : path_to_root(foot.body)) ++users[at(b)];
    }
    for (Foot& foot : feet_) {
      for (const int b : path_to_root(foot.body)) {
        if (users[at(b)] != 1) break;
        const BodyT<double>& body = model_.bodies[at(b)];
        for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) foot.hinges.push_back(h);
      }
    }
  }

  /// From each planted frame to the foothold: the mean over the time that the foot is planted.
  void find_shift(Foot& foot) const {
    foot.shift.assign(at(frames_), {});
    for (int f = 0; f < frames_; ++f) {
      if (!foot.planted[at(f)]) continue;
      int end = f;
      while (end < frames_ && foot.planted[at(end)]) ++end;
      // The foot's path over the ground, added up from the points that are planted at both ends of each step.
      std::vector<Vec3d> path(at(end - f));
      for (int k = f + 1; k < end; ++k) path[at(k - f)] = path[at(k - f - 1)] + ground_move(foot.body, k);
      Vec3d mean;
      for (const Vec3d& p : path) mean += p / static_cast<double>(path.size());
      for (int k = f; k < end; ++k) {
        Vec3d shift = mean - path[at(k - f)];
        const double length = norm(shift), most = kFarthest * height_;
        if (length > most) shift *= most / length;
        shift.y = -lowest(foot.body, k);
        foot.shift[at(k)] = shift;
      }
      f = end;
    }
  }

  Vec3d point(int frame, int p) const { return points_[at(frame) * model_.points.size() + at(p)]; }

  /// Calls `body(p)` for the contact points of a foot with its toes.
  template <class Body>
  void for_each_point(int foot, const Body& body) const {
    for (int b = foot; b < model_.body_count(); ++b) {
      int above = b;
      while (above > foot) above = model_.bodies[at(above)].parent;
      if (above != foot) continue;
      const BodyT<double>& part = model_.bodies[at(b)];
      for (int p = part.first_point; p < part.first_point + part.point_count; ++p) body(p);
    }
  }

  double lowest(int foot, int frame) const {
    double low = 1e9;
    for_each_point(foot, [&](int p) { low = std::min(low, point(frame, p).y); });
    return low;
  }

  /// How far the foot slid since the last frame. A foot that rolls or turns has a point that stands still.
  Vec3d ground_move(int foot, int frame) const {
    Vec3d least{1e9, 0, 0};
    for_each_point(foot, [&](int p) {
      if (!planted_[at(p)][at(frame)] || !planted_[at(p)][at(frame - 1)]) return;
      Vec3d move = point(frame, p) - point(frame - 1, p);
      move.y = 0;
      if (norm(move) < norm(least)) least = move;
    });
    return least.x > 1e8 ? Vec3d{} : least;
  }

  /// Between footholds the shift passes evenly from one to the next; before the first and after the last it stays.
  void carry_over(Foot& foot) const {
    int last = -1;
    for (int f = 0; f <= frames_; ++f) {
      if (f < frames_ && !foot.planted[at(f)]) continue;
      for (int k = last + 1; k < f; ++k) {
        const double t = static_cast<double>(k - last) / (f - last);
        const double ease = t * t * (3 - 2 * t);
        const Vec3d from = last >= 0 ? foot.shift[at(last)] : foot.shift[at(std::min(f, frames_ - 1))];
        const Vec3d to = f < frames_ ? foot.shift[at(f)] : from;
        foot.shift[at(k)] = (1 - ease) * from + ease * to;
        foot.shift[at(k)].y = std::max(foot.shift[at(k)].y, -std::max(lowest(foot.body, k), 0.0));
      }
      last = f;
    }
  }

  /// One while planted, down to nothing a few frames away.
  void ease_flat(Foot& foot) const {
    foot.flat.assign(at(frames_), 0);
    constexpr int kEase = 4;
    for (int f = 0; f < frames_; ++f) {
      for (int k = -kEase; k <= kEase; ++k) {
        if (f + k < 0 || f + k >= frames_ || !foot.planted[at(f + k)]) continue;
        const double t = 1 - std::abs(k) / (kEase + 1.0);
        foot.flat[at(f)] = std::max(foot.flat[at(f)], t * t * (3 - 2 * t));
      }
    }
  }

  /// How the foot should be turned; brings its toes to where they are in the other motion.
  Mat3d wanted_direction(const Foot& foot, int frame, std::span<double> q) {
    const Mat3d now = work_.bodies[at(foot.body)].rotation;
    if (like_.empty() || foot.flat[at(frame)] <= 0) return now;
    const double share = foot.flat[at(frame)];
    const std::size_t stride = model_.position_count();
    const std::span<const double> other = like_.subspan(at(frame) * stride, stride);
    for (int b = foot.body + 1; b < model_.body_count(); ++b) {
      int above = b;
      while (above > foot.body) above = model_.bodies[at(above)].parent;
      if (above != foot.body) continue;
      const BodyT<double>& toe = model_.bodies[at(b)];
      for (int h = toe.first_hinge; h < toe.first_hinge + toe.hinge_count; ++h) {
        q[7 + at(h)] += share * (other[7 + at(h)] - q[7 + at(h)]);
      }
    }
    sweep_kinematics<double>(model_, work_, other, still_);
    const Mat3d goal = work_.bodies[at(foot.body)].rotation;
    sweep_kinematics<double>(model_, work_, q, still_);
    return to_matrix(slerp(to_quat(now), to_quat(goal), share));
  }

  /// Damped least squares on the leg's hinges; the foot keeps its direction as far as it can.
  void solve_foot(const Foot& foot, int frame) {
    if (foot.hinges.empty() || (like_.empty() && norm(foot.shift[at(frame)]) < 1e-6 * height_)) return;
    const std::size_t stride = model_.position_count();
    const std::span<double> q = std::span(positions_).subspan(at(frame) * stride, stride);
    sweep_kinematics<double>(model_, work_, q, still_);
    const auto& body = work_.bodies[at(foot.body)];
    const Vec3d goal = body.position + foot.shift[at(frame)];
    const Mat3d direction = wanted_direction(foot, frame, q);
    const double arm = 0.15 * height_;  // a radian of the foot counts like this length
    for (int round = 0; round < kRounds; ++round) {
      if (round > 0) sweep_kinematics<double>(model_, work_, q, still_);
      const Vec3d x = body.position;
      const Vec3d turn = rotation_vector(to_quat(direction * transposed(body.rotation)));
      ArticulatedT<double> matrix;
      const double damping = std::pow(0.06 * height_, 2);
      matrix.angular = {damping, 0, 0, damping, 0, damping}, matrix.linear = matrix.angular;
      std::vector<Spatial> columns;
      for (const int h : foot.hinges) {
        const Spatial& motion = work_.hinges[at(h)].motion;
        columns.push_back({arm * motion.angular, velocity_at(motion, x)});
        add_outer(matrix, 1.0, columns.back());
      }
      const Spatial y = solve(factorize(matrix), Spatial{arm * turn, goal - x});
      for (std::size_t k = 0; k < foot.hinges.size(); ++k) {
        q[7 + at(foot.hinges[k])] += std::clamp(dot(columns[k], y), -kLargestTurn, kLargestTurn);
      }
    }
  }

  const Model& model_;
  double height_;
  const std::vector<std::vector<bool>>& planted_;
  std::vector<double>& positions_;
  std::span<const double> like_;
  int frames_;
  Workspace work_;
  std::vector<double> still_;
  std::vector<Vec3d> points_;
  std::vector<Foot> feet_;
};

}  // namespace

void lock_feet(const Model& model, double height, const std::vector<std::vector<bool>>& planted,
               std::vector<double>& positions, std::span<const double> like) {
  FootLock(model, height, planted, positions, like).run();
}

}  // namespace limber::physics
