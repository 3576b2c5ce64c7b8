// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/textures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "limber/asset/picture.h"
#include "limber/base/expect.h"
#include "limber/base/threads.h"

namespace limber::scene {
namespace {

/// linear_from_srgb of a quarter of a display step each.
const std::array<float, 1021>& linear_table() {
  static const std::array<float, 1021> table = [] {
    std::array<float, 1021> values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = splat::linear_from_srgb(static_cast<float>(i) / 1020.0f);
    }
    return values;
  }();
  return table;
}

float linear_of(float display_255) { return linear_table()[static_cast<std::size_t>(4 * display_255 + 0.5f)]; }

std::uint8_t display_of(float linear) {
  return static_cast<std::uint8_t>(255 * splat::srgb_from_linear(linear) + 0.5f);
}

/// One texel of the next level from four of this one.
void average(const std::array<const std::uint8_t*, 4>& from, bool weigh_by_alpha, std::uint8_t* to) {
  float alpha = 0, total = 0;
  Vec3 color;
  for (const std::uint8_t* texel : from) {
    alpha += texel[3];
    const float weight = weigh_by_alpha ? static_cast<float>(texel[3]) + 1e-3f : 1.0f;
    color += weight * Vec3{linear_of(texel[0]), linear_of(texel[1]), linear_of(texel[2])};
    total += weight;
  }
  for (int k = 0; k < 3; ++k) to[k] = display_of(color[k] / total);
  to[3] = static_cast<std::uint8_t>(alpha / 4 + 0.5f);
}

Bitmap halved(const Bitmap& fine, bool weigh_by_alpha) {
  Bitmap coarse(std::max(1, fine.width / 2), std::max(1, fine.height / 2), 4);
  parallel_for(static_cast<std::size_t>(coarse.height), 16, [&](std::size_t begin, std::size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      const int y0 = std::min(2 * y, fine.height - 1), y1 = std::min(2 * y + 1, fine.height - 1);
      for (int x = 0; x < coarse.width; ++x) {
        const int x0 = std::min(2 * x, fine.width - 1), x1 = std::min(2 * x + 1, fine.width - 1);
        average({fine.at(x0, y0), fine.at(x1, y0), fine.at(x0, y1), fine.at(x1, y1)}, weigh_by_alpha, coarse.at(x, y));
      }
    }
  });
  return coarse;
}

/// A texture coordinate brought to 0 .. 1 of the picture.
float wrapped(float u, asset::Wrap wrap) {
  if (!(std::abs(u) < 1e7f)) return 0;  // no digits left, or not a number
  switch (wrap) {
    case asset::Wrap::kClampToEdge:
      return std::clamp(u, 0.0f, 1.0f);
    case asset::Wrap::kMirroredRepeat: {
      const float half = 0.5f * u, part = half - std::floor(half);
      return part < 0.5f ? 2 * part : 2 - 2 * part;
    }
    case asset::Wrap::kRepeat:
      break;
  }
  return u - std::floor(u);
}

/// The two texels beside a place along one side of a picture, and how far it is towards the second.
struct Neighbours {
  int first = 0, second = 0;
  float fraction = 0;
};

Neighbours neighbours(float u, int size, asset::Wrap wrap) {
  const float place = u * static_cast<float>(size) - 0.5f;
  const int before = static_cast<int>(std::floor(place));
  Neighbours n{before, before + 1, place - static_cast<float>(before)};
  if (wrap == asset::Wrap::kRepeat) {
    if (n.first < 0) n.first = size - 1;
    if (n.second >= size) n.second = 0;
  }
  n.first = std::clamp(n.first, 0, size - 1), n.second = std::clamp(n.second, 0, size - 1);
  return n;
}

}  // namespace

MipPicture::MipPicture(Bitmap picture, bool weigh_by_alpha) {
  LIMBER_EXPECT(picture.channels == 4 && picture.width > 0 && picture.height > 0, std::to_string(picture.channels));
  for (std::size_t i = 3; i < picture.pixels.size(); i += 4) opaque_ &= picture.pixels[i] == 255;
  levels_.push_back(std::move(picture));
  while (levels_.back().width > 1 || levels_.back().height > 1) {
    Bitmap next = halved(levels_.back(), weigh_by_alpha);
    levels_.push_back(std::move(next));
  }
}

MipTexture::MipTexture(std::shared_ptr<const MipPicture> picture, asset::Wrap wrap_s, asset::Wrap wrap_t, bool nearest)
    : picture_(std::move(picture)), wrap_s_(wrap_s), wrap_t_(wrap_t), nearest_(nearest) {}

Vec4 MipTexture::sample_level(int index, Vec2 uv) const {
  const Bitmap& level = picture_->level(index);
  const Neighbours x = neighbours(uv.x, level.width, wrap_s_), y = neighbours(uv.y, level.height, wrap_t_);
  const std::uint8_t *a = level.at(x.first, y.first), *b = level.at(x.second, y.first),
                     *c = level.at(x.first, y.second), *d = level.at(x.second, y.second);
  const float wd = x.fraction * y.fraction, wb = x.fraction - wd, wc = y.fraction - wd, wa = 1 - x.fraction - wc;
  const auto mix = [&](int k) { return wa * a[k] + wb * b[k] + wc * c[k] + wd * d[k]; };
  return {mix(0), mix(1), mix(2), mix(3)};
}

Vec4 MipTexture::sample(Vec2 uv, float level) const {
  uv = {wrapped(uv.x, wrap_s_), wrapped(uv.y, wrap_t_)};
  Vec4 value;
  if (!(level > 0) && nearest_) {
    const Bitmap& fine = picture_->level(0);
    const auto texel = [](float u, int size) {
      return std::min(static_cast<int>(u * static_cast<float>(size)), size - 1);
    };
    const std::uint8_t* t = fine.at(texel(uv.x, fine.width), texel(uv.y, fine.height));
    value = {float(t[0]), float(t[1]), float(t[2]), float(t[3])};
  } else if (!(level > 0)) {
    value = sample_level(0, uv);
  } else {
    const float last = static_cast<float>(picture_->level_count() - 1);
    const int lower = static_cast<int>(std::min(level, last));
    const float fraction = std::min(level, last) - static_cast<float>(lower);
    value = sample_level(lower, uv);
    if (fraction > 0) {
      const Vec4 coarse = sample_level(lower + 1, uv);
      for (int k = 0; k < 4; ++k) value[k] += fraction * (coarse[k] - value[k]);
    }
  }
  const auto bounded = [](float v) { return std::clamp(v, 0.0f, 255.0f); };
  return {linear_of(bounded(value.x)), linear_of(bounded(value.y)), linear_of(bounded(value.z)),
          bounded(value.w) / 255};
}

Vec4 MipTexture::sample(Vec2 uv, Vec2 uv_dx, Vec2 uv_dy) const {
  const auto width = static_cast<float>(picture_->level(0).width),
             height = static_cast<float>(picture_->level(0).height);
  const float ax = uv_dx.x * width, ay = uv_dx.y * height, bx = uv_dy.x * width, by = uv_dy.y * height;
  // Between the footprint's longer side, which would blur, and its mean, which would shimmer.
  const float longer = std::max(ax * ax + ay * ay, bx * bx + by * by), area = std::abs(ax * by - ay * bx);
  const float squared = std::max(area, 0.25f * longer);
  const float level = squared > 1 ? 0.5f * std::log2(std::min(squared, 1e30f)) : 0.0f;
  return sample(uv, level);
}

namespace {

/// What the materials ask of a picture.
struct PictureUse {
  bool wanted = false, transparent = false;
};

std::vector<PictureUse> picture_uses(const asset::Asset& asset) {
  std::vector<PictureUse> uses(asset.images.size());
  const auto use = [&](const asset::TextureUse& texture, bool transparent) {
    if (texture.texture < 0 || static_cast<std::size_t>(texture.texture) >= asset.textures.size()) return;
    const int image = asset.textures[static_cast<std::size_t>(texture.texture)].image;
    if (image < 0 || static_cast<std::size_t>(image) >= uses.size()) return;
    uses[static_cast<std::size_t>(image)].wanted = true;
    uses[static_cast<std::size_t>(image)].transparent |= transparent;
  };
  for (const asset::Material& material : asset.materials) {
    use(material.base_color_texture, material.alpha_mode != asset::AlphaMode::kOpaque);
    use(material.emissive_texture, /*transparent=*/false);
  }
  return uses;
}

std::string image_name(const asset::Asset& asset, std::size_t image) {
  return asset.name + "#/images/" + std::to_string(image);
}

/// What is to be decoded: of the wanted pictures with the same bytes the first, which is what is returned for each, and
/// only as many as the budget allows. Says of the others why not.
std::vector<std::size_t> choose_pictures(const asset::Asset& asset, std::uint64_t budget, std::vector<PictureUse>& uses,
                                         std::vector<std::string>& problems, MemoryShare& memory) {
  std::vector<std::size_t> originals(asset.images.size());
  std::map<std::string_view, std::size_t> known;
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < originals.size(); ++i) {
    originals[i] = i;
    const asset::Image& image = asset.images[i];
    if (!uses[i].wanted) continue;
    if (image.bytes.empty()) {
      problems[i] = image_name(asset, i) + ": the picture " + image.uri + " is missing";
      continue;
    }
    const auto [found, is_new] = known.try_emplace(as_text(image.bytes), i);
    if (!is_new) {
      originals[i] = found->second;
      uses[found->second].transparent |= uses[i].transparent;
      continue;
    }
    const Result<asset::PictureInfo> info = asset::picture_info(image.bytes, image_name(asset, i));
    if (!info.ok()) {
      problems[i] = info.error().message();
      continue;
    }
    // Four bytes a pixel, and a third more for the coarser levels.
    const std::uint64_t size = std::uint64_t(info->width) * std::uint64_t(info->height) * 16 / 3;
    if (size > budget - taken) {
      problems[i] = image_name(asset, i) + ": the pictures together are larger than limber reads";
      continue;
    }
    taken += size;
    if (const Status granted = memory.take(size, image_name(asset, i)); !granted.ok()) {
      problems[i] = granted.error().message();
    }
  }
  return originals;
}

}  // namespace

TextureSet load_textures(const asset::Asset& asset, std::uint64_t budget) {
  TextureSet set;
  set.memory = std::make_shared<MemoryShare>();
  std::vector<PictureUse> uses = picture_uses(asset);
  std::vector<std::shared_ptr<const MipPicture>> pictures(asset.images.size());
  std::vector<std::string> problems(asset.images.size());
  const std::vector<std::size_t> originals = choose_pictures(asset, budget, uses, problems, *set.memory);
  parallel_for(asset.images.size(), 1, [&](std::size_t i, std::size_t) {
    if (!uses[i].wanted || originals[i] != i || !problems[i].empty()) return;
    Result<Bitmap> decoded = asset::decode_picture(asset.images[i].bytes, image_name(asset, i), 4);
    if (!decoded.ok()) {
      problems[i] = decoded.error().message();
    } else if (decoded->width > 0 && decoded->height > 0) {
      pictures[i] = std::make_shared<MipPicture>(std::move(decoded).value(), uses[i].transparent);
    }
  });

  for (std::size_t i = 0; i < pictures.size(); ++i) {
    pictures[i] = pictures[originals[i]];
    if (!problems[i].empty()) set.warnings.push_back(problems[i] + "; drawn white");
  }
  for (const asset::Texture& texture : asset.textures) {
    std::shared_ptr<const MipTexture> entry;
    if (texture.image >= 0 && static_cast<std::size_t>(texture.image) < pictures.size() &&
        pictures[static_cast<std::size_t>(texture.image)]) {
      entry = std::make_shared<MipTexture>(pictures[static_cast<std::size_t>(texture.image)], texture.wrap_s,
                                           texture.wrap_t, texture.nearest);
    }
    set.textures.push_back(std::move(entry));
  }
  return set;
}

splat::TextureLookup texture_lookup(TextureSet textures) {
  return [set = std::move(textures)](int texture, Vec2 uv) {
    const MipTexture* found = set.find(texture);
    return found != nullptr ? found->sample(uv, 0) : Vec4{1, 1, 1, 1};
  };
}

}  // namespace limber::scene
