// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "limber/zoo/script.h"

/// Everything that snakes do: a long body that follows its head.
namespace limber::zoo {
namespace {

/// The serpenoid curve (Hirose): its heading is a cosine of the arc length. The body runs along it like a train, so
/// that every part passes the same ground.
class SerpenoidPath {
 public:
  /// With a turn, each wavelength is the one before it, turned by so much.
  SerpenoidPath(double winding, double wavelength, double turn)
      : winding_(winding), wavelength_(wavelength), turn_(turn) {
    for (std::size_t k = 0; k < kSteps; ++k) {
      const double angle = heading((static_cast<double>(k) + 0.5) / kSteps * wavelength_);
      table_[k + 1] = table_[k] + (wavelength_ / kSteps) * Vec3d{std::sin(angle), 0, std::cos(angle)};
    }
    if (turn_ == 0) table_[kSteps].x = 0;  // but for rounding
  }
  double heading(double s) const { return winding_ * wave(s / wavelength_) + turn_ * s / wavelength_; }
  /// Ground covered per wavelength of arc.
  double advance() const { return norm(table_[kSteps]); }
  double wavelength() const { return wavelength_; }
  double turn() const { return turn_; }
  Vec3d position(double s) const {
    const double waves = std::floor(s / wavelength_), within = (s / wavelength_ - waves) * kSteps;
    const auto k = std::min(static_cast<std::size_t>(within), std::size_t{kSteps - 1});
    const Vec3d local = lerp(table_[k], table_[k + 1], within - static_cast<double>(k));
    return turn_ == 0 ? local + progress(waves) : progress(waves) + turned_by(turn_ * waves, local);
  }
  /// How far the path has come after so many wavelengths: along a line, or around the centre of its turn.
  Vec3d progress(double waves) const {
    if (turn_ == 0) return {0, 0, waves * table_[kSteps].z};
    // The centre is the point that one wavelength's move leaves where it is.
    const Vec3d step = table_[kSteps];
    const double half = 0.5 / std::tan(0.5 * turn_);
    const Vec3d centre{0.5 * step.x + half * step.z, 0, 0.5 * step.z - half * step.x};
    return centre - turned_by(turn_ * waves, centre);
  }

 private:
  static constexpr std::size_t kSteps = 256;
  double winding_, wavelength_, turn_;
  std::array<Vec3d, kSteps + 1> table_{};
};

/// Lays the body along the path, its root at arc length `s`.
void lay_on_path(const Cast& cast, BodyGoal& goal, const SerpenoidPath& path, double s) {
  const Poser& poser = cast.poser;
  const double root_z = poser.rest(0).z;
  const auto heading_of = [&](int joint, int next) {
    // The heading in the middle of the bone.
    const double from = poser.rest(joint).z, to = next >= 0 ? poser.rest(next).z : from;
    return path.heading(s + 0.5 * (from + to) - root_z);
  };
  const auto lay = [&](const std::vector<int>& chain, double before) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const double heading = heading_of(chain[i], i + 1 < chain.size() ? chain[i + 1] : -1);
      add_angle(goal, chain[i], {heading - before, 0, 0});
      before = heading;
    }
    return before;
  };
  const double root_heading = heading_of(0, poser.map().spine.empty() ? -1 : poser.map().spine.front());
  goal.turn.x += root_heading;
  const double neck = lay(poser.map().spine, root_heading);
  turn_head(cast, goal, -0.7 * neck, 0);  // looks where it goes
  for (const Chain& tail : poser.map().tails) lay(tail.joints, root_heading);
  const Vec3d at = path.position(s);
  goal.shift.x += at.x, goal.shift.z += at.z;
}

/// Raises the front third by so much (radians at its base), the head level.
void rear_up(const Cast& cast, BodyGoal& goal, double amount, double curl) {
  const std::vector<int>& spine = cast.poser.map().spine;
  const std::size_t base = spine.size() / 2;
  const double joints = static_cast<double>(spine.size() - base);
  double sum = 0;
  for (std::size_t i = base; i < spine.size(); ++i) {
    // Up at the base, and back to level towards the neck: an S.
    const double t = (static_cast<double>(i - base) + 0.5) / joints;
    const double pitch = amount * (t < 0.5 ? -2.0 : curl) / joints;
    add_angle(goal, spine[i], {0, 0, pitch});
    sum += pitch;
  }
  turn_head(cast, goal, 0, -sum);
}

Script travelling(const Cast& cast, double winding, bool slithers) {
  const double turn = cast.settings.backward ? -cast.settings.turning : cast.settings.turning;
  const auto path = std::make_shared<SerpenoidPath>(winding, slithers ? 0.55 : 0.7, turn);
  Script script;
  script.cyclic = true;
  script.seconds = (slithers ? 1.2 : 2.4) * tempo(cast);
  script.stride = path->advance(), script.turn = turn;
  script.goal = [&cast, path](double phase) {
    BodyGoal goal = start_goal(cast);
    lay_on_path(cast, goal, *path, path->wavelength() * phase);
    goal.travel = path->progress(phase), goal.heading = path->turn() * phase;
    return goal;
  };
  return cast.settings.backward ? reversed(std::move(script)) : script;
}

BodyGoal strike_goal(const Cast& cast, double phase) {
  BodyGoal goal = lying(cast, 0);
  const double up = hold(0, 0.3, 0.75, 1, phase), strike = hold(0.4, 0.5, 0.55, 0.72, phase);
  rear_up(cast, goal, (1.25 * up - 0.75 * strike) * std::min(1.2, cast.settings.amplitude), 1.5 - 0.5 * strike);
  open_jaws(cast, goal, 1.25 * hold(0.36, 0.47, 0.52, 0.6, phase));
  swing_tail(cast, goal, 5 * phase, 0.12 * hold(0, 0.15, 0.8, 1, phase), 0, 0.1);
  return goal;
}

BodyGoal swallow_goal(const Cast& cast, double phase) {
  BodyGoal goal = lying(cast, 0);
  const double up = hold(0, 0.2, 0.8, 1, phase);
  rear_up(cast, goal, 0.75 * up * std::min(1.3, 0.5 + 0.5 * cast.settings.amplitude), 1.5);
  open_jaws(cast, goal, up * (0.5 - 0.5 * wave(4 * phase)));
  turn_head(cast, goal, 0.2 * up * wave(4 * phase - 0.25), 0.08 * up * wave(8 * phase));
  return goal;
}

BodyGoal threaten_goal(const Cast& cast, double phase) {
  const double up = hold(0, 0.3, 0.7, 1, phase);
  BodyGoal goal = lying(cast, 1.3 * up * std::min(1.2, cast.settings.amplitude));
  turn_head(cast, goal, 0.15 * up * wave(3 * phase), 0);
  open_jaws(cast, goal, 0.5 * hold(0.3, 0.4, 0.6, 0.7, phase));
  return goal;
}

BodyGoal look_around_goal(const Cast& cast, double phase) {
  const double size = cast.settings.amplitude;
  BodyGoal goal = lying(cast, 0);
  rear_up(cast, goal, 0.6 + 0.06 * size * wave(phase), 1.5);
  turn_head(cast, goal, 0.3 * size * wave(phase - 0.2), 0.05 * wave(2 * phase));
  swing_tail(cast, goal, phase, 0.05 * size, 0, 0.12);
  return goal;
}

}  // namespace

BodyGoal lying(const Cast& cast, double raised) {
  BodyGoal goal = start_goal(cast);
  lay_on_path(cast, goal, SerpenoidPath(0.22, 0.7, 0), 0);
  if (raised != 0) rear_up(cast, goal, raised, 1.5);
  return goal;
}

Script slither_script(const Cast& cast) {
  const Action action = cast.settings.action;
  if (action == Action::kSlither || action == Action::kCrawl) {
    const double size = cast.settings.amplitude;
    const bool slithers = action == Action::kSlither;
    const double winding = std::min(0.95, 0.72 * (0.5 + 0.5 * size) * (1 + 0.2 * cast.personality.sway));
    return travelling(cast, slithers ? winding : 0.22, slithers);
  }
  const bool strikes = action == Action::kAttack, eats = action == Action::kEat, rears = action == Action::kRear;
  const auto pose = strikes ? strike_goal : eats ? swallow_goal : rears ? threaten_goal : look_around_goal;
  Script script;
  script.cyclic = is_cyclic(action);
  script.seconds = (strikes ? 1.6 : 3.2) * tempo(cast);
  script.goal = [&cast, pose](double phase) {
    BodyGoal goal = pose(cast, phase);
    rest_on_ground(cast, goal);
    return goal;
  };
  return script;
}

}  // namespace limber::zoo
