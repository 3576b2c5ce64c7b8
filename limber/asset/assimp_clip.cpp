// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/assimp_steps.h"
#include "limber/base/at.h"

#if defined(LIMBER_WITH_ASSIMP)

#include <assimp/anim.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "limber/asset/not_finite.h"

namespace limber::asset {
namespace {

constexpr double kDefaultTicksPerSecond = 25;  // assimp's own convention for files that do not say

/// A clip in the making.
struct Track {
  double ticks_per_second = kDefaultTicksPerSecond;
  Clip clip;
  std::size_t mended_keys = 0, lost_times = 0;  ///< of numbers that are not finite
};

void append(std::vector<float>& values, const aiVector3D& v) { values.insert(values.end(), {v.x, v.y, v.z}); }
void append(std::vector<float>& values, const aiQuaternion& source) {
  Quat q = normalized(Quat{source.x, source.y, source.z, source.w});
  if (values.size() >= 4) {
    const float* last = values.data() + values.size() - 4;
    if (dot(q, Quat{last[0], last[1], last[2], last[3]}) < 0) q = {-q.x, -q.y, -q.z, -q.w};
  }
  values.insert(values.end(), {q.x, q.y, q.z, q.w});
}

/// Whether a key at `ticks` comes after those of the channel; if so its time is added.
bool add_time(Track& track, Channel& channel, double ticks) {
  const auto time = static_cast<float>(ticks / track.ticks_per_second);
  if (!std::isfinite(time)) {
    ++track.lost_times;
    return false;
  }
  if (!channel.times.empty() && !(time > channel.times.back())) return false;
  channel.times.push_back(time);
  return true;
}

void add_channel(Track& track, Channel channel, std::size_t width, const Node& node,
                 const std::vector<float>& weights) {
  if (channel.times.empty()) return;
  track.mended_keys += mend_values(channel, width, node, weights).count;
  track.clip.channels.push_back(std::move(channel));
}

template <class Key>
void add_keys(Track& track, const NodeTree& tree, int node, Path path, const Key* keys, unsigned count) {
  Channel channel;
  channel.node = node;
  channel.path = path;
  for (unsigned i = 0; i < count; ++i) {
    if (add_time(track, channel, keys[i].mTime)) append(channel.values, keys[i].mValue);
  }
  add_channel(track, std::move(channel), path == Path::kRotation ? 4 : 3, tree.nodes[at(node)], {});
}

void add_morph_keys(Track& track, const NodeTree& tree, const Meshes& meshes, const aiMeshMorphAnim& source) {
  // Assimp appends a star and a number to the node's name for all but the first mesh of a node.
  aiString name = source.mName;
  name.Set(std::string(name.C_Str()).substr(0, std::string_view(name.C_Str()).find('*')));
  const int node = tree.find(name);
  if (node < 0 || meshes.of_node[at(node)] < 0) return;
  const std::vector<float>& rest = meshes.meshes[at(meshes.of_node[at(node)])].weights;
  const auto& channels = track.clip.channels;
  const bool again = std::any_of(channels.begin(), channels.end(), [&](const Channel& other) {
    return other.node == node && other.path == Path::kWeights;
  });
  if (rest.empty() || again) return;
  Channel channel;
  channel.node = node;
  channel.path = Path::kWeights;
  for (unsigned i = 0; i < source.mNumKeys; ++i) {
    const aiMeshMorphKey& key = source.mKeys[i];
    if (!add_time(track, channel, key.mTime)) continue;
    std::vector<float> weights(rest.size(), 0.0f);
    for (unsigned k = 0; k < key.mNumValuesAndWeights; ++k) {
      if (key.mValues[k] < weights.size()) weights[key.mValues[k]] = static_cast<float>(key.mWeights[k]);
    }
    channel.values.insert(channel.values.end(), weights.begin(), weights.end());
  }
  add_channel(track, std::move(channel), rest.size(), tree.nodes[at(node)], rest);
}

// glTF has no time before zero.
void start_at_zero(Clip& clip) {
  float start = 0;
  for (const Channel& channel : clip.channels) start = std::min(start, channel.times.front());
  if (start == 0) return;
  for (Channel& channel : clip.channels) {
    for (float& time : channel.times) time -= start;
  }
}

Clip convert_clip(const aiAnimation& source, const NodeTree& tree, const Meshes& meshes, Warnings& warnings) {
  Track track;
  track.clip.name = source.mName.C_Str();
  if (source.mTicksPerSecond > 0) track.ticks_per_second = source.mTicksPerSecond;
  for (unsigned i = 0; i < source.mNumChannels; ++i) {
    const aiNodeAnim& keys = *source.mChannels[i];
    const int node = tree.find(keys.mNodeName);
    if (node < 0) continue;
    add_keys(track, tree, node, Path::kTranslation, keys.mPositionKeys, keys.mNumPositionKeys);
    add_keys(track, tree, node, Path::kRotation, keys.mRotationKeys, keys.mNumRotationKeys);
    add_keys(track, tree, node, Path::kScale, keys.mScalingKeys, keys.mNumScalingKeys);
  }
  for (unsigned i = 0; i < source.mNumMorphMeshChannels; ++i) {
    add_morph_keys(track, tree, meshes, *source.mMorphMeshChannels[i]);
  }
  if (track.mended_keys > 0) {
    warnings.push_back(fmt::format("{} keys of clip '{}' are not finite; the rest pose stands in", track.mended_keys,
                                   track.clip.name));
  }
  if (track.lost_times > 0) {
    warnings.push_back(
        fmt::format("left out {} keys of clip '{}': their times are not finite", track.lost_times, track.clip.name));
  }
  start_at_zero(track.clip);
  return std::move(track.clip);
}

}  // namespace

std::vector<Clip> convert_clips(const aiScene& scene, const NodeTree& tree, const Meshes& meshes, Warnings& warnings) {
  std::vector<Clip> clips;
  for (unsigned i = 0; i < scene.mNumAnimations; ++i) {
    Clip clip = convert_clip(*scene.mAnimations[i], tree, meshes, warnings);
    if (!clip.channels.empty()) clips.push_back(std::move(clip));
  }
  return clips;
}

}  // namespace limber::asset

#endif
