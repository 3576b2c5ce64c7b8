// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/retarget/retarget_motion.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "limber/base/at.h"
#include "limber/physics/ground.h"
#include "limber/retarget/alike.h"
#include "limber/retarget/body.h"
#include "limber/retarget/follow.h"
#include "limber/retarget/legs.h"
#include "limber/retarget/limb_map.h"
#include "limber/retarget/limb_retarget.h"
#include "limber/retarget/map_bodies.h"
#include "limber/retarget/swing.h"

namespace limber::retarget {
namespace {

using rig::LimbKind;

/// Of the body's size: joints of one skeleton are where those of the other are.
constexpr double kSamePlace = 0.01;
/// Seconds over which the heading of the feet is evened: hips sway, feet do not.
constexpr double kHeadingSeconds = 0.25;
/// Radians: a body that leans this far takes its feet along, and one that lies does wholly.
constexpr double kLeans = 0.7, kLies = 1.3;
/// Of a leg's direction that is up or down: who stands like people do.
constexpr double kStraight = 0.8;

bool same_skeleton(const rig::Rig& a, const rig::Rig& b, double size) {
  if (a.joint_count() != b.joint_count() || !are_alike(a, b)) return false;
  for (int j = 0; j < a.joint_count(); ++j) {
    const int other = b.find(a.joints()[at(j)].name);
    if (other < 0) return false;
    const Vec3 way = a.world_from_rest()[at(j)].translation - b.world_from_rest()[at(other)].translation;
    if (norm(way.cast<double>()) > kSamePlace * size) return false;
    const int parent = a.joints()[at(j)].parent, other_parent = b.joints()[at(other)].parent;
    if (parent >= 0 && (other_parent < 0 || a.joints()[at(parent)].name != b.joints()[at(other_parent)].name))
      return false;
  }
  return true;
}

/// Whether a body has two legs that stand as those of people: thighs and shins nearly upright. Hind legs of animals do
/// not.
bool stands_like_people(const Body& body) {
  const auto legs = std::count_if(body.chains.begin(), body.chains.end(),
                                  [](const Chain& chain) { return chain.limb.kind == LimbKind::kLeg; });
  const std::optional<LimbMap> map = find_limb_map(body.rig);
  if (!map || legs != 2) return false;
  for (int side = 0; side < 2; ++side) {
    const Vec3d hip = map->place(sided(LimbPart::kThigh, side)), knee = map->place(sided(LimbPart::kShin, side)),
                ankle = map->place(sided(LimbPart::kFoot, side));
    if (normalized(hip - knee).y < kStraight || normalized(knee - ankle).y < kStraight) return false;
  }
  return true;
}

class BodyRetarget {
 public:
  BodyRetarget(const Body& source, const Body& target, const Leads& leads, const kinematics::Motion& motion)
      : source_(source),
        target_(target),
        played_(play(source.rig, motion)),
        result_{kinematics::rest_motion(target.rig, motion.frame_count(), motion.fps), {}, {}, 0} {
    result_.motion.loops = motion.loops;
    turned_.joints = target.rig.joints().size();
    turned_.turns.resize(at(played_.frames()) * turned_.joints), turned_.places.resize(turned_.turns.size());
    course_.fps = motion.fps, course_.loops = motion.loops;
    follow(leads);
  }

  /// Limb by limb.
  void move() {
    for (int f = 0; f < played_.frames(); ++f) {
      turn_all(f);
      pose(target_.rig, f, turned_, result_.motion);
    }
    place_root();
    place_feet();
  }

  /// People move as people; only what they have besides is led by its own kind.
  void take(const kinematics::Motion& motion) {
    result_.motion = motion, people_ = true;
    turned_ = play(target_.rig, motion);
    bool more = false;
    for (const auto& limb : follows_) more = more || (limb && is_extra(*limb));
    for (int f = 0; f < played_.frames() && (more || !joints_.empty()); ++f) {
      for (int j = 0; j < target_.rig.joint_count(); ++j) turn_extra(f, j);
      pose(target_.rig, f, turned_, result_.motion);
    }
    stand_people();
  }

  RetargetedMotion finish(const Leads& leads) {
    bool swinging = false;
    for (std::size_t c = 0; c < leads.chains.size(); ++c) {
      if (leads.chains[c].how != How::kSwings) continue;
      swing(target_, target_.chains[c], result_.motion.fps, result_.motion.loops, turned_), swinging = true;
    }
    if (swinging) {
      for (int f = 0; f < played_.frames(); ++f) {
        follow_swings(f, leads);
        pose(target_.rig, f, turned_, result_.motion);
      }
    }
    measure();
    return std::move(result_);
  }

 private:
  void follow(const Leads& leads) {
    chain_of_.assign(turned_.joints, -1);
    for (std::size_t c = 0; c < target_.chains.size(); ++c) {
      follows_.push_back(nullptr);
      for (const int j : target_.chains[c].joints) chain_of_[at(j)] = static_cast<int>(c);
      if (leads.chains[c].chain < 0) continue;
      follows_.back() = std::make_unique<LimbFollow>(source_, played_, target_, static_cast<int>(c), leads.chains[c]);
    }
    joints_ = leads.joints;
  }

  /// A joint that was asked for turns as the source's does, whatever its limb says.
  bool turn_joint(int frame, int joint) {
    for (const auto& [from, to] : joints_) {
      if (to == joint) return turned_.turn(frame, joint) = played_.turn(frame, from), true;
    }
    return false;
  }

  /// Joints that nothing leads go on with their parents.
  void turn_all(int frame) {
    for (int j = 0; j < target_.rig.joint_count(); ++j) {
      const int parent = target_.rig.joints()[at(j)].parent, chain = chain_of_[at(j)];
      if (chain >= 0 && follows_[at(chain)]) {
        if (target_.chains[at(chain)].joints[0] == j) follows_[at(chain)]->turn(frame, turned_);
      } else {
        turned_.turn(frame, j) = parent < 0 ? Quatd{} : turned_.turn(frame, parent);
      }
      turn_joint(frame, j);
    }
  }

  static bool leads_leg(const LimbFollow& limb) { return limb.lead_chain().limb.kind == LimbKind::kLeg; }

  static bool is_extra(const LimbFollow& limb) {
    switch (limb.chain().limb.kind) {
      case LimbKind::kTrunk:
      case LimbKind::kNeck:
      case LimbKind::kHead:
      case LimbKind::kArm:
      case LimbKind::kLeg:
        return false;
      default:
        return true;
    }
  }

  void turn_extra(int frame, int joint) {
    const int chain = chain_of_[at(joint)], parent = target_.rig.joints()[at(joint)].parent;
    if (chain >= 0 && follows_[at(chain)] && is_extra(*follows_[at(chain)])) {
      if (target_.chains[at(chain)].joints[0] == joint) follows_[at(chain)]->turn(frame, turned_);
    } else if (parent >= 0 && chain_of_[at(parent)] >= 0 && changed(parent)) {
      turned_.turn(frame, joint) = turned_.turn(frame, parent);
    }
    turn_joint(frame, joint);
  }

  /// Whether a joint is of a limb that was turned anew, so that what hangs on it has to go along.
  bool changed(int joint) const {
    const int chain = chain_of_[at(joint)];
    return chain >= 0 && follows_[at(chain)] && is_extra(*follows_[at(chain)]);
  }

  /// What hangs on a limb that swings goes along; `swing` turned the limb itself.
  void follow_swings(int frame, const Leads& leads) {
    for (int j = 1; j < target_.rig.joint_count(); ++j) {
      const int parent = target_.rig.joints()[at(j)].parent, chain = chain_of_[at(j)], above = chain_of_[at(parent)];
      const bool own = chain >= 0 && leads.chains[at(chain)].how == How::kSwings;
      if (!own && above >= 0 && leads.chains[at(above)].how == How::kSwings) {
        turned_.turn(frame, j) = turned_.turn(frame, parent);
      }
    }
  }

  /// The middle between where legs leave the body that lead one another, or the trunk's first joint. In the source as
  /// often as in the target, so that both mean the same place.
  void place_root() {
    std::vector<int> from, to;
    for (std::size_t c = 0; c < follows_.size(); ++c) {
      const Chain& chain = target_.chains[c];
      if (chain.limb.kind != LimbKind::kLeg || !follows_[c] || !leads_leg(*follows_[c])) continue;
      from.push_back(follows_[c]->lead_chain().joints[0]), to.push_back(chain.joints[0]);
    }
    const bool legged = !from.empty();
    if (!legged) from.push_back(source_.trunk), to.push_back(target_.trunk);
    course_.ratio = legged ? target_.leg_length / source_.leg_length : target_.size / source_.size;
    // Who stands on legs that nothing leads cannot glide along.
    course_.stays = !legged && target_.leg_length > 0;
    const auto middle = [](const std::vector<int>& joints, const auto& place) {
      Vec3d sum;
      for (const int j : joints) sum += place(j) / static_cast<double>(joints.size());
      return sum;
    };
    course_.source_rest = middle(from, [&](int j) { return source_.place(j); });
    course_.target_rest = middle(to, [&](int j) { return target_.place(j); });
    for (int f = 0; f < played_.frames(); ++f) {
      course_.source.push_back(middle(from, [&](int j) { return played_.place(f, j); }));
      Vec3d goal = course_.target_rest + course_.ratio * (course_.source.back() - course_.source_rest);
      if (course_.stays) goal.x = course_.target_rest.x, goal.z = course_.target_rest.z;
      move_all(f, goal - middle(to, [&](int j) { return turned_.place(f, j); }));
      course_.target.push_back(goal);
    }
    find_headings();
  }

  void move_all(int frame, Vec3d by) {
    Vec3& root = result_.motion.root_translations[at(frame)];
    root = (root.cast<double>() + by).cast<float>();
    for (int j = 0; j < target_.rig.joint_count(); ++j) turned_.place(frame, j) += by;
  }

  void find_headings() {
    const int frames = played_.frames();
    std::vector<double> angles;
    for (int f = 0; f < frames; ++f) {
      const Vec3d ahead = rotate(played_.turn(f, source_.trunk), Vec3d{0, 0, 1});
      const double last = angles.empty() ? 0 : angles.back();
      double angle = std::hypot(ahead.x, ahead.z) > 0.4 ? std::atan2(ahead.x, ahead.z) : last;
      angle += 2 * kPi * std::round((last - angle) / (2 * kPi));
      angles.push_back(angle);
    }
    const int window = static_cast<int>(std::lround(kHeadingSeconds * result_.motion.fps));
    for (int f = 0; f < frames; ++f) {
      double sum = 0;
      const int reach = course_.loops ? window : std::min({window, f, frames - 1 - f});
      for (int k = f - reach; k <= f + reach; ++k) {
        sum += angles[at(((k % frames) + frames) % frames)] / (2 * reach + 1);
      }
      const Quatd heading = axis_angle(Vec3d{0, 1, 0}, sum), body = played_.turn(f, source_.trunk);
      const double tilt = std::acos(std::clamp(rotate(body, Vec3d{0, 1, 0}).y, -1.0, 1.0));
      const double t = std::clamp((tilt - kLeans) / (kLies - kLeans), 0.0, 1.0);
      course_.turns.push_back(slerp(heading, body, t * t * (3 - 2 * t)));
    }
  }

  void place_feet() {
    for (std::size_t c = 0; c < target_.chains.size(); ++c) {
      const Chain& chain = target_.chains[c];
      if (chain.limb.kind != LimbKind::kLeg) continue;
      feet_.push_back(place_foot(source_, played_, chain, follows_[c].get(), course_));
    }
    bend_legs();
  }

  void bend_legs() {
    const std::vector<double> drops = needed_drops(target_, turned_, feet_, course_);
    for (int f = 0; f < played_.frames() && !feet_.empty(); ++f) {
      move_all(f, {0, -drops[at(f)], 0});
      for (const Foot& foot : feet_) bend_leg(target_, foot, f, turned_);
      follow_legs(f);
      pose(target_.rig, f, turned_, result_.motion);
    }
    for (const Foot& foot : feet_) add_contact(*foot.chain, foot.planted);
  }

  /// Twists, claws and the like on a leg go on with it.
  void follow_legs(int frame) {
    for (int j = 1; j < target_.rig.joint_count(); ++j) {
      const int chain = chain_of_[at(j)];
      const bool led = chain >= 0 && (follows_[at(chain)] || target_.chains[at(chain)].limb.kind == LimbKind::kLeg);
      if (!led) turned_.turn(frame, j) = turned_.turn(frame, target_.rig.joints()[at(j)].parent);
      turn_joint(frame, j);
    }
  }

  void add_contact(const Chain& leg, std::vector<bool> planted) {
    if (std::find(planted.begin(), planted.end(), true) == planted.end()) return;
    const Affined rest = target_.rig.world_from_rest()[at(leg.sole_joint)].cast<double>();
    result_.planted.push_back({leg.sole_joint, (inverse(rest) * leg.sole).cast<float>(), std::move(planted)});
  }

  /// Recordings slide a little where they stand, and people's feet with them: here they do not.
  void stand_people() {
    for (int f = 0; f < played_.frames(); ++f) course_.target.push_back(turned_.place(f, target_.trunk));
    for (std::size_t c = 0; c < target_.chains.size(); ++c) {
      const Chain& chain = target_.chains[c];
      if (chain.limb.kind != LimbKind::kLeg || !follows_[c] || !leads_leg(*follows_[c])) continue;
      feet_.push_back(keep_foot(source_, played_, target_, turned_, chain, *follows_[c], course_));
    }
    bend_legs();
  }

  void measure() {
    if (people_) {
      result_.direction_error = people_error();
      return;
    }
    double sum = 0;
    int count = 0;
    for (const auto& limb : follows_) {
      if (!limb) continue;
      const LimbKind kind = limb->chain().limb.kind;
      if (kind != LimbKind::kLeg && !points(kind)) continue;
      for (int f = 0; f < played_.frames(); ++f) sum += limb->direction_error(f, turned_), ++count;
    }
    result_.direction_error = count > 0 ? sum / count : 0;
  }

  /// Of upper arms and forearms, thighs and shins.
  double people_error() const {
    const LimbMap from = *find_limb_map(source_.rig), to = *find_limb_map(target_.rig);
    double sum = 0;
    int count = 0;
    for (const LimbPart part : {LimbPart::kUpperArm, LimbPart::kForearm, LimbPart::kThigh, LimbPart::kShin}) {
      for (int side = 0; side < 2; ++side) {
        const LimbPart own = sided(part, side), next = sided(static_cast<LimbPart>(static_cast<int>(part) + 2), side);
        if (from.of(next).empty() || to.of(next).empty()) continue;
        for (int f = 0; f < played_.frames(); ++f, ++count) {
          const Vec3d was = played_.place(f, from.first(next)) - played_.place(f, from.first(own)),
                      is = turned_.place(f, to.first(next)) - turned_.place(f, to.first(own));
          sum += std::acos(std::clamp(dot(normalized(was), normalized(is)), -1.0, 1.0));
        }
      }
    }
    return sum / std::max(count, 1);
  }

  const Body &source_, &target_;
  Played played_, turned_;
  RetargetedMotion result_;
  std::vector<std::unique_ptr<LimbFollow>> follows_;  ///< per chain of the target; none where nothing leads it
  std::vector<int> chain_of_;                         ///< per joint of the target, -1 for none
  std::vector<std::pair<int, int>> joints_;
  Course course_;
  std::vector<Foot> feet_;
  bool people_ = false;
};

BodyMap copied_map(const Body& source, const Body& target) {
  BodyMap map;
  for (const Chain& chain : target.chains) {
    map.limbs.push_back({chain.name, source.find(chain.name) < 0 ? "" : chain.name, How::kCopied});
  }
  return map;
}

Status check(const kinematics::Motion& motion, const rig::Subject& source, const MotionSettings& settings) {
  if (motion.frame_count() == 0) return Error{"the motion has no frames", settings.name};
  if (motion.joint_count != source.rig.joint_count()) {
    return Error{"the motion is of another skeleton", settings.name, ErrorKind::kConflict};
  }
  return Done{};
}

}  // namespace

Result<RetargetedMotion> retarget_motion(const rig::Subject& source, const kinematics::Motion& motion,
                                         const rig::Subject& target, const MotionSettings& settings) {
  LIMBER_CHECK_OK(check(motion, source, settings));
  const Body from = make_body(source), to = make_body(target);
  if (settings.corrections.empty() && same_skeleton(source.rig, target.rig, to.size)) {
    return RetargetedMotion{copy_motion(motion, source.rig, target.rig), copied_map(from, to), {}, 0};
  }
  const Played played = play(from.rig, motion);
  const std::vector<double> moves = movement(from, played);
  LIMBER_TRY(const Leads leads, map_bodies(from, played, to, settings.corrections));
  LIMBER_CHECK_OK(check_match(from, to, leads, moves, settings.name));
  BodyRetarget work(from, to, leads, motion);
  if (settings.corrections.empty() && stands_like_people(from) && stands_like_people(to)) {
    work.take(*retarget_by_limbs(motion, from.rig, to.rig));
  } else {
    work.move();
  }
  RetargetedMotion result = work.finish(leads);
  result.map = describe_leads(from, to, leads, moves);
  physics::keep_above_ground(target, result.motion);
  return result;
}

}  // namespace limber::retarget
