// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/retarget/body.h"
#include "limber/retarget/map_bodies.h"
#include "limber/retarget/turns.h"

/// How the joints of a limb turn with those of another. Private to `retarget`.
namespace limber::retarget {

/// What is left is right: of turns and places in a body's own frame.
Quatd mirrored(Quatd turn);
Vec3d mirrored(Vec3d place);

/// Joints of a chain of the target by where they are in the chain that leads it, in joints: 1.5 is between the second
/// and the third; below 0: it has no like there (a shoulder blade), and goes on with what it hangs on. As many joints:
/// one by one; one or two more: leaving out those that fit least; otherwise by the share of the length.
std::vector<double> matching_places(const Chain& source, const Chain& target);

class LimbFollow {
 public:
  LimbFollow(const Body& source, const Played& played, const Body& target, int chain, Lead lead);

  /// Turns the joints of the limb in one frame; those above it are turned already, the root first.
  void turn(int frame, Played& result) const;

  const Chain& chain() const { return chain_; }
  const Chain& lead_chain() const { return lead_chain_; }
  bool mirrors() const { return mirrors_; }
  /// Where the source's limb points, from where it leaves to where it ends; unit.
  Vec3d lead_direction(int frame) const;
  /// Of the source, a place that belongs to the leading chain: mirrored where the limb is led by the other side's.
  Vec3d lead_place(int frame, int joint, Vec3d at_rest) const;
  /// Angle between where source and target limb point, from where they leave to where they end; of limbs that go by
  /// how far they are from rest, between how far.
  double direction_error(int frame, const Played& result) const;

 private:
  Quatd lead_turn(int frame, double where) const;
  Vec3d lead_point(int frame, double where) const;
  Quatd from_body(int frame, Quatd turn) const;

  const Body &source_, &target_;
  const Played& played_;
  const Chain& chain_;
  const Chain& lead_chain_;
  bool mirrors_, points_;
  bool calm_ = false;           ///< of a trunk: one stands where the other lies
  int girdle_ = 0;              ///< joints that turn from rest before the first that points
  std::vector<double> where_;   ///< per joint, and of the end
  std::vector<Quatd> to_rest_;  ///< per joint: to the source's rest
};

}  // namespace limber::retarget
