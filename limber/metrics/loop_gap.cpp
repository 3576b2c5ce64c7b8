// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/metrics/loop_gap.h"

#include <algorithm>
#include <cmath>

#include "limber/base/at.h"
#include "limber/kinematics/forward.h"

namespace limber::metrics {
namespace {

constexpr double kFollows = 0.4;  ///< of the squared gap: what may be left of it where only a frame is lacking

/// Points of any frame of a motion, as they would be if the body had stayed where it was.
class StayingFrames {
 public:
  StayingFrames(const ClipBody& body, const rig::Subject& subject, const kinematics::Motion& motion)
      : subject_(subject),
        trunk_(body.trunk),
        bones_(kinematics::bone_matrices(subject.rig, motion)),
        joints_(kinematics::joint_matrices(subject.rig, motion)) {
    whole_ = move_to(motion.frame_count() - 1);
  }

  /// As it is, in double.
  void pose(int frame, std::vector<Vec3d>& points) {
    const std::size_t count = at(subject_.rig.bone_count());
    pose_points(subject_, std::span(bones_).subspan(at(frame) * count, count), posed_);
    points.resize(posed_.size());
    for (std::size_t p = 0; p < points.size(); ++p) points[p] = posed_[p].cast<double>();
  }

  Vec3d trunk(int frame) const {
    return joints_[at(frame) * subject_.rig.joints().size() + at(trunk_)].translation.cast<double>();
  }

  /// The way from the first frame to the last one.
  const GroundMove& whole() const { return whole_; }

 private:
  GroundMove move_to(int frame) const {
    const std::size_t count = subject_.rig.joints().size();
    return ground_move(joints_[at(trunk_)], joints_[at(frame) * count + at(trunk_)]);
  }

  const rig::Subject& subject_;
  int trunk_;
  std::vector<Affine> bones_, joints_;
  std::vector<Vec3> posed_;
  GroundMove whole_;
};

double farthest(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double most = 0;
  for (std::size_t p = 0; p < a.size(); ++p) most = std::max(most, squared_norm(a[p] - b[p]));
  return std::sqrt(most);
}

/// Gap of the last frame over every point.
double whole_gap(const ClipBody& body, const kinematics::Motion& motion) {
  StayingFrames frames(body, body.subject, motion);
  std::vector<Vec3d> first, last;
  frames.pose(0, first);
  frames.pose(motion.frame_count() - 1, last);
  for (Vec3d& point : last) point = frames.whole().undo(point);
  return farthest(first, last);
}

}  // namespace

LoopGap loop_gap(const ClipBody& body, const kinematics::Motion& motion) {
  LoopGap loop;
  const int frames = motion.frame_count();
  if (frames < 3) return loop;
  loop.gap = whole_gap(body, motion);

  StayingFrames thin(body, body.thin, motion);
  const GroundMove& whole = thin.whole();
  std::vector<Vec3d> first, second, before, now, step, last_step, change;
  thin.pose(0, first);
  thin.pose(1, second);
  before = first;
  for (int f = 1; f < frames; ++f) {
    thin.pose(f, now);
    loop.reach = std::max(loop.reach, farthest(first, now));
    step.resize(now.size());
    for (std::size_t p = 0; p < now.size(); ++p) step[p] = now[p] - before[p];
    loop.step = std::max(loop.step, farthest(now, before));
    if (f > 1) loop.jolt_within = std::max(loop.jolt_within, farthest(step, last_step) * motion.fps);
    std::swap(step, last_step), std::swap(now, before);
  }
  // The step into the last frame, as it would be if that were the first one, against the step out of that.
  const GroundMove turned{{}, {}, whole.turn};
  Vec3d way = 0.5 * (turned.undo(thin.trunk(frames - 1) - thin.trunk(frames - 2)) + thin.trunk(1) - thin.trunk(0));
  way.y = 0;
  double missing = 0, open = 0;  // sums of squares
  for (std::size_t p = 0; p < first.size(); ++p) {
    const Vec3d in = turned.undo(last_step[p]), out = second[p] - first[p];
    loop.jolt = std::max(loop.jolt, norm(out - in) * motion.fps);
    // The next frame would be a step as those around it further, but for what the body travels in it.
    const Vec3d apart = whole.undo(before[p]) - first[p];
    missing += squared_norm(apart + 0.5 * (in + out) - way), open += squared_norm(apart);
  }
  loop.lacks_last = loop.gap > kOpenLoop && missing < kFollows * open && loop.gap < 1.5 * loop.step;
  return loop;
}

}  // namespace limber::metrics
