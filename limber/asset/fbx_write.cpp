// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "limber/asset/encoders.h"
#include "limber/asset/fbx_curves.h"
#include "limber/asset/fbx_scene.h"

namespace limber::asset {
namespace {

constexpr std::string_view kCreator = "limber";

FbxRecord header() {
  FbxRecord record("FBXHeaderExtension");
  record.child("FBXHeaderVersion", std::int32_t{1003});
  record.child("FBXVersion", kFbxVersion);
  record.child("EncryptionType", std::int32_t{0});
  record.child("Creator", kCreator);
  return record;
}

/// As glTF: +Y up, +Z to the viewer, +X right. Lengths in centimetres.
FbxRecord global_settings(const Asset& asset) {
  const FrameRate rate = find_frame_rate(asset.clips);
  FbxRecord record("GlobalSettings");
  record.child("Version", std::int32_t{1000});
  FbxRecord& properties = record.child("Properties70");
  const auto add = [&](std::string_view name, std::int32_t value) {
    properties.child(fbx_property(name, "int", "Integer", "", value));
  };
  add("UpAxis", 1), add("UpAxisSign", 1);
  add("FrontAxis", 2), add("FrontAxisSign", 1);
  add("CoordAxis", 0), add("CoordAxisSign", 1);
  add("OriginalUpAxis", 1), add("OriginalUpAxisSign", 1);
  properties.child(fbx_property("UnitScaleFactor", "double", "Number", "", 100 / kFbxUnits));
  properties.child(fbx_property("OriginalUnitScaleFactor", "double", "Number", "", 100 / kFbxUnits));
  properties.child(fbx_property("TimeMode", "enum", "", "", rate.mode));
  properties.child(fbx_property("CustomFrameRate", "double", "Number", "", rate.fps));
  return record;
}

FbxRecord documents() {
  FbxRecord record("Documents");
  record.child("Count", std::int32_t{1});
  record.child("Document", std::int64_t{1}, "Scene", "Scene").child("RootNode", kFbxRoot);
  return record;
}

}  // namespace

Result<Bytes> fbx_file(const Asset& asset) {
  FbxScene scene(asset);
  add_fbx_materials(scene);
  add_fbx_models(scene);
  add_fbx_meshes(scene);
  add_fbx_clips(scene);
  std::vector<FbxRecord> records{header(),
                                 fbx_file_id(),
                                 FbxRecord("CreationTime", kFbxCreationTime),
                                 FbxRecord("Creator", kCreator),
                                 global_settings(asset),
                                 documents(),
                                 FbxRecord("References")};
  for (FbxRecord& section : std::move(scene.objects).sections()) records.push_back(std::move(section));
  FbxRecord& takes = records.emplace_back("Takes");
  takes.child("Current", "");
  return fbx_bytes(records);
}

}  // namespace limber::asset
