// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/text_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

using nn::Tensor;

std::vector<std::filesystem::path> checkpoints() {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(testing::parity_dir() / "video_models", error)) {
    if (std::filesystem::exists(entry.path() / "expected.safetensors")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

double relative_error(const Tensor& got, const Tensor& expected) {
  return ((got - expected).norm() / expected.norm()).item<double>();
}

TEST(TextParity, TokensAndEmbeddingsMatchThePublicImplementation) {
  if (checkpoints().empty()) GTEST_SKIP() << "no parity data";
  for (const std::filesystem::path& folder : checkpoints()) {
    SCOPED_TRACE(folder.filename().string());
    const auto expected = nn::TensorArchive::open(folder / "expected.safetensors");
    ASSERT_TRUE(expected.ok()) << expected.error().message();
    const Tensor ids = *nn::read_tensor(*expected, "prompt_ids");
    auto text = TextEncoder::open(folder, {ids.size(1), {}, {}});
    ASSERT_TRUE(text.ok()) << text.error().message();

    const std::vector<std::string> prompts{expected->metadata().at("prompt"), expected->metadata().at("negative")};
    const auto embeddings = text->encode(prompts);
    ASSERT_TRUE(embeddings.ok()) << embeddings.error().message();
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string which = i == 0 ? "prompt" : "negative";
      const TokenizedPrompt tokens = text->tokenize(prompts[i]);
      EXPECT_TRUE(at::equal(at::tensor(tokens.ids, at::kLong), (*nn::read_tensor(*expected, which + "_ids"))[0]));
      if (expected->contains(which + "_mask")) {
        EXPECT_EQ(tokens.length, nn::read_tensor(*expected, which + "_mask")->sum().item<std::int64_t>());
      }
      const Tensor reference = (*nn::read_tensor(*expected, which + "_embeds"))[0];
      EXPECT_LT(relative_error((*embeddings)[i].rows, reference), 1e-5) << which;
      RecordProperty(folder.filename().string() + "." + which,
                     std::to_string(relative_error((*embeddings)[i].rows, reference)));
    }
  }
}

/// A copy of a checkpoint's text parts that a test may damage.
class TextEncoderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (checkpoints().empty()) GTEST_SKIP() << "no parity data";
    copy(checkpoints().front());
  }
  void copy(const std::filesystem::path& source) {
    for (const char* part : {"tokenizer", "text_encoder"}) {
      std::filesystem::create_directories(folder() / part);
      for (const auto& entry : std::filesystem::directory_iterator(source / part)) {
        const auto bytes = read_file(entry.path());
        ASSERT_TRUE(write_file(folder() / part / entry.path().filename(), *bytes).ok());
      }
    }
  }
  std::filesystem::path folder() const { return temporary_.path() / "model"; }
  std::filesystem::path cache() const { return temporary_.path() / "cache"; }
  TextEncoderSettings settings() const { return {16, {}, cache()}; }
  std::string open_error() const {
    const auto text = TextEncoder::open(folder(), settings());
    return text.ok() ? "" : text.error().message();
  }

  testing::TemporaryFolder temporary_;
};

TEST_F(TextEncoderTest, ComputesAPromptOnce) {
  std::vector<TextEmbedding> first;
  for (int run = 0; run < 2; ++run) {
    auto text = TextEncoder::open(folder(), settings());
    ASSERT_TRUE(text.ok()) << text.error().message();
    const auto embeddings = text->encode({"a fox", "\xff \"odd\" text"});
    ASSERT_TRUE(embeddings.ok());
    EXPECT_EQ(text->computed(), run == 0 ? 2 : 0);
    EXPECT_FALSE(text->cache_error());
    if (run == 0) first = *embeddings;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(at::equal((*embeddings)[i].rows, first[i].rows));
      EXPECT_EQ((*embeddings)[i].tokens, first[i].tokens);
    }
  }
}

TEST_F(TextEncoderTest, ABatchGivesWhatSinglePromptsGive) {
  auto text = TextEncoder::open(folder(), {16, {}, {}});
  ASSERT_TRUE(text.ok());
  const auto both = text->encode({"a fox walks", "birds"}), one = text->encode({"birds"});
  EXPECT_LT(relative_error((*both)[1].rows, (*one)[0].rows), 1e-5);
}

TEST_F(TextEncoderTest, TheCacheKnowsPromptLengthTypeAndModelApart) {
  auto text = TextEncoder::open(folder(), settings());
  ASSERT_TRUE(text->encode({"a fox"}).ok());
  ASSERT_TRUE(text->encode({"a fox."}).ok());
  EXPECT_EQ(text->computed(), 2);
  auto longer = TextEncoder::open(folder(), {17, {}, cache()});
  ASSERT_TRUE(longer->encode({"a fox"}).ok());
  EXPECT_EQ(longer->computed(), 1);
  auto wide = TextEncoder::open(folder(), {16, {at::kCPU, at::kDouble}, cache()});
  const auto exact = wide->encode({"a fox"});
  EXPECT_EQ(wide->computed(), 1);
  EXPECT_LT(relative_error((*exact)[0].rows.to(at::kFloat), (*text->encode({"a fox"}))[0].rows), 1e-5);

  // Another weight, another fingerprint.
  const auto archive = nn::TensorArchive::open(folder() / "text_encoder");
  nn::TensorList tensors;
  for (const auto& [name, view] : archive->tensors()) {
    tensors.emplace_back(name, *nn::read_tensor(*archive, name) * (name == "shared.weight" ? 2 : 1));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder() / "text_encoder")) {
    if (entry.path().filename() != "config.json") std::filesystem::remove(entry.path());
  }
  ASSERT_TRUE(nn::save_tensors(folder() / "text_encoder" / "model.safetensors", tensors).ok());
  auto other = TextEncoder::open(folder(), settings());
  ASSERT_TRUE(other.ok()) << other.error().message();
  ASSERT_TRUE(other->encode({"a fox"}).ok());
  EXPECT_EQ(other->computed(), 1);
}

TEST_F(TextEncoderTest, DamagedCacheFilesAreComputedAgain) {
  auto text = TextEncoder::open(folder(), settings());
  ASSERT_TRUE(text->encode({"a fox"}).ok());
  for (const auto& entry : std::filesystem::directory_iterator(cache())) {
    std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 2);
  }
  ASSERT_TRUE(text->encode({"a fox"}).ok());
  EXPECT_EQ(text->computed(), 2);
  ASSERT_TRUE(text->encode({"a fox"}).ok());
  EXPECT_EQ(text->computed(), 2);
}

TEST_F(TextEncoderTest, AnUnwritableCacheIsReportedAndDoesNotFail) {
  ASSERT_TRUE(write_file(temporary_.path() / "file", "x").ok());
  auto text = TextEncoder::open(folder(), {16, {}, temporary_.path() / "file" / "cache"});
  ASSERT_TRUE(text->encode({"a fox"}).ok());
  EXPECT_TRUE(text->cache_error().has_value());
}

TEST_F(TextEncoderTest, DamagedCheckpointsAreErrorsThatSayWhere) {
  EXPECT_EQ(open_error(), "");
  const std::filesystem::path config = folder() / "text_encoder" / "config.json";
  const std::string good(as_text(*read_file(config)));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    EXPECT_TRUE(write_file(config, text).ok());
    return open_error();
  };
  EXPECT_NE(with("\"model_type\": \"t5\"", "\"model_type\": \"bert\"").find("neither T5 nor UMT5"), std::string::npos);
  EXPECT_NE(with("gated-gelu", "relu").find("not gated-gelu"), std::string::npos);
  EXPECT_NE(with("\"d_ff\": 64", "\"d_ff\": 65").find("DenseReluDense.wi_0.weight: shape [64, 32], expected [65, 32]"),
            std::string::npos);
  EXPECT_NE(with("\"num_layers\": 2", "\"num_layers\": 3").find("block.2.layer.0"), std::string::npos);
  EXPECT_NE(with("\"num_layers\": 2", "\"num_layers\": 1").find("unexpected tensor"), std::string::npos);
  EXPECT_NE(with("\"num_layers\": 2", "\"num_layers\": -4").find("makes no sense"), std::string::npos);
  EXPECT_NE(with("\"d_ff\": 64", "\"d_ff\": \"x\"").find("config.json"), std::string::npos);
  EXPECT_NE(with("\"model_type\": \"t5\"", "\"model_type\": \"umt5\"").find("block.1.layer.0.SelfAttention.relative"),
            std::string::npos);
  std::filesystem::remove(folder() / "tokenizer" / "spiece.model");
  EXPECT_NE(open_error().find("neither spiece.model nor tokenizer.json"), std::string::npos);
}

TEST(T5Encoder, HasTheParametersOfTheXxlModel) {
  nn::Weights weights = nn::Weights::plan();
  describe_t5(weights, T5Config());
  EXPECT_EQ(weights.tensor_count(), 219);
  EXPECT_NEAR(static_cast<double>(weights.parameter_count()), 4.762e9, 1e6);
}

TEST(T5Encoder, BucketsFollowTheFormula) {
  const Tensor buckets = t5_position_buckets(300, T5Config());
  const auto bucket = [&](int query, int key) { return buckets[query][key].item<int>(); };
  EXPECT_EQ(bucket(5, 5), 0);
  EXPECT_EQ(bucket(7, 0), 7);
  EXPECT_EQ(bucket(0, 7), 16 + 7);
  EXPECT_EQ(bucket(0, 8), 16 + 8);
  EXPECT_EQ(bucket(0, 11), 16 + 8);
  EXPECT_EQ(bucket(0, 12), 16 + 9);
  EXPECT_EQ(bucket(127, 0), 15);
  EXPECT_EQ(bucket(299, 0), 15) << "beyond the largest distance";
}

}  // namespace
}  // namespace limber::prior
