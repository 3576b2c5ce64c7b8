// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/base/math.h"
#include "limber/body/body_shape.h"

/// Limbs of a body, traced, covered and paired once, for all who look at them. Private to `body` and `skeleton`.
namespace limber::body {

/// How far beyond the centre of its last sphere a limb ends, in radii of that sphere. A full radius would be the skin
/// itself, which voxels and pointed ends put outside as often as inside; at 0.7 the end of a last bone is in the flesh.
/// Set by hand, and the same for everyone who traces limbs.
inline constexpr double kLimbEnd = 0.7;

/// How far the flesh of a sphere reaches, in radii: what begins nearer has not left it. More than one, as the spheres
/// of a limb do not fill it between them. Set by hand.
inline constexpr double kFlesh = 1.25;

/// How far the end of a limb may lie from the mirror image of its partner's, of the body's size. Bodies of artists are
/// symmetric to a hundredth, but spheres are packed one by one, so that their ends scatter by a radius. Set by hand.
inline constexpr double kPartnerApart = 0.06;

/// What ends nearer to the mirror plane, of the body's size, is in the middle and has no partner. Set by hand: about
/// the distance between thin spheres.
inline constexpr double kInMiddle = 0.015;

enum class LimbEnd : std::uint8_t {
  kLastSphere,  ///< the centre of the last sphere
  kInFlesh      ///< `kLimbEnd` radii beyond it, the way that the limb comes there
};

/// A limb from where it leaves the body to its end.
struct TracedLimb {
  std::vector<int> spheres;
  std::vector<Vec3d> line;  ///< through their centres, until it is made even

  double length() const;
  Vec3d end() const { return line.back(); }
  /// Makes the line `pieces` equally long pieces, drawn straight `rounds` times.
  void make_even(int pieces, int rounds = 0);
};

/// Where a limb ends whose last sphere is `last`, coming from the sphere `before`.
Vec3d limb_end(const BodyShape& body, int last, int before);

/// The limb along a path from sphere `begin` of it on; what comes before tells where the last one points.
TracedLimb trace_limb(const BodyShape& body, std::span<const int> path, LimbEnd end, std::size_t begin = 0);

/// Goes on to the skin, the way that a line ends. For skeletons without a template, whose bones nothing else makes long
/// enough: their tails lie on the skin itself.
void reach_skin(const BodyShape& body, std::vector<Vec3d>& line);

/// The spheres of a body that limbs run through, and the flesh around them.
class LimbCover {
 public:
  explicit LimbCover(const BodyShape& body) : body_(&body), traced_(body.graph.spheres.size(), false) {}
  LimbCover(const BodyShape& body, std::span<const std::vector<int>> limbs);

  void add(std::span<const int> spheres);
  bool runs_through(int sphere) const { return traced_[static_cast<std::size_t>(sphere)]; }

  /// The traced sphere that a sphere is, or in whose flesh (that many radii) it lies with nothing between; -1 for none.
  int covering(int sphere, double flesh = kFlesh) const;
  bool covers(int sphere, double flesh = kFlesh) const { return covering(sphere, flesh) >= 0; }
  /// Whether a point lies in the flesh of a traced sphere.
  bool covers(Vec3d point, double flesh = kFlesh) const;

 private:
  const BodyShape* body_;
  std::vector<bool> traced_;
};

/// Which of `ends` is nearest to the mirror image of `end`, of those that `free` allows (all, where it is empty); -1
/// where none is within `apart`. An end in the plane finds itself.
int find_partner(std::span<const Vec3d> ends, Vec3d end, const MirrorPlane& plane, double apart,
                 const std::vector<bool>& free = {});

/// Partners among the ends of limbs, -1 for none: from the first end on, each takes the nearest that is left behind it.
/// `apart` is of the body's size.
std::vector<int> pair_limbs(const BodyShape& body, std::span<const Vec3d> ends, const MirrorPlane& plane,
                            double apart = kPartnerApart);

}  // namespace limber::body
