// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "limber/asset/gltf_decode.h"

namespace limber::asset {
namespace {

std::optional<Path> to_path(const std::string& name) {
  if (name == "translation") return Path::kTranslation;
  if (name == "rotation") return Path::kRotation;
  if (name == "scale") return Path::kScale;
  if (name == "weights") return Path::kWeights;
  return std::nullopt;
}

/// How many numbers a key has; 0 where the channel moves nothing.
std::size_t key_size(const Asset& asset, const Channel& channel) {
  if (channel.path == Path::kRotation) return 4;
  if (channel.path != Path::kWeights) return 3;
  const int mesh = asset.nodes[static_cast<std::size_t>(channel.node)].mesh;
  if (mesh < 0) return 0;
  const auto& primitives = asset.meshes[static_cast<std::size_t>(mesh)].primitives;
  return primitives.empty() ? 0 : primitives[0].targets.size();
}

Status read_interpolation(const JsonAt& sampler, Channel& channel) {
  std::string name = "LINEAR";
  LIMBER_CHECK_OK(sampler.read("interpolation", name));
  if (name == "STEP") {
    channel.interpolation = Interpolation::kStep;
  } else if (name == "CUBICSPLINE") {
    channel.interpolation = Interpolation::kCubicSpline;
  } else if (name != "LINEAR") {
    return Error{"unknown interpolation \"" + name.substr(0, 40) + "\"", sampler.where("interpolation")};
  }
  return Done{};
}

Status check_times(const std::vector<float>& times, const std::string& where) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] < times[i - 1]) return Error{"key time " + std::to_string(i) + " goes back", where};
  }
  return Done{};
}

/// Fills in times and values.
Status read_keys(DecodeContext& context, const JsonAt& sampler, std::size_t numbers_per_key, Channel& channel) {
  AccessorReader& accessors = context.accessors;
  LIMBER_TRY(const int input, sampler.need_index("input", accessors.size(), "accessor"));
  LIMBER_TRY(const int output, sampler.need_index("output", accessors.size(), "accessor"));
  LIMBER_CHECK_OK(read_interpolation(sampler, channel));
  LIMBER_TRY(channel.times, accessors.floats(input, 1));
  context.warn(input, mend(channel.times, StandIn::kPrevious));
  LIMBER_CHECK_OK(check_times(channel.times, accessors.where(input)));
  LIMBER_TRY(channel.values, accessors.floats(output, channel.path == Path::kWeights ? 1 : numbers_per_key));
  const std::size_t per_key = numbers_per_key * (channel.interpolation == Interpolation::kCubicSpline ? 3 : 1);
  const std::size_t expected = channel.times.size() * per_key;
  if (channel.values.size() < expected) {
    return Error{"has " + std::to_string(channel.values.size()) + " numbers, but its " +
                     std::to_string(channel.times.size()) + " keys need " + std::to_string(expected),
                 accessors.where(output)};
  }
  if (channel.values.size() > expected) {
    context.warn(accessors.where(output), "has more values than keys; the rest is left out");
    channel.values.resize(expected);
  }
  const Asset& asset = context.decoded.asset;
  const Node& node = asset.nodes[static_cast<std::size_t>(channel.node)];
  const std::vector<float> none;
  const auto& weights = node.mesh < 0 ? none : asset.meshes[static_cast<std::size_t>(node.mesh)].weights;
  context.warn(output, mend_values(channel, numbers_per_key, node, weights));
  return Done{};
}

/// The channel, or nothing (and a warning) where it moves something that limber does not show.
Result<std::optional<Channel>> decode_channel(DecodeContext& context, const JsonAt& at,
                                              const std::vector<JsonAt>& samplers) {
  const Asset& asset = context.decoded.asset;
  const auto left_out = [&](const std::string& why) {
    context.warn(at.where(), why + "; left out");
    return std::optional<Channel>();
  };
  Channel channel;
  std::string path;
  LIMBER_TRY(const JsonAt target, at.object("target"));
  LIMBER_CHECK_OK(target.read("path", path));
  LIMBER_CHECK_OK(target.read_index("node", asset.nodes.size(), "node", channel.node));
  const auto known = to_path(path);
  if (!known) return left_out("moves \"" + path.substr(0, 40) + "\"");
  if (channel.node < 0) return left_out("moves no node");
  channel.path = *known;
  const std::size_t numbers_per_key = key_size(asset, channel);
  if (numbers_per_key == 0) return left_out("moves morph weights of a node without morph targets");
  LIMBER_TRY(const int sampler, at.need_index("sampler", samplers.size(), "sampler"));
  LIMBER_CHECK_OK(read_keys(context, samplers[static_cast<std::size_t>(sampler)], numbers_per_key, channel));
  if (channel.times.empty()) return left_out("has no keys");
  return std::optional<Channel>(std::move(channel));
}

}  // namespace

Status decode_clips(DecodeContext& context) {
  LIMBER_TRY(const auto animations, context.document.objects("animations"));
  for (const JsonAt& at : animations) {
    Clip clip;
    LIMBER_CHECK_OK(at.read("name", clip.name));
    LIMBER_TRY(const auto samplers, at.objects("samplers"));
    LIMBER_TRY(const auto channels, at.objects("channels"));
    std::vector<int> indices;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      LIMBER_TRY(auto channel, decode_channel(context, channels[i], samplers));
      if (!channel) continue;
      clip.channels.push_back(std::move(*channel));
      indices.push_back(static_cast<int>(i));
    }
    clip.extras = extras_of(at);
    context.decoded.asset.clips.push_back(std::move(clip));
    context.decoded.channels.push_back(std::move(indices));
  }
  return Done{};
}

}  // namespace limber::asset
