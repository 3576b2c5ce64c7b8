// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "limber/zoo/script.h"

/// Everything that fish and snakes do: waves along the body.
namespace limber::zoo {
namespace {

// --- Fish ------------------------------------------------------------------------------------------------------------

/// A wave that runs to the tail and grows on its way; `size` 1 is cruising.
void beat_tail(const Cast& cast, BodyGoal& goal, double phase, double size) {
  const std::vector<int>& tail = cast.poser.map().tail;
  const double lively = size * (1 + 0.3 * cast.personality.sway);
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const double along = static_cast<double>(i + 1) / static_cast<double>(tail.size());
    add_angle(goal, tail[i],
              {lively * (0.06 + 0.34 * along * along) * wave(phase - 0.13 * static_cast<double>(i)), 0, 0});
  }
  goal.turn.x += -0.07 * lively * wave(phase + 0.08);
  turn_head(cast, goal, 0.05 * lively * wave(phase + 0.3), 0);
  goal.shift.x += 0.012 * lively * wave(phase + 0.3);
}

void row_fins(const Cast& cast, BodyGoal& goal, double phase, double size, double fold) {
  for (const int side : {1, -1}) {
    const double beat = phase + (side > 0 ? 0 : 0.12);
    add_wing_angle(cast, goal, "fin", side, {0.35 * size * wave(beat), 0.25 * size * wave(beat - 0.25), fold});
  }
}

void open_jaw(const Cast& cast, BodyGoal& goal, double angle) { add_angle(goal, cast.poser.map().jaw, {0, 0, angle}); }

void travel_by(BodyGoal& goal, Vec3d travel) { goal.travel = travel, goal.shift += travel; }

BodyGoal swim_goal(const Cast& cast, double stride, double phase) {
  BodyGoal goal = start_goal(cast);
  travel_by(goal, {0, 0, stride * phase});
  beat_tail(cast, goal, phase, cast.settings.amplitude);
  row_fins(cast, goal, phase, 0.3, 0.3);
  goal.turn.y = 0.03 * wave(phase + 0.2);
  return goal;
}

BodyGoal coast_goal(const Cast& cast, double stride, double phase) {
  BodyGoal goal = start_goal(cast);
  travel_by(goal, {0, 0, stride * phase});
  beat_tail(cast, goal, phase, 0.22 * cast.settings.amplitude);
  row_fins(cast, goal, phase, 0.25, -0.1);
  goal.shift.y = 0.012 * wave(phase), goal.turn += Vec3d{0, 0.06 * wave(phase - 0.3), 0.04 * wave(phase - 0.25)};
  return goal;
}

/// A bend to a C, then one strong stroke out of it, along the new heading.
BodyGoal c_turn_goal(const Cast& cast, double stride, double phase) {
  const double size = cast.settings.amplitude, side = cast.settings.seed % 2 == 0 ? 1 : -1;
  const double angle = 0.5 * kPi * size * side, along = stride * ease(0.3, 1, phase);
  const double bend = hold(0, 0.35, 0.35, 0.75, phase) * side * std::min(1.0, 0.6 + 0.3 * size);
  BodyGoal goal = start_goal(cast);
  travel_by(goal, {along * std::sin(0.6 * angle), 0, along * std::cos(0.6 * angle)});
  goal.turn = {angle * ease(0.15, 0.85, phase), -0.35 * bend, 0};
  for (const int joint : cast.poser.map().tail) add_angle(goal, joint, {-0.28 * bend, 0, 0});
  turn_head(cast, goal, 0.3 * bend, 0);
  beat_tail(cast, goal, 3 * phase, 0.8 * hold(0.3, 0.5, 0.8, 1, phase));
  row_fins(cast, goal, 3 * phase, 0.5 * hold(0, 0.2, 0.8, 1, phase), 0);
  return goal;
}

BodyGoal dash_goal(const Cast& cast, double stride, double phase) {
  BodyGoal goal = start_goal(cast);
  const double back = hold(0, 0.28, 0.28, 0.42, phase);
  travel_by(goal, {0, 0, stride * ease(0.34, 0.62, phase) - 0.06 * back});
  for (const int joint : cast.poser.map().tail) add_angle(goal, joint, {0.2 * back, 0, 0});
  beat_tail(cast, goal, 4 * phase, 0.9 * hold(0.3, 0.42, 0.6, 0.95, phase) * cast.settings.amplitude);
  open_jaw(cast, goal, 0.5 * hold(0.36, 0.52, 0.58, 0.66, phase));
  row_fins(cast, goal, 2 * phase, 0.3 * hold(0, 0.1, 0.9, 1, phase), 0.3 * hold(0.3, 0.4, 0.6, 0.9, phase));
  return goal;
}

BodyGoal nibble_goal(const Cast& cast, double, double phase) {
  BodyGoal goal = start_goal(cast);
  const double size = cast.settings.amplitude, busy = hold(0, 0.1, 0.9, 1, phase);
  const double down = hold(0, 0.25, 0.75, 1, phase), bite = down * (0.5 - 0.5 * wave(5 * phase));
  goal.shift = Vec3d{0, -0.1 * down, 0.05 * down + 0.02 * bite} * size;
  goal.turn.z = 0.55 * down * std::min(1.2, size);
  open_jaw(cast, goal, 0.4 * bite);
  beat_tail(cast, goal, 3 * phase, 0.3 * busy);
  row_fins(cast, goal, 4 * phase, 0.6 * busy, 0);
  return goal;
}

BodyGoal hover_goal(const Cast& cast, double, double phase) {
  BodyGoal goal = start_goal(cast);
  const double size = cast.settings.amplitude;
  goal.shift.y = 0.01 * size * wave(phase);
  beat_tail(cast, goal, phase, 0.25 * size);
  row_fins(cast, goal, 3 * phase, 0.7 * size, 0);
  open_jaw(cast, goal, 0.06 + 0.06 * wave(2 * phase));
  return goal;
}

Script fish_script(const Cast& cast) {
  struct Entry {
    BodyGoal (*goal)(const Cast&, double stride, double phase);
    double seconds, stride;
  };
  const auto entry = [](Action action) -> Entry {
    switch (action) {
      case Action::kSwim:
        return {swim_goal, 0.8, 0.55};
      case Action::kGlide:
        return {coast_goal, 2.4, 0.8};
      case Action::kTurn:
        return {c_turn_goal, 1.6, 0.35};
      case Action::kAttack:
        return {dash_goal, 1.5, 0.7};
      case Action::kEat:
        return {nibble_goal, 3, 0};
      default:
        return {hover_goal, 2.5, 0};
    }
  }(cast.settings.action);
  Script script;
  script.cyclic = is_cyclic(cast.settings.action);
  script.seconds = entry.seconds * (1 - 0.15 * cast.personality.rhythm) / cast.settings.speed;
  script.stride = entry.stride * cast.settings.amplitude;
  script.goal = [&cast, goal = entry.goal, stride = script.stride](double phase) { return goal(cast, stride, phase); };
  return script;
}

// --- Snake -----------------------------------------------------------------------------------------------------------

/// The serpenoid curve (Hirose): its heading is a cosine of the arc length. The body runs along it like a train, so
/// that every part passes the same ground.
class SerpenoidPath {
 public:
  SerpenoidPath(double winding, double wavelength) : winding_(winding), wavelength_(wavelength) {
    for (std::size_t k = 0; k < kSteps; ++k) {
      const double angle = heading((static_cast<double>(k) + 0.5) / kSteps * wavelength_);
      table_[k + 1] = table_[k] + (wavelength_ / kSteps) * Vec3d{std::sin(angle), 0, std::cos(angle)};
    }
  }
  double heading(double s) const { return winding_ * wave(s / wavelength_); }
  /// Ground covered per wavelength of arc.
  double advance() const { return table_[kSteps].z; }
  double wavelength() const { return wavelength_; }
  Vec3d position(double s) const {
    const double waves = std::floor(s / wavelength_), within = (s / wavelength_ - waves) * kSteps;
    const auto k = std::min(static_cast<std::size_t>(within), std::size_t{kSteps - 1});
    return lerp(table_[k], table_[k + 1], within - static_cast<double>(k)) + Vec3d{0, 0, waves * advance()};
  }

 private:
  static constexpr std::size_t kSteps = 256;
  double winding_, wavelength_;
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
  const double root_heading = heading_of(0, poser.map().spine.front());
  goal.turn.x += root_heading;
  const double neck = lay(poser.map().spine, root_heading);
  turn_head(cast, goal, -0.7 * neck, 0);  // looks where it goes
  lay(poser.map().tail, root_heading);
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

/// Lifts the body by what its bent belly would sink.
void rest_on_ground(const Cast& cast, BodyGoal& goal) {
  goal.shift.y -= std::min(0.0, cast.poser.lowest_point(cast.poser.solve(goal, nullptr)));
}

Script snake_script(const Cast& cast) {
  const double size = cast.settings.amplitude;
  const bool slithers = cast.settings.action == Action::kSlither;
  const double winding =
      slithers ? std::min(0.95, 0.72 * (0.5 + 0.5 * size) * (1 + 0.2 * cast.personality.sway)) : 0.22;
  const auto path = std::make_shared<SerpenoidPath>(winding, slithers ? 0.55 : 0.7);
  Script script;
  script.cyclic = is_cyclic(cast.settings.action);
  switch (cast.settings.action) {
    case Action::kSlither:
    case Action::kCrawl:
      script.seconds = slithers ? 1.2 : 2.4;
      script.stride = path->advance();
      script.goal = [&cast, path](double phase) {
        BodyGoal goal = start_goal(cast);
        lay_on_path(cast, goal, *path, path->wavelength() * phase);
        goal.travel = {0, 0, path->advance() * phase};
        return goal;
      };
      break;
    case Action::kAttack:
      script.seconds = 1.6;
      script.goal = [&cast, path, size](double phase) {
        BodyGoal goal = start_goal(cast);
        lay_on_path(cast, goal, *path, 0);
        const double up = hold(0, 0.3, 0.75, 1, phase), strike = hold(0.4, 0.5, 0.55, 0.72, phase);
        rear_up(cast, goal, (1.25 * up - 0.75 * strike) * std::min(1.2, size), 1.5 - 0.5 * strike);
        open_jaw(cast, goal, 0.75 * hold(0.36, 0.47, 0.52, 0.6, phase));
        swing_tail(cast, goal, 5 * phase, 0.12 * hold(0, 0.15, 0.8, 1, phase), 0, 0.1);
        rest_on_ground(cast, goal);
        return goal;
      };
      break;
    case Action::kEat:
      script.seconds = 3.2;
      script.goal = [&cast, path, size](double phase) {
        BodyGoal goal = start_goal(cast);
        lay_on_path(cast, goal, *path, 0);
        const double up = hold(0, 0.2, 0.8, 1, phase);
        rear_up(cast, goal, 0.75 * up * std::min(1.3, 0.5 + 0.5 * size), 1.5);
        open_jaw(cast, goal, 0.6 * up * (0.5 - 0.5 * wave(4 * phase)));
        turn_head(cast, goal, 0.2 * up * wave(4 * phase - 0.25), 0.08 * up * wave(8 * phase));
        rest_on_ground(cast, goal);
        return goal;
      };
      break;
    default:  // idle: looks around
      script.seconds = 3.2;
      script.goal = [&cast, path, size](double phase) {
        BodyGoal goal = start_goal(cast);
        lay_on_path(cast, goal, *path, 0);
        rear_up(cast, goal, 0.6 + 0.06 * size * wave(phase), 1.5);
        turn_head(cast, goal, 0.3 * size * wave(phase - 0.2), 0.05 * wave(2 * phase));
        swing_tail(cast, goal, phase, 0.05 * size, 0, 0.12);
        rest_on_ground(cast, goal);
        return goal;
      };
  }
  script.seconds *= (1 - 0.15 * cast.personality.rhythm) / cast.settings.speed;
  return script;
}

}  // namespace

Script undulate_script(const Cast& cast) {
  return cast.poser.creature().plan == Plan::kFish ? fish_script(cast) : snake_script(cast);
}

}  // namespace limber::zoo
