// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "limber/anatomy/body_reader.h"
#include "limber/anatomy/region.h"
#include "limber/base/files.h"
#include "limber/nn/safetensors.h"
#include "limber/testing/shared_data.h"

/// Reading what `train_reader` writes, without it: runs where there is no LibTorch.
namespace limber::anatomy {
namespace {

ReaderModel small_model() {
  ReaderModel model;
  model.points = 60, model.tokens = 12, model.neighbours = 4, model.group_width = 3, model.width = 8;
  model.layers = 1, model.heads = 2;
  return model;
}

/// A network of small numbers, as files.
class ReaderFiles {
 public:
  explicit ReaderFiles(const ReaderModel& model) {
    const int d = model.width, g = model.group_width;
    linear("place_1", 6 + 6 * kPlaceWaves, d), linear("place_2", d, d);
    linear("group_1", 6, g), linear("group_2", g, 2 * g), linear("group_out", 2 * g, d);
    add("whole", {d});
    for (int i = 0; i < model.layers; ++i) {
      const std::string block = "blocks." + std::to_string(i) + ".";
      norm(block + "norm_1", d), linear(block + "qkv", d, 3 * d), linear(block + "out", d, d);
      norm(block + "norm_2", d), linear(block + "up", d, 4 * d), linear(block + "down", 4 * d, d);
    }
    norm("norm", d), linear("part", d, model.part_outputs()), linear("body", d, model.body_outputs());
    linear("limb", d, model.limb_outputs()), linear("count", d, model.count_outputs());
    json = reader_model_to_json(model);
  }

  struct Array {
    nn::Shape shape;
    std::vector<float> values;
    nn::Dtype dtype = nn::Dtype::kF32;
  };
  std::map<std::string, Array> arrays;
  std::string json;

  Status write(const std::filesystem::path& folder) const {
    std::vector<nn::NamedTensor> tensors;
    for (const auto& [name, array] : arrays) {
      auto bytes = std::as_bytes(std::span(array.values));
      bytes = bytes.first(array.values.size() * nn::size_of(array.dtype));
      tensors.push_back({name, {array.dtype, array.shape, bytes}});
    }
    LIMBER_CHECK_OK(write_file(folder / kReaderModelFile, json));
    return nn::write_safetensors(folder / kReaderWeightsFile, tensors);
  }

  /// Why a folder with these files is refused; empty if it is not.
  std::string refusal() const {
    const testing::TemporaryFolder folder;
    EXPECT_TRUE(write(folder.path()).ok());
    const auto opened = BodyReader::open(folder.path());
    return opened.ok() ? "" : opened.error().message();
  }

 private:
  void add(const std::string& name, const nn::Shape& shape) {
    Array array{shape, {}, nn::Dtype::kF32};
    std::int64_t count = 1;
    for (const std::int64_t n : shape) count *= n;
    for (std::int64_t i = 0; i < count; ++i)
      array.values.push_back(0.3f * std::sin(static_cast<float>(i + 7 * static_cast<std::int64_t>(arrays.size()))));
    arrays[name] = std::move(array);
  }
  void linear(const std::string& name, int in, int out) {
    add(name + ".weight", {out, in}), add(name + ".bias", {out});
  }
  void norm(const std::string& name, int width) { add(name + ".weight", {width}), add(name + ".bias", {width}); }
};

bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ReaderFiles, OpenAsWrittenAndRead) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(ReaderFiles(small_model()).write(folder.path()).ok());
  const auto reader = BodyReader::open(folder.path());
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  std::vector<Vec3> points, normals;
  for (int i = 0; i < small_model().points; ++i) {
    const float a = static_cast<float>(i);
    points.push_back({std::cos(a), 0.05f * a, std::sin(a)}), normals.push_back({std::cos(a), 0, std::sin(a)});
  }
  const BodyReader::Output said = reader->run(make_tokens(reader->model(), points, normals));
  ASSERT_EQ(said.parts.size(), 12u * (kRegionCount + 3));
  ASSERT_EQ(said.limbs.size(), 12u * (rig::kLimbKindCount + 10));
  ASSERT_EQ(said.body.size(), kBodyKindCount + 6u);
  ASSERT_EQ(said.counts.size(), 9u * rig::kLimbKindCount);
  for (const float v : said.parts) EXPECT_TRUE(std::isfinite(v));
  EXPECT_NE(said.parts[0], said.parts[kRegionCount + 3]);
}

TEST(ReaderFiles, AreRefusedWhereOneIsMissingOrCutShort) {
  const testing::TemporaryFolder folder;
  EXPECT_FALSE(BodyReader::open(folder.path() / "nowhere").ok());
  ASSERT_TRUE(ReaderFiles(small_model()).write(folder.path()).ok());
  const std::filesystem::path weights = folder.path() / kReaderWeightsFile;
  const auto size = std::filesystem::file_size(weights);
  for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{9}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(weights, left);
    EXPECT_FALSE(BodyReader::open(folder.path()).ok()) << left;
  }
  std::filesystem::remove(weights);
  EXPECT_FALSE(BodyReader::open(folder.path()).ok());
}

TEST(ReaderFiles, AreRefusedWhereNumbersAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    ReaderFiles files(small_model());
    files.arrays["blocks.0.up.weight"].values[5] = bad;
    EXPECT_TRUE(mentions(files.refusal(), "blocks.0.up.weight")) << files.refusal();
  }
}

TEST(ReaderFiles, AreRefusedWhereNumbersAreOfAnotherType) {
  ReaderFiles files(small_model());
  files.arrays["whole"].dtype = nn::Dtype::kBF16;
  EXPECT_TRUE(mentions(files.refusal(), "whole")) << files.refusal();
  files.arrays["whole"].dtype = nn::Dtype::kF16;
  files.arrays["whole"].values.assign(8, 0);
  EXPECT_EQ(files.refusal(), "");
}

TEST(ReaderFiles, AreRefusedWhereShapesAreThoseOfAnotherModel) {
  ReaderFiles files(small_model());
  ReaderModel other = small_model();
  other.width = 16;
  files.json = reader_model_to_json(other);
  EXPECT_TRUE(mentions(files.refusal(), "instead of")) << files.refusal();
  files = ReaderFiles(small_model());
  files.arrays["place_2.weight"].shape = {64};
  EXPECT_TRUE(mentions(files.refusal(), "instead of 8 x 8")) << files.refusal();
  files = ReaderFiles(small_model());
  files.arrays.erase("norm.bias");
  EXPECT_TRUE(mentions(files.refusal(), "norm.bias")) << files.refusal();
  other = small_model(), other.regions = 5;
  EXPECT_TRUE(mentions(ReaderFiles(other).refusal(), "other regions"));
  other = small_model(), other.limbs = 5;
  EXPECT_TRUE(mentions(ReaderFiles(other).refusal(), "limbs"));
}

TEST(ReaderFiles, OfTheFirstVersionAreRefused) {
  ReaderFiles files(small_model());
  files.json = R"({"format": "limber body reader 1", "points": 60, "tokens": 12, "neighbours": 4, "group_width": 3,
                   "width": 8, "layers": 1, "heads": 2, "regions": 22, "kinds": 10})";
  EXPECT_NE(files.refusal(), "");
  files = ReaderFiles(small_model());
  for (const char* head : {"limb.weight", "limb.bias"}) files.arrays.erase(head);
  EXPECT_TRUE(mentions(files.refusal(), "limb.weight"));
}

}  // namespace
}  // namespace limber::anatomy
