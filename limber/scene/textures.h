// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limber/asset/asset.h"
#include "limber/base/bitmap.h"
#include "limber/base/math.h"
#include "limber/base/memory_budget.h"
#include "limber/splat/surface.h"

/// Textures of an asset, decoded once, with mip levels.
namespace limber::scene {

/// A picture and its halved copies down to one texel: RGBA, as displays show them. Averaged in linear light.
class MipPicture {
 public:
  /// `picture` has 4 channels and is not empty. `weigh_by_alpha`: transparent texels lend no colour to coarser levels.
  MipPicture(Bitmap picture, bool weigh_by_alpha);

  bool opaque() const { return opaque_; }  ///< no texel lets anything through
  int level_count() const { return static_cast<int>(levels_.size()); }
  const Bitmap& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<Bitmap> levels_;
  bool opaque_ = true;
};

/// A picture and how it is laid on surfaces. Cheap to copy.
class MipTexture {
 public:
  MipTexture(std::shared_ptr<const MipPicture> picture, asset::Wrap wrap_s, asset::Wrap wrap_t, bool nearest);

  /// Linear RGB and alpha at `uv`, trilinear. `level`: base-2 logarithm of the size of the footprint in texels of the
  /// first level; below 0 the picture is magnified.
  Vec4 sample(Vec2 uv, float level) const;
  /// The same for a footprint that spans these steps of uv per pixel.
  Vec4 sample(Vec2 uv, Vec2 uv_dx, Vec2 uv_dy) const;
  const MipPicture& picture() const { return *picture_; }

 private:
  Vec4 sample_level(int level, Vec2 uv) const;

  std::shared_ptr<const MipPicture> picture_;
  asset::Wrap wrap_s_, wrap_t_;
  bool nearest_;
};

/// The textures that the asset's materials use for colour and glow, by index of `Asset::textures`; null for the others,
/// and for those whose picture is missing, broken or beyond the budget: they count as white, and `warnings` tells
/// which.
struct TextureSet {
  std::vector<std::shared_ptr<const MipTexture>> textures;
  std::vector<std::string> warnings;
  std::shared_ptr<MemoryShare> memory;  ///< of the pictures

  const MipTexture* find(int texture) const {
    return texture >= 0 && static_cast<std::size_t>(texture) < textures.size()
               ? textures[static_cast<std::size_t>(texture)].get()
               : nullptr;
  }
};
inline constexpr std::uint64_t kTextureBytes = std::uint64_t{2} << 30;
/// `budget`: bytes that all pictures together may take. Pictures of the same bytes are decoded once.
TextureSet load_textures(const asset::Asset& asset, std::uint64_t budget = kTextureBytes);

/// For splat::primitive_color: the finest level. Keeps the textures alive.
splat::TextureLookup texture_lookup(TextureSet textures);

}  // namespace limber::scene
