// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/foot_lock.h"

#include <algorithm>
#include <cmath>

#include "limber/physics/clear_ground.h"
#include "limber/physics/rotation.h"
#include "limber/physics/sweeps.h"
#include "limber/physics/trajectory.h"

namespace limber::physics {
namespace {

constexpr double kFarthest = 0.25;     ///< of the height: no foot is moved farther
constexpr double kLargestTurn = 0.07;  ///< radians of a hinge in one round
constexpr int kRounds = 5;             ///< of inverse kinematics per frame
constexpr int kTurn = 6;               ///< frames that a foot takes to turn as it then stands, at most
constexpr double kFlat = 0.5;  ///< of the ankle's height: a foot that touches over this length lies on the ground

constexpr int kDraws = 4;        ///< rounds in which feet are drawn up
constexpr double kEven = 0.1;    ///< seconds over which they are ...
constexpr double kSunk = 0.002;  ///< ... from so far below the ground on, in heights

/// What is given, and what follows from it at once.
struct Motions {
  const Model& model;
  double height;
  const std::vector<std::vector<bool>>& planted;  ///< per contact point and frame
  std::span<const double> like;                   ///< positions of another motion; may be empty
  int frames;
  std::vector<Vec3d> points;  ///< frames x contact points, before anything was moved

  Vec3d point(int frame, int p) const { return points[at(frame) * model.points.size() + at(p)]; }
};

/// A body with planted points, and the hinges that only it hangs on.
struct Foot {
  int body = 0;
  std::vector<bool> planted;  ///< per frame
  std::vector<int> hinges;
};

/// What is wanted of a foot, per frame.
struct Path {
  std::vector<Vec3d> shift;
  std::vector<double> flat;  ///< how much it should be turned as in the other motion; empty: not at all
  std::vector<int> like;     ///< in which frame of that
};

/// For kinematics of one frame.
struct Kinematics {
  explicit Kinematics(const Model& model) : work(model), still(model.velocity_count()) {}
  Workspace work;
  std::vector<double> still;
};

std::vector<int> path_to_root(const Model& model, int body) {
  std::vector<int> bodies;
  for (; body > 0; body = model.bodies[at(body)].parent) bodies.push_back(body);
  return bodies;
}

bool belongs_to(const Model& model, int body, int foot) {
  while (body > foot) body = model.bodies[at(body)].parent;
  return body == foot;
}

long planted_frames(const Foot& foot) { return std::count(foot.planted.begin(), foot.planted.end(), true); }

/// Bodies that are planted for two frames or more.
std::vector<Foot> planted_bodies(const Motions& given) {
  std::vector<Foot> feet;
  for (int b = 1; b < given.model.body_count(); ++b) {
    const BodyT<double>& body = given.model.bodies[at(b)];
    Foot foot;
    foot.body = b;
    foot.planted.assign(at(given.frames), false);
    for (int p = body.first_point; p < body.first_point + body.point_count; ++p) {
      for (int f = 0; f < given.frames; ++f) foot.planted[at(f)] = foot.planted[at(f)] || given.planted[at(p)][at(f)];
    }
    if (planted_frames(foot) >= 2) feet.push_back(std::move(foot));
  }
  return feet;
}

/// Of feet in a row (toe, sole) the one that is planted longer stands for both.
std::vector<Foot> one_of_each_row(const Model& model, std::vector<Foot> feet) {
  std::stable_sort(feet.begin(), feet.end(),
                   [](const Foot& a, const Foot& b) { return planted_frames(a) > planted_frames(b); });
  std::vector<Foot> kept;
  for (Foot& foot : feet) {
    const std::vector<int> own = path_to_root(model, foot.body);
    const bool related = std::any_of(kept.begin(), kept.end(), [&](const Foot& other) {
      const std::vector<int> theirs = path_to_root(model, other.body);
      return std::find(theirs.begin(), theirs.end(), foot.body) != theirs.end() ||
             std::find(own.begin(), own.end(), other.body) != own.end();
    });
    if (!related) kept.push_back(std::move(foot));
  }
  return kept;
}

/// Gives each foot the hinges that it shares with no other.
std::vector<Foot> with_hinges(const Model& model, std::vector<Foot> feet) {
  std::vector<int> users(model.bodies.size(), 0);
  for (const Foot& foot : feet) {
    for (const int b : path_to_root(model, foot.body)) ++users[at(b)];
  }
  for (Foot& foot : feet) {
    for (const int b : path_to_root(model, foot.body)) {
      if (users[at(b)] != 1) break;
      const BodyT<double>& body = model.bodies[at(b)];
      for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) foot.hinges.push_back(h);
    }
  }
  return feet;
}

std::vector<Foot> find_feet(const Motions& given) {
  return with_hinges(given.model, one_of_each_row(given.model, planted_bodies(given)));
}

/// Calls `visit(p)` for the contact points of a foot with its toes.
template <class Visit>
void for_each_point(const Model& model, int foot, const Visit& visit) {
  for (int b = foot; b < model.body_count(); ++b) {
    if (!belongs_to(model, b, foot)) continue;
    const BodyT<double>& part = model.bodies[at(b)];
    for (int p = part.first_point; p < part.first_point + part.point_count; ++p) visit(p);
  }
}

double lowest(const Motions& given, int foot, int frame) {
  double low = 1e9;
  for_each_point(given.model, foot, [&](int p) { low = std::min(low, given.point(frame, p).y); });
  return low;
}

/// How far the foot slid since the last frame. A foot that rolls or turns has a point that stands still.
Vec3d ground_move(const Motions& given, int foot, int frame) {
  Vec3d least{1e9, 0, 0};
  for_each_point(given.model, foot, [&](int p) {
    if (!given.planted[at(p)][at(frame)] || !given.planted[at(p)][at(frame - 1)]) return;
    Vec3d move = given.point(frame, p) - given.point(frame - 1, p);
    move.y = 0;
    if (norm(move) < norm(least)) least = move;
  });
  return least.x > 1e8 ? Vec3d{} : least;
}

/// From each planted frame to the foothold: the mean over the time that the foot is planted. Zero elsewhere.
std::vector<Vec3d> shift_to_footholds(const Motions& given, const Foot& foot) {
  std::vector<Vec3d> shifts(at(given.frames));
  for (int f = 0; f < given.frames; ++f) {
    if (!foot.planted[at(f)]) continue;
    int end = f;
    while (end < given.frames && foot.planted[at(end)]) ++end;
    // The foot's path over the ground, added up from the points that are planted at both ends of each step.
    std::vector<Vec3d> path(at(end - f));
    for (int k = f + 1; k < end; ++k) path[at(k - f)] = path[at(k - f - 1)] + ground_move(given, foot.body, k);
    Vec3d mean;
    for (const Vec3d& p : path) mean += p / static_cast<double>(path.size());
    for (int k = f; k < end; ++k) {
      Vec3d shift = mean - path[at(k - f)];
      const double length = norm(shift), most = kFarthest * given.height;
      if (length > most) shift *= most / length;
      shift.y = -lowest(given, foot.body, k);
      shifts[at(k)] = shift;
    }
    f = end;
  }
  return shifts;
}

/// Between footholds the shift passes evenly from one to the next; before the first and after the last it stays.
std::vector<Vec3d> carried_over(const Motions& given, const Foot& foot, std::vector<Vec3d> shifts) {
  const int frames = given.frames;
  int last = -1;
  for (int f = 0; f <= frames; ++f) {
    if (f < frames && !foot.planted[at(f)]) continue;
    for (int k = last + 1; k < f; ++k) {
      const double t = static_cast<double>(k - last) / (f - last);
      const double ease = t * t * (3 - 2 * t);
      const Vec3d from = last >= 0 ? shifts[at(last)] : shifts[at(std::min(f, frames - 1))];
      const Vec3d to = f < frames ? shifts[at(f)] : from;
      shifts[at(k)] = (1 - ease) * from + ease * to;
      shifts[at(k)].y = std::max(shifts[at(k)].y, -std::max(lowest(given, foot.body, k), 0.0));
    }
    last = f;
  }
  return shifts;
}

/// One while planted, down to nothing a few frames away.
std::vector<double> eased(const std::vector<bool>& planted) {
  constexpr int kEase = 4;
  const int frames = static_cast<int>(planted.size());
  std::vector<double> flat(planted.size(), 0);
  for (int f = 0; f < frames; ++f) {
    for (int k = -kEase; k <= kEase; ++k) {
      if (f + k < 0 || f + k >= frames || !planted[at(f + k)]) continue;
      const double t = 1 - std::abs(k) / (kEase + 1.0);
      flat[at(f)] = std::max(flat[at(f)], t * t * (3 - 2 * t));
    }
  }
  return flat;
}

Path find_path(const Motions& given, const Foot& foot) {
  Path path;
  path.shift = carried_over(given, foot, shift_to_footholds(given, foot));
  if (given.like.empty()) return path;
  path.flat = eased(foot.planted);
  for (int f = 0; f < given.frames; ++f) path.like.push_back(f);
  return path;
}

/// Whether a foot lies on what it stands on, rather than touching it with a tip.
bool lies_flat(const Motions& given, int foot, int frame, double ankle) {
  Vec3d least{1e9, 0, 1e9}, most{-1e9, 0, -1e9};
  for_each_point(given.model, foot, [&](int p) {
    if (!given.planted[at(p)][at(frame)]) return;
    const Vec3d place = given.point(frame, p);
    least = {std::min(least.x, place.x), 0, std::min(least.z, place.z)};
    most = {std::max(most.x, place.x), 0, std::max(most.z, place.z)};
  });
  return std::hypot(most.x - least.x, most.z - least.z) > kFlat * ankle;
}

/// When a foot stands: from a frame to the one after its last.
struct Stance {
  int from = 0, to = 0;
};

std::vector<Stance> stances_of(const Foot& foot) {
  std::vector<Stance> stances;
  const int frames = static_cast<int>(foot.planted.size());
  for (int f = 0; f < frames; ++f) {
    if (!foot.planted[at(f)]) continue;
    const int from = f;
    while (f < frames && foot.planted[at(f)]) ++f;
    stances.push_back({from, f});
  }
  return stances;
}

/// Where the foot is, and turned as in the middle of the time that it stands. It turns there evenly, and back before it
/// turns for the next stance.
Path hold_path(const Motions& given, const Foot& foot, Kinematics& kinematics, std::span<const double> positions) {
  Path path;
  path.shift.assign(at(given.frames), {});
  path.flat.assign(at(given.frames), 0);
  path.like.assign(at(given.frames), 0);
  const std::size_t stride = given.model.position_count();
  const std::vector<Stance> stances = stances_of(foot);
  for (std::size_t s = 0; s < stances.size(); ++s) {
    const auto [from, to] = stances[s];
    const int middle = (from + to) / 2;
    const std::span<const double> q = positions.subspan(at(middle) * stride, stride);
    sweep_kinematics<double>(given.model, kinematics.work, q, kinematics.still);
    if (!lies_flat(given, foot.body, middle, kinematics.work.bodies[at(foot.body)].position.y + q[1])) continue;
    const int before = s > 0 ? std::min(kTurn, (from - stances[s - 1].to) / 2) : kTurn;
    const int after = s + 1 < stances.size() ? std::min(kTurn, (stances[s + 1].from - to) / 2) : kTurn;
    for (int k = std::max(from - before, 0); k < std::min(to + after, given.frames); ++k) {
      const double t = k < from ? 1 - (from - k) / (before + 1.0) : k >= to ? 1 - (k - to + 1) / (after + 1.0) : 1;
      path.flat[at(k)] = t * t * (3 - 2 * t), path.like[at(k)] = middle;
    }
  }
  return path;
}

/// Brings the foot's toes towards where they are in the other motion.
void bend_toes(const Model& model, int foot, std::span<const double> other, double share, std::span<double> q) {
  for (int b = foot + 1; b < model.body_count(); ++b) {
    if (!belongs_to(model, b, foot)) continue;
    const BodyT<double>& toe = model.bodies[at(b)];
    for (int h = toe.first_hinge; h < toe.first_hinge + toe.hinge_count; ++h) {
      q[7 + at(h)] += share * (other[7 + at(h)] - q[7 + at(h)]);
    }
  }
}

/// Damped least squares on the leg's hinges; the foot keeps its direction, or takes the other motion's, as far as it
/// can.
void solve_foot(const Motions& given, const Foot& foot, const Path& path, int frame, Kinematics& kinematics,
                std::vector<double>& positions) {
  const Model& model = given.model;
  const bool turns = !path.flat.empty() && path.flat[at(frame)] > 0;
  if (foot.hinges.empty() || (!turns && norm(path.shift[at(frame)]) < 1e-6 * given.height)) return;
  const std::size_t stride = model.position_count();
  const std::span<double> q = std::span(positions).subspan(at(frame) * stride, stride);
  const auto& body = kinematics.work.bodies[at(foot.body)];
  sweep_kinematics<double>(model, kinematics.work, q, kinematics.still);
  const Vec3d goal = body.position + path.shift[at(frame)];
  Mat3d direction = body.rotation;
  if (turns) {
    const std::span<const double> other = given.like.subspan(at(path.like[at(frame)]) * stride, stride);
    bend_toes(model, foot.body, other, path.flat[at(frame)], q);
    sweep_kinematics<double>(model, kinematics.work, other, kinematics.still);
    direction = to_matrix(slerp(to_quat(direction), to_quat(body.rotation), path.flat[at(frame)]));
  }
  const double arm = 0.15 * given.height;  // a radian of the foot counts like this length
  for (int round = 0; round < kRounds; ++round) {
    sweep_kinematics<double>(model, kinematics.work, q, kinematics.still);
    const Vec3d x = body.position;
    const Vec3d turn = rotation_vector(to_quat(direction * transposed(body.rotation)));
    ArticulatedT<double> matrix;
    const double damping = std::pow(0.06 * given.height, 2);
    matrix.angular = {damping, 0, 0, damping, 0, damping}, matrix.linear = matrix.angular;
    std::vector<Spatial> columns;
    for (const int h : foot.hinges) {
      const Spatial& motion = kinematics.work.hinges[at(h)].motion;
      columns.push_back({arm * motion.angular, velocity_at(motion, x)});
      add_outer(matrix, 1.0, columns.back());
    }
    const Spatial y = solve(factorize(matrix), Spatial{arm * turn, goal - x});
    for (std::size_t k = 0; k < foot.hinges.size(); ++k) {
      q[7 + at(foot.hinges[k])] += std::clamp(dot(columns[k], y), -kLargestTurn, kLargestTurn);
    }
  }
}

void solve_feet(const Motions& given, const std::vector<Foot>& feet, const std::vector<Path>& paths,
                std::vector<double>& positions) {
  Kinematics kinematics(given.model);
  for (int f = 0; f < given.frames; ++f) {
    for (std::size_t k = 0; k < feet.size(); ++k) solve_foot(given, feet[k], paths[k], f, kinematics, positions);
  }
}

}  // namespace

void lock_feet(const Model& model, double height, const std::vector<std::vector<bool>>& planted,
               std::vector<double>& positions, std::span<const double> like) {
  const Motions given{model,
                      height,
                      planted,
                      like,
                      static_cast<int>(positions.size() / model.position_count()),
                      contact_points(model, positions)};
  const std::vector<Foot> feet = find_feet(given);
  std::vector<Path> paths;
  for (const Foot& foot : feet) paths.push_back(find_path(given, foot));
  solve_feet(given, feet, paths, positions);
}

void hold_feet(const Model& model, double height, const std::vector<std::vector<bool>>& planted,
               std::vector<double>& positions) {
  const std::vector<double> before = positions;
  const Motions given{model,
                      height,
                      planted,
                      before,
                      static_cast<int>(positions.size() / model.position_count()),
                      contact_points(model, positions)};
  const std::vector<Foot> feet = find_feet(given);
  Kinematics kinematics(model);
  std::vector<Path> paths;
  for (const Foot& foot : feet) paths.push_back(hold_path(given, foot, kinematics, before));
  solve_feet(given, feet, paths, positions);
}

void draw_up_feet(const Model& model, double height, double fps, bool loops, const std::vector<bool>& bears,
                  std::vector<double>& positions) {
  const int frames = static_cast<int>(positions.size() / model.position_count());
  const int reach = std::max(1, static_cast<int>(std::lround(kEven * fps)));
  for (int round = 0; round < kDraws; ++round) {
    // Here a foot is planted while it is below the ground.
    std::vector<std::vector<bool>> below(bears.size(), std::vector<bool>(at(frames)));
    const Motions given{model, height, below, {}, frames, contact_points(model, positions)};
    for (std::size_t p = 0; p < bears.size(); ++p) {
      for (int f = 0; f < frames; ++f) {
        below[p][at(f)] = bears[p] && given.point(f, static_cast<int>(p)).y < -kSunk * height;
      }
    }
    const std::vector<Foot> feet = find_feet(given);
    if (feet.empty()) return;
    std::vector<Path> paths;
    for (const Foot& foot : feet) {
      std::vector<float> needs;
      for (int f = 0; f < frames; ++f) {
        needs.push_back(static_cast<float>(std::max(-lowest(given, foot.body, f), 0.0)));
      }
      Path path;
      for (const float up : even_cover(needs, reach, loops)) path.shift.push_back({0, double(up), 0});
      paths.push_back(std::move(path));
    }
    solve_feet(given, feet, paths, positions);
  }
}

}  // namespace limber::physics
