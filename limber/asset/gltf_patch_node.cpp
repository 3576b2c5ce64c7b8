// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/gltf_draft.h"

namespace limber::asset {
namespace {

constexpr const char* kLights = "KHR_lights_punctual";
constexpr const char* kInstancing = "EXT_mesh_gpu_instancing";

/// Sixteen numbers in column order.
void append_matrix(const Affine& matrix, std::vector<float>& to) {
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) to.push_back(matrix.linear(row, column));
    to.push_back(0);
  }
  to.insert(to.end(), {matrix.translation.x, matrix.translation.y, matrix.translation.z, 1});
}

void patch_transform(Json& json, const Node& before, const Node& after) {
  if (after.matrix) {
    if (before.matrix && same(*before.matrix, *after.matrix)) return;
    std::vector<float> matrix;
    append_matrix(*after.matrix, matrix);
    json["matrix"] = numbers(matrix);
    for (const char* key : {"translation", "rotation", "scale"}) json.erase(key);
    return;
  }
  // Where the file had a matrix, nothing of a translation, rotation and scale is there yet.
  const Transform old = before.matrix ? Transform{} : before.local;
  if (before.matrix) json.erase("matrix");
  patch_field(json, "translation", old.translation, after.local.translation);
  patch_field(json, "rotation", old.rotation, after.local.rotation);
  patch_field(json, "scale", old.scale, after.local.scale);
}

void patch_light(Draft& draft, Json& json, int before, int after) {
  if (before == after) return;
  erase_extension(json, kLights);
  if (after < 0) return;
  json["extensions"][kLights] = {{"light", after}};
  draft.use_extension(kLights);
}

void patch_instances(Draft& draft, Json& json, const Node& before, const Node& after) {
  if (same(before.instances, after.instances)) return;
  erase_extension(json, kInstancing);
  if (after.instances.empty()) return;
  std::vector<float> translations, rotations, scales;
  for (const Transform& instance : after.instances) {
    const auto& [t, r, s] = instance;
    translations.insert(translations.end(), {t.x, t.y, t.z});
    rotations.insert(rotations.end(), {r.x, r.y, r.z, r.w});
    scales.insert(scales.end(), {s.x, s.y, s.z});
  }
  Json& attributes = json["extensions"][kInstancing]["attributes"];
  attributes["TRANSLATION"] = draft.add_floats(translations, "VEC3", 3, Draft::Target::kNone);
  attributes["ROTATION"] = draft.add_floats(rotations, "VEC4", 4, Draft::Target::kNone);
  attributes["SCALE"] = draft.add_floats(scales, "VEC3", 3, Draft::Target::kNone);
  draft.use_extension(kInstancing);
}

Status patch_node(Draft& draft, Json& json, const Node& before, const Node& after, const std::string& where) {
  patch_text(json, "name", before.name, after.name);
  patch_transform(json, before, after);
  patch_indices(json, "children", before.children, after.children);
  patch_index(json, "mesh", before.mesh, after.mesh);
  patch_index(json, "skin", before.skin, after.skin);
  patch_index(json, "camera", before.camera, after.camera);
  if (!same(before.weights, after.weights)) {
    json["weights"] = to_json(after.weights);
    if (after.weights.empty()) json.erase("weights");
  }
  patch_light(draft, json, before.light, after.light);
  patch_instances(draft, json, before, after);
  return patch_extras(json, before.extras, after.extras, where);
}

Status patch_skin(Draft& draft, Json& json, const Skin& before, const Skin& after, bool is_new,
                  const std::string& where) {
  patch_text(json, "name", before.name, after.name);
  patch_indices(json, "joints", before.joints, after.joints);
  patch_index(json, "skeleton", before.skeleton, after.skeleton);
  if (is_new || !same(before.inverse_bind, after.inverse_bind)) {
    std::vector<float> matrices;
    for (const Affine& matrix : after.inverse_bind) append_matrix(matrix, matrices);
    json.erase("inverseBindMatrices");
    if (!matrices.empty()) json["inverseBindMatrices"] = draft.add_floats(matrices, "MAT4", 16, Draft::Target::kNone);
  }
  return patch_extras(json, before.extras, after.extras, where);
}

void patch_camera(Json& json, const Camera& before, const Camera& after, bool is_new) {
  patch_text(json, "name", before.name, after.name);
  const char* kind = after.perspective ? "perspective" : "orthographic";
  const bool rewrite = is_new || before.perspective != after.perspective;
  if (rewrite) {
    json.erase(after.perspective ? "orthographic" : "perspective");
    json["type"] = kind;
  }
  const auto patch = [&](const char* key, float old, float now) {
    if (rewrite || !same(old, now)) json[kind][key] = number(now);
  };
  // Zero stands for "not given" in these two.
  const auto patch_optional = [&](const char* key, float old, float now) {
    if (!rewrite && same(old, now)) return;
    if (now != 0) {
      json[kind][key] = number(now);
    } else if (json.contains(kind)) {
      json[kind].erase(key);
    }
  };
  if (after.perspective) {
    patch("yfov", before.yfov, after.yfov);
    patch("znear", before.near, after.near);
    patch_optional("zfar", before.far, after.far);
    patch_optional("aspectRatio", before.aspect, after.aspect);
  } else {
    patch("xmag", before.xmag, after.xmag);
    patch("ymag", before.ymag, after.ymag);
    patch("znear", before.near, after.near);
    patch("zfar", before.far, after.far);
  }
}

void patch_light_source(Json& json, const Light& before, const Light& after, bool is_new) {
  patch_text(json, "name", before.name, after.name);
  if (is_new || before.kind != after.kind) {
    json["type"] = after.kind == LightKind::kPoint ? "point" : after.kind == LightKind::kSpot ? "spot" : "directional";
    if (after.kind == LightKind::kSpot && !json.contains("spot")) json["spot"] = Json::object();
  }
  patch_field(json, "color", before.color, after.color);
  patch_field(json, "intensity", before.intensity, after.intensity);
  if (!same(before.range, after.range)) {
    json.erase("range");
    if (after.range != 0) json["range"] = number(after.range);
  }
  if (!same(before.inner_cone, after.inner_cone)) json["spot"]["innerConeAngle"] = number(after.inner_cone);
  if (!same(before.outer_cone, after.outer_cone)) json["spot"]["outerConeAngle"] = number(after.outer_cone);
}

Status patch_lights(PatchContext& context, const std::string& where) {
  const auto& before = context.before.asset.lights;
  const auto& after = context.after.lights;
  if (before.empty() && after.empty()) return Done{};
  if (after.size() > before.size()) context.draft.use_extension(kLights);
  return patch_list(context.draft.json["extensions"][kLights], "lights", before, after,
                    where + "/extensions/" + kLights,
                    [&](Json& json, const Light& old, const Light& now, std::size_t, bool is_new) -> Status {
                      patch_light_source(json, old, now, is_new);
                      return Done{};
                    });
}

Status patch_scenes(PatchContext& context, const std::string& where) {
  Json& json = context.draft.json;
  LIMBER_CHECK_OK(patch_list(json, "scenes", context.before.asset.scenes, context.after.scenes, where,
                             [&](Json& element, const Scene& before, const Scene& after, std::size_t, bool) -> Status {
                               patch_text(element, "name", before.name, after.name);
                               patch_indices(element, "nodes", before.roots, after.roots);
                               return Done{};
                             }));
  patch_index(json, "scene", context.before.asset.scene, context.after.scene);
  return Done{};
}

}  // namespace

Status patch_nodes(PatchContext& context) {
  Draft& draft = context.draft;
  const Asset& before = context.before.asset;
  const std::string where = context.after.name + "#";
  LIMBER_CHECK_OK(patch_scenes(context, where));
  LIMBER_CHECK_OK(patch_list(draft.json, "nodes", before.nodes, context.after.nodes, where,
                             [&](Json& json, const Node& old, const Node& now, std::size_t i, bool) {
                               return patch_node(draft, json, old, now, where + "/nodes/" + std::to_string(i));
                             }));
  LIMBER_CHECK_OK(patch_list(draft.json, "skins", before.skins, context.after.skins, where,
                             [&](Json& json, const Skin& old, const Skin& now, std::size_t i, bool is_new) {
                               return patch_skin(draft, json, old, now, is_new, where + "/skins/" + std::to_string(i));
                             }));
  LIMBER_CHECK_OK(patch_list(draft.json, "cameras", before.cameras, context.after.cameras, where,
                             [&](Json& json, const Camera& old, const Camera& now, std::size_t, bool is_new) -> Status {
                               patch_camera(json, old, now, is_new);
                               return Done{};
                             }));
  return patch_lights(context, where);
}

}  // namespace limber::asset
