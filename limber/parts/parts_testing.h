// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/rng.h"
#include "limber/nn/safetensors.h"
#include "limber/parts/parts_denoiser.h"
#include "limber/parts/parts_model.h"
#include "limber/parts/parts_trainer.h"

/// Bodies and network files for the tests of `parts`.
namespace limber::parts {

inline PartsModel small_model() {
  PartsModel model;
  model.views = 2, model.frames = 2, model.size = 16, model.patch = 4;
  model.width = 12, model.layers = 2, model.heads = 3;
  return model;
}

/// A cross of two bars: a long upright one and a short level one, which are its parts. The level one turns from frame
/// to frame, by a number of its own.
struct Cross {
  std::vector<std::vector<Vec3>> frames;
  std::vector<Triangle> triangles;
  std::vector<std::uint8_t> labels;
  std::vector<Vec3> colors;

  explicit Cross(std::uint64_t number = 0, int frame_count = 1) {
    Rng rng(number, 5);
    const auto height = static_cast<float>(rng.uniform(0.78, 0.92)), reach = static_cast<float>(rng.uniform(0.2, 0.5));
    for (int f = 0; f < frame_count; ++f) {
      const float turn = 0.3f * static_cast<float>(f);
      std::vector<Vec3> points;
      triangles.clear(), labels.clear();
      add_box(points, {0, 0.5f, 0}, {0.1f, 0.5f, 0.1f}, 0, 0);
      add_box(points, {0, height, 0}, {reach, 0.08f, 0.08f}, turn, 1);
      frames.push_back(std::move(points));
    }
    for (std::size_t i = 0; i < frames[0].size(); ++i)
      colors.push_back(i < 8 ? Vec3{0.9f, 0.3f, 0.2f} : Vec3{0.2f, 0.4f, 0.9f});
  }

  PicturedBody body() const {
    PicturedBody body{{}, triangles, colors, labels};
    for (const std::vector<Vec3>& points : frames) body.frames.push_back(points);
    return body;
  }

 private:
  void add_box(std::vector<Vec3>& points, Vec3 middle, Vec3 half, float turn, std::uint8_t label) {
    const auto first = static_cast<std::uint32_t>(points.size());
    for (int i = 0; i < 8; ++i) {
      const Vec3 p{(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y, (i & 4) != 0 ? half.z : -half.z};
      points.push_back(middle + Vec3{std::cos(turn) * p.x + std::sin(turn) * p.z, p.y,
                                     -std::sin(turn) * p.x + std::cos(turn) * p.z});
    }
    static constexpr std::uint32_t kQuads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : kQuads) {
      triangles.push_back({first + q[0], first + q[1], first + q[2]});
      triangles.push_back({first + q[0], first + q[2], first + q[3]});
      labels.insert(labels.end(), {label, label});
    }
  }
};

inline PartsExample cross_example(const PartsModel& model, std::uint64_t number) {
  const Cross cross(number, model.frames);
  const PicturedBody body = cross.body();
  PictureSettings settings;
  settings.views = model.views, settings.size = model.size;
  PartsExample example{draw_pictures(body, settings), {}};
  for (const Vec3& code : part_codes(body, example.pictures.frame, 2)) example.colors.push_back(part_color(code));
  return example;
}

/// A network of small numbers, as files.
class PartsFiles {
 public:
  explicit PartsFiles(const PartsModel& model = small_model()) {
    const int d = model.width;
    linear("time_1", d, d), linear("time_2", d, d);
    add("place", {model.picture_tokens(), d}), add("view", {model.views, d}), add("moment", {model.frames, d});
    for (const std::string& name : {std::string("rgb"), std::string("parts")}) {
      linear("in." + name, model.patch_numbers(), d), linear("known." + name, model.known_numbers(), d);
      linear("out." + name, d, model.patch_numbers()), linear("modulation." + name, d, kModulations * d);
      for (int i = 0; i < model.layers; ++i) {
        const std::string block = "blocks." + std::to_string(i) + "." + name + ".";
        linear(block + "qkv", d, 3 * d), linear(block + "out", d, d);
        linear(block + "up", d, 4 * d), linear(block + "down", 4 * d, d);
        norm(block + "query_norm", d / model.heads), norm(block + "key_norm", d / model.heads);
        add(block + "modulation", {kModulations * d});
      }
    }
    for (int i = 0; i < model.layers; ++i) {
      const std::string fuse = "blocks." + std::to_string(i) + ".fuse.";
      linear(fuse + "mix", 2 * d, d), linear(fuse + "rgb", d, d), linear(fuse + "parts", d, d);
    }
    json = parts_model_to_json(model);
  }

  struct Array {
    nn::Shape shape;
    std::vector<float> values;
  };
  std::map<std::string, Array> arrays;
  std::string json;

  Status write(const std::filesystem::path& folder) const {
    std::vector<nn::NamedTensor> tensors;
    for (const auto& [name, array] : arrays)
      tensors.push_back({name, {nn::Dtype::kF32, array.shape, std::as_bytes(std::span(array.values))}});
    LIMBER_CHECK_OK(write_file(folder / kPartsModelFile, json));
    return nn::write_safetensors(folder / kPartsWeightsFile, tensors);
  }

 private:
  void add(const std::string& name, const nn::Shape& shape) {
    Array array{shape, {}};
    std::int64_t count = 1;
    for (const std::int64_t n : shape) count *= n;
    Rng rng(arrays.size(), 9);
    for (std::int64_t i = 0; i < count; ++i) array.values.push_back(static_cast<float>(0.2 * rng.normal()));
    arrays[name] = std::move(array);
  }
  void linear(const std::string& name, int in, int out) {
    add(name + ".weight", {out, in}), add(name + ".bias", {out});
  }
  void norm(const std::string& name, int width) { add(name + ".weight", {width}), add(name + ".bias", {width}); }
};

}  // namespace limber::parts
