// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "limber/asset/asset.h"

/// Numbers of a file that are NaN or infinite. Engines open such files, so limber does: something sane stands in for
/// the number in memory, and one warning per array says so. Private to the module.
namespace limber::asset {

/// What stands in for elements of an array that are not finite.
enum class StandIn : std::uint8_t {
  kPrevious,    ///< the finite element before; at the start the first finite one, and zero where there is none
  kZero,        ///< for the numbers that are not finite, and for those alone
  kOne,         ///< likewise
  kUp,          ///< +Y instead of the element
  kTangent,     ///< +X instead of the element, and handedness one
  kNoRotation,  ///< the quaternion (0, 0, 0, 1) instead of the element
  kRest         ///< what the node or joint has at rest
};

/// Which elements were mended, and how.
struct Mended {
  std::size_t count = 0;  ///< elements with a number that is not finite
  std::size_t first = 0;  ///< index of the first of them
  StandIn by = StandIn::kZero;

  /// "element 7 and 3 others are not finite; zero stands in". Only where `count` is not zero.
  std::string sentence() const;
};

/// Mends elements of `components` numbers each, in any way but kRest.
Mended mend(std::span<float> numbers, std::size_t components, StandIn by);

/// The same for a `Vector` that is made of nothing but floats.
template <class Vector>
Mended mend(std::vector<Vector>& values, StandIn by) {
  constexpr std::size_t kComponents = sizeof(Vector) / sizeof(float);
  return mend({reinterpret_cast<float*>(values.data()), values.size() * kComponents}, kComponents, by);
}

/// Mends the values of a channel of `node`, `width` numbers each: tangents become zero, values those of the node at
/// rest. `mesh_weights` are the morph weights that count where the node has none of its own.
Mended mend_values(Channel& channel, std::size_t width, const Node& node, std::span<const float> mesh_weights);

/// Where nodes are at rest, found out when it is first asked for. They must be a forest and outlive this.
class RestPlaces {
 public:
  explicit RestPlaces(const std::vector<Node>& nodes) : nodes_(nodes) {}
  const Affined& world_from_node(int node);

 private:
  const std::vector<Node>& nodes_;
  std::vector<Affined> world_from_node_;
};

/// Mends the skin's inverse bind matrices: at rest, a joint with a mended one moves a vertex just as the first joint
/// with a finite one does, or not at all where no matrix is finite.
Mended mend_inverse_bind(Skin& skin, RestPlaces& rest);

}  // namespace limber::asset
