// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/not_finite.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/asset/pose.h"

namespace limber::asset {
namespace {

bool all_finite(std::span<const float> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); });
}

/// Calls `replace(element, index)` for each element that is not finite.
template <class Replace>
Mended for_each_not_finite(std::span<float> numbers, std::size_t components, StandIn by, const Replace& replace) {
  Mended mended;
  mended.by = by;
  for (std::size_t i = 0; i < numbers.size() / components; ++i) {
    const std::span<float> element = numbers.subspan(i * components, components);
    if (all_finite(element)) continue;
    if (mended.count++ == 0) mended.first = i;
    replace(element, i);
  }
  return mended;
}

Mended mend_with_number(std::span<float> numbers, std::size_t components, StandIn by, float stand_in) {
  return for_each_not_finite(numbers, components, by, [&](std::span<float> element, std::size_t) {
    for (float& x : element) x = std::isfinite(x) ? x : stand_in;
  });
}

Mended mend_with_element(std::span<float> numbers, std::size_t components, StandIn by,
                         const std::array<float, 4>& stand_in) {
  return for_each_not_finite(numbers, components, by, [&](std::span<float> element, std::size_t) {
    std::copy_n(stand_in.begin(), std::min(components, stand_in.size()), element.begin());
  });
}

Mended mend_with_previous(std::span<float> numbers, std::size_t components) {
  // The first finite element serves all those before it.
  std::size_t first = 0;
  while (first < numbers.size() && !all_finite(numbers.subspan(first, components))) first += components;
  std::vector<float> previous(components, 0.0f);
  if (first < numbers.size())
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), components, previous.begin());
  return for_each_not_finite(numbers, components, StandIn::kPrevious, [&](std::span<float> element, std::size_t i) {
    // What lies before has been mended, if need be.
    const float* from = i * components > first ? element.data() - components : previous.data();
    std::copy_n(from, components, element.begin());
  });
}

/// What the channel's property is where nothing moves it.
std::vector<float> rest_value(const Channel& channel, std::size_t width, const Node& node,
                              std::span<const float> mesh_weights) {
  const Transform& t = node.local;
  switch (channel.path) {
    case Path::kTranslation:
      return {t.translation.x, t.translation.y, t.translation.z};
    case Path::kRotation:
      return {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w};
    case Path::kScale:
      return {t.scale.x, t.scale.y, t.scale.z};
    case Path::kWeights:
      break;
  }
  const std::span<const float> weights = node.weights.empty() ? mesh_weights : std::span<const float>(node.weights);
  std::vector<float> result(width, 0.0f);
  std::copy_n(weights.begin(), std::min(width, weights.size()), result.begin());
  return result;
}

const char* name_of(StandIn by) {
  switch (by) {
    case StandIn::kPrevious:
      return "the element before";
    case StandIn::kZero:
      return "zero";
    case StandIn::kOne:
      return "one";
    case StandIn::kUp:
      return "+Y";
    case StandIn::kTangent:
      return "+X";
    case StandIn::kNoRotation:
      return "no rotation";
    case StandIn::kRest:
      return "the rest pose";
  }
  return "";
}

}  // namespace

std::string Mended::sentence() const {
  std::string text = "element " + std::to_string(first);
  if (count == 2) text += " and one other";
  if (count > 2) text += " and " + std::to_string(count - 1) + " others";
  return text + (count == 1 ? " is" : " are") + " not finite; " + name_of(by) + " stands in";
}

Mended mend(std::span<float> numbers, std::size_t components, StandIn by) {
  // Nearly always there is nothing to do.
  if (all_finite(numbers)) return {};
  switch (by) {
    case StandIn::kPrevious:
      return mend_with_previous(numbers, components);
    case StandIn::kZero:
      return mend_with_number(numbers, components, by, 0);
    case StandIn::kOne:
      return mend_with_number(numbers, components, by, 1);
    case StandIn::kUp:
      return mend_with_element(numbers, components, by, {0, 1, 0, 0});
    case StandIn::kTangent:
      return mend_with_element(numbers, components, by, {1, 0, 0, 1});
    case StandIn::kNoRotation:
      return mend_with_element(numbers, components, by, {0, 0, 0, 1});
    case StandIn::kRest:
      break;
  }
  LIMBER_EXPECT(false, "rest values are those of a node");
  return {};
}

Mended mend_values(Channel& channel, std::size_t width, const Node& node, std::span<const float> mesh_weights) {
  if (all_finite(channel.values)) return {};
  const std::vector<float> rest = rest_value(channel, width, node, mesh_weights);
  const bool has_tangents = channel.interpolation == Interpolation::kCubicSpline;
  // Each morph weight stands for itself; a vector or quaternion is replaced as a whole.
  const std::size_t components = channel.path == Path::kWeights ? 1 : width;
  return for_each_not_finite(channel.values, components, StandIn::kRest, [&](std::span<float> element, std::size_t i) {
    // Per key: in-tangent, value, out-tangent.
    const bool is_tangent = has_tangents && i * components / width % 3 != 1;
    for (std::size_t c = 0; c < components; ++c) {
      element[c] = is_tangent ? 0.0f : rest[(i * components + c) % width];
    }
  });
}

const Affined& RestPlaces::world_from_node(int node) {
  if (world_from_node_.empty()) {
    // Without meshes, whose morph weights would be copied to every node that shows them.
    Asset bare;
    bare.nodes.reserve(nodes_.size());
    for (const Node& full : nodes_) {
      Node& copy = bare.nodes.emplace_back();
      copy.local = full.local, copy.matrix = full.matrix, copy.children = full.children;
    }
    world_from_node_ = rest_state(bare).world_from_node;
  }
  return world_from_node_[static_cast<std::size_t>(node)];
}

Mended mend_inverse_bind(Skin& skin, RestPlaces& rest) {
  Mended mended;
  mended.by = StandIn::kRest;
  std::vector<Affine>& matrices = skin.inverse_bind;
  const auto finite = [](const Affine& matrix) { return is_finite(matrix); };
  if (std::all_of(matrices.begin(), matrices.end(), finite)) return mended;
  Affined world_from_bind;
  if (const auto known = std::find_if(matrices.begin(), matrices.end(), finite); known != matrices.end()) {
    const int joint = skin.joints[static_cast<std::size_t>(known - matrices.begin())];
    world_from_bind = rest.world_from_node(joint) * known->cast<double>();
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (finite(matrices[i])) continue;
    if (mended.count++ == 0) mended.first = i;
    const Affined& world_from_joint = rest.world_from_node(skin.joints[i]);
    const Affine joint_from_bind = (inverse(world_from_joint) * world_from_bind).cast<float>();
    const bool usable = determinant(world_from_joint.linear) != 0 && finite(joint_from_bind);
    matrices[i] = usable ? joint_from_bind : Affine{};
  }
  return mended;
}

}  // namespace limber::asset
