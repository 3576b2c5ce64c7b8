// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/asset/gltf_accessor.h"
#include "limber/asset/gltf_draco.h"
#include "limber/asset/not_finite.h"
#include "limber/asset/source.h"

namespace limber::asset {

/// An asset together with what ties it to the document it came from. Everything else is tied by equal indices.
struct Decoded {
  Asset asset;
  std::vector<std::vector<int>> channels;  ///< per clip and channel: its index in the document, which may have more
  std::map<std::pair<int, int>, DracoPrimitive> draco;  ///< by mesh and primitive
  MemoryShare memory;                                   ///< of it all
};

/// The structs of asset.h for a document. The same source always gives the same answer.
Result<Decoded> decode(const Source& source, Counted counted = Counted::kNow);

// The parts of `decode`, one file each.

/// What the parts share.
struct DecodeContext {
  DecodeContext(const Source& from, Decoded& to, Counted counted)
      : source(from),
        budget(from, counted),
        accessors(from, budget),
        document(from.json, from.name + "#"),
        decoded(to) {}

  void warn(const std::string& where, const std::string& what) {
    decoded.asset.warnings.push_back(where + ": " + what);
  }
  /// Once per accessor, however many use it and however much of it was mended.
  void warn(int accessor, const Mended& mended) {
    if (mended.count > 0 && mended_accessors.insert(accessor).second)
      warn(accessors.where(accessor), mended.sentence());
  }

  const Source& source;
  Budget budget;
  AccessorReader accessors;
  JsonAt document;
  Decoded& decoded;
  std::set<int> mended_accessors;
};

Status decode_meshes(DecodeContext& context);
Status decode_materials(DecodeContext& context);  ///< images and textures too
Status decode_nodes(DecodeContext& context);      ///< scenes, skins, cameras and lights too; after the meshes
Status decode_clips(DecodeContext& context);      ///< after the nodes

/// JSON text of the element's extras; empty if there are none.
std::string extras_of(const JsonAt& element);

}  // namespace limber::asset
