// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/mend/clip_repairs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"
#include "limber/mend/leg_reach.h"
#include "limber/metrics/flips.h"
#include "limber/physics/clear_ground.h"
#include "limber/physics/give_way.h"
#include "limber/physics/puppet.h"

namespace limber::mend {
namespace {

using kinematics::Motion;

constexpr double kEase = 0.15;        ///< seconds in which a leg comes from its own height to another
constexpr float kClearance = 0.002f;  ///< heights: what is put onto the floor is so little above it
constexpr float kMostRaise = 0.2f;    ///< heights
constexpr int kLongestFlip = 3;       ///< frames that a joint may be turned over and be filled in

Quatd turned(const Motion& motion, int frame, std::size_t joint) {
  return to_quat(kinematics::euler_matrix(motion.frame_angles(frame)[joint].cast<double>()));
}

void set_turn(Motion& motion, int frame, std::size_t joint, Quatd turn) {
  Vec3& angles = motion.frame_angles(frame)[joint];
  angles = kinematics::euler_angles(to_matrix(normalized(turn)), angles.cast<double>()).cast<float>();
}

/// A rotation as a vector, axis times angle, at most pi long; and back.
Vec3d vector_of(Quatd q) {
  if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
  const Vec3d v{q.x, q.y, q.z};
  const double sine = norm(v);
  return sine < 1e-12 ? 2.0 * v : (2 * std::atan2(sine, q.w) / sine) * v;
}

Quatd quat_of(Vec3d v) {
  const double angle = norm(v);
  return angle < 1e-12 ? Quatd{0, 0, 0, 1} : axis_angle((1 / angle) * v, angle);
}

// --- the body as a whole ---------------------------------------------------------------------------------------------

/// A move of the whole body over the ground: a turn about +Y through a point, which then goes elsewhere.
struct BodyMove {
  Vec3d pivot, to;
  double turn = 0;
};

void move_body(const rig::Rig& rig, int frame, const BodyMove& move, Motion& motion) {
  const rig::Joint& root = rig.joints()[0];
  const Mat3d turn = to_matrix(axis_angle(Vec3d{0, 1, 0}, move.turn));
  turn_joint(angle_frame(root, {}), turn, motion.frame_angles(frame)[0]);
  const Vec3d at_rest = rig.world_from_rest()[0].translation.cast<double>();
  Vec3& translation = motion.root_translations[at(frame)];
  const Vec3d place = at_rest + translation.cast<double>();
  translation = (move.to + turn * (place - move.pivot) - at_rest).cast<float>();
}

std::vector<Vec3d> trunk_path(const metrics::ClipBody& body, const Motion& motion) {
  const std::vector<Affine> joints = kinematics::joint_matrices(body.subject.rig, motion);
  std::vector<Vec3d> path;
  for (std::size_t i = at(body.trunk); i < joints.size(); i += body.subject.rig.joints().size()) {
    path.push_back(joints[i].translation.cast<double>());
  }
  return path;
}

metrics::GroundMove whole_move(const metrics::ClipBody& body, const Motion& motion) {
  const std::vector<Affine> joints = kinematics::joint_matrices(body.subject.rig, motion);
  return metrics::ground_move(joints[at(body.trunk)],
                              joints[joints.size() - body.subject.rig.joints().size() + at(body.trunk)]);
}

double share_of(const Motion& motion, int frame) { return static_cast<double>(frame) / (motion.frame_count() - 1); }

/// Takes a way and a turn out of a motion evenly, or puts them back.
void spread_move(const rig::Rig& rig, const metrics::GroundMove& whole, bool back, Motion& motion) {
  for (int f = 0; f < motion.frame_count(); ++f) {
    const double s = share_of(motion, f);
    const Vec3d along = whole.from + s * whole.way;
    move_body(rig, f, back ? BodyMove{whole.from, along, s * whole.turn} : BodyMove{along, whole.from, -s * whole.turn},
              motion);
  }
}

/// Leads a body that veers straight ahead: every step is turned back by what the body has turned until then.
void unbend_path(const metrics::ClipBody& body, double turn, Motion& motion) {
  const std::vector<Vec3d> path = trunk_path(body, motion);
  Vec3d now = path[0];
  for (int f = 0; f < motion.frame_count(); ++f) {
    const double back = -turn * share_of(motion, f);
    if (f > 0) {
      const Vec3d step = path[at(f)] - path[at(f - 1)];
      now += to_matrix(axis_angle(Vec3d{0, 1, 0}, back + 0.5 * turn * share_of(motion, 1))) * step;
    }
    move_body(body.subject.rig, f, {path[at(f)], {now.x, path[at(f)].y, now.z}, back}, motion);
  }
}

/// Takes a bow out of a path: what two waves that vanish at both ends tell of how far it is aside.
void unbow_path(const metrics::ClipBody& body, Motion& motion) {
  const std::vector<Vec3d> path = trunk_path(body, motion);
  Vec3d ahead = path.back() - path.front();
  ahead.y = 0, ahead = normalized(ahead);
  const Vec3d aside{ahead.z, 0, -ahead.x};
  std::array<double, 2> size{};
  const int frames = motion.frame_count();
  for (std::size_t k = 0; k < size.size(); ++k) {
    double product = 0, square = 0;
    for (int f = 0; f < frames; ++f) {
      const double wave = std::sin(kPi * static_cast<double>(k + 1) * share_of(motion, f));
      product += wave * dot(path[at(f)] - path[0], aside), square += wave * wave;
    }
    size[k] = product / square;
  }
  for (int f = 0; f < frames; ++f) {
    double off = 0;
    for (std::size_t k = 0; k < size.size(); ++k) {
      off += size[k] * std::sin(kPi * static_cast<double>(k + 1) * share_of(motion, f));
    }
    motion.root_translations[at(f)] -= (off * aside).cast<float>();
  }
}

/// Moves what other joints carry the body by to the first that does.
void gather_carriers(const metrics::ClipBody& body, const std::vector<int>& carriers, Motion& motion) {
  const rig::Rig& rig = body.subject.rig;
  const auto world_of = [&](int joint) {
    const rig::Joint& moved = rig.joints()[at(joint)];
    const Mat3d own = moved.parent_from_frame.linear.cast<double>();
    return moved.parent >= 0 ? rig.world_from_rest()[at(moved.parent)].linear.cast<double>() * own : own;
  };
  const auto override_of = [&](int joint) {
    return std::find_if(motion.overrides.begin(), motion.overrides.end(), [&](const kinematics::JointOverride& o) {
      return o.joint == joint && !o.translations.empty();
    });
  };
  const int first = carriers.front();
  for (std::size_t k = 1; k < carriers.size(); ++k) {
    const auto from = override_of(carriers[k]);
    if (from == motion.overrides.end()) continue;
    const Mat3d world = world_of(carriers[k]), back = inverse(world);
    Vec3d way = world * (from->translations.back() - from->translations.front()).cast<double>();
    way.y = 0;
    for (int f = 0; f < motion.frame_count(); ++f) {
      const Vec3d moved = share_of(motion, f) * way;
      from->translations[at(f)] -= (back * moved).cast<float>();
      if (first == 0) {
        motion.root_translations[at(f)] += moved.cast<float>();
      } else {
        override_of(first)->translations[at(f)] += (inverse(world_of(first)) * moved).cast<float>();
      }
    }
  }
}

// --- loops -----------------------------------------------------------------------------------------------------------

/// The first frame once more, as far ahead of the last one as the steps around it are.
void append_first(const metrics::ClipBody& body, Motion& motion) {
  const std::vector<Vec3d> path = trunk_path(body, motion);
  const std::size_t last = path.size() - 1;
  const bool travels = metrics::drift(body, motion).travels();
  const std::vector<Vec3> first(motion.frame_angles(0).begin(), motion.frame_angles(0).end());
  motion.angles.insert(motion.angles.end(), first.begin(), first.end());
  Vec3d way;
  if (travels) {
    way = path[last] + 0.5 * (path[1] - path[0] + path[last] - path[last - 1]) - path[0];
    way.y = 0;
  }
  motion.root_translations.push_back(motion.root_translations[0] + way.cast<float>());
  for (kinematics::JointOverride& over : motion.overrides) {
    if (!over.translations.empty()) over.translations.push_back(over.translations.front());
    if (!over.scales.empty()) over.scales.push_back(over.scales.front());
  }
}

/// From -1/2 to 1/2: half of a gap is closed at each end.
double gap_share(const Motion& motion, int frame) { return share_of(motion, frame) - 0.5; }

void close_values(const Motion& motion, std::vector<Vec3>& values) {
  if (values.empty()) return;
  const Vec3d gap = (values.back() - values.front()).cast<double>();
  for (int f = 0; f < motion.frame_count(); ++f) values[at(f)] -= (gap_share(motion, f) * gap).cast<float>();
  values.back() = values.front();
}

void close_poses(Motion& motion) {
  const int last = motion.frame_count() - 1;
  for (std::size_t j = 0; j < at(motion.joint_count); ++j) {
    const Vec3d gap = vector_of(conjugate(turned(motion, 0, j)) * turned(motion, last, j));
    if (norm(gap) > 0) {
      for (int f = 0; f <= last; ++f) {
        set_turn(motion, f, j, turned(motion, f, j) * quat_of(-gap_share(motion, f) * gap));
      }
    }
    set_turn(motion, last, j, turned(motion, 0, j));
  }
  close_values(motion, motion.root_translations);
  for (kinematics::JointOverride& over : motion.overrides) {
    close_values(motion, over.translations), close_values(motion, over.scales);
  }
}

/// What a change of velocity by one adds near both ends: nothing at them, and half of it in slope.
double bend_share(int frames, int frame) {
  const double reach = std::max(2.0, 0.25 * (frames - 1));
  const double from = frame, to = frames - 1 - frame;
  const auto bump = [&](double steps) {
    const double u = steps / reach;
    return u < 1 ? -0.5 * reach * u * (1 - u) * (1 - u) : 0.0;
  };
  return bump(from) + bump(to);
}

void meet_velocities(Motion& motion) {
  const int frames = motion.frame_count(), last = frames - 1;
  for (std::size_t j = 0; j < at(motion.joint_count); ++j) {
    const Vec3d out = vector_of(conjugate(turned(motion, 0, j)) * turned(motion, 1, j));
    const Vec3d in = vector_of(conjugate(turned(motion, last - 1, j)) * turned(motion, last, j));
    if (norm(out - in) < 1e-6) continue;
    for (int f = 1; f < last; ++f) {
      set_turn(motion, f, j, turned(motion, f, j) * quat_of(bend_share(frames, f) * (out - in)));
    }
  }
  const auto meet = [&](std::vector<Vec3>& values) {
    if (values.empty()) return;
    const Vec3d change = (values[1] - values[0] - values[at(last)] + values[at(last - 1)]).cast<double>();
    for (int f = 1; f < last; ++f) values[at(f)] += (bend_share(frames, f) * change).cast<float>();
  };
  meet(motion.root_translations);
  for (kinematics::JointOverride& over : motion.overrides) meet(over.translations), meet(over.scales);
}

// --- the ground ------------------------------------------------------------------------------------------------------

/// A motion with the floor at zero, and where it closes without its last frame, as a loop: what is done near one end is
/// done round the corner.
class GroundWork {
 public:
  GroundWork(const metrics::ClipBody& body, const std::string& name, Motion& motion)
      : body_(body), motion_(motion), original_(motion), level_(body) {
    const Measured measured = measure(body, motion, name);
    closes_ = measured.meant.loops && measured.loop.gap <= metrics::kOpenLoop && motion.frame_count() > 3;
    raise(-body.floor);
    if (closes_) cut_last();
    level_.floor = 0;
  }

  Motion& motion() { return motion_; }
  const metrics::ClipBody& level() const { return level_; }
  bool closes() const { return closes_; }
  int frames() const { return motion_.frame_count(); }
  metrics::GroundMeeting meet() const { return metrics::meet_ground(level_, motion_); }

  void raise(float by) {
    for (Vec3& translation : motion_.root_translations) translation.y += by;
  }

  /// How far every leg should go up or down becomes what it does.
  void move_feet(const metrics::GroundMeeting& ground, const std::vector<std::vector<float>>& lifts) {
    for (std::size_t k = 0; k < lifts.size(); ++k) move_foot(level_, ground.legs[k], lifts[k], motion_);
  }

  /// Back to a motion with its last frame, over its own floor.
  void finish() {
    if (closes_) put_last();
    raise(body_.floor);
  }

 private:
  void cut_last() {
    motion_.angles.resize(motion_.angles.size() - at(motion_.joint_count));
    motion_.root_translations.pop_back();
    for (kinematics::JointOverride& over : motion_.overrides) {
      if (!over.translations.empty()) over.translations.pop_back();
      if (!over.scales.empty()) over.scales.pop_back();
    }
    motion_.loops = true;
  }

  /// The first frame again, where the last one was over the ground.
  void put_last() {
    const std::vector<Vec3> first(motion_.frame_angles(0).begin(), motion_.frame_angles(0).end());
    motion_.angles.insert(motion_.angles.end(), first.begin(), first.end());
    // Ground work does not turn the root, whose turn the last frame may have further.
    motion_.angles[motion_.angles.size() - at(motion_.joint_count)] = original_.frame_angles(frames())[0];
    Vec3 place = original_.root_translations.back();
    place.y = motion_.root_translations.front().y;
    motion_.root_translations.push_back(place);
    for (kinematics::JointOverride& over : motion_.overrides) {
      for (const kinematics::JointOverride& before : original_.overrides) {
        if (before.joint != over.joint) continue;
        if (!over.translations.empty()) over.translations.push_back(before.translations.back());
        if (!over.scales.empty()) over.scales.push_back(before.scales.back());
      }
    }
    motion_.loops = false;
  }

  const metrics::ClipBody& body_;
  Motion& motion_;
  Motion original_;
  metrics::ClipBody level_;
  bool closes_ = false;
};

float median_height(const std::vector<metrics::Stance>& stances) {
  std::vector<float> heights;
  for (const metrics::Stance& stance : stances) heights.push_back(stance.height);
  const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

/// Frames until a stance, round the corner where the motion closes; 0 in it.
int distance_to(const metrics::Stance& stance, int frame, int frames, bool closes) {
  const auto outside = [&](int f) {
    return f < stance.from ? stance.from - f : f >= stance.to ? f - stance.to + 1 : 0;
  };
  if (!closes) return outside(frame);
  return std::min({outside(frame), outside(frame + frames), outside(frame - frames)});
}

/// Per leg and frame: how far down stances are to go, eased in before and out after.
std::vector<std::vector<float>> stance_lifts(const GroundWork& work, const metrics::GroundMeeting& ground, double fps) {
  const double ease = std::max(1.0, kEase * fps);
  std::vector<std::vector<float>> lifts(ground.legs.size(), std::vector<float>(at(work.frames()), 0));
  for (const metrics::Stance& stance : ground.stances) {
    if (stance.height <= 0.5f * metrics::kTouching) continue;
    const auto leg =
        static_cast<std::size_t>(std::find(ground.legs.begin(), ground.legs.end(), stance.limb) - ground.legs.begin());
    for (int f = 0; f < work.frames(); ++f) {
      const double t = distance_to(stance, f, work.frames(), work.closes()) / (ease + 1);
      if (t >= 1) continue;
      const auto lift = static_cast<float>(-double(stance.height - kClearance) * 0.5 * (1 + std::cos(kPi * t)));
      lifts[leg][at(f)] = std::min(lifts[leg][at(f)], lift);
    }
  }
  return lifts;
}

/// Per leg and frame: how far up what is below the floor is to go, evenly.
std::vector<std::vector<float>> rising_lifts(const metrics::GroundMeeting& ground, double fps, bool closes) {
  std::vector<std::vector<float>> lifts;
  for (const std::vector<float>& lowest : ground.leg_lowest) {
    std::vector<float> needs;
    for (const float low : lowest) needs.push_back(low < -0.5f * metrics::kSunkPoint ? -low : 0.0f);
    lifts.push_back(physics::even_cover(needs, std::max(1, static_cast<int>(std::lround(0.5 * kEase * fps))), closes));
  }
  return lifts;
}

float deepest(const metrics::GroundMeeting& ground) {
  return -*std::min_element(ground.lowest.begin(), ground.lowest.end());
}

}  // namespace

void fill_flips(const metrics::ClipBody& body, Motion& motion) {
  const std::vector<metrics::JointFlip> flips = metrics::joint_flips(body, motion);
  for (std::size_t k = 0; k + 1 < flips.size(); ++k) {
    const metrics::JointFlip &away = flips[k], &back = flips[k + 1];
    if (away.joint != back.joint || back.frame - away.frame > kLongestFlip) continue;
    const auto j = at(away.joint);
    const Quatd from = turned(motion, away.frame - 1, j), to = turned(motion, back.frame, j);
    if (angle_between(from, to) > metrics::kMostStep) continue;
    for (int f = away.frame; f < back.frame; ++f) {
      set_turn(motion, f, j, slerp(from, to, static_cast<double>(f - away.frame + 1) / (back.frame - away.frame + 1)));
    }
    ++k;
  }
}

void take_out_drift(const metrics::ClipBody& body, Motion& motion) {
  const metrics::Drift drift = metrics::drift(body, motion);
  if (!drift.travels()) {
    spread_move(body.subject.rig, whole_move(body, motion), false, motion);
    return;
  }
  if (std::abs(drift.turn) > metrics::kMostTurn) unbend_path(body, drift.turn, motion);
  if (metrics::drift(body, motion).bend > metrics::kMostBend) unbow_path(body, motion);
  if (drift.carriers.size() > 1) gather_carriers(body, drift.carriers, motion);
}

void close_clip(const metrics::ClipBody& body, Motion& motion) {
  if (motion.frame_count() < 3) return;
  if (metrics::loop_gap(body, motion).lacks_last) append_first(body, motion);
  const metrics::GroundMove whole = whole_move(body, motion);
  spread_move(body.subject.rig, whole, false, motion);
  if (metrics::loop_gap(body, motion).gap > metrics::kOpenLoop) close_poses(motion);
  if (!metrics::velocities_meet(metrics::loop_gap(body, motion))) meet_velocities(motion);
  spread_move(body.subject.rig, whole, true, motion);
}

void touch_floor(const metrics::ClipBody& body, const std::string& name, Motion& motion) {
  GroundWork work(body, name, motion);
  metrics::GroundMeeting ground = work.meet();
  // What hovers as a whole comes down as a whole: no joint has to turn for it.
  const float hover = -deepest(ground);
  const float above = ground.stances.empty() ? hover : std::max(median_height(ground.stances), hover);
  if (above > metrics::kTouching) {
    work.raise(kClearance - above);
    ground = work.meet();
  }
  // A leg that cannot stretch farther comes nearer from round to round, as the body does not.
  for (int round = 0; round < 2; ++round) {
    work.move_feet(ground, stance_lifts(work, ground, motion.fps));
    ground = work.meet();
  }
  work.move_feet(ground, rising_lifts(ground, motion.fps, work.closes()));
  work.finish();
}

void rise_from_floor(const metrics::ClipBody& body, const std::string& name, Motion& motion) {
  GroundWork work(body, name, motion);
  metrics::GroundMeeting ground = work.meet();
  if (!ground.stances.empty()) {
    const float below = -median_height(ground.stances);
    if (below > metrics::kSunkPoint) {
      work.raise(below);
      ground = work.meet();
    }
  }
  work.move_feet(ground, rising_lifts(ground, motion.fps, work.closes()));
  if (deepest(work.meet()) > metrics::kSunkPoint) {
    const auto puppet = physics::make_puppet(work.level().subject, work.motion());
    if (puppet.ok()) {
      physics::give_way(*puppet, work.level().subject, physics::find_slack(*puppet, work.level().subject),
                        work.motion());
    }
  }
  if (deepest(work.meet()) > metrics::kSunkPoint) {
    physics::clear_ground(work.level().subject, kMostRaise, work.motion());
  }
  work.finish();
}

}  // namespace limber::mend
