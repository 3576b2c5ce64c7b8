// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::nn {
namespace {

/// A file from a header and data; `claimed` replaces the true header length.
Bytes make_file(const std::string& header, std::size_t data_bytes, std::uint64_t claimed = 0) {
  const std::uint64_t length = claimed ? claimed : header.size();
  Bytes bytes(sizeof length + header.size() + data_bytes);
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + sizeof length, header.data(), header.size());
  return bytes;
}

std::string error_of(const std::string& header, std::size_t data_bytes, std::uint64_t claimed = 0) {
  const auto result = parse_safetensors(make_file(header, data_bytes, claimed), "f");
  return result.ok() ? "" : result.error().message();
}

template <class T>
NamedTensor named(const std::string& name, Dtype dtype, const Shape& shape, const std::vector<T>& values) {
  return {name, {dtype, shape, std::as_bytes(std::span(values))}};
}

TEST(Safetensors, ReadsEveryDtypeScalarsEmptyTensorsAndMetadata) {
  const auto table = parse_safetensors(
      make_file(R"({"__metadata__":{"made_by":"hand"},"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]},
      "b":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]},"c":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[14,16]},
      "none":{"dtype":"I32","shape":[0,5],"data_offsets":[16,16]},"d":{"dtype":"BOOL","shape":[1],"data_offsets":[16,17]}})",
                17),
      "f");
  ASSERT_TRUE(table.ok()) << table.error().message();
  EXPECT_EQ(table->tensors.size(), 5u);
  EXPECT_EQ(table->tensors.at("a").shape.size(), 0u);
  EXPECT_EQ(table->tensors.at("b").dtype, Dtype::kBF16);
  EXPECT_EQ(table->tensors.at("none").bytes.size(), 0u);
  EXPECT_EQ(table->metadata.at("made_by"), "hand");
}

TEST(Safetensors, RefusesDamagedHeadersAndNamesTheTensor) {
  const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_EQ(error_of(good, 8), "");
  EXPECT_NE(error_of(good, 8, 1000).find("header claims 1000"), std::string::npos);
  EXPECT_NE(error_of(good, 8, ~0ull).find("header claims"), std::string::npos);
  EXPECT_NE(error_of("{\"a\":", 0).find("bad JSON"), std::string::npos);
  EXPECT_NE(error_of("[1]", 0).find("not an object"), std::string::npos);
  EXPECT_NE(error_of(std::string(100000, '['), 0).find("f: "), std::string::npos);
  EXPECT_NE(error_of("{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}", 0).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(error_of(good, 7).find("f#a: its data end at byte 8 of 7"), std::string::npos) << error_of(good, 7);
  EXPECT_NE(error_of(good, 9).find("1 bytes after the last"), std::string::npos);
  EXPECT_FALSE(parse_safetensors({}, "f").ok());
}

TEST(Safetensors, RefusesBadEntries) {
  const auto entry = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return error_of("{\"a\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}", 8);
  };
  EXPECT_EQ(entry("\"F32\"", "[2]", "[0,8]"), "");
  EXPECT_NE(entry("\"F31\"", "[2]", "[0,8]").find("f#a: unknown dtype \"F31\""), std::string::npos);
  EXPECT_NE(entry("4", "[2]", "[0,8]").find("unknown dtype"), std::string::npos);
  EXPECT_NE(entry("\"F32\"", "[-2]", "[0,8]").find("bad shape"), std::string::npos);
  EXPECT_NE(entry("\"F32\"", "[2.5]", "[0,8]").find("bad shape"), std::string::npos);
  EXPECT_NE(entry("\"F32\"", "[4294967296,4294967296]", "[0,8]").find("overflows"), std::string::npos);
  EXPECT_NE(entry("\"F32\"", "2", "[0,8]").find("not a list"), std::string::npos);
  EXPECT_NE(entry("\"F32\"", "[2]", "[8,0]").find("bad data_offsets"), std::string::npos);
  EXPECT_NE(entry("\"F32\"", "[2]", "[0,8,9]").find("not a pair"), std::string::npos);
  EXPECT_NE(entry("\"F32\"", "[3]", "[0,8]").find("needs 12"), std::string::npos);
  EXPECT_NE(error_of(R"({"a":{"dtype":"F32"}})", 0).find("needs dtype, shape"), std::string::npos);
}

TEST(Safetensors, RefusesOverlapsHolesAndDuplicates) {
  const auto two = [](const std::string& second_name, const std::string& offsets, std::size_t bytes) {
    return error_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},")" + second_name +
                        R"(":{"dtype":"U8","shape":[4],"data_offsets":)" + offsets + "}}",
                    bytes);
  };
  EXPECT_EQ(two("b", "[4,8]", 8), "");
  EXPECT_NE(two("b", "[2,6]", 6).find("f#b: its data overlap"), std::string::npos);
  EXPECT_NE(two("b", "[5,9]", 9).find("f#b: its data leave a hole"), std::string::npos);
  EXPECT_NE(two("a", "[4,8]", 8).find("f#a: this name occurs twice"), std::string::npos);
}

TEST(Safetensors, WritesWhatItReads) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.safetensors";
  const std::vector<std::uint8_t> small{1, 2, 3};
  const std::vector<double> wide{0.5, -2};
  const std::vector<NamedTensor> tensors{named("small", Dtype::kU8, {3}, small),
                                         named("wide \"\xC3\xA9\"", Dtype::kF64, {1, 2}, wide)};
  ASSERT_TRUE(write_safetensors(path, tensors, {{{"seed", "7"}}, 0}).ok());
  const auto archive = TensorArchive::open(path);
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  EXPECT_EQ(archive->metadata().at("seed"), "7");
  EXPECT_EQ(archive->byte_size(), 19u);
  for (const NamedTensor& tensor : tensors) {
    const auto read = archive->find(tensor.name);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->shape, tensor.view.shape);
    EXPECT_TRUE(std::equal(read->bytes.begin(), read->bytes.end(), tensor.view.bytes.begin(), tensor.view.bytes.end()));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read->bytes.data()) % size_of(read->dtype), 0u);
  }
  EXPECT_NE(archive->find("nothing").error().message().find("#nothing: no such tensor"), std::string::npos);
}

/// Three tensors of eight bytes in shards of at most sixteen.
class ShardedSafetensors : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_safetensors(path(), tensors_, {{}, 16}).ok());
    ASSERT_TRUE(std::filesystem::exists(shard(1)));
    ASSERT_TRUE(std::filesystem::exists(shard(2)));
  }
  std::filesystem::path path() const { return folder_.path() / "model.safetensors"; }
  std::filesystem::path shard(int i) const {
    return folder_.path() / ("model-0000" + std::to_string(i) + "-of-00002.safetensors");
  }
  std::string open_error() const {
    const auto archive = TensorArchive::open(folder_.path());
    return archive.ok() ? "" : archive.error().message();
  }

  testing::TemporaryFolder folder_;
  std::vector<float> values_{1, 2};
  std::vector<NamedTensor> tensors_{named("a", Dtype::kF32, {2}, values_), named("b", Dtype::kF32, {2}, values_),
                                    named("c", Dtype::kF32, {2}, values_)};
};

TEST_F(ShardedSafetensors, OpenAsFolderOrIndex) {
  for (const std::filesystem::path& what : {folder_.path(), std::filesystem::path(path().string() + ".index.json")}) {
    const auto archive = TensorArchive::open(what);
    ASSERT_TRUE(archive.ok()) << archive.error().message();
    EXPECT_EQ(archive->tensors().size(), 3u);
    EXPECT_EQ(archive->where("c"), shard(2).string() + "#c");
  }
}

TEST_F(ShardedSafetensors, MissingAndTruncatedShardsAreErrorsWithNames) {
  std::filesystem::resize_file(shard(2), std::filesystem::file_size(shard(2)) - 1);
  EXPECT_NE(open_error().find("model-00002-of-00002.safetensors#c: its data end"), std::string::npos) << open_error();
  std::filesystem::remove(shard(2));
  EXPECT_NE(open_error().find("model-00002-of-00002.safetensors: cannot open"), std::string::npos) << open_error();
}

TEST_F(ShardedSafetensors, ATensorInTwoShardsOrInTheWrongOneIsAnError) {
  ASSERT_TRUE(write_safetensors(shard(2), {tensors_[2], tensors_[0]}).ok());
  EXPECT_NE(open_error().find("#a: this tensor is also in"), std::string::npos) << open_error();
  ASSERT_TRUE(write_safetensors(shard(2), {named("renamed", Dtype::kF32, {2}, values_)}).ok());
  EXPECT_NE(open_error().find("#c: the index names this tensor"), std::string::npos) << open_error();
}

TEST_F(ShardedSafetensors, BadIndexesAreErrors) {
  const std::filesystem::path index = path().string() + ".index.json";
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"{", "bad JSON"},
           {"{}", "no weight_map"},
           {R"({"weight_map":{"a":"../secret.safetensors"}})", "bad shard name"},
           {R"({"weight_map":{"a":".."}})", "bad shard name"},
           {R"({"weight_map":{"a":3}})", "bad shard name"},
           {R"({"weight_map":{"a":"x","a":"y"}})", "#a: this name occurs twice"}}) {
    ASSERT_TRUE(write_file(index, text).ok());
    EXPECT_NE(open_error().find(expected), std::string::npos) << text << " -> " << open_error();
  }
}

TEST_F(ShardedSafetensors, WritingAgainInOneFileRemovesTheShards) {
  ASSERT_TRUE(write_safetensors(path(), {tensors_[0]}).ok());
  EXPECT_FALSE(std::filesystem::exists(shard(1)));
  EXPECT_FALSE(std::filesystem::exists(path().string() + ".index.json"));
  const auto archive = TensorArchive::open(folder_.path());
  ASSERT_TRUE(archive.ok());
  EXPECT_EQ(archive->tensors().size(), 1u);
}

TEST(Safetensors, FoldersWithoutOneClearAnswerAreErrors) {
  const testing::TemporaryFolder folder;
  EXPECT_NE(TensorArchive::open(folder.path()).error().message().find("no .safetensors"), std::string::npos);
  ASSERT_TRUE(write_safetensors(folder.path() / "x.safetensors", {}).ok());
  EXPECT_TRUE(TensorArchive::open(folder.path()).ok());
  ASSERT_TRUE(write_safetensors(folder.path() / "y.safetensors", {}).ok());
  EXPECT_NE(TensorArchive::open(folder.path()).error().message().find("several"), std::string::npos);
  EXPECT_FALSE(TensorArchive::open(folder.path() / "absent.safetensors").ok());
}

}  // namespace
}  // namespace limber::nn
