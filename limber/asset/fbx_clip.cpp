// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <utility>

#include "limber/asset/fbx_curves.h"
#include "limber/asset/fbx_scene.h"
#include "limber/base/at.h"

namespace limber::asset {
namespace {

constexpr double kTicksPerSecond = 46186158000;  // FBX's clock
constexpr double kLeastScale = 1e-5;
constexpr std::int32_t kLinear = 4;  // how a key goes on to the next

std::int64_t ticks(double seconds) { return std::llround(seconds * kTicksPerSecond); }

/// One curve, below `curve_node` and named there by `property`. All keys share one set of flags.
void add_curve(FbxScene& scene, const std::vector<double>& times, const std::vector<double>& values, FbxId curve_node,
               std::string_view property) {
  std::vector<std::int64_t> key_times;
  std::vector<float> key_values;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::int64_t time = ticks(times[k]);
    if (!key_times.empty() && time <= key_times.back()) continue;
    key_times.push_back(time), key_values.push_back(static_cast<float>(values[k]));
  }
  FbxRecord curve = scene.objects.make("AnimationCurve", "", "AnimCurve", "");
  const FbxId id = scene.objects.last_id();
  curve.child("Default", static_cast<double>(key_values.front()));
  curve.child("KeyVer", std::int32_t{4008});
  curve.child("KeyTime", key_times);
  curve.child("KeyValueFloat", key_values);
  curve.child("KeyAttrFlags", std::vector<std::int32_t>{kLinear});
  curve.child("KeyAttrDataFloat", std::vector<float>(4, 0.0f));
  curve.child("KeyAttrRefCount", std::vector<std::int32_t>{static_cast<std::int32_t>(key_times.size())});
  scene.objects.keep(std::move(curve), id);
  scene.objects.connect(id, curve_node, property);
}

/// Something of an object that moves: its curves have the names `parts` ("d|X").
FbxId add_curve_node(FbxScene& scene, std::string_view name, std::span<const std::string_view> parts,
                     std::span<const double> defaults, FbxId object, std::string_view property, FbxId layer) {
  FbxRecord record = scene.objects.make("AnimationCurveNode", name, "AnimCurveNode", "");
  const FbxId id = scene.objects.last_id();
  FbxRecord& properties = record.child("Properties70");
  for (std::size_t p = 0; p < parts.size(); ++p) {
    properties.child(fbx_property(parts[p], "Number", "", "A", defaults[p]));
  }
  scene.objects.keep(std::move(record), id);
  scene.objects.connect(id, layer);
  scene.objects.connect(id, object, property);
  return id;
}

void add_place_curves(FbxScene& scene, const Channel& channel, FbxId layer) {
  const FbxNode& node = scene.nodes[at(channel.node)];
  if (node.model < 0) return;
  constexpr std::string_view kParts[] = {"d|X", "d|Y", "d|Z"};
  std::string_view name = "T", property = "Lcl Translation";
  CurveKeys keys;
  if (channel.path == Path::kRotation) {
    name = "R", property = "Lcl Rotation";
    keys = rotation_curves(channel, node.before);
  } else if (channel.path == Path::kScale) {
    name = "S", property = "Lcl Scaling";
    keys = number_curves(channel, 1);
    // Readers that take a matrix apart lose the rotation of what is scaled to nothing.
    for (std::vector<double>& curve : keys.values) {
      for (double& scale : curve) scale = std::abs(scale) < kLeastScale ? kLeastScale : scale;
    }
  } else {
    keys = number_curves(channel, kFbxUnits);
  }
  const double first[] = {keys.values[0][0], keys.values[1][0], keys.values[2][0]};
  const FbxId id = add_curve_node(scene, name, kParts, first, node.model, property, layer);
  for (std::size_t axis = 0; axis < 3; ++axis) add_curve(scene, keys.times, keys.values[axis], id, kParts[axis]);
}

void add_shape_curves(FbxScene& scene, const Channel& channel, FbxId layer) {
  const std::vector<FbxId> shapes = scene.nodes[at(channel.node)].shapes;
  const CurveKeys keys = number_curves(channel, 100);
  constexpr std::string_view kParts[] = {"d|DeformPercent"};
  for (std::size_t s = 0; s < shapes.size() && s < keys.values.size(); ++s) {
    const double first[] = {keys.values[s][0]};
    const FbxId id = add_curve_node(scene, "DeformPercent", kParts, first, shapes[s], "DeformPercent", layer);
    add_curve(scene, keys.times, keys.values[s], id, kParts[0]);
  }
}

void add_clip(FbxScene& scene, const Clip& clip, const std::string& name) {
  FbxRecord stack = scene.objects.make("AnimationStack", name, "AnimStack", "");
  const FbxId stack_id = scene.objects.last_id();
  const std::int64_t end = ticks(clip.duration());
  FbxRecord& properties = stack.child("Properties70");
  properties.child(fbx_property("LocalStart", "KTime", "Time", "", std::int64_t{0}));
  properties.child(fbx_property("LocalStop", "KTime", "Time", "", end));
  properties.child(fbx_property("ReferenceStart", "KTime", "Time", "", std::int64_t{0}));
  properties.child(fbx_property("ReferenceStop", "KTime", "Time", "", end));
  scene.objects.keep(std::move(stack), stack_id);
  FbxRecord layer = scene.objects.make("AnimationLayer", "BaseLayer", "AnimLayer", "");
  layer.child("Properties70");  // readers want to find something in it
  const FbxId layer_id = scene.objects.keep(std::move(layer), scene.objects.last_id());
  scene.objects.connect(layer_id, stack_id);

  // Where two channels move the same thing, the later counts.
  std::map<std::pair<int, Path>, const Channel*> channels;
  for (const Channel& channel : clip.channels) {
    if (channel.node >= 0 && !channel.times.empty()) channels[{channel.node, channel.path}] = &channel;
  }
  for (const auto& [what, channel] : channels) {
    if (channel->path == Path::kWeights) {
      add_shape_curves(scene, *channel, layer_id);
    } else {
      add_place_curves(scene, *channel, layer_id);
    }
  }
}

}  // namespace

void add_fbx_clips(FbxScene& scene) {
  FbxNames names;
  for (std::size_t c = 0; c < scene.asset.clips.size(); ++c) {
    const Clip& clip = scene.asset.clips[c];
    add_clip(scene, clip, names.unique(clip.name, "clip_" + std::to_string(c)));
  }
}

}  // namespace limber::asset
