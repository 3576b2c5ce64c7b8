// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_draft.h"

namespace limber::asset {
namespace {

const char* path_name(Path path) {
  switch (path) {
    case Path::kTranslation:
      return "translation";
    case Path::kRotation:
      return "rotation";
    case Path::kScale:
      return "scale";
    case Path::kWeights:
      return "weights";
  }
  return "";
}

const char* interpolation_name(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kStep:
      return "STEP";
    case Interpolation::kLinear:
      return "LINEAR";
    case Interpolation::kCubicSpline:
      return "CUBICSPLINE";
  }
  return "";
}

int add_values(Draft& draft, const Channel& channel) {
  if (channel.path == Path::kWeights) return draft.add_floats(channel.values, "SCALAR", 1, Draft::Target::kNone);
  const bool is_rotation = channel.path == Path::kRotation;
  return draft.add_floats(channel.values, is_rotation ? "VEC4" : "VEC3", is_rotation ? 4 : 3, Draft::Target::kNone);
}

/// A changed channel gets a sampler of its own: the old one may serve others too.
void patch_channel(Draft& draft, Json& animation, std::size_t index, const Channel& before, const Channel& after,
                   bool is_new) {
  if (is_new || before.node != after.node || before.path != after.path) {
    Json& target = animation["channels"][index]["target"];
    target["node"] = after.node;
    target["path"] = path_name(after.path);
  }
  const bool same_times = !is_new && same(before.times, after.times);
  if (same_times && same(before.values, after.values) && before.interpolation == after.interpolation) return;
  Json sampler;
  if (same_times) {
    sampler["input"] = animation["samplers"][animation["channels"][index]["sampler"].get<std::size_t>()]["input"];
  } else {
    sampler["input"] = draft.add_times(after.times);
  }
  sampler["interpolation"] = interpolation_name(after.interpolation);
  sampler["output"] = add_values(draft, after);
  animation["samplers"].push_back(std::move(sampler));
  animation["channels"][index]["sampler"] = animation["samplers"].size() - 1;
}

Status patch_clip(Draft& draft, Json& json, const Clip& before, const Clip& after, const std::vector<int>& indices,
                  const std::string& where) {
  patch_text(json, "name", before.name, after.name);
  // With fewer channels it is another clip, of which each is written anew.
  const bool another = after.channels.size() < before.channels.size();
  if (another) json["channels"] = Json::array(), json["samplers"] = Json::array();
  const Channel none;
  for (std::size_t i = 0; i < after.channels.size(); ++i) {
    const bool is_new = another || i >= before.channels.size();
    if (is_new) json["channels"].push_back(Json::object());
    const std::size_t index = is_new ? json["channels"].size() - 1 : static_cast<std::size_t>(indices[i]);
    patch_channel(draft, json, index, is_new ? none : before.channels[i], after.channels[i], is_new);
  }
  return patch_extras(json, before.extras, after.extras, where);
}

}  // namespace

Status patch_clips(PatchContext& context) {
  const std::string where = context.after.name + "#";
  const std::vector<int> none;
  return patch_list(context.draft.json, "animations", context.before.asset.clips, context.after.clips, where,
                    [&](Json& json, const Clip& before, const Clip& after, std::size_t i, bool is_new) {
                      return patch_clip(context.draft, json, before, after, is_new ? none : context.before.channels[i],
                                        where + "/animations/" + std::to_string(i));
                    });
}

}  // namespace limber::asset
