// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/base/math.h"
#include "limber/kinematics/motion.h"
#include "limber/kinematics/upright.h"

/// What a game has to know of clips to play one after the other. Private to `animate`.
namespace limber::animate {

/// A foot comes down.
struct FootDown {
  double seconds = 0;
  int joint = 0;
};

/// Where a body is, and which way it is turned.
struct Standpoint {
  double side = 0, ahead = 0;  ///< heights from where it stands at rest
  double heading = 0;          ///< radians to its left of where it looks at rest
};

/// Poses of a clip, as joints lie around the root's place over the ground, in heights.
struct ClipPoses {
  std::vector<std::vector<Vec3>> poses;
  std::vector<double> seconds;  ///< of each
};

struct ClipFacts {
  std::vector<FootDown> footfalls;  ///< in order; of a loop those of one round
  Standpoint start, end;            ///< of a loop's last frame
  ClipPoses poses;                  ///< 60 at most, spread over the clip
};

/// Facts of clips of one body, which stands upright there.
class PackFacts {
 public:
  explicit PackFacts(const kinematics::Upright& upright);
  /// `motion`: of the body as its file has it.
  ClipFacts of(kinematics::Motion motion) const;

 private:
  kinematics::Upright upright_;
};

/// How one clip leads to another.
struct Transition {
  double end_to_start = 0;  ///< heights that joints are apart, root mean square: where one ends and the other begins
  double nearest = 0;       ///< the same where they are nearest: a loop may be left and entered anywhere
  double leave = 0, enter = 0;  ///< seconds of both clips, there
};
Transition transition(const ClipPoses& from, bool from_loops, const ClipPoses& to, bool to_loops);

/// Poses that are no farther apart cross-fade without a pose in between.
inline constexpr double kFollows = 0.06;

}  // namespace limber::animate
