// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <span>
#include <vector>

#include "limber/kinematics/motion.h"
#include "limber/rig/subject.h"

/// What limbs do in a cycle: how far they swing, and which comes after which.
namespace limber::metrics {

/// The end of a limb: a point that shows what the chain above it does.
struct LimbEnd {
  int joint = 0;
  Vec3 point;  ///< in the joint's rest frame
};

/// The ends of a body: for every joint that no other of its size hangs on, the point of its skin farthest from where it
/// leaves the body. Joints that lead less than `min_area` of the surface do not count. Of a skeleton without a surface
/// the joints that nothing hangs on.
std::vector<LimbEnd> limb_ends(const rig::Subject& subject, float min_area = 0.005f);

inline constexpr int kGaitHarmonics = 2;
using Swing = std::array<std::complex<double>, 3>;  ///< x, y, z; x(t) = Re(swing e^(2 pi i frequency t))

struct LimbSwing {
  Vec3d mean;                                ///< place over the middle of the body's way; height above the ground
  std::array<Swing, kGaitHarmonics> swings;  ///< of the cycle's frequency and of its multiples
  double amplitude() const;                  ///< of the first
};

/// A motion as a cycle, in least squares: a steady way over the ground, and waves.
struct Gait {
  double frequency = 0;  ///< cycles per second
  double explained = 0;  ///< share of the limbs' movement, 0 to 1
  Vec3d velocity;        ///< of the root, per second
  double movement = 0;   ///< root mean square distance of the limbs' ends from their mean places
  std::vector<LimbSwing> limbs;
};

/// Looks for the frequency between `lowest` and `highest` cycles a second that explains most.
Gait find_gait(const rig::Rig& rig, const kinematics::Motion& motion, std::span<const LimbEnd> ends,
               double lowest = 0.45, double highest = 3.5);

/// How far the order of the limbs differs from that of a reference: mean distance in cycles, 0 to 0.5, after the best
/// common shift; limbs count by how far they swing in the reference. A motion that does not move is 0.25 away from
/// everything: all phases are equally likely.
double phase_error(const Gait& gait, const Gait& reference);

/// How different two motions of one body are, in heights: mean places, waves after the best common shift, speed and
/// frequency. For finding the nearest of several references.
double gait_distance(const Gait& gait, const Gait& reference);

}  // namespace limber::metrics
